package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/test/quality"
)

// cutFlags say what is measured of how documents are cut.
type cutFlags struct{ boundaries, cuts, parts bool }

func addCutFlags(flags *flag.FlagSet) *cutFlags {
	var f cutFlags
	flags.BoolVar(&f.boundaries, "boundaries", false, "instead: make a set of documents whose parts are known, cut them, and print where chunks begin and parts do")
	flags.BoolVar(&f.cuts, "cuts", false, "instead: ask the questions of test/questions of their documents, cut by domain, by the general chunker and into windows, with the embedder of COLOPHON_EMBED_…; -only names kinds of documents, divided by commas")
	flags.BoolVar(&f.parts, "parts", false, "instead: cut the documents of the corpus, and count rows of tables that are cut and chunks with two articles; exit 1 unless there are none")
	return &f
}

func (f *cutFlags) asked() bool { return f.boundaries || f.cuts || f.parts }

func (f *cutFlags) run(ctx context.Context, corpus, seed, only, vectors string, asJSON bool, w io.Writer) error {
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
	if f.parts {
		report, err := quality.RunParts(ctx, corpus, only)
		if err != nil {
			return err
		}
		if err := show(report, asJSON, w); err != nil {
			return err
		}
		if !report.Good() {
			return errors.New("parts of documents are cut or mixed")
		}
		return nil
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
