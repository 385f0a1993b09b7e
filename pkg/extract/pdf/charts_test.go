package pdf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
)

// fill draws a filled box.
func (c *canvas) fill(x, y, width, height float64) *canvas {
	fmt.Fprintf(c, "%g %g %g %g re f\n", x, y, width, height)
	return c
}

// chart draws axes with their labels at (x, y), 160 points wide and 100 high.
func (c *canvas) chart(x, y float64) *canvas {
	c.line(x, y, x+160, y).line(x, y, x, y+100)
	for i := range 5 {
		c.text("R", 8, x-22, y+25*float64(i)-3, fmt.Sprint(100+10*i))
	}
	for i, year := range []string{"2030", "2031", "2032", "2033"} {
		c.text("R", 8, x+15+40*float64(i), y-12, year)
	}
	return c.text("B", 8, x+75, y-24, "Year")
}

// besideChart is text in the column at the right of a chart, in lines as high as
// the labels of its axis.
func (c *canvas) besideChart() *canvas {
	return c.text("R", 10, 320, 597, "The text of the other column stands at the", "height of the labels and must not have any", "of them between its words, nor end where", "one of them begins.")
}

func figureOf(t *testing.T, page block.Page) block.Block {
	t.Helper()
	var found []block.Block
	for _, b := range page.Blocks {
		if b.Type == model.UnitFigure {
			found = append(found, b)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d figures: %q", len(found), said(page.Blocks))
	}
	return found[0]
}

// A chart is one unit with all of its labels, those of the axes too; the columns
// beside and below it have none of them.
func TestCharts(t *testing.T) {
	bars := func(c *canvas) {
		for i, high := range []float64{30, 80, 55, 95} {
			c.fill(115+40*float64(i), 500, 24, high)
		}
	}
	stacked := func(c *canvas) {
		for i, high := range []float64{30, 70, 45, 90} {
			x := 115 + 40*float64(i)
			c.fill(x, 500, 24, high/2).fill(x, 500+high/2, 24, high/2)
			c.text("R", 7, x+8, 510, fmt.Sprint(int(high/2))).text("R", 7, x+8, 503+high/2+high/4, fmt.Sprint(int(high/2)))
		}
	}
	lying := func(c *canvas) {
		for i, long := range []float64{30, 150, 55, 95} {
			c.fill(100, 505+24*float64(i), long, 14)
		}
	}
	lines := func(c *canvas) {
		fmt.Fprint(c, "100 510 m 140 560 l 180 530 l 220 590 l 258 570 l S\n")
	}
	for name, draw := range map[string]func(*canvas){"bars": bars, "stacked bars": stacked, "lying bars": lying, "lines": lines} {
		t.Run(name, func(t *testing.T) {
			var c canvas
			c.text("R", 10, 72, 700, "Before the chart there is a line of text, wider than it is.")
			c.chart(100, 500).besideChart()
			draw(&c)
			c.text("R", 10, 72, 456, "Figure 3. Water of the upper weir,", "in litres")
			c.text("R", 10, 72, 420, "Below it the first column goes on for", "two lines.")
			page := pageOf(t, document(c.String()), 1)
			f := figureOf(t, page)
			for _, label := range []string{"100", "120", "140", "2030", "2033", "Year"} {
				if !slices.Contains(strings.Split(f.Text, "\n"), label) {
					t.Errorf("the label %s is not in %q", label, f.Text)
				}
			}
			if got := f.Values["caption"]; !slices.Equal(got, []string{"Figure 3. Water of the upper weir, in litres"}) {
				t.Errorf("caption %q", got)
			}
			all := strings.Join(said(page.Blocks), "\n")
			for _, text := range []string{
				"height of the labels and must not have any of them between its words, nor end where one of them begins.",
				"Below it the first column goes on for two lines.",
			} {
				if !strings.Contains(all, text) {
					t.Errorf("%q is not in\n%s", text, all)
				}
			}
			if strings.Contains(all, string(model.UnitTable)+":") {
				t.Errorf("a table:\n%s", all)
			}
		})
	}
}

// The values on the axes of charts side by side make no table.
func TestChartsSideBySide(t *testing.T) {
	var c canvas
	c.text("R", 10, 72, 700, "Three charts stand side by side below this line.")
	for k := range 3 {
		x := 90 + 170*float64(k)
		for i := range 6 {
			c.text("R", 8, x-20, 500+18*float64(i), fmt.Sprint(i*20+k)).text("R", 8, x+110, 500+18*float64(i), fmt.Sprint(i*3+k))
		}
		for i, high := range []float64{30, 80, 55} {
			c.fill(x+5+30*float64(i), 500, 20, high)
		}
		c.line(x, 500, x+100, 500)
	}
	page := pageOf(t, document(c.String()), 1)
	for _, b := range page.Blocks {
		if b.Type == model.UnitTable {
			t.Errorf("a table: %q", b.Text)
		}
	}
}

// A frame around a chart, its title and its legend is its edge; one with
// sentences in it is not.
func TestPanels(t *testing.T) {
	for name, long := range map[string]bool{"short texts": false, "a sentence": true} {
		var c canvas
		c.text("R", 10, 72, 700, "Before the chart there is a line of text.")
		c.WriteString("60 460 230 200 re S\n")
		c.chart(100, 500)
		fmt.Fprint(&c, "100 510 m 140 560 l 180 530 l 220 590 l 258 570 l S\n")
		c.text("B", 8, 130, 640, "Water of the weir")
		if long {
			c.text("R", 6, 70, 625, "The values of the last year are not complete, since the book of the weir was lost.")
		}
		f := figureOf(t, pageOf(t, document(c.String()), 1))
		if got := strings.Contains(f.Text, "Water of the weir"); got == long {
			t.Errorf("%s: title taken: %v", name, got)
		}
	}
}

// A paragraph and a heading on a large drawing that is no chart stay text; short
// words on it are its labels.
func TestTextOnDrawings(t *testing.T) {
	var c canvas
	c.text("R", 10, 72, 740, "The text of this document is set in ten points, as this line is,", "and this one too, which goes on for some words more.")
	for i := range 4 {
		y := 200 + 120*float64(i)
		fmt.Fprintf(&c, "60 %g m 200 %g 400 %g 560 %g c S\n", y, y+90, y-90, y+100)
	}
	c.text("B", 20, 150, 520, "Of the valley and its weirs")
	c.text("R", 10, 150, 470, "Water comes down the valley in spring, more", "of it than the lower weir can hold, and in", "summer there is none.")
	c.text("R", 10, 300, 300, "upper weir")
	page := pageOf(t, document(c.String()), 1)
	all := said(page.Blocks)
	for _, want := range []string{
		"heading: Of the valley and its weirs", "figure: upper weir",
		"paragraph: Water comes down the valley in spring, more of it than the lower weir can hold, and in summer there is none.",
	} {
		if !slices.Contains(all, want) {
			t.Errorf("no %q in %q", want, all)
		}
	}
}

// Narrow columns right below a chart are text, not the labels of its axis.
func TestColumnsBelowCharts(t *testing.T) {
	var c canvas
	for i, high := range []float64{30, 80, 55, 95, 40} {
		c.fill(80+90*float64(i), 500, 60, high)
	}
	c.line(72, 500, 540, 500)
	for k := range 4 {
		c.text("R", 9, 72+120*float64(k), 485, fmt.Sprintf("column %d begins here and", k+1), "goes on for some lines that", "are as narrow as they are in", "a newspaper of the valley.")
	}
	page := pageOf(t, document(c.String()), 1)
	if f := figureOf(t, page); f.Text != "" {
		t.Errorf("text of the figure: %q", f.Text)
	}
	if all := strings.Join(said(page.Blocks), "\n"); strings.Count(all, "begins here and goes on for some lines") != 4 {
		t.Errorf("columns are cut:\n%s", all)
	}
}

// The names of bars, of an axis and of a legend's entries are labels of the chart, even
// where they look like the beginning of a caption; a caption below them is one.
func TestLabelsOfAxesAreNoCaptions(t *testing.T) {
	for name, names := range map[string][]string{
		"plates": {"Plate 1", "Plate 2", "Plate 3", "Plate 4"}, "boxes": {"Box A", "Box B", "Box C", "Box D"},
		"tables": {"Table 1", "Table 2", "Table 3", "Table 4"}, "maps": {"Map I", "Map II", "Map III", "Map IV"},
		"figures": {"Fig. 1", "Fig. 2", "Fig. 3", "Fig. 4"},
	} {
		for _, caption := range []string{"", "Figure 3. Water of the upper weir"} {
			for _, title := range []string{"", "Year"} {
				var c canvas
				c.text("R", 10, 72, 700, "Before the chart there is a line of text, wider than it is.")
				c.line(100, 500, 260, 500).line(100, 500, 100, 600)
				for i, high := range []float64{30, 80, 55, 95} {
					c.text("R", 8, 78, 500+25*float64(i)-3, fmt.Sprint(100+10*i))
					c.fill(115+40*float64(i), 500, 24, high)
					c.text("R", 7, 113+40*float64(i), 488, names[i])
				}
				if title != "" {
					c.text("B", 8, 168, 476, title)
				}
				if caption != "" {
					c.text("R", 10, 72, 450, caption)
				}
				c.text("R", 10, 72, 420, "Below it the first column goes on for", "two lines.")
				page := pageOf(t, document(c.String()), 1)
				f := figureOf(t, page)
				var want []string
				if caption != "" {
					want = []string{caption}
				}
				if got := f.Values["caption"]; !slices.Equal(got, want) {
					t.Errorf("%s, title %q: caption %q, want %q", name, title, got, want)
				}
				for _, label := range append(names, title) {
					if !slices.Contains(strings.Split(f.Text, "\n"), label) && label != "" {
						t.Errorf("%s, title %q, caption %q: the label %s is not in %q", name, title, caption, label, f.Text)
					}
				}
				for _, b := range page.Blocks {
					if b.Type == model.UnitCaption && b.Text != caption {
						t.Errorf("%s: %q is a caption", name, b.Text)
					}
				}
			}
		}
	}
}

// A name and number alone below a chart is its caption and no label of it; that of
// several charts side by side, too.
func TestNamesAloneAreCaptions(t *testing.T) {
	names := []string{"Figure 1", "Figure 2", "Figure 3"}
	for name, at := range map[string]struct{ right, down float64 }{"side by side": {170, 0}, "below each other": {0, 200}} {
		var c canvas
		c.text("R", 10, 72, 760, "Three charts stand below this line, side by side or not.")
		for k := range names {
			x, y := 72+at.right*float64(k), 620-at.down*float64(k)
			c.line(x, y, x+120, y).line(x, y, x, y+100)
			for i, high := range []float64{30, 80, 55} {
				c.fill(x+10+36*float64(i), y, 24, high)
				c.text("R", 8, x+14+36*float64(i), y-12, fmt.Sprint(2030+i))
			}
			c.text("R", 8, x+40, y-30, names[k])
		}
		var captions, labels []string
		for _, b := range pageOf(t, document(c.String()), 1).Blocks {
			if b.Type == model.UnitFigure {
				captions, labels = append(captions, b.Values["caption"]...), append(labels, b.Text)
			}
		}
		if len(labels) == 0 || strings.Contains(strings.Join(labels, " "), "Figure") || !strings.HasPrefix(strings.Join(captions, " "), "Figure 1 Figure 2 Figure 3") {
			t.Errorf("%s: captions %q, labels %q", name, captions, labels)
		}
	}
}
