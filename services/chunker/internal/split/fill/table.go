package fill

import (
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
)

// addTable adds a table whole where it fits, else row by row; each later part
// starts with the table's head, which is synthetic there.
func (s *Filler) addTable(b assemble.Block) error {
	tokens, bytes := s.measure(b.Lines)
	whole := func() item { return s.item(rows("", b.Lines), 0, nil) }
	if s.fitsWith(tokens, bytes, whole) {
		s.append(whole())
		return s.err
	}
	if s.body || s.tokens > s.room/2 {
		if err := s.flush(); err != nil {
			return err
		}
		if s.fitsWith(tokens, bytes, whole) {
			s.append(whole())
			return s.err
		}
	}
	return s.addRows(b)
}

// measure estimates tokens and bytes of lines under each other, and stops where
// they are over the budget.
func (s *Filler) measure(lines []assemble.Line) (tokens, bytes int) {
	for _, line := range lines {
		text := line.Text()
		tokens += s.estimate(text) + 1
		bytes += len(text) + len(header.RowSeparator)
		if tokens > 2*s.budget {
			break
		}
	}
	return tokens, bytes
}

func (s *Filler) addRows(b assemble.Block) error {
	var (
		part   []assemble.Line
		repeat string // the head, in a later part
		tokens int
		bytes  int
	)
	flush := func() error {
		if len(part) == 0 {
			return nil
		}
		s.append(s.item(rows(repeat, part), 0, nil))
		part = nil
		return s.flush()
	}
	for i, line := range b.Lines {
		t, n := s.measure(b.Lines[i : i+1])
		grown := append(part[:len(part):len(part)], line)
		if s.fitsWith(tokens+t, bytes+n, func() item { return s.item(rows(repeat, grown), 0, nil) }) {
			part, tokens, bytes = grown, tokens+t, bytes+n
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		repeat, tokens, bytes = s.head(b, i)
		tokens, bytes = tokens+t, bytes+n
		alone := []assemble.Line{line}
		if s.fitsWith(tokens, bytes, func() item { return s.item(rows(repeat, alone), 0, nil) }) {
			part = alone
			continue
		}
		if err := s.addRow(repeat, line); err != nil {
			return err
		}
		repeat, tokens, bytes = s.head(b, i+1)
	}
	if len(part) > 0 {
		s.append(s.item(rows(repeat, part), 0, nil))
	}
	return s.err
}

// addRow adds a row that is above the budget: as a chunk of its own, since a row is not
// cut unless it is above what any chunk may hold (contracts#cutting).
func (s *Filler) addRow(repeat string, line assemble.Line) error {
	it := s.item(rows(repeat, []assemble.Line{line}), 0, nil)
	it.whole = true
	context := s.context(s.pathNow(), nil)
	if len(s.o.Header)+s.lineBytes(s.pathNow())+len(context)+len(joint)+it.bytes > model.MaxChunkText {
		if err := s.addLine(s.item(line, 0, nil), false); err != nil {
			return err
		}
		return s.flush()
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.append(it)
	return s.flush()
}

// head returns what is repeated before the i-th line of a table when it opens a
// chunk, with its tokens and bytes: nothing where it would crowd out the rows.
func (s *Filler) head(b assemble.Block, i int) (repeat string, tokens, bytes int) {
	if i >= len(b.Heads) || b.Heads[i] == "" {
		return "", 0, 0
	}
	if tokens = s.count(b.Heads[i]); tokens > s.room/3 {
		return "", 0, 0
	}
	return b.Heads[i], tokens, len(b.Heads[i])
}

// rows writes lines under each other, after the repeated head of their table.
func rows(head string, lines []assemble.Line) assemble.Line {
	var out assemble.Line
	if head != "" {
		out = append(out, assemble.Run{Text: head, Synthetic: model.SyntheticTableHeader})
	}
	for i, line := range lines {
		if i > 0 {
			out = append(out, assemble.Run{Text: header.RowSeparator, Synthetic: model.SyntheticSeparator})
		}
		out = append(out, line...)
	}
	return out
}
