package stage

import (
	"slices"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
)

// leastBlockLetters is how many letters and digits a block has at least that is looked for in
// other sources: shorter ones, such as headings and labels, are alike by chance
// (contracts#same-blocks).
const leastBlockLetters = 24

// blockKeys are the keys of the blocks of a document, by the ir_ids of their units.
type blockKeys map[string]int64

// add notes a block.
func (k blockKeys) add(b assemble.Block) {
	var text strings.Builder
	letters := 0
	for _, line := range b.Lines {
		for _, run := range line {
			text.WriteString(run.Text)
			for _, r := range run.Text {
				if unicode.IsLetter(r) || unicode.IsDigit(r) {
					letters++
				}
			}
		}
		text.WriteByte('\n')
	}
	if letters < leastBlockLetters {
		return
	}
	key := digest.BlockKey(text.String())
	for _, line := range b.Lines {
		for _, run := range line {
			if run.IRID != "" {
				k[run.IRID] = key
			}
		}
	}
}

// of returns the keys of the blocks that a chunk has text of, ascending and each once; never
// nil.
func (k blockKeys) of(segments []model.Segment) []int64 {
	keys := make([]int64, 0, len(segments))
	for _, s := range segments {
		if key, ok := k[s.IRID]; ok && s.Synthetic == "" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
