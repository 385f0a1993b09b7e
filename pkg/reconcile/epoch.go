package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// epoch says where the catalog is an older copy than what was told of it: among the events of
// chunks is one that it cannot have told (contracts#epoch). It looks at a sample of them, the
// newest and the further back the fewer, so that it also sees what was told before other
// things were. It changes nothing: who restored the catalog knows whether that was the last
// backup to be tried.
func (p *pass) epoch(ctx context.Context) error {
	sample, err := p.bus.SampleChunks(ctx)
	if err != nil {
		return err
	}
	var told []catalog.Told
	for _, e := range sample {
		if t, ok := toldBy(e); ok {
			told = append(told, t)
		}
	}
	unknown, found, err := p.catalog.UnknownRevision(ctx, told)
	if err != nil || !found {
		return err
	}
	p.report.Missing = append(p.report.Missing, fmt.Sprintf(
		"the stream of chunks tells of revision %d of chunk %s, which the catalog does not have: if it was restored from a backup, stop the services and run `colophon migrate --restored`",
		unknown.Rev, unknown.ChunkRef))
	return nil
}

// lostSources tells of each source of which earlier copies of the catalog have told chunks, and
// this one has none, that these are void: an event in the epoch of now, of a chunk that there
// is not. Else who follows that source, and has no gateway to ask, would hear nothing of the
// restore (contracts#epoch). Once an event of the epoch is in the stream nothing is told again.
func (p *pass) lostSources(ctx context.Context) error {
	c := p.report.count("lost sources")
	sources, err := p.bus.ChunkSources(ctx)
	if err != nil {
		return err
	}
	lost, err := p.catalog.SourcesWithoutChunks(ctx, sources)
	if err != nil || len(lost) == 0 {
		return err
	}
	epoch, err := p.catalog.Epoch(ctx)
	if err != nil {
		return err
	}
	for _, source := range lost {
		newest, err := p.bus.NewestChunks(ctx, source)
		if err != nil {
			return err
		}
		if !allBefore(newest, epoch) {
			continue
		}
		hash := digest.HexParts("void", source, epoch)
		if _, err := p.handle(ctx, c, stuck{
			consumer: stream.ConsumerIndex,
			event: event.ChunkRemoved{ChunkChange: event.ChunkChange{
				Rev: 1, Cause: event.CauseVoid, ChunkRef: digest.ChunkRef(hash, "0"), DocHash: hash, SourceID: source, Epoch: epoch,
			}},
			moved: func(context.Context) error { return nil }, // the stream says that it was told
		}); err != nil {
			return fmt.Errorf("%s: %w", c.What, err)
		}
	}
	return nil
}

// allBefore reports whether there are events, and all of them are of lower epochs.
func allBefore(events []event.Event, epoch string) bool {
	for _, e := range events {
		var said struct {
			Epoch string `json:"epoch"`
		}
		if json.Unmarshal(e.Payload, &said) != nil || said.Epoch >= epoch {
			return false
		}
	}
	return len(events) > 0
}

// chunkRefForm is that of a chunk_ref: a doc_hash and a chunk_id (contracts#chunk-id).
var chunkRefForm = regexp.MustCompile(`^[0-9a-f]{64}:[0-9]{1,10}(@[0-9]{1,10})?$`)

// toldBy returns what an event says, where it is one that a catalog has told: everybody may
// write to the bus, and what is made up says nothing of the catalog. Such an event is the
// chunker's, or one that is told again; it is called by what it is about, and of its source; and
// a chunk in it has the hash of its text.
func toldBy(e event.Event) (t catalog.Told, ok bool) {
	if e.Service != "/colophon/chunker" && e.Service != "/colophon/"+service {
		return t, false
	}
	var data event.Data
	var err error
	switch e.Type {
	case event.TypeChunkCreated:
		var d event.ChunkCreated
		d, err = event.As[event.ChunkCreated](e)
		if c := d.Chunk; c.ChunkRef != digest.ChunkRef(c.DocHash, c.ChunkID) || c.TextHash != digest.Text(c.Text) {
			return t, false
		}
		data, t = d, catalog.Told{Epoch: d.Epoch, SourceID: d.Chunk.SourceID, ChunkRef: d.Chunk.ChunkRef, Rev: d.Rev}
	case event.TypeChunkSuperseded:
		var d event.ChunkSuperseded
		d, err = event.As[event.ChunkSuperseded](e)
		data, t = d, catalog.Told{Epoch: d.Epoch, SourceID: d.SourceID, ChunkRef: d.ChunkRef, Rev: d.Rev}
	default:
		return t, false
	}
	named := err == nil && e.ID == data.Type()+":"+data.About() && e.SourceID == data.Source()
	return t, named && t.Rev > 0 && chunkRefForm.MatchString(t.ChunkRef)
}
