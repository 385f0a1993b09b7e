// Command bench measures the built binaries: speed, latency, CPU time and
// memory, printed as one table and written as JSON. See docs/performance.md.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/colophon-dev/colophon/pkg/extract/child"
	ocrchild "github.com/colophon-dev/colophon/pkg/ocr/child"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/test/bench"
)

func main() {
	if sandbox.Child(map[string]sandbox.Role{child.RoleName: child.Builtin().Role, ocrchild.RoleName: ocrchild.Role(child.Builtin().Openers())}) {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, w, progress io.Writer) error {
	var o bench.Options
	var out, growth, only string
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	flags.StringVar(&o.Colophon, "colophon", "bin/colophon", "the binary to measure; the services' lie beside it")
	flags.StringVar(&o.Dir, "dir", "", "folder for the systems' data; the system's temporary folder when not set")
	flags.StringVar(&out, "json", "", "file for the figures as JSON")
	flags.IntVar(&o.Rounds, "rounds", 3, "rounds of throughput and of extraction; their median counts")
	flags.IntVar(&o.Documents, "documents", 20, "documents of a round")
	flags.IntVar(&o.Pages, "pages", 60, "pages of a document")
	flags.IntVar(&o.Requests, "requests", 200, "small documents whose latency is measured")
	flags.IntVar(&o.Large, "large", 5000, "pages of the document whose memory is measured; 0: none")
	flags.IntVar(&o.Archive, "archive", 100_000, "chunks of the archive that is searched")
	flags.IntVar(&o.Rows, "rows", 1_000_000, "rows of the full catalog")
	flags.StringVar(&growth, "growth", "100,1000,10000", "pages of the documents that show how cost grows")
	flags.StringVar(&only, "only", "", "figures that are measured, all when not set: "+strings.Join(bench.Figures(), ","))
	if err := flags.Parse(args); err != nil {
		return err
	}
	for field := range strings.SplitSeq(growth, ",") {
		if field == "" {
			continue
		}
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return fmt.Errorf("-growth %q: numbers of pages, separated by commas", growth)
		}
		o.Growth = append(o.Growth, n)
	}
	for figure := range strings.SplitSeq(only, ",") {
		if figure == "" {
			continue
		}
		if !slices.Contains(bench.Figures(), figure) {
			return fmt.Errorf("-only %q: some of %s, separated by commas", only, strings.Join(bench.Figures(), ","))
		}
		o.Only = append(o.Only, figure)
	}
	began := time.Now()
	o.Progress = func(format string, args ...any) {
		fmt.Fprintf(progress, "%4.0f s  "+format+"\n", append([]any{time.Since(began).Seconds()}, args...)...)
	}
	report, err := bench.Run(ctx, o)
	if err != nil {
		return err
	}
	if out != "" {
		if err := write(out, report); err != nil {
			return err
		}
	}
	return report.Write(w)
}

func write(path string, report bench.Report) error {
	data, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
