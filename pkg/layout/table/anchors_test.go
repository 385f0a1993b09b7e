package table

import "testing"

// lines sets the lines of the cells of a row from y down, 12 points each, and
// returns where the next row begins.
func (s *sheet) lines(y float64, xs []float64, cells ...[]string) float64 {
	most := 0
	for _, cell := range cells {
		most = max(most, len(cell))
	}
	for k := range most {
		row := make([]string, len(cells))
		for i, cell := range cells {
			if k < len(cell) {
				row[i] = cell[k]
			}
		}
		s.text(y, xs, row...)
		y += 12
	}
	return y
}

var actions = [][][]string{
	{{"Repair the weir", "above Mill"}, {"Ann Weber"}, {"03/04/2030"}, {"Waits for the", "Council of March"}},
	{{"Paint benches"}, {"Leonard Rossi"}, {"17/06/2030"}, {"None of the six", "Benches of oak", "is new"}},
	{{"Renew the sign", "at Upper Ford"}, {"Ina Keller"}, {"09/03/2030"}, {"Done"}},
	{{"Count all otters"}, {"Evangelina D"}, {"01/11/2030"}, {"Twice, in", "November"}},
}

const actionsWanted = "Measure|By|Until|Remarks\nRepair the weir above Mill|Ann Weber|03/04/2030|Waits for the Council of March\n" +
	"Paint benches|Leonard Rossi|17/06/2030|None of the six Benches of oak is new\nRenew the sign at Upper Ford|Ina Keller|09/03/2030|Done\n" +
	"Count all otters|Evangelina D|01/11/2030|Twice, in November"

// Rows whose cells wrap into capitals, with nothing drawn between them.
func TestRowsOfWordsThatWrap(t *testing.T) {
	xs := []float64{10, 110, 190, 260}
	write := func() (s sheet, bottom float64) {
		s.text(20, xs, "Measure", "By", "Until", "Remarks")
		bottom = 40
		for _, row := range actions {
			bottom = s.lines(bottom, xs, row...)
		}
		return s, bottom - 6
	}
	t.Run("rules down and around", func(t *testing.T) {
		s, bottom := write()
		for _, y := range []float64{8, 26, bottom} {
			s.rule(5, y, 350, y)
		}
		for _, x := range []float64{5, 105, 185, 255, 350} {
			s.rule(x, 8, x, bottom)
		}
		s.want(t, actionsWanted)
	})
	t.Run("two rules that cross", func(t *testing.T) {
		s, bottom := write()
		s.rule(5, 26, 350, 26)
		s.rule(105, 8, 105, bottom)
		s.want(t, actionsWanted)
	})
	t.Run("rules across", func(t *testing.T) {
		s, bottom := write()
		for _, y := range []float64{8, 26, bottom} {
			s.rule(5, y, 350, y)
		}
		s.want(t, actionsWanted)
	})
}

// Names of groups between rows of figures go on nowhere, however long the name
// above them is.
func TestNamesOfGroupsAreNoRests(t *testing.T) {
	var s sheet
	xs := []float64{10, 180, 260}
	for _, y := range []float64{8, 26, 138} {
		s.rule(5, y, 310, y)
	}
	s.text(20, xs, "Place", "2030", "2031")
	s.text(40, xs, "Mills", "", "")
	s.text(54, xs, "Mill-above-the-Upper-ford", "12.5", "13.5")
	s.text(68, xs, "Rivers", "", "")
	s.text(82, xs, "Alder", "7.1", "7.3")
	s.text(96, xs, "Berry", "8.1", "8.3")
	s.text(110, xs, "Weirs-of-Alder-and-Cedar", "", "")
	s.text(124, xs, "Upper", "0.4", "0.5")
	s.want(t, "Place|2030|2031\nMills||\nMill-above-the-Upper-ford|12.5|13.5\nRivers||\nAlder|7.1|7.3\nBerry|8.1|8.3\nWeirs-of-Alder-and-Cedar||\nUpper|0.4|0.5")
}

// Axes that cross in the middle of a drawing are no table.
func TestAxesThatCross(t *testing.T) {
	var s sheet
	s.rule(10, 100, 310, 100)
	s.rule(160, 10, 160, 190)
	s.text(96, []float64{20, 290}, "cheap", "dear")
	s.text(20, []float64{165}, "good")
	s.text(186, []float64{165}, "bad")
	s.text(60, []float64{60, 220}, "A", "B")
	s.want(t)
}

// White space within names that happens to stand one below the other is none
// between columns: nothing begins behind it but the rest of names.
func TestSpacesBelowEachOther(t *testing.T) {
	var s sheet
	for i, row := range [][]string{{"Alder", "12.5", "13.5"}, {"Berry", "7.1", "7.3"}, {"Cedar", "8.1", "8.3"}, {"Maple", "9.1", "9.3"}, {"Birch", "1.1", "1.3"}} {
		y := 20 + 14*float64(i)
		s.text(y, three[:1], row[0])
		if i > 2 {
			s.text(y, []float64{three[0] + 25 + 4}, "Hill") // a narrow space
		}
		s.text(y, three[1:], row[1:]...)
	}
	s.text(90, three, "Elm", "2.1", "2.3")
	s.text(4, []float64{10, 66, 240}, "Place", "Amount-of-all-that", "2031")
	for _, y := range []float64{-8, 8, 96} {
		s.rule(5, y, 290, y)
	}
	s.want(t, "Place|Amount-of-all-that|2031\nAlder|12.5|13.5\nBerry|7.1|7.3\nCedar|8.1|8.3\nMaple Hill|9.1|9.3\nBirch Hill|1.1|1.3\nElm|2.1|2.3")
}
