package table

import "testing"

// shade fills a box.
func (s *sheet) shade(x0, y0, x1, y1 float64) {
	s.shapes = append(s.shapes, Shape{Points: []Point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, Closed: true, Fill: true})
}

// one rule, under the head of words and codes; text follows.
func TestRuleUnderHead(t *testing.T) {
	s := &sheet{}
	s.text(100, three, "Place", "Works", "Code")
	s.rule(10, 105, 300, 105)
	s.text(120, three, "Lower mill", "new roof", "K/12")
	s.text(135, three, "Old station", "", "M-004")
	s.text(150, three, "Ferry", "paint", "R.7")
	s.text(180, []float64{10}, "What follows is a sentence of the text.")
	s.want(t, "Place|Works|Code\nLower mill|new roof|K/12\nOld station||M-004\nFerry|paint|R.7")
}

// a rule under a running head above text in two columns is none of a table.
func TestRuleAboveColumns(t *testing.T) {
	s := &sheet{}
	two := []float64{10, 200}
	s.text(100, two, "The harbour", "Part two")
	s.rule(10, 105, 380, 105)
	for i, left := range []string{"the council of the harbour met again on", "the third of the month and heard of the", "repairs to the mole that the storm had", "done away with in the winter before it"} {
		s.text(120+float64(12*i), two, left, "and what it cost to whom was told then")
	}
	s.want(t)
}

// every second column is shaded, and most cells are words.
func TestStripedColumns(t *testing.T) {
	s := &sheet{}
	four := []float64{10, 110, 170, 250}
	s.shade(105, 88, 165, 156)
	s.shade(245, 88, 300, 156)
	s.text(100, four, "Place", "Works", "Owner", "Part")
	s.text(115, four, "Lower mill", "roof", "council", "north")
	s.text(130, four, "Old station", "paint", "", "south")
	s.text(145, four, "Ferry", "engine", "union", "west")
	s.want(t, "Place|Works|Owner|Part\nLower mill|roof|council|north\nOld station|paint||south\nFerry|engine|union|west")
}

// two shaded columns of running text side by side are boxes.
func TestStripesOfText(t *testing.T) {
	s := &sheet{}
	two := []float64{10, 200}
	s.shade(5, 88, 195, 156)
	for i, left := range []string{"The council of the harbour met again", "on the third of the month and heard of", "the repairs to the mole that the storm", "had done away with in the winter past"} {
		s.text(100+float64(15*i), two, left, "and it was told then what it had cost")
	}
	s.want(t)
}

// cells of the head, shaded one by one, tell columns that stand close to each other.
func TestCellsOfShadedHead(t *testing.T) {
	s := &sheet{}
	close3 := []float64{10, 87, 150}
	for _, x := range [][2]float64{{5, 83}, {83, 146}, {146, 200}} {
		s.shade(x[0], 88, x[1], 104)
	}
	s.text(100, close3, "Place", "Works", "Owner")
	s.text(117, close3, "The lower mill", "Roof", "Council")
	s.text(132, close3, "An old station", "New paint", "Union")
	s.text(147, close3, "Ferry", "Engine", "Parish")
	s.want(t, "Place|Works|Owner\nThe lower mill|Roof|Council\nAn old station|New paint|Union\nFerry|Engine|Parish")
}

// a head of two levels whose upper texts begin with their first columns.
func TestLevelsFromTheLeft(t *testing.T) {
	s := &sheet{}
	five := []float64{10, 100, 160, 220, 280}
	s.rule(10, 85, 330, 85)
	s.text(98, five, "Place", "2015", "", "Later", "")
	s.text(112, five, "", "Mill", "Roof", "Ferry", "Kiln")
	s.rule(10, 117, 330, 117)
	s.text(130, five, "North", "12", "34.5", "17", "8.1")
	s.text(145, five, "South", "15", "36.0", "19", "9.4")
	s.text(160, five, "West", "22", "31.5", "11", "2.6")
	s.rule(10, 165, 330, 165)
	s.want(t, "Place|2015|<|Later|<\n^|Mill|Roof|Ferry|Kiln\nNorth|12|34.5|17|8.1\nSouth|15|36.0|19|9.4\nWest|22|31.5|11|2.6")
}

// two tables with a rule under their heads each, and a sentence between them.
func TestSentenceBetweenTables(t *testing.T) {
	s := &sheet{}
	s.text(100, three, "Place", "Works", "Cost")
	s.rule(10, 105, 300, 105)
	s.text(118, three, "Lower mill", "12.5", "140")
	s.text(133, three, "Old station", "13.0", "151")
	s.text(148, three, "Ferry", "14.5", "162")
	s.text(170, []float64{10}, "The works of the next year follow here.")
	s.text(192, three, "Place", "Works", "Cost")
	s.rule(10, 197, 300, 197)
	s.text(210, three, "Upper mill", "22.5", "240")
	s.text(225, three, "New station", "23.0", "251")
	s.text(240, three, "Bridge", "24.5", "262")
	s.want(t, "Place|Works|Cost\nLower mill|12.5|140\nOld station|13.0|151\nFerry|14.5|162",
		"Place|Works|Cost\nUpper mill|22.5|240\nNew station|23.0|251\nBridge|24.5|262")
}

// bold makes all text on the page so far bold.
func (s *sheet) bold() {
	for i := range s.glyphs {
		s.glyphs[i].Bold = true
	}
}

// words in columns below names in bold.
func TestWordsUnderBoldNames(t *testing.T) {
	s := &sheet{}
	s.text(100, three, "Place", "Works", "Owner")
	s.bold()
	s.text(115, three, "Lower mill", "Roof", "Council")
	s.text(130, three, "Old station", "", "Union")
	s.text(145, three, "Ferry", "Engine", "Parish")
	s.want(t, "Place|Works|Owner\nLower mill|Roof|Council\nOld station||Union\nFerry|Engine|Parish")
}

// names in bold above addresses side by side are none of a table's when the lines
// below are bold, too, or are not in line.
func TestBoldNamesAboveText(t *testing.T) {
	s := &sheet{}
	s.text(100, three, "A. Miller", "B. Smith", "C. Cooper")
	s.text(115, three, "Lower mill", "Harbour", "Council")
	s.text(130, three, "Ferry", "Quay", "Parish")
	s.text(145, three, "North", "South", "West")
	s.bold()
	s.want(t)
}
