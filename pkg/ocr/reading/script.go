package reading

import (
	"fmt"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/picture"
)

// sureScript is how far a script must be ahead of the next to be believed. Of 17 scans of Latin
// text one was taken for another script, with 1.1; pages in Greek and Cyrillic have 3.4 and 9.5.
const sureScript = 2.5

// script is a script that trained data are needed for, and the engine's names of those that
// read it, the best first: languages, and the data of the script itself.
type script struct {
	name   string // as the engine calls it
	models []string
}

// scripts are those that the engine tells apart, but for Latin.
func scripts() []script {
	return []script{
		{"Arabic", []string{"ara", "fas", "urd", "script/Arabic"}},
		{"Armenian", []string{"hye", "script/Armenian"}},
		{"Bengali", []string{"ben", "script/Bengali"}},
		{"Cyrillic", []string{"rus", "ukr", "bul", "bel", "srp", "mkd", "script/Cyrillic"}},
		{"Devanagari", []string{"hin", "mar", "nep", "san", "script/Devanagari"}},
		{"Ethiopic", []string{"amh", "tir", "script/Ethiopic"}},
		{"Georgian", []string{"kat", "script/Georgian"}},
		{"Greek", []string{"ell", "grc", "script/Greek"}},
		{"Gujarati", []string{"guj", "script/Gujarati"}},
		{"Gurmukhi", []string{"pan", "script/Gurmukhi"}},
		{"Han", []string{"chi_sim", "chi_tra", "script/HanS", "script/HanT"}},
		{"Hangul", []string{"kor", "script/Hangul"}},
		{"Hebrew", []string{"heb", "yid", "script/Hebrew"}},
		{"Japanese", []string{"jpn", "script/Japanese"}},
		{"Kannada", []string{"kan", "script/Kannada"}},
		{"Khmer", []string{"khm", "script/Khmer"}},
		{"Korean", []string{"kor", "script/Hangul"}},
		{"Lao", []string{"lao", "script/Lao"}},
		{"Malayalam", []string{"mal", "script/Malayalam"}},
		{"Myanmar", []string{"mya", "script/Myanmar"}},
		{"Oriya", []string{"ori", "script/Oriya"}},
		{"Sinhala", []string{"sin", "script/Sinhala"}},
		{"Tamil", []string{"tam", "script/Tamil"}},
		{"Telugu", []string{"tel", "script/Telugu"}},
		{"Thai", []string{"tha", "script/Thai"}},
		{"Tibetan", []string{"bod", "script/Tibetan"}},
	}
}

// inScript returns the best reading of a page that reads badly: where it is in a script that
// none of the trained data in use know, with those that do. Without any it is an error of the
// document that names what to install: letters of another script would be no words of it.
func (r *reader) inScript(best attempt) (attempt, error) {
	found, err := r.engine.Script(best.sheet.Gray, best.sheet.DPI)
	if err != nil {
		return best, fmt.Errorf("page %d: its script: %w", r.result.Page, err)
	}
	all := scripts()
	at := slices.IndexFunc(all, func(s script) bool { return s.name == found.Name })
	if at < 0 || found.Confidence < sureScript || slices.ContainsFunc(all[at].models, r.inUse) {
		return best, nil
	}
	present := r.engine.Engine().Languages
	models := slices.DeleteFunc(slices.Clone(all[at].models), func(m string) bool { return !slices.Contains(present, m) })
	if len(models) == 0 {
		return r.unreadable(best, all[at])
	}
	before := r.result.Languages
	r.result.Languages = models[:1]
	again, err := r.read(best.sheet)
	if err != nil || again.confidence <= best.confidence {
		r.result.Languages = before
		return best, err
	}
	return again, nil
}

func (r *reader) inUse(model string) bool { return slices.Contains(r.result.Languages, model) }

// unreadable is a page, or a part of one, in a script for which nothing is installed: the page
// fails, the part has no words.
func (r *reader) unreadable(best attempt, s script) (attempt, error) {
	packages := make([]string, 0, len(s.models))
	for _, m := range s.models {
		if !strings.Contains(m, "/") {
			packages = append(packages, "tesseract-ocr-"+strings.ReplaceAll(m, "_", "-"))
		}
	}
	message := fmt.Sprintf("it is in %s script, for which no trained data are installed: on Debian install %s",
		s.name, strings.Join(packages, " or "))
	if (ocr.Request{Region: r.result.Region}).Whole() {
		return best, &picture.Error{Reason: fault.OCRFailed, Message: message}
	}
	best.words = nil
	r.result.Warnings = append(r.result.Warnings, message)
	return best, nil
}
