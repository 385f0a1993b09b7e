package stream_test

import (
	"errors"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

func TestAbsent(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]fault.Kind{
		0: fault.KindDeferred, 10 * time.Minute: fault.KindDeferred, time.Hour: fault.KindPermanent, -time.Hour: fault.KindPermanent,
	} {
		err := stream.Absent(event.Event{Time: time.Now().Add(-age)}, errors.New("it is not there"))
		if fault.KindOf(err) != want || want == fault.KindPermanent && fault.ReasonOf(err) != fault.Malformed {
			t.Errorf("%s old: %v of kind %v", age, err, fault.KindOf(err))
		}
	}
	if err := stream.Absent(event.Event{}, errors.New("it is not there")); fault.KindOf(err) != fault.KindPermanent {
		t.Errorf("without a time: %v", err)
	}
}
