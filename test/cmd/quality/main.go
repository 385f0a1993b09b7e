// Command quality prints how well colophon extracts the PDF and HTML files of
// a corpus folder. See docs/quality.md.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/colophon-dev/colophon/test/quality"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, w io.Writer) error {
	var o quality.Options
	var asJSON bool
	flags := flag.NewFlagSet("quality", flag.ExitOnError)
	flags.StringVar(&o.Corpus, "corpus", "", "folder of documents with ground truth")
	flags.StringVar(&o.Colophon, "colophon", "bin/colophon", "the binary to measure")
	flags.StringVar(&o.Only, "only", "", "only files whose path in the corpus begins so")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.Corpus == "" {
		_, err := fmt.Fprintln(w, "No corpus: name a folder of documents with ground truth, as in `make quality CORPUS=DIR`; docs/quality.md says what it holds.")
		return err
	}
	report, err := quality.Run(ctx, o)
	if err != nil {
		return err
	}
	if !asJSON {
		return report.Write(w)
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(report)
}
