package stage

import (
	"context"
	"fmt"
	"testing"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

func TestAnnouncementsAreBounded(t *testing.T) {
	collections := []model.Collection{{Name: "c", Model: "m", Dimensions: 4}}
	var items []model.IndexItem
	for i := range 2500 {
		ref := fmt.Sprintf("h%d:%d", i%2, i)
		items = append(items, model.IndexItem{
			ChunkRef: ref, Found: true, State: model.ChunkState{Rev: 1},
			Chunk: model.Chunk{ChunkRef: ref, DocHash: ref[:2], SourceID: "src", SnapshotID: "snap_" + ref[:2]},
		})
	}
	var sizes []int
	seen := make(map[string]bool)
	err := announce(collections, items, nil).publish(t.Context(), func(_ context.Context, data event.Data) error {
		change := data.(event.VectorIndexed).VectorChange
		sizes = append(sizes, len(change.Chunks))
		for _, c := range change.Chunks {
			if c.ChunkRef[:2] != change.DocHash || change.SnapshotID != "snap_"+change.DocHash {
				t.Errorf("%s is announced under %s, %s", c.ChunkRef, change.DocHash, change.SnapshotID)
			}
			seen[c.ChunkRef] = true
		}
		return nil
	})
	if err != nil || fmt.Sprint(sizes) != "[1000 250 1000 250]" || len(seen) != 2500 {
		t.Errorf("events of %v chunks, %d in all, %v", sizes, len(seen), err)
	}
}
