package guard

import (
	"index/suffixarray"
	"slices"
	"sort"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// index finds a folded text in many blocks, in a time that does not grow with them.
type index struct {
	text   string // of all blocks, a zero byte between two
	starts []int  // of each block in it
	blocks []*block
	array  *suffixarray.Index
}

// maxStands bounds at how many places of a page a quote may stand: one that stands at more names none.
const maxStands = 256

func newIndex(blocks []*block) *index {
	x := &index{blocks: blocks}
	var b strings.Builder
	for _, block := range blocks {
		x.starts = append(x.starts, b.Len())
		b.WriteString(block.fold.text)
		b.WriteByte(0)
	}
	x.text = b.String()
	x.array = suffixarray.New([]byte(x.text))
	return x
}

// place is where a quote stands.
type place struct {
	block *block
	span  value.Span // of the block's text
}

// find returns where a quote stands with whole words, figures and signs at its ends, in the order of the page.
func (x *index) find(quote string) (out []place) {
	if quote == "" || strings.Contains(quote, "\x00") {
		return nil
	}
	all := x.array.Lookup([]byte(quote), maxStands+1)
	if len(all) > maxStands {
		return nil
	}
	slices.Sort(all)
	for _, at := range all {
		i := sort.SearchInts(x.starts, at+1) - 1
		b := x.blocks[i]
		start, end := at-x.starts[i], at-x.starts[i]+len(quote)
		if joinsAt(b.fold.text, start, false, true) || joinsAt(b.fold.text, end, false, false) {
			continue
		}
		out = append(out, place{b, b.fold.span(start, end)})
	}
	return out
}

// find returns where a quote stands on the page: in prose as it is, in tables with bars as spaces.
func (p *page) find(plain, barred string) []place {
	return append(p.prose.find(plain), p.tables.find(barred)...)
}

// partAt returns the index of the first part that ends behind a byte of the block. Sentences are in order.
func (b *block) partAt(at int) int {
	return sort.Search(len(b.parts), func(i int) bool { return b.parts[i].End > at })
}
