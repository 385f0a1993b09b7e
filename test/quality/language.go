package quality

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/language"
	"github.com/colophon-dev/colophon/pkg/model"
)

// paragraph is a row of a table of paragraphs whose language is known.
type paragraph struct{ lang, text string }

// isTable reports whether a document may be such a table.
func (d document) isTable() bool {
	return strings.EqualFold(path.Ext(d.path), ".tsv") && path.Base(d.path) != "MANIFEST.tsv"
}

// readParagraphs reads the columns lang (a language tag) and text of a table of
// tab-separated values with a heading; none when the heading does not name
// both.
func readParagraphs(file string) ([]paragraph, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(string(data), "\r\n"), "\n")
	heading := strings.Split(strings.TrimRight(lines[0], "\r"), "\t")
	lang, text := slices.Index(heading, "lang"), slices.Index(heading, "text")
	if lang < 0 || text < 0 {
		return nil, nil
	}
	var out []paragraph
	for i, line := range lines[1:] {
		fields := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if len(fields) <= max(lang, text) || !utf8.ValidString(line) {
			return nil, fmt.Errorf("%s: line %d is not one of text in %d columns", file, i+2, len(heading))
		}
		code := language.Code(fields[lang])
		if code == "" {
			code, _, _ = strings.Cut(fields[lang], "-")
		}
		out = append(out, paragraph{code, fields[text]})
	}
	return out, nil
}

// detectLanguage returns the language of a page with one paragraph of which
// nothing else is known, "" for none.
func detectLanguage(text string) string {
	unit := model.Unit{Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: text}}
	d := language.New(language.Hints{}, "")
	unit.FieldsRaw.Language = d.Block(text, "")
	if l := d.Page([]model.Unit{unit}); l != nil {
		return l.Lang
	}
	return ""
}

// languageCounts are the paragraphs of one language, or of all.
type languageCounts struct{ truth, right, wrong, unknown int }

func (c languageCounts) row(name string) Row {
	p := newPRF(c.right, c.truth, c.right+c.wrong)
	return Row{Path: name, Values: append(values(p), float64(c.truth), float64(c.unknown))}
}

// cpuTime returns the user and system time of this process so far.
func cpuTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("the time of this process: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// measureLanguages compares the languages detected in tables of paragraphs with
// those that the tables say, and returns the group, empty without paragraphs,
// and the CPU time of a paragraph.
func measureLanguages(root string, documents []document) (Group, time.Duration, error) {
	g := Group{Name: "Language", Measures: []Measure{{Name: "precision"}, {Name: "recall"}, {Name: "F1"},
		{Name: "paragraphs", Count: true}, {Name: "unknown", Count: true}}, Rows: "language"}
	var all []paragraph
	for _, d := range documents {
		if !d.isTable() {
			continue
		}
		some, err := readParagraphs(filepath.Join(root, filepath.FromSlash(d.path)))
		if err != nil {
			return g, 0, err
		}
		all = append(all, some...)
	}
	if len(all) == 0 {
		return g, 0, nil
	}
	detectLanguage(all[0].text) // what the first one costs besides is no paragraph's
	found := make([]string, len(all))
	start, err := cpuTime()
	if err != nil {
		return g, 0, err
	}
	for i, p := range all {
		found[i] = detectLanguage(p.text)
	}
	end, err := cpuTime()
	if err != nil {
		return g, 0, err
	}
	each := (end - start) / time.Duration(len(all))
	counts, total := map[string]*languageCounts{}, languageCounts{}
	of := func(code string) *languageCounts {
		if counts[code] == nil {
			counts[code] = &languageCounts{}
		}
		return counts[code]
	}
	for i, p := range all {
		of(p.lang).truth++
		total.truth++
		switch found[i] {
		case p.lang:
			of(p.lang).right++
			total.right++
		case "":
			of(p.lang).unknown++
			total.unknown++
		default:
			of(found[i]).wrong++
			total.wrong++
		}
	}
	for code, c := range counts {
		if c.truth > 0 {
			g.Files = append(g.Files, c.row(code))
		}
	}
	slices.SortFunc(g.Files, func(a, b Row) int { return strings.Compare(a.Path, b.Path) })
	g.Total = total.row("all")
	return g, each, nil
}
