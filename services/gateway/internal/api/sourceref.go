package api

import (
	"context"
	"errors"
	"log/slog"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
)

// sourceRef says where a chunk stands, by the units that it was made of
// (contracts#source-ref). Where their pages are gone or damaged, it is said without
// them, and logged.
func (a *API) sourceRef(ctx context.Context, c *model.Chunk) (model.SourceRef, error) {
	s, err := a.Catalog.Snapshot(ctx, c.SnapshotID)
	if err != nil {
		return model.SourceRef{}, err
	}
	m, err := a.Catalog.Manifest(ctx, c.DocHash, c.Generation)
	if err != nil && !errors.Is(err, fault.ErrNoRow) {
		return model.SourceRef{}, err
	}
	var units map[model.UnitPlace]model.Unit
	if err == nil {
		units, err = a.unitsOf(ctx, c, m.Redo)
	}
	if err != nil {
		if mayComeBack(ctx, err) {
			return model.SourceRef{}, err
		}
		a.Log.WarnContext(ctx, "the units of a chunk cannot be read", slog.String("chunk_ref", c.ChunkRef), slog.Any("error", err))
	}
	return s.ChunkRef(c, units), nil
}

// unitsOf reads the units of a chunk; of each type, block_id and evidence alone.
func (a *API) unitsOf(ctx context.Context, c *model.Chunk, redo int) (map[model.UnitPlace]model.Unit, error) {
	document, err := a.Pages.Open(ctx, c.SnapshotID, c.ExtractionID, redo)
	if err != nil {
		return nil, err
	}
	wanted := make(map[int]map[string]bool)
	for _, at := range c.Places() {
		if wanted[at.Page] == nil {
			wanted[at.Page] = make(map[string]bool)
		}
		wanted[at.Page][at.IRID] = true
	}
	units := make(map[model.UnitPlace]model.Unit)
	for page, ids := range wanted {
		if err := document.Use(ctx, page, func(f segment.Frame) error {
			for i := range f.Units {
				if u := &f.Units[i]; ids[u.IRID] {
					units[model.UnitPlace{Page: page, IRID: u.IRID}] = model.Unit{
						IRID: u.IRID, Type: u.Type, Evidence: u.Evidence, FieldsRaw: model.Fields{BlockID: u.FieldsRaw.BlockID},
					}
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return units, nil
}

// mayComeBack reports whether what could not be read may be read when it is asked for
// again; else it is gone or damaged.
func mayComeBack(ctx context.Context, err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.KindUnavailable || kind == fault.KindDeferred || errors.Is(err, room.ErrFull) || ctx.Err() != nil
}
