package charset

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

func TestChoose(t *testing.T) {
	french := "Le conseil a délibéré à l'unanimité, après un débat très animé."
	latin1 := encode(t, "windows-1252", french)
	japaneseText := strings.Repeat("これは日本語のテキストです。", 4)
	for _, tt := range []struct {
		name     string
		raw      []byte
		declared Declared
		want     string
		flag     string
	}{
		{"ascii", []byte("abc"), Declared{}, "utf-8", ""},
		{"utf-8", []byte(french), Declared{HTTP: "UTF-8"}, "utf-8", ""},
		{"utf-8 undeclared", []byte(french), Declared{}, "utf-8", ""},
		{"mark", []byte("\xEF\xBB\xBFabc"), Declared{HTTP: "windows-1252"}, "utf-8", ""},
		{"latin1", latin1, Declared{HTTP: "ISO-8859-1"}, "windows-1252", ""},
		{"latin1 by meta", latin1, Declared{Document: "latin1"}, "windows-1252", ""},
		{"latin1 undeclared", latin1, Declared{}, "windows-1252", FlagDetected},
		{"latin1 declared utf-8", latin1, Declared{HTTP: "utf-8"}, "windows-1252", FlagOverridden},
		{"latin5 declared utf-8 by the server", encode(t, "windows-1254", "Şişli'de güneşli bir gün"), Declared{HTTP: "utf-8", Document: "iso-8859-9"}, "windows-1254", FlagOverridden},
		{"utf-8 declared latin1", []byte(french), Declared{HTTP: "iso-8859-1"}, "utf-8", FlagOverridden},
		{"utf-8 with one bad byte", []byte(french + "\xE9."), Declared{HTTP: "utf-8"}, "utf-8", ""},
		{"unknown label", []byte(french), Declared{HTTP: "x-nobody"}, "utf-8", ""},
		{"shift_jis", encode(t, "shift_jis", japaneseText), Declared{}, "shift_jis", FlagDetected},
		{"euc-jp", encode(t, "euc-jp", japaneseText), Declared{}, "euc-jp", FlagDetected},
		{"iso-2022-jp", encode(t, "iso-2022-jp", japaneseText), Declared{HTTP: "iso-2022-jp"}, "iso-2022-jp", ""},
		{"euc-kr", encode(t, "euc-kr", strings.Repeat("한국어 문장입니다. ", 5)), Declared{}, "euc-kr", FlagDetected},
		{"windows-1251", encode(t, "windows-1251", "Это русский текст, написанный обычными словами."), Declared{}, "windows-1251", FlagDetected},
		{"koi8-r", encode(t, "koi8-r", "Это русский текст, написанный обычными словами."), Declared{}, "koi8-r", FlagDetected},
		{"utf-16 undeclared", []byte("a\x00b\x00c\x00d\x00e\x00f\x00g\x00h\x00i\x00"), Declared{}, "utf-16le", FlagDetected},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Choose(tt.raw, tt.declared)
			if got.Name != tt.want || got.Flag != tt.flag {
				t.Errorf("got %s %q, want %s %q", got.Name, got.Flag, tt.want, tt.flag)
			}
			if (got.Flag == "") != (got.Note == "") {
				t.Errorf("flag %q with note %q", got.Flag, got.Note)
			}
			origin := FromBytes
			switch {
			case got.BOM > 0:
				origin = FromMark
			case got.Flag == "" && tt.declared.HTTP != "" && tt.declared.HTTP != "x-nobody":
				origin = FromHTTP
			case tt.declared.Document != "":
				origin = FromDocument
			}
			if got.Origin != origin || got.Percent < 80 || got.Percent > 100 {
				t.Errorf("from %s, sure to %d %%, want from %s", got.Origin, got.Percent, origin)
			}
		})
	}
}

func encode(t *testing.T, label, s string) []byte {
	t.Helper()
	e, err := htmlindex.Get(label)
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Each character of a text that is decoded whole must lead back to bytes that
// decode to it.
func TestPlacesOfWholeText(t *testing.T) {
	text := "a é 日本語 <p>x</p> 漢字 z"
	jp, err := japanese.ISO2022JP.NewEncoder().String("a 日本語 <p>x</p> 漢字 z")
	if err != nil {
		t.Fatal(err)
	}
	hz, err := simplifiedchinese.HZGB2312.NewEncoder().String("a 中文 <p>x</p> 中文 z")
	if err != nil {
		t.Fatal(err)
	}
	utf16be, err := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(text + "😀!")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, raw, label, want string }{
		{"iso-2022-jp", jp, "iso-2022-jp", "a 日本語 <p>x</p> 漢字 z"},
		{"hz", hz, "hz-gb-2312", "a 中文 <p>x</p> 中文 z"},
		{"utf-16", utf16be, "", text + "😀!"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Choose([]byte(tt.raw), Declared{HTTP: tt.label})
			d := Open([]byte(tt.raw), c)
			if string(d.Bytes) != tt.want {
				t.Fatalf("decoded as %q", d.Bytes)
			}
			for _, tag := range []string{"<p>", "x", "</p>", "z"} {
				i := strings.Index(tt.want, tag)
				from, to := d.At(i), d.At(i+len(tag))
				got := strings.ReplaceAll(tt.raw[from:to], "\x00", "")
				if !strings.HasPrefix(got, tag) {
					t.Errorf("%q at %d–%d is %q", tag, from, to, got)
				}
			}
			if d.At(len(d.Bytes)) != int64(len(tt.raw)) {
				t.Errorf("the end is at %d of %d", d.At(len(d.Bytes)), len(tt.raw))
			}
		})
	}
}

func TestDecodeNotesWhatIsReplaced(t *testing.T) {
	raw := []byte("abc\xFFdef \xC3\xA9 \xE2\x82")
	d := Open(raw, Choose(raw, Declared{HTTP: "utf-8"}))
	if got := string(d.Decode(0, len(d.Bytes))); got != "abc\uFFFDdef é \uFFFD\uFFFD" {
		t.Errorf("decoded as %q", got)
	}
	spans, n := d.replaced, d.count
	if n != 3 || len(spans) != 2 || spans[0].Start != 3 || spans[0].End != 4 || spans[1].Start != 11 || spans[1].End != 13 {
		t.Errorf("replaced %d: %v", n, spans)
	}
}

// FuzzOpen: a document reads as the library decodes it as a whole, places rise
// with the text, and what stands at the place of a character is that character.
func FuzzOpen(f *testing.F) {
	f.Add([]byte("abc\xFF"), "utf-8")
	f.Add([]byte("\xFF\xFEa\x00b"), "")
	f.Add([]byte("\xFE\xFF\xD8\x3D\xDE\x00\x00a\xD8\x00"), "")
	f.Add([]byte("\x1b$B\x24\x22\x1b(B"), "iso-2022-jp")
	f.Add([]byte("~{<:Ky~}"), "hz-gb-2312")
	f.Add([]byte("\x81\x40<p>\x81\x30\x81\x30"), "gb18030")
	for _, label := range []string{"shift_jis", "euc-jp", "euc-kr", "big5", "windows-1252", "iso-8859-8-i", "x-user-defined", "koi8-u", "gbk", "windows-874", "utf-16", "iso-2022-kr", "macintosh"} {
		f.Add([]byte("a\x88\x62\xA4\xA4\x8F\xA2\xB7\xFE\x80 \xE9 \x5C\x7E\xA1"), label)
	}
	f.Fuzz(func(t *testing.T, raw []byte, label string) {
		c := Choose(raw, Declared{HTTP: label})
		text, err := c.codec.NewDecoder().Bytes(raw[c.BOM:])
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		want := joined(string(text))
		for _, c := range []Choice{c, c.Whole()} {
			d := Open(raw, c)
			if got := joined(string(d.Decode(0, len(d.Bytes)))); got != want {
				t.Fatalf("%s: %q, the library reads %q", c.Name, got, want)
			}
			last := int64(0)
			for i := range len(d.Bytes) + 1 {
				at := d.At(i)
				if at < last || at > int64(len(raw)) {
					t.Fatalf("%s: place %d is %d after %d of %d", c.Name, i, at, last, len(raw))
				}
				last = at
			}
			if d.runs != nil && c.Name != "iso-2022-jp" && c.Name != "hz-gb-2312" {
				inPlace(t, raw, d)
			}
		}
	})
}

// inPlace reads each character again from its place alone.
func inPlace(t *testing.T, raw []byte, d *Text) {
	t.Helper()
	for i := 0; i < len(d.Bytes); {
		k := i + 1
		for d.At(k) == d.At(i) {
			k++
		}
		got, err := d.Choice.codec.NewDecoder().Bytes(raw[d.At(i):d.At(k)])
		if err != nil || joined(string(got)) != joined(string(d.Bytes[i:k])) {
			t.Fatalf("%s: %q stands at %d–%d, where %q is", d.Choice.Name, d.Bytes[i:k], d.At(i), d.At(k), got)
		}
		i = k
	}
}

// joined counts what has no meaning as one, however many bytes of it there are.
func joined(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		if r != utf8.RuneError || last != utf8.RuneError {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}
