package vectorstore

import (
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
)

// PayloadOf returns what the point of a chunk says in a collection: the one
// place that knows it, for the indexer that writes points and for verify, which
// compares them. PushedAt is left empty.
func PayloadOf(c model.Chunk, s model.ChunkState, collection string) Payload {
	p := Payload{
		DocHash: c.DocHash, ChunkID: c.ChunkID, ChunkIndex: int64(c.ChunkIndex), PointIDReadable: c.ChunkRef,
		Text: c.Text, TextLen: int64(utf8.RuneCountInString(c.Text)), Tokens: int64(c.Tokens),
		URL: c.URL, Title: c.Title, PageHint: int64(c.PageHint), Collection: collection, DocType: c.DocType,
		SourceID: c.SourceID, SnapshotID: c.SnapshotID, SourceType: c.SourceType,
		Type: string(c.Type), Status: string(c.Status), InfoDate: c.InfoDate, Layer: string(s.Layer), DuplicateOf: s.DuplicateOf,
		Language: c.Language, Territory: c.Territory, Domain: c.Domain, Host: c.Host,
	}
	if c.RuleVersions[model.RuleIDs] == model.IDs004 {
		p.SourceType, p.KnowledgeType = c.DocType, c.SourceType
	}
	if len(c.Anchors) > 0 {
		p.AnchorType, p.AnchorText = c.Anchors[0].Type, c.Anchors[0].Text
	}
	return p
}
