package table

import "github.com/colophon-dev/colophon/pkg/layout"

// settle gives each place of the grid to one cell: a cell that reaches into
// another keeps only its own place, and one without a place of its own goes
// into the cell that has it.
func (t *Table) settle() {
	owner := make([]int, t.Rows*t.Cols) // index of the cell in kept, from 1
	var kept []Cell
	free := func(c *Cell) bool {
		for r := c.Row; r < c.Row+c.RowSpan; r++ {
			for k := c.Col; k < c.Col+c.ColSpan; k++ {
				if owner[r*t.Cols+k] != 0 {
					return false
				}
			}
		}
		return true
	}
	for _, c := range t.Cells {
		c.RowSpan, c.ColSpan = min(c.RowSpan, t.Rows-c.Row), min(c.ColSpan, t.Cols-c.Col)
		if !free(&c) {
			c.RowSpan, c.ColSpan = 1, 1
		}
		if k := owner[c.Row*t.Cols+c.Col]; k != 0 {
			kept[k-1].add(&c)
			continue
		}
		kept = append(kept, c)
		for r := c.Row; r < c.Row+c.RowSpan; r++ {
			for k := c.Col; k < c.Col+c.ColSpan; k++ {
				owner[r*t.Cols+k] = len(kept)
			}
		}
	}
	t.Cells = kept
}

// add puts the text of another cell into c.
func (c *Cell) add(o *Cell) {
	c.Lines = layout.Rows(append(c.Lines[:len(c.Lines):len(c.Lines)], o.Lines...))
	c.Bold = c.Bold && o.Bold
	c.Glyphs = nil
	for i := range c.Lines {
		c.Glyphs = append(c.Glyphs, c.Lines[i].Glyphs...)
	}
}
