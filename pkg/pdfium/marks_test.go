package pdfium

import (
	"fmt"
	"testing"
)

// TestArtifacts: text in an artifact is told from other text and from that of other
// marks, in a file without a structure tree.
func TestArtifacts(t *testing.T) {
	for mark, want := range map[string]bool{
		"/Artifact BMC":                                                true,
		"/Artifact << /Type /Pagination >> BDC":                        true,
		"/Artifact << /Type /Pagination /Subtype /Footer >> BDC":       true,
		"/Artifact << /Attached [/Top] /Subtype /Header >> BDC":        true,
		"/Span BMC /Artifact BMC":                                      true,
		"/Span << /ActualText (x) >> BDC":                              false,
		"/ArtifactsOfManyKindsWithANameThatIsMuchLongerThanAnyone BMC": false,
		"/Named /List BDC":                                             false,
		"/Span BMC /Artifact BMC EMC":                                  false,
	} {
		var w writer
		w.page("/MediaBox [0 0 612 792] "+helvetica, fmt.Sprintf("%s BT /F 12 Tf 72 700 Td (a) Tj ET EMC BT /F 12 Tf 72 20 Td (b) Tj ET", mark))
		d, err := engines.Load(w.bytes(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		p, err := d.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		chars, _, err := p.Chars()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chars {
			if is := c.Rune == 'a' && want; (c.Rune == 'a' || c.Rune == 'b') && c.Artifact != is {
				t.Errorf("%s: %q is an artifact: %v", mark, c.Rune, c.Artifact)
			}
		}
	}
}
