package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/test/quality"
)

// cutFlags say what is measured of how documents are cut.
type cutFlags struct{ boundaries, cuts bool }

func addCutFlags(flags *flag.FlagSet) *cutFlags {
	var f cutFlags
	flags.BoolVar(&f.boundaries, "boundaries", false, "instead: make a set of documents whose parts are known, cut them, and print where chunks begin and parts do")
	flags.BoolVar(&f.cuts, "cuts", false, "instead: ask the questions of test/questions of their documents, cut by domain, by the general chunker and into windows, with the embedder of COLOPHON_EMBED_…; -only names kinds of documents, divided by commas")
	return &f
}

func (f *cutFlags) asked() bool { return f.boundaries || f.cuts }

func (f *cutFlags) run(ctx context.Context, seed, only, vectors string, asJSON bool, w io.Writer) error {
	if f.cuts {
		o := quality.CutsOptions{Vectors: vectors, Progress: func(row quality.CutsRow) {
			_, _ = fmt.Fprintf(os.Stderr, "%s, context %t: %v, %v of %v\n", row.Way, row.Context, row.NDCG, row.Read, row.Asked)
		}}
		if only != "" {
			o.Kinds = strings.Split(only, ",")
		}
		report, err := quality.RunCuts(ctx, o)
		if err != nil {
			return err
		}
		return show(report, asJSON, w)
	}
	number, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return fmt.Errorf("-seed %q: a number is wanted", seed)
	}
	report, err := quality.RunBoundaries(ctx, number)
	if err != nil {
		return err
	}
	return show(report, asJSON, w)
}
