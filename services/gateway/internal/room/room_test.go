package room

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestTake(t *testing.T) {
	r := New(10, time.Millisecond)
	give, err := r.Take(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Take(t.Context(), 4); !errors.Is(err, ErrFull) {
		t.Errorf("four of the three that are left: %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := r.Take(gone, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("for one who has gone: %v", err)
	}
	give()
	give()
	all, err := r.Take(t.Context(), 1000)
	if err != nil {
		t.Fatalf("more than there is, alone: %v", err)
	}
	if now, most := r.Held(); now != 10 || most != 10 {
		t.Errorf("%d held, %d at most", now, most)
	}
	all()
	if now, _ := r.Held(); now != 0 {
		t.Errorf("%d held in the end", now)
	}
}
