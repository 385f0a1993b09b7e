package pdf

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// TestAnIDAloneIsNoContent: marked content is part of the text only where an element
// of the text holds it; in none, or in one that means nothing, it is as without tags.
func TestAnIDAloneIsNoContent(t *testing.T) {
	said := tagsOf(pdfium.Structure{
		Elements: []pdfium.Element{{Type: "Document", Parent: -1}, {Type: "P", Parent: 0}, {Type: "Span", Parent: 1}, {Type: "NonStruct", Parent: 0}, {Type: "Span", Parent: 3}, {Type: "Own", Parent: 0}},
		Contents: []pdfium.Content{{Mark: 0, Element: 2}, {Mark: 1, Element: 4}, {Mark: 2, Element: 5}, {Mark: 3, Element: 0}},
	})
	for mark, want := range map[int]bool{0: true, 1: false, 2: true, 3: false, 4: false} {
		if said.isContent(mark) != want {
			t.Errorf("mark %d: content %v, want %v", mark, !want, want)
		}
	}
	if unknown := tagsOf(pdfium.Structure{}); !unknown.isContent(0) {
		t.Error("of a page without elements an id is believed")
	}
}
