package model

import (
	"fmt"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// reads is what extraction, chunks and their headers are made of in a snapshot,
// beside its name, its time and last_modified. The last is left out on purpose:
// bytes that a server only dates anew say nothing new.
type reads struct {
	SourceID           string            `json:"source_id"`
	DocumentID         string            `json:"document_id"`
	ExternalID         string            `json:"external_id"`
	ContentHash        string            `json:"content_hash"`
	ByteLength         int64             `json:"byte_length"`
	SnapshotKind       SnapshotKind      `json:"snapshot_kind"`
	FinalType          FinalType         `json:"final_type"`
	ContentType        string            `json:"content_type"`
	HTTPContentType    string            `json:"http_content_type"`
	DetectedMIME       string            `json:"detected_mime"`
	URLExt             string            `json:"url_ext"`
	Filename           string            `json:"filename"`
	Encoding           string            `json:"encoding"`
	Language           string            `json:"language"`
	Region             string            `json:"region"`
	URL                string            `json:"url"` // links are resolved against it
	URLCanonical       string            `json:"url_canonical"`
	LastModifiedOrigin string            `json:"last_modified_origin"` // chunks say it
	SourceName         string            `json:"source_name"`
	SourceType         string            `json:"source_type"`
	Domain             string            `json:"domain"`
	Territory          string            `json:"territory"`
	Layer              Layer             `json:"layer"`
	Rules              UnitRules         `json:"rules"`
	HeaderLabels       *Labels           `json:"header_labels"`
	ContextLine        bool              `json:"context_line,omitempty"` // as digests of before it have it
	MaxPages           int               `json:"max_pages"`
	RuleVersions       map[string]string `json:"rule_versions"`
}

// ReadsDigest returns the digest of what extraction reads of the snapshot: hex
// sha256 of its canonical JSON. Of two snapshots of one document with equal
// digests the same units and chunks are made, but for the ids and the times that
// name the snapshot, and for the date. It is compared within one document only.
// It fails for what has no canonical JSON.
func (s Snapshot) ReadsDigest() (string, error) {
	canonical, err := digest.JCS(reads{
		SourceID: s.SourceID, DocumentID: s.DocumentID, ExternalID: s.ExternalID,
		ContentHash: s.ContentHash, ByteLength: s.ByteLength, SnapshotKind: s.SnapshotKind, FinalType: s.FinalType,
		ContentType: s.ContentType, HTTPContentType: s.HTTPContentType, DetectedMIME: s.DetectedMIME,
		URLExt: s.URLExt, Filename: s.Filename, Encoding: s.Encoding, Language: s.Language, Region: s.Region,
		URL: s.URL, URLCanonical: s.URLCanonical, LastModifiedOrigin: s.LastModifiedOrigin,
		SourceName: s.SourceName, SourceType: s.SourceType, Domain: s.Domain, Territory: s.Territory, Layer: s.Layer,
		Rules: s.UnitRules(), HeaderLabels: s.HeaderLabels, ContextLine: s.ContextLine, MaxPages: s.MaxPages, RuleVersions: s.RuleVersions,
	})
	if err != nil {
		return "", fmt.Errorf("what is read of snapshot %s: %w", s.SnapshotID, err)
	}
	return digest.Hex(canonical), nil
}
