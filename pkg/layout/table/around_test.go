package table

import (
	"strings"
	"testing"
)

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

// A head of several lines above the first of the rules that each row has: no line
// of it names most columns.
func TestHeadOfSeveralLinesOverRules(t *testing.T) {
	var s sheet
	xs := []float64{10, 120, 200, 280}
	s.text(20, xs, "", "Yearly", "Share of", "")
	s.text(32, xs, "Place", "amount", "all places", "Class")
	s.text(44, xs, "", "", "in percent", "")
	for i, row := range [][]string{{"Alder", "$12,500", "48.6%", "A"}, {"Berry", "$9,100", "35.4%", "B"}, {"Cedar", "$3,020", "11.7%", "B"}, {"Total", "$24,620", "100%", ""}} {
		y := 50 + 16*float64(i)
		s.rule(5, y, 330, y)
		s.text(y+12, xs, row...)
	}
	s.rule(5, 114, 330, 114)
	s.want(t, "Place|Yearly amount|Share of all places in percent|Class\nAlder|$12,500|48.6%|A\nBerry|$9,100|35.4%|B\nCedar|$3,020|11.7%|B\nTotal|$24,620|100%|")
}

// Of a body in which every second row is shaded the first row is not, and stands
// below the head without anything between them.
func TestFirstRowAboveTheShades(t *testing.T) {
	var s sheet
	for i, row := range [][]string{{"Place", "2030", "2031"}, {"Alder", "12.5", "13.5"}, {"Berry", "7.1", "7.3"}, {"Cedar", "8.1", "8.3"}, {"Dogwood", "9.1", "9.3"}} {
		y := 20 + 14*float64(i)
		s.text(y, three, row...)
		if i == 2 || i == 4 {
			s.shapes = append(s.shapes, Shape{Fill: true, Closed: true, Points: []Point{{5, y - 10}, {300, y - 10}, {300, y + 4}, {5, y + 4}}})
		}
	}
	s.want(t, "Place|2030|2031\nAlder|12.5|13.5\nBerry|7.1|7.3\nCedar|8.1|8.3\nDogwood|9.1|9.3")
}

// The name of the first group of rows stands below heads of two lines, the first
// of which has the head of the first column.
func TestGroupBelowHeadsOfTwoLines(t *testing.T) {
	var s sheet
	xs := []float64{10, 140, 200, 260, 320}
	s.text(20, []float64{10, 155, 275}, "Place", "Samples", "Species")
	s.text(34, xs, "", "2030", "2031", "2030", "2031")
	s.text(48, xs, "Rivers", "", "", "", "")
	for i, row := range [][]string{{"  Alder", "12.5", "13.5", "1.5", "2.5"}, {"  Berry", "7.1", "7.3", "2.1", "2.2"}, {"  Cedar", "8.1", "8.3", "1.7", "1.8"}, {"  Dogwood", "9.1", "9.3", "3.1", "3.2"}} {
		s.text(62+14*float64(i), xs, row...)
	}
	s.want(t, "Place|Samples|<|Species|<\n^|2030|2031|2030|2031\nRivers||||\nAlder|12.5|13.5|1.5|2.5\nBerry|7.1|7.3|2.1|2.2\nCedar|8.1|8.3|1.7|1.8\nDogwood|9.1|9.3|3.1|3.2")
}

// Heads over several columns stand so close that they are one line.
func TestHeadsThatNearlyMeet(t *testing.T) {
	var s sheet
	xs := []float64{10, 110, 160, 210, 260}
	s.text(20, []float64{10, 107.5, 216}, "Place", "Samples-at-all-weirs", "Species there")
	s.text(34, xs, "", "2030", "2031", "2030", "2031")
	for i, row := range [][]string{{"Alder", "12.5", "13.5", "1.5", "2.5"}, {"Berry", "7.1", "7.3", "2.1", "2.2"}, {"Cedar", "8.1", "8.3", "1.7", "1.8"}, {"Dogwood", "9.1", "9.3", "3.1", "3.2"}} {
		s.text(48+14*float64(i), xs, row...)
	}
	tables := s.grids(t)
	if len(tables) != 1 || !strings.HasPrefix(tables[0], "Place|Samples-at-all-weirs|<|Species there|<\n^|2030|2031|2030|2031\nAlder|") {
		t.Errorf("found %q", tables)
	}
}

// A narrow gap divides columns where the words behind it begin at one place, also
// when the cells of one column have more lines than those behind it.
func TestNarrowGapBesideCellsOfSeveralLines(t *testing.T) {
	var s sheet
	xs := []float64{10, 122, 200, 270}
	y := 20.0
	s.rule(5, 8, 360, 8)
	s.text(y, xs, "Measure", "By", "Until", "Remarks")
	s.rule(5, 26, 360, 26)
	y = 40
	for i, row := range [][][]string{
		{{"repair the old weir", "above the mill at", "both of its ends"}, {"Ann Weber"}, {"03/04/2030"}, {"waits for them", "until spring", "or summer"}},
		{{"paint every bench at", "the river but those"}, {"Leonard Rossi"}, {"17/06/2030"}, {"none of them", "is ours"}},
		{{"renew the long signs", "of the ford and the", "way down to mills"}, {"Ina Keller"}, {"09/03/2030"}, {"done", "at once", "by all"}},
		{{"count otters, and the", "badgers in the fields"}, {"Evangelina D"}, {"01/11/2030"}, {"twice a year", "or more"}},
	} {
		if i > 0 {
			s.rule(5, y-9, 360, y-9)
		}
		y = s.lines(y, xs, row...) + 4
	}
	s.rule(5, y-9, 360, y-9)
	s.want(t, "Measure|By|Until|Remarks\nrepair the old weir above the mill at both of its ends|Ann Weber|03/04/2030|waits for them until spring or summer\n"+
		"paint every bench at the river but those|Leonard Rossi|17/06/2030|none of them is ours\nrenew the long signs of the ford and the way down to mills|Ina Keller|09/03/2030|done at once by all\n"+
		"count otters, and the badgers in the fields|Evangelina D|01/11/2030|twice a year or more")
}

// A shaded row of names heads words in columns, with nothing else drawn; below it
// comes a paragraph.
func TestWordsBelowAShadedHead(t *testing.T) {
	var s sheet
	xs := []float64{10, 110, 190, 260}
	s.shapes = append(s.shapes, Shape{Fill: true, Closed: true, Points: []Point{{5, 8}, {350, 8}, {350, 26}, {5, 26}}})
	s.text(20, xs, "Measure", "By", "Until", "Remarks")
	y := 40.0
	for _, row := range actions {
		y = s.lines(y, xs, row...)
	}
	s.text(y+12, []float64{10}, "The council has seen this list and asks for more of it in the coming")
	s.text(y+24, []float64{10}, "year.")
	s.want(t, actionsWanted)
}

// A shaded bar above paragraphs in columns is a title.
func TestShadedTitles(t *testing.T) {
	var s sheet
	s.shapes = append(s.shapes, Shape{Fill: true, Closed: true, Points: []Point{{5, 8}, {480, 8}, {480, 26}, {5, 26}}})
	s.text(20, []float64{10, 170, 330}, "News of May", "Weather", "Sports")
	columns := [][]string{
		{"The fair of the town", "began on Monday with a", "march of the bakers. It", "went on for three days", "and ended in rain. Next", "year it moves to June,", "as the mills ask for.", "Bring your own chairs."},
		{"After a week of sun the", "rains came back to all", "valleys. Rivers rose by", "two feet, and one bridge", "was closed until Friday", "noon. More rain falls in", "the hills than at the sea", "as always in this month."},
		{"Eleven men and a ball", "were enough to beat the", "team of Upper Ford, who", "had won all year. It was", "cold. Nobody was hurt but", "the referee, whose whistle", "froze. The next match is", "on Sunday at the weir."},
	}
	for i := range columns[0] {
		s.text(40+12*float64(i), []float64{10, 170, 330}, columns[0][i], columns[1][i], columns[2][i])
	}
	s.want(t)
}
