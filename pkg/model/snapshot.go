package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// SnapshotKind is the kind of a snapshot (seeds#capture, widened by contracts#kinds).
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

// FinalType is the type of a document (seeds#store, widened by contracts#kinds).
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

// FinalTypes returns all final types.
func FinalTypes() []FinalType {
	return []FinalType{TypePDF, TypeZIP, TypeHTML, TypeText, TypeImage, TypeWARC, TypeUnknown}
}

// Snapshot is one immutable capture: the bytes, where and when they are from, and
// what they were taken for (seeds#capture; its typing fields are those of seeds#store). It
// is inserted once and never changed.
type Snapshot struct {
	SnapshotID      string       `json:"snapshot_id"`                 // snap_ and 26 characters of base32, of source_id, request_id and content_hash
	SnapshotGroupID string       `json:"snapshot_group_id,omitempty"` // what the request said: groups snapshots that were taken together
	DocumentID      string       `json:"document_id"`                 // doc_ and 26 characters of base32, of source_id and the document's identity
	RequestID       string       `json:"request_id"`                  // the request that asked for it, unique within its source
	SourceID        string       `json:"source_id"`                   // the source, 1 to 64 of a-z, 0-9, _ and -
	SourceName      string       `json:"source_name"`                 // display name of the source when it was captured
	SnapshotKind    SnapshotKind `json:"snapshot_kind"`               // html, pdf, image_scan, text_file, container or other
	FinalType       FinalType    `json:"final_type"`                  // what the bytes are: pdf, zip, html, text, image, warc or unknown

	URL                        string   `json:"url,omitempty"`                          // final URL, redacted
	URLCanonical               string   `json:"url_canonical,omitempty"`                // url in the canonical form that identifies documents
	URLCanonicalizationVersion string   `json:"url_canonicalization_version,omitempty"` // version of the rules for url_canonical
	SourceRecordID             string   `json:"source_record_id,omitempty"`             // the source's own stable id, when it has one
	ExternalID                 string   `json:"external_id"`                            // the document's identity (contracts#identity)
	RedirectChain              []string `json:"redirect_chain,omitempty"`               // the URLs that led to url, the requested one first; redacted
	Filename                   string   `json:"filename,omitempty"`                     // name of the file, as the server or the crawler gave it
	Slug                       string   `json:"slug"`                                   // readable name of the document, unique, fixed at its first capture

	RetrievedAt     Time   `json:"retrieved_at"`               // when the bytes were fetched: of our own fetch when the answer came, by the clock of the catalog, else as the request says; versions of a document are ordered by it
	HTTPStatus      int    `json:"http_status,omitempty"`      // status of the server's answer; 0 when there was none
	ContentType     string `json:"content_type,omitempty"`     // media type that the server or the crawler named
	ContentHash     string `json:"content_hash"`               // sha256:… of the stored bytes
	ByteLength      int64  `json:"byte_length"`                // of the stored bytes
	Encoding        string `json:"encoding,omitempty"`         // as declared, best effort
	ContentEncoding string `json:"content_encoding,omitempty"` // content coding that was undone before the bytes were stored
	WireHash        string `json:"wire_hash,omitempty"`        // sha256:… of the bytes before content decoding

	// How the text is to be read, by its first 64 KiB; the bytes are never changed.
	DetectedEncoding   string  `json:"detected_encoding,omitempty"`   // WHATWG name; "" when it is no text
	EncodingOrigin     string  `json:"encoding_origin,omitempty"`     // byte_order_mark, http, document, bytes
	EncodingConfidence float64 `json:"encoding_confidence,omitempty"` // 0 to 1

	HTTPContentType        string `json:"http_content_type,omitempty"`        // Content-Type of the answer, as it was
	HTTPContentDisposition string `json:"http_content_disposition,omitempty"` // Content-Disposition of the answer, as it was
	URLExt                 string `json:"url_ext,omitempty"`                  // extension in the URL, lower case, without the dot
	DetectedMIME           string `json:"detected_mime,omitempty"`            // media type that the bytes themselves show
	DetectedExt            string `json:"detected_ext,omitempty"`             // extension of that type, without the dot
	FetchStatus            string `json:"fetch_status,omitempty"`             // ok, redirected, blocked, error

	ETag               string `json:"etag,omitempty"`       // ETag of the server, for conditional requests
	LastModified       Time   `json:"last_modified"`        // whole seconds
	LastModifiedOrigin string `json:"last_modified_origin"` // where last_modified is from: http_header, meta (of the page), pdf, file, archive_member, retrieved_at, request_time, or the crawler's own word

	RequestHeaders    map[string][]string `json:"request_headers,omitempty"`     // what our own fetch asked with, after redaction; a crawler's are not taken
	ResponseHeaders   map[string][]string `json:"response_headers,omitempty"`    // after redaction only
	RedactionPolicyID string              `json:"redaction_policy_id,omitempty"` // the redaction rules that the headers went through
	FetchToolVersion  string              `json:"fetch_tool_version,omitempty"`  // name and version of what fetched it
	RobotsPolicyNotes string              `json:"robots_policy_notes,omitempty"` // what was believed about the permission
	QualityFlags      []string            `json:"quality_flags,omitempty"`       // what was noticed at capture, such as truncated
	Metadata          map[string]string   `json:"metadata,omitempty"`            // names and values of the crawler's own, redacted
	Language          string              `json:"language,omitempty"`            // the crawler's hint, ISO 639-1
	Region            string              `json:"region,omitempty"`              // ISO 3166-1, of the request, else of the source
	SourceType        string              `json:"source_type"`                   // the source's: official, wiki, history, proposal, comment or forum
	Domain            string              `json:"domain"`                        // the source's domain of knowledge, such as civics
	Territory         string              `json:"territory"`                     // the source's territory
	Layer             Layer               `json:"layer"`                         // where chunks begin: hot, summary or archive
	SourceLanguage    string              `json:"source_language,omitempty"`     // the source's default language, ISO 639-1
	SourceLanguages   []string            `json:"source_languages,omitempty"`    // the languages that detection chooses among; none: all
	SourceEntry       *EntryRule          `json:"source_entry_rule,omitempty"`   // the source's rule for records on its pages, at capture
	SourceFurniture   *Furniture          `json:"source_furniture,omitempty"`    // what was known to repeat on the source's pages, at capture
	SourceEntities    []EntitySchema      `json:"source_entities,omitempty"`     // the source's schemas of entities of its own, at capture (contracts#entity-schema)
	SourceEnrich      string              `json:"source_enrich,omitempty"`       // later or wait where a model is asked about its chunks, at capture (contracts#enrichment)
	HeaderLabels      *Labels             `json:"header_labels,omitempty"`       // the words of chunk headers that the source sets; none: by language
	ContextLine       bool                `json:"context_line,omitempty"`        // chunks have a context line, which the source sets (contracts#context-line)
	MaxPages          int                 `json:"max_pages,omitempty"`           // most pages that are processed, the source's limit at capture
	ParentSnapshotID  string              `json:"parent_snapshot_id,omitempty"`  // the container that it is a member of
	MemberPath        string              `json:"member_path,omitempty"`         // its path in the container; of a web archive @{offset}
	RuleVersions      map[string]string   `json:"rule_versions"`                 // urlcanon, typing, and ids where they are the founding data model's (contracts#seed-ids)
}

// Validate returns an error that names the first field that breaks the
// invariants of seeds#capture.
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
	case len(s.ResponseHeaders)+len(s.RequestHeaders) > 0 && s.RedactionPolicyID == "":
		return errors.New("redaction_policy_id: must be set when headers are stored")
	}
	return nil
}

// IngestStatus is the state of a document (seeds#store).
type IngestStatus string

// The states (seeds#store).
const (
	IngestPending IngestStatus = "pending"
	IngestDone    IngestStatus = "done"
	IngestError   IngestStatus = "error"
)

// Document is the thing of which snapshots are the versions (seeds#store,
// document_catalog; seeds#knowledge, sources). A time that is not there means "never".
type Document struct {
	DocumentID          string       `json:"document_id"`
	SourceID            string       `json:"source_id"`
	ExternalID          string       `json:"external_id"`   // what identifies it within its source: source_record_id, else the canonical URL, of a member the container's identity, !/ and the path
	CanonicalURL        string       `json:"canonical_url"` // canonical URL of the newest snapshot
	Slug                string       `json:"slug"`
	ContentType         string       `json:"content_type"`
	FinalType           FinalType    `json:"final_type"`
	Title               string       `json:"title"`                 // title of the current version
	Host                string       `json:"host"`                  // host of the URL
	CurrentSnapshotID   string       `json:"current_snapshot_id"`   // snapshot of the current version; empty before the first run has ended
	CurrentExtractionID string       `json:"current_extraction_id"` // the current version's run
	CurrentDocHash      string       `json:"current_doc_hash"`      // doc_hash whose chunks are current
	CurrentGeneration   int          `json:"current_generation"`    // generation of that doc_hash whose chunks are current
	SourceType          string       `json:"source_type"`
	Domain              string       `json:"domain"`
	Territory           string       `json:"territory"`
	ETag                string       `json:"etag"`
	LastModified        Time         `json:"last_modified,omitzero"`     // when it was changed last, in whole seconds
	ContentHash         string       `json:"content_hash"`               // sha256: and hex, of the bytes of the newest snapshot
	Fingerprint         string       `json:"fingerprint"`                // hex sha256 of the text of the current version: equal when only the markup differs
	Language            string       `json:"language"`                   // language of the current version, ISO 639-1
	Meta                DocumentMeta `json:"meta"`                       // what the current version says of itself; empty while none is
	FirstSeenAt         Time         `json:"first_seen_at,omitzero"`     // first capture
	LastCheckedAt       Time         `json:"last_checked_at,omitzero"`   // last fetch, also one that found nothing new
	LastSeenAt          Time         `json:"last_seen_at,omitzero"`      // last time that its bytes were found
	LastIngestedAt      Time         `json:"last_ingested_at,omitzero"`  // last time that a version of it became current
	LastProcessedAt     Time         `json:"last_processed_at,omitzero"` // end of its last run
	IngestStatus        IngestStatus `json:"ingest_status"`              // pending, done or error
	ErrorMessage        string       `json:"error_message"`              // why its last run failed, as a sentence
}

// DocumentMeta is what a version of a document says of itself (seeds#knowledge, meta).
type DocumentMeta struct {
	URL   string   `json:"url,omitempty"`   // where it was captured, without secrets
	Title string   `json:"title,omitempty"` // its own title, else its first heading, else the name of its file, else its URL
	Tags  []string `json:"tags,omitempty"`  // its keywords as it names them (meta keywords, article:tag), each once, in their order
}

// Equal reports whether both say the same.
func (m DocumentMeta) Equal(o DocumentMeta) bool {
	return m.URL == o.URL && m.Title == o.Title && slices.Equal(m.Tags, o.Tags)
}
