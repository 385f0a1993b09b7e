package ask

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/value"
	"github.com/colophon-dev/colophon/pkg/model"
)

// mostSentence is how many bytes a sentence of an answer has at most.
const mostSentence = 2 << 10

// passages are those of one question, by their numbers.
type passages map[int]*passage

func readPassages(given []model.AskPassage) passages {
	out := make(passages, len(given))
	for _, p := range given {
		out[p.N] = readPassage(p)
	}
	return out
}

var (
	// cited finds the numbers of passages in brackets: [1], [2, 3].
	cited = regexp.MustCompile(`\[\s*\d{1,4}(?:\s*[,;]\s*\d{1,4})*\s*\]`)
	// citedAfter finds numbers that stand behind the point of the sentence that they are of.
	citedAfter = regexp.MustCompile(`([.!?…]+["»”’)]*)((?:\s*\[\s*\d{1,4}(?:\s*[,;]\s*\d{1,4})*\s*\])+)`)
	// bullet finds what a list puts before its items.
	bullet = regexp.MustCompile(`^\s*(?:[-*•–]|\d{1,2}[.)]|#+)\s+`)
	// markup finds links and tags: a reader's program might follow them.
	markup = regexp.MustCompile(`</?[A-Za-z!]|\]\(|://|\bwww\.|\bmailto:|\bdata:|\bjavascript:`)
	// number finds the numbers in a citation.
	number = regexp.MustCompile(`\d+`)
)

// sentencesOf divides a line of an answer into sentences, each with its citations before its end. Marks of
// lists and of emphasis are left out; the fences of code are no sentences.
func sentencesOf(line string) (out []string) {
	line = bullet.ReplaceAllString(strings.TrimSpace(line), "")
	line = strings.TrimSpace(strings.NewReplacer("**", "", "__", "", "`", "").Replace(line))
	if strings.Trim(line, "`~-=_* ") == "" {
		return nil
	}
	line = citedAfter.ReplaceAllString(line, "$2$1")
	for _, s := range guard.Sentences(line) {
		out = append(out, line[s.Start:s.End])
	}
	return out
}

// check holds a sentence of an answer against the passages. Where it stands there it is returned as it may be
// told, with what bears it out alone as citations; else why it may not.
func (ps passages) check(sentence string) (model.AskSentence, model.AskReason) {
	if len(sentence) > mostSentence || !isReadable(sentence) {
		return model.AskSentence{}, model.AskUnreadable
	}
	claims, reason := ps.claims(sentence)
	if reason != "" {
		return model.AskSentence{}, reason
	}
	told := model.AskSentence{Citations: []model.AskCitation{}}
	var text strings.Builder
	for _, c := range claims {
		found, reason := ps.bearOut(c)
		if reason != "" {
			return model.AskSentence{}, reason
		}
		said := strings.TrimSpace(c.text)
		if text.Len() > 0 && strings.IndexAny(said, ",;:.)") != 0 {
			text.WriteString(" ")
		}
		text.WriteString(said)
		for _, f := range found {
			text.WriteString(" [" + strconv.Itoa(f.passage.N) + "]")
			add(&told, f)
		}
		text.WriteString(c.end)
	}
	told.Text = text.String()
	return told, ""
}

// claim is a part of a sentence with what it cites.
type claim struct {
	text  string
	end   string // of the sentence, behind the citation
	cites []int
}

// claims divides a sentence at its citations. What stands behind the last one belongs to it.
func (ps passages) claims(sentence string) (out []claim, reason model.AskReason) {
	start := 0
	for _, at := range cited.FindAllStringIndex(sentence, -1) {
		var cites []int
		for _, digits := range number.FindAllString(sentence[at[0]:at[1]], -1) {
			n, err := strconv.Atoi(digits)
			if err != nil || ps[n] == nil {
				return nil, model.AskUnknown
			}
			cites = append(cites, n)
		}
		text := sentence[start:at[1]][:at[0]-start]
		if start = at[1]; strings.TrimSpace(text) == "" && len(out) > 0 {
			out[len(out)-1].cites = append(out[len(out)-1].cites, cites...)
			continue
		}
		out = append(out, claim{text: text, cites: cites})
	}
	if len(out) == 0 {
		return nil, model.AskUncited
	}
	rest := strings.TrimSpace(sentence[start:])
	last := &out[len(out)-1]
	if strings.IndexFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) >= 0 {
		last.text = strings.TrimSpace(last.text) + " " + rest
	} else {
		last.end = rest
	}
	return out, ""
}

// borne is a part of a passage that bears out a claim.
type borne struct {
	passage *passage
	part    *part
}

// bearOut returns the cited passages in which a claim stands, or why it stands in none.
func (ps passages) bearOut(c claim) (found []borne, reason model.AskReason) {
	limited := false
	slices.Sort(c.cites)
	for _, n := range slices.Compact(c.cites) {
		said, limits := read(c.text, ps[n].Language)
		if len(said) == 0 {
			return nil, model.AskUncited // it says nothing that could be held against a passage
		}
		one, short := ps[n].stands(said, limits)
		limited = limited || short
		if one != nil {
			found = append(found, borne{ps[n], one})
		}
	}
	if len(found) > 0 {
		return found, ""
	}
	if reason := ps.absent(c); reason != "" {
		return nil, reason
	}
	if limited {
		return nil, model.AskQualified
	}
	return nil, model.AskApart
}

// absent says what a claim has that none of the passages that it cites has, "" when there is nothing.
func (ps passages) absent(c claim) model.AskReason {
	said, _ := read(c.text, ps[c.cites[0]].Language)
	for _, k := range []kind{ofNumber, ofDate, ofName, ofWord} {
		for _, t := range said {
			if t.kind == k && !slices.ContainsFunc(c.cites, func(n int) bool { return ps[n].has(t) }) {
				return reasonOf(t)
			}
		}
	}
	return ""
}

// add adds a citation to a sentence, and says it as the weakest of what it cites.
func add(told *model.AskSentence, f borne) {
	p := f.passage
	if told.SaidAs == "" || weakness(f.part.saidAs, f.part.status) > weakness(told.SaidAs, told.Status) {
		told.SaidAs, told.Status = f.part.saidAs, f.part.status
	}
	c := model.AskCitation{N: p.N, ChunkRef: p.ChunkRef, Type: p.Type, Status: p.Status, InfoDate: p.InfoDate, Source: p.Source, Quote: f.part.text}
	if !slices.Contains(told.Citations, c) {
		told.Citations = append(told.Citations, c)
	}
}

// weakness orders what may be cited: a confirmed fact least, what is refuted or obsolete most.
func weakness(t model.ChunkType, s model.ChunkStatus) int {
	const ofType, ofStatus = 10, 100
	n := 0
	switch t {
	case model.ChunkOpinion:
		n = ofType
	case model.ChunkAllegation:
		n = 2 * ofType
	}
	switch s {
	case model.StatusConfirmed:
	case model.StatusRefuted, model.StatusObsolete:
		n += ofStatus
	default:
		n++
	}
	return n
}

// isReadable reports whether a text shows all that it holds, and holds no link and no markup.
func isReadable(text string) bool {
	if !utf8.ValidString(text) || markup.MatchString(text) {
		return false
	}
	return strings.IndexFunc(text, func(r rune) bool {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r), unicode.IsPunct(r), unicode.Is(unicode.Sc, r), unicode.IsSpace(r):
			return value.IsTurning(r)
		}
		return !strings.ContainsRune("+<>=±≤≥~≈|°²³×", r)
	}) < 0
}
