package table

import "testing"

var four = []float64{10, 120, 200, 280}

// Each row has a rule below it, the head too, and none stands above it.
func TestRulesBelowAllRows(t *testing.T) {
	var s sheet
	s.text(60, []float64{0}, "A paragraph that is wider than the table stands right above it, as it does in letters")
	for i, row := range [][]string{{"Place", "2030", "2031", "2032"}, {"Weir", "1,200", "310", "4,114"}, {"Mill", "1,210", "320", "4,115"}, {"Road", "1,220", "330", "4,116"}, {"Dam", "1,230", "340", "4,117"}} {
		y := 80 + 18*float64(i)
		s.text(y, four, row...)
		s.rule(5, y+6, 330, y+6)
	}
	s.want(t, "Place|2030|2031|2032\nWeir|1,200|310|4,114\nMill|1,210|320|4,115\nRoad|1,220|330|4,116\nDam|1,230|340|4,117")
}

// The cells of every second row are shaded one by one; the last row is not.
func TestShadedCells(t *testing.T) {
	var s sheet
	s.text(96, four, "Name", "Share", "Votes", "Seats")
	for i, row := range [][]string{{"Anna", "10.5", "1,200", "12"}, {"Jan", "11.5", "1,300", "13"}, {"Rosa", "12.5", "1,400", "14"}, {"Ada", "13.5", "1,500", "15"}} {
		y := 100 + 16*float64(i)
		for k := 0; k < 4 && i%2 == 0; k++ {
			left, right := four[k]-5, 330.0
			if k < 3 {
				right = four[k+1] - 5
			}
			s.shapes = append(s.shapes, Shape{Points: []Point{{left, y}, {right, y}, {right, y + 16}, {left, y + 16}}, Closed: true, Fill: true})
		}
		s.text(y+12, four, row...)
	}
	s.want(t, "Name|Share|Votes|Seats\nAnna|10.5|1,200|12\nJan|11.5|1,300|13\nRosa|12.5|1,400|14\nAda|13.5|1,500|15")
}

// Rows stand far apart, their heads as far; a row of words goes on in the columns,
// and a row of signs for nothing is no head.
func TestWideRows(t *testing.T) {
	var s sheet
	for i, row := range [][]string{{"Place", "Spring", "Summer", "Autumn"}, {"Ford", "-", "-", "-"}, {"Weir", "1,200", "310", "4,114"}, {"Mill", "1,210", "320", "4,115"}, {"Road", "1,220", "330", "4,116"}, {"Dam", "1,230", "340", "4,117"}, {"Pond", "none", "dry", "none"}} {
		s.text(100+25*float64(i), four, row...)
	}
	s.want(t, "Place|Spring|Summer|Autumn\nFord|-|-|-\nWeir|1,200|310|4,114\nMill|1,210|320|4,115\nRoad|1,220|330|4,116\nDam|1,230|340|4,117\nPond|none|dry|none")
}

// The name of the first group stands below the heads, and is none of them.
func TestGroupBelowHeads(t *testing.T) {
	var s sheet
	s.text(100, four[:3], "Account", "2030", "2031")
	s.text(114, four[:1], "Income")
	for i, name := range []string{"Fees", "Fines", "Rents", "Gifts"} {
		s.text(128+14*float64(i), four[:3], name, "1,200", "1,310")
	}
	s.want(t, "Account|2030|2031\nIncome||\nFees|1,200|1,310\nFines|1,200|1,310\nRents|1,200|1,310\nGifts|1,200|1,310")
}

// Dense figures have less white space between them than cells have elsewhere, and
// a sum stands below several columns.
func TestDenseColumns(t *testing.T) {
	var s sheet
	xs := []float64{10, 60, 94, 128}
	s.text(100, xs, "Place", "Upper", "Lower", "All")
	for i, name := range []string{"Weirs", "Mills", "Roads", "Ponds"} {
		s.text(114+14*float64(i), xs, name, "1,200", "1,310", "4,114")
	}
	row := "|1,200|1,310|4,114"
	s.want(t, "Place|Upper|Lower|All\nWeirs"+row+"\nMills"+row+"\nRoads"+row+"\nPonds"+row)
}

// A head that stands at half the height of two rows of heads is beside both.
func TestHeadAtHalfTheHeight(t *testing.T) {
	var s sheet
	xs := []float64{10, 120, 180, 260, 320}
	s.text(100, []float64{147, 287}, "Spring", "Autumn")
	s.text(106, []float64{10}, "Place")
	s.text(112, xs, "", "2030", "2031", "2030", "2031")
	for i, name := range []string{"Weir", "Mill", "Road", "Town", "Pond"} {
		s.text(126+14*float64(i), xs, name, "1,200", "1,310", "2,114", "2,225")
	}
	row := "|1,200|1,310|2,114|2,225"
	s.want(t, "Place|Spring|<|Autumn|<\n^|2030|2031|2030|2031\nWeir"+row+"\nMill"+row+"\nRoad"+row+"\nTown"+row+"\nPond"+row)
}
