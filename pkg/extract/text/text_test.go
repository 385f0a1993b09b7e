package text

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/model"
)

func extract(t testing.TB, raw string) block.Page {
	t.Helper()
	in := block.Input{Raw: []byte(raw), Snapshot: model.Snapshot{SnapshotKind: model.KindTextFile}}
	page, err := Extractor{}.Page(context.Background(), in, 1)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func lines(blocks []block.Block) string {
	var b strings.Builder
	for _, u := range blocks {
		fmt.Fprintf(&b, "%s", u.Type)
		if n := u.Level + u.Depth; n > 0 {
			fmt.Fprintf(&b, " %d", n)
		}
		fmt.Fprintf(&b, ": %s\n", strings.ReplaceAll(u.Text, "\n", "⏎"))
	}
	return b.String()
}

func TestBlocks(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"paragraphs", "One\ntwo  \n\n  three\r\nfour\r\n \r\nfive", "paragraph: One⏎two\nparagraph: three⏎four\nparagraph: five\n"},
		{"old line ends", "one\rtwo\r\rthree", "paragraph: one⏎two\nparagraph: three\n"},
		{"form feed", "one\ntwo\fthree", "paragraph: one⏎two\nparagraph: three\n"},
		{"number signs", "# A title\n\nText\n\n### Sub ###\nmore", "heading 1: A title\nparagraph: Text\nheading 3: Sub\nparagraph: more\n"},
		{"underlined", "A title\n=======\n\nSub\n---\nText", "heading 1: A title\nheading 2: Sub\nparagraph: Text\n"},
		{"guessed", "ARTICLE PREMIER\n\nText of it.\n\n2.1 Scope of this\n\nMore text.\n\nArt. 5\n\nEnd.",
			"heading 2: ARTICLE PREMIER\nparagraph: Text of it.\nheading 3: 2.1 Scope of this\nparagraph: More text.\nheading 5: Art. 5\nparagraph: End.\n"},
		{"no heading", "THIS IS A SENTENCE.\n\n12. maggio\n\nOK", "paragraph: THIS IS A SENTENCE.\nlist_item 1: 12. maggio\nparagraph: OK\n"},
		{"list", "Items:\n- one\n  more\n  - two\n- three\n\n1) first\n2) second", "paragraph: Items:\nlist_item 1: - one⏎more\nlist_item 2: - two\nlist_item 1: - three\nlist_item 1: 1) first\nlist_item 1: 2) second\n"},
		{"chance number", "It was on the\n12. of May\nthat it was", "paragraph: It was on the⏎12. of May⏎that it was\n"},
		{"fence", "```\na\n\n  b\n```\nafter", "code: a⏎⏎  b\nparagraph: after\n"},
		{"open fence", "~~~\na\n  b", "code: a⏎  b\n"},
		{"ornament", "one\n\n* * *\n\ntwo", "paragraph: one\nparagraph: two\n"},
		{"latin1", "d\xE9j\xE0 vu\n\nencore", "paragraph: déjà vu\nparagraph: encore\n"},
		{"utf-16", "\xFF\xFEa\x00\n\x00\n\x00b\x00", "paragraph: a\nparagraph: b\n"},
		{"mark", "\xEF\xBB\xBFone\n\ntwo", "paragraph: one\nparagraph: two\n"},
		{"nothing", " \n\t\n\u00A0\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := extract(t, tt.text)
			if got := lines(page.Blocks); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			sound(t, tt.text, page)
		})
	}
}

func TestGuessedHeadingsAreUnsure(t *testing.T) {
	b := extract(t, "CHAPITRE PREMIER\n\nTexte.").Blocks[0]
	if b.Confidence != guessed || !strings.Contains(b.Notes, "a guess") {
		t.Errorf("confidence %v, notes %q", b.Confidence, b.Notes)
	}
}

// The span of a block that is one line holds exactly that line.
func TestSpans(t *testing.T) {
	raw := "  one \n\n\tdéux\r\nlast"
	page := extract(t, raw)
	for i, want := range []string{"one", "déux\r\nlast"} {
		span := page.Blocks[i].Evidence[0].ByteSpan
		if got := raw[span.Start:span.End]; got != want {
			t.Errorf("block %d is %q, want %q", i, got, want)
		}
	}
}

func sound(t testing.TB, raw string, page block.Page) {
	t.Helper()
	last, n := int64(0), 0
	for _, b := range page.Blocks {
		e := b.Evidence[0].ByteSpan
		if e.Start < last || e.End <= e.Start || e.End > int64(len(raw)) {
			t.Fatalf("span %d–%d after %d of %d bytes", e.Start, e.End, last, len(raw))
		}
		last = e.End
		if !utf8.ValidString(b.Text) {
			t.Fatalf("not UTF-8: %q", b.Text)
		}
		n += coverage.Characters(b.Text)
	}
	if n != page.Visible {
		t.Errorf("%d of %d visible characters are in blocks", n, page.Visible)
	}
}

func FuzzExtract(f *testing.F) {
	for _, seed := range []string{"a\n\nb", "# x\n- y\n  - z", "\xFF\xFEa\x00\n\x00", "\xE9\r\r\n\f\x00", "```\n\xFF", "A\n===\n1. B\n2. C", "\x1b$B$F\x1b(B\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { sound(t, string(raw), extract(t, string(raw))) })
}
