package stage

import (
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
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

// cut makes the chunks of a version out of its pages, in order. It is pure.
func cut(chunker split.Chunker, o split.Options, base model.Chunk, v model.Version,
	leftOut func(irID string) bool, pages proof.Pages, out func(model.Chunk) error,
) error {
	index := 0
	splitter, err := chunker.New(o, func(d split.Draft) error {
		c := chunkOf(base, v, index, d)
		index++
		return out(c)
	})
	if err != nil {
		return internal("the document's header: %w", err)
	}
	document := assemble.New(leftOut, splitter.Add)
	err = pages(func(f segment.Frame) error { return document.Add(f.Page.PageNo, f.Units) })
	for _, step := range []func() error{document.Close, splitter.Close} {
		if err != nil {
			return err
		}
		err = step()
	}
	return err
}

func chunkOf(base model.Chunk, v model.Version, index int, d split.Draft) model.Chunk {
	c := base
	c.DocHash, c.Generation, c.ChunkIndex = v.DocHash, v.Generation, index
	c.ChunkID = digest.ChunkID(index, v.Generation)
	c.ChunkRef = digest.ChunkRef(c.DocHash, c.ChunkID)
	c.PointID = model.PointIDOf(c.ChunkRef, c.RuleVersions)
	c.Text, c.Content, c.Tokens = d.Text, d.Content, d.Tokens
	c.TextHash, c.ContentTextHash = digest.Text(d.Text), digest.Text(d.Content)
	c.SectionPath, c.Anchors, c.PageHint = d.SectionPath, d.Anchors, d.PageHint
	c.Provenance.Segments = d.Segments
	return c
}
