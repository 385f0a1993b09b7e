package proof_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// scanned returns an archive of a picture, of which OCR has read one line.
func scanned(t *testing.T) *archive {
	t.Helper()
	a := newArchive(t, extract.ParserVersion)
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 100, 100))); err != nil {
		t.Fatal(err)
	}
	a.raw = picture.Bytes()
	s := &a.snapshot
	s.SnapshotKind, s.FinalType, s.ContentHash, s.ByteLength = model.KindImageScan, model.TypeImage, digest.Content(a.raw), int64(len(a.raw))
	s.SnapshotID = digest.SnapshotID(s.SourceID, s.RequestID, s.ContentHash)
	a.run.SnapshotID, a.manifest.SnapshotID = s.SnapshotID, s.SnapshotID
	a.objects["result"] = packed(t, "level")
	in := extract.Input{Raw: a.raw, Snapshot: *s, ExtractionID: a.run.ExtractionID, OCR: readings(t, []proof.PageRead{{
		PageNo: 1, Result: a.objects["result"],
		OCR: model.PageOCR{Engine: "e", Version: "1", Key: "result", Digest: digest.Hex(a.objects["result"])},
	}})}
	var err error
	if a.frame, err = extractors().Extract(t.Context(), in, 1); err != nil || a.frame.Page.Status != model.PageProcessed {
		t.Fatalf("%+v, %v", a.frame.Page, err)
	}
	a.manifest.DocHash = digest.DocHash(s.SourceID, s.URLCanonical, digest.LastModified(s.LastModified), string(s.FinalType))
	a.sign(t)
	c := a.chunk(0, nil, unitPart(a.unit(t, "level")))
	c.DocType = string(s.FinalType)
	a.chunks = []model.Chunk{c}
	return a
}

func packed(t *testing.T, word string) []byte {
	t.Helper()
	raw, err := ocr.Encode(ocr.Result{Engine: "e", Version: "1", DPI: 200, Preprocessing: "1", Page: 1, Width: 100, Height: 100, Confidence: 0.9,
		Words: []ocr.Word{
			{Text: "The", Box: model.BBox{X: 0.1, Y: 0.1, W: 0.1, H: 0.02}, Confidence: 0.9, Block: 1, Paragraph: 1, Line: 1},
			{Text: word, Box: model.BBox{X: 0.25, Y: 0.1, W: 0.2, H: 0.02}, Confidence: 0.9, Block: 1, Paragraph: 1, Line: 1},
		}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := segment.Compress(raw)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func readings(t *testing.T, read []proof.PageRead) (out []block.OCR) {
	t.Helper()
	for _, r := range read {
		raw, err := segment.Decompress(r.Result)
		if err != nil {
			t.Fatal(err)
		}
		result, err := ocr.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, block.OCR{PageNo: r.PageNo, Use: r.OCR, Result: &result})
	}
	return out
}

// TestOCREvidence walks down to the stored OCR result whose digest the page
// names (contracts#proof).
func TestOCREvidence(t *testing.T) {
	a := scanned(t)
	if proofs := a.verify(t); proofs[0].Verdict != proof.Verified {
		t.Fatalf("%+v", proofs[0].Breaks)
	}
	for name, change := range map[string]func(){
		"another result":     func() { a.objects["result"] = packed(t, "lever") },
		"the result is gone": func() { delete(a.objects, "result") },
	} {
		a = scanned(t)
		change()
		proofs := a.verify(t)
		if proofs[0].Verdict != proof.Broken || len(proofs[0].Breaks) != 1 || proofs[0].Breaks[0].Step != "c" || proofs[0].Breaks[0].Where != "OCR result of page 1" {
			t.Errorf("%s: %+v", name, proofs[0].Breaks)
		}
	}
	// Whoever changes the result and its digest alike is told by the units.
	a = scanned(t)
	a.objects["result"] = packed(t, "lever")
	a.frame.Page.OCR[0].Digest = digest.Hex(a.objects["result"])
	a.sign(t)
	if proofs := a.verify(t); proofs[0].Verdict != proof.Broken || proofs[0].Breaks[0].Step != "c" {
		t.Errorf("%+v", proofs[0].Breaks)
	}
}
