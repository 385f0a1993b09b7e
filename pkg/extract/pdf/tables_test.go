package pdf

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/table"
	"github.com/colophon-dev/colophon/pkg/model"
)

// rows sets rows of texts at these places, 14 points apart from y down.
func (c *canvas) rows(y float64, xs []float64, rows ...string) {
	for i, row := range rows {
		for k, cell := range strings.Split(row, "|") {
			if cell != "" {
				c.text("R", 10, xs[k], y-14*float64(i), cell)
			}
		}
	}
}

func tablesOf(p block.Page) []block.Block {
	var out []block.Block
	for _, b := range p.Blocks {
		if b.Type == model.UnitTable {
			out = append(out, b)
		}
	}
	return out
}

var measures = []string{"Upper weir|1,200|1,310", "Lower weir|900|885", "Mill|455|470", "Bridge|1,010|980", "Town|3,565|2,665"}

// A table that fills the end of one page and the top of the next says so on
// both.
func TestTablesOverPages(t *testing.T) {
	xs := []float64{72, 260, 400}
	long := append([]string{"Place|2030|2031"}, measures...)
	for len(long) < 30 {
		long = append(long, measures...)
	}
	var first, second canvas
	first.text("R", 11, 72, 740, "The water of the valley was measured at many places over two years.")
	first.rows(500, xs, long...)
	second.rows(720, xs, long[:6]...)
	second.text("R", 11, 72, 560, "No water was measured at the bridge in winter, since it was closed.")
	raw := document(first.String(), second.String())
	one, two := tablesOf(pageOf(t, raw, 1)), tablesOf(pageOf(t, raw, 2))
	if len(one) != 1 || len(two) != 1 {
		t.Fatalf("%d tables, then %d", len(one), len(two))
	}
	if one[0].Continued || !one[0].Continues || !two[0].Continued || two[0].Continues {
		t.Errorf("first page %v %v, second %v %v", one[0].Continued, one[0].Continues, two[0].Continued, two[0].Continues)
	}
	if got := two[0].Table; got.HeaderRows != 1 || got.Source != table.SourceHeuristic || strings.Join(got.Columns, "|") != long[0] {
		t.Errorf("%d header rows, %s, columns %v", got.HeaderRows, got.Source, got.Columns)
	}
	if !strings.HasPrefix(two[0].Markdown, "| Place | 2030 | 2031 |\n") {
		t.Errorf("markdown %q", two[0].Markdown)
	}
}

func TestCaptions(t *testing.T) {
	xs := []float64{72, 260, 400}
	for name, tt := range map[string]struct {
		draw func(c *canvas)
		want string
	}{
		"above":               {func(c *canvas) { c.text("B", 10, 72, 620, "Table 3. Water by place") }, "Table 3. Water by place"},
		"a label and a title": {func(c *canvas) { c.text("B", 10, 72, 640, "Tableau 3"); c.text("B", 14, 72, 620, "Eau par lieu") }, "Tableau 3 Eau par lieu"},
		"a note between": {func(c *canvas) {
			c.text("B", 12, 72, 640, "Table 3. Water by place")
			c.text("R", 8, 72, 622, "[In cubic metres]")
		}, "Table 3. Water by place"},
		"a sentence about it": {func(c *canvas) { c.text("R", 10, 72, 620, "Table 3 gives the water by place and by year.") }, ""},
		"that of a figure":    {func(c *canvas) { c.text("R", 10, 72, 620, "Figure 3. The valley") }, ""},
		"below":               {func(c *canvas) { c.text("B", 10, 72, 510, "Table 3. Water by place") }, "Table 3. Water by place"},
	} {
		var c canvas
		tt.draw(&c)
		c.rows(600, xs, append([]string{"Place|2030|2031"}, measures...)...)
		found := tablesOf(pageOf(t, document(c.String()), 1))
		if len(found) != 1 || found[0].Table.Caption != tt.want {
			t.Errorf("%s: %d tables, caption %q", name, len(found), func() string {
				if len(found) == 0 {
					return ""
				}
				return found[0].Table.Caption
			}())
		}
	}
}

// Figures that stand out of line drift.
func TestDrift(t *testing.T) {
	var c canvas
	c.line(72, 640, 540, 640)
	c.rows(628, []float64{72, 200, 400}, "Place|2030|2031")
	c.line(72, 620, 540, 620)
	for i, row := range measures {
		shift := []float64{0, 0, 0, 0, 40}[i]
		c.rows(606-14*float64(i), []float64{72, 200 + shift, 400 + shift}, row)
	}
	c.line(72, 540, 540, 540)
	found := tablesOf(pageOf(t, document(c.String()), 1))
	if len(found) != 1 {
		t.Fatalf("%d tables", len(found))
	}
	got := found[0].Table
	if len(got.Warnings) != 1 || !strings.HasPrefix(got.Warnings[0], table.DriftWarning) || got.Confidence > 0.7 || got.Source != table.SourceHeuristic {
		t.Errorf("warnings %q, confidence %v, %s", got.Warnings, got.Confidence, got.Source)
	}
}
