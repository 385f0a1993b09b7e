package convert

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/export"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/extract/overlay"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// OverlayWidth is how wide the pictures of convert --overlay are, in pixels:
// text of 8 points can be read, and a label is no larger than a line.
const OverlayWidth = 1000

// overlay writes a picture of each page of the PDF files and scans into dir, with the
// boxes of its units and of the words that OCR read. Files of other kinds have no boxes, which is said. It
// returns errFailed when a page cannot be drawn.
func (c commands) overlay(ctx context.Context, sys *Temporary, results []catalog.Result, dir string) error {
	set, err := config.LoadFrom[cli.Settings](sys.Local.Values)
	if err != nil {
		return err
	}
	drawer, err := child.NewDrawer(child.ConfigOf(set.Extraction, set.S3.TempDir).Of(c.Tables.Kinds), sys.Blobs.FetchRaw)
	if err != nil {
		return err
	}
	defer drawer.Close()
	failed := false
	names := fileNames(results)
	for i, r := range results {
		if r.SnapshotID == "" {
			continue
		}
		s, err := sys.DB.Snapshot(ctx, r.SnapshotID)
		if err != nil {
			return err
		}
		if !drawer.Draws(s) {
			if r.State == "" || r.InError() {
				continue // a container, or what is told already
			}
			fmt.Fprintf(cli.ForPeople(c.Err), "%s: no picture: units of %s have places in the bytes and no boxes\n", r.URL, s.FinalType)
			continue
		}
		err = export.LastFrames(ctx, sys.DB, sys.Blobs, r.SnapshotID, func(f segment.Frame) error {
			read, err := export.ReadOf(ctx, sys.Blobs, s, f.Page)
			if err != nil {
				return err
			}
			png, err := drawer.Draw(ctx, s, child.Picture{
				Page: f.Page.PageNo, Width: OverlayWidth, Rotation: &f.Page.Rotation,
				Marks: overlay.Marks(f.Units), Words: overlay.Words(read, uprightBy(f)),
			})
			if fault.KindOf(err) == fault.KindPermanent {
				failed = true
				fmt.Fprintf(cli.ForPeople(c.Err), "%s: no picture: %s: %v\n", r.URL, fault.ReasonOf(err), err)
				return nil
			}
			if err != nil {
				return err
			}
			return cli.WriteFile(filepath.Join(dir, fmt.Sprintf("%s.page-%04d.png", names[i], f.Page.PageNo)), png)
		})
		if err != nil {
			return err
		}
	}
	if failed {
		return cli.ErrFailed
	}
	return nil
}

// uprightBy reports whether OCR turned the page: one that has a text layer, or of
// which parts are read, lies as its file says.
func uprightBy(f segment.Frame) bool {
	if len(f.Page.OCR) != 1 || f.Page.OCR[0].Region != nil {
		return false
	}
	return !slices.ContainsFunc(f.Units, func(u model.Unit) bool {
		return slices.ContainsFunc(u.Evidence, func(e model.Evidence) bool { return e.PDFTextQuote != "" })
	})
}
