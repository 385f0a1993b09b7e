package fill

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
)

// longestWord is from where on a run without white space is cut at any code
// point: it is no word, and its tokens are no longer counted as one piece.
const longestWord = 512

// cut divides a line that is over the budget: head fits into the current chunk,
// and ends at a sentence's end, else at a space, else at a code point; the
// white space at the cut is in neither. head is nil when nothing fits beside
// what the chunk holds.
func (s *Filler) cut(line assemble.Line, code bool) (head, tail assemble.Line) {
	text := line.Text()
	limit := s.prefix(text, s.free())
	for limit > 0 {
		end := sentenceEnd(text, limit, code)
		if end == 0 {
			end = limit
		}
		head, tail = divide(line, text, end, code)
		if head != nil && s.fits(s.item(head, 0, nil)) {
			return head, tail
		}
		limit = min(end, strings.LastIndexFunc(text[:limit], unicode.IsSpace))
	}
	return s.cutExact(s.pathNow(), line, s.context(s.pathNow(), s.items))
}

func (s *Filler) pathNow() []section {
	if s.body {
		return s.path
	}
	return s.stack
}

// free returns how many tokens the current chunk has left, by estimate.
func (s *Filler) free() int {
	return s.room - s.tokens - s.contextCost(s.context(s.pathNow(), s.items)) - s.lineCost(s.pathNow())
}

// cutExact cuts at the last code point that keeps the chunk, which stands in path, within its budget,
// and at the first one when the chunk is empty and none does.
func (s *Filler) cutExact(path []section, line assemble.Line, context string) (head, tail assemble.Line) {
	text := line.Text()
	before, _ := s.render(path, context, s.itemsBut(line))
	if len(s.itemsBut(line)) > 0 {
		before += joint
	}
	// Tokens of fewer than two bytes are rare: what is beyond is not asked.
	ends := codePoints(text, min(4*s.budget, model.MaxChunkText-len(before)))
	n, _ := slices.BinarySearchFunc(ends, s.budget, func(end, budget int) int {
		if s.count(before+text[:end]) <= budget {
			return -1
		}
		return 1
	})
	for n > 0 && s.count(before+text[:ends[n-1]]) > s.budget {
		n--
	}
	if n == 0 {
		if len(s.items) > 0 && len(s.itemsBut(line)) > 0 || len(ends) == 0 {
			return nil, line
		}
		n = 1
	}
	return divide(line, text, ends[n-1], true)
}

// itemsBut returns the items of the current chunk that are not line itself.
func (s *Filler) itemsBut(line assemble.Line) []item {
	if len(s.items) > 0 && &s.items[0].line[0] == &line[0] {
		return nil
	}
	return s.items
}

// codePoints returns the ends of the code points in the first limit bytes.
func codePoints(text string, limit int) []int {
	var ends []int
	for i := 0; i < len(text) && i < limit; {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
		ends = append(ends, i)
	}
	return ends
}

// prefix returns how many bytes of text, up to a space, have at most the given
// number of tokens: words are counted one by one, with the space before them,
// which is how o200k_base divides a text.
func (s *Filler) prefix(text string, tokens int) int {
	fitting := 0
	for at := 0; at < len(text); {
		end := wordEnd(text, at)
		if end-at > longestWord {
			return fitting
		}
		tokens -= s.count(text[at:end])
		if tokens < 0 || s.err != nil {
			return fitting
		}
		at, fitting = end, end
	}
	return fitting
}

// wordEnd returns the end of the white space and the word that begin at at.
func wordEnd(text string, at int) int {
	word := strings.IndexFunc(text[at:], func(r rune) bool { return !unicode.IsSpace(r) })
	if word < 0 {
		return len(text)
	}
	space := strings.IndexFunc(text[at+word:], unicode.IsSpace)
	if space < 0 {
		return len(text)
	}
	return at + word + space
}

// sentenceEnd returns the end of the last sentence of text that ends at limit at most, or
// 0. Where sentences end is said by Unicode's rules (UAX #29), but for the words that are
// shortened before a name or a number. In code only a line's end counts.
func sentenceEnd(text string, limit int, code bool) int {
	if code {
		if strings.HasPrefix(text[limit:], "\n") {
			return limit
		}
		return max(0, strings.LastIndexByte(text[:limit], '\n'))
	}
	last := 0
	// The rules look at what follows a sentence: at the next word, not further.
	for s := sentences.FromString(text[:wordEnd(text, limit)]); s.Next(); {
		end := s.Start() + len(strings.TrimRightFunc(s.Value(), unicode.IsSpace))
		if end > limit {
			break
		}
		if strings.HasSuffix(strings.TrimRight(s.Value(), " \t\r"), "\n") || endsSentence(text[:end]) {
			last = end
		}
	}
	return last
}

// endsSentence reports whether text ends with a sign that ends sentences, and not with
// that of an abbreviation.
func endsSentence(text string) bool {
	body := strings.TrimRightFunc(text, closes)
	r, size := utf8.DecodeLastRuneInString(body)
	return ends(r) && !abbreviation(body[:len(body)-size], r)
}

func ends(r rune) bool { return strings.ContainsRune(".!?…。！？", r) }

func closes(r rune) bool { return strings.ContainsRune(`"')]»”’`, r) }

// abbreviation reports whether a full stop after text belongs to its last word:
// to a letter, a small number, or one of the words that the documents'
// languages shorten before a name or a number.
func abbreviation(text string, stop rune) bool {
	if stop != '.' {
		return false
	}
	start := strings.LastIndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) + 1
	for start < len(text) && text[start]&0xC0 == 0x80 { // the divider's own bytes
		start++
	}
	word := strings.ToLower(text[start:])
	if utf8.RuneCountInString(word) <= 1 {
		return word != ""
	}
	switch word {
	case "art", "arts", "al", "cf", "cfr", "dr", "dra", "ex", "inc", "mm", "mme", "no", "nr", "num", "pp",
		"sr", "sra", "st", "vol", "viz":
		return true
	}
	return len(word) <= 2 && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// divide returns the line up to end, and from after the white space there.
// What is synthetic at the cut is left out. In code only one line end is.
func divide(line assemble.Line, text string, end int, code bool) (head, tail assemble.Line) {
	from := end
	if code {
		if strings.HasPrefix(text[end:], "\n") {
			from++
		}
	} else {
		from += len(text[end:]) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
	}
	return slice(line, 0, end), slice(line, from, len(text))
}

// slice returns the bytes [from, to) of the line's text.
func slice(line assemble.Line, from, to int) assemble.Line {
	var out assemble.Line
	at := 0
	for _, r := range line {
		a, b := max(from-at, 0), min(to-at, len(r.Text))
		at += len(r.Text)
		if a >= b {
			continue
		}
		r.Text, r.From = r.Text[a:b], r.From+a
		out = append(out, r)
	}
	for from > 0 && len(out) > 0 && out[0].Synthetic != "" {
		out = out[1:]
	}
	for len(out) > 0 && out[len(out)-1].Synthetic != "" {
		out = out[:len(out)-1]
	}
	return out
}

// jointCost returns how many tokens the joint after text costs: o200k_base
// reads line ends as one piece with the punctuation before them.
func jointCost(text string) int {
	r, _ := utf8.DecodeLastRuneInString(text)
	if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSpace(r) {
		return 1
	}
	return 0
}
