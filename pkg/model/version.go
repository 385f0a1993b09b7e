package model

import (
	"cmp"
	"strings"
)

// Version is one version of a document as the chunker orders and compares
// them (contracts#run-order): a manifest with the place of its run in time.
type Version struct {
	DocHash        string
	Generation     int
	SnapshotID     string
	ExtractionID   string
	Redo           int
	RetrievedAt    Time
	RunOrder       int
	ChunkCount     int
	FailedPages    int // of its run when it was made into chunks
	Fingerprint    string
	ParserVersion  string
	ChunkerVersion string
	HeaderVersion  string
	SameAs         string // snapshot with the same fingerprint, when this version has no chunks of its own
	Chunks         ChunkSet
	Layer          Layer // of its snapshot: where the document's chunks are while this version is current
	Facets         Facets
	Proposals      string // digest of what a model proposed for its chunks; "" for rules alone (contracts#enrichment)
}

// Facets are what searches filter a chunk by that is not in its words: equal words of one
// document under other facets are other chunks, since they are asked for by other names.
// Of a version they are those of its snapshot, whose language is the hint that counts
// where the text shows none.
type Facets struct {
	SourceType, DocType, Domain, Territory, Language string
}

// FacetsOf returns the facets of the versions of a snapshot.
func FacetsOf(s Snapshot) Facets {
	return Facets{s.SourceType, string(s.FinalType), s.Domain, s.Territory, cmp.Or(s.Language, s.SourceLanguage)}
}

// Facets returns the facets of a chunk.
func (c Chunk) Facets() Facets {
	return Facets{c.SourceType, c.DocType, c.Domain, c.Territory, c.Language}
}

// ChunkSet names the chunks of one manifest. Those of a version are its own, or,
// when an earlier one has the same fingerprint, that one's.
type ChunkSet struct {
	DocHash    string
	Generation int
}

// Own reports whether the version has chunks of its own.
func (v Version) Own() bool { return v.SameAs == "" }

// Set names what the version's own chunks are or would be.
func (v Version) Set() ChunkSet { return ChunkSet{DocHash: v.DocHash, Generation: v.Generation} }

// Compare orders versions by (retrieved_at, snapshot_id, order of the runs),
// and what one run yielded by its generations (contracts#run-order). It is never the
// order of arrival.
func (v Version) Compare(o Version) int {
	if c := v.RetrievedAt.Compare(o.RetrievedAt); c != 0 {
		return c
	}
	if c := strings.Compare(v.SnapshotID, o.SnapshotID); c != 0 {
		return c
	}
	if v.RunOrder != o.RunOrder {
		return v.RunOrder - o.RunOrder
	}
	return v.Generation - o.Generation
}

// ChunkLink is what the chunker needs of a chunk to link it with its equals in
// other versions and documents: all but its text.
type ChunkLink struct {
	ChunkRef        string
	Set             ChunkSet
	ChunkIndex      int
	TextHash        string
	ContentTextHash string
	SourceType      string
	Type            ChunkType
	Facets          Facets
	Status          ChunkStatus
	SectionPath     []string
	InfoDate        string
	Layer           Layer // at creation: that of the version for which it was made
	State           ChunkState
}

// KnowledgeKey is the key of a unique index (seeds#knowledge): chunks that share it say
// the same under the same header.
type KnowledgeKey struct {
	TextHash   string
	SourceType string
}

// Compare orders keys in the one order in which they are locked.
func (k KnowledgeKey) Compare(o KnowledgeKey) int {
	if c := strings.Compare(k.TextHash, o.TextHash); c != 0 {
		return c
	}
	return strings.Compare(k.SourceType, o.SourceType)
}

// Key returns the knowledge key of the chunk.
func (l ChunkLink) Key() KnowledgeKey {
	return KnowledgeKey{TextHash: l.TextHash, SourceType: l.SourceType}
}

// StateChange is a chunk's next state and why it changes. Its revision is
// counted by the catalog.
type StateChange struct {
	State      ChunkState
	Cause      string
	ReplacedBy string // chunk_ref or snapshot_id
}

// The changes of a chunk that chunk_log holds.
const (
	ChangeCreated    = "created"
	ChangeSuperseded = "superseded"
	ChangeRemoved    = "removed"
)

// LogEntry is one row of chunk_log: a revision of a chunk.
type LogEntry struct {
	Seq        int64
	ChunkRef   string
	Rev        int64
	Change     string
	Cause      string
	ReplacedBy string
	Epoch      string // the copy of the catalog that says so, the newest one (contracts#epoch)
}

// Unpublished is a log entry whose event was not published yet, with what the
// event says beside a chunk's content. Found is false when the chunk is gone.
type Unpublished struct {
	LogEntry
	Found      bool
	SourceID   string
	SnapshotID string
	State      ChunkState // the newest one
}
