package event

import "fmt"

// IREnrichRequested asks for what a model proposes for the chunks of a version (contracts#enrichment).
type IREnrichRequested struct {
	SnapshotID     string `json:"snapshot_id"`
	SourceID       string `json:"source_id"`
	ExtractionID   string `json:"extraction_id"`
	Redo           int    `json:"redo"`
	ChunkerVersion string `json:"chunker_version"` // that made the chunks
	DocHash        string `json:"doc_hash"`        // with generation: whose chunks it is about
	Generation     int    `json:"generation"`      // from 1; 0: the version waits for the answer, and what is asked about is held by its run
}

// IREnriched says that there are proposals for the chunks of a version, in an object of the derived bucket; or, of a
// version that waits for them, that no model is set.
type IREnriched struct {
	SnapshotID     string `json:"snapshot_id"`
	SourceID       string `json:"source_id"`
	ExtractionID   string `json:"extraction_id"`
	Redo           int    `json:"redo"`
	ChunkerVersion string `json:"chunker_version"`
	ObjectKey      string `json:"object_key"` // the proposals in the derived bucket; "" where no model is set
	Digest         string `json:"digest"`     // hex sha256 of the object; "" where no model is set
}

// Type returns TypeIREnrichRequested.
func (IREnrichRequested) Type() string { return TypeIREnrichRequested }

// Type returns TypeIREnriched.
func (IREnriched) Type() string { return TypeIREnriched }

// Source returns the source_id.
func (d IREnrichRequested) Source() string { return d.SourceID }

// Source returns the source_id.
func (d IREnriched) Source() string { return d.SourceID }

// About returns snapshot, extraction, redo, the chunker's version and the generation.
func (d IREnrichRequested) About() string {
	return fmt.Sprintf("%s/%s/%d/%s/%d", d.SnapshotID, d.ExtractionID, d.Redo, d.ChunkerVersion, d.Generation)
}

// About returns snapshot, extraction, redo, the chunker's version and the first 16 hex digits of the digest, none
// where no model is set.
func (d IREnriched) About() string {
	digest := "none"
	if d.Digest != "" {
		digest = d.Digest[:min(16, len(d.Digest))]
	}
	return fmt.Sprintf("%s/%s/%d/%s/%s", d.SnapshotID, d.ExtractionID, d.Redo, d.ChunkerVersion, digest)
}
