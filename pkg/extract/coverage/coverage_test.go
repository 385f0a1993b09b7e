package coverage

import (
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

func TestShare(t *testing.T) {
	for _, tt := range []struct {
		covered, visible int
		want             float64
	}{{0, 0, 1}, {5, 5, 1}, {7, 5, 1}, {0, 5, 0}, {99_999, 100_000, 0.9999}, {1, 3, 0.3333}} {
		if got := Share(tt.covered, tt.visible); got != tt.want {
			t.Errorf("%d of %d: %v, want %v", tt.covered, tt.visible, got, tt.want)
		}
	}
	if Characters("a é\n\u00A0😀") != 3 {
		t.Error("white space counts")
	}
	if Note(5, 5, "x") != "" || Note(4, 5, "cut") != "1 of 5 visible characters are in no unit: cut" || Note(4, 5, "") == "" {
		t.Error("notes")
	}
}

func TestLedger(t *testing.T) {
	a := model.Account{Found: 10, Placed: 5}
	Skip(&a, "small", 2)
	Skip(&a, "background", 1)
	Skip(&a, "small", 1)
	Skip(&a, "none", 0)
	Close(&a)
	if want := []model.Skipped{{Reason: "background", Count: 1}, {Reason: "small", Count: 3}}; a.Failed != 1 || !slices.Equal(a.Skipped, want) {
		t.Errorf("%+v", a)
	}
}
