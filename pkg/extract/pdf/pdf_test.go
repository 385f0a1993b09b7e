package pdf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/facts"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

var (
	update = flag.Bool("update", false, "write the golden files anew")
	engine *pdfium.Runtime
	// engineCache holds the compiled engine.
	engineCache string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	var err error
	if engineCache, err = os.MkdirTemp("", "pdf-test-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(engineCache)
	if engine, err = pdfium.Open(context.Background(), pdfium.Config{CacheDir: engineCache}); err != nil {
		panic(err)
	}
	defer engine.Close(context.Background())
	return m.Run()
}

func inputOf(t *testing.T, raw []byte) block.Input {
	t.Helper()
	in := block.Input{Raw: raw, Snapshot: model.Snapshot{SnapshotKind: model.KindPDF, ContentHash: digest.Content(raw)}}
	x := New(engine)
	defer x.Release()
	var err error
	if in.Facts, err = x.Facts(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	return in
}

func pageOf(t *testing.T, raw []byte, pageNo int) block.Page {
	t.Helper()
	x := New(engine)
	defer x.Release()
	page, err := x.Page(t.Context(), inputOf(t, raw), pageNo)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// samples are the documents of the golden files.
func samples() map[string][]byte {
	return map[string][]byte{
		"article": article(), "columns": columns(), "numbered-lines": numberedLines(), "ruled": ruled(),
		"running": running(9), "turned": turned(90), "others": others(), "aligned": alignedTable(),
	}
}

// golden is what the golden files show of a page.
type golden struct {
	Page  block.Page
	Facts json.RawMessage `json:",omitempty"`
}

func TestGolden(t *testing.T) {
	for name, raw := range samples() {
		t.Run(name, func(t *testing.T) {
			in := inputOf(t, raw)
			got, err := json.MarshalIndent(golden{Page: pageOf(t, raw, 1), Facts: in.Facts}, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".golden.json")
			if *update {
				if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
				t.Fatal("golden file written; run again without -update")
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytes.TrimSpace(want), got) {
				t.Errorf("blocks differ from %s; look at them, then run with -update\n%s", path, got)
			}
		})
	}
}

// TestEvidence holds every block to what it says: its quotes are the engine's
// text of their ranges, which stands where their boxes are, and its text is what
// the quotes say.
func TestEvidence(t *testing.T) {
	all := samples()
	for name, raw := range odd() {
		all[name] = raw
	}
	for name, raw := range all {
		proved(t, name, raw)
	}
}

// proved holds all blocks of a document to what they say.
func proved(t *testing.T, name string, raw []byte) {
	t.Helper()
	d, err := engine.Load(raw, "")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for pageNo := 1; pageNo <= d.PageCount(); pageNo++ {
		page := pageOf(t, raw, pageNo)
		p, err := d.Page(pageNo - 1)
		if err != nil {
			t.Fatal(err)
		}
		used := map[int64]bool{}
		characters := 0
		chars, _, err := p.Chars()
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range page.Blocks {
			if !slices.Contains(b.Flags, block.FlagHidden) {
				characters += coverage.Characters(b.Text)
			}
			checkEvidence(t, name, p, b, used)
			checkPlaces(t, name, p, b, chars)
		}
		p.Close()
		if characters != page.Visible {
			t.Errorf("%s, page %d: %d characters in blocks, %d visible", name, pageNo, characters, page.Visible)
		}
	}
}

func checkEvidence(t *testing.T, name string, p *pdfium.Page, b block.Block, used map[int64]bool) {
	t.Helper()
	var quotes strings.Builder
	for _, e := range b.Evidence {
		if e.BBox == nil || e.PageNumber == 0 || e.RotationDegrees == nil {
			t.Errorf("%s: %q: evidence without its place", name, b.Text)
		}
		if e.CharSpan == nil {
			if b.Type == model.UnitFigure {
				continue // its place; its labels follow
			}
			return
		}
		text, err := p.Text(int(e.CharSpan.Start), int(e.CharSpan.End-e.CharSpan.Start))
		if err != nil || text != e.PDFTextQuote {
			t.Errorf("%s: quote %q, engine says %q (%v)", name, e.PDFTextQuote, text, err)
		}
		for i := e.CharSpan.Start; i < e.CharSpan.End; i++ {
			if used[i] {
				t.Errorf("%s: character %d is in two blocks", name, i)
			}
			used[i] = true
		}
		quotes.WriteString(e.PDFTextQuote)
	}
	printed := b.TextPrinted
	if printed == "" {
		printed = b.Text
	}
	said := strings.ReplaceAll(quotes.String(), "\uFFFE", "-")
	if bare(said) != bare(printed) && b.Type != model.UnitTable && !slices.Contains(b.Flags, FlagMapped) && sorted(said) != sorted(printed) {
		t.Errorf("%s: text %q is not what its quotes say: %q", name, printed, said)
	}
}

// checkPlaces holds the characters of each range to the box of its evidence.
func checkPlaces(t *testing.T, name string, p *pdfium.Page, b block.Block, chars []pdfium.Char) {
	t.Helper()
	const slack = 0.002
	for _, e := range b.Evidence {
		if e.CharSpan == nil {
			continue
		}
		for i := e.CharSpan.Start; i < e.CharSpan.End; i++ {
			if unicode.IsSpace(chars[i].Rune) || chars[i].Rune == 0 {
				continue
			}
			box := p.Upright(chars[i].Box)
			x, y := box.X+box.W/2, box.Y+box.H/2
			if x < e.BBox.X-slack || x > e.BBox.X+e.BBox.W+slack || y < e.BBox.Y-slack || y > e.BBox.Y+e.BBox.H+slack {
				t.Errorf("%s: %q: character %d %q at %.3f, %.3f is not in %+v", name, b.Text, i, chars[i].Rune, x, y, *e.BBox)
			}
		}
	}
}

// sorted is s without white space, its characters in order: text that runs to
// the left is quoted in the order of the file.
func sorted(s string) string {
	r := []rune(bare(s))
	slices.Sort(r)
	return string(r)
}

// bare is s without white space.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func TestHyphens(t *testing.T) {
	for _, b := range pageOf(t, article(), 1).Blocks {
		if !strings.Contains(b.Text, "river rises") {
			continue
		}
		if !strings.Contains(b.Text, "through the community before") || !strings.Contains(b.Text, "nineteenth century,") || !strings.Contains(b.Text, "self-help") {
			t.Errorf("words that a line's end breaks must be joined: %q", b.Text)
		}
		if !strings.Contains(b.TextPrinted, "commu-\nnity") {
			t.Errorf("the printed form must stay: %q", b.TextPrinted)
		}
		return
	}
	t.Error("the paragraph is gone")
}

// A word that another page writes with a hyphen keeps it where a line breaks at it.
func TestHyphensOfTheDocument(t *testing.T) {
	var first, second canvas
	first.text("R", 11, 72, 690, "The book is kept by the self-help association of the farmers of the valley.")
	second.text("R", 11, 72, 690, "What was found in the river above the village is written down by the self-",
		"help association, and is read by the commu-", "nity every year.")
	got := said(pageOf(t, document(first.String(), second.String()), 2).Blocks)
	if len(got) != 1 || !strings.HasSuffix(got[0], "by the self-help association, and is read by the community every year.") {
		t.Errorf("%q", got)
	}
}

// TestSamePageAloneAndInRange: a page depends on the bytes and the facts, never
// on the pages that were read before it.
func TestSamePageAloneAndInRange(t *testing.T) {
	raw := running(9)
	in := inputOf(t, raw)
	read := func(order []int) map[int]block.Page {
		x := New(engine)
		defer x.Release()
		out := map[int]block.Page{}
		for _, pageNo := range order {
			page, err := x.Page(t.Context(), in, pageNo)
			if err != nil {
				t.Fatal(err)
			}
			out[pageNo] = page
		}
		return out
	}
	forward, backward := read([]int{1, 2, 3, 4, 5, 6, 7, 8, 9}), read([]int{9, 3, 7, 1, 8, 2, 6, 4, 5})
	for pageNo, page := range forward {
		if !reflect.DeepEqual(page, backward[pageNo]) {
			t.Errorf("page %d differs when the pages come in another order", pageNo)
		}
		if alone := read([]int{pageNo})[pageNo]; !reflect.DeepEqual(page, alone) {
			t.Errorf("page %d differs when it comes alone", pageNo)
		}
		first, last := page.Blocks[0], page.Blocks[len(page.Blocks)-1]
		if first.Type != model.UnitPageHeader || last.Type != model.UnitPageFooter {
			t.Errorf("page %d: head %s %q, foot %s %q", pageNo, first.Type, first.Text, last.Type, last.Text)
		}
	}
	again := inputOf(t, raw)
	if !bytes.Equal(in.Facts, again.Facts) {
		t.Error("facts differ between two runs")
	}
}

func TestFactsOfManyPages(t *testing.T) {
	in := inputOf(t, running(100))
	var d facts.Document
	if err := json.Unmarshal(in.Facts, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Sample) != facts.MaxSample || d.Sample[0].PageNo != 1 || d.Sample[len(d.Sample)-1].PageNo != 100 {
		t.Errorf("sample of %d pages, %d to %d", len(d.Sample), d.Sample[0].PageNo, d.Sample[len(d.Sample)-1].PageNo)
	}
	x := New(engine)
	defer x.Release()
	for pageNo, want := range map[int]model.UnitType{
		1: model.UnitPageHeader, 2: model.UnitPageHeader,
		50: model.UnitParagraph, // the only page of its chapter that was looked at
	} {
		page, err := x.Page(t.Context(), in, pageNo)
		if err != nil {
			t.Fatal(err)
		}
		if page.Blocks[0].Type != want {
			t.Errorf("page %d begins with %s %q", pageNo, page.Blocks[0].Type, page.Blocks[0].Text)
		}
	}
}

func TestTurnedPages(t *testing.T) {
	want := pageOf(t, turned(0), 1)
	for _, rotation := range []int{90, 180, 270} {
		page := pageOf(t, turned(rotation), 1)
		if page.Rotation != rotation || rotation != 180 && (page.Width != 792 || page.Height != 612) {
			t.Errorf("rotation %d: %d degrees, %g x %g", rotation, page.Rotation, page.Width, page.Height)
		}
		if len(page.Blocks) != len(want.Blocks) {
			t.Fatalf("rotation %d: %d blocks, want %d", rotation, len(page.Blocks), len(want.Blocks))
		}
		for i, b := range page.Blocks {
			if b.Type != want.Blocks[i].Type || b.Text != want.Blocks[i].Text || *b.Evidence[0].RotationDegrees != rotation {
				t.Errorf("rotation %d: %s %q", rotation, b.Type, b.Text)
			}
			if box := b.Evidence[0].BBox; rotation != 180 && (box.X > 0.15 || box.W < box.H) {
				t.Errorf("rotation %d: box %+v of a line is not upright", rotation, *box)
			}
		}
	}
}

func TestFailures(t *testing.T) {
	var none writer
	none.page(letter, "")
	tests := []struct {
		name   string
		raw    []byte
		reason fault.Reason
		says   string
	}{
		{"not a PDF", []byte("%PDF-1.7\nnothing"), fault.Malformed, "cannot be read"},
		{"empty page", none.bytes(), fault.EmptyContent, "page 1"},
		{"scan", scanned(), fault.OCRFailed, "OCR is not configured"},
		{"broken encoding", unreadable(), fault.OCRFailed, "64 of 64"},
	}
	for _, test := range tests {
		x := New(engine)
		_, err := x.Page(t.Context(), block.Input{Raw: test.raw}, 1)
		x.Release()
		var f *block.Failure
		if !errors.As(err, &f) || f.Reason != test.reason || !strings.Contains(f.Message, test.says) {
			t.Errorf("%s: got %v, want %s: … %s …", test.name, err, test.reason, test.says)
		}
	}
}

func TestFailureReasons(t *testing.T) {
	for err, reason := range map[error]fault.Reason{
		pdfium.ErrPassword: fault.Encrypted, pdfium.ErrFormat: fault.Malformed,
		pdfium.ErrLimit: fault.LimitExceeded, pdfium.ErrEngine: fault.ParserCrashed,
	} {
		var f *block.Failure
		if !errors.As(failure(fmt.Errorf("page 1: %w", err)), &f) || f.Reason != reason {
			t.Errorf("%v: got %+v, want %s", err, f, reason)
		}
	}
	var f *block.Failure
	if err := failure(context.Canceled); errors.As(err, &f) || !errors.Is(err, context.Canceled) {
		t.Errorf("what is not the document's fault must stay as it is: %v", err)
	}
}

func TestReleaseAndNextDocument(t *testing.T) {
	x := New(engine)
	defer x.Release()
	for _, raw := range [][]byte{article(), columns(), article()} {
		in := inputOf(t, raw)
		n, err := x.Pages(t.Context(), in)
		if err != nil || n != 1 {
			t.Fatalf("%d pages, %v", n, err)
		}
		if _, err := x.Page(t.Context(), in, 1); err != nil {
			t.Fatal(err)
		}
	}
	x.Release()
	x.Release()
}
