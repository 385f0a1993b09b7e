// Package statement says by rules what a text is and what it is about: fact, allegation
// or opinion, and with which status; since when; its topic, whom it names, what sort of
// text it is, which words show a legal effect (contracts#chunk-fields). The rules are
// tables of patterns, one file for each language below data, each row with an example that its
// test holds. Of a language without a file nothing is said. All functions are pure.
package statement

import (
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Version names the rules that type, status, info_date and meta are set by. Whoever changes
// a table or the code so that some chunk comes out otherwise raises it, and
// model.ChunkerVersion with it: a proof makes chunks again under one chunker_version.
const Version = "statements_3"

// Judgement is what a text is, as its words say.
type Judgement struct {
	Type   model.ChunkType
	Status model.ChunkStatus
	// Guess is what the strongest of its sentences is: an allegation before an opinion before a
	// fact, however little of the text it is. It is empty where there are no rules.
	Guess model.ChunkType
}

// leastShare is the part of a text's letters that sentences of one type, or with some status,
// must have for the text to be of it: one in leastShare. A warning in passing makes no
// allegation of a report; an article that alleges in every other sentence is one.
const leastShare = 3

// Judge says what a text in a language (ISO 639-1) is that has the given paragraphs, of a
// source of a type (seeds#knowledge). Each sentence is judged by itself (Sentence). The text is
// an allegation or an opinion when a third of its letters are in such sentences, of both
// what has more letters, allegation where both have equally many; else it is what its source makes
// it: an opinion for comments and forums, else a fact. It has a status other than
// under_review when a third of its letters are in sentences of its type that say one, and then
// the one that has most letters; of two with equally many none.
func Judge(language, sourceType string, paragraphs []string) Judgement {
	return judge(language, sourceType, paragraphs, "")
}

// judge is Judge, and JudgeBeside where there is a guess.
func judge(language, sourceType string, paragraphs []string, guess model.ChunkType) Judgement {
	table := tables().of(language)
	out := Judgement{Type: sourceDefault(sourceType), Status: model.StatusUnderReview}
	if table == nil {
		return out
	}
	var sentences []judged
	total := 0
	for _, p := range paragraphs {
		for _, span := range guard.Sentences(p) {
			s := judged{letters: letters(p[span.Start:span.End])}
			s.typ, s.status = table.judge(wordsOf(p[span.Start:span.End]))
			sentences, total = append(sentences, s), total+s.letters
		}
	}
	by := make(map[model.ChunkType]int)
	for _, s := range sentences {
		by[s.typ] += s.letters
	}
	out.Guess = model.ChunkFact
	for _, t := range []model.ChunkType{model.ChunkOpinion, model.ChunkAllegation} {
		if by[t] > 0 {
			out.Guess = t
		}
	}
	alleged, thought := by[model.ChunkAllegation], by[model.ChunkOpinion]
	switch {
	case alleged > 0 && alleged*leastShare >= total && alleged >= thought:
		out.Type = model.ChunkAllegation
	case thought > 0 && thought*leastShare >= total && thought > alleged:
		out.Type = model.ChunkOpinion
	case guess == model.ChunkAllegation && alleged > 0, guess == model.ChunkOpinion && thought > 0:
		out.Type = guess
	}
	out.Status = statusOf(sentences, out.Type, total)
	return out
}

// judged is a sentence with what it is.
type judged struct {
	typ     model.ChunkType
	status  model.ChunkStatus // "" where it says none
	letters int
}

func statusOf(sentences []judged, typ model.ChunkType, total int) model.ChunkStatus {
	by := make(map[model.ChunkStatus]int)
	said := 0
	for _, s := range sentences {
		if s.typ == typ && s.status != "" {
			by[s.status] += s.letters
			said += s.letters
		}
	}
	if said == 0 || said*leastShare < total {
		return model.StatusUnderReview
	}
	best, most := model.StatusUnderReview, 0
	for _, status := range []model.ChunkStatus{model.StatusConfirmed, model.StatusRefuted, model.StatusObsolete} {
		switch n := by[status]; {
		case n > most:
			best, most = status, n
		case n == most:
			best = model.StatusUnderReview
		}
	}
	return best
}

// Sentence says what one sentence is by its words, and which status it says, "" for none.
func Sentence(language, sentence string) (model.ChunkType, model.ChunkStatus) {
	table := tables().of(language)
	if table == nil {
		return model.ChunkFact, ""
	}
	return table.judge(wordsOf(sentence))
}

// judge is what the strongest row that matches says (rank).
func (t *table) judge(words []word) (model.ChunkType, model.ChunkStatus) {
	best := -1
	for h := range t.find(words, tableSays) {
		if n := strength(h.row.gives); n > best {
			best = n
		}
	}
	if best < 0 {
		return model.ChunkFact, ""
	}
	typ, status, _ := strings.Cut(verdicts()[best], " ")
	return model.ChunkType(typ), model.ChunkStatus(status)
}

// verdicts are what a row of the table may say of a sentence, the weaker first. What a court
// or a check has found outweighs that somebody had alleged it; that words are of a rule or a form
// outweighs that they look like an allegation; an opinion on an allegation is an opinion.
func verdicts() []string {
	return []string{
		"allegation", "opinion", "allegation refuted", "fact",
		"fact obsolete", "fact refuted", "fact confirmed",
	}
}

// strength is the place of a verdict among verdicts, -1 for none of them.
func strength(verdict string) int {
	for i, v := range verdicts() {
		if v == verdict {
			return i
		}
	}
	return -1
}

// sourceDefault is what a text is by who speaks in it.
func sourceDefault(sourceType string) model.ChunkType {
	for _, r := range tables().sources {
		if r.pattern == sourceType {
			return model.ChunkType(r.gives)
		}
	}
	return model.ChunkFact
}
