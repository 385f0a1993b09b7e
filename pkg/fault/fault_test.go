package fault_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
)

func TestKindSurvivesWrapping(t *testing.T) {
	base := errors.New("the store is away")
	cases := []struct {
		err    error
		kind   fault.Kind
		reason fault.Reason
		after  time.Duration
	}{
		{nil, fault.KindNone, fault.AttemptsExhausted, 0},
		{base, fault.KindTransient, fault.AttemptsExhausted, 0},
		{fault.Unavailable(base), fault.KindUnavailable, fault.AttemptsExhausted, 0},
		{fault.Transient(base), fault.KindTransient, fault.AttemptsExhausted, 0},
		{fault.TransientFor(fault.FetchFailed, time.Minute, base), fault.KindTransient, fault.FetchFailed, time.Minute},
		{fault.Permanent(fault.Encrypted, base), fault.KindPermanent, fault.Encrypted, 0},
		{fault.Document(fault.Malformed, base), fault.KindPermanent, fault.Malformed, 0},
		{fault.Defer(5*time.Second, base), fault.KindDeferred, fault.AttemptsExhausted, 5 * time.Second},
		{fmt.Errorf("reading: %w", context.Canceled), fault.KindContext, fault.AttemptsExhausted, 0},
		{fault.Unavailable(context.DeadlineExceeded), fault.KindUnavailable, fault.AttemptsExhausted, 0},
	}
	for _, c := range cases {
		err := c.err
		if err != nil {
			err = fmt.Errorf("page 3: %w", err)
		}
		if got := fault.KindOf(err); got != c.kind {
			t.Errorf("KindOf(%v) = %v, want %v", err, got, c.kind)
		}
		if got := fault.ReasonOf(err); got != c.reason {
			t.Errorf("ReasonOf(%v) = %v, want %v", err, got, c.reason)
		}
		if got := fault.RetryAfter(err); got != c.after {
			t.Errorf("RetryAfter(%v) = %v, want %v", err, got, c.after)
		}
	}
}

func TestNilStaysNil(t *testing.T) {
	for _, err := range []error{
		fault.Unavailable(nil), fault.Transient(nil), fault.Permanent(fault.Internal, nil),
		fault.Defer(time.Second, nil), fault.TransientFor(fault.FetchFailed, 0, nil),
	} {
		if err != nil {
			t.Errorf("a constructor made %v of nil", err)
		}
	}
}

func TestDeadLettersAreForWhatIsNobodysDocument(t *testing.T) {
	want := map[fault.Reason]bool{fault.Malformed: true, fault.AttemptsExhausted: true, fault.Internal: true}
	for _, r := range fault.Reasons() {
		if r.DeadLetter() != want[r] {
			t.Errorf("%s: dead letter %v, want %v", r, r.DeadLetter(), want[r])
		}
	}
	own := fmt.Errorf("page 3: %w", fault.Document(fault.Malformed, errors.New("cut")))
	if !fault.OfDocument(own) || fault.OfDocument(fault.Permanent(fault.Malformed, errors.New("cut"))) || fault.Document(fault.Malformed, nil) != nil {
		t.Error("a document's own fault is not told from an event's")
	}
	if fault.Reason("made_up").Valid() || !fault.Timeout.Valid() {
		t.Error("Valid does not follow the closed list")
	}
}
