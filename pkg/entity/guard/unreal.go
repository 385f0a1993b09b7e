package guard

import (
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
	"github.com/colophon-dev/colophon/pkg/model"
)

// isUnreal reports whether a sentence says what would be, if something else were; or that it is a mistake.
func (p *part) isUnreal() bool {
	text, language := p.text.Text, p.text.Language
	if hasClass(text, language, "erratum") {
		return true
	}
	words := foldedWords(p.text.Words)
	if len(words) == 0 || !lexicon.Has("if_first", language, words[0]) && !hasClass(text, language, "if_word") {
		return false
	}
	endings := lexicon.Words("would_ending", language)
	for i, w := range words {
		_, n := lexicon.LookupPhrase("would", language, words[i:min(len(words), i+3)])
		if n > 0 || slices.ContainsFunc(endings, func(e string) bool { return len(w) > len(e)+2 && strings.HasSuffix(w, e) }) {
			return true
		}
	}
	return false
}

// isOtherAmount reports whether words around a number say that it is not what the sentence speaks of: twice the 30 acres,
// unlike the 30 acres, all but 30 acres; a number that was replaced by another; what was removed.
func isOtherAmount(p *part, n value.Number) bool {
	if hasCueBefore(p, n.Start, "multiple") || hasCueBefore(p, n.Start, "aside") {
		return true
	}
	return isSuperseded(p, n) || isRemoved(p, n) || wouldBe(p, n)
}

// wouldBe reports whether a verb between the signs around a number has an ending that says what would be.
func wouldBe(p *part, n value.Number) bool {
	endings := lexicon.Words("would_alone", p.text.Language)
	if len(endings) == 0 {
		return false
	}
	start := strings.LastIndexAny(p.text.Text[:n.Start], ",;:") + 1
	end := len(p.text.Text)
	if i := strings.IndexAny(p.text.Text[n.End:], ",;:"); i >= 0 {
		end = n.End + i
	}
	for _, w := range p.text.Words {
		if w.Start < start || w.End > end || lexicon.Has("would_plan", p.text.Language, w.Folded) {
			continue
		}
		if slices.ContainsFunc(endings, func(e string) bool { return len(w.Folded) > len(e)+2 && strings.HasSuffix(w.Folded, e) }) {
			return true
		}
	}
	return false
}

// isSuperseded reports whether a phrase such as "was replaced by" stands behind a number, and another number behind that.
func isSuperseded(p *part, n value.Number) bool {
	words := foldedWords(p.text.Words)
	for i := range words {
		if p.text.Words[i].Start < n.End {
			continue
		}
		_, count := lexicon.LookupPhrase("superseded", p.text.Language, words[i:min(len(words), i+4)])
		if count == 0 {
			continue
		}
		for _, o := range p.text.Numbers {
			if o.Start >= p.text.Words[i+count-1].End && !o.IsDate && !o.IsLabel {
				return true
			}
		}
	}
	return false
}

// reachOfRemoval is how many words stand between an amount and the word that says that it was removed.
const reachOfRemoval = 5

// isRemoved reports whether a word such as removed or destroyed stands before a number, or behind it with no word between
// that begins another clause.
func isRemoved(p *part, n value.Number) bool {
	if hasCueBefore(p, n.Start, "removed") {
		return true
	}
	from := firstWord(p, max(n.End, n.Unit.End))
	if from < 0 {
		return false
	}
	for i := from; i < min(len(p.text.Words), from+reachOfRemoval+1); i++ {
		w := p.text.Words[i]
		if lexicon.Has("clause_opener", p.text.Language, w.Folded) || strings.ContainsAny(p.text.Text[n.End:w.Start], ",;:") {
			return false
		}
		if lexicon.Has("removed", p.text.Language, w.Folded) {
			return true
		}
	}
	return false
}

// longestRevocation bounds the words of a sentence that takes the one before it back.
const longestRevocation = 10

// revokesBefore reports whether a sentence takes the one before it back: (Withdrawn in 2021.) The board has dropped this target.
func (p *part) revokesBefore() bool {
	words := foldedWords(p.text.Words)
	if len(words) == 0 || len(words) > longestRevocation {
		return false
	}
	for _, n := range p.text.Numbers {
		if !n.IsDate {
			return false
		}
	}
	if _, n := lexicon.LookupPhrase("void", p.text.Language, words); n > 0 {
		return true
	}
	this := false
	for _, w := range words {
		this = this || lexicon.Has("this", p.text.Language, w)
	}
	return this && hasClass(p.text.Text, p.text.Language, "dropped")
}

// isExampleHead reports whether a heading says that what stands below is only an example.
func isExampleHead(text, language string) bool {
	return lexicon.Has("example_head", language, lexicon.Fold(strings.Trim(text, " .:")))
}

// noteMarks are signs by which a number and a note belong together.
const noteMarks = "*†‡§"

// voidByNotes marks cells and sentences whose number has the mark of a note that says that it is not so: 30*, and below "* not approved".
func (p *page) voidByNotes() {
	for _, b := range p.blocks {
		if b.unit.FieldsRaw.Table != nil || len(b.parts) == 0 {
			continue
		}
		text := strings.TrimSpace(b.unit.FieldsRaw.Text)
		if b.unit.Type == model.UnitListItem && strings.Trim(b.unit.FieldsRaw.Marker, noteMarks) == "" {
			text = b.unit.FieldsRaw.Marker + text
		}
		mark := text[:len(text)-len(strings.TrimLeft(text, noteMarks))]
		if mark == "" || !b.parts[0].isDeniedAtEnd() && !hasClass(text, b.language, "void") {
			continue
		}
		for _, o := range p.blocks {
			for i := range o.parts {
				if part := &o.parts[i]; o != b && hasMark(part.text.Text, mark) {
					part.void = true
				}
			}
		}
	}
}

// hasMark reports whether a text has a mark behind a word or number, and no longer one.
func hasMark(text, mark string) bool {
	i := strings.Index(text, mark)
	if i <= 0 || strings.ContainsRune(" \t(", rune(text[i-1])) {
		return false
	}
	rest := text[i+len(mark):]
	return rest == "" || !strings.ContainsRune(noteMarks, first(rest))
}
