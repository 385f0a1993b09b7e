package follow

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestTailPrintsTheStateOfChunks: rev, cause, layer and the chunks that are named.
func TestTailPrintsTheStateOfChunks(t *testing.T) {
	state := event.ChunkChange{Rev: 4, Cause: "restored", ChunkRef: "d:1", SourceID: "town", Layer: model.LayerHot, Since: "2026-03-01", DuplicateOf: "z:0"}
	for _, c := range []struct {
		data event.Data
		ends string
	}{
		{event.ChunkSuperseded{ChunkChange: state}, "  rev=4 cause=restored layer=hot duplicate_of=z:0"},
		{event.ChunkCreated{Rev: 1, Cause: "capture", Layer: model.LayerSummary, Repeats: "c:0", Chunk: model.Chunk{ChunkRef: "d:1", DocHash: "d", SourceID: "town"}},
			"  rev=1 cause=capture layer=summary repeats=c:0"},
		{event.ChunkSuperseded{ChunkChange: event.ChunkChange{Rev: 2, Cause: "version", ChunkRef: "d:1", SourceID: "town", Layer: model.LayerArchive, ReplacedBy: "e:0"}},
			"  rev=2 cause=version layer=archive replaced_by=e:0"},
		{event.ChunkRemoved{ChunkChange: event.ChunkChange{Rev: 5, Cause: "takedown", ChunkRef: "d:1", SourceID: "town"}}, "  rev=5 cause=takedown"},
		{event.CaptureCompleted{RequestID: "r", SourceID: "town", Outcome: event.OutcomeStored}, "town/r/stored"},
	} {
		e, err := event.New("test", c.data, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := (commands{&cli.Tool{Out: &out}}).printEvent(e); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.HasSuffix(got, c.ends+"\n") || !strings.Contains(got, e.ID) || strings.Count(got, "\n") != 1 {
			t.Errorf("%q does not end with %q", got, c.ends)
		}
	}
}
