package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strconv"

	"github.com/colophon-dev/colophon/test/quality"
)

// madeFlags say what is measured on documents that are made for it.
type madeFlags struct {
	html bool
	each int
}

func addMadeFlags(flags *flag.FlagSet) *madeFlags {
	var f madeFlags
	flags.BoolVar(&f.html, "made-html", false, "instead: make web pages whose main content is known, and print what is lost and kept; -python has trafilatura and readability-lxml")
	flags.IntVar(&f.each, "each", 12, "with -made-html: pages of each theme")
	return &f
}

func (f *madeFlags) asked() bool { return f.html }

func (f *madeFlags) run(ctx context.Context, seed, python string, asJSON bool, w io.Writer) error {
	number, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return fmt.Errorf("-seed %q: a number is wanted", seed)
	}
	report, err := quality.RunMadeHTML(ctx, quality.MadeHTMLOptions{Seed: number, Python: python, Each: f.each})
	if err != nil {
		return err
	}
	return show(report, asJSON, w)
}
