package split

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// O200k returns the function that counts tokens of o200k_base. Its vocabulary
// is part of the program; the first call builds it. It is safe for concurrent
// use.
func O200k() func(string) (int, error) {
	return newCounter(codec.NewO200kBase().Count).Count
}

func newCounter(count func(string) (int, error)) *counter {
	return &counter{count: count, known: make(map[string]int), before: make(map[string]int)}
}

const (
	// maxWords is how many words a counter learns before it forgets those that
	// it did not meet since it learnt as many before.
	maxWords = 1 << 13
	// maxWord is how long a word may be, in bytes, to be remembered.
	maxWord = 32
)

// counter counts words one by one and remembers them, since the same ones come
// again and again.
type counter struct {
	count func(string) (int, error)

	mu            sync.Mutex
	known, before map[string]int // the last words, at most maxWords, and those before them
}

// Count returns the number of tokens of text. A token of o200k_base has white
// space only at its beginning, or is white space, or ends with line ends after
// punctuation; nothing that it is told from lies before it. So a space behind
// anything but white space begins a token whatever else the text is, and the
// pieces between such spaces can be counted alone.
func (c *counter) Count(text string) (int, error) {
	sum := 0
	for len(text) > 0 {
		end := pieceEnd(text)
		n, err := c.piece(text[:end])
		if err != nil {
			return 0, err
		}
		sum, text = sum+n, text[end:]
	}
	return sum, nil
}

// pieceEnd returns where the next space is that begins a token.
func pieceEnd(text string) int {
	for at := 0; ; {
		space := strings.IndexByte(text[at:], ' ')
		if space < 0 {
			return len(text)
		}
		at += space
		if r, _ := utf8.DecodeLastRuneInString(text[:at]); at > 0 && !unicode.IsSpace(r) {
			return at
		}
		at++
	}
}

func (c *counter) piece(text string) (int, error) {
	if len(text) > maxWord {
		return c.count(text)
	}
	if n, ok := c.remembered(text); ok {
		return n, nil
	}
	n, err := c.count(text)
	if err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remember(strings.Clone(text), n) // the document itself is let go
	return n, nil
}

func (c *counter) remembered(text string) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.known[text]
	if !ok {
		if n, ok = c.before[text]; ok {
			c.remember(strings.Clone(text), n)
		}
	}
	return n, ok
}

// remember is called with the lock held.
func (c *counter) remember(word string, n int) {
	if len(c.known) >= maxWords {
		clear(c.before)
		c.known, c.before = c.before, c.known
	}
	c.known[word] = n
}
