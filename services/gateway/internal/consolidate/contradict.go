package consolidate

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// What two sentences must have in common to be about the same, and how many are compared.
// They are choices, not measured: they miss what is said in other words, and are to claim
// little.
const (
	leastShared  = 4   // words beside numbers and negations
	leastOverlap = 0.7 // of all such words that either has
	mostOfItem   = 40  // sentences of one item that are compared
	mostPairs    = 20  // contradictions that are told
)

// Contradiction is two things that are said about the same and do not agree.
type Contradiction struct {
	Reason string   `json:"reason"` // value: other numbers; negation: one says no; status: confirmed, and refuted or alleged
	About  []string `json:"about"`  // the words that both have, in their order in the newer one
	Sides  []Side   `json:"sides"`  // two, the newer one first
}

// Side is one of two things that contradict each other.
type Side struct {
	N        int      `json:"n"` // number of the item
	ChunkRef string   `json:"chunk_ref"`
	Says     string   `json:"says"`      // the sentence
	Values   []string `json:"values"`    // its numbers
	Type     string   `json:"type"`      // fact, allegation or opinion
	Status   string   `json:"status"`    // under_review, confirmed, refuted or obsolete
	InfoDate string   `json:"info_date"` // YYYY-MM-DD
	Source   string   `json:"source"`    // display name of the source
}

// sentence is one of an item, taken apart.
type sentence struct {
	item    int // its place among the items
	text    string
	words   []string // folded, in their order, without numbers and negations
	set     []int    // the numbers of words, each once, in their order
	numbers []string
	denied  bool
	subject *subject // nil until it is asked for
}

// contradictions compares the sentences of different items, of two items up to the first
// pair that does not agree. Its only error is that of ctx.
func contradictions(ctx context.Context, items []Item) ([]Contradiction, error) {
	found := []Contradiction{}
	k := newKnown()
	for j, b := range items {
		of := map[int][][2]int{} // pairs that are alike, by the item before: places among the known and in b
		taken := sentencesOf(b.Content)
		for n := range taken {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			taken[n].item, taken[n].set = j, k.number(taken[n].words)
			for _, x := range k.alike(taken[n]) {
				i := k.sentences[x].item
				of[i] = append(of[i], [2]int{x, n})
			}
		}
		for i, pairs := range of {
			if c, ok := contradict(items[i], b, k.sentences, taken, pairs); ok {
				found = append(found, c)
			}
		}
		k.add(taken)
	}
	slices.SortFunc(found, func(a, b Contradiction) int { // no two are of the same two items
		return cmp.Or(cmp.Compare(b.Sides[0].InfoDate, a.Sides[0].InfoDate), cmp.Compare(a.Sides[0].N, b.Sides[0].N), cmp.Compare(a.Sides[1].N, b.Sides[1].N))
	})
	return found[:min(mostPairs, len(found))], nil
}

// contradict returns the first of the pairs of alike sentences of two items that does not
// agree, in whatever order they come.
func contradict(a, b Item, of, with []sentence, pairs [][2]int) (Contradiction, bool) {
	first, reason := [2]int{len(of), 0}, ""
	for _, pair := range pairs {
		if slices.Compare(pair[:], first[:]) >= 0 {
			continue
		}
		if why := disagree(a, b, &of[pair[0]], &with[pair[1]]); why != "" {
			first, reason = pair, why
		}
	}
	if reason == "" {
		return Contradiction{}, false
	}
	x, y := of[first[0]], with[first[1]]
	c := Contradiction{Reason: reason, Sides: []Side{sideOf(a, x), sideOf(b, y)}}
	if a.InfoDate < b.InfoDate {
		slices.Reverse(c.Sides)
		x, y = y, x
	}
	c.About = shared(x, y)
	return c, true
}

// disagree says in what two sentences that share most of their words do not agree; "" where they do, or are not about the same.
func disagree(a, b Item, x, y *sentence) string {
	others := len(x.numbers) > 0 && len(x.numbers) == len(y.numbers) && !slices.Equal(x.numbers, y.numbers)
	if x.denied == y.denied && !others && !(settled(a) && unsettled(b)) && !(settled(b) && unsettled(a)) {
		return ""
	}
	switch {
	case !isSame(x, y, a.Language, b.Language):
		return ""
	case x.denied != y.denied:
		return "negation"
	case others && differ(subjectOf(x, a.Language), subjectOf(y, b.Language)):
		return "value"
	case settled(a) && unsettled(b), settled(b) && unsettled(a):
		return "status"
	default:
		return ""
	}
}

func settled(i Item) bool { return i.Status == string(model.StatusConfirmed) }

func unsettled(i Item) bool {
	return i.Status == string(model.StatusRefuted) || i.Type == string(model.ChunkAllegation) && i.Status == string(model.StatusUnderReview)
}

func sideOf(i Item, s sentence) Side {
	side := Side{N: i.N, ChunkRef: i.ChunkRef, Says: s.text, Values: s.numbers, Type: i.Type, Status: i.Status, InfoDate: i.InfoDate, Source: i.Source}
	if side.Values == nil {
		side.Values = []string{}
	}
	return side
}

// shared returns the words that both sentences have, in the order of the first.
func shared(x, y sentence) []string {
	there := distinct(y.words)
	words := []string{}
	for _, w := range x.words {
		if there[w] && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

func distinct(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// negations are the words that deny, folded, of the languages that documents have most.
func negations() map[string]bool {
	return distinct(strings.Fields("not no never none neither nor cannot ne pas jamais aucun aucune nao nunca nenhum nenhuma non mai nessun nessuna nicht kein keine nie no nunca ningun ninguna"))
}

// sentencesOf takes a text apart.
func sentencesOf(text string) (all []sentence) {
	denies := negations()
	for part := range strings.FieldsFuncSeq(marked(text), func(r rune) bool { return r == sentenceEnd }) {
		s := sentence{text: strings.Join(strings.Fields(part), " ")}
		for _, w := range retrieval.Analyze(strings.ReplaceAll(s.text, "'", " ")) {
			switch {
			case denies[w]:
				s.denied = true
			case !strings.ContainsFunc(w, unicode.IsDigit):
				s.words = append(s.words, w)
			}
		}
		s.numbers = numbersOf(s.text)
		if len(s.words) >= leastShared {
			all = append(all, s)
		}
		if len(all) == mostOfItem {
			break
		}
	}
	return all
}

// sentenceEnd marks where sentences end.
const sentenceEnd = '\x00'

// marked returns a text with a mark behind each sentence: behind a full stop, a question or
// an exclamation mark before white space and no small letter, and at the end of a line.
func marked(text string) string {
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case r == '\n':
			runes[i] = sentenceEnd
		case unicode.IsSpace(r) && i > 0 && strings.ContainsRune(".!?", runes[i-1]) && i+1 < len(runes) && !unicode.IsLower(runes[i+1]):
			runes[i] = sentenceEnd
		}
	}
	return string(runes)
}

// numbersOf returns the numbers of a text as they are written, with points and commas within.
func numbersOf(text string) (numbers []string) {
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		if !unicode.IsDigit(runes[i]) {
			continue
		}
		from := i
		for i+1 < len(runes) && (unicode.IsDigit(runes[i+1]) || strings.ContainsRune(".,:/", runes[i+1]) && i+2 < len(runes) && unicode.IsDigit(runes[i+2])) {
			i++
		}
		numbers = append(numbers, string(runes[from:i+1]))
	}
	return numbers
}
