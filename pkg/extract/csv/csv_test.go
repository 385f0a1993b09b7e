package csv

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/decoded"
	"github.com/colophon-dev/colophon/pkg/model"
)

func page(raw, encoding string) (block.Page, error) {
	return Page(decoded.Open(block.Input{Raw: []byte(raw), Snapshot: model.Snapshot{Encoding: encoding}}))
}

func TestTables(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"commas", "name,paid\r\nAda,12.50\r\n\"B, C\",\"say \"\"x\"\"\"\r\n", "table 1 name\tpaid⏎Ada\t12.50⏎B, C\tsay \"x\""},
		{"semicolons", "nom;coût\nÉcole;1,5\nRoute;2,5", "table 1 nom\tcoût⏎École\t1,5⏎Route\t2,5"},
		{"tabs", "a\tb\n1\t2\n", "table 1 a\tb⏎1\t2"},
		{"bars", "a|b\n1|2\n", "table 1 a\tb⏎1\t2"},
		{"no heads", "1,2\n3,4\n", "table 0 1\t2⏎3\t4"},
		{"line in a cell", "a,b\n\"one\ntwo\",2\n", "table 1 a\tb⏎one two\t2"},
		{"title above", "Budget of 2026\n\nitem,cost\nschool,5\nroad,7\n", "paragraph 0 Budget of 2026\ntable 1 item\tcost⏎school\t5⏎road\t7"},
		{"ragged", "a,b\n1,2\n3\n4,5\n4,5\n6,7,8\n", "table 1 a\tb\t⏎1\t2\t⏎3\t\t⏎4\t5\t⏎4\t5\t⏎6\t7\t8"},
		{"title above in a full row", "Budget of 2026;;\n;;\nitem;2025;2026\nschool;4;5\nroad;6;7\n", "paragraph 0 Budget of 2026\ntable 1 item\t2025\t2026⏎school\t4\t5⏎road\t6\t7"},
		{"heads alone", "a,b\n\nc,d\n", "table 1 a\tb⏎c\td"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := page(tt.raw, "")
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, b := range p.Blocks {
				heads := 0
				if b.Table != nil {
					heads = b.Table.HeaderRows
				}
				out = append(out, fmt.Sprintf("%s %d %s", b.Type, heads, strings.ReplaceAll(b.Text, "\n", "⏎")))
			}
			if got := strings.Join(out, "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			sound(t, len(tt.raw), p)
		})
	}
}

func TestNoTable(t *testing.T) {
	for _, raw := range []string{"", "one line", "Dear all,\nthis is prose.\nNothing else,\nreally.\n", "a,\"b\n" + strings.Repeat("x,y\n", maxField)} {
		if p, err := page(raw, ""); err == nil {
			t.Errorf("%.20q: %+v", raw, p.Blocks)
		}
	}
	if _, err := page("words only", ""); !errors.Is(err, ErrNone) {
		t.Errorf("%v", err)
	}
}

// A long table is divided, each part with the heads, its own rows as evidence
// and the heads beside them.
func TestParts(t *testing.T) {
	var raw strings.Builder
	raw.WriteString("number;word\n")
	for i := range 250 {
		fmt.Fprintf(&raw, "%d;row %d\n", i, i)
	}
	p, err := page(raw.String(), "")
	if err != nil || len(p.Blocks) != 3 {
		t.Fatalf("%d blocks, %v", len(p.Blocks), err)
	}
	sound(t, raw.Len(), p)
	for i, b := range p.Blocks {
		if b.Table.Columns[1] != "word" || !strings.HasPrefix(b.Text, "number\tword\n") {
			t.Errorf("part %d has no heads: %.30q", i, b.Text)
		}
	}
	last := p.Blocks[2]
	if last.Notes != "rows 201–250" || len(last.Evidence) != 2 {
		t.Fatalf("%q, %d evidences", last.Notes, len(last.Evidence))
	}
	rows, heads := last.Evidence[0].ByteSpan, last.Evidence[1].ByteSpan
	if got := raw.String()[rows.Start:rows.End]; !strings.HasPrefix(got, "200;row 200\n") || !strings.HasSuffix(got, "\n249;row 249") {
		t.Errorf("evidence %q", got)
	}
	if got := raw.String()[heads.Start:heads.End]; got != "number;word" {
		t.Errorf("evidence of the heads %q", got)
	}
}

func TestEncodings(t *testing.T) {
	raw := "nom;co\xFBt\n\xC9cole;3\n" // windows-1252
	p, err := page(raw, "windows-1252")
	if err != nil {
		t.Fatal(err)
	}
	b := p.Blocks[0]
	if b.Text != "nom\tcoût\nÉcole\t3" || *b.Evidence[0].ByteSpan != (model.Span{Start: 0, End: int64(len(raw) - 1)}) {
		t.Errorf("%q %+v", b.Text, b.Evidence[0].ByteSpan)
	}
	if p, err = page("\xFF\xFEa\x00;\x00b\x00\n\x001\x00;\x002\x00\n\x00", ""); err != nil || p.Blocks[0].Text != "a\tb\n1\t2" || p.Blocks[0].Evidence[0].ByteSpan.End != 16 {
		t.Errorf("%+v, %v", p.Blocks, err)
	}
}

func sound(t testing.TB, size int, p block.Page) {
	t.Helper()
	covered := 0
	last := int64(0)
	for _, b := range p.Blocks {
		if !utf8.ValidString(b.Text) {
			t.Fatalf("not UTF-8: %q", b.Text)
		}
		covered += coverage.Characters(b.Text)
		e := b.Evidence[0].ByteSpan
		if e.Start < last || e.End < e.Start || e.End > int64(size) {
			t.Fatalf("span %+v after %d of %d bytes", e, last, size)
		}
		last = e.End
	}
	if covered != p.Visible {
		t.Errorf("%d of %d visible characters are in blocks", covered, p.Visible)
	}
}

func FuzzPage(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "a;b\r\n\"x\r\ny\";\"\"\"\r\n", "t\n\na\tb\n1\t2", "\xFF\xFEa\x00,\x00b\x00\n\x00", "a|b\n\xE9|\xFF\n,\n", "\"\n\"\n,,\n,,",
		"Budget;;\n;;\nitem;2025;2026\nschool;4;5\nroad;6;7\n", "a,b\n1,2\n3\n4,5\n4,5\n6,7,8\n", "a,\"b\n1,2\n3,4", "\xEF\xBB\xBFa,b\r1,2\r3,4", "a,b\n" + strings.Repeat("é,\"x\"\"y\"\n", 150),
	} {
		f.Add([]byte(seed), 1)
		f.Add([]byte(seed), 60)
	}
	f.Fuzz(func(t *testing.T, raw []byte, times int) {
		text := strings.Repeat(string(raw), min(max(times, 1), 1+8000/(len(raw)+1)))
		p, err := page(text, "")
		if err != nil {
			return
		}
		sound(t, len(text), p)
		verbatim(t, text, p)
		if again, err := page(text, ""); err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("two runs differ, %v", err)
		}
	})
}

// verbatim: the characters of each block stand in its evidence in their order;
// between the evidence of two blocks stands nothing that could be read.
func verbatim(t testing.TB, text string, p block.Page) {
	t.Helper()
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") || len(p.Flags) > 0 {
		return // in another encoding
	}
	last := 0
	for _, b := range p.Blocks {
		if b.Text == "" || strings.TrimSpace(b.Text) == "" {
			t.Fatalf("a block of nothing at %+v", *b.Evidence[0].ByteSpan)
		}
		e := b.Evidence[0].ByteSpan
		if between := text[last:e.Start]; strings.ContainsFunc(between, readable) {
			t.Fatalf("%q is in no evidence", between)
		}
		last = int(e.End)
		slice := text[e.Start:e.End]
		if len(b.Evidence) > 1 {
			heads := b.Evidence[1].ByteSpan
			slice = text[heads.Start:heads.End] + slice
		}
		for _, r := range b.Text {
			if unicode.IsSpace(r) {
				continue
			}
			at := strings.IndexRune(slice, r)
			if at < 0 {
				t.Fatalf("%q of %q is not in its evidence", r, b.Text)
			}
			slice = slice[at+utf8.RuneLen(r):]
		}
	}
	if strings.ContainsFunc(text[last:], readable) {
		t.Fatalf("%q is in no evidence", text[last:])
	}
}

// readable reports what is neither white space nor a mark of the format.
func readable(r rune) bool {
	return !unicode.IsSpace(r) && !strings.ContainsRune(",;|\"\uFEFF", r)
}
