package model

// RunStanding is how far a run has come.
type RunStanding struct {
	Run
	Complete       bool     // all of its segments are in
	Snapshot       Snapshot // only of a run that is complete
	ChunkerVersion string   // of the newest manifest at its redo; empty when there is none
	HeaderVersion  string   // the same
	Unsettled      bool     // what is current of its document is to be decided anew
	Proposals      string   // of the newest manifest at its redo, as ManifestMeta has it
	Proposed       string   // digest of what a model has proposed at its redo for the chunker of that manifest; "" for nothing yet
	Chunks         ChunkSet // those that the newest manifest at its redo has, its own or another's
}

// RunResult is what a run came to: its pages, and its manifest at its redo, whose
// doc_hash is empty when it has none.
type RunResult struct {
	Processed  int
	Failed     int
	DocHash    string
	Generation int
	ChunkCount int
}
