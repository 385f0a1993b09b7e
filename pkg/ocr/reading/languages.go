package reading

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"unicode/utf8"

	iso "golang.org/x/text/language"

	"github.com/colophon-dev/colophon/pkg/language"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Languages of the engine that are taken when nothing better is there, the best
// first.
func fallbacks() []string { return []string{"eng", "fra", "por", "ita", "spa", "deu"} }

// maxLanguages is how many languages a page is read with at once: each costs as
// much as the first.
const maxLanguages = 5

// engineName is the engine's name of a language: ISO 639-2/T, but for a few.
func engineName(code string) string {
	base, err := iso.ParseBase(language.Code(code))
	if err != nil {
		return ""
	}
	switch name := base.ISO3(); name {
	case "nob", "nno": // Norwegian is one
		return "nor"
	case "zho":
		return "chi_sim"
	default:
		return name
	}
}

// languagesFor returns which of the wanted languages the page is read with, and
// what has to be said about those that are not there.
func languagesFor(wanted, present []string) (use, warnings []string) {
	for _, code := range wanted {
		name := engineName(code)
		switch {
		case name == "" || slices.Contains(use, name):
		case slices.Contains(present, name):
			use = append(use, name)
		default:
			warnings = append(warnings, fmt.Sprintf("no trained data for the language %s: on Debian install tesseract-ocr-%s", code, strings.ReplaceAll(name, "_", "-")))
		}
	}
	if len(use) == 0 {
		use = fallback(present)
		if len(warnings) > 0 {
			warnings = append(warnings, "read as "+strings.Join(use, "+")+" instead")
		}
	}
	return use[:min(len(use), maxLanguages)], warnings
}

func fallback(present []string) []string {
	for _, name := range fallbacks() {
		if slices.Contains(present, name) {
			return []string{name}
		}
	}
	return present[:min(len(present), 1)]
}

const (
	// minSample is how many characters tell a language.
	minSample = 60
	// certain is how sure one must be to leave out the other languages that a
	// page may be in.
	certain = 0.8
)

// detect reads a part of the page and takes the language that it is in, among
// those that are allowed; without any, among all. Where it cannot tell, the
// languages stay.
func (r *reader) detect(sample *image.Gray, dpi int, allowed []string) error {
	present := r.engine.Engine().Languages
	words, err := r.engine.Read(sample, dpi, fallback(present))
	if err != nil {
		return fmt.Errorf("page %d: its language: %w", r.result.Page, err)
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	text := strings.Join(texts, " ")
	if utf8.RuneCountInString(text) < minSample || meanOf(words) < poor {
		return nil
	}
	found := language.New(language.Hints{Allowed: allowed}, text).Page([]model.Unit{{
		Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: text},
	}})
	if found == nil || found.Multilingual || len(allowed) > 0 && found.Confidence < certain {
		return nil
	}
	use, warnings := languagesFor([]string{found.Lang}, present)
	r.result.Languages = use
	for _, w := range warnings {
		if !slices.Contains(r.result.Warnings, w) {
			r.result.Warnings = append(r.result.Warnings, w)
		}
	}
	return nil
}
