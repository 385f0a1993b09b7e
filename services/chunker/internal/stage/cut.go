package stage

import (
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/describe"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
)

// documentOf is what a document looks like of which all pages were surveyed.
func documentOf(s model.Snapshot, facts *assemble.Survey) split.Document {
	return split.Document{
		Type: s.FinalType, Title: facts.Title(s), Language: facts.Language(s), Pages: facts.Processed, Looks: facts.Looks,
	}
}

// metaOf is what a manifest says of the chunker that was chosen: nothing of the general
// one.
func metaOf(c split.Choice) model.ManifestMeta {
	if c.Name == "" {
		return model.ManifestMeta{}
	}
	return model.ManifestMeta{Chunker: c.Name, ChunkerWhy: c.Why}
}

// cutting is what the chunks of a version are made with.
type cutting struct {
	chunker  split.Chunker
	snapshot model.Snapshot
	base     model.Chunk       // what all chunks have in common
	document describe.Document // what the rules for a chunk need of the whole
	looks    split.Document    // what the document looks like as a whole
	budget   int               // tokens; 0 is the default
	count    func(string) (int, error)
	leftOut  func(irID string) bool
}

// cuttingOf is the cutting of a run of which all pages were surveyed.
func cuttingOf(chunker split.Chunker, s model.Snapshot, base model.Chunk, facts *assemble.Survey, looks split.Document, count func(string) (int, error)) cutting {
	c := cutting{
		chunker: chunker, snapshot: s, base: base, count: count, leftOut: facts.LeftOut, looks: looks,
		document: describe.Document{Dated: facts.Dated(s), Published: facts.Published()},
	}
	if n, ok := facts.Note(s); ok {
		c.document.Note = &n
	}
	return c
}

// cut makes the chunks of a version out of its pages, in order. It is pure.
func (c cutting) cut(v model.Version, pages proof.Pages, out func(model.Chunk) error) error {
	head, err := describe.WidestHeader(c.snapshot, c.base, c.count)
	if err != nil {
		return internal("the document's header: %w", err)
	}
	index := 0
	headings := make(map[string]bool) // units, by ir_id
	keys := make(blockKeys)
	options := split.Options{Header: head, Budget: c.budget, Language: c.base.Language, Document: c.looks, Count: c.count}
	if c.snapshot.ContextLine {
		options.ContextLine = func(path []string) string {
			return header.ContextLine(c.base.Title, path, c.base.InfoDate, c.base.Source)
		}
	}
	splitter, err := c.chunker.New(options, func(d split.Draft) error {
		chunk, err := c.chunkOf(v, index, d, len(head), headings)
		if err != nil {
			return err
		}
		chunk.Blocks = keys.of(chunk.Provenance.Segments)
		index++
		return out(chunk)
	})
	if err != nil {
		return internal("the document's header: %w", err)
	}
	document := assemble.New(c.leftOut, func(b assemble.Block) error {
		if b.Type == model.UnitHeading {
			for _, run := range b.Lines[0] {
				headings[run.IRID] = true
			}
		}
		keys.add(b)
		return splitter.Add(b)
	})
	err = pages(func(f segment.Frame) error { return document.Add(f.Page.PageNo, f.Units) })
	for _, step := range []func() error{document.Close, splitter.Close} {
		if err != nil {
			return err
		}
		err = step()
	}
	return err
}

// chunkOf makes a chunk of a draft, whose header, of so many bytes, and context line become those of what its
// words say that it is.
func (c cutting) chunkOf(v model.Version, index int, d split.Draft, head int, headings map[string]bool) (model.Chunk, error) {
	out := c.base
	out.DocHash, out.Generation, out.ChunkIndex = v.DocHash, v.Generation, index
	out.ChunkID = digest.ChunkID(index, v.Generation)
	out.ChunkRef = digest.ChunkRef(out.DocHash, out.ChunkID)
	out.PointID = model.PointIDOf(out.ChunkRef, out.RuleVersions)
	out.Text, out.Content, out.Tokens = d.Text, d.Content, d.Tokens
	out.SectionPath, out.Anchors, out.PageHint = d.SectionPath, d.Anchors, d.PageHint
	out.Provenance.Segments = d.Segments
	blocks, paragraphs := textsOf(d, headings)
	c.document.Chunk(&out, blocks, paragraphs)
	own := header.Of(c.snapshot, out)
	line, before := "", ""
	if head+len(d.Content) < len(d.Text) { // between header and content is the context line
		line, before = header.ContextLineOf(out)+header.LineEnd, d.Text[head:len(d.Text)-len(d.Content)]
	}
	if own != d.Text[:head] || line != before {
		out.Text = own + line + out.Content
		out.Provenance.Segments = moved(d.Segments, len(own)-head, len(line)-len(before))
		var err error
		if out.Tokens, err = c.count(out.Text); err != nil {
			return out, internal("counting tokens: %w", err)
		}
	}
	out.TextHash, out.ContentTextHash = digest.Text(out.Text), digest.Text(out.Content)
	return out, nil
}

// moved returns segments after the header has grown by so many bytes, and the context line after it.
func moved(segments []model.Segment, head, line int) []model.Segment {
	out := slices.Clone(segments)
	by := 0
	for i := range out {
		out[i].Start += by
		switch out[i].Synthetic {
		case model.SyntheticHeader:
			by += head
		case model.SyntheticContext:
			by += line
		}
		out[i].End += by
	}
	return out
}

// textsOf returns the blocks of a draft in their order, and those that are no headings. What rules wrote
// is in neither; where a block was joined over pages it is one.
func textsOf(d split.Draft, headings map[string]bool) (blocks, paragraphs []string) {
	var open strings.Builder
	heading := false
	end := func() {
		if text := strings.TrimSpace(open.String()); text != "" {
			blocks = append(blocks, text)
			if !heading {
				paragraphs = append(paragraphs, text)
			}
		}
		open.Reset()
	}
	for _, s := range d.Segments {
		text := d.Text[s.Start:s.End]
		switch {
		case s.Synthetic == model.SyntheticSeparator && text == " ":
			open.WriteString(text)
		case s.Synthetic != "":
			end()
		default:
			open.WriteString(text)
			heading = headings[s.IRID]
		}
	}
	end()
	return blocks, paragraphs
}
