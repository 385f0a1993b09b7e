package model

// Whether a source's chunks are enriched by a model, and when (contracts#enrichment).
const (
	EnrichNever = ""      // by rules alone
	EnrichLater = "later" // chunks land by rules; a next generation has what the model proposed
	EnrichWait  = "wait"  // chunks land with what the model proposed, or by rules when it has not answered for too long
)

// ChunkProposal is what a model proposes for one chunk (seeds#knowledge): evidence of which code decides
// what stands.
type ChunkProposal struct {
	Topic         string   `json:"topic,omitempty"`
	Tags          []string `json:"tags,omitempty"`
	Actors        []string `json:"actors,omitempty"`
	KindOfContent string   `json:"kind_of_content,omitempty"`
	TypeGuess     string   `json:"type_guess,omitempty"`
	LegalCues     []string `json:"legal_cues,omitempty"`
}

// ChunkProposals are what a model proposed for the chunks of a version: the object that an Enrichment names.
type ChunkProposals struct {
	// Chunks are the proposals by the content_text_hash of their chunks. One that is not there has none.
	Chunks map[string]ChunkProposal `json:"chunks"`
}

// Enrichment says which object holds what a model proposed for the chunks of a run at a redo.
type Enrichment struct {
	SnapshotID     string
	ExtractionID   string
	Redo           int
	ChunkerVersion string
	SourceID       string
	DocumentID     string
	Model          string // "": no model was set when it was asked for
	ObjectKey      string // in the derived bucket; "" without a model
	Digest         string // hex sha256 of the object; "" without a model
}

// Empty reports whether nothing is proposed.
func (p ChunkProposal) Empty() bool {
	return p.Topic == "" && len(p.Tags) == 0 && len(p.Actors) == 0 && p.KindOfContent == "" && p.TypeGuess == "" && len(p.LegalCues) == 0
}
