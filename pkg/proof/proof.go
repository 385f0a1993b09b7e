// Package proof walks from a chunk down to the captured bytes and says where
// the way breaks (contracts 13.13). It trusts no stored verdict: everything is
// read, made or computed again. What it reads is passed in.
package proof

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
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
	Snapshot(ctx context.Context, snapshotID string) (model.Snapshot, error)
	Run(ctx context.Context, snapshotID, extractionID string) (model.Run, error)
	// Manifest returns one generation of a doc_hash.
	Manifest(ctx context.Context, docHash string, generation int) (model.Manifest, error)
	// SegmentsAt returns the segments that counted at a redo, by first page.
	SegmentsAt(ctx context.Context, snapshotID, extractionID string, redo int) ([]model.SegmentRow, error)
	// Object returns the bytes of a derived object.
	Object(ctx context.Context, key string) ([]byte, error)
	// RawDigest reads the captured bytes and returns their content hash and
	// length.
	RawDigest(ctx context.Context, s model.Snapshot) (hash string, length int64, err error)
	// RawSlice returns bytes [start, end) of the captured bytes.
	RawSlice(ctx context.Context, s model.Snapshot, start, end int64) ([]byte, error)
	// Remake extracts pages again and returns their encoded frames in order, or
	// ErrOtherParser.
	Remake(ctx context.Context, s model.Snapshot, run model.Run, facts []byte, r model.PageRange) ([][]byte, error)
	// Points compares the points of chunks with what they must be, and returns
	// what is wrong by chunk_ref.
	Points(ctx context.Context, items []Item) (map[string]string, error)
}

// Item is a chunk with its state: what is to be proved.
type Item struct {
	Chunk model.Chunk
	State model.ChunkState
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
	Step  string `json:"step"`  // a to f of contracts 13.13
	Where string `json:"where"` // the thing: a snapshot, page 3, ir_…, text[120:140]
	What  string `json:"what"`
}

// Step is one link of the chain that a proof shows.
type Step struct {
	IRID     string         `json:"ir_id"`
	Type     model.UnitType `json:"type"`
	Page     int            `json:"page"`
	Start    int            `json:"start"` // in the chunk's text
	End      int            `json:"end"`
	Evidence model.Evidence `json:"evidence"`
}

// Proof is what was found about one chunk.
type Proof struct {
	ChunkRef    string  `json:"chunk_ref"`
	Verdict     Verdict `json:"verdict"`
	Proved      int     `json:"proved_bytes"`
	Synthetic   int     `json:"synthetic_bytes"`
	SnapshotID  string  `json:"snapshot_id"`
	ContentHash string  `json:"content_hash"`
	URL         string  `json:"url"`
	Steps       []Step  `json:"steps"`
	Breaks      []Break `json:"breaks"`
}

// Verify proves chunks of one generation of one doc_hash, which share snapshot
// and extraction. The error is for what could not be read.
func Verify(ctx context.Context, r Reader, items []Item) ([]Proof, error) {
	if len(items) == 0 {
		return nil, nil
	}
	doc, err := open(ctx, r, items[0].Chunk)
	if err != nil {
		return nil, err
	}
	points, err := r.Points(ctx, items)
	if err != nil {
		return nil, fmt.Errorf("reading points: %w", err)
	}
	proofs := make([]Proof, len(items))
	for i, item := range items {
		if proofs[i], err = doc.chunk(ctx, item.Chunk); err != nil {
			return nil, err
		}
		if what, wrong := points[item.Chunk.ChunkRef]; wrong {
			proofs[i].Breaks = append(proofs[i].Breaks, Break{Step: "f", Where: "point " + item.Chunk.PointID, What: what})
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
	breaks   []Break            // of the document, shared by all chunks
	known    bool               // snapshot, run and manifest exist
	rawThere int64              // how many captured bytes there are, whatever they are
	remake   bool               // raw bytes and facts are those of the record: pages can be made again
}

// pageRange is one segment with its pages as stored and checked.
type pageRange struct {
	frames   map[int]segment.Frame
	breaks   []Break         // of the segment as a whole
	ofPage   map[int][]Break // of one page
	anchored bool
}

func open(ctx context.Context, r Reader, c model.Chunk) (*document, error) {
	d := &document{reader: r, ranges: make(map[int]*pageRange)}
	var err error
	if d.snapshot, err = r.Snapshot(ctx, c.SnapshotID); d.lost("a", "snapshot "+c.SnapshotID, &err) || err != nil {
		return d, err
	}
	if d.run, err = r.Run(ctx, c.SnapshotID, c.ExtractionID); d.lost("b", "run "+c.ExtractionID, &err) || err != nil {
		return d, err
	}
	if d.manifest, err = r.Manifest(ctx, c.DocHash, c.Generation); d.lost("b", "manifest "+c.DocHash, &err) || err != nil {
		return d, err
	}
	d.known = true
	if d.rows, err = r.SegmentsAt(ctx, c.SnapshotID, c.ExtractionID, d.manifest.Redo); err != nil {
		return d, err
	}
	if err := d.checkIDs(); err != nil {
		return d, err
	}
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

// checkIDs computes the ids of snapshot, document and run again.
func (d *document) checkIDs() error {
	s := d.snapshot
	if id := digest.SnapshotID(s.SourceID, s.RequestID, s.ContentHash); id != s.SnapshotID {
		d.fail("a", "snapshot "+s.SnapshotID, "its id computes to %s", id)
	}
	if id := digest.DocumentID(s.SourceID, s.ExternalID); id != s.DocumentID {
		d.fail("a", "snapshot "+s.SnapshotID, "document_id %s computes to %s", s.DocumentID, id)
	}
	rules, err := digest.SourceRulesDigest(s.UnitRules())
	if err != nil {
		return err
	}
	if id := digest.ExtractionID(d.run.ParserVersion, rules, ""); id != d.run.ExtractionID {
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

// pages returns the range that holds a page, checked: segment against row,
// frames against index, frames against the pages made again.
func (d *document) pages(ctx context.Context, page int) (*pageRange, error) {
	var row model.SegmentRow
	for _, r := range d.rows {
		if r.From <= page && page <= r.To {
			row = r
		}
	}
	if row.To == 0 {
		return &pageRange{breaks: []Break{{Step: "b", Where: fmt.Sprintf("page %d", page), What: "no segment holds it"}}}, nil
	}
	if done, ok := d.ranges[row.From]; ok {
		return done, nil
	}
	p := &pageRange{frames: make(map[int]segment.Frame, row.To-row.From+1), ofPage: make(map[int][]Break)}
	d.ranges[row.From] = p
	where := fmt.Sprintf("segment of pages %d–%d", row.From, row.To)
	data, err := d.reader.Object(ctx, row.ObjectKey)
	if errors.Is(err, ErrGone) {
		p.breaks = append(p.breaks, Break{Step: "b", Where: where, What: "does not exist"})
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != row.Digest || int64(len(data)) != row.ByteLength {
		p.breaks = append(p.breaks, Break{Step: "b", Where: where,
			What: fmt.Sprintf("sha256 is %s over %d bytes, recorded %s over %d", got, len(data), row.Digest, row.ByteLength)})
		return p, nil
	}
	return p, d.compare(ctx, p, row, where, data)
}

func (d *document) compare(ctx context.Context, p *pageRange, row model.SegmentRow, where string, data []byte) error {
	reader, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		p.breaks = append(p.breaks, Break{Step: "b", Where: where, What: "cannot be read: " + err.Error()})
		return nil
	}
	index := reader.Index()
	if n := row.To - row.From + 1; len(index) != n {
		p.breaks = append(p.breaks, Break{Step: "b", Where: where, What: fmt.Sprintf("holds %d pages", len(index))})
		return nil
	}
	var again [][]byte
	if d.remake {
		again, err = d.reader.Remake(ctx, d.snapshot, d.run, d.facts, model.PageRange{From: row.From, To: row.To})
		switch {
		case errors.Is(err, ErrOtherParser):
			p.anchored = true
		case err != nil:
			return err
		case len(again) != len(index):
			return fmt.Errorf("%s: %d pages were made again", where, len(again))
		}
	}
	for i, entry := range index {
		stored, err := reader.Raw(i)
		if err == nil {
			var f segment.Frame
			if f, err = segment.DecodeFrame(stored); err == nil {
				p.frames[entry.PageNo] = f
			}
		}
		what := ""
		switch {
		case err != nil:
			what = err.Error()
		case entry.PageNo != row.From+i || p.frames[entry.PageNo].Page.PageNo != entry.PageNo:
			what = "is out of order in its segment"
		}
		step := "b"
		if what == "" && again != nil && !bytes.Equal(stored, again[i]) {
			step, what = "c", "extracted again from the raw bytes it comes out otherwise"
		}
		if what != "" {
			p.ofPage[entry.PageNo] = append(p.ofPage[entry.PageNo], Break{Step: step, Where: fmt.Sprintf("page %d", entry.PageNo), What: what})
		}
	}
	return nil
}
