package app

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/services/gateway/internal/pages"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// BenchmarkSearch asks for ten hits: of HTML, which have no boxes; of PDF pages and
// pictures of 300 units that were read before; and of such that were not. boxes-ms is what
// the places of all ten took. Members of an archive are documents like others.
func BenchmarkSearch(b *testing.B) {
	const hits, units = 10, 300
	for _, c := range []struct {
		name string
		kind model.FinalType
		cold bool
	}{{"html", model.TypeHTML, false}, {"pdf", model.TypePDF, false}, {"pdf-cold", model.TypePDF, true}, {"picture", model.TypeImage, false}, {"picture-cold", model.TypeImage, true}} {
		b.Run(c.name, func(b *testing.B) {
			r := newRig(b)
			for i := range hits {
				r.add(doc{content: fmt.Sprintf("Le quorum numéro %d.", i), kind: c.kind, more: units, box: &model.BBox{X: 0.1, Y: 0.2, W: 0.5, H: 0.1}})
			}
			reader := pages.Reader{Catalog: r.app.db, Objects: r.app.blobs, Memory: r.app.searchMemory}
			s := &search.Searcher{Catalog: r.app.db, Points: r.app.vectors.openCollection, Boxes: search.NewBoxReader(r.app.db, reader, r.app.children.DrawnTypes()),
				Alias: r.app.config.Qdrant.Collection, Embedders: map[string]retrieval.Embedder{retrieval.HashModel: retrieval.HashEmbedder{}}}
			var boxes []time.Duration
			for b.Loop() {
				if c.cold {
					s.Boxes = search.NewBoxReader(r.app.db, reader, r.app.children.DrawnTypes())
				}
				found, err := s.Search(b.Context(), search.Request{Query: "quorum", Limit: hits})
				if err != nil || len(found.Hits) != hits || (len(found.Hits[0].Boxes) > 0) != (c.kind != model.TypeHTML) {
					b.Fatalf("%d hits: %v", len(found.Hits), err)
				}
				boxes = append(boxes, found.Times.Boxes)
			}
			slices.Sort(boxes)
			b.ReportMetric(float64(boxes[len(boxes)/2].Microseconds())/1000, "boxes-ms/p50")
		})
	}
}
