// Package marks knows how texts name their parts at their very beginning: "Art. 2º",
// "Section 12", "Point n° 3", "12. Accounts". It is pure, and looks at the first words only.
package marks

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Kind is what sort of part a mark opens.
type Kind string

// The kinds.
const (
	Article  Kind = "article"  // of a law: Art. 2º, Article L. 123-4, Articolo 3-bis
	Section  Kind = "section"  // Section 12, § 12: an article of some laws, a part of others
	Chapter  Kind = "chapter"  // what stands above articles: Titre II, Capítulo 3, Part 1
	Agenda   Kind = "agenda"   // an item of a meeting: Point n° 3, Item 4, Ponto 2
	Numbered Kind = "numbered" // 12. Accounts, 3) Bilancio
)

// The types of anchors (contracts#anchors; anchor_type of seeds#store).
const (
	anchorArtigo   = "artigo"
	anchorArticle  = "article"
	anchorArticolo = "articolo"
	anchorAgenda   = "agenda_item"
	anchorSection  = "section"
)

// Mark is how a text names the part that it opens.
type Mark struct {
	Kind   Kind
	Text   string // as printed, "Art. 2º"
	Number int    // 2; 0 where it is none, as in L. 123-4
	Level  int    // of a chapter: 1 for a book, up to 5
	Rest   string // what follows the mark in the text, or as much of it as was looked at

	anchor string // its type; "" for the word that the document's language has for an article
}

// enough is how many bytes of a text are looked at.
const enough = 160

type rule struct {
	kind   Kind
	anchor string
	level  int
	form   *regexp.Regexp
}

const (
	number  = `\d+(?:\.\d{3})*`
	ordinal = `(?:\.?\s?[º°ª]|er|re|e)?`
	suffix  = `(?:-[A-Z0-9]{1,3}|[ -](?:bis|ter|quater|quinquies|sexies|septies))?`
	roman   = `(?-i:[IVXLCDM]{1,8}(?:er)?)`
	after   = `(?:[^\pL\pN]|$)`
	numero  = `(?:n\s?\.?\s?[º°.]\s*|no\.?\s+|nr\.?\s+)?`
	inParts = number + `(?:-\d+)*`
	ofPart  = `\s+(?:` + numero + `\d+|` + roman + `|(?-i:[A-Z]))`
)

// table finds the rules by the first word of a text, in lower case.
func table() map[string][]rule {
	rules := make(map[string][]rule)
	add := func(kind Kind, anchor string, level int, form string, words ...string) {
		for _, word := range words {
			whole := regexp.MustCompile(`^((?i:` + word + form + `))` + after)
			rules[word] = append(rules[word], rule{kind: kind, anchor: anchor, level: level, form: whole})
		}
	}
	add(Article, anchorArtigo, 0, `\s+(?:`+number+ordinal+suffix+`|primeiro|único|`+roman+`)`, "artigo")
	add(Article, anchorArticolo, 0, `\s+(?:`+number+suffix+`|`+roman+`)`, "articolo")
	add(Article, anchorArticle, 0, `\s+(?:(?:[LRD]\.?\s?)?`+inParts+ordinal+suffix+`|premier|unique|`+roman+`)`, "article")
	add(Article, "", 0, `(?:\.\s*|\s+)(?:(?:[LRD]\.?\s?)?`+inParts+ordinal+suffix+`)`, "art")
	add(Agenda, anchorAgenda, 0, `\s+`+numero+`\d+(?:[-./]\d+)*`,
		"point", "question", "délibération", "rapport", "item", "agenda item", "ponto", "punto", "assunto", "odg", "oggetto")
	add(Section, anchorSection, 4, ofPart, "section", "seção", "secção", "sezione")
	add(Chapter, anchorSection, 1, ofPart, "livre", "livro", "libro", "book")
	add(Chapter, anchorSection, 2, ofPart, "título", "titre", "titolo", "title", "part", "partie", "parte")
	add(Chapter, anchorSection, 3, ofPart, "chapitre", "chapter", "capítulo", "capitolo", "capo")
	add(Chapter, anchorSection, 2, ofPart, "annexe", "annex", "anexo", "allegato", "schedule")
	return rules
}

// rules and the forms below are compiled once: they are data.
var (
	rules      = table()
	agendaItem = rules["agenda item"][0]
	digits     = regexp.MustCompile(`^` + number)
	paragraphs = regexp.MustCompile(`^(§\s?` + number + `)` + ordinal + after)
	numbers    = regexp.MustCompile(`^(\(?\d{1,3}(?:\.[º°]?|\)|[º°]\s?[.)-]?)(?:\s?[–—-])?)\s+[^\s]`)
)

// Of returns how a text names the part that it opens.
func Of(text string) (Mark, bool) {
	if len(text) > enough {
		end := enough
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsLetter(first):
		end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
		if end < 0 || end > len("délibération") {
			return Mark{}, false
		}
		word := strings.ToLower(text[:end])
		if word == "agenda" {
			return agendaItem.of(text)
		}
		for _, r := range rules[word] {
			if m, ok := r.of(text); ok {
				return m, true
			}
		}
	case first == '§':
		return rule{kind: Section, anchor: anchorSection, level: 6, form: paragraphs}.of(text)
	case first == '(' || first >= '0' && first <= '9':
		return rule{kind: Numbered, form: numbers}.of(text)
	}
	return Mark{}, false
}

func (r rule) of(text string) (Mark, bool) {
	m := r.form.FindStringSubmatch(text)
	if m == nil {
		return Mark{}, false
	}
	return Mark{Kind: r.kind, Text: m[1], Number: numberIn(m[1]), Level: r.level, Rest: strings.TrimSpace(text[len(m[1]):]), anchor: r.anchor}, true
}

// numberIn returns the number of a mark, 0 where it is none: a part of a code (L. 123-4),
// a letter.
func numberIn(mark string) int {
	lower := strings.ToLower(mark)
	for _, one := range []string{"premier", "primeiro", "unique", "único"} {
		if strings.HasSuffix(lower, one) {
			return 1
		}
	}
	at := strings.IndexFunc(mark, unicode.IsDigit)
	if at < 0 {
		last := mark[strings.LastIndexFunc(mark, unicode.IsSpace)+1:]
		return fromRoman(strings.TrimSuffix(last, "er"))
	}
	end := at + len(digits.FindString(mark[at:]))
	if rest := mark[end:]; len(rest) > 1 && rest[0] == '-' && rest[1] >= '0' && rest[1] <= '9' {
		return 0
	}
	n, err := strconv.Atoi(strings.ReplaceAll(mark[at:end], ".", ""))
	if err != nil {
		return 0
	}
	return n
}

// fromRoman returns the value of Roman figures, 0 for anything else.
func fromRoman(figures string) int {
	values := map[byte]int{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100, 'D': 500, 'M': 1000}
	sum := 0
	for i := range len(figures) {
		v, ok := values[figures[i]]
		if !ok {
			return 0
		}
		if i+1 < len(figures) && values[figures[i+1]] > v {
			v = -v
		}
		sum += v
	}
	return sum
}

// Opens reports whether the text goes on as one that opens a part does: not at all, after
// a sign, or with a capital. "Article 5 applies to mills" only speaks of one. An item of a
// meeting is opened by any short line: "Punto 2 all'ordine del giorno".
func (m Mark) Opens() bool {
	first, _ := utf8.DecodeRuneInString(m.Rest)
	if m.Rest == "" || strings.ContainsRune(".-–—:(|", first) {
		return true
	}
	return unicode.IsUpper(first) || unicode.IsDigit(first) || strings.ContainsRune(`§"“«`, first) || m.Kind == Agenda && IsTitle(m.Rest)
}

// maxTitle is how long a line may be, in code points, that is the title of a part.
const maxTitle = 150

// IsTitle reports whether a text is a short line that ends as no sentence does.
func IsTitle(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return utf8.RuneCountInString(text) <= maxTitle && len(text) < enough && !strings.ContainsRune(".;:,!?", last)
}

// Bare reports whether a text is little more than its mark: "CHAPITRE II".
func (m Mark) Bare() bool { return strings.Trim(m.Rest, " .-–—:") == "" }

// Anchor returns the mark as an anchor of its page, by which people cite what it opens. A
// section or a chapter is one as a heading only: "section 3 applies" opens none.
func (m Mark) Anchor(page int, heading bool, language string) []model.Anchor {
	kind := m.anchor
	switch {
	case m.Kind == Numbered, !heading && kind == anchorSection:
		return nil
	case kind == "":
		kind = articleIn(language)
	}
	return []model.Anchor{{Type: kind, Text: m.Text, Page: page}}
}

// Rank orders the anchors of a chunk: what is cited before what it stands in.
func Rank(a model.Anchor) int {
	if a.Type == anchorSection {
		return 1
	}
	return 0
}

func articleIn(language string) string {
	switch language {
	case "pt", "gl":
		return anchorArtigo
	case "it", "co":
		return anchorArticolo
	default:
		return anchorArticle
	}
}
