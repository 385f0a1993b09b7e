package digest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	_ "github.com/colophon-dev/colophon/pkg/devtest/fixedseed"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// urlText draws strings that are nearly URLs: every part with its delimiters
// in odd places.
func urlText() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"a", "B", "z9", "é", "u\u0308", "ß", "．", "xn--", "mnchen-3ya", "[::1]", ":80", ":443", ":", "@", "/", "//", ".", "..",
		"%", "%4", "%41", "%2f", "%25", "34", "1", "?", "&", "&&", "=", "#", ";", "+", " ", "utm_x=1", "token=s", "password=s", "[code]=4%2FP7q7W91aZoMsCeLvIaQm6", "u:p@", "{\"otp\":1}", "key=eyJhbGciOi.eyJzdWIi.c2", "a=1", ";sid=s", "%3Ftoken%3D", "http://", "%3A%2F%2F", "u@", "%2540", "%3B", "a", "~", "-",
		"İ", "K", "\u00ad", "\u200d", "example.org", "192.0.2.1",
	})
	return rapid.Custom(func(t *rapid.T) string {
		scheme := rapid.SampledFrom([]string{"http://", "HTTPS://", "file://", "file:///", "http://h/", "https://h?", "", "//"}).Draw(t, "scheme")
		rest := rapid.SliceOfN(piece, 0, 12).Draw(t, "rest")
		return scheme + strings.Join(rest, "")
	})
}

func checkURL(t interface {
	Helper()
	Fatalf(string, ...any)
}, url string) {
	t.Helper()
	// Those between are held by their vectors: a part that is no name could be hidden twice
	// under them, which is not changed any more.
	checkRules(t, url, RedactURLV1, URLCanonV1)
	checkRules(t, url, func(url string) string { return redact.URL(url, redact.Stored) }, URLCanonV4)
}

// checkRules checks one version of the rules: both are idempotent, and what is stored
// of a URL has its identity.
func checkRules(t interface {
	Helper()
	Fatalf(string, ...any)
}, url string, redacted func(string) string, canon func(string) (string, error)) {
	t.Helper()
	stored := redacted(url)
	if again := redacted(stored); again != stored {
		t.Fatalf("%q is stored as %q, then %q", url, stored, again)
	}
	once, err := canon(url)
	ofStored, storedErr := canon(stored)
	if once != ofStored && err == nil {
		t.Fatalf("%q is %q, redacted %q (%v)", url, once, ofStored, storedErr)
	}
	if err != nil {
		return
	}
	if twice, err := canon(once); err != nil || twice != once {
		t.Fatalf("%q is %q, then %q (%v)", url, once, twice, err)
	}
	for i := range len(once) {
		if once[i] == '#' || once[i] < ' ' {
			t.Fatalf("%q is %q", url, once)
		}
	}
}

func TestURLCanonIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkURL(t, urlText().Draw(t, "url")) })
	rapid.Check(t, func(t *rapid.T) { checkURL(t, "http://"+rapid.String().Draw(t, "url")) })
}

func TestURLCanonRefusesInvalidUTF8(t *testing.T) {
	if got, err := URLCanonV1("http://example.org/\xff"); err == nil {
		t.Errorf("got %q, want it refused", got)
	}
}

// TestURLCanonLongLabel was found by the fuzz target: the A-label of so long a
// name cannot be read back.
func TestURLCanonLongLabel(t *testing.T) {
	checkURL(t, "http://"+strings.Repeat("r", 3500)+"\u041E0")
	if got, err := URLCanonV1("http://" + strings.Repeat("r", 3500) + "\u041E0/"); err == nil {
		t.Errorf("got %.40q, want it refused", got)
	}
}

// TestURLCanonLinear canonicalises a URL whose every character completes a
// percent code, which takes for ever when it is done pass by pass.
func TestURLCanonLinear(t *testing.T) {
	url := "http://h/" + strings.Repeat("%3", 500_000) + "%34"
	got, err := URLCanonV1(url)
	if err != nil || got != "http://h/4" {
		t.Errorf("got %.40q, %v", got, err)
	}
}

// text draws strings with what textnorm_v1 has rules for.
func text() *rapid.Generator[string] {
	special := rapid.SampledFrom([]rune{
		' ', '\t', '\n', 0x85, 0xA0, 0xFEFF, 0x2028, 0x200B, 0x2018, 0x201D, 0x2032, 0x2033, 0x2034, 'I', 'i', 0x130, 0x131, 0x3A3, 0x3C2,
		0x300, 0x301, 0x307, 0x323, 0x345, 0x34F, 0x1E9E, 0x212B, 0x1F88, 0x958, 0x1100, 0x1161, 0x11A8, 0xAC00, 0x10400, 0x13A0, 0xFFFD,
	})
	return rapid.StringOf(rapid.OneOf(special, rapid.Rune()))
}

func checkText(t interface {
	Helper()
	Fatalf(string, ...any)
}, s string) {
	t.Helper()
	once := TextNormV1(s)
	if twice := TextNormV1(once); twice != once {
		t.Fatalf("%+q is %+q, then %+q", s, once, twice)
	}
	if !utf8.ValidString(once) {
		t.Fatalf("%q is %q: not UTF-8", s, once)
	}
	if got := TextNormV1(norm.NFD.String(s)); got != once && !strings.Contains(norm.NFD.String(s), graphemeJoiner) {
		t.Fatalf("%+q is %+q, decomposed %+q", s, once, got)
	}
	if want := textNormPlainly(s); once != want {
		t.Fatalf("%+q is %+q, want %+q", s, once, want)
	}
}

// textNormPlainly is textnorm_v1 step by step, as contracts#textnorm has it.
func textNormPlainly(s string) string {
	s = nfcLongRuns(s)
	s = strings.Map(straightQuote, s)
	space := func(r rune) bool { return r == 0xFEFF || unicode.Is(unicode.White_Space, r) }
	s = strings.Join(strings.FieldsFunc(s, space), " ")
	return nfcLongRuns(strings.Map(unicode.ToLower, s))
}

func TestTextNormProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkText(t, text().Draw(t, "text")) })
}

// TestTextNormEveryCodePoint goes through Unicode: alone, after a letter and
// before a mark.
func TestTextNormEveryCodePoint(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if !utf8.ValidRune(r) {
			continue
		}
		s := "A" + string(r) + " " + string(r) + "\u0301 " + string(r)
		once := TextNormV1(s)
		if twice := TextNormV1(once); twice != once {
			t.Fatalf("%+q is %+q, then %+q", s, once, twice)
		}
	}
}

// TestInert proves that no inert code point, nor what it is folded to, takes
// part in any composition or reordering.
func TestInert(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if !inert(r) {
			continue
		}
		for _, r := range []rune{r, unicode.ToLower(r), straightQuote(r)} {
			p := norm.NFC.PropertiesString(string(r))
			if !norm.NFC.IsNormalString(string(r)) || !p.BoundaryBefore() || p.CCC() != 0 {
				t.Errorf("%U is not inert", r)
			}
		}
	}
}

// TestNFCLongRuns holds the slow composition against package norm, which is
// right for short runs of marks.
func TestNFCLongRuns(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if s := string(r); utf8.ValidRune(r) && nfcLongRuns(s) != norm.NFC.String(s) {
			t.Errorf("%+q is %+q, want %+q", s, nfcLongRuns(s), norm.NFC.String(s))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := text().Draw(t, "text")
		want := norm.NFC.String(s)
		if strings.Count(s, graphemeJoiner) == strings.Count(want, graphemeJoiner) && nfcLongRuns(s) != want {
			t.Fatalf("%+q is %+q, want %+q", s, nfcLongRuns(s), want)
		}
	})
}

func TestTextOfInvalidUTF8(t *testing.T) {
	if got := TextNormV1("A\xff\xfeB"); got != "a\uFFFD\uFFFDb" {
		t.Errorf("got %+q", got)
	}
	if got, want := HexParts("\xff\xfe"), HexParts("\uFFFD\uFFFD"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFingerprintIsTextOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(text()).Draw(t, "texts")
		if got, want := fingerprintOf(texts), Text(strings.Join(texts, "\n")); got != want {
			t.Fatalf("%+q: got %s, want %s", texts, got, want)
		}
	})
}

func TestHashPartsIsJCS(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.String()).Draw(t, "parts")
		b, err := JCS(append([]string{}, parts...))
		if err != nil || sha256.Sum256(b) != HashParts(parts...) {
			t.Fatalf("%q: %s, %v", parts, b, err)
		}
	})
}

func TestContentForms(t *testing.T) {
	b := []byte("bytes")
	if got, want := ContentOfSum(sha256.Sum256(b)), Content(b); got != want {
		t.Errorf("ContentOfSum is %s, Content %s", got, want)
	}
	if got, err := ContentHex(Content(b)); err != nil || got != Hex(b) {
		t.Errorf("ContentHex is %s, %v", got, err)
	}
	for _, bad := range []string{"", Hex(b), "sha256:", "sha256:" + strings.ToUpper(Hex(b)), Content(b) + "0", "sha256:../" + Hex(b)[3:]} {
		if got, err := ContentHex(bad); err == nil {
			t.Errorf("ContentHex(%q) is %q, want it refused", bad, got)
		}
	}
}

func TestJCSRefuses(t *testing.T) {
	for _, v := range []any{
		math.NaN(), math.Inf(1), uint64(math.MaxUint64), int64(math.MaxInt64), make(chan int),
		json.RawMessage(`{"a":1,"a":2}`), json.RawMessage(`"\ud800"`), json.RawMessage(`1e400`), json.RawMessage("\"\xff\""),
	} {
		if b, err := JCS(v); err == nil {
			t.Errorf("JCS(%v) is %s, want it refused", v, b)
		}
	}
}

func TestFragmentLocatorRefuses(t *testing.T) {
	one := 1
	for name, l := range map[string]Locator{
		"no page":   {},
		"two pages": {PageNumber: &one, PageIndex: &one},
		"no number": {PageNumber: &one, BBox: BBox{X: math.NaN()}},
	} {
		if got, err := FragmentLocator(l); err == nil {
			t.Errorf("%s: %s, want it refused", name, got)
		}
	}
}

func TestRoundBBoxStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1, 2)
		b := RoundBBox(BBox{X: v.Draw(t, "x"), Y: v.Draw(t, "y"), W: v.Draw(t, "w"), H: v.Draw(t, "h")})
		again := RoundBBox(b)
		if again != b {
			t.Fatalf("%v, then %v", b, again)
		}
		if math.Signbit(b.X) && b.X == 0 {
			t.Fatal("a negative zero")
		}
	})
}

func FuzzURLCanon(f *testing.F) {
	for _, v := range readVectors(f).Functions["urlcanon_v1"] {
		var url string
		if err := json.Unmarshal(v.Input, &url); err != nil {
			f.Fatal(err)
		}
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) { checkURL(t, url) })
}

func FuzzTextNormV1(f *testing.F) {
	for _, v := range readVectors(f).Functions["textnorm_v1"] {
		var s string
		if err := json.Unmarshal(v.Input, &s); err != nil {
			f.Fatal(err)
		}
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkText(t, s) })
}

func FuzzJCS(f *testing.F) {
	for _, v := range readVectors(f).Functions["jcs"] {
		f.Add([]byte(v.Input))
	}
	f.Add([]byte(`{"b":[1,-1.5,1E2,"é\n",true,null],"a b":{},"a":{"y":-7,"x":"\""}}`))
	f.Add([]byte(`{"a":"\ud83d\ude00","b":[1e21,-0,"\u2028"]}`))
	f.Add([]byte(strings.Repeat(`{"b":1,"a":`, 40) + "-0" + strings.Repeat("}", 40)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		once, err := JCS(json.RawMessage(raw))
		if err != nil {
			return
		}
		twice, err := JCS(json.RawMessage(once))
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q is %q, then %q (%v)", raw, once, twice, err)
		}
		var before, after any
		if err := json.Unmarshal(raw, &before); err != nil {
			t.Fatalf("%q is no JSON, but has the canonical form %q", raw, once)
		}
		if err := json.Unmarshal(once, &after); err != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("%q is %q, which says something else (%v)", raw, once, err)
		}
	})
}

var (
	asciiUnit  = strings.Repeat("The council shall meet at least once a month, unless the Mayor decides otherwise. ", 8)
	accentUnit = strings.Repeat("Os prazos máximos previstos no artigo 3º não se aplicam à “urgência” médica. ", 8)
)

func BenchmarkTextNormV1(b *testing.B) { benchText(b, func(s string) { TextNormV1(s) }) }

func BenchmarkText(b *testing.B) { benchText(b, func(s string) { Text(s) }) }

func benchText(b *testing.B, f func(string)) {
	for _, unit := range []struct{ name, text string }{{"ascii", asciiUnit}, {"accents", accentUnit}} {
		b.Run(unit.name, func(b *testing.B) {
			b.SetBytes(int64(len(unit.text)))
			b.ReportAllocs()
			for b.Loop() {
				f(unit.text)
			}
		})
	}
}

func BenchmarkIRID(b *testing.B) {
	locator := map[string]any{"kind": "page+bbox+block_index", "page_number": 12, "block_index": 3, "bbox": BBox{0.1, 0.25, 0.8, 0.1}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := IRID("73c15fea-3436-56ec-ae28-9e9b5bce0920", "0123456789abcdef", locator); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJCSUnit(b *testing.B) {
	unit := map[string]any{"ir_id": "ir_x", "text": accentUnit, "fields_raw": map[string]any{"html": asciiUnit, "text": accentUnit}, "bbox": BBox{0.1, 0.25, 0.8, 0.1}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := JCS(unit); err != nil {
			b.Fatal(err)
		}
	}
}
