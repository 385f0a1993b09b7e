// Package describe gives chunks their knowledge fields (contracts#chunk-fields): what all of a document
// have in common follows from its snapshot, what is of one chunk from its words, by the rules of
// pkg/statement.
package describe

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/statement"
	"github.com/colophon-dev/colophon/pkg/statement/note"
)

// Base returns what all chunks of a run have in common, but for what depends on
// their text and their place. Its type, status and date are those of a chunk whose words say
// nothing else.
func Base(s model.Snapshot, run model.Run, title, language, chunkerVersion string) model.Chunk {
	rules := make(map[string]string, len(s.RuleVersions)+2)
	maps.Copy(rules, s.RuleVersions)
	rules["textnorm"], rules["type_status"] = digest.TextNormVersion, statement.Version
	unsaid := statement.Judge("", s.SourceType, nil)
	return model.Chunk{
		DocumentID: s.DocumentID, SourceID: s.SourceID, SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID,
		Type: unsaid.Type, Status: unsaid.Status,
		InfoDate: s.LastModified.UTC().Format(time.DateOnly), InfoDateOrigin: s.LastModifiedOrigin,
		Source: s.SourceName, SourceType: s.SourceType, DocType: string(s.FinalType),
		Domain: s.Domain, Territory: s.Territory, Host: host(cmp.Or(s.URLCanonical, s.URL)),
		Layer: cmp.Or(s.Layer, model.LayerHot), Language: language,
		URL: s.ChunkURL(chunkerVersion), Title: title,
		ParserVersion: run.ParserVersion, ChunkerVersion: chunkerVersion, HeaderVersion: header.Version, RuleVersions: rules,
		Provenance: model.Provenance{
			Source: model.ProvenanceSource{SourceID: s.SourceID, RecordPointer: model.RecordPointer{
				Kind: "snapshot", SnapshotID: s.SnapshotID, RetrievedAt: s.RetrievedAt,
			}},
			Derivation: model.Derivation{RuleVersions: rules},
		},
	}
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// Document is what the rules for one chunk need of its document as a whole.
type Document struct {
	Dated     statement.Date // what its text says; none: the zero value
	Published string         // YYYY-MM-DD, what its page says in data about itself; "" for nothing
	Note      *note.Note     // what an operator says with it; nil: it is none

	Proposals map[string]model.ChunkProposal // what a model proposed, by content_text_hash; nil: nothing
	Dropped   statement.Dropped              // counts what of it did not stand; nil: nobody counts
}

// originOperator is the info_date_origin of a date that an operator has given.
const originOperator = "operator"

// originPublished is the info_date_origin of the day of Document.Published.
const originPublished = "published"

// ownDates are the origins of last_modified that are the document's own word.
func ownDates() []string { return []string{"meta", "pdf"} }

// ownBlocks is how many of a chunk's first blocks may say of when it is: a post, an item of an agenda.
const ownBlocks = 2

// Chunk gives a chunk what its words say: type, status, date and meta. Its other fields are set, its
// header is not yet that of these. Paragraphs are its text without headings and what rules wrote, blocks its
// text with headings.
func (d Document) Chunk(c *model.Chunk, blocks, paragraphs []string) {
	if n := d.Note; n != nil {
		c.Type, c.Status, c.InfoDate, c.InfoDateOrigin = n.Type, n.Status, n.Date, originOperator
		c.Meta = statement.MetaOf(c.Language, "", nil, []string{n.Text})
		c.Meta.Evidence, c.Meta.Replaces, c.Meta.SumsUp = n.Evidence, n.Replaces, n.SumsUp
		return
	}
	proposed, dropped := statement.Checked(c.Language, d.proposalFor(*c), paragraphs)
	for reason, n := range dropped {
		if d.Dropped != nil {
			d.Dropped[reason] += n
		}
	}
	said := statement.JudgeBeside(c.Language, c.SourceType, paragraphs, model.ChunkType(proposed.TypeGuess))
	c.Type, c.Status = said.Type, said.Status
	c.Meta = statement.MetaBeside(statement.MetaOf(c.Language, c.Title, c.SectionPath, paragraphs), proposed)
	c.Meta.TypeGuess = string(said.Guess)
	c.InfoDate, c.InfoDateOrigin = d.dateOf(*c, blocks)
}

// proposalFor returns what a model proposed for a chunk; the zero value for nothing.
func (d Document) proposalFor(c model.Chunk) (p model.ChunkProposal) {
	if d.Proposals != nil {
		p = d.Proposals[digest.Text(c.Content)]
	}
	return p
}

// dateOf returns the first date that there is: that which the chunk's own first blocks say; that of
// the nearest heading above it that says one; the document's text's; last_modified where it is the
// document's own word; the publication of which its page says; last_modified.
func (d Document) dateOf(c model.Chunk, blocks []string) (day, origin string) {
	var best statement.Date
	for _, b := range blocks[:min(len(blocks), ownBlocks)] {
		if own, ok := statement.DateOf(c.Language, b); ok && own.Better(best) {
			best = own
		}
	}
	for i := len(c.SectionPath) - 1; i >= 0 && best.Day == ""; i-- {
		best, _ = statement.DateOf(c.Language, c.SectionPath[i])
	}
	if best.Day == "" {
		best = d.Dated
	}
	switch {
	case best.Day != "":
		return best.Day, best.Origin()
	case d.Published != "" && !slices.Contains(ownDates(), c.InfoDateOrigin):
		return d.Published, originPublished
	}
	return c.InfoDate, c.InfoDateOrigin
}

// WidestHeader returns the header with the most tokens that a chunk of the document may get: chunks are
// cut so that any of them fits.
func WidestHeader(s model.Snapshot, base model.Chunk, count func(string) (int, error)) (string, error) {
	widest, most := "", -1
	for _, typ := range []model.ChunkType{model.ChunkFact, model.ChunkAllegation, model.ChunkOpinion} {
		for _, status := range []model.ChunkStatus{model.StatusUnderReview, model.StatusConfirmed, model.StatusRefuted, model.StatusObsolete} {
			base.Type, base.Status = typ, status
			head := header.Of(s, base)
			n, err := count(head)
			if err != nil {
				return "", err
			}
			if n > most || n == most && len(head) > len(widest) {
				widest, most = head, n
			}
		}
	}
	return widest, nil
}
