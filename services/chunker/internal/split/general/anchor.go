package general

import (
	"regexp"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
)

// anchored is an anchor with the level of the heading that it stands in.
type anchored struct {
	model.Anchor
	level int
}

// The kinds of anchors (contracts#anchors; anchor_type of seeds#store).
const (
	anchorArtigo   = "artigo"
	anchorArticle  = "article"
	anchorArticolo = "articolo"
	anchorAgenda   = "agenda_item"
	anchorSection  = "section"
)

type anchorRule struct {
	kind string // "" for the word that the document's language has for an article
	form *regexp.Regexp
}

const (
	number  = `\d+(?:\.\d{3})*`
	ordinal = `(?:\.?\s?[º°ª]|er|re|e)?`
	suffix  = `(?:-[A-Z0-9]{1,3}|[ -](?:bis|ter|quater|quinquies|sexies|septies))?`
	roman   = `(?-i:[IVXLCDM]{1,8})`
	after   = `(?:[^\pL\pN]|$)`
	numero  = `(?:n\s?[º°.]\s*|no\.?\s+|nr\.?\s+)?`
)

// anchorRules finds how a block says where it stands, at its very beginning.
func anchorRules() []anchorRule {
	rule := func(kind, form string) anchorRule {
		return anchorRule{kind: kind, form: regexp.MustCompile(`^((?i:` + form + `))` + after)}
	}
	return []anchorRule{
		rule(anchorArtigo, `artigo\s+(?:`+number+ordinal+suffix+`|primeiro|único|`+roman+`)`),
		rule(anchorArticolo, `articolo\s+(?:`+number+suffix+`|`+roman+`)`),
		rule(anchorArticle, `article\s+(?:(?:[LRD]\.?\s?)?`+number+`(?:-\d+)*`+ordinal+suffix+`|premier|unique|`+roman+`)`),
		rule("", `art(?:\.\s*|\s+)(?:(?:[LRD]\.?\s?)?`+number+`(?:-\d+)*`+ordinal+suffix+`)`),
		rule(anchorAgenda, `(?:point|question|délibération|rapport|item|agenda item|ponto|punto|assunto|odg|oggetto)\s+`+
			numero+`\d+(?:[-./]\d+)*`),
		rule(anchorSection, `(?:section|chapitre|chapter|capítulo|capitolo|título|titre|titolo|seção|secção|sezione|annexe|annex|anexo|allegato)\s+(?:`+
			numero+`\d+|`+roman+`|(?-i:[A-Z]))`),
	}
}

// rules is compiled once: it is data.
var rules = anchorRules()

// anchorsOf returns how the block names itself, or none: an article, an agenda
// item, a section. The text is as printed.
func anchorsOf(b assemble.Block, language string) []model.Anchor {
	const enough = 120
	text := b.Lines[0].Text()
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "")
	}
	for _, r := range rules {
		m := r.form.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		kind := r.kind
		if kind == anchorSection && b.Type != model.UnitHeading {
			continue // "section 3 applies": only a heading opens one
		}
		if kind == "" {
			kind = articleIn(language)
		}
		return []model.Anchor{{Type: kind, Text: m[1], Page: b.Page}}
	}
	return nil
}

// rank orders the anchors of a chunk: what is cited before what it stands in.
func rank(a model.Anchor) int {
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
