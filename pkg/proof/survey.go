package proof

import "github.com/colophon-dev/colophon/pkg/model"

// Surveyed is what the pages of a run say of the run and of its document.
type Surveyed struct {
	State       model.RunState // done, partial or failed
	Reason      string         // of the first failed page
	Message     string         // the reason as a sentence
	Title       string         // of the document
	Language    string         // ISO 639-1
	Fingerprint string         // hex sha256 of the text
	Meta        model.DocumentMeta
}

// Survey looks at the pages of a run, as the chunker does before it makes chunks. Its
// error is that of pages.
type Survey func(s model.Snapshot, pages Pages) (Surveyed, error)

// Link returns what the states of all chunks of a document say of layer, repeats and
// since, in any order, given what its versions are decided by. The rest of a state is
// empty.
type Link func(h model.History, chunks []model.ChunkLink) []model.ChunkState
