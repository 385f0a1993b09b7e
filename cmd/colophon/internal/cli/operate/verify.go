package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/reconcile"
	"github.com/colophon-dev/colophon/pkg/verify"
)

// verified is the result of a verification.
type verified struct {
	verify.Tally
	Seconds float64 `json:"seconds"`
}

// finding is a break of what is no chunk, as --json prints it.
type finding struct {
	SnapshotID string      `json:"snapshot_id,omitempty"`
	Break      proof.Break `json:"break"`
}

// VerifyOptions are the flags of verify.
type VerifyOptions struct {
	document string
	All      bool
	Resume   string
	workers  int
	age      time.Duration
	objects  time.Duration // how old an object is that a row should name by now
}

func (c commands) verifyCommand() *cobra.Command {
	o := VerifyOptions{objects: 2 * reconcile.DefaultObjectAge}
	cmd := &cobra.Command{
		Use: "verify [CHUNK…]", Short: "Walk proofs down to the captured bytes, and name each break",
		Long: "Walks from chunks to the captured bytes: digests, ids and fragment hashes are\n" +
			"computed again, pages are extracted again, headers rebuilt, chunks cut again. No\n" +
			"stored verdict is trusted. With --document and --all it also walks the other way:\n" +
			"every unit must be in a chunk, and rows must not contradict each other; with --all\n" +
			"every row must have its object and point, and every object and point its row.\n\n" +
			"Exit status 3 when anything is broken.",
		Example: "  colophon verify --all --progress\n  colophon verify --all --resume verify.state\n  colophon verify 1f0c…:0",
		RunE: func(cmd *cobra.Command, given []string) error {
			if (len(given) > 0) == (o.All || o.document != "") || (o.All && o.document != "") {
				return cli.Usagef("name chunks, or --document ID, or --all")
			}
			if o.workers < 0 || o.age < 0 {
				return cli.Usagef("--workers and --age must not be negative")
			}
			if o.Resume != "" && !o.All {
				return cli.Usagef("--resume goes with --all")
			}
			if cmd.Flags().Changed("age") {
				o.objects = o.age
			}
			return c.verify(cmd.Context(), given, o)
		},
	}
	cmd.Flags().StringVar(&o.document, "document", "", "all chunks of one document")
	cmd.Flags().BoolVar(&o.All, "all", false, "all chunks of the catalog, and all that is kept beside them")
	cmd.Flags().StringVar(&o.Resume, "resume", "", "with --all: file that keeps how far it came; the next start goes on there")
	cmd.Flags().IntVar(&o.workers, "workers", 0, "snapshots at a time (default: one for each core)")
	cmd.Flags().DurationVar(&o.age, "age", verify.DefaultAge, "what has moved within may be on its way still; given here, objects\nthat no row names too, which are else left out for two days")
	return cmd
}

func (c commands) verify(ctx context.Context, refs []string, o VerifyOptions) error {
	sys, err := c.System(ctx)
	if err != nil {
		return err
	}
	defer sys.Close()
	sys.Reader.Age = o.age
	began := time.Now()
	var total verified
	if o.document != "" {
		if _, err := sys.DB.Document(ctx, o.document); err != nil {
			return err
		}
	}
	if len(refs) > 0 {
		total.Tally, err = c.verifyNamed(ctx, sys, refs)
	} else {
		total.Tally, err = c.verifySweep(ctx, sys, o)
	}
	if err != nil {
		return err
	}
	total.Seconds = time.Since(began).Seconds()
	nothing, err := c.saidNothing(ctx, sys, o, total.Tally)
	if err != nil {
		return err
	}
	err = c.Print(total, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d verified, %d anchored, %d broken; %d bytes proved, %d synthetic; %d breaks elsewhere; %.1f s\n",
			cli.Many(total.Chunks, "chunk"), total.Verified, total.Anchored, total.Broken, total.Bytes, total.Synth, total.Breaks, total.Seconds)
	})
	if err == nil && (total.Broken > 0 || total.Breaks > 0 || nothing) {
		return cli.ErrFailed
	}
	return err
}

// saidNothing says so when there was no chunk to verify. It is a failure where there should
// be some: of a catalog in which nothing was captured that is to have chunks, all is said.
func (c commands) saidNothing(ctx context.Context, sys *cli.System, o VerifyOptions, t verify.Tally) (failure bool, err error) {
	switch {
	case t.Chunks > 0:
		return false, nil
	case o.document != "":
		fmt.Fprintf(c.Err, "document %s has no chunks: nothing was verified\n", o.document)
		return true, nil
	}
	captures, due, err := sys.DB.CountDue(ctx)
	switch {
	case catalog.Unreadable(err) != nil: // said as a break
		return true, nil
	case err != nil:
		return true, err
	case captures == 0:
		fmt.Fprintln(c.Err, "the catalog has no captures: there was nothing to verify")
	case due == 0:
		fmt.Fprintf(c.Err, "the catalog has %s, none of which is to have chunks: there was nothing to verify\n", cli.Many(captures, "capture"))
	default:
		fmt.Fprintf(c.Err, "the catalog has no chunks, and %d of its snapshots are to have some: nothing was verified\n", due)
	}
	return due > 0, nil
}

// verifyNamed proves chunks that are asked for by name, and shows each proof.
func (c commands) verifyNamed(ctx context.Context, sys *cli.System, refs []string) (verify.Tally, error) {
	var total verify.Tally
	chunks, err := sys.DB.StoredChunks(ctx, refs)
	if err != nil {
		return total, err
	}
	found := make(map[string]bool, len(chunks))
	for _, s := range chunks {
		found[s.Chunk.ChunkRef] = true
	}
	for len(chunks) > 0 { // chunks of one generation share pages
		n := 1
		for n < len(chunks) && chunks[n].Chunk.DocHash == chunks[0].Chunk.DocHash && chunks[n].Chunk.Generation == chunks[0].Chunk.Generation {
			n++
		}
		items := make([]proof.Item, n)
		for i, s := range chunks[:n] {
			items[i] = proof.Item{Chunk: s.Chunk, State: s.State, Unread: s.Unread, Apart: s.Apart}
		}
		chunks = chunks[n:]
		proofs, err := proof.Verify(ctx, sys.Reader, items)
		if err != nil {
			return total, err
		}
		for _, p := range proofs {
			total.Add(p)
			if err := c.Print(p, func(w io.Writer) { WriteProof(w, p) }); err != nil {
				return total, err
			}
		}
	}
	slices.Sort(refs)
	if refs = slices.Compact(refs); total.Chunks < len(refs) {
		missing := slices.DeleteFunc(refs, func(ref string) bool { return found[ref] })
		return total, cli.Failedf("%s not found in the catalog: %s", cli.Plural(len(missing), "chunk"), strings.Join(missing, ", "))
	}
	return total, nil
}

// VerifySweep verifies everything, or one document, as the command does.
func VerifySweep(ctx context.Context, t *cli.Tool, sys *cli.System, o VerifyOptions) (verify.Tally, error) {
	return commands{t}.verifySweep(ctx, sys, o)
}

// verifySweep verifies everything, or one document, and prints what is broken.
func (c commands) verifySweep(ctx context.Context, sys *cli.System, o VerifyOptions) (verify.Tally, error) {
	var (
		state  verify.State
		groups int
		err    error
	)
	if o.Resume != "" {
		if state, err = verify.LoadState(o.Resume); err != nil {
			return state.Tally, err
		}
	}
	if o.All {
		var before int
		if before, groups, err = sys.DB.CountSnapshots(ctx, state.After); err != nil && catalog.Unreadable(err) == nil {
			return state.Tally, err
		}
		if state.After != "" {
			fmt.Fprintf(c.Err, "goes on after %d of %d snapshots\n", before, groups)
		}
	}
	show := cli.NewProgressLine(c.Tool)
	done := state.Tally
	saved := time.Now()
	sweep := verify.Sweep{Reader: sys.Reader, DocumentID: o.document, Workers: o.workers}
	err = sweep.Run(ctx, state.After, func(g verify.Group) error {
		if err := c.printGroup(g); err != nil {
			return err
		}
		state.After, state.Tally = g.SnapshotID, state.Tally.Plus(g.Tally)
		rate := float64(state.Tally.Chunks-done.Chunks) / time.Since(show.Began).Seconds()
		show.Show(fmt.Sprintf("verified %d/%d snapshots  %d chunks  %.0f chunks/s", state.Tally.Groups, groups, state.Tally.Chunks, rate), false)
		if o.Resume == "" || time.Since(saved) < time.Second {
			return nil
		}
		saved = time.Now()
		return state.Save(o.Resume)
	})
	show.End()
	if catalog.Unreadable(err) != nil { // a table is gone: what is missing is named below, and the rest looked at
		fmt.Fprintf(c.Err, "the snapshots cannot be gone through: %v\n", err)
		state.Tally.Breaks++
		err = nil
	}
	if err != nil {
		if o.Resume != "" && state.After != "" {
			if kept := state.Save(o.Resume); kept != nil {
				return state.Tally, kept
			}
			fmt.Fprintf(c.Err, "stopped after %d snapshots; the next start with --resume %s goes on there\n", state.Tally.Groups, o.Resume)
		}
		return state.Tally, err
	}
	breaks, err := c.verifyRest(ctx, sys, o)
	if err != nil {
		return state.Tally, err
	}
	for _, b := range breaks {
		state.Tally.Breaks += 1 + b.More
	}
	if o.Resume != "" {
		if err := os.Remove(o.Resume); err != nil && !errors.Is(err, os.ErrNotExist) {
			return state.Tally, err
		}
	}
	return state.Tally, c.printBreaks("", breaks)
}

// verifyRest looks at what belongs to no single snapshot. An object without a
// row is reconcile's to delete; here it counts only when it should be long gone.
func (c commands) verifyRest(ctx context.Context, sys *cli.System, o VerifyOptions) ([]proof.Break, error) {
	now := time.Now()
	if o.document != "" {
		return sys.Reader.Rows(ctx, o.document, now.Add(-o.age))
	}
	return sys.Reader.Stores(ctx, now.Add(-o.age), now.Add(-o.objects))
}

// printGroup prints what is broken of a group.
func (c commands) printGroup(g verify.Group) error {
	for _, p := range g.Proofs {
		if err := c.Print(p, func(w io.Writer) { WriteProof(w, p) }); err != nil {
			return err
		}
	}
	return c.printBreaks(g.SnapshotID, g.Breaks)
}

func (c commands) printBreaks(snapshotID string, breaks []proof.Break) error {
	for _, b := range breaks {
		err := c.Print(finding{SnapshotID: snapshotID, Break: b}, func(w io.Writer) {
			fmt.Fprintf(w, "broken (%s) %s: %s\n", b.Step, b.Where, b.What)
			if snapshotID != "" {
				fmt.Fprintf(w, "  snapshot %s\n", snapshotID)
			}
			if b.More > 0 {
				fmt.Fprintf(w, "  and %d more of this check\n", b.More)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteProof prints a proof step by step, for people.
func WriteProof(w io.Writer, p proof.Proof) {
	fmt.Fprintf(w, "%s  %s\n", p.ChunkRef, p.Verdict)
	for _, s := range p.Steps {
		fmt.Fprintf(w, "  bytes %d–%d ← %s %s on page %d ← %s\n", s.Start, s.End, s.Type, s.IRID, s.Page, place(s))
	}
	for _, b := range p.Breaks {
		fmt.Fprintf(w, "  broken (%s) %s: %s\n", b.Step, b.Where, b.What)
	}
	fmt.Fprintf(w, "  snapshot %s ← %s\n  source %s\n", p.SnapshotID, p.ContentHash, p.URL)
}

// place names where in the captured bytes a step ends.
func place(s proof.Step) string {
	e := s.Evidence
	switch {
	case e.ByteSpan != nil:
		return fmt.Sprintf("raw bytes %d–%d", e.ByteSpan.Start, e.ByteSpan.End)
	case e.BBox != nil:
		return fmt.Sprintf("page %d, box x=%.3f y=%.3f w=%.3f h=%.3f", e.PageNumber, e.BBox.X, e.BBox.Y, e.BBox.W, e.BBox.H)
	default:
		return "no place"
	}
}
