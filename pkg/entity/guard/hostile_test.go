package guard_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/pagetest"
)

// hostile is a page, and proposals about it, that grow with n bytes.
type hostile struct {
	name string
	make func(n int) (entity.PageInput, []entity.Entity)
}

// oneText repeats a text in one block; one proposal quotes its beginning.
func oneText(piece string) func(n int) (entity.PageInput, []entity.Entity) {
	return func(n int) (entity.PageInput, []entity.Entity) {
		text := strings.Repeat(piece, n/len(piece))
		quote := strings.TrimSpace(strings.Repeat(piece, 1+40/len(piece)))
		return pagetest.Page("en", text), proposals(1, func(int) string { return quote })
	}
}

// proposals makes proposals of which each has a quote of its own.
func proposals(n int, quote func(i int) string) (out []entity.Entity) {
	for i := range n {
		out = append(out, entity.Entity{Type: "bmp", Values: v("name", fmt.Sprint("buffers ", i), "type", "a", "quantity", q(float64(i), "acres"), "cost", usd(30), "relatedGoals", []string{"x"}),
			Evidence: []string{quote(i)}})
	}
	return out
}

func hostilePages() []hostile {
	out := []hostile{
		{"many blocks, many quotes", func(n int) (entity.PageInput, []entity.Entity) {
			var b strings.Builder
			for i := range n / 10 {
				fmt.Fprintf(&b, "a %d a a.\n", i)
			}
			return pagetest.Page("en", b.String()), proposals(n/100, func(i int) string { return fmt.Sprintf("a %d a a.", 7*i) })
		}},
		{"quotes that stand everywhere", func(n int) (entity.PageInput, []entity.Entity) {
			return pagetest.Page("en", strings.Repeat("a a a a a a a a\n", n/16)), proposals(n/100, func(i int) string { return strings.TrimSpace(strings.Repeat("a ", 2+i%30)) })
		}},
		{"quotes that stand nowhere", func(n int) (entity.PageInput, []entity.Entity) {
			return pagetest.Page("en", strings.Repeat("a a a a a a a a\n", n/16)), proposals(n/100, func(i int) string { return strings.Repeat("a ", i%8) + "b" })
		}},
		{"one row", func(n int) (entity.PageInput, []entity.Entity) {
			return pagetest.Page("en", "Acres"+strings.Repeat(" | Acres", n/8)+"\n30"+strings.Repeat(" | 30", n/8)), proposals(n/1000, func(int) string { return "30" })
		}},
		{"many rows", func(n int) (entity.PageInput, []entity.Entity) {
			var b strings.Builder
			b.WriteString("Name | Acres\n")
			for i := range n / 12 {
				fmt.Fprintf(&b, "Buffers %d | 30\n", i)
			}
			return pagetest.Page("en", b.String()), proposals(n/100, func(i int) string { return fmt.Sprintf("Buffers %d 30", i) })
		}},
		{"one quote many times", func(n int) (entity.PageInput, []entity.Entity) {
			return pagetest.Page("en", strings.Repeat("Buffers cover 30 acres. ", n/24)), proposals(n/100, func(int) string { return "Buffers cover 30 acres." })
		}},
	}
	for _, piece := range []string{"7", "1 ", "1,", "1.", "1-", "1/", "30 % ", "30 acres and ", "$30 ", "a. ", "not ", "a ", "aa", "(", "?", ". ", "x", "10 x ", "one ", "hundred and ", "one million and ", "Aa ", "2024 ", "2024-", "May 2024 ", "n't", "' ", "44.1234° N, 12.1234° W ", "10190004 ",
		"http://a/", "½", "ﬁ", "é", "\u0301", "\u202e", "\xff", " ", "\u00A0", "to 30 acres from ", "3 in 4 in ", "a; ", "but ", "30 (30) "} {
		out = append(out, hostile{fmt.Sprintf("%q", piece), oneText(piece)}, hostile{fmt.Sprintf("sentences of %q", piece), longSentences(piece)})
	}
	return out
}

// longSentences sets a piece in sentences that are just short enough to be read.
func longSentences(piece string) func(n int) (entity.PageInput, []entity.Entity) {
	sentence := "Buffers " + strings.Repeat(piece, (guard.MaxSentence-100)/len(piece)) + " 30 acres end. "
	fewer := "Buffers " + strings.Repeat(piece, guard.MaxNumbers/2) + " 30 acres end. "
	return func(n int) (entity.PageInput, []entity.Entity) {
		text := strings.Repeat(sentence, n/2/len(sentence)+1) + strings.Repeat(fewer, n/2/len(fewer)+1)
		var ps []entity.Entity
		for i := range 4 {
			ps = append(ps, entity.Entity{Type: "bmp", Values: v("name", "Buffers", "quantity", q(30, "acres")), Evidence: []string{strings.TrimSpace([]string{sentence, fewer, piece, "Buffers " + piece}[i])}})
		}
		return pagetest.Page("en", text), ps
	}
}

// Sizes of a hostile page in bytes, and by how much more time than its share the larger one may take.
const (
	smallPage = 1 << 14
	largePage = 1 << 17
	slack     = 3
	noise     = 150 * time.Millisecond // of the collector of garbage
)

// The processor's time that a page takes grows with its size and not with its square, whatever is on it.
func TestHostilePagesTakeLinearTime(t *testing.T) {
	for _, h := range hostilePages() {
		linear := false
		var small, large time.Duration
		for try := 0; try < 4 && !linear; try++ { // one try can be disturbed
			small, large = h.time(smallPage), h.time(largePage)
			linear = large < slack*largePage/smallPage*small+noise
		}
		if !linear {
			t.Errorf("%s: %v, eight times the size %v", h.name, small, large)
		}
	}
}

func (h hostile) time(n int) time.Duration {
	in, ps := h.make(n)
	start := processorTime()
	guard.Check(in, ps)
	return processorTime() - start
}

// processorTime is what this process has used: other work on the machine does not count.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// What a megabyte takes that was made to be slow.
func BenchmarkHostile(b *testing.B) {
	for _, h := range hostilePages() {
		in, ps := h.make(1 << 20)
		b.Run(h.name, func(b *testing.B) {
			for b.Loop() {
				guard.Check(in, ps)
			}
		})
	}
}
