package statement

import (
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/colophon-dev/colophon/pkg/model"
)

//go:embed data/*.tsv
var data embed.FS

// Languages are those that there are rules for (ISO 639-1).
func Languages() []string { return []string{"en", "fr", "it", "pt"} }

// The tables that a language's file may have.
const (
	tableSet    = "set"    // words that patterns name together
	tableSays   = "says"   // what a sentence is
	tableDate   = "date"   // words before a date that say what it is the date of
	tableTopic  = "topic"  // words by which a topic is known
	tableKind   = "kind"   // words of a title or heading that say what sort of text it is
	tableLegal  = "legal"  // words that show a legal effect
	tableActor  = "actor"  // words that a name follows, or that name a body by themselves
	tableSource = "source" // what a text is by the type of its source; in sources.tsv
)

// columns are those of each file: table, what the row gives, its patterns, patterns beside
// which it does not count, examples. Several patterns or examples are parted by " / ", the members
// of a set by " | ", and "-" is none.
const columns = 5

// Row is one line of a table.
type Row struct {
	Table    string
	Gives    string
	Words    []string // patterns
	Unless   []string // patterns
	Examples []string // texts that the patterns match, each at least one
	Line     int      // in its file, from 1
}

// row is a pattern of a line, ready to be looked for.
type row struct {
	table   string
	gives   string
	pattern string
	is      pattern
	unless  []pattern
}

// table are the rows of a language by the words that they begin with.
type table struct {
	words map[string][]*row
	stems map[string][]*row // by the first leastStem letters
}

type all struct {
	languages map[string]*table
	sources   []row
}

func (a all) of(language string) *table { return a.languages[language] }

// tables are read once: they are part of the build, and the package's test reads them first.
var tables = sync.OnceValue(func() all {
	out := all{languages: make(map[string]*table)}
	for _, language := range Languages() {
		rows, err := Rows(language)
		if err == nil {
			out.languages[language], err = newTable(rows)
		}
		if err != nil {
			panic(language + ": " + err.Error())
		}
	}
	rows, err := Rows("sources")
	if err != nil {
		panic(err)
	}
	for _, r := range rows {
		out.sources = append(out.sources, row{table: r.Table, gives: r.Gives, pattern: r.Words[0]})
	}
	return out
})

// Rows returns the lines of a language's file, or of that of the types of sources ("sources"). An
// error names file and line.
func Rows(name string) ([]Row, error) {
	file := "data/" + name + ".tsv"
	raw, err := fs.ReadFile(data, file)
	if err != nil {
		return nil, err
	}
	return parseRows(file, string(raw))
}

func parseRows(file, text string) (rows []Row, err error) {
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != columns {
			return nil, fmt.Errorf("%s:%d: %d columns, want %d", file, i+1, len(cells), columns)
		}
		r := Row{Table: cells[0], Gives: cells[1], Words: listOf(cells[2]), Unless: listOf(cells[3]), Examples: listOf(cells[4]), Line: i + 1}
		if r.Table == tableSet {
			r.Words = strings.Split(cells[2], " | ")
		}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func listOf(cell string) []string {
	if cell == "-" {
		return nil
	}
	return strings.Split(cell, " / ")
}

func (r Row) check() error {
	known := []string{tableSet, tableSays, tableDate, tableTopic, tableKind, tableLegal, tableActor, tableSource}
	switch {
	case !slices.Contains(known, r.Table):
		return fmt.Errorf("there is no table %q", r.Table)
	case len(r.Words) == 0 || r.Gives == "":
		return fmt.Errorf("a row of %s without words, or without what it gives", r.Table)
	case r.Table == tableSays && strength(r.Gives) < 0:
		return fmt.Errorf("%q is nothing that a sentence can be", r.Gives)
	case r.Table == tableActor && r.Gives != actorPerson && r.Gives != actorBody:
		return fmt.Errorf("%q is no actor", r.Gives)
	case r.Table == tableDate && dateRank(r.Gives) < 0:
		return fmt.Errorf("%q is no sort of date", r.Gives)
	case r.Table == tableSource && !slices.Contains(model.SourceTypes(), r.Words[0]):
		return fmt.Errorf("%q is no type of a source", r.Words[0])
	}
	return nil
}

func newTable(rows []Row) (*table, error) {
	sets := make(map[string][]string)
	for _, r := range rows {
		if r.Table == tableSet {
			sets[r.Gives] = append(sets[r.Gives], r.Words...)
		}
	}
	t := &table{words: make(map[string][]*row), stems: make(map[string][]*row)}
	for _, r := range rows {
		if r.Table == tableSet {
			continue
		}
		var unless []pattern
		for _, s := range r.Unless {
			p, err := parsePattern(s, sets)
			if err != nil {
				return nil, fmt.Errorf("line %d: %q: %w", r.Line, s, err)
			}
			unless = append(unless, p)
		}
		for _, s := range r.Words {
			p, err := parsePattern(s, sets)
			if err != nil {
				return nil, fmt.Errorf("line %d: %q: %w", r.Line, s, err)
			}
			t.add(&row{table: r.Table, gives: r.Gives, pattern: s, is: p, unless: unless})
		}
	}
	return t, nil
}

func (t *table) add(r *row) {
	for _, f := range r.is.first() {
		in, key := t.words, f.text
		if f.prefix {
			in, key = t.stems, stemOf(key)
		}
		if !slices.Contains(in[key], r) {
			in[key] = append(in[key], r)
		}
	}
}

// stemOf returns the first leastStem letters of a word, all of a shorter one.
func stemOf(w string) string {
	n := 0
	for i := range w {
		if n == leastStem {
			return w[:i]
		}
		n++
	}
	return w
}

// hit is a row that was found in a text: words[from:to].
type hit struct {
	row      *row
	from, to int
}

// find yields the rows of a table that words have, by their places. A row counts once for
// each place.
func (t *table) find(words []word, name string) iter.Seq[hit] {
	return func(yield func(hit) bool) {
		for at := range words {
			for _, rows := range [][]*row{t.words[words[at].text], t.stems[stemOf(words[at].text)]} {
				for _, r := range rows {
					if r.table != name {
						continue
					}
					end, ok := r.is.match(words, at)
					if ok && !anyMatch(r.unless, words) && !yield(hit{r, at, end}) {
						return
					}
				}
			}
		}
	}
}

func anyMatch(patterns []pattern, words []word) bool {
	for i := range patterns {
		for at := range words {
			if _, ok := patterns[i].match(words, at); ok {
				return true
			}
		}
	}
	return false
}
