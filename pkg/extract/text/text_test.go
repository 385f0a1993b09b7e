package text

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

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
		{"named parts", "Kapitel II\n\nText.\n\n§ 3 Gebühren\n\nText.\n\nAppendix A: Sources\n\nText.\n\nPart of it\n\nText.",
			"heading 3: Kapitel II\nparagraph: Text.\nheading 5: § 3 Gebühren\nparagraph: Text.\nheading 2: Appendix A: Sources\nparagraph: Text.\nparagraph: Part of it\nparagraph: Text.\n"},
		{"no heading", "THIS IS A SENTENCE.\n\n12. maggio\n\nOK", "paragraph: THIS IS A SENTENCE.\nlist_item 1: 12. maggio\nparagraph: OK\n"},
		{"list", "Items:\n- one\n  more\n  - two\n- three\n\n1) first\n2) second", "paragraph: Items:\nlist_item 1: - one⏎more\nlist_item 2: - two\nlist_item 1: - three\nlist_item 1: 1) first\nlist_item 1: 2) second\n"},
		{"chance number", "It was on the\n12. of May\nthat it was", "paragraph: It was on the⏎12. of May⏎that it was\n"},
		{"fence", "```\na\n\n  b\n```\nafter", "code: a⏎⏎  b\nparagraph: after\n"},
		{"longer fence", "````\n```\nx\n```\n````\nafter", "code: ```⏎x⏎```\nparagraph: after\n"},
		{"quotes", "> said\n> twice\n>\n>> before\nanswer", "quote 1: said⏎twice\nquote 2: before\nparagraph: answer\n"},
		{"bars", "Seen:\n| Name | Age |\n|------|----:|\n| Ada \\| A | 36 |\n| Bo | |", "paragraph: Seen:\ntable: Name\tAge⏎Ada | A\t36⏎Bo\t\n"},
		{"grid", "+----+----+\n| a  | b  |\n+====+====+\n| 1  | 2  |\n+----+----+", "table: a\tb⏎1\t2\n"},
		{"bars in prose", "one | two\nthree | four", "paragraph: one | two⏎three | four\n"},
		{"columns", "Name      Town       Paid\nAda       Corte      12,50\nBeppe     Ajaccio     3,00\nCarla                 7,10", "table: Name\tTown\tPaid⏎Ada\tCorte\t12,50⏎Beppe\tAjaccio\t3,00⏎Carla\t\t7,10\n"},
		{"columns with a rule", "Item  Cost\n----- ----\nBread 1.20\nMilk  0.90\nEggs  2.10", "table: Item\tCost⏎Bread\t1.20⏎Milk\t0.90⏎Eggs\t2.10\n"},
		{"columns with a rule across", "Item      2023   2024\n---------------------\nTimber   1,200  1,450\nIron       300    280\nTotal    1,500  1,730", "table: Item\t2023\t2024⏎Timber\t1,200\t1,450⏎Iron\t300\t280⏎Total\t1,500\t1,730\n"},
		{"numbered headings above their text", "1. Minutes\nThe minutes of the last meeting were\napproved.\n\n2. The weir\n   2.1 The weir leaks at three places,\n       and at the gate.\n   2.2 The board asks for offers.",
			"heading 2: 1. Minutes\nparagraph: The minutes of the last meeting were⏎approved.\nheading 2: 2. The weir\nlist_item 1: 2.1 The weir leaks at three places,⏎and at the gate.\nlist_item 1: 2.2 The board asks for offers.\n"},
		{"numbered items that wrap", "1. The board of the river and of the\nRiver Lenn meets here\n2. It has nine members", "list_item 1: 1. The board of the river and of the⏎River Lenn meets here\nlist_item 1: 2. It has nine members\n"},
		{"caption", "Fees of 2026\nName    Fee\nAda     12\nBeppe   3", "caption: Fees of 2026\ntable: Name\tFee⏎Ada\t12⏎Beppe\t3\n"},
		{"no columns", "This is a line of prose.  It has wide spaces\nafter full stops, as some  people write them,\nbut never  at the same place in all lines.", "paragraph: This is a line of prose.  It has wide spaces⏎after full stops, as some  people write them,⏎but never  at the same place in all lines.\n"},
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

func TestMarkdown(t *testing.T) {
	raw := "---\ntitle: Note\n---\n# Note\n\nText\n\n    code\n      more\n\n- item\n\n    of the item\n"
	in := block.Input{Raw: []byte(raw), Snapshot: model.Snapshot{SnapshotKind: model.KindTextFile}}
	page, err := Extractor{Markdown: true}.Page(context.Background(), in, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := "code: title: Note\nheading 1: Note\nparagraph: Text\ncode: code⏎  more\nlist_item 1: - item\nparagraph: of the item\n"
	if got := lines(page.Blocks); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if page.Blocks[0].Notes != "front matter" || page.Title != "Note" {
		t.Errorf("notes %q, title %q", page.Blocks[0].Notes, page.Title)
	}
	sound(t, raw, page)
}

func TestTableOfBars(t *testing.T) {
	b := extract(t, "| Name | Paid |\n|---|---|\n| Ada | 12.50 |\n").Blocks[0]
	if b.Table == nil || b.Table.HeaderRows != 1 || b.Table.Source != "text" || b.Table.Columns[1] != "Paid" || b.Table.Rows[0][1].Formatted != "12.50" {
		t.Errorf("%+v", b.Table)
	}
}

// In every encoding the span of a block holds the bytes of its text.
func TestSpansInEncodings(t *testing.T) {
	western := "Élu à l'été\n\nLe conseil a déjà délibéré, et l'œuvre coûte 12 €.\n\n- prévu\n- reporté"
	eastern := "市議会の決定\n\n来年度の予算を表示する。ソース能力\n\n- 予算\n- 十分な準備"
	for _, tt := range []struct {
		name  string
		codec encoding.Encoding
		text  string
		mark  string
	}{
		{"utf-8", unicode.UTF8, western, ""},
		{"utf-8", unicode.UTF8, western, "\xEF\xBB\xBF"},
		{"utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), western, "\xFF\xFE"},
		{"utf-16be", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), eastern, "\xFE\xFF"},
		{"windows-1252", charmap.Windows1252, western, ""},
		{"iso-8859-15", charmap.ISO8859_15, western, ""},
		{"macintosh", charmap.Macintosh, western, ""},
		{"shift_jis", japanese.ShiftJIS, eastern, ""},
		{"euc-jp", japanese.EUCJP, eastern, ""},
		{"iso-2022-jp", japanese.ISO2022JP, eastern, ""},
		{"gb18030", simplifiedchinese.GB18030, "预算案\n\n议会已经通过了明年的预算。\n\n- 第一\n- 第二", ""},
		{"big5", traditionalchinese.Big5, "預算案\n\n議會已經通過了明年的預算功。\n\n- 第一\n- 第二", ""},
		{"euc-kr", korean.EUCKR, "예산안\n\n의회는 내년 예산을 의결했다.\n\n- 첫째\n- 둘째", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, err := tt.codec.NewEncoder().Bytes([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			raw := append([]byte(tt.mark), body...)
			in := block.Input{Raw: raw, Snapshot: model.Snapshot{SnapshotKind: model.KindTextFile, Encoding: tt.name}}
			page, err := Extractor{}.Page(context.Background(), in, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Blocks) != 4 {
				t.Fatalf("blocks %s", lines(page.Blocks))
			}
			for _, b := range page.Blocks {
				slice := raw[b.Evidence[0].ByteSpan.Start:b.Evidence[0].ByteSpan.End]
				if tt.name == "iso-2022-jp" { // a slice of it begins in the state of its place
					slice = append([]byte("\x1b$B"), slice...)
					if strings.HasPrefix(b.Text, "-") {
						slice = slice[3:]
					}
				}
				got, err := tt.codec.NewDecoder().Bytes(slice)
				if err != nil || string(got) != b.Text {
					t.Errorf("%q at its span, want %q (%v)", got, b.Text, err)
				}
			}
			sound(t, string(raw), page)
		})
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

// TestItemForm: hasItem and isBorder look at the beginning of a line before they ask
// an expression.
func TestItemForm(t *testing.T) {
	signs := []string{"a", "X", "i", "1", ".", ")", "(", " ", "-", "|", "=", "\u00e9", "\u2022"}
	var all func(text string, more int)
	all = func(text string, more int) {
		if got, want := hasItem(line{text: text}), itemForm.MatchString(text); got != want {
			t.Fatalf("%q begins an item: %v, by the expression %v", text, got, want)
		}
		if got, want := isBorder(strings.TrimSpace(text)), border.MatchString(strings.TrimSpace(text)); got != want {
			t.Fatalf("%q is a border: %v, by the expression %v", text, got, want)
		}
		for _, sign := range signs[:len(signs)*min(more, 1)] {
			all(text+sign, more-1)
		}
	}
	all("", 4)
	all("iv", 3)
	all("xviii", 2)
}
