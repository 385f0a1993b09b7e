package event

import (
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Data is what an event carries: one struct for each type of contracts 2.
type Data interface {
	// Type is the CloudEvents type, "colophon.capture.requested.v1".
	Type() string
	// Source is the source_id, the last token of the subject.
	Source() string
	// About names what the event is about: the part of ce-id after the type
	// (contracts 13.6). Two different facts never share one.
	About() string
}

// The event types of contracts 2.
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
)

// Inline is a document handed over inside the request, at most 512 KiB decoded.
type Inline struct {
	ContentBase64 []byte `json:"content_base64"`
}

// Object is a document or WARC that the crawler has put into the inbox bucket,
// below its source's own prefix.
type Object struct {
	Bucket string `json:"bucket"`
	Key    string `json:"key"`
}

// CaptureRequested asks for one capture: exactly one of URL, Inline, Object and
// WARC says where the bytes are. With the last three the remaining fields are
// the crawler's own facts about its fetch.
type CaptureRequested struct {
	RequestID          string              `json:"request_id"` // idempotency key within the source
	SourceID           string              `json:"source_id"`
	URL                string              `json:"url,omitempty"`
	Inline             *Inline             `json:"inline,omitempty"`
	Object             *Object             `json:"object,omitempty"`
	WARC               *Object             `json:"warc,omitempty"`
	RetrievedAt        *time.Time          `json:"retrieved_at,omitempty"`
	HTTPStatus         int                 `json:"http_status,omitempty"`
	Headers            map[string][]string `json:"headers,omitempty"`
	ContentType        string              `json:"content_type,omitempty"`
	Encoding           string              `json:"encoding,omitempty"`
	RedirectChain      []string            `json:"redirect_chain,omitempty"`
	FetchToolVersion   string              `json:"fetch_tool_version,omitempty"`
	RobotsPolicyNotes  string              `json:"robots_policy_notes,omitempty"`
	SnapshotGroupID    string              `json:"snapshot_group_id,omitempty"`
	SourceRecordID     string              `json:"source_record_id,omitempty"`
	Filename           string              `json:"filename,omitempty"`
	LastModified       *time.Time          `json:"last_modified,omitempty"`
	LastModifiedOrigin string              `json:"last_modified_origin,omitempty"`
	Language           string              `json:"language,omitempty"`
	Region             string              `json:"region,omitempty"`
	Force              bool                `json:"force,omitempty"`
	Metadata           map[string]string   `json:"metadata,omitempty"`
}

// Outcome is what became of a capture request.
type Outcome string

// The outcomes of contracts 2; which failure is which is contracts 13.4.
const (
	OutcomeStored    Outcome = "stored"
	OutcomeUnchanged Outcome = "unchanged"
	OutcomeDuplicate Outcome = "duplicate"
	OutcomeRejected  Outcome = "rejected"
	OutcomeFailed    Outcome = "failed"
)

// CaptureCompleted tells the crawler what became of its request.
type CaptureCompleted struct {
	RequestID  string     `json:"request_id"`
	SourceID   string     `json:"source_id"`
	Outcome    Outcome    `json:"outcome"`
	SnapshotID string     `json:"snapshot_id,omitempty"`
	DocumentID string     `json:"document_id,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Message    string     `json:"message,omitempty"`
	RetryAfter *time.Time `json:"retry_after,omitempty"`

	FetchStatus string `json:"fetch_status,omitempty"` // of what we fetched ourselves: ok, redirected, blocked or error (seed 004)

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
	Force        bool               `json:"force,omitempty"`
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
	ParserVersion string          `json:"parser_version"`
	Pages         model.PageRange `json:"pages"`
	PageCount     int             `json:"page_count"`
	Redo          int             `json:"redo"`
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
	Pages         model.PageRange `json:"pages"`
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

// IRExtracted says that a range has its IR segment.
type IRExtracted struct {
	SnapshotID   string          `json:"snapshot_id"`
	SourceID     string          `json:"source_id"`
	ExtractionID string          `json:"extraction_id"`
	Pages        model.PageRange `json:"pages"`
	PageCount    int             `json:"page_count"`
	Redo         int             `json:"redo"`
	ObjectKey    string          `json:"object_key"`
	Digest       string          `json:"digest"`
	Processed    int             `json:"processed"`
	Failed       int             `json:"failed"`
}

// RunCompleted says that a run is terminal.
type RunCompleted struct {
	SnapshotID   string         `json:"snapshot_id"`
	SourceID     string         `json:"source_id"`
	DocumentID   string         `json:"document_id"`
	ExtractionID string         `json:"extraction_id"`
	Redo         int            `json:"redo"`
	State        model.RunState `json:"state"`
	Reason       string         `json:"reason,omitempty"`
	Message      string         `json:"message,omitempty"`
	PageCount    int            `json:"page_count"`
	Processed    int            `json:"processed"`
	Failed       int            `json:"failed"`
	DocHash      string         `json:"doc_hash,omitempty"`
	Generation   int            `json:"generation,omitempty"`
	ChunkCount   int            `json:"chunk_count"`
}

// ChunkCreated carries a new chunk with its text: the one event that carries a
// document's content.
type ChunkCreated struct {
	Rev         int64       `json:"rev"`
	Cause       string      `json:"cause"`
	Repeats     string      `json:"repeats,omitempty"`
	DuplicateOf string      `json:"duplicate_of,omitempty"`
	Chunk       model.Chunk `json:"chunk"`
}

// ChunkChange is the data of chunk.superseded and chunk.removed.
type ChunkChange struct {
	Rev        int64       `json:"rev"`
	Cause      string      `json:"cause"`
	ChunkRef   string      `json:"chunk_ref"`
	DocHash    string      `json:"doc_hash"`
	SourceID   string      `json:"source_id"`
	SnapshotID string      `json:"snapshot_id"`
	Layer      model.Layer `json:"layer,omitempty"`
	ReplacedBy string      `json:"replaced_by,omitempty"` // chunk_ref or snapshot_id
}

// ChunkSuperseded says that a chunk has changed its state: it moved to the
// archive or came back, or another one stands for it now.
type ChunkSuperseded struct{ ChunkChange }

// ChunkRemoved says that a chunk is gone.
type ChunkRemoved struct{ ChunkChange }

// VectorChange is the data of vector.indexed and vector.removed: chunk_refs of
// one doc_hash, at most 1,000 an event.
type VectorChange struct {
	SourceID   string      `json:"source_id"`
	DocHash    string      `json:"doc_hash"`
	SnapshotID string      `json:"snapshot_id"`
	Collection string      `json:"collection"`
	Model      string      `json:"embedding_model"`
	Dimensions int         `json:"dimensions"`
	Chunks     []VectorRef `json:"chunks"`
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
	return fmt.Sprintf("%s/%s/%d/%d", d.SnapshotID, d.ExtractionID, d.Pages.From, d.Redo)
}

// About returns snapshot, extraction and redo.
func (d RunCompleted) About() string {
	return fmt.Sprintf("%s/%s/%d", d.SnapshotID, d.ExtractionID, d.Redo)
}

// About returns the chunk and its revision.
func (d ChunkCreated) About() string { return fmt.Sprintf("%s/%d", d.Chunk.ChunkRef, d.Rev) }

// About returns the chunk and its revision.
func (d ChunkChange) About() string { return fmt.Sprintf("%s/%d", d.ChunkRef, d.Rev) }

// About returns the collection and a digest of the chunks with their revisions.
func (d VectorChange) About() string { return d.Collection + "/" + refsDigest(d.Chunks) }
