package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/pkg/proof"
)

// verified is the result of a verification.
type verified struct {
	Chunks   int     `json:"chunks"`
	Verified int     `json:"verified"`
	Anchored int     `json:"anchored"`
	Broken   int     `json:"broken"`
	Bytes    int64   `json:"proved_bytes"`
	Synth    int64   `json:"synthetic_bytes"`
	Seconds  float64 `json:"seconds"`
}

func (c *cli) verifyCommand() *cobra.Command {
	var (
		document string
		all      bool
	)
	cmd := &cobra.Command{
		Use: "verify [CHUNK…]", Short: "Walk proofs down to the captured bytes, and name each break",
		Long:    "Walks from chunks to the captured bytes: digests, ids and fragment hashes are\ncomputed again, pages are extracted again, headers rebuilt. No stored verdict is\ntrusted. Exit status 3 when anything is broken.",
		Example: "  colophon verify --all\n  colophon verify 1f0c…:0",
		RunE: func(cmd *cobra.Command, given []string) error {
			if (len(given) > 0) == (all || document != "") || (all && document != "") {
				return usagef("name chunks, or --document ID, or --all")
			}
			return c.verify(cmd.Context(), given, document)
		},
	}
	cmd.Flags().StringVar(&document, "document", "", "all chunks of one document")
	cmd.Flags().BoolVar(&all, "all", false, "all chunks of the catalog")
	return cmd
}

func (c *cli) verify(ctx context.Context, refs []string, document string) error {
	sys, err := c.system(ctx)
	if err != nil {
		return err
	}
	defer sys.close()
	total, err := c.verifyWith(ctx, sys, refs, document)
	if err != nil {
		return err
	}
	err = c.print(total, func(w io.Writer) {
		fmt.Fprintf(w, "%d chunks: %d verified, %d anchored, %d broken; %d bytes proved, %d synthetic; %.1f s\n",
			total.Chunks, total.Verified, total.Anchored, total.Broken, total.Bytes, total.Synth, total.Seconds)
	})
	if err == nil && (total.Broken > 0 || total.Chunks == 0) {
		return errFailed
	}
	return err
}

// verifyWith proves group by group: chunks of one generation share pages.
func (c *cli) verifyWith(ctx context.Context, sys *system, refs []string, document string) (verified, error) {
	var total verified
	began := time.Now()
	for group, err := range sys.db.ChunkGroups(ctx, refs, document) {
		if err != nil {
			return total, err
		}
		items := make([]proof.Item, len(group))
		for i, g := range group {
			items[i] = proof.Item{Chunk: g.Chunk, State: g.State}
		}
		proofs, err := proof.Verify(ctx, sys.reader, items)
		if err != nil {
			return total, err
		}
		for _, p := range proofs {
			total.add(p)
			if err := c.printProof(p, len(refs) > 0); err != nil {
				return total, err
			}
		}
	}
	total.Seconds = time.Since(began).Seconds()
	if total.Chunks < len(refs) {
		return total, errors.Join(errFailed, fmt.Errorf("%d of %d chunks do not exist", len(refs)-total.Chunks, len(refs)))
	}
	return total, nil
}

func (v *verified) add(p proof.Proof) {
	v.Chunks++
	switch p.Verdict {
	case proof.Broken:
		v.Broken++
		return
	case proof.Anchored:
		v.Anchored++
	case proof.Verified:
		v.Verified++
	}
	v.Bytes += int64(p.Proved)
	v.Synth += int64(p.Synthetic)
}

// printProof prints a proof that was asked for by name, and each break.
func (c *cli) printProof(p proof.Proof, named bool) error {
	if !named && p.Verdict != proof.Broken {
		return nil
	}
	return c.print(p, func(w io.Writer) { writeProof(w, p) })
}

func writeProof(w io.Writer, p proof.Proof) {
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
