package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// The archive that is searched: PDFs of so many pages, each with so many chunks of so
// many units and words, as much as a page of print holds.
const (
	archivePages  = 16
	pageChunks    = 4
	chunkUnits    = 3
	unitWords     = 45
	archiveChunks = archivePages * pageChunks // of a document
	archiveWords  = 30_000                    // different ones, the n-th as often as 1/n
	archiveSource = "archive"
)

// archive writes documents straight into the stores, as the chain would leave them:
// chunks with their provenance, segments with their units' boxes, and vectors. No
// bytes were captured for them.
type archive struct {
	sys        *system
	collection *vectorstore.Collection
	name       string
	random     *rand.Rand
	zipf       *rand.Zipf
	questions  []string // some words of each hundredth chunk
}

func (s *system) newArchive(ctx context.Context, alias string) (*archive, error) {
	if err := s.source(ctx, archiveSource); err != nil {
		return nil, err
	}
	a := &archive{sys: s, name: fmt.Sprintf("%s_%s_%d", alias, retrieval.HashModel, retrieval.HashDimensions), random: rand.New(rand.NewPCG(1, 7))}
	a.zipf = rand.NewZipf(a.random, 1.07, 2, archiveWords-1)
	c := model.Collection{Name: a.name, Alias: alias, Model: retrieval.HashModel, Dimensions: retrieval.HashDimensions}
	if _, err := s.db.RegisterCollection(ctx, c); err != nil {
		return nil, err
	}
	a.collection = s.vectors.Collection(a.name)
	return a, a.collection.Ensure(ctx, retrieval.HashDimensions)
}

// word returns the n-th word of the archive's language.
func word(n uint64) string {
	const syllables = "ba ce di fo gu la me ni po ru sa te vi zo bra cle dri flo gra plu sta tre"
	all := strings.Fields(syllables)
	s := all[n%22] + all[n/22%22] // 22² words of two, the others longer
	for n /= 22 * 22; n > 0; n /= 22 {
		s += all[n%22]
	}
	return s
}

func (a *archive) sentence() string {
	list := make([]string, unitWords)
	for i := range list {
		list[i] = word(a.zipf.Uint64())
	}
	return strings.Join(list, " ") + "."
}

// add writes one document.
func (a *archive) add(ctx context.Context, n int) error {
	s, run, err := a.snapshot(ctx, n)
	if err != nil {
		return err
	}
	var w segment.Writer
	var pages []model.Page
	var chunks []model.Chunk
	for no := 1; no <= archivePages; no++ {
		f := segment.Frame{Page: model.Page{PageID: digest.PageID(s.SnapshotID, no), SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID,
			ParserVersion: run.ParserVersion, PageNo: no, Width: 595, Height: 842, Status: model.PageProcessed, UnitCount: pageChunks * chunkUnits, Coverage: 1}}
		for range pageChunks {
			chunks = append(chunks, a.chunk(s, run, len(chunks), no, &f))
		}
		raw, err := segment.EncodeFrame(f)
		if err != nil {
			return err
		}
		if err := w.Add(no, raw); err != nil {
			return err
		}
		pages = append(pages, f.Page)
	}
	data, sha, err := w.Bytes()
	if err != nil {
		return err
	}
	row := model.SegmentRow{SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID, From: 1, To: archivePages, Digest: sha,
		ByteLength: int64(len(data)), Processed: archivePages}
	if row.ObjectKey, err = a.sys.blobs.PutSegment(ctx, row, s.SourceID, data); err != nil {
		return err
	}
	if _, err := a.sys.db.PutSegment(ctx, row, pages); err != nil {
		return err
	}
	if err := a.land(ctx, s, run, sha, chunks); err != nil {
		return err
	}
	return a.push(ctx, chunks)
}

func (a *archive) snapshot(ctx context.Context, n int) (model.Snapshot, model.Run, error) {
	id := fmt.Sprintf("%d.pdf", n)
	url := "https://archive.example/" + id
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n)
	s := model.Snapshot{DocumentID: digest.DocumentID(archiveSource, url), RequestID: id, SourceID: archiveSource, SourceName: "Archive",
		SnapshotKind: model.KindPDF, FinalType: model.TypePDF, URL: url, URLCanonical: url, ExternalID: url, RetrievedAt: at, LastModified: at,
		ContentHash: digest.Content([]byte(id)), SourceType: "official", Domain: "civics", Layer: model.LayerHot}
	s.SnapshotID = digest.SnapshotID(s.SourceID, id, s.ContentHash)
	run := model.Run{SnapshotID: s.SnapshotID, ExtractionID: digest.ExtractionID("1", "", ""), SourceID: s.SourceID, DocumentID: s.DocumentID,
		PageCount: archivePages, ParserVersion: "1", Why: "capture"}
	c := model.Capture{SourceID: s.SourceID, RequestID: id, RequestDigest: "d", Request: []byte(`{}`)}
	c, _, err := a.sys.db.AcceptCapture(ctx, c, "bench", time.Minute)
	if err != nil {
		return s, run, err
	}
	if _, err := a.sys.db.RecordCapture(ctx, c, s, nil, func(model.Standing) bool { return false }); err != nil {
		return s, run, err
	}
	ids := make([]string, archivePages)
	for i := range ids {
		ids[i] = digest.PageID(s.SnapshotID, i+1)
	}
	run, err = a.sys.db.StartRun(ctx, run, ids, "")
	return s, run, err
}

// chunk makes a chunk of new units, which it adds to a page.
func (a *archive) chunk(s model.Snapshot, run model.Run, index, pageNo int, f *segment.Frame) model.Chunk {
	c := model.Chunk{
		DocHash: digest.DocHash(s.SourceID, s.ExternalID, digest.LastModified(s.LastModified), string(s.FinalType)),
		ChunkID: digest.ChunkID(index, 1), ChunkIndex: index, Generation: 1, DocumentID: s.DocumentID, SourceID: s.SourceID, SnapshotID: s.SnapshotID,
		ExtractionID: run.ExtractionID, Type: model.ChunkFact, Status: model.StatusUnderReview, InfoDate: s.LastModified.Format(time.DateOnly),
		Source: s.SourceName, SourceType: s.SourceType, DocType: string(s.FinalType), Domain: s.Domain, Layer: s.Layer, Language: "en",
		URL: s.URL, Title: s.RequestID, PageHint: pageNo, Tokens: chunkUnits * unitWords, RuleVersions: map[string]string{},
	}
	head := "TYPE: fact\nSTATUS: under_review\nDATE: " + c.InfoDate + "\nSOURCE: Archive\n\n"
	c.Text = head
	c.Provenance.Segments = []model.Segment{{Start: 0, End: len(head), Synthetic: model.SyntheticHeader}}
	for i := range chunkUnits {
		if i > 0 {
			c.Provenance.Segments = append(c.Provenance.Segments, model.Segment{Start: len(c.Text), End: len(c.Text) + 2, Synthetic: model.SyntheticSeparator})
			c.Text += "\n\n"
		}
		text, id := a.sentence(), fmt.Sprintf("ir_%d_%d", index, i)
		f.Units = append(f.Units, model.Unit{IRID: id, SourceID: s.SourceID, SourceName: s.SourceName, SnapshotID: s.SnapshotID, RetrievedAt: s.RetrievedAt,
			Type: model.UnitParagraph, FieldsRaw: model.Fields{BlockID: id, Text: text, TextPrinted: text, HTML: "<p>" + text + "</p>", Markdown: text, Verbatim: true},
			RecordLocator: model.Locator{Kind: model.LocatorBlock, PageNumber: pageNo}, ParserVersion: run.ParserVersion,
			Evidence: []model.Evidence{{SourceID: s.SourceID, SnapshotID: s.SnapshotID, PageNumber: pageNo, PDFTextQuote: text,
				BBox:               &model.BBox{X: 0.1, Y: float64(len(f.Units)) / (pageChunks * chunkUnits), W: 0.8, H: 0.07},
				RepresentationKind: model.RepresentationLocator, FragmentHash: digest.Content([]byte(text))}}})
		c.Provenance.Segments = append(c.Provenance.Segments, model.Segment{Start: len(c.Text), End: len(c.Text) + len(text), IRID: id, To: len(text), Page: pageNo})
		c.Text += text
		c.Blocks = append(c.Blocks, digest.BlockKey(text))
	}
	slices.Sort(c.Blocks)
	c.Content = c.Text[len(head):]
	c.ContentTextHash, c.TextHash = digest.Text(c.Content), digest.Text(c.Text)
	c.ChunkRef = digest.ChunkRef(c.DocHash, c.ChunkID)
	c.PointID = digest.PointID(c.ChunkRef)
	if a.random.IntN(100) == 0 {
		all := strings.Fields(c.Content)
		from := a.random.IntN(len(all) - 6)
		a.questions = append(a.questions, strings.Join(all[from:from+2+a.random.IntN(4)], " "))
	}
	return c
}

// land writes the chunks of a document as its current version.
func (a *archive) land(ctx context.Context, s model.Snapshot, run model.Run, segmentDigest string, chunks []model.Chunk) error {
	states := make([]model.ChunkState, len(chunks))
	for i, c := range chunks {
		states[i] = model.ChunkState{ChunkRef: c.ChunkRef, Layer: c.Layer, Since: c.InfoDate}
	}
	run.State = model.RunDone
	v := model.Version{DocHash: chunks[0].DocHash, Generation: 1, SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID,
		Chunks: model.ChunkSet{DocHash: chunks[0].DocHash, Generation: 1}}
	m := model.Manifest{DocHash: v.DocHash, Generation: 1, DocumentID: s.DocumentID, SourceID: s.SourceID, SnapshotID: s.SnapshotID,
		ExtractionID: run.ExtractionID, DocType: string(s.FinalType), ChunkCount: len(chunks), Status: "done", VectorStatus: model.VectorPresent,
		SegmentsDigest: digest.HexParts(segmentDigest)}
	return a.sys.db.LockDocument(ctx, s.DocumentID, time.Minute, func(t *catalog.DocumentTx) error {
		for _, write := range []func() error{
			func() error { return t.AddChunks(ctx, chunks) },
			func() error { return t.AddStates(ctx, run, "capture", states) },
			func() error { return t.AddManifest(ctx, m, v) },
			func() error { return t.SetCurrent(ctx, v, model.DocumentMeta{Title: s.RequestID}, "en") },
			func() error { return t.FinishRun(ctx, run) },
		} {
			if err := write(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *archive) push(ctx context.Context, chunks []model.Chunk) error {
	points := make([]vectorstore.Point, len(chunks))
	for i, c := range chunks {
		dense, err := retrieval.HashEmbedder{}.Embed(ctx, []string{c.Content}, retrieval.Passage)
		if err != nil {
			return err
		}
		indices, values := retrieval.Sparse(c.Text)
		points[i] = vectorstore.Point{ID: c.PointID, Dense: dense[0], Sparse: vectorstore.Sparse{Indices: indices, Values: values},
			Payload: vectorstore.PayloadOf(c, model.ChunkState{Layer: c.Layer}, a.name)}
	}
	return a.collection.Upsert(ctx, points)
}
