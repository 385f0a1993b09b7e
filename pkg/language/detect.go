package language

import (
	"slices"

	"golang.org/x/text/unicode/norm"
)

// domains are the top-level domains that stand for one language.
var domains = map[string]string{
	"ad": "ca", "at": "de", "ar": "es", "ao": "pt", "bg": "bg", "br": "pt", "bzh": "br", "cat": "ca", "cl": "es", "cn": "zh", "co": "es",
	"corsica": "co", "cv": "pt", "cymru": "cy", "cz": "cs", "de": "de", "dk": "da", "ee": "et", "es": "es", "eus": "eu", "fi": "fi", "fr": "fr",
	"gal": "gl", "gr": "el", "hr": "hr", "hu": "hu", "ie": "en", "is": "is", "it": "it", "jp": "ja", "kr": "ko", "lt": "lt", "lv": "lv",
	"md": "ro", "mx": "es", "mz": "pt", "nl": "nl", "no": "no", "nz": "en", "pe": "es", "pl": "pl", "pt": "pt", "ro": "ro",
	"rs": "sr", "ru": "ru", "se": "sv", "si": "sl", "sk": "sk", "tr": "tr", "ua": "uk", "uk": "en", "us": "en", "uy": "es", "ve": "es",
}

// What a detection is worth. Measured on paragraphs of languages that are known
// and of the same ones left out of the comparison.
const (
	// doubtPerWord and doubt are the lead over the second language, in 64ths of
	// a bit, at which one can be half sure.
	doubtPerWord = bit * 3 / 10
	doubt        = 4 * bit
	// familiar is the share of words, in percent, that a language must list for
	// a text to look like it; with fewer one is less sure.
	familiar = 30
	// expected is the lead of the language that a document is known to be in.
	expected = 3 * bit
)

// Detector detects languages among those that a document may hold. It is not
// safe for concurrent use.
type Detector struct {
	hints  Hints
	memory *Memory // with the languages that the document may hold
	likely string  // the document's language as far as a sample tells it
}

// New returns a detector for a document. sample is a piece of its text: where
// two languages fit a block alike, that of the sample is preferred.
func New(h Hints, sample string) *Detector {
	d := &Detector{hints: h, memory: h.Memory}
	if d.memory == nil {
		d.memory = &Memory{}
	}
	var allowed []string
	for _, tag := range h.Allowed {
		if code := Code(tag); code != "" && !slices.Contains(allowed, code) {
			allowed = append(allowed, code)
		}
	}
	d.memory.hold(allowed)
	if code, sure := d.detect(sample); sure >= minConfidence {
		d.likely = code
	}
	return d
}

// detect returns the language of text among those that the document may hold,
// and how sure it is, 0 to 1; "" when nothing speaks for any of them.
func (d *Detector) detect(text string) (string, float64) {
	text = norm.NFC.String(prefix(text, maxDetect))
	main, in, all := mainScript(text)
	if in == 0 {
		return "", 0
	}
	share := float64(in) / float64(all)
	m := d.memory.family(main)
	if m == nil {
		if code := alone[main]; d.memory.may(code) {
			return code, share
		}
		return "", 0
	}
	found, n := m.score(text, d.memory)
	if len(found) == 0 || n == 0 {
		return "", 0
	}
	for i := range found {
		if found[i].code == d.likely {
			found[i].score += expected
		}
	}
	lead(found)
	if len(d.memory.allowed) == 1 {
		return found[0].code, float64(share * certain)
	}
	return found[0].code, float64(share * sureOf(found, n))
}

// certain is how sure one is of the only language of a source.
const certain = 0.9

// sureOf returns how sure the first of the candidates is, given the number of
// words.
func sureOf(found []candidate, n int) float64 {
	sure := 1.0
	if len(found) > 1 {
		lead := found[0].score - found[1].score
		half := n*doubtPerWord + doubt
		sure = float64(lead*lead) / float64(lead*lead+half*half)
	}
	if known := found[0].known * 100; known < n*familiar {
		sure *= float64(known) / float64(n*familiar)
	}
	return sure
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
