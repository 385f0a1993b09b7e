package proof_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/extract/scan"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/segment"
)

const document = `<!DOCTYPE html><html lang="en"><head><title>Water</title></head><body>
<h1>Water levels</h1>
<p>The level of the lake rose by 3 cm &amp; stayed.</p>
<table><tr><th>Year</th><th>Level</th></tr><tr><td>2025</td><td>3 cm</td></tr><tr><td>2026</td><td>5 cm</td></tr></table>
<p>In autumn it fell again – « à peine ».</p>
</body></html>`

// archive is everything that a proof reads, in memory: a document of one page
// with two chunks.
type archive struct {
	snapshot  model.Snapshot
	run       model.Run
	manifest  model.Manifest
	rows      []model.SegmentRow
	objects   map[string][]byte
	raw       []byte
	member    string        // content hash of the member of a container
	frame     segment.Frame // of the segment; changes count after sign
	chunks    []model.Chunk
	points    map[string]string
	t         *testing.T
	otherTool bool // the parser at hand is another than the recorded one
	failing   error
	gone      string // what does not exist
}

func (a *archive) check(what string) error {
	if a.gone == what {
		return fmt.Errorf("%s: %w", what, proof.ErrGone)
	}
	return a.failing
}

func (a *archive) Snapshot(context.Context, string) (model.Snapshot, error) {
	return a.snapshot, a.check("snapshot")
}

func (a *archive) Run(context.Context, string, string) (model.Run, error) {
	return a.run, a.check("run")
}

func (a *archive) Manifest(context.Context, string, int) (model.Manifest, error) {
	return a.manifest, a.check("manifest")
}

func (a *archive) Chunks(_ context.Context, refs []string) (items []proof.Item, err error) {
	for _, item := range a.items() {
		if slices.Contains(refs, item.State.ChunkRef) {
			items = append(items, item)
		}
	}
	return items, a.check("chunks")
}

func (a *archive) SegmentsAt(context.Context, string, string, int) ([]model.SegmentRow, error) {
	return a.rows, nil
}

func (a *archive) Object(_ context.Context, key string) ([]byte, error) {
	data, ok := a.objects[key]
	if !ok {
		return nil, proof.ErrGone
	}
	return data, nil
}

func (a *archive) RawDigest(context.Context, model.Snapshot) (string, int64, error) {
	return digest.Content(a.raw), int64(len(a.raw)), a.check("raw")
}

func (a *archive) MemberDigest(context.Context, model.Snapshot, string) (string, error) {
	return a.member, a.check("member")
}

func (a *archive) RawSlice(_ context.Context, _ model.Snapshot, start, end int64) ([]byte, error) {
	return a.raw[start:end], nil
}

func (a *archive) OCRResult(_ context.Context, _ string, read model.PageOCR) ([]byte, error) {
	return a.Object(context.Background(), read.Key)
}

// extractors are those of the kinds of files that archives of these tests hold.
func extractors() extract.Extractors {
	return extract.Extractors{model.KindHTML: html.Extractor{}, model.KindImageScan: scan.Extractor{}}
}

func (a *archive) Remake(ctx context.Context, s model.Snapshot, run model.Run, facts []byte, r model.PageRange, read []proof.PageRead) ([][]byte, error) {
	if a.otherTool {
		return nil, proof.ErrOtherParser
	}
	var frames [][]byte
	known := readings(a.t, read)
	for no := r.From; no <= r.To; no++ {
		f, err := extractors().Extract(ctx, extract.Input{Raw: a.raw, Snapshot: s, ExtractionID: run.ExtractionID, OCR: known}, no)
		if err != nil {
			return nil, err
		}
		frame, err := segment.EncodeFrame(f)
		if err != nil {
			return nil, err
		}
		frames = append(frames, frame)
	}
	return frames, nil
}

func (a *archive) Points(context.Context, []proof.Item) (map[string]string, error) {
	return a.points, nil
}

// sign makes segment, row and manifest of the frame: whoever changes a unit and
// does this has left no digest that tells.
func (a *archive) sign(t *testing.T) {
	t.Helper()
	raw, err := segment.EncodeFrame(a.frame)
	if err != nil {
		t.Fatal(err)
	}
	a.store(t, raw)
}

func (a *archive) store(t *testing.T, frame []byte) {
	t.Helper()
	var w segment.Writer
	if err := w.Add(1, frame); err != nil {
		t.Fatal(err)
	}
	data, sum, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	a.put(data, sum)
}

func (a *archive) put(data []byte, sum string) {
	a.objects["segment"] = data
	a.rows = []model.SegmentRow{{SnapshotID: a.snapshot.SnapshotID, ExtractionID: a.run.ExtractionID, From: 1, To: 1,
		ObjectKey: "segment", Digest: sum, ByteLength: int64(len(data)), Processed: 1}}
	a.manifest.SegmentsDigest = digest.HexParts(sum)
}

func newArchive(t *testing.T, version string) *archive {
	t.Helper()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	url := "https://example.org/water"
	hash := digest.Content([]byte(document))
	a := &archive{t: t, objects: map[string][]byte{}, raw: []byte(document), points: map[string]string{}, otherTool: version != extract.ParserVersion}
	a.snapshot = model.Snapshot{SnapshotID: digest.SnapshotID("lake", "r", hash), DocumentID: digest.DocumentID("lake", url), RequestID: "r",
		SourceID: "lake", SourceName: "The lake", SnapshotKind: model.KindHTML, FinalType: model.TypeHTML, URL: url, URLCanonical: url,
		ExternalID: url, RetrievedAt: at, ContentHash: hash, ByteLength: int64(len(document)), LastModified: at,
		LastModifiedOrigin: "http_header", SourceType: "official", Domain: "civics", Territory: "ge", Layer: model.LayerHot}
	rules, err := digest.SourceRulesDigest(a.snapshot.UnitRules())
	if err != nil {
		t.Fatal(err)
	}
	a.run = model.Run{SnapshotID: a.snapshot.SnapshotID, ExtractionID: digest.ExtractionID(version, rules, ""), SourceID: "lake",
		DocumentID: a.snapshot.DocumentID, State: model.RunDone, PageCount: 1, ParserVersion: version, RulesDigest: rules}
	a.frame, err = extractors().Extract(t.Context(), extract.Input{Raw: a.raw, Snapshot: a.snapshot, ExtractionID: a.run.ExtractionID}, 1)
	if err != nil {
		t.Fatal(err)
	}
	a.manifest = model.Manifest{DocHash: digest.DocHash("lake", url, digest.LastModified(at), "html"), Generation: 1,
		DocumentID: a.snapshot.DocumentID, SnapshotID: a.snapshot.SnapshotID, ExtractionID: a.run.ExtractionID, ChunkCount: 2,
		ChunkerVersion: "1", HeaderVersion: header.Version}
	a.sign(t)
	heading, first, last := a.unit(t, "Water levels"), a.unit(t, "rose"), a.unit(t, "autumn")
	table := a.unit(t, "2025")
	rows, _ := header.Rows(table)
	a.chunks = []model.Chunk{
		a.chunk(0, nil, unitPart(heading), separator("\n\n"), unitPart(first)),
		a.chunk(1, []string{"Water levels"}, rule(model.SyntheticHeadingContext, "Water levels"), separator("\n\n"),
			rule(model.SyntheticTableHeader, header.TableHead(table)), cell(table, rows[2][0]), separator(" | "), cell(table, rows[2][1]),
			separator("\n\n"), part{unit: last, from: 0, to: 9}, part{unit: last, from: 9, to: len(last.FieldsRaw.Text)}),
	}
	return a
}

func (a *archive) unit(t *testing.T, text string) model.Unit {
	t.Helper()
	for _, u := range a.frame.Units {
		if strings.Contains(u.FieldsRaw.Text, text) {
			return u
		}
	}
	t.Fatalf("no unit holds %q", text)
	return model.Unit{}
}

type part struct {
	synthetic, text string
	unit            model.Unit
	from, to        int
}

func unitPart(u model.Unit) part            { return part{unit: u, to: len(u.FieldsRaw.Text)} }
func cell(u model.Unit, c header.Cell) part { return part{unit: u, from: c.From, to: c.To} }
func separator(text string) part            { return rule(model.SyntheticSeparator, text) }
func rule(name, text string) part           { return part{synthetic: name, text: text} }
func (a *archive) rehash(c *model.Chunk) {
	c.TextHash, c.ContentTextHash = digest.Text(c.Text), digest.Text(c.Content)
}
func (a *archive) last() *model.Chunk       { return &a.chunks[1] }
func (a *archive) mapped() *model.Segment   { return &a.chunks[1].Provenance.Segments[4] }
func (a *archive) unitAt(i int) *model.Unit { return &a.frame.Units[i] }

func (a *archive) chunk(index int, path []string, parts ...part) model.Chunk {
	s := a.snapshot
	c := model.Chunk{DocHash: a.manifest.DocHash, Generation: 1, ChunkIndex: index, ChunkID: digest.ChunkID(index, 1),
		DocumentID: s.DocumentID, SourceID: s.SourceID, SnapshotID: s.SnapshotID, ExtractionID: a.run.ExtractionID,
		Type: model.ChunkFact, Status: model.StatusUnderReview, InfoDate: "2026-03-04", InfoDateOrigin: s.LastModifiedOrigin,
		Source: s.SourceName, SourceType: s.SourceType, DocType: "html", Domain: s.Domain, Territory: s.Territory, Language: "en",
		URL: s.URL, SectionPath: path, PageHint: 1, ParserVersion: a.run.ParserVersion, ChunkerVersion: "1", HeaderVersion: header.Version}
	c.ChunkRef = digest.ChunkRef(c.DocHash, c.ChunkID)
	c.PointID = digest.PointID(c.ChunkRef)
	c.Text = header.Of(s, c)
	segments := []model.Segment{{End: len(c.Text), Synthetic: model.SyntheticHeader}}
	for _, p := range parts {
		seg := model.Segment{Start: len(c.Text), Synthetic: p.synthetic}
		text := p.text
		if p.synthetic == "" {
			text = p.unit.FieldsRaw.Text[p.from:p.to]
			seg.IRID, seg.From, seg.To, seg.Page = p.unit.IRID, p.from, p.to, 1
		}
		c.Text += text
		c.Content += text
		seg.End = len(c.Text)
		segments = append(segments, seg)
	}
	c.Provenance = model.Provenance{Source: model.ProvenanceSource{SourceID: s.SourceID, RecordPointer: model.RecordPointer{
		Kind: "snapshot", SnapshotID: s.SnapshotID, RetrievedAt: s.RetrievedAt}}, Segments: segments}
	a.rehash(&c)
	return c
}

func (a *archive) verify(t *testing.T) []proof.Proof {
	t.Helper()
	proofs, err := proof.Verify(t.Context(), a, a.items())
	if err != nil {
		t.Fatal(err)
	}
	return proofs
}

func (a *archive) items() []proof.Item {
	items := make([]proof.Item, len(a.chunks))
	for i, c := range a.chunks {
		items[i] = proof.Item{Chunk: c, State: model.ChunkState{ChunkRef: c.ChunkRef, Layer: model.LayerHot}}
	}
	return items
}

func TestWhatIsWholeIsVerified(t *testing.T) {
	for version, want := range map[string]proof.Verdict{extract.ParserVersion: proof.Verified, "0": proof.Anchored} {
		a := newArchive(t, version)
		for i, p := range a.verify(t) {
			if err := a.chunks[i].Validate(); err != nil {
				t.Error(err)
			}
			if p.Verdict != want || len(p.Breaks) != 0 || p.Breaks == nil {
				t.Errorf("chunk %d under parser %s: %s, %+v", i, version, p.Verdict, p.Breaks)
			}
			if p.Proved == 0 || p.Proved != a.chunks[i].Provenance.ProvedBytes() || p.Proved+p.Synthetic != len(a.chunks[i].Text) {
				t.Errorf("%d proved and %d synthetic of %d bytes", p.Proved, p.Synthetic, len(a.chunks[i].Text))
			}
			if p.ContentHash != a.snapshot.ContentHash || p.SnapshotID != a.snapshot.SnapshotID || p.URL != a.snapshot.URL {
				t.Errorf("%+v", p)
			}
			if p.SourceRef == nil || p.SourceRef.Kind != model.SourceWebpage || p.SourceRef.URL != a.snapshot.URL || p.SourceRef.Selector == "" {
				t.Errorf("chunk %d stands at %+v", i, p.SourceRef)
			}
			mapped := 0
			for _, s := range a.chunks[i].Provenance.Segments {
				if s.Synthetic == "" {
					mapped++
				}
			}
			if len(p.Steps) != mapped {
				t.Errorf("%d steps, %d mapped segments", len(p.Steps), mapped)
			}
			for _, s := range p.Steps {
				if got := digest.Content(a.raw[s.Evidence.ByteSpan.Start:s.Evidence.ByteSpan.End]); s.Page != 1 || got != s.Evidence.FragmentHash {
					t.Errorf("%+v", s)
				}
			}
		}
	}
	if proofs, err := proof.Verify(t.Context(), newArchive(t, "0"), nil); err != nil || len(proofs) != 0 {
		t.Errorf("%+v, %v", proofs, err)
	}
}

// addLine gives the second chunk the context line that a source may want.
func (a *archive) addLine() {
	a.snapshot.ContextLine = true
	c := a.last()
	head, line := header.Of(a.snapshot, *c), header.ContextLineOf(*c)
	end := len(head) + len(line)
	segments := []model.Segment{{End: len(head), Synthetic: model.SyntheticHeader}, {Start: len(head), End: end, Synthetic: model.SyntheticContext},
		{Start: end, End: end + len(header.LineEnd), Synthetic: model.SyntheticSeparator}}
	for _, s := range c.Provenance.Segments[1:] {
		s.Start, s.End = s.Start+len(line)+len(header.LineEnd), s.End+len(line)+len(header.LineEnd)
		segments = append(segments, s)
	}
	c.Text, c.Provenance.Segments = head+line+header.LineEnd+c.Content, segments
	a.rehash(c)
}

// alterLine writes other words of as many bytes or fewer into the context line.
func (a *archive) alterLine(old, with string) {
	c := a.last()
	head, line := header.Of(a.snapshot, *c), header.ContextLineOf(*c)
	with += strings.Repeat("s", len(old)-len(with))
	c.Text = head + strings.Replace(line, old, with, 1) + header.LineEnd + c.Content
	a.rehash(c)
}

// TestAContextLineIsVerified: it is synthetic, and no word of it counts as proved.
func TestAContextLineIsVerified(t *testing.T) {
	a := newArchive(t, extract.ParserVersion)
	before := a.verify(t)[1].Proved
	a.addLine()
	p := a.verify(t)[1]
	if p.Verdict != proof.Verified || p.Proved != before || p.Synthetic != len(a.last().Text)-before {
		t.Errorf("%+v", p)
	}
	if !strings.HasPrefix(a.last().EmbeddedText(), "Water levels › 2026-03-04 › The lake\n\nWater levels\n\n") {
		t.Errorf("embedded: %q", a.last().EmbeddedText())
	}
}

// TestEveryFlipIsFound changes one thing at a time of the second chunk or of
// what it stands on.
func TestEveryFlipIsFound(t *testing.T) {
	for _, c := range []struct {
		name        string
		step, where string
		flip        func(t *testing.T, a *archive)
	}{
		{"a raw byte", "a", "raw bytes", func(_ *testing.T, a *archive) { a.raw[3] ^= 1 }},
		{"a raw byte below a unit", "d", "evidence 0", func(_ *testing.T, a *archive) {
			a.raw[strings.Index(document, "autumn")] ^= 1
		}},
		{"the raw bytes are cut", "d", "evidence 0", func(_ *testing.T, a *archive) { a.raw = a.raw[:50] }},
		{"the raw bytes are gone", "a", "raw bytes", func(_ *testing.T, a *archive) { a.gone = "raw" }},
		{"the snapshot is gone", "a", "snapshot snap_", func(_ *testing.T, a *archive) { a.gone = "snapshot" }},
		{"the run is gone", "b", "run ", func(_ *testing.T, a *archive) { a.gone = "run" }},
		{"the manifest is gone", "b", "manifest ", func(_ *testing.T, a *archive) { a.gone = "manifest" }},
		{"the request", "a", "snapshot snap_", func(_ *testing.T, a *archive) { a.snapshot.RequestID = "x" }},
		{"the identity", "a", "snapshot snap_", func(_ *testing.T, a *archive) { a.snapshot.ExternalID += "x" }},
		{"the date of capture", "e", "provenance.source", func(_ *testing.T, a *archive) {
			a.snapshot.RetrievedAt = a.snapshot.RetrievedAt.Add(time.Second)
		}},
		{"the date of capture, in the page", "c", "page 1", func(_ *testing.T, a *archive) {
			a.snapshot.RetrievedAt = a.snapshot.RetrievedAt.Add(time.Second)
		}},
		{"the last modification", "d", "doc_hash", func(_ *testing.T, a *archive) {
			a.snapshot.LastModified = a.snapshot.LastModified.Add(time.Second)
		}},
		{"the source's rules", "d", "run ", func(_ *testing.T, a *archive) { a.snapshot.SourceLanguage = "fr" }},
		{"the parser's version", "d", "run ", func(_ *testing.T, a *archive) { a.run.ParserVersion = "99" }},
		{"the run's id", "d", "extraction_id", func(_ *testing.T, a *archive) { a.run.ExtractionID = "0000" }},
		{"the facts are gone", "b", "document facts", func(_ *testing.T, a *archive) { a.run.FactsKey = "facts" }},
		{"the facts", "b", "document facts", func(_ *testing.T, a *archive) {
			a.run.FactsKey, a.run.FactsDigest, a.objects["facts"] = "facts", digest.Hex([]byte("facts")), []byte("other")
		}},
		{"the segment is gone", "b", "segment of pages 1–1", func(_ *testing.T, a *archive) { delete(a.objects, "segment") }},
		{"the segment's row is gone", "b", "page 1", func(_ *testing.T, a *archive) { a.rows = nil }},
		{"a byte of the segment", "b", "segment of pages 1–1", func(_ *testing.T, a *archive) { a.objects["segment"][9] ^= 1 }},
		{"a byte of the segment, row and all", "b", "page 1", func(_ *testing.T, a *archive) {
			data := slices.Clone(a.objects["segment"])
			data[9] ^= 1
			a.put(data, digest.Hex(data))
		}},
		{"the segment is none", "b", "segment of pages 1–1", func(_ *testing.T, a *archive) {
			a.put([]byte("not a segment"), digest.Hex([]byte("not a segment")))
		}},
		{"the segment's digest", "b", "segment of pages 1–1", func(_ *testing.T, a *archive) { a.rows[0].Digest = "00" }},
		{"the segment's length", "b", "segment of pages 1–1", func(_ *testing.T, a *archive) { a.rows[0].ByteLength++ }},
		{"the segment's range", "b", "segment of pages 1–2", func(_ *testing.T, a *archive) { a.rows[0].To = 2 }},
		{"the manifest's segments", "b", "manifest ", func(_ *testing.T, a *archive) { a.manifest.SegmentsDigest = "00" }},
		{"the manifest's run", "b", "manifest ", func(_ *testing.T, a *archive) { a.manifest.ExtractionID = "0000" }},
		{"the frame is none", "b", "page 1", func(t *testing.T, a *archive) { a.store(t, []byte("no frame")) }},
		{"the frame, signed", "c", "page 1", func(t *testing.T, a *archive) { a.frame.Page.Title = "x"; a.sign(t) }},
		{"a unit's text, signed", "c", "page 1", func(t *testing.T, a *archive) {
			u := a.unitAt(slices.IndexFunc(a.frame.Units, func(u model.Unit) bool { return strings.Contains(u.FieldsRaw.Text, "autumn") }))
			u.FieldsRaw.Text = strings.Replace(u.FieldsRaw.Text, "fell", "rose", 1)
			a.sign(t)
		}},
		{"a unit's text", "e", "text[", func(t *testing.T, a *archive) {
			u := a.unitAt(slices.IndexFunc(a.frame.Units, func(u model.Unit) bool { return strings.Contains(u.FieldsRaw.Text, "autumn") }))
			u.FieldsRaw.Text = strings.Replace(u.FieldsRaw.Text, "fell", "rose", 1)
			a.sign(t)
		}},
		{"a URL, under its version", "d", "snapshot ", func(_ *testing.T, a *archive) {
			a.snapshot.RuleVersions = map[string]string{"urlcanon": "urlcanon_v1"}
			a.snapshot.URL += "?page=2"
		}},
		{"a version of rules for URLs", "d", "snapshot ", func(_ *testing.T, a *archive) {
			a.snapshot.RuleVersions = map[string]string{"urlcanon": "urlcanon_v0"}
		}},
		{"a version of rules for secrets", "d", "snapshot ", func(_ *testing.T, a *archive) { a.snapshot.RedactionPolicyID = "redact_v0" }},
		{"what these rules redact", "d", "snapshot ", func(_ *testing.T, a *archive) {
			a.snapshot.RedactionPolicyID, a.snapshot.Metadata = "redact_v3", map[string]string{"password": "hunter2"}
		}},
		{"what the rules before redacted", "d", "snapshot ", func(_ *testing.T, a *archive) {
			a.snapshot.RedactionPolicyID, a.snapshot.RedirectChain = "redact_v1", []string{"https://a.example/?session=2023"}
		}},
		{"a unit's locator", "d", "ir_", func(t *testing.T, a *archive) {
			for i := range a.frame.Units {
				a.unitAt(i).RecordLocator.URLCanonical += "x"
			}
			a.sign(t)
		}},
		{"a unit without evidence", "d", "ir_", func(t *testing.T, a *archive) {
			for i := range a.frame.Units {
				a.unitAt(i).Evidence = nil
			}
			a.sign(t)
		}},
		{"a unit's evidence points elsewhere", "d", "evidence 0", func(t *testing.T, a *archive) {
			for i := range a.frame.Units {
				a.unitAt(i).Evidence[0].SnapshotID = "snap_other"
			}
			a.sign(t)
		}},
		{"a fragment's hash", "d", "evidence 0", func(t *testing.T, a *archive) {
			for i := range a.frame.Units {
				a.unitAt(i).Evidence[0].FragmentHash = digest.Content(nil)
			}
			a.sign(t)
		}},
		{"a page's id", "d", "page 1", func(t *testing.T, a *archive) {
			a.frame.Page.PageID = digest.PageID("snap_other", 1)
			a.sign(t)
		}},
		{"a page's number", "b", "page 1", func(t *testing.T, a *archive) { a.frame.Page.PageNo = 2; a.sign(t) }},
		{"a byte of the text", "d", "text_hash", func(_ *testing.T, a *archive) {
			c := a.last()
			c.Text = strings.Replace(c.Text, "fell", "rose", 1)
		}},
		{"a byte of the text, signed", "e", "text[", func(_ *testing.T, a *archive) {
			c := a.last()
			c.Text, c.Content = strings.Replace(c.Text, "fell", "rose", 1), strings.Replace(c.Content, "fell", "rose", 1)
			a.rehash(c)
		}},
		{"the content", "e", "content", func(_ *testing.T, a *archive) {
			c := a.last()
			c.Content = strings.Replace(c.Content, "fell", "rose", 1)
		}},
		{"the content's hash", "d", "content_text_hash", func(_ *testing.T, a *archive) { a.last().ContentTextHash = "00" }},
		{"the header", "e", "header", func(_ *testing.T, a *archive) {
			c := a.last()
			c.Text = strings.Replace(c.Text, "fact", "rumo", 1)
			a.rehash(c)
		}},
		{"the header's field", "e", "header", func(_ *testing.T, a *archive) { a.last().Status = model.StatusConfirmed }},
		{"header and date alike", "d", "info_date", func(_ *testing.T, a *archive) {
			c := a.last()
			c.InfoDate, c.Text = "2026-03-05", strings.Replace(c.Text, "2026-03-04", "2026-03-05", 1)
			a.rehash(c)
		}},
		{"the heading's context", "e", "text[", func(_ *testing.T, a *archive) { a.last().SectionPath = []string{"Wine levels"} }},
		{"the context line's date", "e", "text[", func(_ *testing.T, a *archive) { a.addLine(); a.alterLine("2026-03-04", "2026-03-05") }},
		{"the context line's section", "e", "content", func(_ *testing.T, a *archive) { a.addLine(); a.alterLine("Water levels", "Wine levels") }},
		{"a context line that its source does not want", "e", "text[", func(_ *testing.T, a *archive) { a.addLine(); a.snapshot.ContextLine = false }},
		{"words of the page as a context line", "e", "text[", func(_ *testing.T, a *archive) {
			a.addLine()
			s := a.last().Provenance.Segments
			s[len(s)-1] = model.Segment{Start: s[len(s)-1].Start, End: s[len(s)-1].End, Synthetic: model.SyntheticContext}
		}},
		{"the table's head", "e", "text[", func(_ *testing.T, a *archive) {
			c := a.last()
			c.Text, c.Content = strings.Replace(c.Text, "Year", "Yeah", 1), strings.Replace(c.Content, "Year", "Yeah", 1)
			a.rehash(c)
		}},
		{"a separator", "e", "text[", func(_ *testing.T, a *archive) {
			c := a.last()
			c.Text, c.Content = strings.Replace(c.Text, "6 | 5", "6 . 5", 1), strings.Replace(c.Content, "6 | 5", "6 . 5", 1)
			a.rehash(c)
		}},
		{"a rule that does not exist", "e", "text[", func(_ *testing.T, a *archive) {
			a.last().Provenance.Segments[2].Synthetic = "poetry"
		}},
		{"a start", "e", "provenance", func(_ *testing.T, a *archive) { a.mapped().Start++ }},
		{"an end", "e", "provenance", func(_ *testing.T, a *archive) { a.mapped().End-- }},
		{"the last segment is missing", "e", "provenance", func(_ *testing.T, a *archive) {
			p := &a.last().Provenance
			p.Segments = p.Segments[:len(p.Segments)-1]
		}},
		{"an offset", "e", "text[", func(_ *testing.T, a *archive) { a.mapped().From--; a.mapped().To-- }},
		{"an offset beyond the unit", "e", "text[", func(_ *testing.T, a *archive) { a.mapped().From += 4000; a.mapped().To += 4000 }},
		{"an ir_id", "e", "text[", func(_ *testing.T, a *archive) { a.mapped().IRID = "ir_other" }},
		{"the ir_id of another unit", "e", "text[", func(t *testing.T, a *archive) { a.mapped().IRID = a.unit(t, "rose").IRID }},
		{"an index of evidence", "e", "text[", func(_ *testing.T, a *archive) { a.mapped().Evidence = 1 }},
		{"a negative index of evidence", "e", "text[", func(_ *testing.T, a *archive) { a.mapped().Evidence = -1 }},
		{"the page of a segment", "b", "page 2", func(_ *testing.T, a *archive) {
			s := a.last().Provenance.Segments
			s[len(s)-1].Page = 2 // the second of one unit
		}},
		{"the page of the first bytes", "e", "page_hint", func(_ *testing.T, a *archive) { a.last().PageHint = 3 }},
		{"the snapshot in the provenance", "e", "provenance.source", func(_ *testing.T, a *archive) {
			a.last().Provenance.Source.RecordPointer.SnapshotID = "snap_other"
		}},
		{"the doc_hash", "d", "doc_hash", func(_ *testing.T, a *archive) { a.last().DocHash = "00" }},
		{"the chunk's place", "d", "chunk_id", func(_ *testing.T, a *archive) { a.last().ChunkIndex = 0 }},
		{"the chunk's generation", "d", "manifest", func(_ *testing.T, a *archive) { a.last().Generation = 2 }},
		{"more chunks than there are", "d", "chunk_index", func(_ *testing.T, a *archive) { a.manifest.ChunkCount = 1 }},
		{"the chunk's reference", "d", "chunk_ref", func(_ *testing.T, a *archive) { a.last().ChunkRef += "0" }},
		{"the point's id", "d", "point_id", func(_ *testing.T, a *archive) { a.last().PointID = digest.PointID("x") }},
		{"the chunk's snapshot", "d", "snapshot_id", func(_ *testing.T, a *archive) { a.last().SnapshotID = "snap_other" }},
		{"the chunk's source", "d", "source_id", func(_ *testing.T, a *archive) { a.last().SourceID = "pond" }},
		{"the chunk's document", "d", "document_id", func(_ *testing.T, a *archive) { a.last().DocumentID = "doc_other" }},
		{"the chunk's url", "d", "url", func(_ *testing.T, a *archive) { a.last().URL += "x" }},
		{"the chunk's parser", "d", "parser_version", func(_ *testing.T, a *archive) { a.last().ParserVersion = "other" }},
		{"the chunk's chunker", "d", "chunker_version", func(_ *testing.T, a *archive) { a.last().ChunkerVersion = "other" }},
		{"the chunk's header", "d", "header_version", func(_ *testing.T, a *archive) { a.last().HeaderVersion = "other" }},
		{"the chunk's domain", "d", "domain", func(_ *testing.T, a *archive) { a.last().Domain = "sport" }},
		{"the point", "f", "point ", func(_ *testing.T, a *archive) { a.points[a.last().ChunkRef] = "is not there" }},
	} {
		a := newArchive(t, extract.ParserVersion)
		c.flip(t, a)
		p := a.verify(t)[1]
		found := slices.ContainsFunc(p.Breaks, func(b proof.Break) bool {
			return b.Step == c.step && strings.Contains(b.Where, c.where) && b.What != ""
		})
		if !found || p.Verdict != proof.Broken {
			t.Errorf("%s: %s, %+v", c.name, p.Verdict, p.Breaks)
		}
	}
}

// TestNeighboursAreNotBlamed: a break of one chunk is not one of the others.
func TestNeighboursAreNotBlamed(t *testing.T) {
	a := newArchive(t, extract.ParserVersion)
	a.mapped().From--
	a.mapped().To--
	a.last().TextHash = "00"
	a.points[a.last().ChunkRef] = "is not there"
	if proofs := a.verify(t); proofs[0].Verdict != proof.Verified || proofs[1].Verdict != proof.Broken || len(proofs[1].Breaks) != 3 {
		t.Errorf("%+v", proofs)
	}
}

// TestWhatIsGoneIsOneBreak: it does not drag everything else along.
func TestWhatIsGoneIsOneBreak(t *testing.T) {
	for _, what := range []string{"snapshot", "run", "manifest", "raw"} {
		a := newArchive(t, extract.ParserVersion)
		a.gone = what
		for _, p := range a.verify(t) {
			if p.Verdict != proof.Broken || len(p.Breaks) != 1 {
				t.Errorf("%s: %+v", what, p.Breaks)
			}
		}
	}
	a := newArchive(t, extract.ParserVersion)
	delete(a.objects, "segment")
	if p := a.verify(t)[1]; len(p.Breaks) != 1 {
		t.Errorf("%+v", p.Breaks)
	}
}

// TestAnchored: with another parser, slices and fragments are held against the
// raw bytes, and nothing is called verified.
// TestMembersAreTakenOutAgain: a member's bytes must be those in its container.
func TestMembersAreTakenOutAgain(t *testing.T) {
	for name, c := range map[string]struct {
		member func(a *archive)
		breaks string
	}{
		"as it lies there": {func(a *archive) { a.member = a.snapshot.ContentHash }, ""},
		"as it came, encoded": {func(a *archive) {
			a.snapshot.WireHash, a.member = digest.Content([]byte("z")), digest.Content([]byte("z"))
		}, ""},
		"other bytes":          {func(a *archive) { a.member = digest.Content(nil) }, "member a/b of snap_"},
		"no longer in it":      {func(a *archive) { a.gone = "member" }, "member a/b of snap_"},
		"encoded, other bytes": {func(a *archive) { a.snapshot.WireHash, a.member = digest.Content([]byte("z")), a.snapshot.ContentHash }, "member a/b of snap_"},
	} {
		a := newArchive(t, extract.ParserVersion)
		a.snapshot.ParentSnapshotID, a.snapshot.MemberPath = a.snapshot.SnapshotID, "a/b"
		c.member(a)
		p := a.verify(t)[0]
		if c.breaks == "" && p.Verdict != proof.Verified || c.breaks != "" && (len(p.Breaks) != 1 || !strings.HasPrefix(p.Breaks[0].Where, c.breaks)) {
			t.Errorf("%s: %s, %+v", name, p.Verdict, p.Breaks)
		}
	}
}

func TestAMemberSaysWhereItIs(t *testing.T) {
	a := newArchive(t, extract.ParserVersion)
	a.snapshot.URL, a.snapshot.URLCanonical, a.snapshot.ExternalID = "", "", "file:///box.zip!/a/b"
	a.last().URL = ""
	proofs := a.verify(t)
	if p := proofs[len(proofs)-1]; p.URL != a.snapshot.ExternalID {
		t.Errorf("it is from %q", p.URL)
	}
}

func TestAnchored(t *testing.T) {
	a := newArchive(t, "0")
	for i := range a.frame.Units {
		a.unitAt(i).Evidence[0].FragmentHash = digest.Content(nil)
	}
	a.sign(t)
	if p := a.verify(t)[1]; p.Verdict != proof.Broken || p.Breaks[0].Step != "d" {
		t.Errorf("%+v", p)
	}
	for _, b := range a.verify(t)[1].Breaks {
		if b.Step == "c" {
			t.Errorf("pages cannot be made again: %+v", b)
		}
	}

	// Evidence without bytes is held against its own locator.
	boxed := func() *archive {
		a := newArchive(t, "0")
		for i := range a.frame.Units {
			u := a.unitAt(i)
			e := model.Evidence{SourceID: "lake", SnapshotID: a.snapshot.SnapshotID, PageNumber: 1,
				BBox: &model.BBox{X: 0.1, Y: 0.2, W: 0.3, H: 0.25}, PDFTextQuote: u.FieldsRaw.Text, RepresentationKind: model.RepresentationLocator}
			var err error
			if e.FragmentHash, err = digest.FragmentLocator(proof.Locator(e)); err != nil {
				t.Fatal(err)
			}
			u.Evidence = []model.Evidence{e}
		}
		return a
	}
	for name, flip := range map[string]func(e *model.Evidence){
		"box":      func(e *model.Evidence) { e.BBox.X += 0.01 },
		"quote":    func(e *model.Evidence) { e.PDFTextQuote += "x" },
		"page":     func(e *model.Evidence) { e.PageNumber = 2 },
		"no page":  func(e *model.Evidence) { e.PageNumber = 0 },
		"rotation": func(e *model.Evidence) { e.RotationDegrees = new(int); *e.RotationDegrees = 90 },
	} {
		a := boxed()
		a.sign(t)
		if p := a.verify(t)[1]; p.Verdict != proof.Anchored {
			t.Fatalf("%+v", p)
		}
		for i := range a.frame.Units {
			flip(&a.unitAt(i).Evidence[0])
		}
		a.sign(t)
		if p := a.verify(t)[1]; p.Verdict != proof.Broken || !strings.Contains(p.Breaks[0].Where, "evidence 0") {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestWhatCannotBeReadIsNoFinding: a store that is away proves nothing and
// breaks nothing.
func TestWhatCannotBeReadIsNoFinding(t *testing.T) {
	a := newArchive(t, extract.ParserVersion)
	a.failing = errors.New("the store is away")
	if proofs, err := proof.Verify(t.Context(), a, []proof.Item{{Chunk: a.chunks[0]}}); !errors.Is(err, a.failing) || proofs != nil {
		t.Errorf("%+v, %v", proofs, err)
	}
}

// TestEachSnapshotIsCheckedUnderItsVersion: what the first and the second rules have left of
// an address is no break, though today's rules would leave something else.
func TestEachSnapshotIsCheckedUnderItsVersion(t *testing.T) {
	a := newArchive(t, extract.ParserVersion)
	for version, url := range map[string]string{
		"v1": "https://example.org/water?refresh_token=abc&session=REDACTED", "v2": "https://example.org/water?refresh_token=REDACTED&session_id=REDACTED&invite_token=00c0ffee00c0ffee00c0&note=password%20x",
		"v3": "https://example.org/water?refresh_token=REDACTED&session=2023&session_id=20240312T0930",
	} {
		canonical, err := digest.URLCanon("urlcanon_"+version, url)
		if err != nil {
			t.Fatal(err)
		}
		a.snapshot.RuleVersions = map[string]string{"urlcanon": "urlcanon_" + version}
		a.snapshot.RedactionPolicyID, a.snapshot.URL, a.snapshot.URLCanonical = "redact_"+version, url, canonical
		a.snapshot.Metadata = map[string]string{"pwd": map[string]string{"v1": "abc", "v2": "REDACTED", "v3": "REDACTED"}[version]}
		proofs, err := proof.Verify(t.Context(), a, []proof.Item{{Chunk: a.chunks[0]}})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range proofs[0].Breaks {
			if strings.HasPrefix(b.Where, "snapshot ") {
				t.Errorf("%s: %+v", version, b)
			}
		}
	}
}
