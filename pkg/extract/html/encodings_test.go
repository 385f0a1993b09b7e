package html

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
)

// whatwg are the encodings of the WHATWG standard with text that each can say.
// UTF-16 comes with a mark, since a label cannot declare it.
var whatwg = []struct{ name, text string }{
	{"utf-8", "déjà Ωμέγα 漢字 😀"}, {"ibm866", "привет мир"}, {"iso-8859-2", "žluťoučký kůň"}, {"iso-8859-3", "ġĥċ ħobż"},
	{"iso-8859-4", "ģķļ āēī"}, {"iso-8859-5", "привет мир"}, {"iso-8859-6", "مرحبا"}, {"iso-8859-7", "καλημέρα"},
	{"iso-8859-8", "שלום"}, {"iso-8859-8-i", "שלום"}, {"iso-8859-10", "ąčęėįšųūž"}, {"iso-8859-13", "žąsis"}, {"iso-8859-14", "ŵŷ dŵr"},
	{"iso-8859-15", "œuvre 5 €"}, {"iso-8859-16", "țară și"}, {"koi8-r", "привет мир"}, {"koi8-u", "їжак ґава"},
	{"macintosh", "déjà — œuvre"}, {"windows-874", "สวัสดี"}, {"windows-1250", "žluťoučký kůň"}, {"windows-1251", "привет мир"},
	{"windows-1252", "déjà œuvre 5 €"}, {"windows-1253", "καλημέρα"}, {"windows-1254", "güneş ışığı"}, {"windows-1255", "שלום"},
	{"windows-1256", "مرحبا"}, {"windows-1257", "žąsis"}, {"windows-1258", "đăng ư"}, {"x-mac-cyrillic", "привет мир"},
	{"gbk", "中文网页"}, {"gb18030", "中文网页 😀 ḿ"}, {"big5", "中文網頁"}, {"euc-jp", "日本語テキスト"}, {"iso-2022-jp", "日本語テキスト"},
	{"shift_jis", "表能ソ日本語"}, {"euc-kr", "한국어 문장"}, {"utf-16be", "déjà 漢字 😀"}, {"utf-16le", "déjà 漢字 😀"},
	{"x-user-defined", "a \uf7e9\uf780 b"}, {"hz-gb-2312", "中文网页"},
}

func codecOf(t *testing.T, name string) encoding.Encoding {
	t.Helper()
	switch name {
	case "hz-gb-2312":
		return simplifiedchinese.HZGB2312
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	codec, err := htmlindex.Get(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return codec
}

// TestEveryEncoding: in each encoding of the standard a page comes out as it
// does in UTF-8, and each span is exactly the bytes of its element.
func TestEveryEncoding(t *testing.T) {
	for _, tt := range whatwg {
		for _, spaced := range []string{"", "\n"} {
			t.Run(tt.name, func(t *testing.T) {
				codec := codecOf(t, tt.name)
				parts := []string{"<html><body>", "<h1>x " + tt.text + "</h1>", spaced, "<p title=\"" + tt.text + "\">" + tt.text + " <b>" + tt.text + "</b> y</p>", spaced, "<ul><li>z " + tt.text + "</li></ul></body></html>"}
				encoder := codec.NewEncoder()
				whole, err := encoder.String(strings.Join(parts, ""))
				if err != nil {
					t.Fatal(err)
				}
				in := input(whole)
				if !strings.HasPrefix(tt.name, "utf-16") {
					in.Snapshot.HTTPContentType = "text/html; charset=" + tt.name
				}
				page, err := Extractor{}.Page(context.Background(), in, 1)
				if err != nil {
					t.Fatal(err)
				}
				want := fmt.Sprintf("heading 1: x %[1]s\nparagraph: %[1]s %[1]s y\nlist_item 1 •: z %[1]s\n", tt.text)
				if got := lines(page.Blocks); got != want {
					t.Fatalf("got\n%swant\n%s", got, want)
				}
				for i, wantHTML := range []string{parts[1], parts[3], "<li>z " + tt.text + "</li>"} {
					b := page.Blocks[i]
					if b.HTML != wantHTML {
						t.Errorf("html %q, want %q", b.HTML, wantHTML)
					}
					span := b.Evidence[0].ByteSpan
					if got := decodeSlice(t, tt.name, []byte(whole[span.Start:span.End])); got != wantHTML {
						t.Errorf("span %d–%d is %q, want %q", span.Start, span.End, got, wantHTML)
					}
				}
			})
		}
	}
}

// decodeSlice decodes a slice of a page alone: its first and last bytes are
// those of a tag.
func decodeSlice(t *testing.T, name string, slice []byte) string {
	t.Helper()
	codec := codecOf(t, name)
	switch name {
	case "utf-16be":
		codec = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case "utf-16le":
		codec = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	}
	out, err := codec.NewDecoder().Bytes(bytes.Clone(slice))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestEveryEncodingIsTested: the standard has 40 encodings; "replacement" only
// says that a page is not to be read.
func TestEveryEncodingIsTested(t *testing.T) {
	tested := map[string]bool{"replacement": true}
	for _, tt := range whatwg {
		tested[tt.name] = true
	}
	for _, label := range []string{"866", "latin2", "latin3", "latin4", "cyrillic", "arabic", "greek", "hebrew", "logical", "latin6", "iso8859-13", "iso8859-14",
		"l9", "iso-8859-16", "koi", "koi8-ru", "mac", "tis-620", "cp1250", "cp1251", "latin1", "cp1253", "latin5", "cp1255", "cp1256", "cp1257", "cp1258",
		"x-mac-ukrainian", "gb2312", "gb18030", "big5-hkscs", "x-euc-jp", "csiso2022jp", "sjis", "ks_c_5601-1987", "iso-2022-kr", "utf-16be", "utf-16", "x-user-defined", "utf8"} {
		codec, err := htmlindex.Get(label)
		if err != nil {
			t.Errorf("%s: %v", label, err)
			continue
		}
		name, err := htmlindex.Name(codec)
		if err != nil || !tested[name] {
			t.Errorf("%s is %q, %v: not tested", label, name, err)
		}
	}
}

// TestReplacementEncodings: a page that declares an encoding which the standard
// refuses for its dangers is read by its bytes, and loses nothing.
func TestReplacementEncodings(t *testing.T) {
	in := block.Input{Raw: []byte("<p>plain text</p>"), Snapshot: model.Snapshot{SnapshotKind: model.KindHTML, HTTPContentType: "text/html; charset=iso-2022-kr"}}
	page, err := Extractor{}.Page(context.Background(), in, 1)
	if err != nil || lines(page.Blocks) != "paragraph: plain text\n" {
		t.Errorf("%v %s", err, lines(page.Blocks))
	}
}
