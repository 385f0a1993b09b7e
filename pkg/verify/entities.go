package verify

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/custom"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// entitiesOf are the entities of a run's pages, while these are read in order.
type entitiesOf struct {
	pages map[int]model.EntityPage
	rows  map[int][]model.EntityRow
	open  []model.Section // when the next page begins
	next  int             // the page that comes next; a gap leaves open unknown
}

// entities reads what is recorded of the entities of a run. It is nil where that may change:
// pages that were not read yet, or not at the redo that is verified.
func (g *group) entities(ctx context.Context, run model.Run) (*entitiesOf, error) {
	found, err := g.Catalog.RunEntities(ctx, run.SnapshotID, run.ExtractionID)
	if err != nil || !found.Annotated || found.Redo != run.Redo {
		return nil, err
	}
	return newEntities(found), nil
}

func newEntities(found catalog.RunEntities) *entitiesOf {
	e := &entitiesOf{pages: make(map[int]model.EntityPage), rows: make(map[int][]model.EntityRow), next: 1}
	for _, p := range found.Pages {
		e.pages[p.PageNo] = p
	}
	for _, r := range found.Rows {
		e.rows[r.PageNo] = append(e.rows[r.PageNo], r)
	}
	return e
}

// annotated holds the entities of a page against its units: each value stands where its grounds
// say, and the page read again by the rules of today yields these entities and no others, if
// they are of today's rules.
func (p *pagesOf) annotated(f segment.Frame) error {
	e := p.entities
	if e == nil {
		return nil
	}
	no := f.Page.PageNo
	if no != e.next {
		p.entities = nil // a segment is missing, which is a break of its own
		return nil
	}
	open := e.open
	e.open, e.next = docxt.Carry(e.open, f.Page.OpenSections), no+1
	page, rows := e.pages[no], e.rows[no]
	delete(e.pages, no)
	delete(e.rows, no)
	where := fmt.Sprintf("entities of page %d of %s", no, f.Page.SnapshotID)
	if page.PageNo == 0 {
		if len(rows) > 0 {
			p.g.fail("g", where, "it has %d, and nothing says that it was read", len(rows))
		}
		return nil // a later run has read it
	}
	p.standing(where, f, rows)
	input, err := entity.InputHash(f.Page.ContentHash, open, p.s.UnitRules().Entities)
	if err != nil {
		return err
	}
	if page.ContentHash != f.Page.ContentHash || page.InputHash != input {
		p.g.fail("g", where, "they were read from another page than the one that counts")
		return nil
	}
	if page.ExtractorVersion != rules.Version || page.PromptVersion != 0 {
		return nil
	}
	return p.readAgain(where, f, open, page, rows)
}

// readAgain reads a page by the rules, and compares.
func (p *pagesOf) readAgain(where string, f segment.Frame, open []model.Section, page model.EntityPage, rows []model.EntityRow) error {
	if f.Page.Status == model.PageFailed {
		if len(rows) > 0 || page.Status != model.PageFailed || page.Reason != f.Page.Reason || page.Message != f.Page.Message {
			p.g.fail("g", where, "they are of a page that has failed: %s", f.Page.Reason)
		}
		return nil
	}
	if page.Status == model.PageFailed && page.Reason != "" {
		if len(rows) > 0 {
			p.g.fail("g", where, "it has %d, and could not be read", len(rows))
		}
		return nil // by bindings alone: what ended it is nowhere else
	}
	of := model.EntityPage{
		SnapshotID: page.SnapshotID, PageNo: page.PageNo, ExtractorVersion: page.ExtractorVersion, PromptVersion: page.PromptVersion,
		SourceID: p.run.SourceID, DocumentID: p.run.DocumentID, ExtractionID: p.run.ExtractionID, RunOrder: p.run.RunOrder,
		ContentHash: page.ContentHash, InputHash: page.InputHash,
	}
	want, yields, err := entity.Stored(of, custom.Extract(entity.PageOf(f.Page, f.Units, open), custom.CompileAll(p.s.UnitRules().Entities)))
	if err != nil {
		return err
	}
	if !sameJSON(want, page) {
		p.g.fail("g", where, "what is said of the page is not what its units yield")
	}
	if len(yields) != len(rows) {
		p.g.fail("g", where, "there are %d, its units yield %d", len(rows), len(yields))
		return nil
	}
	for i, y := range yields {
		if !sameJSON(y, rows[i]) {
			p.g.fail("g", where, "%s %s is not what its units yield", rows[i].Type, rows[i].ID)
		}
	}
	return nil
}

// standing holds each ground of entities against the text of its unit.
func (p *pagesOf) standing(where string, f segment.Frame, rows []model.EntityRow) {
	for _, row := range rows {
		e, err := entity.Restored(row.Type, row.Payload)
		if err != nil {
			p.g.fail("g", where, "%s %s cannot be read: %v", row.Type, row.ID, err)
			continue
		}
		for _, ground := range e.Grounds {
			i := slices.IndexFunc(f.Units, func(u model.Unit) bool { return u.IRID == ground.IRID })
			if i < 0 {
				p.g.fail("g", where, "%s %s: its %s stands in a unit that the page has not: %s", row.Type, row.ID, ground.Field, ground.IRID)
				continue
			}
			text := f.Units[i].FieldsRaw.Text
			if ground.Start < 0 || ground.End < ground.Start || ground.End > len(text) || text[ground.Start:ground.End] != ground.Text {
				p.g.fail("g", where, "%s %s: its %s does not stand where it says", row.Type, row.ID, ground.Field)
			}
		}
	}
}

// left says which pages have entities and are no pages of the run.
func (e *entitiesOf) left(g *group, run model.Run) {
	if e == nil {
		return
	}
	for no := range e.pages {
		g.fail("g", fmt.Sprintf("entities of page %d of %s", no, run.SnapshotID), "the run has no such page")
	}
	for no := range e.rows {
		g.fail("g", fmt.Sprintf("entities of page %d of %s", no, run.SnapshotID), "the run has no such page")
	}
}

// sameJSON compares what two values say, whatever the form of the JSON that is in them.
func sameJSON(a, b any) bool {
	one, err := digest.JCS(a)
	other, otherErr := digest.JCS(b)
	return err == nil && otherErr == nil && bytes.Equal(one, other)
}
