package guard

import (
	"regexp"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// sections are the open sections of a page, the outermost first, with whether each says that it does not hold.
type sections []section

type section struct {
	level int
	void  bool
}

// enter opens a section and closes those that are not above it.
func (s *sections) enter(level int, void bool) {
	level = max(1, level)
	for len(*s) > 0 && (*s)[len(*s)-1].level >= level {
		*s = (*s)[:len(*s)-1]
	}
	*s = append(*s, section{level, void})
}

func (s sections) areVoid() bool {
	for _, o := range s {
		if o.void {
			return true
		}
	}
	return false
}

var struck = regexp.MustCompile(`(?i)<(?:del|s|strike)[\s>]|line-through`)

// isStruck reports whether markup strikes words out: which of them is not told from the text, so none counts.
func isStruck(html string) bool { return html != "" && struck.MatchString(html) }

// deniesList reports whether a block denies the list or table that follows it.
func (b *block) deniesList() bool {
	if len(b.parts) == 0 {
		return false
	}
	last := &b.parts[len(b.parts)-1]
	opens := strings.HasSuffix(strings.TrimSpace(last.text.Text), ":") || hasClass(last.text.Text, b.language, "list_intro")
	return opens && (last.isDeniedAtEnd() || hasClass(last.text.Text, b.language, "void"))
}

// asks reports whether a sentence is a question.
func asks(text string) bool {
	return strings.HasSuffix(strings.TrimRight(text, ` "')]»”’`+"\u00A0"), "?")
}

// longestDenial bounds the words of a sentence that denies the one before it.
const longestDenial = 10

// deniesBefore reports whether a sentence says that the one before it is not so: "This is not true."
func (p *part) deniesBefore() bool {
	words := foldedWords(p.text.Words)
	if len(words) == 0 || len(words) > longestDenial || len(p.text.Numbers) > 0 || !p.isDeniedAtEnd() {
		return false
	}
	_, n := lexicon.LookupPhrase("anaphor", p.text.Language, words[:min(len(words), 4)])
	return len(words) <= 2 || n > 0 && hasClass(p.text.Text, p.text.Language, "truth")
}

// voidCells marks the cells of which a table says that they do not hold: by its caption, by the head of their column, or
// by a cell of their row, such as "Rejected", unless that is what a type of one's own asks for.
func (b *block) voidCells(caption string, types []entity.Type) {
	all := hasClass(fold(caption, false).text, b.language, "void")
	heads := make(map[string]bool)
	for i := range b.rows {
		whole := all
		for _, c := range b.rows[i].cells {
			whole = whole || c.saysVoid() && !c.saysChoice(types)
		}
		for _, c := range b.rows[i].cells {
			denied, known := heads[c.head]
			if !known {
				denied = deniesColumn(c.head, b.language)
				heads[c.head] = denied
			}
			c.void = c.void || whole || denied
		}
	}
}

// longestState bounds the words of a cell that says only that its row does not hold.
const longestState = 4

func (p *part) saysVoid() bool {
	words := foldedWords(p.text.Words)
	if len(words) == 0 || len(words) > longestState {
		return false
	}
	_, n := lexicon.LookupPhrase("void", p.text.Language, words)
	return n > 0
}

// saysChoice reports whether a cell says one of the choices of a type.
func (p *part) saysChoice(types []entity.Type) bool {
	words := foldedWords(p.text.Words)
	for _, t := range types {
		for _, f := range t.Fields {
			if _, n := f.Meaning(p.text.Language, words); f.Means != nil && n == len(words) {
				return true
			}
		}
	}
	return false
}

// deniesColumn reports whether the head of a column says that what stands below is not so. "No." is short for number.
func deniesColumn(head, language string) bool {
	words := foldedWords(value.Words(head))
	for i := range words {
		if _, n := lexicon.LookupPhrase("void", language, words[i:]); n > 0 {
			return true
		}
		if _, n := lexicon.LookupPhrase("negation_idiom", language, words[i:]); n > 0 {
			return false
		}
		if _, n := lexicon.LookupPhrase("negation", language, words[i:]); n > 0 && words[i] != "no" && words[i] != "n" && words[i] != "n'" {
			return true
		}
	}
	return false
}
