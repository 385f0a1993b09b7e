package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
)

// keepRaw is how large captured bytes may be to be held while their group is
// verified.
const keepRaw = 32 << 20

// Tally counts what was proved.
type Tally struct {
	Groups   int   `json:"groups"` // snapshots with all that was made of them
	Chunks   int   `json:"chunks"`
	Verified int   `json:"verified"`
	Anchored int   `json:"anchored"`
	Broken   int   `json:"broken"` // chunks
	Breaks   int   `json:"breaks"` // of what is no chunk
	Bytes    int64 `json:"proved_bytes"`
	Synth    int64 `json:"synthetic_bytes"`
}

// Add counts a proof.
func (t *Tally) Add(p proof.Proof) {
	t.Chunks++
	switch p.Verdict {
	case proof.Broken:
		t.Broken++
		return
	case proof.Anchored:
		t.Anchored++
	case proof.Verified:
		t.Verified++
	}
	t.Bytes += int64(p.Proved)
	t.Synth += int64(p.Synthetic)
}

// Plus returns the sum.
func (t Tally) Plus(o Tally) Tally {
	return Tally{
		Groups: t.Groups + o.Groups, Chunks: t.Chunks + o.Chunks, Verified: t.Verified + o.Verified, Anchored: t.Anchored + o.Anchored,
		Broken: t.Broken + o.Broken, Breaks: t.Breaks + o.Breaks, Bytes: t.Bytes + o.Bytes, Synth: t.Synth + o.Synth,
	}
}

// Group is what was found about one snapshot and all that was made of it.
type Group struct {
	SnapshotID string        `json:"snapshot_id"`
	Tally      Tally         `json:"tally"`
	Proofs     []proof.Proof `json:"proofs"` // of the broken chunks
	Breaks     []proof.Break `json:"breaks"` // of what is no chunk
}

// group is a Group under way. It reads the captured bytes once.
type group struct {
	*Reader
	found Group
	raw   []byte // nil when they are too large to be held
	rawOf string
}

// Group verifies one snapshot: its captured bytes, its runs with their facts
// and segments, and the chunks of each generation in both directions.
func (r *Reader) Group(ctx context.Context, snapshotID string) (Group, error) {
	g := &group{Reader: r, found: Group{SnapshotID: snapshotID, Proofs: []proof.Proof{}, Breaks: []proof.Break{}}}
	g.found.Tally.Groups = 1
	if err := g.verify(ctx, snapshotID); err != nil {
		return g.found, fmt.Errorf("verifying snapshot %s: %w", snapshotID, err)
	}
	g.found.Tally.Breaks = len(g.found.Breaks)
	return g.found, nil
}

// RawDigest implements proof.Reader.
func (g *group) RawDigest(ctx context.Context, s model.Snapshot) (string, int64, error) {
	if s.ByteLength > keepRaw {
		return g.Reader.RawDigest(ctx, s)
	}
	if g.rawOf != s.ContentHash {
		key, err := rawKey(s)
		if err != nil {
			return "", 0, err
		}
		if g.raw, err = g.Blobs.Get(ctx, blobstore.Raw, key, ""); err != nil {
			return "", 0, gone(err)
		}
		g.rawOf = s.ContentHash
	}
	return digest.Content(g.raw), int64(len(g.raw)), nil
}

// RawSlice implements proof.Reader.
func (g *group) RawSlice(ctx context.Context, s model.Snapshot, start, end int64) ([]byte, error) {
	if g.rawOf != s.ContentHash || start < 0 || end < start || end > int64(len(g.raw)) {
		return g.Reader.RawSlice(ctx, s, start, end)
	}
	return g.raw[start:end], nil
}

func (g *group) say(breaks ...proof.Break) {
	for _, b := range breaks {
		if !slices.Contains(g.found.Breaks, b) {
			g.found.Breaks = append(g.found.Breaks, b)
		}
	}
}

func (g *group) fail(step, where, format string, args ...any) {
	g.say(proof.Break{Step: step, Where: where, What: fmt.Sprintf(format, args...)})
}

// step does one part of the verification. What of a row stands in its way is a break,
// and the parts after it are done: only a store that does not answer, or this machine,
// ends the whole.
func (g *group) step(where string, do func() error) error {
	err := survive(do)
	if damage := damageOf(err); damage != nil {
		g.fail("g", where, "it or what was made of it cannot be verified: %v", damage)
		return nil
	}
	return err
}

func (g *group) verify(ctx context.Context, snapshotID string) error {
	var s model.Snapshot
	var runs []model.Run
	read, whole := false, false
	where := "snapshot " + snapshotID
	for _, part := range []func() error{
		func() (err error) { s, err = g.Catalog.Snapshot(ctx, snapshotID); read = err == nil; return err },
		func() error {
			if !read {
				return nil
			}
			breaks, err := proof.Raw(ctx, g, s)
			g.say(breaks...)
			whole = err == nil && len(breaks) == 0
			return err
		},
		func() error { return g.wire(ctx, s) },
		func() (err error) { runs, err = g.Catalog.Runs(ctx, snapshotID); return err },
	} {
		if err := g.step(where, part); err != nil {
			return err
		}
	}
	if !read {
		return nil
	}
	for _, run := range runs {
		if run.State == model.RunRemoved {
			continue
		}
		if err := g.run(ctx, s, run, whole); err != nil {
			return fmt.Errorf("run %s: %w", run.ExtractionID, err)
		}
	}
	return g.step("chunks of document "+s.DocumentID, func() error { return g.links(ctx, s) })
}

// wire reads the bytes as they came over the wire, where they were kept.
func (g *group) wire(ctx context.Context, s model.Snapshot) error {
	if s.WireHash == "" {
		return nil
	}
	where := "wire bytes of " + s.SnapshotID
	got, _, err := g.Reader.RawDigest(ctx, model.Snapshot{SourceID: s.SourceID, ContentHash: s.WireHash})
	switch {
	case errors.Is(err, proof.ErrGone):
		g.fail("a", where, "does not exist")
	case err != nil:
		return err
	case got != s.WireHash:
		g.fail("a", where, "sha256 is %s, recorded %s", got, s.WireHash)
	}
	return nil
}

// run verifies one run: its generations first, then its pages with all segments that
// it ever had.
func (g *group) run(ctx context.Context, s model.Snapshot, run model.Run, rawWhole bool) error {
	where := "run " + run.SnapshotID + "/" + run.ExtractionID
	var manifests []model.Manifest
	for _, part := range []func() error{
		func() error { return g.ids(s, run) },
		func() (err error) {
			manifests, err = g.Catalog.RunManifests(ctx, run.SnapshotID, run.ExtractionID)
			return err
		},
	} {
		if err := g.step(where, part); err != nil {
			return err
		}
	}
	current := false // a manifest is of the run as it is
	for _, m := range manifests {
		current = current || m.Redo == run.Redo
		of := fmt.Sprintf("manifest %s, generation %d", m.DocHash, m.Generation)
		if err := g.step(of, func() error { return g.generation(ctx, m) }); err != nil {
			return err
		}
	}
	if run.FactsKey != "" {
		if err := g.step(where, func() error { return g.facts(ctx, s, run, rawWhole, len(manifests) > 0) }); err != nil {
			return err
		}
	}
	return g.step(where, func() error { return g.pages(ctx, s, run, current) })
}

// object reads a derived object and compares its digest.
func (g *group) object(ctx context.Context, where, key, want string) error {
	data, err := g.Object(ctx, key)
	switch {
	case errors.Is(err, proof.ErrGone):
		g.fail("b", where, "does not exist")
	case err != nil:
		return err
	case digest.Hex(data) != want:
		g.fail("b", where, "sha256 is %s, recorded %s", digest.Hex(data), want)
	}
	return nil
}

// facts makes the document facts of a run again; read says that they were held
// against their digest.
func (g *group) facts(ctx context.Context, s model.Snapshot, run model.Run, rawWhole, read bool) error {
	where := "document facts of " + run.SnapshotID
	if !read {
		if err := g.object(ctx, where, run.FactsKey, run.FactsDigest); err != nil {
			return err
		}
	}
	if !rawWhole || run.ParserVersion != extract.ParserVersion || run.Reason != "" {
		return nil
	}
	pages, facts, err := g.Extractor.Probe(ctx, s.Under(run))
	if fault.KindOf(err) == fault.KindPermanent {
		g.fail("c", where, "the document cannot be split again: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	packed, err := child.PackFacts(facts)
	if err != nil {
		return err
	}
	if pages != run.PageCount || digest.Hex(packed) != run.FactsDigest {
		g.fail("c", where, "found again in the raw bytes they are others")
	}
	return nil
}

// generation proves the chunks of a manifest and what they were made of.
func (g *group) generation(ctx context.Context, m model.Manifest) error {
	gen, err := proof.Open(ctx, g, m, g.Chunker)
	if err != nil {
		return err
	}
	defer gen.Close()
	for chunks, err := range g.Catalog.GenerationChunks(ctx, m.DocHash, m.Generation) {
		if err != nil {
			return err
		}
		proofs, err := gen.Prove(ctx, itemsOf(chunks))
		if err != nil {
			return err
		}
		for _, p := range proofs {
			if g.found.Tally.Add(p); p.Verdict == proof.Broken {
				g.found.Proofs = append(g.found.Proofs, p)
			}
		}
	}
	breaks, err := gen.Rest(ctx)
	if err != nil {
		return err
	}
	g.say(breaks...)
	return nil
}
