package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Identity returns the identity of a document, kept as external_id:
// sourceRecordID when the source gives one, else urlCanonical. A request with
// neither is malformed (contracts#request).
func Identity(sourceRecordID, urlCanonical string) (string, error) {
	switch {
	case sourceRecordID != "":
		return sourceRecordID, nil
	case urlCanonical != "":
		return urlCanonical, nil
	default:
		return "", errors.New("identity: neither a source_record_id nor a URL")
	}
}

// DocumentID returns the document_id: doc_ + base32 [source_id, identity].
func DocumentID(sourceID, identity string) string {
	return "doc_" + Base32(HashParts(sourceID, identity))
}

// SnapshotID returns the snapshot_id:
// snap_ + base32 [source_id, request_id, content_hash].
func SnapshotID(sourceID, requestID, contentHash string) string {
	return "snap_" + Base32(HashParts(sourceID, requestID, contentHash))
}

// CaptureFileRequestID returns the request_id of a file that the command line
// hands over: f- + base32 [path, content_hash]; a nonce that is not empty is a
// third part (contracts#request-id).
func CaptureFileRequestID(path, contentHash, nonce string) string {
	parts := []string{path, contentHash}
	if nonce != "" {
		parts = append(parts, nonce)
	}
	return "f-" + Base32(HashParts(parts...))
}

// MemberRequestID returns the request_id of an archive member:
// {request_id}!/{path}.
func MemberRequestID(requestID, memberPath string) string {
	return requestID + "!/" + memberPath
}

// WARCRecordRequestID returns the request_id of a WARC record: {request_id}@{offset}, with
// the record's offset in bytes. place is the member_path, @{offset}.
func WARCRecordRequestID(requestID, place string) string { return requestID + place }

// pageNamespace is the UUIDv5 namespace of page ids (contracts#page-id).
const pageNamespace = "73c15fea-3436-56ec-ae28-9e9b5bce0920"

// PageID returns the page_id: UUIDv5 of {snapshot_id}/{page_no}, page_no
// counting from 1.
func PageID(snapshotID string, pageNo int) string {
	name := snapshotID + "/" + strconv.Itoa(pageNo)
	return uuid.NewSHA1(uuid.MustParse(pageNamespace), []byte(name)).String()
}

// RecordID returns the UUID of a record of an exported web archive: UUIDv5 of
// {snapshot_id}/{kind of record}, in the namespace of page ids, whose names end
// with a number.
func RecordID(snapshotID, kind string) string {
	return uuid.NewSHA1(uuid.MustParse(pageNamespace), []byte(snapshotID+"/"+kind)).String()
}

// ExtractionID returns the extraction_id: the first 16 hex digits of the
// sha256 of [parser_version, source_rules_digest, ocr_run]. ocrRun is "" but
// for an explicit OCR re-run, where it is the digest of its settings.
func ExtractionID(parserVersion, sourceRulesDigest, ocrRun string) string {
	return HexParts(parserVersion, sourceRulesDigest, ocrRun)[:16]
}

// IRID returns the ir_id: ir_ + base32 [page_id, extraction_id,
// record_locator], the locator as the JSON object that the unit carries. It
// fails when the locator has no canonical JSON.
func IRID(pageID, extractionID string, recordLocator any) (string, error) {
	return new(Canonical).IRID(pageID, extractionID, recordLocator)
}

// IRID returns what the function [IRID] does, faster for many units of one type.
func (c *Canonical) IRID(pageID, extractionID string, recordLocator any) (string, error) {
	b := appendString(append(c.hashed[:0], '['), pageID)
	b = appendString(append(b, ','), extractionID)
	b, err := c.Append(append(b, ','), recordLocator)
	if err != nil {
		return "", fmt.Errorf("ir id: %w", err)
	}
	c.hashed = append(b, ']')
	return "ir_" + Base32(sha256.Sum256(c.hashed)), nil
}

// BlockID returns a block's id: {type}_{position}_{first 8 of its block hash},
// position counting from 1 among the blocks of that type on the page.
func BlockID(blockType string, position int, blockHash string) string {
	return blockType + "_" + strconv.Itoa(position) + "_" + first(blockHash, 8)
}

// FailedBlockID returns the block id of a page's n-th error unit, from 1:
// failed_block_{NNN}.
func FailedBlockID(n int) string {
	return fmt.Sprintf("failed_block_%03d", n)
}

// TableID returns tbl-{page}-{n}, both from 1.
func TableID(pageNo, n int) string {
	return fmt.Sprintf("tbl-%d-%d", pageNo, n)
}

// FigureID returns fig-{page}-{n}, both from 1.
func FigureID(pageNo, n int) string {
	return fmt.Sprintf("fig-%d-%d", pageNo, n)
}

// EntityID returns an entity's id: slugify(title, else the first ten words of
// the evidence), "-", and the first 8 hex digits of the sha256 of page_id and
// evidence, one after the other (contracts#entity-id, seeds#extraction).
func EntityID(title, pageID, evidence string) string {
	if title == "" {
		words := strings.Fields(evidence)
		title = strings.Join(words[:min(10, len(words))], " ")
	}
	return joinSlug(slugify(title), Hex([]byte(pageID + evidence))[:8])
}

// DocHash returns the doc_hash: hex sha256 of [source_id, identity,
// last_modified, final_type], last_modified as [LastModified] writes it.
func DocHash(sourceID, identity, lastModified, finalType string) string {
	return HexParts(sourceID, identity, lastModified, finalType)
}

// DocHash004 returns the doc_hash of seeds#store, for who must meet ids made elsewhere:
// hex sha256 of canonical URL, last_modified and type, one after the other.
func DocHash004(canonicalURL, lastModified, finalType string) string {
	return Hex([]byte(canonicalURL + lastModified + finalType))
}

// LastModified returns t as last_modified is stored and hashed: RFC 3339, UTC,
// whole seconds (cut, not rounded), Z. The zero time, which is none, is "".
func LastModified(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}

// ChunkID returns the chunk_id: the chunk's index from 0, and from the second
// generation of its doc_hash on "@" and the generation, which counts from 1.
func ChunkID(index, generation int) string {
	if generation <= 1 {
		return strconv.Itoa(index)
	}
	return strconv.Itoa(index) + "@" + strconv.Itoa(generation)
}

// ChunkRef returns the chunk_ref, the point_id_readable of a point:
// {doc_hash}:{chunk_id}.
func ChunkRef(docHash, chunkID string) string {
	return docHash + ":" + chunkID
}

// PointID returns the id of a chunk's vector: the first 128 bits of the
// sha256 of chunk_ref written as a UUID, the bits as they are.
func PointID(chunkRef string) string {
	sum := sha256.Sum256([]byte(chunkRef))
	return uuid.UUID(sum[:16]).String()
}

// pointID004 returns the point id of seeds#store, for who must meet ids made elsewhere:
// the first 64 bits of the sha256 of chunk_ref as an unsigned integer.
func pointID004(chunkRef string) uint64 {
	sum := sha256.Sum256([]byte(chunkRef))
	return binary.BigEndian.Uint64(sum[:8])
}

// PointUUID004 returns pointID004 in the form of a UUID: the number is the last 64 bits, the
// first are 0. What keeps ids of points as UUIDs keeps numbers so.
func PointUUID004(chunkRef string) string {
	return NumberUUID(pointID004(chunkRef))
}

// NumberUUID returns an id of a point that is a number in the form of a UUID.
func NumberUUID(n uint64) string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[8:], n)
	return id.String()
}

// UUIDNumber returns the number that NumberUUID has made a UUID of; ok is false for any
// other.
func UUIDNumber(id string) (n uint64, ok bool) {
	parsed, err := uuid.Parse(id)
	if err != nil || binary.BigEndian.Uint64(parsed[:8]) != 0 {
		return 0, false
	}
	return binary.BigEndian.Uint64(parsed[8:]), true
}

// PageHash returns the page hash: sha256 of the block hashes joined by "\n",
// in reading order, of all units but errors (contracts#page-hash).
func PageHash(blockHashes []string) string {
	return Hex([]byte(strings.Join(blockHashes, "\n")))
}

// PageContentHash returns a page's content_hash, bare hex: sha256 of its DOCXT
// HTML. The caller leaves id and slug of the PAGE marker empty.
func PageContentHash(docxtHTML []byte) string {
	return Hex(docxtHTML)
}

// straightQuotes makes the quotation marks of DOCXT HTML alike: the curly ones of texts,
// and those that its attributes write as character references.
var straightQuotes = strings.NewReplacer("\u201C", `"`, "\u201D", `"`, "\u201E", `"`, "\u201F", `"`, "&quot;", `"`)

// PageContentHashFolded returns a page's content_hash_folded, bare hex: sha256 of its
// DOCXT HTML in which U+201C to U+201F and &quot; are `"`, so that a page whose
// quotation marks alone have changed has the same (contracts#page-content-hash-folded).
func PageContentHashFolded(docxtHTML string) string {
	return Hex([]byte(straightQuotes.Replace(docxtHTML)))
}

// first returns the first n bytes of s, or all of a shorter one.
func first(s string, n int) string {
	return s[:min(n, len(s))]
}

// Picture names a page, or a region of it, that is to be read by OCR, whoever reads it:
// hex sha256 of [content_hash, page, region], and of the languages that are known of its
// document, since what is read depends on them. pageNo counts from 1; a nil region is
// the whole page.
func Picture(contentHash string, pageNo int, region *BBox, languages []string) string {
	part := ""
	if region != nil {
		part = fmt.Sprintf("%g,%g,%g,%g", region.X, region.Y, region.W, region.H)
	}
	parts := []string{contentHash, fmt.Sprint(pageNo), part}
	if len(languages) > 0 {
		parts = append(parts, strings.Join(languages, ","))
	}
	return HexParts(parts...)
}
