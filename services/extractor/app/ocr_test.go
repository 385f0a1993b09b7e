package app

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr/fake"
	"github.com/colophon-dev/colophon/services/extractor/internal/recognise"
)

// ocrWorld is a world with an engine that reads.
type ocrWorld struct {
	*world
	reading *reading
	ocr     *recognise.Stage
	counts  string // folder in which the engine counts what it reads
	temp    string // folder of its children
}

// withOCR returns a world whose engine is of package fake.
func withOCR(t *testing.T, engine string, change func(*config.OCR)) *ocrWorld {
	t.Helper()
	return ocrOver(newWorld(t), engine, change)
}

// ocrOver gives a world an engine of package fake.
func ocrOver(under *world, engine string, change func(*config.OCR)) *ocrWorld {
	under.Helper()
	t := under.T
	w := &ocrWorld{world: under, counts: t.TempDir(), temp: t.TempDir()}
	c := Config{OCR: config.OCR{Mode: modeOn, Engine: engine, Workers: 1, DataDir: w.counts, MemoryBytes: 512 << 20}}
	c.Extraction.CacheDir, c.S3.TempDir = filepath.Join(os.TempDir(), "colophon-test-pdfium"), w.temp
	if change != nil {
		change(&c.OCR)
	}
	logger := slog.New(slog.DiscardHandler)
	w.reading = &reading{mode: c.OCR.Mode, logger: logger}
	var err error
	if w.reading.reader, err = newReader(c, w.Blobs, nil); err != nil {
		t.Fatal(err)
	}
	if w.reading.reader != nil {
		t.Cleanup(w.reading.reader.Close)
	}
	w.stage = newStage(w.DB, w.Blobs, w.children, newPrefetcher(w.Blobs), w.reading.unread, logger)
	w.ocr = recogniser(w.DB, w.Blobs, w.reading, logger)
	return w
}

// recognised is how many pages the engine has begun to read.
func (w *ocrWorld) recognised() int {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(w.counts, fake.CountFile))
	if err != nil && !os.IsNotExist(err) {
		w.Fatal(err)
	}
	return len(data)
}

// asked handles a range and returns the pages that wait for OCR.
func (w *ocrWorld) asked(run model.Run, r model.PageRange) (asked []event.PageOCRRequested) {
	w.Helper()
	if err := w.stage.Handle(w.Context(), w.Event(split(run, r)), w.Emit); err != nil {
		w.Fatal(err)
	}
	for _, d := range w.Heard() {
		asked = append(asked, d.(event.PageOCRRequested))
	}
	return asked
}

// read has pages read, and returns what is said when the last one has its answer.
func (w *ocrWorld) read(asked ...event.PageOCRRequested) event.PageOCRCompleted {
	w.Helper()
	for i, d := range asked {
		if err := w.ocr.Handle(w.Context(), w.Event(d), w.Emit); err != nil {
			w.Fatal(err)
		}
		if i < len(asked)-1 && len(w.Heard()) > 0 {
			w.Fatal("completed before all pages have their answers")
		}
	}
	said := w.Heard()
	if len(said) != 1 {
		w.Fatalf("said %+v", said)
	}
	return said[0].(event.PageOCRCompleted)
}

// extracted handles the answer and returns what the pages hold.
func (w *ocrWorld) extracted(run model.Run, done event.PageOCRCompleted) []string {
	w.Helper()
	if err := w.stage.Handle(w.Context(), w.Event(done), w.Emit); err != nil {
		w.Fatal(err)
	}
	return w.said1(run, done.Pages)
}

// through has a range extracted with OCR.
func (w *ocrWorld) through(run model.Run, r model.PageRange) []string {
	w.Helper()
	return w.extracted(run, w.read(w.asked(run, r)...))
}

func picture(t *testing.T, shade byte) string {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 120, 160))
	for i := range img.Pix {
		img.Pix[i] = shade
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// scans is a PDF of n pages, of which those named are pictures.
func scans(n int, pictures ...int) string {
	var out strings.Builder
	out.WriteString("%PDF-1.7\n")
	var offsets []int
	object := func(body string) int {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
		return len(offsets)
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(bytes.Repeat([]byte{0xC0}, 100*100))
	_ = z.Close()
	object("<< /Type /Catalog /Pages 2 0 R >>")
	kids := ""
	for i := range n {
		kids += fmt.Sprintf("%d 0 R ", 5+2*i)
	}
	object(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] /MediaBox [0 0 300 400] /Resources << /XObject << /I 3 0 R >> "+
		"/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>", n, kids))
	object(fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width 100 /Height 100 /ColorSpace /DeviceGray /BitsPerComponent 8 "+
		"/Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", packed.Len(), packed.String()))
	for i := range n {
		content := fmt.Sprintf("BT /F 12 Tf 40 300 Td (This is the text of page %d of the report.) Tj ET", i+1)
		for _, p := range pictures {
			if p == i+1 {
				content = "300 0 0 400 0 0 cm /I Do"
			}
		}
		stream := object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R >>", stream))
	}
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return out.String()
}

// scannedText is what the engine reads on a page.
func scannedText(s model.Snapshot, page int) string {
	return fmt.Sprintf("Scanned page %d of document %s", page, strings.TrimPrefix(s.ContentHash, "sha256:")[:8])
}

func TestAPictureIsRead(t *testing.T) {
	w := withOCR(t, "fake:read", nil)
	s := w.Capture(picture(t, 200), model.KindImageScan, nil)
	run := w.start(s, extract.ParserVersion)
	asked := w.asked(run, one)
	if len(asked) != 1 || asked[0].Pages != one || len(asked[0].Parts) != 1 || asked[0].Parts[0].Why == "" {
		t.Fatalf("%+v", asked)
	}
	if pages, err := w.DB.Pages(t.Context(), run.SnapshotID, run.ExtractionID); err != nil || pages[0].Status != model.PagePending || len(pages[0].OCR) != 1 {
		t.Errorf("%+v, %v", pages, err)
	}
	done := w.read(asked...)
	if len(done.Results) != 1 || w.read(asked...).Results[0] != done.Results[0] || w.recognised() != 1 {
		t.Errorf("%+v, read %d times", done, w.recognised())
	}
	if got := w.extracted(run, done); !reflect.DeepEqual(got, []string{scannedText(s, 1)}) {
		t.Errorf("%q", got)
	}
	pages, err := w.DB.Pages(t.Context(), run.SnapshotID, run.ExtractionID)
	if err != nil || len(pages) != 1 || len(pages[0].OCR) != 1 {
		t.Fatalf("%+v, %v", pages, err)
	}
	use := pages[0].OCR[0]
	if use.Key != done.Results[0] || use.Engine != "fake" || use.Version != "1" {
		t.Errorf("%+v", use)
	}
	packed, err := w.Blobs.GetOCR(t.Context(), "s", use)
	if err != nil || digest.Hex(packed) != use.Digest {
		t.Errorf("%v", err)
	}
	if run = w.Run(run); run.OCR == nil || run.OCR.Engine != "fake" || run.OCR.Version != "1" {
		t.Errorf("the run does not name its engine: %+v", run.OCR)
	}
	// Everything again says the same, and reads nothing.
	w.pages(run, one)
	if got := w.extracted(run, w.read(asked...)); got[0] != scannedText(s, 1) || w.recognised() != 1 {
		t.Errorf("%q, read %d times", got, w.recognised())
	}

	// Another run of the snapshot finds what was read; one with OCR of its own
	// settings has it read again.
	again := run
	again.ExtractionID, again.OCR = "0123456789abcdef", nil
	again = w.Start(again)
	if got := w.pages(again, one); got[0] != scannedText(s, 1) || w.recognised() != 1 {
		t.Errorf("%q, read %d times", got, w.recognised())
	}
	own := run
	own.ExtractionID, own.OCR = "fedcba9876543210", &model.RunOCR{Run: "r", Settings: &model.OCRSettings{Name: "r", DPI: 300}}
	own = w.Start(own)
	if got := w.through(own, one); got[0] != scannedText(s, 1) || w.recognised() != 2 {
		t.Errorf("%q, read %d times", got, w.recognised())
	}
}

// TestOnePageThatFails: the others complete, text and scans alike, and text
// pages are those of a run without OCR.
func TestOnePageThatFails(t *testing.T) {
	for _, c := range []struct{ engine, reason, sentence string }{
		{"fake:crash@3", "parser_crashed", "page 3: the OCR engine ended unexpectedly"},
		{"fake:hang@3", "timeout", "page 3: OCR took longer than 2s"},
		{"fake:memory@3", "limit_exceeded", "page 3: OCR needs more memory or time than one page may use"},
	} {
		t.Run(c.engine, func(t *testing.T) {
			w := withOCR(t, c.engine, func(o *config.OCR) {
				if c.reason == "timeout" {
					o.PageTimeout = 2 * time.Second
				}
			})
			s := w.Capture(scans(6, 3, 5), model.KindPDF, nil)
			run := w.start(s, extract.ParserVersion)
			r := model.PageRange{From: 1, To: 6}
			asked := w.asked(run, r)
			if len(asked) != 2 || asked[0].Pages.From != 3 || asked[1].Pages.From != 5 {
				t.Fatalf("%+v", asked)
			}
			// In any order: the stuck page holds no other.
			asked[0], asked[1] = asked[1], asked[0]
			got := w.extracted(run, w.read(asked...))
			want := lines(1, 6)
			want[2], want[4] = c.reason+": "+c.sentence, scannedText(s, 5)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%q", got)
			}
			plain, err := w.children.Pages(t.Context(), s, run.ExtractionID, nil, model.PageRange{From: 1, To: 1})
			segment, errRow := w.DB.Segment(t.Context(), run.SnapshotID, run.ExtractionID, 1, 0)
			if err != nil || errRow != nil {
				t.Fatal(err, errRow)
			}
			data, err := w.Blobs.Get(t.Context(), blobstore.Derived, segment.ObjectKey, segment.Digest)
			if err != nil || !bytes.Contains(data, plain[0].Frame) {
				t.Errorf("the text page is another: %v", err)
			}

			// A redo has the failed page read again, and no other.
			w.Finish(run, model.RunPartial)
			before := w.recognised()
			run, err = w.DB.StartRedo(t.Context(), run.SnapshotID, run.ExtractionID, 1, []model.PageRange{r})
			if err != nil {
				t.Fatal(err)
			}
			if asked = w.asked(run, r); len(asked) != 1 || asked[0].Pages.From != 3 {
				t.Fatalf("%+v", asked)
			}
			if w.recognised() != before {
				t.Error("asking reads")
			}
		})
	}
}

func TestPicturesThatCannotBeRead(t *testing.T) {
	w := withOCR(t, "fake:read", nil)
	var shot bytes.Buffer
	if err := jpeg.Encode(&shot, image.NewGray(image.Rect(0, 0, 200, 200)), nil); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		raw, reason string
	}{
		"37 GiB in 33 bytes": {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x03\x00\x00\x00\x03\x00\x00\x08\x00\x00\x00\x00\x99\x99\x99\x99", "limit_exceeded"},
		"half a JPEG":        {shot.String()[:shot.Len()/2], "malformed"},
		"a TIFF's header":    {"II*\x00\x08\x00\x00\x00\x05", "malformed"},
		"no picture":         {"something else", "unsupported_type"},
	} {
		s := w.Capture(c.raw, model.KindImageScan, nil)
		run := model.Run{SnapshotID: s.SnapshotID, ExtractionID: "x", SourceID: "s", DocumentID: s.DocumentID, ParserVersion: extract.ParserVersion}
		split, err := w.stage.Splitter.Split(t.Context(), s, run)
		if fault.KindOf(err) == fault.KindPermanent {
			split.PageCount, split.Reason, split.Message = 1, string(fault.ReasonOf(err)), err.Error()
		} else if err != nil {
			t.Fatal(err)
		}
		run = w.Start(split)
		var got []string
		if run.Unsplit() {
			got = w.pages(run, one)
		} else {
			got = w.through(run, one)
		}
		if !strings.HasPrefix(got[0], c.reason+": ") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestTextNeverPays: a PDF of 1,000 pages of text has no child of OCR started.
func TestTextNeverPays(t *testing.T) {
	w := withOCR(t, "fake:read", nil)
	run := w.start(w.Capture(devtest.PDF(1000, ""), model.KindPDF, nil), extract.ParserVersion)
	for _, r := range model.Ranges(1000) {
		if got := w.pages(run, r); !reflect.DeepEqual(got, lines(r.From, r.To)) {
			t.Fatalf("%+v: %q", r, got)
		}
	}
	started, err := os.ReadDir(w.temp)
	if err != nil || len(started) > 0 || w.recognised() > 0 || w.reading.engine.Name != "" {
		t.Errorf("%d children, %d pages read, %v", len(started), w.recognised(), err)
	}
	// What would have been one is seen.
	if got := w.through(w.start(w.Capture(picture(t, 1), model.KindImageScan, nil), extract.ParserVersion), one); len(got) != 1 {
		t.Errorf("%q", got)
	}
	if started, err = os.ReadDir(w.temp); err != nil || len(started) == 0 {
		t.Errorf("%d children, %v", len(started), err)
	}
}

// TestPagesThatNobodyReadsSayWhy: the failure of a page names the setting.
func TestPagesThatNobodyReadsSayWhy(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*config.OCR)
		says   string
	}{
		"off":                      {func(o *config.OCR) { o.Mode = modeOff }, "it needs OCR, and OCR is off in this installation (COLOPHON_OCR=off)"},
		"auto, without the engine": {func(o *config.OCR) { o.Mode, o.Engine, o.DataDir = "auto", "", t.TempDir() }, "(COLOPHON_OCR=on leaves it to extractors that have one)"},
	} {
		w := withOCR(t, "fake:read", c.change)
		run := w.start(w.Capture(scans(2, 2), model.KindPDF, nil), extract.ParserVersion)
		got := w.pages(run, model.PageRange{From: 1, To: 2})
		if got[0] != lines(1, 1)[0] || !strings.HasPrefix(got[1], "ocr_failed: page 2: ") || !strings.HasSuffix(got[1], c.says) {
			t.Errorf("%s: %q", name, got)
		}
		pages, err := w.DB.Pages(t.Context(), run.SnapshotID, run.ExtractionID)
		if err != nil || len(pages[0].OCR) != 0 || len(pages[1].OCR) != 1 || pages[1].OCR[0].Reason != string(fault.OCRFailed) {
			t.Errorf("%s: %+v, %v", name, pages, err)
		}
		if got := w.pages(w.start(w.Capture(picture(t, 9)+name, model.KindImageScan, nil), extract.ParserVersion), one); !strings.HasPrefix(got[0], "ocr_failed: page 1: picture: png") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestWaitingPagesFailWhereOCRIsOff: what waits to be read when OCR is switched off has
// a failure for its answer, and what was read before is used as before.
func TestWaitingPagesFailWhereOCRIsOff(t *testing.T) {
	w := withOCR(t, "fake:read", nil)
	before := w.start(w.Capture(scans(3, 2), model.KindPDF, nil), extract.ParserVersion)
	three := model.PageRange{From: 1, To: 3}
	want := w.through(before, three)
	run := w.start(w.Capture(scans(2, 1, 2), model.KindPDF, nil), extract.ParserVersion)
	asked := w.asked(run, model.PageRange{From: 1, To: 2})
	if len(asked) != 2 {
		t.Fatalf("asked for %+v", asked)
	}
	off := &reading{mode: modeOff, logger: slog.New(slog.DiscardHandler)}
	w.ocr, w.stage = recogniser(w.DB, w.Blobs, off, off.logger), newStage(w.DB, w.Blobs, w.children, newPrefetcher(w.Blobs), off.unread, off.logger)
	read := w.recognised()
	for i, got := range w.extracted(run, w.read(asked...)) {
		if !strings.HasPrefix(got, fmt.Sprintf("ocr_failed: page %d: ", i+1)) || !strings.Contains(got, "COLOPHON_OCR=off") {
			t.Errorf("page %d: %q", i+1, got)
		}
	}
	w.Finish(before, model.RunPartial)
	again, err := w.DB.StartRedo(t.Context(), before.SnapshotID, before.ExtractionID, 1, []model.PageRange{three})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.pages(again, three); !reflect.DeepEqual(got, want) || w.recognised() != read {
		t.Errorf("again %q, was %q; read %d pages, were %d", got, want, w.recognised(), read)
	}
}

// TestOCRThatMeansNothing: an event about nothing that exists is malformed, one
// of a run that is over says nothing, and what a stage gives up has an answer.
func TestOCRThatMeansNothing(t *testing.T) {
	w := withOCR(t, "fake:read", nil)
	run := w.start(w.Capture(scans(3, 1, 2), model.KindPDF, nil), extract.ParserVersion)
	r := model.PageRange{From: 1, To: 3}
	asked := w.asked(run, r)
	for _, change := range []func(*event.PageOCRRequested){
		func(d *event.PageOCRRequested) { d.ExtractionID = "other" },
		func(d *event.PageOCRRequested) { d.Pages = model.PageRange{From: 3, To: 3} },
		func(d *event.PageOCRRequested) { d.Pages = r },
		func(d *event.PageOCRRequested) { d.Redo = 7 },
	} {
		d := asked[0]
		change(&d)
		if err := w.ocr.Handle(t.Context(), w.Event(d), w.Emit); fault.ReasonOf(err) != fault.Malformed {
			t.Errorf("%+v: %v", d, err)
		}
		if err := w.ocr.Fail(t.Context(), w.Event(d), fault.Malformed, "malformed", w.Emit); err != nil || len(w.Heard()) > 0 {
			t.Errorf("%+v: %v", d, err)
		}
	}
	if err := w.ocr.Fail(t.Context(), w.Event(asked[0]), fault.AttemptsExhausted, "page 1: four times", w.Emit); err != nil {
		t.Fatal(err)
	}
	if got := w.extracted(run, w.read(asked[1])); got[0] != "attempts_exhausted: page 1: four times" || !strings.HasPrefix(got[1], "Scanned page 2") {
		t.Errorf("%q", got)
	}
	w.Finish(run, model.RunSuperseded)
	if err := w.ocr.Handle(t.Context(), w.Event(asked[0]), w.Emit); err != nil || len(w.Heard()) > 0 {
		t.Error(err)
	}
}

// TestALostResult: what is gone or damaged ends its range, not the service.
func TestALostResult(t *testing.T) {
	w := withOCR(t, "fake:read", nil)
	run := w.start(w.Capture(picture(t, 77), model.KindImageScan, nil), extract.ParserVersion)
	asked := w.asked(run, one)
	done := w.read(asked...)
	key := blobstore.OCRKey("s", "fake", "1", done.Results[0])
	if err := w.Blobs.Delete(t.Context(), blobstore.Derived, key); err != nil {
		t.Fatal(err)
	}
	err := w.stage.Handle(t.Context(), w.Event(done), w.Emit)
	if fault.KindOf(err) != fault.KindTransient || fault.ReasonOf(err) != fault.Internal {
		t.Errorf("%v", err)
	}
	packed, err := child.PackFacts([]byte("no result"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Blobs.PutOnce(t.Context(), blobstore.Derived, key, packed, "application/zstd"); err != nil {
		t.Fatal(err)
	}
	if err := w.stage.Handle(t.Context(), w.Event(done), w.Emit); fault.ReasonOf(err) != fault.Internal {
		t.Errorf("%v", err)
	}
	if err := w.stage.Fail(t.Context(), w.Event(done), fault.Internal, "its OCR result is lost", w.Emit); err != nil {
		t.Fatal(err)
	}
	if got := w.said1(run, one); got[0] != "internal: its OCR result is lost" {
		t.Errorf("%q", got)
	}
}

// TestAPictureIsReadForEachLanguage: what was read with the hint of one language is
// not what the same picture says with that of another, whichever came first; with the
// same hint it is read once.
func TestAPictureIsReadForEachLanguage(t *testing.T) {
	w := withOCR(t, "fake:read", nil)
	one := model.PageRange{From: 1, To: 1}
	for i, capture := range []struct {
		language string
		read     int // pages, so far
	}{{"en", 1}, {"fr", 2}, {"", 3}, {"fr", 3}, {"en", 3}} {
		s := w.Capture(picture(t, 55), model.KindImageScan, func(s *model.Snapshot) {
			s.Language = capture.language
			s.RequestID = fmt.Sprintf("%s-%d", s.RequestID, i)
			s.SnapshotID = digest.SnapshotID(s.SourceID, s.RequestID, s.ContentHash)
		})
		run := w.start(s, extract.ParserVersion)
		if err := w.stage.Handle(t.Context(), w.Event(split(run, one)), w.Emit); err != nil {
			t.Fatal(err)
		}
		for _, d := range w.Heard() {
			if asked, ok := d.(event.PageOCRRequested); ok {
				w.extracted(run, w.read(asked))
			}
		}
		if got := w.recognised(); got != capture.read {
			t.Errorf("capture %d, in %q: %d pages were read, want %d", i, capture.language, got, capture.read)
		}
	}
}
