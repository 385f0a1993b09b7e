// Package fixedseed is imported for its effect: with CI=true the properties of the
// importing package's tests are drawn from one seed, so that a run says something of the
// change and not of chance. Elsewhere each run draws anew; -rapid.seed=N still decides.
package fixedseed

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // has the flag
)

// seed is any number but 0, which means that each run draws its own.
const seed = "20261124"

// The seed is set as part of the package's beginning, before flags are read.
var _ = setSeed()

// setSeed sets the seed with CI=true, and reports whether it did.
func setSeed() bool {
	if os.Getenv("CI") == "" {
		return false
	}
	if err := flag.Set("rapid.seed", seed); err != nil {
		panic(err)
	}
	return true
}
