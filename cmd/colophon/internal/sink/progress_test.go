package sink

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/sdk"
)

// TestProgress: what is told and not taken lags, from when the first of it was told, also over
// failures; and a sink is ready while it follows the chunks and its target has not refused.
func TestProgress(t *testing.T) {
	p, err := NewProgress(nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	told := func(ago time.Duration) sdk.Change {
		return sdk.Change{Position: sdk.Position{At: now.Add(-ago)}}
	}
	look := func(step string, lag time.Duration, why string) {
		t.Helper()
		err := p.Ready(t.Context())
		if got := p.measureLag(now); got != lag || (err == nil) != (why == "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %s, %v; want %s, %q", step, got, err, lag, why)
		}
	}
	look("at first", 0, "does not follow the chunks yet")
	p.follows()
	look("it follows", 0, "")
	p.told(told(time.Hour))
	p.told(told(time.Minute))
	look("two changes wait", time.Hour, "")
	p.failed(errors.New("the disk is full"))
	look("the target refuses", time.Hour, "the disk is full")
	p.follows()
	look("it begins anew", time.Hour, "the disk is full")
	p.applied(2)
	look("the target has all", 0, "")
	p.failed(sourceError{errors.New("no bus")})
	look("the bus is away", 0, "no bus")
	p.follows()
	look("it is back", 0, "")
	p.told(told(-time.Second)) // a clock of another machine is ahead
	look("told in the future", 0, "")
	var none *Progress
	none.follows()
	none.told(sdk.Change{})
	none.applied(1)
	none.failed(errors.New("nobody looks"))
}
