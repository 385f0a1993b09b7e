package quality

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/test/quality/webset"
)

// MadeHTMLOptions say what RunMadeHTML does.
type MadeHTMLOptions struct {
	Seed   uint64
	Python string // with trafilatura and readability-lxml; "" for none
	Each   int    // pages of each theme
}

// MadeHTMLReport is how well main content of made pages is told from furniture.
type MadeHTMLReport struct {
	Seed   uint64        `json:"seed"`
	Themes []MadeHTMLRow `json:"themes"`
	Halves []MadeHTMLRow `json:"halves"`
}

// MadeHTMLRow is one tool on the pages of a theme, or of a half. Means are over pages, and
// errors are standard errors of these means.
type MadeHTMLRow struct {
	Half    string  `json:"half"`
	Theme   string  `json:"theme,omitempty"`
	Tool    string  `json:"tool"`
	Pages   int     `json:"pages"`
	F1      float64 `json:"f1"` // of words, without the headline and what may stand there or not
	F1Error float64 `json:"f1_error"`
	Lost    float64 `json:"lost"` // letters of blocks of the main content that are not in the text, of all of it
	Kept    float64 `json:"kept"` // letters of furniture that are in it, of the letters of the main content

	KeptError float64 `json:"kept_error"`
}

// RunMadeHTML makes the pages of a seed, and scores this program and the peers on them.
func RunMadeHTML(ctx context.Context, o MadeHTMLOptions) (MadeHTMLReport, error) {
	report := MadeHTMLReport{Seed: o.Seed}
	for _, half := range []string{webset.Learnt, webset.Judged} {
		pages, err := webset.Make(o.Seed, half, o.Each)
		if err != nil {
			return report, err
		}
		texts, tools, err := madeTexts(ctx, o.Python, pages)
		if err != nil {
			return report, err
		}
		for _, tool := range tools {
			all := madeSums{}
			themes := make(map[string]*madeSums)
			var names []string
			for i := range pages {
				f1, lost, kept := scoreMade(&pages[i], texts[tool][i])
				if themes[pages[i].Theme] == nil {
					themes[pages[i].Theme] = &madeSums{}
					names = append(names, pages[i].Theme)
				}
				themes[pages[i].Theme].add(f1, lost, kept)
				all.add(f1, lost, kept)
			}
			slices.Sort(names)
			for _, name := range names {
				report.Themes = append(report.Themes, themes[name].row(half, name, tool))
			}
			report.Halves = append(report.Halves, all.row(half, "", tool))
		}
	}
	return report, nil
}

// madeTexts returns what each tool makes of the pages.
func madeTexts(ctx context.Context, python string, pages []webset.Page) (map[string][]string, []string, error) {
	const own = "colophon"
	texts, tools := map[string][]string{}, []string{own}
	for i := range pages {
		text, err := keptText(ctx, pages[i].HTML)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", pages[i].Theme, err)
		}
		texts[own] = append(texts[own], text)
	}
	if python == "" {
		return texts, tools, nil
	}
	dir, err := os.MkdirTemp("", "colophon-webset-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	files := make([]string, len(pages))
	for i := range pages {
		files[i] = filepath.Join(dir, fmt.Sprintf("%04d.html", i))
		if err := os.WriteFile(files[i], pages[i].HTML, 0o600); err != nil {
			return nil, nil, err
		}
	}
	for name, tool := range map[string]string{"readability-lxml": "readability", "trafilatura": "trafilatura"} {
		results, err := runPython(ctx, python, tool, files)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range results {
			texts[name] = append(texts[name], r.Text+VisibleText(r.HTML))
		}
		tools = append(tools, name)
	}
	slices.Sort(tools)
	return texts, tools, nil
}

// keptText returns the text of a page that is no furniture.
func keptText(ctx context.Context, raw []byte) (string, error) {
	in := block.Input{Raw: raw, Snapshot: model.Snapshot{URL: "https://set.example/page.html", ContentType: "text/html"}}
	page, err := html.Extractor{}.Page(ctx, in, 1)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, b := range page.Blocks {
		if b.Type != model.UnitFurniture && b.Type != model.UnitLink {
			text.WriteString(b.Text + "\n")
		}
	}
	return text.String(), nil
}

// scoreMade compares a text with what is known of its page.
func scoreMade(p *webset.Page, text string) (f1, lost, kept float64) {
	canon := Canon(text)
	letters, gone, there := 0, 0, 0
	for _, w := range p.Want {
		letters += len(w)
		if !strings.Contains(canon, Canon(w)) {
			gone += len(w)
		}
	}
	for _, w := range p.Unwanted {
		if strings.Contains(canon, Canon(w)) {
			there += len(w)
		}
	}
	truth := countOf(Words(strings.Join(p.Want, " ")))
	out := countOf(Words(text))
	for _, free := range append([]string{p.Title}, p.Either...) {
		for _, w := range Words(free) {
			if out[w] > truth[w] {
				out[w]--
			}
		}
	}
	right, wanted, found := common(truth, out), 0, 0
	for _, n := range truth {
		wanted += n
	}
	for _, n := range out {
		found += n
	}
	whole := float64(max(1, letters))
	return newPRF(right, wanted, found).F1, float64(gone) / whole, float64(there) / whole
}

// madeSums are sums over pages, and of squares.
type madeSums struct{ n, f1, f1s, lost, kept, kepts float64 }

func (s *madeSums) add(f1, lost, kept float64) {
	s.n++
	s.f1 += f1
	s.f1s += float64(f1 * f1)
	s.lost += lost
	s.kept += kept
	s.kepts += float64(kept * kept)
}

func (s *madeSums) row(half, theme, tool string) MadeHTMLRow {
	spread := func(sum, squares float64) float64 {
		if s.n < 2 {
			return 0
		}
		mean := sum / s.n
		return math.Sqrt(max(0, squares/s.n-float64(mean*mean)) / (s.n - 1))
	}
	return MadeHTMLRow{
		Half: half, Theme: theme, Tool: tool, Pages: int(s.n), F1: s.f1 / s.n, F1Error: spread(s.f1, s.f1s),
		Lost: s.lost / s.n, Kept: s.kept / s.n, KeptError: spread(s.kept, s.kepts),
	}
}

// Write prints the report as tables.
func (r MadeHTMLReport) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, rows := range [][]MadeHTMLRow{r.Themes, r.Halves} {
		_, _ = fmt.Fprintln(t, "half\ttheme\ttool\tpages\tF1\t±\tlost\tkept\t±")
		for _, row := range rows {
			_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n", row.Half, row.Theme, row.Tool, row.Pages, row.F1, row.F1Error, row.Lost, row.Kept, row.KeptError)
		}
		_, _ = fmt.Fprintln(t)
	}
	return t.Flush()
}
