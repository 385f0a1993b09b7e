// Package entityset makes pages of which the entities are known: plans, minutes and reports in four
// languages, drawn as web pages, PDF files and scans. Their labels are what was drawn, as the files
// unseen.txt and lookedat.txt say it; docs/quality.md describes the set.
package entityset

import (
	_ "embed" // the two halves
	"fmt"
	"slices"
	"strings"
)

// The halves of the set.
const (
	HalfLookedAt = "looked-at" // its results may be read page by page
	HalfUnseen   = "unseen"    // written before the rules were read; results are told in sums only
)

//go:embed lookedat.txt
var lookedAt string

//go:embed unseen.txt
var unseen string

// Page is a page of the set.
type Page struct {
	Name     string
	Half     string
	Language string // ISO 639-1
	Form     string // html, pdf or scan
	Blocks   []Block
	Labels   []Label
}

// BlockKind is what a block is drawn as.
type BlockKind string

// The kinds of blocks.
const (
	Heading   BlockKind = "heading"
	Paragraph BlockKind = "paragraph"
	Item      BlockKind = "item"
	Table     BlockKind = "table"
)

// Block is a block of a page as it is drawn, without the marks of its labels.
type Block struct {
	Kind    BlockKind
	Level   int // of a heading
	Text    string
	Caption string     // of a table
	Rows    [][]string // of a table, whose first row is its head
}

// Label is an entity that stands on a page.
type Label struct {
	Type     string
	Optional bool            // finding it is neither right nor wrong
	Values   map[string]Want // by field
	Texts    []string        // of the blocks, or rows, that it stands in
}

// Want is a value of an entity as it must be found.
type Want struct {
	Optional bool     // not finding it is not wrong
	Forms    []string // as the page prints it, or what was said beside it; each is right
}

// Pages returns the pages of a half.
func Pages(half string) ([]Page, error) {
	text := map[string]string{HalfLookedAt: lookedAt, HalfUnseen: unseen}[half]
	pages, err := read(text, half)
	if err != nil {
		return nil, fmt.Errorf("entities of the half %s: %w", half, err)
	}
	return pages, nil
}

// reader reads pages from their lines.
type reader struct {
	pages   []Page
	labels  map[string]int // of the page that is read, by their names
	columns []string       // type and fields of the next table
	caption string
}

// read reads a file of pages: "== NAME LANGUAGE FORM" begins one, "//" a comment, "#" headings, "- " an item,
// "^ " the caption of the table that follows, "@@ type | field | …" what its columns hold and "@@" that the next rows hold none, "|" a row of
// cells; other lines are paragraphs. What stands in braces is a value (see mark).
func read(text, half string) ([]Page, error) {
	var r reader
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if err := r.line(line, half); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return r.pages, nil
}

func (r *reader) line(line, half string) error {
	switch {
	case line == "" || strings.HasPrefix(line, "//"):
		return nil
	case strings.HasPrefix(line, "== "):
		head := strings.Fields(line[3:])
		if len(head) != 3 {
			return fmt.Errorf("%q is not a name, a language and a form", line)
		}
		r.pages = append(r.pages, Page{Name: head[0], Half: half, Language: head[1], Form: head[2]})
		r.labels = make(map[string]int)
		return nil
	case len(r.pages) == 0:
		return fmt.Errorf("%q stands before the first page", line)
	case strings.HasPrefix(line, "^ "):
		r.caption = line[2:]
		return nil
	case line == "@@":
		r.columns = nil
		return nil
	case strings.HasPrefix(line, "@@ "):
		r.columns = cells(line[3:])
		return nil
	case strings.HasPrefix(line, "|"):
		return r.row(cells(line[1:]))
	}
	r.columns, r.caption = nil, ""
	b := Block{Kind: Paragraph}
	switch rest := strings.TrimLeft(line, "#"); {
	case rest != line:
		b.Kind, b.Level, line = Heading, len(line)-len(rest), strings.TrimSpace(rest)
	case strings.HasPrefix(line, "- "):
		b.Kind, line = Item, line[2:]
	}
	var err error
	b.Text, err = r.mark(line)
	if err != nil {
		return err
	}
	p := r.page()
	p.Blocks = append(p.Blocks, b)
	return nil
}

func (r *reader) page() *Page { return &r.pages[len(r.pages)-1] }

func cells(line string) []string {
	out := strings.Split(line, "|")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// row reads a row of a table; the first one is its head. A cell below a field's name is a value of it.
func (r *reader) row(row []string) error {
	p := r.page()
	if n := len(p.Blocks); n == 0 || p.Blocks[n-1].Kind != Table || r.caption != "" {
		p.Blocks = append(p.Blocks, Block{Kind: Table, Caption: r.caption, Rows: [][]string{row}})
		r.caption = ""
		return nil
	}
	b := &p.Blocks[len(p.Blocks)-1]
	if len(row) != len(b.Rows[0]) {
		return fmt.Errorf("%d cells below %d", len(row), len(b.Rows[0]))
	}
	var typ string
	if len(r.columns) > 0 {
		if len(r.columns) != len(row)+1 {
			return fmt.Errorf("%d fields for %d cells", len(r.columns)-1, len(row))
		}
		typ = r.columns[0]
	}
	key := fmt.Sprintf("%s row %d of block %d", typ, len(b.Rows), len(p.Blocks))
	printed := make([]string, len(row))
	for i, cell := range row {
		if typ == "" || r.columns[i+1] == "" || cell == "" || cell == "–" {
			printed[i] = cell
			continue
		}
		text, forms := cell, ""
		if inside, ok := strings.CutPrefix(cell, "{"); ok {
			text, forms, _ = strings.Cut(strings.TrimSuffix(inside, "}"), "=")
		}
		printed[i] = text
		field, optional := strings.CutPrefix(r.columns[i+1], "?")
		who := typ
		if optional {
			who = "?" + typ
		}
		r.add(who, key, field, text, forms)
	}
	b.Rows = append(b.Rows, printed)
	if at, ok := r.labels[key]; ok {
		p.Labels[at].Texts = append(p.Labels[at].Texts, strings.Join(printed, " "))
	}
	return nil
}

// mark takes the marks of values out of a text. {type.field:printed} is a value that is printed so,
// {type.field:printed=form~form} one that is found in another form, {type.field:=form} one that nothing is
// printed for. A digit behind the type tells several entities of one block apart, a capital letter
// joins those of several blocks; "?" before it says that the value need not be found, "??" that the entity need not.
func (r *reader) mark(text string) (string, error) {
	var out strings.Builder
	touched := make(map[string]bool)
	block := len(r.page().Blocks)
	for {
		before, rest, ok := strings.Cut(text, "{")
		out.WriteString(before)
		if !ok {
			break
		}
		mark, after, ok := strings.Cut(rest, "}")
		name, value, hasValue := strings.Cut(mark, ":")
		who, field, hasField := strings.Cut(name, ".")
		if !ok || !hasValue || !hasField {
			return "", fmt.Errorf("the mark %q", rest)
		}
		printed, forms, _ := strings.Cut(value, "=")
		key := who
		if last := who[len(who)-1]; last < 'A' || last > 'Z' {
			key = fmt.Sprintf("%s of block %d", strings.TrimLeft(who, "?"), block)
		}
		key = strings.TrimLeft(key, "?")
		r.add(who, key, field, printed, forms)
		touched[key] = true
		out.WriteString(printed)
		text = after
	}
	for key := range touched {
		l := &r.page().Labels[r.labels[key]]
		l.Texts = append(l.Texts, out.String())
	}
	return out.String(), nil
}

// add gives an entity of the page a value.
func (r *reader) add(who, key, field, printed, forms string) {
	p := r.page()
	at, ok := r.labels[key]
	if !ok {
		at = len(p.Labels)
		r.labels[key] = at
		p.Labels = append(p.Labels, Label{Type: typeName(who), Values: make(map[string]Want)})
	}
	w := Want{Optional: strings.HasPrefix(who, "?")}
	p.Labels[at].Optional = p.Labels[at].Optional || strings.HasPrefix(who, "??")
	if forms != "" {
		w.Forms = strings.Split(forms, "~")
	}
	if printed != "" && !slices.Contains(w.Forms, printed) {
		w.Forms = append(w.Forms, printed)
	}
	p.Labels[at].Values[field] = w
}

// typeName returns the type in the name of an entity: goal of ?goal2 and goalA.
func typeName(who string) string {
	who = strings.TrimLeft(who, "?")
	return strings.TrimRight(who, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
