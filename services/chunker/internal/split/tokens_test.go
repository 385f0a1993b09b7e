package split

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
)

// TestCountLikeCodec compares the counter with the codec on words, white space,
// signs and line ends in random order.
func TestCountLikeCodec(t *testing.T) {
	count, plain := O200k(), codec.NewO200kBase().Count
	pieces := []string{
		" ", " ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u2003", "\u0085", "a", "council", "Council's", "I'LL", "É", "l'été", "МОСКВА", "字",
		"123", "4567", "§", "...", "!", "/", "://", "«", "»", "-", "\u200b", "é", "ﬁ", "\x00", "\xff", "http://a.b/c?d=1", "🙂", "SHOUTingly",
		strings.Repeat("x", 40), "(", ")", "'", "s",
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		compare(t, count, plain, b.String())
	}
}

func compare(t *testing.T, count, plain func(string) (int, error), text string) {
	t.Helper()
	got, errGot := count(text)
	want, errWant := plain(text)
	if got != want || (errGot == nil) != (errWant == nil) {
		t.Fatalf("%q has %d tokens (%v), the codec says %d (%v)", text, got, errGot, want, errWant)
	}
}

func FuzzCount(f *testing.F) {
	f.Add("the council  met.\n\n Le 3 mai …")
	count, plain := O200k(), codec.NewO200kBase().Count
	f.Fuzz(func(t *testing.T, text string) { compare(t, count, plain, text) })
}

// TestCounterForgets has a counter meet ever new words beside one that comes
// again and again.
func TestCounterForgets(t *testing.T) {
	asked := map[string]int{}
	c := newCounter(func(text string) (int, error) { asked[text]++; return 1, nil })
	for i := range 5 * maxWords {
		if _, err := c.Count("often " + strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	if held := len(c.known) + len(c.before); held > 2*maxWords {
		t.Errorf("%d words are remembered, more than %d", held, 2*maxWords)
	}
	if asked["often"] != 1 {
		t.Errorf("a word that comes again and again was counted %d times", asked["often"])
	}
}
