// Command passages prints the passages of web pages as the model of main content
// sees them, a line of JSON for each file: what test/quality/content learns from.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/model"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "passages:", err)
		os.Exit(1)
	}
}

// page is the line of a file.
type page struct {
	File     string        `json:"file"`
	Passages []html.Sample `json:"passages"`
	Text     string        `json:"text"` // what extraction makes of it
}

func run(ctx context.Context, files []string) error {
	out := bufio.NewWriter(os.Stdout)
	encode := json.NewEncoder(out)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		in := block.Input{Raw: raw, Snapshot: model.Snapshot{URL: "https://example.org/page.html", ContentType: "text/html"}}
		passages, err := html.Samples(ctx, in)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		line := page{File: file, Passages: passages}
		made, err := html.Extractor{}.Page(ctx, in, 1)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, b := range made.Blocks {
			if b.Type != model.UnitFurniture && b.Type != model.UnitLink {
				line.Text += b.Text + "\n"
			}
		}
		if err := encode.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}
