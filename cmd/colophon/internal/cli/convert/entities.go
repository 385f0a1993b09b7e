package convert

import (
	"context"
	"encoding/json"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/export"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// writeEntities writes what the rules find on the pages of a snapshot's last run, as one JSON
// object. A section that is open at the end of a page is open on the next.
func (t *Temporary) writeEntities(ctx context.Context, enc *json.Encoder, snap model.Snapshot) error {
	var pages []entity.Page
	var open []model.Section
	err := export.LastFrames(ctx, t.DB, t.Blobs, snap.SnapshotID, func(f segment.Frame) error {
		pages = append(pages, rules.Extract(entity.PageOf(f.Page, f.Units, open)))
		open = docxt.Carry(open, f.Page.OpenSections)
		return nil
	})
	if err != nil {
		return err
	}
	return enc.Encode(entity.NewDocument(snap.SnapshotID, snap.Slug, pages))
}
