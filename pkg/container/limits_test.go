package container

import (
	"errors"
	"math"
	"testing"
)

// TestALyingLengthSwitchesNoLimitOff: a record may say any length.
func TestALyingLengthSwitchesNoLimitOff(t *testing.T) {
	l := Limits{Entries: 10, Total: 1000, Spent: &Spent{}}
	if err := l.Take(1); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{math.MaxInt64, 1, 10_000} {
		if err := l.Take(n); !errors.Is(err, ErrLimit) {
			t.Errorf("%d bytes more: %v", n, err)
		}
	}
}
