package pdfium

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// graphicsWith reads what is drawn on a page with this trust in the memory, and
// returns what became of it.
func graphicsWith(t *testing.T, p *Page, segments trust) (Graphics, trust) {
	t.Helper()
	r := newObjectReader(p)
	r.segments = segments
	r.readPage(p)
	if err := p.failed(); err != nil {
		t.Fatal(err)
	}
	return r.graphics, r.segments
}

// drawing is a document of one page with this content.
func drawing(content string) []byte {
	var w writer
	w.page("/MediaBox [0 0 612 792]", content)
	return w.bytes()
}

// TestSegments reads every path of real documents out of the memory and by
// asking, and expects the same.
func TestSegments(t *testing.T) {
	report, err := os.ReadFile(filepath.Join("..", "..", "test", "documents", "watershed-report.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{
		"all kinds": drawing("0 0 1 rg 10 20 m 30.5 40 l 50 60 70 80 90 100 c h f\n5 5 50 60 re S\n1 2 m 3 4 l 5 6 m 7 8 l s"),
		"a report":  report,
	} {
		d := load(t, raw)
		paths := 0
		for index := range d.PageCount() {
			p := page(t, d, index)
			read, after := graphicsWith(t, p, untried)
			asked, _ := graphicsWith(t, p, refused)
			if len(read.Paths) > 0 && after != trusted {
				t.Errorf("%s, page %d: the memory is not what the engine says", name, index+1)
			}
			if !reflect.DeepEqual(read, asked) {
				t.Errorf("%s, page %d: the memory has %+v, the engine says %+v", name, index+1, read, asked)
			}
			paths += len(read.Paths)
		}
		if paths == 0 {
			t.Errorf("%s: no path on any page", name)
		}
	}
}

// TestSegmentsDoubted expects that segments that are not what the engine says
// are found out, and that asking gives the same points.
func TestSegmentsDoubted(t *testing.T) {
	p := page(t, load(t, drawing("10 20 m 30.5 40 l S")), 0)
	r := newObjectReader(p)
	path := r.engine.invoke(r.object, p.handle, 0)
	first, list := r.engine.invoke(r.segment, path, 0), r.segmentsOf(path, 2)
	if list == nil || !r.agrees(first, list) {
		t.Fatalf("segments are not read out of the memory: %v", list)
	}
	for _, at := range []int{segmentPoint, segmentPoint + 4, segmentKind, segmentCloses} {
		changed := slices.Clone(list)
		changed[segmentSize+at]++
		if r.agrees(first, changed) {
			t.Errorf("another byte %d of a segment is not found out", at)
		}
	}
	if got := r.segmentsOf(path, 3); got != nil {
		t.Errorf("%d bytes for 3 segments of a path of 2", len(got))
	}
	got, _ := graphicsWith(t, p, refused)
	want := []PathPoint{{Point: Point{10, 20}}, {Point: Point{30.5, 40}, Kind: LineTo}}
	if !slices.Equal(got.Paths[0].Points, want) {
		t.Errorf("points %v, want %v", got.Paths[0].Points, want)
	}
}
