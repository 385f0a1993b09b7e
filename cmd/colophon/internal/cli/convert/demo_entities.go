package convert

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/entity"
)

// demoEntities is how many entities the demo asks for: more than its documents have.
const demoEntities = 500

// writeEntitiesFound prints what the documents promise, spend, measure and decide, counted by type,
// and one entity with the place on its page of each of its values.
func writeEntitiesFound(ctx context.Context, w io.Writer, db *catalog.DB) error {
	found, err := db.Entities(ctx, catalog.EntityFilter{Limit: demoEntities})
	if err != nil {
		return err
	}
	counts := make(map[string]int)
	for _, e := range found {
		counts[e.Type]++
	}
	fmt.Fprintf(w, "\nentities that stand on the pages of these documents:\n")
	for _, t := range entity.Types() {
		fmt.Fprintf(w, "  %-16s %d\n", t.Plural, counts[t.Name])
	}
	best, shown := -1, entity.Entity{}
	for i, e := range found {
		restored, err := entity.Restored(e.Type, e.Payload)
		if err != nil {
			return err
		}
		if best < 0 || weight(restored) > weight(shown) {
			best, shown = i, restored
		}
	}
	if best < 0 {
		return nil
	}
	writeEntity(w, found[best], shown)
	return nil
}

// weight says how much an entity shows: its values that stand in a box of their page.
func weight(e entity.Entity) (n int) {
	for _, g := range e.Grounds {
		if g.BBox != nil && g.Field != "evidence" {
			n++
		}
	}
	return n
}

func writeEntity(w io.Writer, listed catalog.ListedEntity, e entity.Entity) {
	fmt.Fprintf(w, "\n%s %s\n  stands on page %d of %s, found by %s with confidence %.2f:\n", e.Type, e.ID, listed.PageNo, listed.SnapshotID, e.Origin, e.Confidence)
	for _, quote := range e.Evidence {
		fmt.Fprintf(w, "  “%s”\n", strings.Join(strings.Fields(quote), " "))
	}
	grounds := slices.Clone(e.Grounds)
	grounds = slices.DeleteFunc(grounds, func(g entity.Ground) bool { return g.Field == "evidence" })
	for _, g := range grounds {
		fmt.Fprintf(w, "  %-16s %q, bytes %d to %d of %s", g.Field, g.Text, g.Start, g.End, g.IRID)
		if g.BBox != nil {
			fmt.Fprintf(w, ", box x %.3f y %.3f w %.3f h %.3f", g.BBox.X, g.BBox.Y, g.BBox.W, g.BBox.H)
		}
		fmt.Fprintln(w)
	}
}
