package stage

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/general"
)

// TestChunksHaveTheKeysOfTheirBlocks: whatever the budget cuts, each chunk has the keys of all
// blocks of which it has text, one that pages divide has one key, and short ones and headings that
// are repeated above have none.
func TestChunksHaveTheKeysOfTheirBlocks(t *testing.T) {
	t.Parallel()
	s := model.Snapshot{SnapshotID: "snap_a", SourceID: "s", SourceName: "S"}
	base := model.Chunk{SnapshotID: "snap_a", SourceID: "s", Language: "en", Type: model.ChunkFact, Status: model.StatusUnderReview, InfoDate: "2026-01-02"}
	long := strings.TrimSpace(strings.Repeat("The council of the lower town has heard the reports of its guards. ", 30))
	first, second := "The bridge over the river is closed for", "repairs from Monday until the end of the month."
	var units [2][]model.Unit
	add := func(page int, f model.Fields, kind model.UnitType) {
		f.Verbatim = true
		u := model.Unit{IRID: fmt.Sprintf("ir_%d_%d", page, len(units[page])), SnapshotID: "snap_a", Type: kind, FieldsRaw: f}
		units[page] = append(units[page], u)
	}
	add(0, model.Fields{Text: "What the council of the lower town decided", Level: 1}, model.UnitHeading)
	add(0, model.Fields{Text: long}, model.UnitParagraph)
	add(0, model.Fields{Text: "Read and signed."}, model.UnitParagraph)
	add(0, model.Fields{Text: first, Continues: true}, model.UnitParagraph)
	add(1, model.Fields{Text: second, Continued: true}, model.UnitParagraph)
	keyOf := digest.BlockKey
	for _, budget := range []int{80, 200, 1000} {
		cut := cutting{chunker: general.Chunker{}, snapshot: s, base: base, budget: budget, count: split.O200k(), leftOut: func(string) bool { return false }}
		holds := map[string]int64{"heard the reports of its guards": keyOf(long), "is closed for": keyOf(first + " " + second), "until the end of the month": keyOf(first + " " + second)}
		var parts int
		err := cut.cut(model.Version{DocHash: "d", Generation: 1}, func(each func(segment.Frame) error) error {
			for i, on := range units {
				if err := each(segment.Frame{Page: model.Page{PageNo: i + 1}, Units: on}); err != nil {
					return err
				}
			}
			return nil
		}, func(c model.Chunk) error {
			if c.Blocks == nil || !slices.IsSorted(c.Blocks) || slices.Contains(c.Blocks, keyOf("Read and signed.")) {
				t.Errorf("budget %d: keys %v", budget, c.Blocks)
			}
			for words, key := range holds {
				if strings.Contains(c.Content, words) && !slices.Contains(c.Blocks, key) {
					t.Errorf("budget %d: a chunk that says %q has the keys %v, not %d", budget, words, c.Blocks, key)
				}
			}
			if slices.Contains(c.Blocks, keyOf(long)) {
				parts++
			}
			return nil
		})
		if err != nil || parts == 0 || budget == 80 && parts < 4 {
			t.Errorf("budget %d: the long block is in %d chunks, %v", budget, parts, err)
		}
	}
}
