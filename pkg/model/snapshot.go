package model

import (
	"errors"
	"fmt"
	"strings"
)

// SnapshotKind is seed 002's kind of a snapshot, widened by contracts 5.
type SnapshotKind string

// The kinds of snapshots.
const (
	KindHTML      SnapshotKind = "html"
	KindPDF       SnapshotKind = "pdf"
	KindImageScan SnapshotKind = "image_scan"
	KindTextFile  SnapshotKind = "text_file"
	KindContainer SnapshotKind = "container"
	KindOther     SnapshotKind = "other"
)

// FinalType is seed 004's type of a document, widened by contracts 5.
type FinalType string

// The final types.
const (
	TypePDF     FinalType = "pdf"
	TypeZIP     FinalType = "zip"
	TypeHTML    FinalType = "html"
	TypeText    FinalType = "text"
	TypeImage   FinalType = "image"
	TypeWARC    FinalType = "warc"
	TypeUnknown FinalType = "unknown"
)

// Kind returns the snapshot kind that a final type is kept as.
func (t FinalType) Kind() SnapshotKind {
	switch t {
	case TypeHTML:
		return KindHTML
	case TypePDF:
		return KindPDF
	case TypeImage:
		return KindImageScan
	case TypeText:
		return KindTextFile
	case TypeZIP, TypeWARC:
		return KindContainer
	default:
		return KindOther
	}
}

// Snapshot is one immutable capture: all required and recommended fields of
// seed 002 and the typing fields of seed 004. It is inserted once and never
// changed.
type Snapshot struct {
	SnapshotID      string       `json:"snapshot_id"`
	SnapshotGroupID string       `json:"snapshot_group_id,omitempty"`
	DocumentID      string       `json:"document_id"`
	RequestID       string       `json:"request_id"`
	SourceID        string       `json:"source_id"`
	SourceName      string       `json:"source_name"`
	SnapshotKind    SnapshotKind `json:"snapshot_kind"`
	FinalType       FinalType    `json:"final_type"`

	URL                        string   `json:"url,omitempty"` // final URL, redacted
	URLCanonical               string   `json:"url_canonical,omitempty"`
	URLCanonicalizationVersion string   `json:"url_canonicalization_version,omitempty"`
	SourceRecordID             string   `json:"source_record_id,omitempty"`
	ExternalID                 string   `json:"external_id"` // the document's identity (contracts 1)
	RedirectChain              []string `json:"redirect_chain,omitempty"`
	Filename                   string   `json:"filename,omitempty"`
	Slug                       string   `json:"slug"`

	RetrievedAt     Time   `json:"retrieved_at"`
	HTTPStatus      int    `json:"http_status,omitempty"`
	ContentType     string `json:"content_type,omitempty"`
	ContentHash     string `json:"content_hash"` // sha256:… of the stored bytes
	ByteLength      int64  `json:"byte_length"`
	Encoding        string `json:"encoding,omitempty"` // as declared, best effort
	ContentEncoding string `json:"content_encoding,omitempty"`
	WireHash        string `json:"wire_hash,omitempty"` // sha256:… of the bytes before content decoding

	// How the text is to be read, by its first 64 KiB; the bytes are never changed.
	DetectedEncoding   string  `json:"detected_encoding,omitempty"`   // WHATWG name; "" when it is no text
	EncodingOrigin     string  `json:"encoding_origin,omitempty"`     // byte_order_mark, http, document, bytes
	EncodingConfidence float64 `json:"encoding_confidence,omitempty"` // 0 to 1

	HTTPContentType        string `json:"http_content_type,omitempty"`
	HTTPContentDisposition string `json:"http_content_disposition,omitempty"`
	URLExt                 string `json:"url_ext,omitempty"`
	DetectedMIME           string `json:"detected_mime,omitempty"`
	DetectedExt            string `json:"detected_ext,omitempty"`
	FetchStatus            string `json:"fetch_status,omitempty"` // ok, redirected, blocked, error

	ETag               string `json:"etag,omitempty"`
	LastModified       Time   `json:"last_modified"` // whole seconds
	LastModifiedOrigin string `json:"last_modified_origin"`

	ResponseHeaders   map[string][]string `json:"response_headers,omitempty"` // after redaction only
	RedactionPolicyID string              `json:"redaction_policy_id,omitempty"`
	FetchToolVersion  string              `json:"fetch_tool_version,omitempty"`
	RobotsPolicyNotes string              `json:"robots_policy_notes,omitempty"`
	QualityFlags      []string            `json:"quality_flags,omitempty"`
	Metadata          map[string]string   `json:"metadata,omitempty"`
	Language          string              `json:"language,omitempty"` // the crawler's hint, ISO 639-1
	Region            string              `json:"region,omitempty"`
	SourceType        string              `json:"source_type"`
	Domain            string              `json:"domain"`
	Territory         string              `json:"territory"`
	Layer             Layer               `json:"layer"`
	SourceLanguage    string              `json:"source_language,omitempty"`
	SourceLanguages   []string            `json:"source_languages,omitempty"`
	SourceEntry       *EntryRule          `json:"source_entry_rule,omitempty"`
	SourceFurniture   *Furniture          `json:"source_furniture,omitempty"`
	HeaderLabels      *Labels             `json:"header_labels,omitempty"`
	MaxPages          int                 `json:"max_pages,omitempty"`
	ParentSnapshotID  string              `json:"parent_snapshot_id,omitempty"`
	MemberPath        string              `json:"member_path,omitempty"`
	RuleVersions      map[string]string   `json:"rule_versions"` // urlcanon, typing
}

// Validate returns an error that names the first field that breaks seed 002's
// invariants.
func (s Snapshot) Validate() error {
	switch {
	case !strings.HasPrefix(s.SnapshotID, "snap_"):
		return fmt.Errorf("snapshot_id %q: must begin with snap_", s.SnapshotID)
	case !ValidSourceID(s.SourceID):
		return fmt.Errorf("source_id %q is not valid", s.SourceID)
	case !strings.HasPrefix(s.ContentHash, "sha256:") || len(s.ContentHash) != 71:
		return fmt.Errorf("content_hash %q: must be sha256: and 64 hex digits", s.ContentHash)
	case s.ByteLength < 0:
		return errors.New("byte_length: must not be negative")
	case s.RetrievedAt.IsZero():
		return errors.New("retrieved_at: must be set")
	case s.LastModified.IsZero():
		return errors.New("last_modified: must be set")
	case s.ExternalID == "" || s.DocumentID == "":
		return errors.New("a snapshot belongs to a document: external_id and document_id must be set")
	case len(s.ResponseHeaders) > 0 && s.RedactionPolicyID == "":
		return errors.New("redaction_policy_id: must be set when headers are stored (seed 002)")
	}
	return nil
}

// IngestStatus is seed 004's state of a document.
type IngestStatus string

// The states of seed 004.
const (
	IngestPending IngestStatus = "pending"
	IngestDone    IngestStatus = "done"
	IngestError   IngestStatus = "error"
)

// Document is one row of seed 004's document_catalog and seed 003's sources:
// the thing of which snapshots are the versions. Its zero times mean "never".
type Document struct {
	DocumentID          string            `json:"document_id"`
	SourceID            string            `json:"source_id"`
	ExternalID          string            `json:"external_id"`
	CanonicalURL        string            `json:"canonical_url"`
	Slug                string            `json:"slug"`
	ContentType         string            `json:"content_type"`
	FinalType           FinalType         `json:"final_type"`
	Title               string            `json:"title"`
	Host                string            `json:"host"`
	CurrentSnapshotID   string            `json:"current_snapshot_id"`
	CurrentExtractionID string            `json:"current_extraction_id"`
	CurrentDocHash      string            `json:"current_doc_hash"`
	CurrentGeneration   int               `json:"current_generation"`
	SourceType          string            `json:"source_type"`
	Domain              string            `json:"domain"`
	Territory           string            `json:"territory"`
	ETag                string            `json:"etag"`
	LastModified        Time              `json:"last_modified"`
	ContentHash         string            `json:"content_hash"`
	Fingerprint         string            `json:"fingerprint"`
	Language            string            `json:"language"`
	Meta                map[string]string `json:"meta"`
	FirstSeenAt         Time              `json:"first_seen_at"`
	LastCheckedAt       Time              `json:"last_checked_at"`
	LastSeenAt          Time              `json:"last_seen_at"`
	LastIngestedAt      Time              `json:"last_ingested_at"`
	LastProcessedAt     Time              `json:"last_processed_at"`
	IngestStatus        IngestStatus      `json:"ingest_status"`
	ErrorMessage        string            `json:"error_message"`
}
