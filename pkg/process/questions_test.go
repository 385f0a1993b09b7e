package process_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/process"
)

// TestAskAllNamesTheSilent asks stores that answer, fail, hang, and hang for ever.
func TestAskAllNamesTheSilent(t *testing.T) {
	gone := errors.New("connection refused")
	forever := make(chan struct{})
	defer close(forever)
	answers := process.AskAll(t.Context(), 50*time.Millisecond, []process.Question{
		{Name: "stone", Ask: func(context.Context) error { <-forever; return nil }},
		{Name: "well", Ask: func(context.Context) error { return nil }},
		{Name: "gone", Ask: func(context.Context) error { return gone }},
		{Name: "slow", Ask: func(ctx context.Context) error { <-ctx.Done(); return fmt.Errorf("asking slow: %w", ctx.Err()) }},
	})
	want := "[stone did not answer within 50ms <nil> connection refused slow did not answer within 50ms]"
	if got := fmt.Sprint(answers); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
