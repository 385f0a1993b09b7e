package text

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
)

func FuzzExtract(f *testing.F) {
	for _, seed := range []string{
		"a\n\nb", "# x\n- y\n  - z", "\xFF\xFEa\x00\n\x00", "\xE9\r\r\n\f\x00", "```\n\xFF", "A\n===\n1. B\n2. C", "> a\n>> b\nc", "| a | b |\n|---|---|\n| 1 \\| | 2 |",
		"Name  Fee\nAda   12\nBo    3\nCy    4", "---\nt: x\n---\n    c", "\x1b$B$F\x1b(B\n", "Article 5\n\nTEXT OF IT\n\n1.2 Of weirs\n\n* a\n* b\n\n---\n\nend", "a|b\nc|d\n+--+\ne|f\ng",
		"Budget of it\nName\tFee\nAda\t12\nBo\t3\n日本\t4", "Item    Cost\n----    ----\nRoad    1.50\nWeir    2\n\u200B\nx", "~~~go\nx\n~~~~\ny", "12. May\nand more",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, markdown := range []bool{false, true} {
			in := block.Input{Raw: raw, Snapshot: model.Snapshot{SnapshotKind: model.KindTextFile}}
			page, err := Extractor{Markdown: markdown}.Page(context.Background(), in, 1)
			if err != nil {
				t.Fatal(err)
			}
			sound(t, string(raw), page)
			verbatim(t, string(raw), page)
			if again, err := (Extractor{Markdown: markdown}).Page(context.Background(), in, 1); err != nil || !reflect.DeepEqual(page, again) {
				t.Fatalf("two runs differ, %v", err)
			}
		}
	})
}

// verbatim: the characters of each block stand in its evidence in their order;
// between the evidence of two blocks stand marks and fences only.
func verbatim(t testing.TB, raw string, page block.Page) {
	t.Helper()
	if !utf8.ValidString(raw) || strings.Contains(raw, "\x00") || len(page.Flags) > 0 || strings.Contains(raw, "\x1b") {
		return // in another encoding
	}
	last := 0
	for _, b := range page.Blocks {
		e := b.Evidence[0].ByteSpan
		onlyMarks(t, raw[last:e.Start])
		last = int(e.End)
		slice := raw[e.Start:e.End]
		for _, r := range b.Text {
			if unicode.IsSpace(r) {
				continue
			}
			at := strings.IndexRune(slice, r)
			if at < 0 {
				t.Fatalf("%q of %q is not in its evidence %q", r, b.Text, raw[e.Start:e.End])
			}
			slice = slice[at+utf8.RuneLen(r):]
		}
	}
	onlyMarks(t, raw[last:])
}

func onlyMarks(t testing.TB, between string) {
	t.Helper()
	for _, l := range strings.FieldsFunc(between, func(r rune) bool { return r == '\n' || r == '\r' || r == '\f' }) {
		fenced := strings.HasPrefix(strings.TrimSpace(l), "```") || strings.HasPrefix(strings.TrimSpace(l), "~~~")
		if !fenced && strings.Trim(strings.TrimFunc(l, invisible), "-=_*~#+.·•>|: \t") != "" {
			t.Fatalf("%q is in no evidence", l)
		}
	}
}
