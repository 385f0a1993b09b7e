package main

import (
	"context"
	"flag"
	"fmt"
	"strconv"

	"github.com/colophon-dev/colophon/test/quality"
)

// madeScanFlags are what -made-scans can be told.
type madeScanFlags struct {
	wanted        *bool
	each, workers *int
	fonts, only   *string
}

func addMadeScanFlags(flags *flag.FlagSet) madeScanFlags {
	return madeScanFlags{
		wanted:  flags.Bool("made-scans", false, "instead: make scans whose text is known, and read them, beside the tesseract command; needs a build with OCR"),
		each:    flags.Int("scans-each", 5, "with -made-scans: pages of each of the 22 classes"),
		workers: flags.Int("scans-workers", 2, "with -made-scans: pages that are read at a time"),
		fonts:   flags.String("scans-fonts", "", "with -made-scans: the half of the fonts to set them in: looked-at, unseen; all with none"),
		only:    flags.String("scans-class", "", "with -made-scans: only this class"),
	}
}

func (f madeScanFlags) run(ctx context.Context, seed, keep string) (quality.MadeScanReport, error) {
	number, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return quality.MadeScanReport{}, fmt.Errorf("-seed %q: a number is wanted", seed)
	}
	return quality.RunMadeScans(ctx, quality.MadeScanOptions{
		Seed: number, Each: *f.each, Fonts: *f.fonts, Only: *f.only, Keep: keep, Workers: *f.workers,
	})
}
