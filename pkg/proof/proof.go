// Package proof walks from a chunk down to the captured bytes and says where
// the way breaks (contracts#proof). It trusts no stored verdict: everything is
// read, made or computed again. What it reads is passed in.
package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// ErrGone says that something that a proof needs does not exist any more. A
// Reader wraps it; it becomes a break. Every other error of a Reader says that
// nothing could be found out, and ends the walk.
var ErrGone = errors.New("does not exist")

// ErrOtherParser says that pages cannot be made again as they were, because the
// parser at hand is another than the recorded one.
var ErrOtherParser = errors.New("another parser is at hand")

// Reader is what the walk reads. None of its methods may verify on its own
// account, or a broken thing would look like one that cannot be read.
type Reader interface {
	Records
	Captured
	Derived
	// Points compares the points of chunks with what they must be, and returns
	// what is wrong by chunk_ref.
	Points(ctx context.Context, items []Item) (map[string]string, error)
}

// Records reads the catalog.
type Records interface {
	Snapshot(ctx context.Context, snapshotID string) (model.Snapshot, error)
	Run(ctx context.Context, snapshotID, extractionID string) (model.Run, error)
	// Manifest returns one generation of a doc_hash.
	Manifest(ctx context.Context, docHash string, generation int) (model.Manifest, error)
	// Chunks returns the chunks with these chunk_refs, in any order; those that do not exist are left out.
	Chunks(ctx context.Context, refs []string) ([]Item, error)
	// SegmentsAt returns the segments that counted at a redo, by first page.
	SegmentsAt(ctx context.Context, snapshotID, extractionID string, redo int) ([]model.SegmentRow, error)
}

// Derived reads what was made of captured bytes, and makes it again.
type Derived interface {
	// Object returns the bytes of a derived object.
	Object(ctx context.Context, key string) ([]byte, error)
	// OCRResult returns the stored OCR result that a page names.
	OCRResult(ctx context.Context, sourceID string, read model.PageOCR) ([]byte, error)
	// Remake extracts pages again and returns their encoded frames in order, or
	// ErrOtherParser. read is what OCR has said of them.
	Remake(ctx context.Context, s model.Snapshot, run model.Run, facts []byte, r model.PageRange, read []PageRead) ([][]byte, error)
}

// Captured reads captured bytes.
type Captured interface {
	// RawDigest reads the captured bytes and returns their content hash and
	// length.
	RawDigest(ctx context.Context, s model.Snapshot) (hash string, length int64, err error)
	// RawSlice returns bytes [start, end) of the captured bytes.
	RawSlice(ctx context.Context, s model.Snapshot, start, end int64) ([]byte, error)
	// MemberDigest reads a container's captured bytes and returns the content
	// hash of the member at a path, as it lies there: before content decoding.
	MemberDigest(ctx context.Context, container model.Snapshot, path string) (hash string, err error)
}

// PageRead is what OCR has said of a page or a part of it, with the stored
// result, nil when it failed.
type PageRead struct {
	PageNo int
	OCR    model.PageOCR
	Result []byte
}

// Item is a chunk with its state: what is to be proved.
type Item struct {
	Chunk  model.Chunk
	State  model.ChunkState // its ChunkRef is that under which the chunk is kept
	Unread string           // what could not be read of the chunk; "" when all could
	Apart  bool             // the columns of its row are not those of its record
}

// Verdict is the result of a walk.
type Verdict string

// The verdicts.
const (
	Verified Verdict = "verified" // every byte, by making its page again
	Anchored Verdict = "anchored" // by slices and digests: the page was made by another parser
	Broken   Verdict = "broken"
)

// Break is one place where the way from chunk to bytes is broken.
type Break struct {
	Step  string `json:"step"`  // a the raw bytes, b the IR segment, c the page extracted again, d ids and hashes, e the chunk's text, f the point in the vector store (contracts#proof); g the other way, from the bytes to rows, chunks and points
	Where string `json:"where"` // the thing: a snapshot, page 3, ir_…, text[120:140]
	What  string `json:"what"`  // what differs, as a sentence
	// More is how many more the same check has found, in the last one that is listed of it.
	More int `json:"more,omitempty"`
}

// Step is one link of the chain that a proof shows.
type Step struct {
	IRID     string         `json:"ir_id"`
	Type     model.UnitType `json:"type"`     // type of the unit
	Page     int            `json:"page"`     // page of the unit, from 1
	Start    int            `json:"start"`    // in the chunk's text
	End      int            `json:"end"`      // byte behind the last one
	Evidence model.Evidence `json:"evidence"` // where in the captured bytes the unit stands
}

// Proof is what was found about one chunk.
type Proof struct {
	ChunkRef    string  `json:"chunk_ref"`
	Verdict     Verdict `json:"verdict"`         // verified, anchored (another parser made it: slices and quotes hold) or broken
	Proved      int     `json:"proved_bytes"`    // bytes of the chunk's text that are in the captured bytes
	Synthetic   int     `json:"synthetic_bytes"` // bytes that a rule wrote
	SnapshotID  string  `json:"snapshot_id"`
	ContentHash string  `json:"content_hash"` // sha256: and hex, of the captured bytes
	URL         string  `json:"url"`          // where the document is from; of a member of a container its identity
	// SourceRef says where the chunk stands in words that people cite by
	// (contracts#source-ref); absent when its snapshot does not exist.
	SourceRef *model.SourceRef `json:"source_ref,omitempty"`
	Steps     []Step           `json:"steps"`  // the way of each unit, in the order of the text
	Breaks    []Break          `json:"breaks"` // what does not hold
}

// Verify proves chunks of one generation of one doc_hash, which share snapshot
// and extraction. The error is for what could not be read.
func Verify(ctx context.Context, r Reader, items []Item) ([]Proof, error) {
	if len(items) == 0 {
		return nil, nil
	}
	c := items[0].Chunk
	doc, err := open(ctx, r, model.Manifest{SnapshotID: c.SnapshotID, ExtractionID: c.ExtractionID, DocHash: c.DocHash, Generation: c.Generation})
	if err != nil {
		return nil, err
	}
	return doc.prove(ctx, items)
}

func (d *document) prove(ctx context.Context, items []Item) ([]Proof, error) {
	read := make([]Item, 0, len(items))
	for _, item := range items {
		if item.Unread == "" {
			read = append(read, item)
		}
	}
	points, err := d.reader.Points(ctx, read)
	if err != nil {
		return nil, fmt.Errorf("reading points: %w", err)
	}
	proofs := make([]Proof, len(items))
	for i, item := range items {
		if proofs[i], err = d.chunk(ctx, item); err != nil {
			return nil, err
		}
		if what, wrong := points[item.Chunk.ChunkRef]; wrong {
			proofs[i].Breaks = append(proofs[i].Breaks, Break{Step: "f", Where: "point " + model.PointIDOf(proofs[i].ChunkRef, item.Chunk.RuleVersions), What: what})
		}
		if len(proofs[i].Breaks) > 0 {
			proofs[i].Verdict = Broken
		}
	}
	return proofs, nil
}

// document is what the chunks of a generation share, read once.
type document struct {
	reader   Reader
	snapshot model.Snapshot
	run      model.Run
	manifest model.Manifest
	facts    []byte
	rows     []model.SegmentRow
	ranges   map[int]*pageRange // by first page
	recent   []int              // those whose frames are in memory, the last read last
	breaks   []Break            // of the document, shared by all chunks
	known    bool               // snapshot, run and manifest exist
	rawThere int64              // how many captured bytes there are, whatever they are
	remake   bool               // raw bytes and facts are those of the record: pages can be made again
}

// open reads what the chunks of a generation share; of at only the key of
// snapshot, run and generation counts.
func open(ctx context.Context, r Reader, at model.Manifest) (*document, error) {
	d := &document{reader: r, ranges: make(map[int]*pageRange)}
	var err error
	if d.snapshot, err = r.Snapshot(ctx, at.SnapshotID); d.lost("a", "snapshot "+at.SnapshotID, &err) || err != nil {
		return d, err
	}
	if d.run, err = r.Run(ctx, at.SnapshotID, at.ExtractionID); d.lost("b", "run "+at.ExtractionID, &err) || err != nil {
		return d, err
	}
	if d.manifest, err = r.Manifest(ctx, at.DocHash, at.Generation); d.lost("b", "manifest "+at.DocHash, &err) || err != nil {
		return d, err
	}
	d.known = true
	if d.rows, err = r.SegmentsAt(ctx, at.SnapshotID, at.ExtractionID, d.manifest.Redo); err != nil {
		return d, err
	}
	if err := d.checkIDs(); err != nil {
		return d, err
	}
	d.checkRanges()
	if err := d.checkRaw(ctx); err != nil {
		return d, err
	}
	return d, d.readFacts(ctx)
}

// lost turns an ErrGone into a break of the document.
func (d *document) lost(step, where string, err *error) bool {
	if !errors.Is(*err, ErrGone) {
		return false
	}
	d.breaks = append(d.breaks, Break{Step: step, Where: where, What: "does not exist"})
	*err = nil
	return true
}

func (d *document) fail(step, where, format string, args ...any) {
	d.breaks = append(d.breaks, Break{Step: step, Where: where, What: fmt.Sprintf(format, args...)})
}

// checkSnapshot computes the ids of snapshot and document again.
func (d *document) checkSnapshot() {
	s := d.snapshot
	if id := digest.SnapshotID(s.SourceID, s.RequestID, s.ContentHash); id != s.SnapshotID {
		d.fail("a", "snapshot "+s.SnapshotID, "its id computes to %s", id)
	}
	if id := digest.DocumentID(s.SourceID, s.ExternalID); id != s.DocumentID {
		d.fail("a", "snapshot "+s.SnapshotID, "document_id %s computes to %s", s.DocumentID, id)
	}
}

// checkAddress makes the canonical form of a snapshot's URL again, and redacts what was
// redacted, under the versions that the snapshot names: both have no effect a second
// time. What names no version is not checked.
func (d *document) checkAddress() {
	s := d.snapshot
	where := "snapshot " + s.SnapshotID
	if version := s.RuleVersions["urlcanon"]; version != "" && s.URL != "" {
		canonical, err := digest.URLCanon(version, s.URL)
		stands := s.URLCanonical
		if err == nil && version == digest.URLCanonVersion2 { // which looked into values with other eyes than redact_v3's
			stands, err = digest.URLCanon(version, stands)
		}
		switch {
		case err != nil:
			d.fail("d", where, "url_canonical cannot be made again: %v", err)
		case canonical != stands:
			d.fail("d", where, "url_canonical %s computes to %s", s.URLCanonical, canonical)
		}
	}
	switch s.RedactionPolicyID {
	case "":
		return
	case redact.Version, digest.RedactVersion3, digest.RedactVersion2, digest.RedactVersion1:
	default:
		d.fail("d", where, "its redaction_policy_id %q is unknown", s.RedactionPolicyID)
		return
	}
	for _, url := range append([]string{s.URL}, s.RedirectChain...) {
		if !digest.IsRedacted(s.RedactionPolicyID, url) {
			d.fail("d", where, "an address in it is not redacted by %s", s.RedactionPolicyID)
		}
	}
	for name, value := range s.Metadata {
		if !digest.IsValueRedacted(s.RedactionPolicyID, name, value) {
			d.fail("d", where, "metadata %q is not redacted by %s", name, s.RedactionPolicyID)
		}
	}
}

// checkIDs computes the ids of snapshot, document and run again.
func (d *document) checkIDs() error {
	d.checkSnapshot()
	d.checkAddress()
	s := d.snapshot
	rules, err := digest.SourceRulesDigest(s.Under(d.run).UnitRules())
	if err != nil {
		return err
	}
	if id := digest.ExtractionID(d.run.ParserVersion, rules, d.run.OCRRun()); id != d.run.ExtractionID {
		d.fail("d", "run "+d.run.ExtractionID, "its extraction_id computes to %s", id)
	}
	digests := make([]string, len(d.rows))
	for i, row := range d.rows {
		digests[i] = row.Digest
	}
	m := d.manifest
	if m.SnapshotID != s.SnapshotID || m.ExtractionID != d.run.ExtractionID || m.SegmentsDigest != digest.HexParts(digests...) {
		d.fail("b", "manifest "+m.DocHash, "is not of the segments of this run at redo %d", m.Redo)
	}
	return nil
}

// checkRanges takes away the segments whose row says no range of pages: nothing is read
// by it.
func (d *document) checkRanges() {
	d.rows = slices.DeleteFunc(d.rows, func(row model.SegmentRow) bool {
		ranged := row.From >= 1 && row.To >= row.From && row.To-row.From < model.RangeSize
		if !ranged {
			d.fail("b", fmt.Sprintf("segment of pages %d–%d", row.From, row.To), "is no range of pages")
		}
		return !ranged
	})
}

func (d *document) checkRaw(ctx context.Context) error {
	s := d.snapshot
	where := "raw bytes of " + s.SnapshotID
	hash, length, err := d.reader.RawDigest(ctx, s)
	if d.lost("a", where, &err) || err != nil {
		return err
	}
	d.rawThere = length
	d.remake = hash == s.ContentHash && length == s.ByteLength
	if !d.remake {
		d.fail("a", where, "sha256 is %s over %d bytes, recorded %s over %d", hash, length, s.ContentHash, s.ByteLength)
	}
	return d.checkMember(ctx)
}

// checkMember takes a member out of its container again (contracts#proof).
func (d *document) checkMember(ctx context.Context) error {
	s := d.snapshot
	if s.ParentSnapshotID == "" {
		return nil
	}
	container, err := d.reader.Snapshot(ctx, s.ParentSnapshotID)
	if d.lost("a", "container "+s.ParentSnapshotID, &err) || err != nil {
		return err
	}
	where := "member " + s.MemberPath + " of " + s.ParentSnapshotID
	hash, err := d.reader.MemberDigest(ctx, container, s.MemberPath)
	if d.lost("a", where, &err) || err != nil {
		return err
	}
	if want := cmp.Or(s.WireHash, s.ContentHash); hash != want {
		d.fail("a", where, "sha256 is %s, recorded %s", hash, want)
	}
	return nil
}

func (d *document) readFacts(ctx context.Context) error {
	if d.run.FactsKey == "" {
		return nil
	}
	where := "document facts of " + d.snapshot.SnapshotID
	data, err := d.reader.Object(ctx, d.run.FactsKey)
	if d.lost("b", where, &err) {
		d.remake = false
		return nil
	}
	if err != nil {
		return err
	}
	if got := digest.Hex(data); got != d.run.FactsDigest {
		d.fail("b", where, "sha256 is %s, recorded %s", got, d.run.FactsDigest)
		d.remake = false
		return nil
	}
	d.facts = data
	return nil
}
