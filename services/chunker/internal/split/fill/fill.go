// Package fill fills chunks with blocks to a budget of tokens (contracts#cutting): what
// all chunkers have in common. A chunker says where a part of its document begins; a
// part that is above the budget is cut between its blocks, a block between its
// sentences, a table between its rows. It is pure: equal calls give equal chunks.
package fill

import (
	"fmt"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/marks"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
)

// minContent is how many tokens a header leaves for content whatever the
// budget: a source with a name as long as a page still gets its chunks.
const minContent = 64

// joint stands between the units of a chunk.
const joint = "\n\n"

// anchored is an anchor with the level of the heading that it stands in.
type anchored struct {
	model.Anchor
	level int
}

type section struct {
	id    int
	level int
	entry string
}

type item struct {
	line    assemble.Line
	tokens  int // with the joint after it
	bytes   int
	section int // id, of a heading
	anchors []model.Anchor
	whole   bool // it is not cut, whatever the budget
}

// Filler takes a document's blocks in order and hands on its chunks.
type Filler struct {
	o      split.Options
	out    func(split.Draft) error
	budget int // tokens of Text
	room   int // tokens of what follows the header

	stack  []section
	lastID int

	items  []item
	path   []section // of the current chunk, fixed by its first unit that is no heading
	body   bool      // the current chunk holds anything but headings
	tokens int       // of the items, by estimate
	bytes  int

	open      *anchored // the last anchor: later chunks of its text carry it too
	inherited *anchored // that of the current chunk

	line          string // the context line of the path that was asked for last
	lineTokens    int    // with the joint after it
	linePath      []section
	counted       string // the context whose tokens were counted last
	countedTokens int
	err           error // of counting
}

// New returns a filler that hands each chunk to out, in order.
func New(o split.Options, out func(split.Draft) error) (*Filler, error) {
	if o.Budget <= 0 {
		o.Budget = split.DefaultBudget
	}
	head, err := o.Count(o.Header)
	if err != nil {
		return nil, fmt.Errorf("counting tokens: %w", err)
	}
	s := &Filler{o: o, out: out}
	s.budget = max(o.Budget, head+s.lineCost(nil)+minContent)
	s.room = s.budget - head
	return s, s.err
}

// Whole returns options under which no part is cut that has at most model.MaxChunkText
// bytes, however many tokens that are.
func Whole(o split.Options) split.Options {
	o.Budget = model.MaxChunkText // a token has a byte at least
	return o
}

// Add takes the next block as the general chunker does: a heading opens a new chunk
// unless the one that is open holds headings only.
func (s *Filler) Add(b assemble.Block) error {
	if len(b.Lines) == 0 {
		return nil
	}
	if b.Type == model.UnitHeading {
		return s.AddHeading(b, b.Level)
	}
	return s.AddText(b)
}

// Part ends the chunk that is open: the next block begins a part. What the last part
// was called is not carried on.
func (s *Filler) Part() error {
	err := s.flush()
	s.open = nil
	return err
}

// Next is Part unless nothing but headings is open: these belong to what comes next.
func (s *Filler) Next() error {
	if !s.body {
		s.open = nil
		return nil
	}
	return s.Part()
}

// Body reports whether the open chunk holds anything but headings.
func (s *Filler) Body() bool { return s.body }

// Items returns how many blocks, or pieces of such, the open chunk holds.
func (s *Filler) Items() int { return len(s.items) }

// Close hands on the last chunk.
func (s *Filler) Close() error { return s.flush() }

// AddHeading takes a block as a heading of a level, 1 for the outermost: it opens a new
// chunk unless the one that is open holds headings only, and is the context of what
// follows in its section.
func (s *Filler) AddHeading(b assemble.Block, level int) error {
	if len(b.Lines) == 0 {
		return nil
	}
	if s.body {
		if err := s.flush(); err != nil {
			return err
		}
	}
	return s.AddInner(b, level)
}

// AddInner is AddHeading for a heading that ends no chunk.
func (s *Filler) AddInner(b assemble.Block, level int) error {
	if len(b.Lines) == 0 {
		return nil
	}
	anchors := anchorsOf(b, true, s.o.Language)
	level = max(level, 1)
	if s.open != nil && len(anchors) == 0 && level <= s.open.level {
		s.open = nil
	}
	for len(s.stack) > 0 && s.stack[len(s.stack)-1].level >= level {
		s.stack = s.stack[:len(s.stack)-1]
	}
	s.lastID++
	if len(s.stack) < header.MaxLevels {
		s.stack = append(s.stack, section{id: s.lastID, level: level, entry: header.Entry(b.Lines[0].Text())})
	}
	return s.addLine(s.item(b.Lines[0], s.lastID, anchors), false)
}

// AddTogether takes blocks that are no headings and that one chunk should hold: it opens
// a new one where they do not fit into the open one and fit into one of their own.
func (s *Filler) AddTogether(blocks []assemble.Block) error {
	tokens := 0
	for _, b := range blocks {
		n, _ := s.measure(b.Lines)
		tokens += n
	}
	if s.body && s.tokens+tokens > s.room && tokens <= s.room {
		if err := s.flush(); err != nil {
			return err
		}
	}
	for _, b := range blocks {
		if err := s.AddText(b); err != nil {
			return err
		}
	}
	return nil
}

// AddText takes a block that is no heading, a table by its rows.
func (s *Filler) AddText(b assemble.Block) error {
	switch len(b.Lines) {
	case 0:
		return nil
	case 1:
		return s.addBlock(b, anchorsOf(b, false, s.o.Language))
	default:
		return s.addTable(b)
	}
}

// AddPlain is AddText for a block that opens no part, whatever its first words are.
func (s *Filler) AddPlain(b assemble.Block) error {
	if len(b.Lines) != 1 {
		return s.AddText(b)
	}
	return s.addBlock(b, nil)
}

func (s *Filler) addBlock(b assemble.Block, anchors []model.Anchor) error {
	return s.addLine(s.item(b.Lines[0], 0, anchors), b.Type == model.UnitCode)
}

// anchorsOf returns how the block names itself, or none: one that only speaks of a part
// names another.
func anchorsOf(b assemble.Block, heading bool, language string) []model.Anchor {
	if m, ok := marks.Of(b.Lines[0].Text()); ok && b.Type != model.UnitTable && (heading || m.Opens()) {
		return m.Anchor(b.Page, heading, language)
	}
	return nil
}

// addLine adds a unit, cut into as many chunks as it needs.
func (s *Filler) addLine(it item, code bool) error {
	if s.fits(it) {
		s.append(it)
		return s.err
	}
	if s.body || s.tokens > s.room/2 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	for !s.fits(it) {
		head, tail := s.cut(it.line, code)
		if head == nil && len(s.items) == 0 {
			return fmt.Errorf("a unit of page %d cannot be cut to %d tokens", it.line[0].Page, s.budget)
		}
		if head != nil {
			s.append(s.item(head, it.section, it.anchors))
			it = s.item(tail, it.section, nil)
		}
		if err := s.flush(); err != nil || len(tail) == 0 {
			return err
		}
	}
	s.append(it)
	return s.err
}

func (s *Filler) item(line assemble.Line, sectionID int, anchors []model.Anchor) item {
	it := item{line: line, section: sectionID, anchors: anchors}
	if len(line) > 0 {
		text := line.Text()
		it.bytes = len(text) + len(joint)
		it.tokens = s.estimate(text) + jointCost(text)
	}
	return it
}

// estimate counts the tokens of text, and stops counting where it is over any
// budget: no token of o200k_base is longer than 128 bytes.
func (s *Filler) estimate(text string) int {
	const longestToken = 128
	if len(text) > s.budget*longestToken {
		return s.budget + 1
	}
	return s.count(text)
}

func (s *Filler) count(text string) int {
	n, err := s.o.Count(text)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("counting tokens: %w", err)
	}
	return n
}

func (s *Filler) append(it item) {
	if strings.TrimSpace(it.line.Text()) == "" {
		return
	}
	if len(s.items) == 0 {
		s.inherited = nil
		if len(it.anchors) == 0 {
			s.inherited = s.open
		}
	}
	if n := len(it.anchors); n > 0 {
		s.open = &anchored{Anchor: it.anchors[n-1], level: s.levelOf(it)}
	}
	if !s.body {
		s.path = slices.Clone(s.stack)
	}
	s.items = append(s.items, it)
	s.tokens += it.tokens
	s.bytes += it.bytes
	s.body = s.body || it.section == 0
}

// levelOf returns the level of the heading that an anchor stands in; an anchor
// in a paragraph ends at any heading.
func (s *Filler) levelOf(it item) int {
	for _, e := range s.stack {
		if e.id == it.section {
			return e.level
		}
	}
	return 7
}

// fits reports whether the current chunk is within the budget with it.
func (s *Filler) fits(it item) bool {
	return s.fitsWith(it.tokens, it.bytes, func() item { return it })
}

// fitsWith is fits for an item that is only made when the estimate is too close
// to the budget to decide.
func (s *Filler) fitsWith(tokens, bytes int, build func() item) bool {
	path := s.path
	if !s.body {
		path = s.stack
	}
	context := s.context(path, s.items)
	about := s.tokens + tokens
	about += s.contextCost(context) + s.lineCost(path)
	switch size := len(s.o.Header) + s.lineBytes(path) + len(context) + len(joint) + s.bytes + bytes; {
	case size > model.MaxChunkText:
		return false
	case about <= s.room:
		return true
	case about > s.room+s.room/8+8:
		return false
	}
	text, _ := s.render(path, context, append(slices.Clone(s.items), build()))
	return s.count(text) <= s.budget
}

// context returns the headings above the items that are not among them. It may
// take half of the room; beyond that the outermost go.
func (s *Filler) context(path []section, items []item) string {
	var entries []string
	for _, e := range path {
		if e.entry != "" && !slices.ContainsFunc(items, func(it item) bool { return it.section == e.id }) {
			entries = append(entries, e.entry)
		}
	}
	for len(entries) > 0 {
		context := header.Context(entries)
		if s.contextCost(context) <= s.room/2 {
			return context
		}
		entries = entries[1:]
	}
	return ""
}

// contextCost returns the tokens of a context with its joint. Units of one
// section ask for the same one again and again.
func (s *Filler) contextCost(context string) int {
	if context == "" {
		return 0
	}
	if context != s.counted {
		s.counted, s.countedTokens = context, s.count(context)+1
	}
	return s.countedTokens
}

// flush hands on the current chunk. Should it be over the budget after all (the
// tokens of a whole are not always the sum of its parts'), what is too much
// opens the next one.
func (s *Filler) flush() error {
	for len(s.items) > 0 {
		items := s.items
		d, context := s.draft(items)
		for d.Tokens > s.budget && len(items) > 1 {
			items = items[:len(items)-1]
			d, context = s.draft(items)
		}
		rest := s.items[len(items):]
		if d.Tokens > s.budget && !items[0].whole {
			head, tail := s.cutExact(s.path, items[0].line, context)
			rest = append([]item{s.item(tail, items[0].section, nil)}, rest...)
			d, _ = s.draft([]item{s.item(head, items[0].section, items[0].anchors)})
		}
		if s.err != nil {
			return s.err
		}
		if d.PageHint > 0 { // else only what is repeated was cut off
			if err := s.out(d); err != nil {
				return err
			}
		}
		s.items, s.tokens, s.bytes, s.body, s.inherited = nil, 0, 0, false, nil
		for _, it := range rest {
			s.append(it)
		}
	}
	return s.err
}

func (s *Filler) draft(items []item) (split.Draft, string) {
	context := s.context(s.path, items)
	text, segments := s.render(s.path, context, items)
	d := split.Draft{
		Text: text, Content: text[len(s.o.Header)+s.lineBytes(s.path):], Tokens: s.count(text), Segments: segments,
		SectionPath: make([]string, 0, len(s.path)), Anchors: []model.Anchor{},
	}
	for _, e := range s.path {
		d.SectionPath = append(d.SectionPath, e.entry)
	}
	if s.inherited != nil {
		d.Anchors = append(d.Anchors, s.inherited.Anchor)
	}
	for _, it := range items {
		d.Anchors = append(d.Anchors, it.anchors...)
	}
	// The first anchor is the one that people cite: an article before the
	// chapter that it opens.
	slices.SortStableFunc(d.Anchors, func(a, b model.Anchor) int { return marks.Rank(a) - marks.Rank(b) })
	for _, seg := range segments {
		if seg.Synthetic == "" {
			d.PageHint = seg.Page
			break
		}
	}
	return d, context
}

// render writes the text of a chunk that stands in path, with the provenance of every byte.
func (s *Filler) render(path []section, context string, items []item) (string, []model.Segment) {
	var w writer
	w.synthetic(s.o.Header, model.SyntheticHeader)
	if line := s.lineOf(path); line != "" {
		w.synthetic(line, model.SyntheticContext)
		w.synthetic(joint, model.SyntheticSeparator)
	}
	if context != "" {
		w.synthetic(context, model.SyntheticHeadingContext)
		w.synthetic(joint, model.SyntheticSeparator)
	}
	for i, it := range items {
		if i > 0 {
			w.synthetic(joint, model.SyntheticSeparator)
		}
		for _, run := range it.line {
			w.run(run)
		}
	}
	return w.text.String(), w.segments
}

type writer struct {
	text     strings.Builder
	segments []model.Segment
}

func (w *writer) synthetic(text, rule string) {
	w.run(assemble.Run{Text: text, Synthetic: rule})
}

func (w *writer) run(r assemble.Run) {
	if r.Text == "" {
		return
	}
	start := w.text.Len()
	w.text.WriteString(r.Text)
	seg := model.Segment{Start: start, End: start + len(r.Text), Synthetic: r.Synthetic}
	if r.Synthetic == "" {
		seg.IRID, seg.Page, seg.From, seg.To = r.IRID, r.Page, r.From, r.From+len(r.Text)
	}
	w.segments = append(w.segments, seg)
}
