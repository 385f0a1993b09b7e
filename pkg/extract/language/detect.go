package language

import (
	"strings"
	"unicode"

	"github.com/abadojack/whatlanggo"
)

// domains are the top-level domains that stand for one language.
var domains = map[string]string{
	"ad": "ca", "at": "de", "ar": "es", "ao": "pt", "bg": "bg", "br": "pt", "cat": "ca", "cl": "es", "cn": "zh", "co": "es",
	"corsica": "co", "cv": "pt", "cz": "cs", "de": "de", "dk": "da", "ee": "et", "es": "es", "eus": "eu", "fi": "fi", "fr": "fr",
	"gr": "el", "hr": "hr", "hu": "hu", "ie": "en", "is": "is", "it": "it", "jp": "ja", "kr": "ko", "lt": "lt", "lv": "lv",
	"md": "ro", "mx": "es", "mz": "pt", "nl": "nl", "no": "no", "nz": "en", "pe": "es", "pl": "pl", "pt": "pt", "ro": "ro",
	"rs": "sr", "ru": "ru", "se": "sv", "si": "sl", "sk": "sk", "tr": "tr", "ua": "uk", "uk": "en", "us": "en", "uy": "es", "ve": "es",
}

// Corsican is told from Italian, which the trigrams take it for, by its words
// in -u, where Italian has -o, and by words and letters that only it has.
var corsicanWords = set("hè", "chì", "cù", "sò", "ùn", "ancu", "sempri", "quandu", "induve", "eiu", "ellu", "nantu", "dopu", "contru",
	"ghjè", "cunsigliu", "stu", "issu", "quellu", "hà", "hanu", "avè", "essa", "pudè", "vulè", "annu", "tempu", "locu", "mondu", "isula", "ogni", "d'issu")

func set(words ...string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// Detector detects languages among those that a document may hold. It is safe
// for use by one goroutine.
type Detector struct {
	hints Hints
	list  map[whatlanggo.Lang]bool // nil: all
	only  string                   // the one language of the source
	co    bool                     // Corsican is expected
}

// usual are the languages that a block may be in whatever its page is in: the
// fewer are compared, the surer and the cheaper.
var usual = []string{"fr", "en", "pt", "it", "es", "de", "ro"}

// New returns a detector for a document. sample is a piece of its text: where
// the source does not say which languages it holds, blocks are compared with
// that of the sample and the usual ones.
func New(h Hints, sample string) *Detector {
	d := &Detector{hints: h}
	for _, tag := range h.Allowed {
		d.co = d.co || Code(tag) == "co"
	}
	if len(h.Allowed) == 1 {
		d.only = Code(h.Allowed[0])
	}
	allowed := h.Allowed
	if len(allowed) == 0 {
		code, _ := d.detect(sample)
		allowed = append([]string{code}, usual...)
	}
	d.list = map[whatlanggo.Lang]bool{}
	for _, tag := range allowed {
		code := Code(tag)
		if code == "co" {
			code = "it" // the library does not know Corsican and takes it for Italian
		}
		if lang, ok := byCode[code]; ok {
			d.list[lang] = true
		}
	}
	if len(d.list) == 0 {
		d.list = nil
	}
	return d
}

// byCode holds the library's languages by their codes.
var byCode = func() map[string]whatlanggo.Lang {
	out := map[string]whatlanggo.Lang{}
	for lang := whatlanggo.Lang(0); int(lang) < len(whatlanggo.Langs); lang++ {
		out[codeOf(lang)] = lang
	}
	return out
}()

// codeOf returns the code of a language of the library.
func codeOf(lang whatlanggo.Lang) string {
	switch lang {
	case whatlanggo.Cmn:
		return "zh"
	case whatlanggo.Arb:
		return "ar"
	}
	if code := lang.Iso6391(); code != "" {
		return code
	}
	return lang.Iso6393()
}

// detect returns the language of text among those that the document may hold,
// and how sure it is, 0 to 1. A draw is 0: the library breaks it at random.
func (d *Detector) detect(text string) (string, float64) {
	text = prefix(text, maxDetect)
	if d.only != "" && strings.TrimSpace(text) != "" && !foreignScript(text) {
		return d.only, 0.9
	}
	lang, confidence := detectAmong(text, d.list)
	if lang < 0 || confidence <= 0 {
		return "", 0
	}
	code := codeOf(lang)
	latin := code == "it" || d.co && (code == "pt" || code == "ro" || code == "es")
	if latin && (d.co || len(d.hints.Allowed) == 0) && corsican(text) {
		return "co", max(confidence, 0.8)
	}
	return code, confidence
}

// detectAmong returns the language of text among those of the list, or all, and
// how sure it is; a negative one is none.
func detectAmong(text string, list map[whatlanggo.Lang]bool) (whatlanggo.Lang, float64) {
	if mostlyLatin(text) || whatlanggo.DetectScript(text) == unicode.Latin {
		return detectLatin(text, list)
	}
	info := whatlanggo.DetectWithOptions(text, whatlanggo.Options{Whitelist: list})
	return info.Lang, info.Confidence
}

// corsican reports whether a text that looks Italian is Corsican.
func corsican(text string) bool {
	inU, inO, own, words := 0, 0, 0, 0
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		words++
		if corsicanWords[w] || strings.Contains(w, "ghj") || strings.Contains(w, "chj") {
			own++
		}
		if len(w) < 4 {
			continue
		}
		switch w[len(w)-1] {
		case 'u':
			inU++
		case 'o':
			inO++
		}
	}
	return inU > inO && (inU+own)*10 >= words
}

// foreignScript reports whether most letters are not Latin.
func foreignScript(text string) bool {
	latin, letters := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	return latin*2 < letters
}

// prefix returns the first n bytes of s, cut between code points.
func prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
