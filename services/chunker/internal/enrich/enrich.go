// Package enrich gives chunks their knowledge fields (contracts#chunk-fields). There are
// no enrichment rules yet: every field follows from the snapshot by the
// defaults.
package enrich

import (
	"cmp"
	"maps"
	"net/url"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
)

// RulesVersion is the version of the rules that type and status are set by.
const RulesVersion = "defaults_1"

// The source types (seeds#knowledge) whose chunks are points of view.
const (
	sourceComment = "comment"
	sourceForum   = "forum"
)

// Base returns what all chunks of a run have in common, but for what depends on
// their text and their place: opinion for comments and forums, else fact; under
// review; the day of last_modified; the layer of the source.
func Base(s model.Snapshot, run model.Run, title, language, chunkerVersion string) model.Chunk {
	typ := model.ChunkFact
	if s.SourceType == sourceComment || s.SourceType == sourceForum {
		typ = model.ChunkOpinion
	}
	rules := make(map[string]string, len(s.RuleVersions)+2)
	maps.Copy(rules, s.RuleVersions)
	rules["textnorm"], rules["type_status"] = digest.TextNormVersion, RulesVersion
	return model.Chunk{
		DocumentID: s.DocumentID, SourceID: s.SourceID, SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID,
		Type: typ, Status: model.StatusUnderReview,
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
