package quote

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// maxSpan is how many chunks on each side of one are read at most: a quotation of
// MaxQuote characters fills no more.
const maxSpan = 64

// besideEnds is how many letters beside a place are looked at, to know that it cuts no word
// and no number: as many as a fraction or a word before an apostrophe has.
const besideEnds = 8

// contextBytes is how much text is shown before and behind a quotation.
const contextBytes = 160

// stream is the text of neighbouring chunks of a version as it stands in their document:
// without what rules have written into each chunk.
type stream struct {
	chunks []catalog.ChunkWithState
	text   string
	parts  []part
}

// part is bytes of a chunk's text in a stream.
type part struct {
	start int // in the stream
	chunk int // of chunks
	from  int // in the chunk's text
	n     int
	seg   model.Segment
}

// streamOf joins chunks of one version that follow each other.
func streamOf(chunks []catalog.ChunkWithState) stream {
	s := stream{chunks: chunks}
	var b strings.Builder
	var last model.Segment // of the chunk before, that is of a unit
	for i, c := range chunks {
		first := true
		for _, seg := range c.Chunk.Provenance.Segments {
			switch seg.Synthetic {
			case model.SyntheticHeader, model.SyntheticContext, model.SyntheticHeadingContext, model.SyntheticTableHeader:
				continue
			case "":
				if first && b.Len() > 0 {
					b.WriteString(joint(last, seg))
				}
				first, last = false, seg
			default:
				if first { // between what rules have written
					continue
				}
			}
			s.parts = append(s.parts, part{start: b.Len(), chunk: i, from: seg.Start, n: seg.End - seg.Start, seg: seg})
			b.WriteString(c.Chunk.Text[seg.Start:seg.End])
		}
	}
	s.text = b.String()
	return s
}

// joint returns what stands between the last bytes of a chunk and the first of the next:
// nothing where a unit was cut within a word.
func joint(last, next model.Segment) string {
	switch {
	case last.IRID != next.IRID:
		return "\n\n"
	case last.To == next.From:
		return ""
	default:
		return " "
	}
}

// located is a place in a version.
type located struct {
	set       model.ChunkSet
	chunk, at int // chunk_index and byte of its text that it begins at
	endChunk  int
	endAt     int
	place     Place
	of        catalog.ChunkWithState   // that it begins in
	chunks    []catalog.ChunkWithState // that it stands in
	current   bool
	retrieved model.Time
}

// before orders places of one version.
func (l located) before(o located) bool {
	return cmp.Or(cmp.Compare(l.endChunk, o.chunk), cmp.Compare(l.endAt, o.at)) <= 0
}

// reader reads what stands around candidates.
type reader struct {
	catalog Catalog
	quote   folded
	part    int // its number in the quotation, from 1
}

// around returns where the quotation stands in the version of a candidate, in the chunk or
// over its neighbours. done is false when it was given up.
func (r reader) around(ctx context.Context, c catalog.QuoteCandidate) (found []located, done bool, err error) {
	for before, behind := 0, 0; ; {
		chunks, err := r.catalog.ChunkSpan(ctx, c.Set, max(0, c.Index-before), c.Index+behind)
		if err != nil {
			return nil, false, err
		}
		s := streamOf(chunks)
		text := fold(s.text)
		matches, all := find(text, r.quote)
		if len(chunks) == 0 {
			return nil, all, nil
		}
		first, last := chunks[0].Chunk.ChunkIndex, chunks[len(chunks)-1].Chunk.ChunkIndex
		hasBefore, hasBehind := first > 0 && first == max(0, c.Index-before), last == c.Index+behind
		matches = s.touching(text, matches, c.Index)
		own, around := s.lettersOf(text, c.Index), r.quote.Len()
		if len(matches) > 0 { // what stands beside them decides whether their ends are whole
			own, around = besides(text, matches), besideEnds
		}
		moreBefore := own.before < around && hasBefore
		moreBehind := own.behind < around && hasBehind
		tooFar := moreBefore && before >= maxSpan || moreBehind && behind >= maxSpan
		if tooFar {
			return nil, false, nil
		}
		if !moreBefore && !moreBehind {
			for _, m := range matches {
				found = append(found, s.locate(text, m, r.part))
			}
			return found, all, nil
		}
		if moreBefore {
			before = min(maxSpan, 4*before+1)
		}
		if moreBehind {
			behind = min(maxSpan, 4*behind+1)
		}
	}
}

type sides struct{ before, behind int }

// besides counts the letters of a text before the first match and behind the last.
func besides(text folded, matches []match) sides {
	return sides{before: matches[0].from, behind: text.Len() - matches[len(matches)-1].to}
}

// bytesOf returns the bytes of a stream that are of the chunk of an index.
func (s stream) bytesOf(index int) (from, to int) {
	from = len(s.text)
	for _, p := range s.parts {
		if s.chunks[p.chunk].Chunk.ChunkIndex == index {
			from, to = min(from, p.start), max(to, p.start+p.n)
		}
	}
	return from, to
}

// touching returns the matches that stand in the chunk of an index, if only in part. Others
// are found around their own chunks.
func (s stream) touching(text folded, matches []match, index int) []match {
	from, to := s.bytesOf(index)
	return slices.DeleteFunc(matches, func(m match) bool {
		return text.symbols[m.from].start >= to || text.symbols[m.to-1].end <= from
	})
}

// lettersOf counts the letters of a stream before and behind the chunk of an index.
func (s stream) lettersOf(text folded, index int) (n sides) {
	from, to := s.bytesOf(index)
	for _, symbol := range text.symbols {
		switch {
		case symbol.end <= from:
			n.before++
		case symbol.start >= to:
			n.behind++
		}
	}
	return n
}

// locate says in which chunks and units a match stands.
func (s stream) locate(text folded, m match, number int) located {
	start, end := text.symbols[m.from].start, text.symbols[m.to-1].end
	l := located{chunk: -1}
	for _, p := range s.parts {
		from, to := max(start, p.start), min(end, p.start+p.n)
		if from >= to {
			continue
		}
		chunk := s.chunks[p.chunk]
		at, until := p.from+from-p.start, p.from+to-p.start
		if l.chunk < 0 {
			l.chunk, l.at, l.of = chunk.Chunk.ChunkIndex, at, chunk
		}
		l.endChunk, l.endAt = chunk.Chunk.ChunkIndex, until
		ranges := &l.place.Ranges
		if n := len(*ranges); n == 0 || (*ranges)[n-1].ChunkRef != chunk.Chunk.ChunkRef {
			*ranges = append(*ranges, Range{ChunkRef: chunk.Chunk.ChunkRef, Start: at, Units: []Unit{}, Proof: "/v1/chunks/" + chunk.Chunk.ChunkRef + "/proof"})
			l.chunks = append(l.chunks, chunk)
		}
		last := &(*ranges)[len(*ranges)-1]
		last.End = until
		if p.seg.Synthetic == "" {
			last.Units = append(last.Units, Unit{IRID: p.seg.IRID, Page: p.seg.Page, From: p.seg.From + at - p.seg.Start,
				To: p.seg.From + until - p.seg.Start, Evidence: p.seg.Evidence})
		}
	}
	c := l.of.Chunk
	l.set = model.ChunkSet{DocHash: c.DocHash, Generation: c.Generation}
	l.retrieved = c.Provenance.Source.RecordPointer.RetrievedAt
	p := &l.place
	p.Part, p.ChunkRef, p.OtherCase, p.Text = number, c.ChunkRef, m.cased, s.text[start:end]
	p.Before, p.After = ending(s.text[:start]), beginning(s.text[end:])
	p.DocumentID, p.SourceID, p.Source, p.SnapshotID, p.URL, p.Title = c.DocumentID, c.SourceID, c.Source, c.SnapshotID, c.URL, c.Title
	p.DocType, p.Language, p.Type, p.Status, p.InfoDate = c.DocType, c.Language, string(c.Type), string(c.Status), c.InfoDate
	for _, r := range p.Ranges {
		if len(r.Units) > 0 {
			p.Page = r.Units[0].Page
			break
		}
	}
	return l
}

// ending returns the last bytes of a text, from a code point on.
func ending(s string) string {
	from := max(0, len(s)-contextBytes)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}

// beginning returns the first bytes of a text, up to a code point.
func beginning(s string) string {
	to := min(len(s), contextBytes)
	for to > 0 && to < len(s) && !utf8.RuneStart(s[to]) {
		to--
	}
	return s[:to]
}
