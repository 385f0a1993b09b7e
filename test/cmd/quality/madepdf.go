package main

import (
	"context"
	"flag"

	"github.com/colophon-dev/colophon/test/quality"
)

// madePDFFlags are what -made-pdf can be told.
type madePDFFlags struct {
	wanted, again *bool
	count         *int
	twins         *string
}

func addMadePDFFlags(flags *flag.FlagSet) madePDFFlags {
	return madePDFFlags{
		wanted: flags.Bool("made-pdf", false, "instead: make a set of PDF files whose blocks and tables are known, and print what is found of them; -python has its producers"),
		again:  flags.Bool("made-again", false, "with -made-pdf: use the set that an earlier run left in -keep"),
		count:  flags.Int("made-count", 55, "with -made-pdf: documents of each producer"),
		twins:  flags.String("made-twins", "", "with -made-pdf: folder of unpacked packages with PDF files and their HTML twins"),
	}
}

func (f madePDFFlags) run(ctx context.Context, o quality.Options, seed, keep string) (quality.MadeReport, error) {
	return quality.RunMade(ctx, quality.MadeOptions{
		Python: o.Python, Seed: seed, Count: *f.count, Twins: *f.twins, Keep: keep, Again: *f.again,
	})
}
