package sources

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/entry"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/model"
)

// readEntryRule reads a source's entry rule from a JSON file. What is wrong in
// it is an error that names the field.
func readEntryRule(path string) (*model.EntryRule, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, cli.Usage(err)
	}
	var rule model.EntryRule
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))) // as some editors begin a file
	d.DisallowUnknownFields()
	if err := d.Decode(&rule); err != nil {
		return nil, cli.Usagef("%s: %v", path, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, cli.Usagef("%s: something follows the rule, from byte %d on", path, d.InputOffset())
	}
	if _, err := entry.Compile(rule); err != nil {
		return nil, cli.Usagef("%s: %v", path, err)
	}
	return &rule, nil
}

// Learnt is what source learn-furniture prints.
type Learnt struct {
	SourceID  string          `json:"source_id"`
	Changed   bool            `json:"changed"` // the registry has a new version
	Furniture model.Furniture `json:"furniture"`
}

func (c commands) sourceLearnFurniture() *cobra.Command {
	least, limit, dry := 5, 1000, false
	cmd := &cobra.Command{
		Use: "learn-furniture ID", Short: "Find what repeats on a source's pages and keep it as the source's furniture",
		Long: "Reads the newest snapshot of each web page of the source. Elements of which nearly\n" +
			"all text repeats, and single blocks that repeat, become a versioned list in the\n" +
			"source's rules: pages captured from then on, and those of a re-parse, have them\n" +
			"typed as furniture.",
		Example: "  colophon source learn-furniture valdoro\n  colophon reparse --source valdoro", Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, id []string) error {
			if least < 2 || limit < least {
				return cli.Usagef("--pages %d: at least 2, and no more than --documents %d", least, limit)
			}
			db, s, err := c.Catalog(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			blobs, err := blobstore.Open(cmd.Context(), blobstore.ConfigOf(s.S3))
			if err != nil {
				return err
			}
			found, err := learnFurniture(cmd.Context(), db, blobs, id[0], least, limit)
			if err != nil {
				return err
			}
			out, err := keepFurniture(cmd.Context(), db, id[0], found, dry)
			if err != nil {
				return err
			}
			return c.Print(out, func(w io.Writer) { writeLearnt(w, out, dry) })
		},
	}
	cmd.Flags().IntVar(&least, "pages", least, "what is on this many pages repeats")
	cmd.Flags().IntVar(&limit, "documents", limit, "read at most this many documents")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what was found")
	return cmd
}

// learnFurniture reads the pages of a source, in the order of their documents.
func learnFurniture(ctx context.Context, db *catalog.DB, blobs *blobstore.Store, sourceID string, least, limit int) (model.Furniture, error) {
	var l html.Learner
	read := 0
	for snap, err := range db.NewestSnapshots(ctx, sourceID) {
		if err != nil {
			return model.Furniture{}, err
		}
		if snap.SnapshotKind != model.KindHTML {
			continue
		}
		if read++; read > limit {
			break
		}
		key, err := blobstore.RawKey(snap.SourceID, snap.ContentHash)
		if err != nil {
			return model.Furniture{}, err
		}
		raw, err := blobs.Get(ctx, blobstore.Raw, key, snap.ContentHash)
		if err != nil {
			return model.Furniture{}, fmt.Errorf("snapshot %s: %w", snap.SnapshotID, err)
		}
		if err := l.Add(ctx, block.Input{Raw: raw, Snapshot: snap}); err != nil {
			return model.Furniture{}, err
		}
	}
	return l.Furniture(least), nil
}

// keepFurniture writes the list into the source's rules as its next version,
// unless it is what they hold already.
func keepFurniture(ctx context.Context, db *catalog.DB, sourceID string, found model.Furniture, dry bool) (Learnt, error) {
	out := Learnt{SourceID: sourceID}
	fill := func(source model.Source) model.Source {
		out.Furniture = model.Furniture{}
		if source.Furniture != nil {
			out.Furniture = *source.Furniture
		}
		if out.Changed = !out.Furniture.Same(found); out.Changed {
			found.Version = out.Furniture.Version + 1
			out.Furniture, source.Furniture = found, &found
		}
		return source
	}
	if dry {
		source, err := db.Source(ctx, sourceID)
		fill(source)
		return out, err
	}
	_, err := db.ChangeSource(ctx, sourceID, func(source model.Source, missing error) (model.Source, error) {
		return fill(source), missing
	})
	return out, err
}

func writeLearnt(w io.Writer, out Learnt, dry bool) {
	f := out.Furniture
	switch {
	case !out.Changed:
		fmt.Fprintf(w, "source %s: nothing new, furniture stays at version %d\n", out.SourceID, f.Version)
	case dry:
		fmt.Fprintf(w, "source %s: version %d would be this, from %d documents\n", out.SourceID, f.Version, f.Documents)
	default:
		fmt.Fprintf(w, "source %s: furniture version %d, from %d documents\n", out.SourceID, f.Version, f.Documents)
	}
	for _, s := range f.Selectors {
		fmt.Fprintf(w, "  %-12s %s\n", s.Role, s.Select)
	}
	for _, b := range f.Blocks {
		fmt.Fprintf(w, "  %-12s block %s\n", b.Role, b.Hash)
	}
}
