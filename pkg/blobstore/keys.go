package blobstore

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// The keys (contracts#keys). Every key but a bundle's starts with the source_id,
// so that nothing is shared between sources and a takedown can go by prefix.
// Digests are 64 hex digits of a sha256.

// SourcePrefix returns what all keys of a source start with.
func SourcePrefix(sourceID string) string { return sourceID + "/" }

// RawKey returns the key of captured bytes in Raw:
// {source_id}/sha256/ab/abcd…. contentHash is a content_hash or wire_hash, with
// its sha256: in front; another is an error.
func RawKey(sourceID, contentHash string) (string, error) {
	sum, err := digest.ContentHex(contentHash)
	if err != nil {
		return "", fmt.Errorf("key of captured bytes: %w", err)
	}
	return fmt.Sprintf("%s/sha256/%s/%s", sourceID, sum[:2], sum), nil
}

// FactsKey returns the key of a document's facts in Derived.
func FactsKey(sourceID, extractionID, snapshotID, sum string) string {
	return fmt.Sprintf("%s/facts/%s/%s.%s.json.zst", sourceID, extractionID, snapshotID, sum)
}

// SegmentKey returns the key of the IR segment of pages [from, to] in Derived.
func SegmentKey(sourceID, extractionID, snapshotID string, from, to int, sum string) string {
	return fmt.Sprintf("%s/ir/%s/%s/%d-%d.%s.jsonl.zst", sourceID, extractionID, snapshotID, from, to, sum)
}

// OCRKey returns the key of a stored OCR result in Derived; sum is the digest
// of [picture, languages, parameters].
func OCRKey(sourceID, engine, version, sum string) string {
	return fmt.Sprintf("%s/ocr/%s/%s/%s.json.zst", sourceID, token(engine), token(version), sum)
}

// LLMKey returns the key of a stored answer of a language model in Derived;
// sum is the digest of its input.
func LLMKey(sourceID, model, promptVersion, sum string) string {
	return fmt.Sprintf("%s/llm/%s/%s/%s.json", sourceID, token(model), token(promptVersion), sum)
}

// FigureKey returns the key of a picture in Derived; sum is the PNG's digest.
func FigureKey(sourceID, sum string) string {
	return fmt.Sprintf("%s/figures/%s.png", sourceID, sum)
}

// ThumbKey returns the key of a page's small picture in Derived, width pixels
// wide.
func ThumbKey(sourceID, snapshotID string, pageNo, width int) string {
	return fmt.Sprintf("%s/thumbs/%s/%d-%d.png", sourceID, snapshotID, pageNo, width)
}

// InboxKey returns the key under which a source hands over an object called
// name in Inbox.
func InboxKey(sourceID, name string) string { return SourcePrefix(sourceID) + name }

// CheckInboxKey returns an error unless the key lies under the source's own
// prefix of the inbox (contracts#inbox).
func CheckInboxKey(sourceID, key string) error {
	rest, ours := strings.CutPrefix(key, SourcePrefix(sourceID))
	if !ours || rest == "" || len(key) > 1024 {
		return fmt.Errorf("the object's key must be %s followed by a name, 1,024 bytes in all", SourcePrefix(sourceID))
	}
	for part := range strings.SplitSeq(rest, "/") {
		if part == "" || part == "." || part == ".." {
			return fmt.Errorf("the object's key holds an empty part, \".\" or \"..\"")
		}
	}
	return nil
}

// token makes one part of a key of a name that may hold anything, such as a
// model's.
func token(name string) string { return url.PathEscape(name) }
