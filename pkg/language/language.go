// Package language says in which language a page and its blocks are, in the
// order of seeds#conventions ("Detection Priority"): the page's own lang attribute, its
// meta tag, detection in the text, the URL, the default of source and region.
// It is pure and says nothing where it is not sure. Languages are told apart by
// their frequent words and by the sequences of their letters, both of which are
// learnt from the files of words.
package language

import (
	"math"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/colophon-dev/colophon/pkg/model"
)

// The origins of a language tag.
const (
	OriginHTML     = "html_lang"
	OriginMeta     = "meta"
	OriginDetected = "detected"
	OriginURL      = "url"
	OriginRegion   = "region"
	OriginSource   = "source"
)

const (
	// minBlock is how many characters a block must have to have a language of its own
	// (detection errs more often in single sentences), and how many the shorter blocks of
	// a language must have together to count for their page.
	minBlock = 100
	// maxDetect is how many bytes of a text are looked at: more adds cost and
	// no certainty.
	maxDetect = 512
	// minConfidence is what a detection must reach to count.
	minConfidence = 0.5
	// minShare is the share of a second language that makes a page multilingual.
	minShare = 0.1
)

// Hints is what is known about a page's language besides its text. Codes may
// have regions ("fr-FR"); what is not a language code is ignored.
type Hints struct {
	HTMLLang string   // html lang
	MetaLang string   // meta content-language
	Captured string   // the crawler's hint for this document
	URL      string   // whose domain may name a country
	Source   string   // default of the source
	Region   string   // ISO 3166-1 of the scraper or source
	Allowed  []string // languages that the source may hold; empty: all
	Memory   *Memory  // what was made of words before; nil: nothing
}

// choose follows the priorities of seeds#conventions.
func (h Hints) choose(detected string, confidence float64) *model.Language {
	for _, declared := range []struct{ tag, origin string }{{h.HTMLLang, OriginHTML}, {h.MetaLang, OriginMeta}} {
		code := Code(declared.tag)
		if code == "" {
			continue
		}
		// What the text says is how sure one can be of what the page says.
		sure := 1.0
		if detected != "" && detected != code {
			sure = 1 - confidence
		}
		return &model.Language{Lang: code, Confidence: round(sure), Origin: declared.origin}
	}
	if detected != "" {
		return &model.Language{Lang: detected, Confidence: round(confidence), Origin: OriginDetected}
	}
	for _, hint := range []struct{ code, origin string }{
		{Code(h.Captured), OriginSource}, {ofURL(h.URL), OriginURL}, {Code(h.Source), OriginSource}, {ofRegion(h.Region), OriginRegion},
	} {
		if hint.code != "" {
			return &model.Language{Lang: hint.code, Confidence: 0.3, Origin: hint.origin}
		}
	}
	return nil
}

// Block returns the language of one block: the one that is declared for it
// alone, else what is detected in 100 characters or more, else nil.
func (d *Detector) Block(text, declared string) *model.Language {
	if code := Code(declared); code != "" {
		return &model.Language{Lang: code, Confidence: 1, Origin: OriginHTML}
	}
	if utf8.RuneCountInString(text) < minBlock {
		return nil
	}
	code, confidence := d.detect(text)
	if confidence < minConfidence {
		return nil
	}
	return &model.Language{Lang: code, Confidence: round(confidence), Origin: OriginDetected}
}

// Of returns the language of a text of which nothing else is known, such as a question,
// "" where that is not sure. It is safe for concurrent use.
func Of(text string) string {
	code, confidence := New(Hints{}, "").detect(text)
	if confidence < minConfidence {
		return ""
	}
	return code
}

// Code returns the ISO 639-1 code of a language tag ("pt-BR" gives "pt"), the
// ISO 639-3 code where there is no shorter one, "" for what is no language.
func Code(tag string) string {
	tag = strings.TrimSpace(tag)
	if i := strings.IndexAny(tag, ",;"); i >= 0 {
		tag = strings.TrimSpace(tag[:i])
	}
	if tag == "" || strings.HasPrefix(strings.ToLower(tag), "und") {
		return ""
	}
	parsed, err := language.Parse(tag)
	if err != nil {
		return ""
	}
	base, confidence := parsed.Base()
	if confidence == language.No || base.String() == "und" {
		return ""
	}
	return base.String()
}

// ofURL returns the language that a top-level domain stands for (".fr" is
// French), "" for domains of no country or of several languages.
func ofURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	host := u.Hostname()
	return domains[host[strings.LastIndexByte(host, '.')+1:]]
}

// ofRegion returns the language most likely spoken in a region.
func ofRegion(region string) string {
	r, err := language.ParseRegion(region)
	if err != nil {
		return ""
	}
	tag, err := language.Compose(language.Und, r)
	if err != nil {
		return ""
	}
	base, confidence := tag.Base()
	if confidence == language.No || base.String() == "und" {
		return ""
	}
	return base.String()
}

func round(f float64) float64 { return math.Round(f*1000) / 1000 }
