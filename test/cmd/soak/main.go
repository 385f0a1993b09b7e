// Command soak runs the built binaries under a steady load and ends with an
// error when memory, goroutines or descriptors grow, or a store takes more than
// docs/operations.md says.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/colophon-dev/colophon/test/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var o bench.SoakOptions
	var out string
	flag.StringVar(&o.Colophon, "colophon", "bin/colophon", "the binary to run; the services' lie beside it")
	flag.StringVar(&o.Dir, "dir", "", "folder for the system's data; the system's temporary folder when not set")
	flag.StringVar(&out, "json", "", "file for all samples as JSON")
	flag.DurationVar(&o.Measured, "for", 10*time.Minute, "the time that counts")
	flag.DurationVar(&o.Warm, "warm", 2*time.Minute, "time of the same load before it")
	flag.DurationVar(&o.Every, "every", 5*time.Second, "time between samples")
	flag.Float64Var(&o.Load, "load", 0.5, "share of the documents per second that the system can do")
	flag.Parse()
	began := time.Now()
	o.Progress = func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "%4.0f s  "+format+"\n", append([]any{time.Since(began).Seconds()}, args...)...)
	}
	report, err := bench.Soak(ctx, o)
	if err != nil {
		return err
	}
	if out != "" {
		data, err := json.Marshal(report)
		if err != nil {
			return err
		}
		if err := os.WriteFile(out, data, 0o644); err != nil {
			return err
		}
	}
	if err := report.Write(os.Stdout); err != nil {
		return err
	}
	return report.Problems()
}
