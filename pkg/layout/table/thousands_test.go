package table

import (
	"slices"
	"testing"
)

// Groups of digits are one figure, wherever its column stands; columns of three
// digits are columns.
func TestGroupsOfDigits(t *testing.T) {
	xs := []float64{0, 100, 160, 220}
	right := func(s *sheet, y float64, texts ...string) { // right-aligned
		at := slices.Clone(xs)
		for i := 1; i < len(texts); i++ {
			at[i] += 50 - 5*float64(len(texts[i]))
		}
		s.text(y, at, texts...)
	}
	rows := [][]string{
		{"Region", "2021", "2022", "2023"},
		{"North", "64 195", "1 140", "9 437"},
		{"South", "2 142", "752", "19 290"},
		{"East", "75 502", "-", "16 865"},
		{"West", "1 047 574", "82 988", "76 774"},
	}
	for _, ruled := range []bool{false, true} {
		var s sheet
		for i, row := range rows {
			right(&s, 20+15*float64(i), row...)
		}
		if ruled {
			for _, y := range []float64{10, 25, 85} {
				s.rule(0, y, 280, y)
			}
			for _, x := range []float64{0, 90, 155, 215, 280} {
				s.rule(x, 10, x, 85)
			}
		}
		s.want(t, "Region|2021|2022|2023\nNorth|64 195|1 140|9 437\nSouth|2 142|752|19 290\nEast|75 502|-|16 865\nWest|1 047 574|82 988|76 774")
	}
	var s sheet
	xs = []float64{0, 100, 120, 140} // ends 5 points apart from the next
	for i, row := range [][]string{{"Region", "a", "b", "c"}, {"North", "195", "140", "437"}, {"South", "142", "75", "29"}, {"East", "502", "8", "865"}, {"West", "574", "988", "774"}} {
		at := []float64{0, 115 - 5*float64(len(row[1])), 135 - 5*float64(len(row[2])), 155 - 5*float64(len(row[3]))}
		s.text(20+15*float64(i), at, row...)
	}
	s.want(t, "Region|a|b|c\nNorth|195|140|437\nSouth|142|75|29\nEast|502|8|865\nWest|574|988|774")
}
