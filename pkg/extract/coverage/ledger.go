package coverage

import (
	"cmp"
	"slices"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Skip adds n things that were left out for a reason to an account.
func Skip(a *model.Account, reason string, n int) {
	if n <= 0 {
		return
	}
	at, found := slices.BinarySearchFunc(a.Skipped, reason, func(s model.Skipped, reason string) int { return cmp.Compare(s.Reason, reason) })
	if !found {
		a.Skipped = slices.Insert(a.Skipped, at, model.Skipped{Reason: reason})
	}
	a.Skipped[at].Count += n
}

// Close fills in what failed: what was found and is neither placed nor skipped.
func Close(a *model.Account) {
	a.Failed = a.Found - a.Placed
	for _, s := range a.Skipped {
		a.Failed -= s.Count
	}
	a.Failed = max(a.Failed, 0)
}
