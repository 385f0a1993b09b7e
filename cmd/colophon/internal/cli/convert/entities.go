package convert

import (
	"context"
	"encoding/json"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/export"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/custom"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// writeEntities writes what the rules find on the pages of a snapshot's last run, as one JSON
// object; with a schema of one's own, of its types, on the pages that it names. A section that is open at the end of a page is open on the next.
func (t *Temporary) writeEntities(ctx context.Context, enc *json.Encoder, snap model.Snapshot, own *custom.Schema) error {
	var pages []entity.Page
	var open []model.Section
	err := export.LastFrames(ctx, t.DB, t.Blobs, snap.SnapshotID, func(f segment.Frame) error {
		in := entity.PageOf(f.Page, f.Units, open)
		if own != nil {
			in.Types = own.Types
		}
		if own == nil || own.Wants(in) {
			pages = append(pages, rules.Extract(in))
		}
		open = docxt.Carry(open, f.Page.OpenSections)
		return nil
	})
	if err != nil {
		return err
	}
	return enc.Encode(entity.NewDocument(snap.SnapshotID, snap.Slug, pages))
}
