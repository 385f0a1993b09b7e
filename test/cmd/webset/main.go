// Command webset writes the web pages of test/quality/webset into a folder, with what is
// known of each in a file beside it: what test/quality/content learns from.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/colophon-dev/colophon/test/quality/webset"
)

func main() {
	half := flag.String("half", webset.Learnt, "learnt or judged")
	seed := flag.Uint64("seed", 1, "what is drawn")
	each := flag.Int("each", 10, "pages of each theme")
	flag.Parse()
	if err := run(*half, *seed, *each, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "webset:", err)
		os.Exit(1)
	}
}

// truth is what stands beside a page.
type truth struct {
	Theme    string   `json:"theme"`
	Title    string   `json:"title"`
	Want     []string `json:"want"`
	Unwanted []string `json:"unwanted"`
}

func run(half string, seed uint64, each int, dir string) error {
	pages, err := webset.Make(seed, half, each)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	for i, p := range pages {
		name := filepath.Join(dir, fmt.Sprintf("%s-%03d", p.Theme, i))
		known, err := json.Marshal(truth{p.Theme, p.Title, p.Want, p.Unwanted})
		if err != nil {
			return err
		}
		if err := os.WriteFile(name+".html", p.HTML, 0o600); err != nil {
			return err
		}
		if err := os.WriteFile(name+".json", known, 0o600); err != nil {
			return err
		}
	}
	return nil
}
