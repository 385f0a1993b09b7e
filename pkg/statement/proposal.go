package statement

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Dropped counts by reason what a model proposed and what did not stand: "absent" for words that the
// text does not have, "unknown" for what is none of a closed list, "excess" for what a list has no room for.
type Dropped map[string]int

// The reasons why something that a model proposed is left out.
const (
	DroppedAbsent  = "absent"
	DroppedUnknown = "unknown"
	DroppedExcess  = "excess"
)

// Checked returns what of a model's proposal for a chunk stands in the chunk's own text
// (contracts#enrichment), and counts the rest. Actors, tags and legal cues stand there as whole words
// under the guard's folding, a topic there or in the table of the language; kinds of content and types are
// those of the tables. Paragraphs are the text as captured, without headings and what rules wrote.
func Checked(language string, p model.ChunkProposal, paragraphs []string) (model.ChunkProposal, Dropped) {
	dropped := make(Dropped)
	if p.Empty() {
		return p, dropped
	}
	text := guard.Folded(strings.Join(paragraphs, "\n"))
	standing := func(words []string, most int) (out []string) {
		for _, w := range words {
			switch w = strings.TrimSpace(w); {
			case w == "" || len(w) > longestNameBytes || !standsIn(text, guard.Folded(w)):
				dropped[DroppedAbsent]++
			case len(out) >= most:
				dropped[DroppedExcess]++
			case !slices.Contains(out, w):
				out = append(out, w)
			}
		}
		return out
	}
	out := model.ChunkProposal{Tags: standing(p.Tags, mostTags), Actors: standing(p.Actors, mostActors), LegalCues: standing(p.LegalCues, mostCues)}
	known := func(value string, list []string) string {
		if value != "" && !slices.Contains(list, value) {
			dropped[DroppedUnknown]++
			return ""
		}
		return value
	}
	out.KindOfContent = known(p.KindOfContent, Kinds(language))
	out.TypeGuess = known(p.TypeGuess, []string{string(model.ChunkFact), string(model.ChunkAllegation), string(model.ChunkOpinion)})
	if topic := strings.TrimSpace(p.Topic); slices.Contains(Topics(language), topic) {
		out.Topic = topic
	} else if topic != "" {
		if found := standing([]string{topic}, 1); len(found) == 1 {
			out.Topic = topic
		}
	}
	return out, dropped
}

// standsIn reports whether folded words stand in a folded text, beginning and ending where words do.
func standsIn(text, words string) bool {
	if words == "" {
		return false
	}
	for at := 0; ; {
		i := strings.Index(text[at:], words)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(words)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !isWordRune(before) && !isWordRune(after) {
			return true
		}
		_, n := utf8.DecodeRuneInString(text[start:])
		at = start + n
	}
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r))
}

// Topics are the topics that the table of a language knows, sorted.
func Topics(language string) []string { return gives(language, tableTopic) }

// Kinds are the kinds of content that the table of a language knows, sorted.
func Kinds(language string) []string { return gives(language, tableKind) }

func gives(language, of string) (out []string) {
	t := tables().of(language)
	if t == nil {
		return nil
	}
	for _, rows := range t.words {
		for _, r := range rows {
			if r.table == of {
				out = append(out, r.gives)
			}
		}
	}
	for _, rows := range t.stems {
		for _, r := range rows {
			if r.table == of {
				out = append(out, r.gives)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// JudgeBeside is Judge with a model's guess of the type beside the words (contracts#type-status). The
// guess is never enough alone: it makes a text an allegation or an opinion when a sentence of it is one by its words,
// however little of the text that is. It makes nothing a fact, and no guess says a status: that
// follows from the sentences of the type.
func JudgeBeside(language, sourceType string, paragraphs []string, guess model.ChunkType) Judgement {
	return judge(language, sourceType, paragraphs, guess)
}

// MetaBeside adds to what the rules have found what a model proposed and what stands (Checked). The rules'
// words come first; a topic or a kind of content of the rules is kept, and another topic of the model is a tag.
func MetaBeside(meta model.ChunkMeta, p model.ChunkProposal) model.ChunkMeta {
	for _, tag := range p.Tags {
		meta.Tags = add(slices.Clip(meta.Tags), tag, mostTags)
	}
	switch {
	case meta.Topic == "":
		meta.Topic = p.Topic
	case p.Topic != meta.Topic:
		meta.Tags = add(slices.Clip(meta.Tags), p.Topic, mostTags)
	}
	for _, actor := range p.Actors {
		meta.Actors = add(slices.Clip(meta.Actors), actor, mostActors)
	}
	for _, cue := range p.LegalCues {
		meta.LegalCues = add(slices.Clip(meta.LegalCues), cue, mostCues)
	}
	if meta.KindOfContent == "" {
		meta.KindOfContent = p.KindOfContent
	}
	return meta
}
