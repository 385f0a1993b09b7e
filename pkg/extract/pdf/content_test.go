package pdf

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// readIn reads the pages of these numbers one after the other.
func readIn(t *testing.T, rt *pdfium.Runtime, in block.Input, pages []int) map[int]block.Page {
	t.Helper()
	x := New(rt)
	defer x.Release()
	out := make(map[int]block.Page)
	for _, no := range pages {
		page, err := x.Page(t.Context(), in, no)
		if failure := (*block.Failure)(nil); err != nil && !errors.As(err, &failure) {
			t.Fatal(err)
		}
		out[no] = page
		if again, _ := x.Page(t.Context(), in, no); !reflect.DeepEqual(again, page) {
			t.Errorf("page %d is another when it is read again", no)
		}
	}
	return out
}

// A document of one range is read alike with facts and without, whichever of its
// pages comes first.
func TestOneRangeNeedsNoFacts(t *testing.T) {
	documents := samples()
	documents["of a whole range"] = running(model.RangeSize)
	for name, raw := range documents {
		t.Run(name, func(t *testing.T) {
			told := inputOf(t, raw)
			x := New(engine)
			defer x.Release()
			n, err := x.Pages(t.Context(), told)
			if err != nil {
				t.Fatal(err)
			}
			var pages []int
			for no := 1; no <= n; no++ {
				pages = append(pages, no)
			}
			want := readIn(t, engine, told, pages)
			untold := told
			untold.Facts = nil
			if got := readIn(t, engine, untold, pages); !reflect.DeepEqual(got, want) {
				t.Error("read in their order without facts, the pages are others")
			}
			slices.Reverse(pages)
			if got := readIn(t, engine, untold, pages); !reflect.DeepEqual(got, want) {
				t.Error("read in reverse without facts, the pages are others")
			}
			if got := readIn(t, engine, untold, pages[:1]); !reflect.DeepEqual(got[n], want[n]) {
				t.Error("read alone without facts, the last page is another")
			}
		})
	}
}

// Documents follow one another: what was learnt of one is not said of the next.
func TestFactsAreOfTheirDocument(t *testing.T) {
	x := New(engine)
	defer x.Release()
	for range 2 {
		for _, raw := range [][]byte{running(9), article(), running(5)} {
			in := block.Input{Raw: raw, Snapshot: model.Snapshot{SnapshotKind: model.KindPDF, ContentHash: digest.Content(raw)}}
			got, err := x.Page(t.Context(), in, 1)
			if err != nil {
				t.Fatal(err)
			}
			if want := pageOf(t, raw, 1); !reflect.DeepEqual(got, want) {
				t.Errorf("%q, want %q", said(got.Blocks), said(want.Blocks))
			}
		}
	}
}

// heavy has n pages with a picture inside of the page of 3 MB each.
func heavy(n int) []byte {
	var w writer
	picture := strings.Repeat("\x80", 3_000_000)
	for i := range n {
		w.page(letter, fmt.Sprintf("BT /F1 11 Tf 72 700 Td (Page %d speaks of the river and of the weirs above it.) Tj ET\n"+
			"q 9 0 0 9 72 600 cm BI /W 2000 /H 1500 /BPC 8 /CS /G ID %s EI Q", i+1, picture))
	}
	return w.bytes()
}

// Pages that are kept open take memory from the others: where that is not
// enough, they are read one at a time.
func TestKeptPagesTakeNoMemoryFromOthers(t *testing.T) {
	raw := heavy(8)
	in := block.Input{Raw: raw, Snapshot: model.Snapshot{SnapshotKind: model.KindPDF, ContentHash: digest.Content(raw)}}
	pages := []int{1, 2, 3, 4, 5, 6, 7, 8}
	want := readIn(t, engine, in, pages)
	small, err := pdfium.Open(t.Context(), pdfium.Config{CacheDir: engineCache, MemoryLimitBytes: heavyMemory})
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close(t.Context())
	d, err := small.Load(raw, "")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for no := range 8 { // left open
		if _, err = d.Page(no); err != nil {
			break
		}
	}
	if !errors.Is(err, pdfium.ErrLimit) {
		t.Fatalf("eight pages at once fit into %d MiB: %v", heavyMemory>>20, err)
	}
	got := readIn(t, small, in, pages)
	for _, no := range pages {
		if len(got[no].Blocks) == 0 || !reflect.DeepEqual(got[no], want[no]) {
			t.Errorf("page %d: %q, want %q", no, said(got[no].Blocks), said(want[no].Blocks))
		}
	}
}

// heavyMemory holds one page of heavy, and not eight.
const heavyMemory = 40 << 20
