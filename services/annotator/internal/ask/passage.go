package ask

import (
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/value"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/statement"
)

// passage is what a chunk says, read.
type passage struct {
	model.AskPassage
	parts  []part
	header []token // of the chunk: its date and its source, of which all parts are
}

// part is a sentence, an item of a list or a row of a table, with the headings that it stands under.
type part struct {
	text    string
	tokens  []token
	above   []token // of the headings
	limits  []string
	row     bool // cells in any order
	saidAs  model.ChunkType
	status  model.ChunkStatus
	unasked bool // it is no question
}

// mostHeading is how many bytes a heading has at most.
const mostHeading = 160

// readPassage divides a chunk's text into parts.
func readPassage(p model.AskPassage) *passage {
	out := &passage{AskPassage: p}
	out.header, _ = read(p.Source, p.Language)
	if value.CheckDate(p.InfoDate) {
		out.header = append(out.header, token{kind: ofDate, date: p.InfoDate, raw: p.InfoDate})
	}
	var above string // the headings directly above
	fresh := false   // whether the last paragraph was a heading
	paragraphs := strings.Split(p.Text, "\n\n")
	for i, text := range paragraphs {
		text = strings.TrimSpace(text)
		switch {
		case text == "":
		case isHeading(text) && i+1 < len(paragraphs):
			if !fresh {
				above = ""
			}
			above, fresh = strings.TrimSpace(above+"\n"+text), true
			out.add(text, "", false)
		case isTable(text):
			out.addTable(text, above)
			fresh = false
		default:
			for _, s := range guard.Sentences(text) {
				out.add(text[s.Start:s.End], above, false)
			}
			fresh = false
		}
	}
	return out
}

// isHeading reports whether a paragraph is a short line that ends as no sentence does.
func isHeading(text string) bool {
	return len(text) <= mostHeading && !strings.ContainsAny(text, "\n|") && !strings.ContainsAny(text[len(text)-1:], ".!?:;,")
}

func isTable(text string) bool {
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "|") {
			return false
		}
	}
	return true
}

func (p *passage) add(text, above string, row bool) {
	one := part{text: text, row: row}
	one.tokens, one.limits = read(text, p.Language)
	var limits []string
	one.above, limits = read(above, p.Language)
	one.limits = append(one.limits, limits...)
	one.unasked = !strings.HasSuffix(strings.TrimRight(text, ` "'»”)`), "?")
	one.saidAs, one.status = told(p.AskPassage, text)
	p.parts = append(p.parts, one)
}

// addTable adds the rows of a table, each cell with the head of its column.
func (p *passage) addTable(text, above string) {
	lines := strings.Split(text, "\n")
	head := cells(lines[0])
	if len(lines) == 1 {
		p.add(lines[0], above, true)
		return
	}
	for _, line := range lines[1:] {
		row := cells(line)
		said := make([]string, len(row))
		for i, cell := range row {
			said[i] = cell
			if i < len(head) && head[i] != "" {
				said[i] = head[i] + " " + cell
			}
		}
		p.add(line, above, true)
		one := &p.parts[len(p.parts)-1]
		one.tokens, one.limits = read(strings.Join(said, " | "), p.Language)
		p.unitsOfHeads(one, head, said)
	}
}

// unitsOfHeads gives the numbers of a row the unit or currency that the head of their column says.
func (p *passage) unitsOfHeads(row *part, head, said []string) {
	start := 0
	for i, cell := range said {
		end := start + len(cell)
		for j := range row.tokens {
			t := &row.tokens[j]
			if t.kind != ofNumber || t.at.Start < start || t.at.Start >= end || i >= len(head) || t.number.Unit.Canonical != "" || t.number.Currency != "" {
				continue
			}
			if t.at.Start < start+len(head[i]) {
				continue // it is one of the head's own
			}
			t.number.Unit.Canonical, t.number.Currency = value.UnitIn(head[i], p.Language), value.CurrencyIn(head[i], p.Language)
			if value.ScaleIn(head[i], p.Language) != 1 {
				t.number.Readings = nil // thousands of it: only what is printed is the same
			}
		}
		start = end + len(" | ")
	}
}

func cells(line string) []string {
	parts := strings.Split(line, "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// told says as what a part of a chunk is said: as its chunk is, or weaker, where it is an allegation or an
// opinion by its own words.
func told(p model.AskPassage, text string) (model.ChunkType, model.ChunkStatus) {
	typ, status := statement.Sentence(p.Language, text)
	if p.Type == model.ChunkFact && typ != model.ChunkFact && typ != "" {
		if status == "" {
			status = model.StatusUnderReview
		}
		return typ, status
	}
	return p.Type, p.Status
}

// has reports whether a passage has a token anywhere.
func (p *passage) has(t token) bool {
	is := func(there token) bool { return same(t, there) }
	return slices.ContainsFunc(p.header, is) || slices.ContainsFunc(p.parts, func(one part) bool { return slices.ContainsFunc(one.tokens, is) })
}

// stands reports where a statement stands in the passage: all of its tokens in one part, in their order,
// beside the words that turn or limit it. limited says that a part has all of it but such words.
func (p *passage) stands(said []token, limits []string) (found *part, limited bool) {
	for i := range p.parts {
		one := &p.parts[i]
		if !one.unasked || !one.holds(said, p.header) {
			continue
		}
		if missing(one.limits, limits) {
			limited = true
			continue
		}
		return one, false
	}
	return nil, limited
}

// missing reports whether one list has a word that the other has not.
func missing(of, in []string) bool {
	return slices.ContainsFunc(of, func(w string) bool { return !slices.Contains(in, w) })
}

// holds reports whether a part says all tokens of a statement, of the same things.
func (o *part) holds(said, header []token) bool {
	next := 0
	own := false
	for _, t := range said {
		is := func(there token) bool { return same(t, there) }
		from := next
		if o.row {
			from = 0
		}
		if i := slices.IndexFunc(o.tokens[from:], is); i >= 0 {
			next, own = from+i+1, true
			continue
		}
		if !slices.ContainsFunc(o.above, is) && !slices.ContainsFunc(header, is) {
			return false
		}
	}
	return own && o.pairs(said) && o.namesWhole(said)
}

// pairs reports whether what is said of each number is said of it here, and not of another one beside it.
func (o *part) pairs(said []token) bool {
	numbered := o.numbered()
	for _, n := range said {
		if n.kind != ofNumber {
			continue
		}
		ok := slices.ContainsFunc(o.tokens, func(there token) bool { return same(n, there) && o.agrees(said, n, there, numbered) })
		if !ok && slices.ContainsFunc(o.tokens, func(there token) bool { return same(n, there) }) {
			return false
		}
	}
	return true
}

// numbered returns the shares of the part that have a number.
func (o *part) numbered() map[int]bool {
	out := make(map[int]bool)
	for _, t := range o.tokens {
		if t.kind == ofNumber {
			out[t.share] = true
		}
	}
	return out
}

// agrees reports whether all that stands beside a number of a statement stands beside the number of the
// part, or beside none. What the statement says apart from all of its numbers counts with each.
func (o *part) agrees(said []token, n, there token, numbered map[int]bool) bool {
	ofOthers := make(map[int]bool) // shares of the statement's other numbers
	for _, t := range said {
		if t.kind == ofNumber && t.share != n.share {
			ofOthers[t.share] = true
		}
	}
	for _, t := range said {
		if t.kind == ofNumber || ofOthers[t.share] {
			continue
		}
		apart, beside := false, false
		for _, other := range o.tokens {
			if same(t, other) {
				apart = true
				beside = beside || other.share == there.share || !numbered[other.share]
			}
		}
		if apart && !beside && (len(ofOthers) == 0 || t.share == n.share) {
			return false
		}
	}
	return true
}

// namesWhole reports whether names of several words stand here, or above, as they are said.
func (o *part) namesWhole(said []token) bool {
	for i := 0; i < len(said); i++ {
		if !said[i].joined || i == 0 {
			continue
		}
		before := said[i-1]
		if before.kind != ofName && before.kind != ofWord {
			continue
		}
		follows := func(tokens []token) bool {
			for j := 1; j < len(tokens); j++ {
				if same(said[i], tokens[j]) && same(before, tokens[j-1]) {
					return true
				}
			}
			return false
		}
		here := func(tokens []token) bool {
			return slices.ContainsFunc(tokens, func(t token) bool { return same(said[i], t) }) && slices.ContainsFunc(tokens, func(t token) bool { return same(before, t) })
		}
		if here(o.tokens) && !follows(o.tokens) && !follows(o.above) {
			return false
		}
	}
	return true
}
