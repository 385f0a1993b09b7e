package event

import (
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Data is what an event carries: one struct for each type (contracts#event-types).
type Data interface {
	// Type is the CloudEvents type, "colophon.capture.requested.v1".
	Type() string
	// Source is the source_id, the last token of the subject.
	Source() string
	// About names what the event is about: the part of ce-id after the type
	// (contracts#ce-id). Two different facts never share one.
	About() string
}

// The event types (contracts#event-types).
const (
	TypeCaptureRequested = "colophon.capture.requested.v1"
	TypeCaptureCompleted = "colophon.capture.completed.v1"
	TypeSnapshotStored   = "colophon.snapshot.stored.v1"
	TypeRunRequested     = "colophon.run.requested.v1"
	TypePageSplit        = "colophon.page.split.v1"
	TypePageOCRRequested = "colophon.page.ocr_requested.v1"
	TypePageOCRCompleted = "colophon.page.ocr_completed.v1"
	TypeIRExtracted      = "colophon.ir.extracted.v1"
	TypeRunCompleted     = "colophon.run.completed.v1"
	TypeChunkCreated     = "colophon.chunk.created.v1"
	TypeChunkSuperseded  = "colophon.chunk.superseded.v1"
	TypeChunkRemoved     = "colophon.chunk.removed.v1"
	TypeVectorIndexed    = "colophon.vector.indexed.v1"
	TypeVectorRemoved    = "colophon.vector.removed.v1"
	TypeSourceChanged    = "colophon.source.changed.v1"

	TypeEntitiesExtracted = "colophon.entities.extracted.v1"

	TypeIREnrichRequested = "colophon.ir.enrich_requested.v1"
	TypeIREnriched        = "colophon.ir.enriched.v1"
)

// Inline is a document handed over inside the request, at most 512 KiB decoded.
type Inline struct {
	ContentBase64 []byte `json:"content_base64"` // the bytes of the document, in base64; at most 512 KiB decoded
}

// Object is a document or WARC that the crawler has put into the inbox bucket,
// below its source's own prefix.
type Object struct {
	Bucket string `json:"bucket"` // inbox, or empty for the same; no other bucket is read
	Key    string `json:"key"`    // the object's key, which begins with {source_id}/
}

// CaptureRequested asks for one capture: exactly one of URL, Inline, Object and
// WARC says where the bytes are. With the last three the remaining fields are
// the crawler's own facts about its fetch.
type CaptureRequested struct {
	// The tag redact says what a dead letter may keep of a field: [RedactRequest].

	RequestID          string              `json:"request_id" redact:"text"`                     // idempotency key within the source
	SourceID           string              `json:"source_id" redact:"text"`                      // the source that the document belongs to: 1 to 64 of a-z, 0-9, _ and -, the last token of the subject
	URL                string              `json:"url,omitempty" redact:"url"`                   // where the document is; alone it is fetched from there, beside inline, object or warc it names the document
	Inline             *Inline             `json:"inline,omitempty" redact:"drop"`               // the document itself
	Object             *Object             `json:"object,omitempty" redact:"type"`               // the document, in the inbox
	WARC               *Object             `json:"warc,omitempty" redact:"type"`                 // a web archive in the inbox: each of its records is captured
	RetrievedAt        *time.Time          `json:"retrieved_at,omitempty" redact:"type"`         // when the crawler fetched the bytes that it hands over, cut to microseconds, which orders the versions of a document; default the ce-time of the first message; where Colophon fetches the URL the time of the answer counts instead
	HTTPStatus         int                 `json:"http_status,omitempty" redact:"type"`          // status of the answer that the crawler got, kept with the snapshot; 0 when there was none
	Headers            map[string][]string `json:"headers,omitempty" redact:"headers"`           // header fields of the crawler's answer; those of an allow-list are kept
	ContentType        string              `json:"content_type,omitempty" redact:"text"`         // the media type that the server named
	Encoding           string              `json:"encoding,omitempty" redact:"text"`             // the character encoding that the server named, a hint
	RedirectChain      []string            `json:"redirect_chain,omitempty" redact:"url"`        // the URLs that led to url, the requested one first
	FetchToolVersion   string              `json:"fetch_tool_version,omitempty" redact:"text"`   // name and version of the crawler, kept with the snapshot
	RobotsPolicyNotes  string              `json:"robots_policy_notes,omitempty" redact:"text"`  // what the crawler believes about the permission, kept with the snapshot
	SnapshotGroupID    string              `json:"snapshot_group_id,omitempty" redact:"text"`    // groups snapshots that were taken together, such as one crawl; members of a container inherit it; nothing else is done with it
	SourceRecordID     string              `json:"source_record_id,omitempty" redact:"text"`     // the source's own stable id of the document: with it, and not the URL, the document is identified
	Filename           string              `json:"filename,omitempty" redact:"text"`             // name of the file, for its type, its slug and those who save it
	LastModified       *time.Time          `json:"last_modified,omitempty" redact:"type"`        // when the document was changed last, as far as the crawler knows; default what the headers or the document say
	LastModifiedOrigin string              `json:"last_modified_origin,omitempty" redact:"text"` // where last_modified is from, in the crawler's words
	Language           string              `json:"language,omitempty" redact:"text"`             // language of the document when it is known, ISO 639-1
	Region             string              `json:"region,omitempty" redact:"text"`               // region of the document, ISO 3166-1; default the source's
	Force              bool                `json:"force,omitempty" redact:"type"`                // fetch within the dedup window too, and process again what has not changed
	Metadata           map[string]string   `json:"metadata,omitempty" redact:"text"`             // names and values of the crawler's own, kept with the snapshot after redaction
}

// Outcome is what became of a capture request.
type Outcome string

// The outcomes (contracts#outcomes); which failure is which says contracts#rejected.
const (
	OutcomeStored    Outcome = "stored"
	OutcomeUnchanged Outcome = "unchanged"
	OutcomeDuplicate Outcome = "duplicate"
	OutcomeRejected  Outcome = "rejected"
	OutcomeFailed    Outcome = "failed"
)

// CaptureCompleted tells the crawler what became of its request.
type CaptureCompleted struct {
	RequestID  string     `json:"request_id"` // that of the request; of a member of a container {request_id}!/{path}, of a record of a web archive {request_id}@{offset}
	SourceID   string     `json:"source_id"`
	Outcome    Outcome    `json:"outcome"`               // stored, unchanged (same bytes, or a 304: nothing is processed again), duplicate (a URL within its window), rejected or failed
	SnapshotID string     `json:"snapshot_id,omitempty"` // what was stored, or what the request is a duplicate of
	DocumentID string     `json:"document_id,omitempty"`
	Reason     string     `json:"reason,omitempty"`      // why it was rejected or failed: one of a closed list, such as fetch_failed, too_large, malformed, source_unknown, request_conflict
	Message    string     `json:"message,omitempty"`     // the reason as a sentence that names the thing and the limit
	RetryAfter *time.Time `json:"retry_after,omitempty"` // before this time asking again is of no use, as the other server says

	FetchStatus string `json:"fetch_status,omitempty"` // of what we fetched ourselves: ok, redirected, blocked or error (seeds#store)

	Members map[string]int `json:"members,omitempty"` // of a container: how many by outcome; each has an event of its own
}

// SnapshotStored says that a snapshot is recorded and is to be processed.
type SnapshotStored struct {
	SnapshotID   string             `json:"snapshot_id"`
	SourceID     string             `json:"source_id"`
	DocumentID   string             `json:"document_id"`
	ContentHash  string             `json:"content_hash"`
	ByteLength   int64              `json:"byte_length"`
	SnapshotKind model.SnapshotKind `json:"snapshot_kind"`
	FinalType    model.FinalType    `json:"final_type"`
	Force        bool               `json:"force,omitempty"` // it is processed again though nothing has changed
}

// RunRequested starts a re-parse or a redo of a snapshot.
type RunRequested struct {
	SnapshotID   string `json:"snapshot_id"`
	SourceID     string `json:"source_id"`
	ExtractionID string `json:"extraction_id,omitempty"` // of the run to redo; empty: today's
	Why          string `json:"why"`                     // retry, reparse, force, version, reconcile
	Redo         int    `json:"redo"`                    // the redo to start; 0: a first run
	Pages        []int  `json:"pages,omitempty"`         // only the ranges that hold these; empty: those with failed pages, or all

	OCR *model.OCRSettings `json:"ocr,omitempty"` // of a run that has its scans read again
}

// PageSplit hands one range of pages to the extractor.
type PageSplit struct {
	SnapshotID    string          `json:"snapshot_id"`
	SourceID      string          `json:"source_id"`
	ExtractionID  string          `json:"extraction_id"`
	ParserVersion string          `json:"parser_version"` // the version that is to parse it
	Pages         model.PageRange `json:"pages"`          // the range: it begins with 16k+1 and holds at most 16 pages
	PageCount     int             `json:"page_count"`
	Redo          int             `json:"redo"` // 0 for the first extraction of the range, then one more for each repetition

	ContentHash string `json:"content_hash,omitempty"` // of a small document: whoever handles the range may read it while asking for the snapshot, which says what counts
}

// PageOCRRequested hands one page to OCR. Its range is extracted when all pages
// of it that need OCR have their answers.
type PageOCRRequested struct {
	SnapshotID    string          `json:"snapshot_id"`
	SourceID      string          `json:"source_id"`
	ExtractionID  string          `json:"extraction_id"`
	ParserVersion string          `json:"parser_version"`
	Pages         model.PageRange `json:"pages"` // the page alone
	PageCount     int             `json:"page_count"`
	Redo          int             `json:"redo"`
	Parts         []model.PageOCR `json:"parts"` // what is to be read, and why
}

// PageOCRCompleted says that OCR has answered for all pages of a range. It is
// handled like PageSplit: the range is extracted, now with the results.
type PageOCRCompleted struct {
	SnapshotID    string          `json:"snapshot_id"`
	SourceID      string          `json:"source_id"`
	ExtractionID  string          `json:"extraction_id"`
	ParserVersion string          `json:"parser_version"`
	Pages         model.PageRange `json:"pages"` // the range whose pages have their answers
	PageCount     int             `json:"page_count"`
	Redo          int             `json:"redo"`
	Results       []string        `json:"results"` // keys of the stored results, in page order
}

// Split is the request that the event repeats.
func (d PageOCRCompleted) Split() PageSplit {
	return PageSplit{
		SnapshotID: d.SnapshotID, SourceID: d.SourceID, ExtractionID: d.ExtractionID,
		ParserVersion: d.ParserVersion, Pages: d.Pages, PageCount: d.PageCount, Redo: d.Redo,
	}
}

// IRExtracted says that a range has its IR segment; said again with Arrived, that what
// is current of its document is to be decided anew.
type IRExtracted struct {
	SnapshotID   string          `json:"snapshot_id"`
	SourceID     string          `json:"source_id"`
	ExtractionID string          `json:"extraction_id"`
	Pages        model.PageRange `json:"pages"` // the range that was extracted
	PageCount    int             `json:"page_count"`
	Redo         int             `json:"redo"`
	ObjectKey    string          `json:"object_key"` // the IR segment in the derived bucket
	Digest       string          `json:"digest"`     // hex sha256 of the segment
	Processed    int             `json:"processed"`  // pages of the range that have units
	Failed       int             `json:"failed"`     // pages of the range that failed
	// the snapshot whose capture can have changed what is current of the document, with nothing made of it
	Arrived string `json:"arrived,omitempty"`
}

// RunCompleted says that a run is terminal.
type RunCompleted struct {
	SnapshotID   string         `json:"snapshot_id"`
	SourceID     string         `json:"source_id"`
	DocumentID   string         `json:"document_id"`
	ExtractionID string         `json:"extraction_id"`
	Redo         int            `json:"redo"`
	State        model.RunState `json:"state"` // done (all pages), partial (some failed), failed (all did), superseded (another run took its place) or removed
	Reason       string         `json:"reason,omitempty"`
	Message      string         `json:"message,omitempty"`
	PageCount    int            `json:"page_count"`
	Processed    int            `json:"processed"` // pages that have units
	Failed       int            `json:"failed"`    // pages that failed
	DocHash      string         `json:"doc_hash,omitempty"`
	Generation   int            `json:"generation,omitempty"`
	ChunkCount   int            `json:"chunk_count"`
}

// ChunkCreated carries a new chunk with its text: the one event that carries a
// document's content. Layer, since, repeats and duplicate_of are the state of the
// chunk at its rev or at a later one, and always there; an event of which since is
// not there was written before they were.
type ChunkCreated struct {
	Rev         int64       `json:"rev"`
	Cause       string      `json:"cause"`        // why it was made: capture, retry, reparse, force, version, reconcile (the run that made it), rechunk or enriched
	Layer       model.Layer `json:"layer"`        // where it is: hot, summary or archive
	Since       string      `json:"since"`        // earliest info_date of the chain of repeats that it belongs to, its own when it is alone
	Repeats     string      `json:"repeats"`      // the chunk_ref of the version before that says the same: then it has no vector of its own; "" when there is none
	DuplicateOf string      `json:"duplicate_of"` // the chunk_ref that stands for this text in another document: searches that find both show that one first; "" when it stands for itself
	Chunk       model.Chunk `json:"chunk"`        // the chunk as it was created, but for its layer, which is the one above

	Current model.DocumentCurrent `json:"current"`         // which chunks of its document are those of the current version, now or a while ago: of one document the highest rev counts
	Epoch   string                `json:"epoch,omitempty"` // the copy of the catalog that says so: the highest one counts, whatever the revs; what only lower ones have told is void (contracts#epoch)
}

// ChunkChange is the data of chunk.superseded and chunk.removed. Layer, since,
// repeats and duplicate_of are the state of the chunk at its rev or at a later one:
// whoever keeps the event of the highest rev has what the catalog has. An event of
// which since is not there was written before they were: of one that is superseded
// repeats and duplicate_of are then not known.
type ChunkChange struct {
	Rev         int64       `json:"rev"`
	Cause       string      `json:"cause"`     // archived (its document no longer says so), restored (it is current again), relinked (it repeats another version now), duplicate (another chunk stands for it), promoted (it stands for itself and its equals), since (what it repeats is older than was known), current (its version is the document's current one, and no other chunk says so), void (the catalog was restored from a backup, and has no chunk of the source: the chunk that is named as removed was none)
	ChunkRef    string      `json:"chunk_ref"` // the chunk that has changed
	DocHash     string      `json:"doc_hash"`
	SourceID    string      `json:"source_id"`
	SnapshotID  string      `json:"snapshot_id"`
	Layer       model.Layer `json:"layer,omitempty"`       // where it is now: hot, summary or archive; of a chunk that is gone nowhere
	Since       string      `json:"since"`                 // earliest info_date of the chain of repeats that it belongs to, its own when it is alone
	Repeats     string      `json:"repeats"`               // the chunk_ref of the version before that says the same: then it has no vector of its own; "" when there is none
	DuplicateOf string      `json:"duplicate_of"`          // the chunk_ref that stands for this text in another document: searches that find both show that one first; "" when it stands for itself
	ReplacedBy  string      `json:"replaced_by,omitempty"` // chunk_ref or snapshot_id

	Current model.DocumentCurrent `json:"current"`         // which chunks of its document are those of the current version, now or a while ago: of one document the highest rev counts; all empty of a chunk that is gone
	Epoch   string                `json:"epoch,omitempty"` // the copy of the catalog that says so: the highest one counts, whatever the revs; what only lower ones have told is void (contracts#epoch)
}

// CauseVoid is the cause of a chunk.removed that names no chunk of a source, but says that the
// catalog was restored from a backup and has none of it: what was told in lower epochs is void.
const CauseVoid = "void"

// ChunkSuperseded says that a chunk has changed its state: it moved to the
// archive or came back, or another one stands for it now.
type ChunkSuperseded struct{ ChunkChange }

// ChunkRemoved says that a chunk is gone.
type ChunkRemoved struct{ ChunkChange }

// VectorChange is the data of vector.indexed and vector.removed: chunk_refs of
// one doc_hash, at most 1,000 an event.
type VectorChange struct {
	SourceID   string      `json:"source_id"`
	DocHash    string      `json:"doc_hash"` // that of all chunks of the event
	SnapshotID string      `json:"snapshot_id"`
	Collection string      `json:"collection"`      // the collection of the vector store
	Model      string      `json:"embedding_model"` // name of the model that made the vectors
	Dimensions int         `json:"dimensions"`      // numbers of a dense vector
	Chunks     []VectorRef `json:"chunks"`          // the chunks, each at the revision that the points have
}

// VectorRef is a chunk at a revision.
type VectorRef struct {
	ChunkRef string `json:"chunk_ref"`
	Rev      int64  `json:"rev"`
}

// VectorIndexed says that the chunks have their points.
type VectorIndexed struct{ VectorChange }

// VectorRemoved says that the chunks' points are gone.
type VectorRemoved struct{ VectorChange }

// Type returns TypeCaptureRequested.
func (CaptureRequested) Type() string { return TypeCaptureRequested }

// Type returns TypeCaptureCompleted.
func (CaptureCompleted) Type() string { return TypeCaptureCompleted }

// Type returns TypeSnapshotStored.
func (SnapshotStored) Type() string { return TypeSnapshotStored }

// Type returns TypeRunRequested.
func (RunRequested) Type() string { return TypeRunRequested }

// Type returns TypePageSplit.
func (PageSplit) Type() string { return TypePageSplit }

// Type returns TypePageOCRRequested.
func (PageOCRRequested) Type() string { return TypePageOCRRequested }

// Type returns TypePageOCRCompleted.
func (PageOCRCompleted) Type() string { return TypePageOCRCompleted }

// Type returns TypeIRExtracted.
func (IRExtracted) Type() string { return TypeIRExtracted }

// Type returns TypeRunCompleted.
func (RunCompleted) Type() string { return TypeRunCompleted }

// Type returns TypeChunkCreated.
func (ChunkCreated) Type() string { return TypeChunkCreated }

// Type returns TypeChunkSuperseded.
func (ChunkSuperseded) Type() string { return TypeChunkSuperseded }

// Type returns TypeChunkRemoved.
func (ChunkRemoved) Type() string { return TypeChunkRemoved }

// Type returns TypeVectorIndexed.
func (VectorIndexed) Type() string { return TypeVectorIndexed }

// Type returns TypeVectorRemoved.
func (VectorRemoved) Type() string { return TypeVectorRemoved }

// Source returns the source_id.
func (d CaptureRequested) Source() string { return d.SourceID }

// Source returns the source_id.
func (d CaptureCompleted) Source() string { return d.SourceID }

// Source returns the source_id.
func (d SnapshotStored) Source() string { return d.SourceID }

// Source returns the source_id.
func (d RunRequested) Source() string { return d.SourceID }

// Source returns the source_id.
func (d PageSplit) Source() string { return d.SourceID }

// Source returns the source_id.
func (d PageOCRRequested) Source() string { return d.SourceID }

// Source returns the source_id.
func (d PageOCRCompleted) Source() string { return d.SourceID }

// Source returns the source_id.
func (d IRExtracted) Source() string { return d.SourceID }

// Source returns the source_id.
func (d RunCompleted) Source() string { return d.SourceID }

// Source returns the source_id.
func (d ChunkCreated) Source() string { return d.Chunk.SourceID }

// Source returns the source_id.
func (d ChunkChange) Source() string { return d.SourceID }

// Source returns the source_id.
func (d VectorChange) Source() string { return d.SourceID }

// About returns source and request.
func (d CaptureRequested) About() string { return d.SourceID + "/" + d.RequestID }

// About returns source, request and outcome.
func (d CaptureCompleted) About() string {
	return d.SourceID + "/" + d.RequestID + "/" + string(d.Outcome)
}

// About returns the snapshot.
func (d SnapshotStored) About() string { return d.SnapshotID }

// About returns snapshot, extraction and redo.
func (d RunRequested) About() string {
	return fmt.Sprintf("%s/%s/%d", d.SnapshotID, d.ExtractionID, d.Redo)
}

// About returns snapshot, extraction, first page and redo.
func (d PageSplit) About() string {
	return fmt.Sprintf("%s/%s/%d/%d", d.SnapshotID, d.ExtractionID, d.Pages.From, d.Redo)
}

// About returns snapshot, extraction, page and redo.
func (d PageOCRRequested) About() string {
	return fmt.Sprintf("%s/%s/%d/%d", d.SnapshotID, d.ExtractionID, d.Pages.From, d.Redo)
}

// About returns snapshot, extraction, first page and redo.
func (d PageOCRCompleted) About() string {
	return fmt.Sprintf("%s/%s/%d/%d", d.SnapshotID, d.ExtractionID, d.Pages.From, d.Redo)
}

// About returns snapshot, extraction, first page and redo.
func (d IRExtracted) About() string {
	about := fmt.Sprintf("%s/%s/%d/%d", d.SnapshotID, d.ExtractionID, d.Pages.From, d.Redo)
	if d.Arrived != "" {
		about += "/" + d.Arrived
	}
	return about
}

// About returns snapshot, extraction, redo and the generation of the chunks that the run came to: chunks
// that are made again are another fact.
func (d RunCompleted) About() string {
	return fmt.Sprintf("%s/%s/%d/%d", d.SnapshotID, d.ExtractionID, d.Redo, d.Generation)
}

// About returns the chunk, its revision, and the epoch.
func (d ChunkCreated) About() string { return revisionOf(d.Chunk.ChunkRef, d.Rev, d.Epoch) }

// About returns the chunk, its revision, and the epoch.
func (d ChunkChange) About() string { return revisionOf(d.ChunkRef, d.Rev, d.Epoch) }

// revisionOf names a revision of a chunk; after a restore another one has its number.
func revisionOf(ref string, rev int64, epoch string) string {
	if epoch == "" {
		return fmt.Sprintf("%s/%d", ref, rev)
	}
	return fmt.Sprintf("%s/%d/%s", ref, rev, epoch)
}

// About returns the collection and a digest of the chunks with their revisions.
func (d VectorChange) About() string { return d.Collection + "/" + refsDigest(d.Chunks) }
