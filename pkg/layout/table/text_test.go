package table

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// sheet is a page that text and lines are put on.
type sheet struct {
	shapes []Shape
	glyphs []layout.Glyph
}

// text sets texts side by side at the same height, 10 points high, each
// character 5 wide; "" leaves a place free.
func (s *sheet) text(y float64, xs []float64, texts ...string) {
	for i, text := range texts {
		x, space := xs[i], rune(0)
		for _, r := range text {
			if r == ' ' {
				space = ' '
			} else {
				box := layout.Rect{Left: x, Right: x + 5, Top: y - 8, Bottom: y + 2}
				s.glyphs = append(s.glyphs, layout.Glyph{
					Seq: len(s.glyphs), Index: len(s.glyphs), End: len(s.glyphs) + 1, Rune: r, Box: box, At: box, Base: y, Size: 10, Space: space, Drawn: space != 0,
				})
				space = 0
			}
			x += 5
		}
	}
}

func (s *sheet) rule(x0, y0, x1, y1 float64) { s.shapes = append(s.shapes, stroke(x0, y0, x1, y1)) }

// grids returns the tables that are found as text: a row a line, cells divided
// by |, what a span covers as < and ^.
func (s *sheet) grids(t *testing.T) []string {
	t.Helper()
	tables, rest := Find(s.shapes, s.glyphs)
	n := len(rest)
	var out []string
	for i := range tables {
		tb := &tables[i]
		n += len(tb.Glyphs())
		grid := make([][]string, tb.Rows)
		for r := range grid {
			grid[r] = make([]string, tb.Cols)
		}
		for _, c := range tb.Cells {
			for r := c.Row; r < c.Row+c.RowSpan; r++ {
				for k := c.Col; k < c.Col+c.ColSpan; k++ {
					switch {
					case r > c.Row:
						grid[r][k] = "^"
					case k > c.Col:
						grid[r][k] = "<"
					default:
						grid[r][k] = layout.Join(c.Lines, nil)
					}
				}
			}
		}
		rows := make([]string, len(grid))
		for r := range grid {
			rows[r] = strings.Join(grid[r], "|")
		}
		out = append(out, strings.Join(rows, "\n"))
	}
	if n != len(s.glyphs) {
		t.Errorf("%d of %d characters come out", n, len(s.glyphs))
	}
	return out
}

func (s *sheet) want(t *testing.T, want ...string) {
	t.Helper()
	got := s.grids(t)
	if strings.Join(got, "\n\n") != strings.Join(want, "\n\n") {
		t.Errorf("found\n%s\nnot\n%s", strings.Join(got, "\n\n"), strings.Join(want, "\n\n"))
	}
}

var three = []float64{10, 140, 240}

// rules across, the head of two columns over a short rule, a group's name, and
// a name over two lines with its figures between them.
func TestRulesAcross(t *testing.T) {
	var s sheet
	s.rule(10, 100, 300, 100)
	s.text(112, []float64{185}, "Samples")
	s.rule(135, 116, 300, 116)
	s.text(128, []float64{10, 140, 240}, "Place", "2030", "2031")
	s.rule(10, 134, 300, 134)
	s.text(148, three, "Rivers")
	s.text(162, three, "  Upper weir", "12.5", "13.5")
	s.text(176, three, "  Bridge of the", "", "")
	s.text(188, three, "  old mill", "7.1", "7.3")
	s.text(202, three, "Total", "19.6", "20.8")
	s.rule(10, 208, 300, 208)
	s.text(222, three, "Source: the association.")
	s.want(t, "Place|Samples|<\n^|2030|2031\nRivers||\nUpper weir|12.5|13.5\nBridge of the old mill|7.1|7.3\nTotal|19.6|20.8")
	tables, _ := Find(s.shapes, s.glyphs)
	if tb := tables[0]; tb.HeaderRows != 2 || tb.Ruled || tb.Held != 1 {
		t.Errorf("%d header rows, ruled %v, held %v", tb.HeaderRows, tb.Ruled, tb.Held)
	}
}

// The rule over the heads may be shorter than the table.
func TestHeadAboveTheFirstLongRule(t *testing.T) {
	var s sheet
	s.rule(135, 100, 300, 100)
	s.text(112, []float64{200}, "Year")
	s.rule(135, 117, 300, 117)
	s.text(129, three, "Measure", "2030", "2031")
	s.rule(10, 134, 300, 134)
	for i, name := range []string{"Rain", "Snow", "Wind"} {
		y := 150 + 30*float64(i)
		s.text(y, three, name+" by the")
		s.text(y+5, []float64{140, 240}, "1.25", "1.75")
		s.text(y+10, three, "(month)")
	}
	s.rule(10, 230, 300, 230)
	s.want(t, "Measure|Year|<\n^|2030|2031\nRain by the (month)|1.25|1.75\nSnow by the (month)|1.25|1.75\nWind by the (month)|1.25|1.75")
}

// Words in columns between rules are a table when there is a head.
func TestWordsBetweenRules(t *testing.T) {
	var s sheet
	s.rule(10, 100, 400, 100)
	s.text(112, three, "Name", "Office", "Elected by")
	s.rule(10, 118, 400, 118)
	s.text(132, three, "Anna Blum", "Chair", "the council")
	s.text(146, three, "Jan Kirk", "Treasurer", "the members")
	s.text(160, three, "Rosa Lind", "Clerk", "the council and")
	s.text(172, []float64{240}, "the members")
	s.rule(10, 178, 400, 178)
	s.want(t, "Name|Office|Elected by\nAnna Blum|Chair|the council\nJan Kirk|Treasurer|the members\nRosa Lind|Clerk|the council and the members")
}

// Each row between two rules of its own, with cells of several lines.
func TestRulesBetweenAllRows(t *testing.T) {
	var s sheet
	for _, y := range []float64{100, 118, 150, 182, 214} {
		s.rule(10, y, 400, y)
	}
	s.text(112, three, "Name", "Sum", "What for")
	for i, name := range []string{"Weir", "Mill", "Road"} {
		y := 130 + 32*float64(i)
		s.text(y, three, name, "1,250", "Repair by members")
		s.text(y+12, []float64{240}, "The council decides")
	}
	text := "|1,250|Repair by members The council decides"
	s.want(t, "Name|Sum|What for\nWeir"+text+"\nMill"+text+"\nRoad"+text)
}

// Every second row is shaded, the head is not.
func TestShadedRows(t *testing.T) {
	var s sheet
	s.text(96, three, "Name", "Office", "Elected by")
	for i, row := range [][]string{{"Anna", "Chair", "12 members"}, {"Jan", "Clerk", "15 members"}, {"Rosa", "Treasurer", "9 members"}, {"Ada", "Member", "11 members"}, {"Eva", "Member", "10 members"}} {
		y := 100 + 16*float64(i)
		if i%2 == 0 {
			s.shapes = append(s.shapes, Shape{Points: []Point{{5, y}, {400, y}, {400, y + 16}, {5, y + 16}}, Closed: true, Fill: true})
		}
		s.text(y+12, three, row...)
	}
	s.want(t, "Name|Office|Elected by\nAnna|Chair|12 members\nJan|Clerk|15 members\nRosa|Treasurer|9 members\nAda|Member|11 members\nEva|Member|10 members")
}

// Heads that stand in the middle above several columns, and heads of several
// lines, without any line.
func TestHeadsWithoutRules(t *testing.T) {
	var s sheet
	xs := []float64{10, 140, 200, 300, 360}
	s.text(100, []float64{10}, "Measured places of the valley")
	s.text(120, []float64{160, 320}, "Spring", "Autumn")
	s.text(132, xs, "Place", "2030", "2031", "2030", "2031")
	for i, name := range []string{"Upper weir", "Lower weir", "Old mill", "Town", "Harbour"} {
		s.text(146+14*float64(i), xs, name, "1,200", "1,310", "2,114", "2,225")
	}
	row := "|1,200|1,310|2,114|2,225"
	s.want(t, "Place|Spring|<|Autumn|<\n^|2030|2031|2030|2031\nUpper weir"+row+"\nLower weir"+row+"\nOld mill"+row+"\nTown"+row+"\nHarbour"+row)
}

// Signs stand with the figures that they belong to.
func TestSigns(t *testing.T) {
	var s sheet
	xs := []float64{10, 140, 160, 240, 270}
	s.text(100, []float64{10, 150, 240}, "Item", "Cost", "Share")
	for i, name := range []string{"Weirs", "Mills", "Roads", "Bridges", "Dams"} {
		s.text(114+14*float64(i), xs, name, "$", "1,200", "10.5", "%")
	}
	s.want(t, "Item|Cost|Share\nWeirs|$ 1,200|10.5 %\nMills|$ 1,200|10.5 %\nRoads|$ 1,200|10.5 %\nBridges|$ 1,200|10.5 %\nDams|$ 1,200|10.5 %")
}

// A drawn row may hold several rows of the table.
func TestRowsInsideOfDrawnRows(t *testing.T) {
	var s sheet
	for _, y := range []float64{100, 120, 260} {
		s.rule(0, y, 400, y)
	}
	for _, x := range []float64{0, 130, 230, 400} {
		s.rule(x, 100, x, 260)
	}
	s.text(114, three, "Number", "Date", "Subject")
	for i, n := range []string{"A2030001", "A2030002", "A2030003"} {
		y := 134 + 42*float64(i)
		s.text(y, three, n, "03/04/2030", "REPAIR OF THE WEIR")
		s.text(y+12, []float64{240}, "BY THE ASSOCIATION")
	}
	text := "|03/04/2030|REPAIR OF THE WEIR BY THE ASSOCIATION"
	s.want(t, "Number|Date|Subject\nA2030001"+text+"\nA2030002"+text+"\nA2030003"+text)
}

// White space across all columns divides them too.
func TestParagraphsInsideOfDrawnRows(t *testing.T) {
	var s sheet
	for _, y := range []float64{100, 120, 240} {
		s.rule(0, y, 400, y)
	}
	for _, x := range []float64{0, 130, 400} {
		s.rule(x, 100, x, 240)
	}
	s.text(114, three, "Word", "Meaning")
	for i, n := range []string{"Weir", "Mill", "Dam"} {
		y := 134 + 36*float64(i)
		s.text(y, three, n, "A thing that stands in the river and")
		s.text(y+11, []float64{140}, "is there to hold its water back.")
	}
	text := "|A thing that stands in the river and is there to hold its water back."
	s.want(t, "Word|Meaning\nWeir"+text+"\nMill"+text+"\nDam"+text)
}

// A drawn head that holds the heads of several columns.
func TestOpenHead(t *testing.T) {
	var s sheet
	for i := range 7 {
		s.rule(0, 100+30*float64(i), 400, 100+30*float64(i))
	}
	for _, x := range []float64{0, 400} {
		s.rule(x, 100, x, 280)
	}
	for _, x := range []float64{130, 200, 270, 330} {
		s.rule(x, 130, x, 280)
	}
	xs := []float64{10, 140, 210, 280, 340}
	s.text(111, []float64{180, 310}, "Spring", "Autumn")
	s.text(125, xs, "Place", "2030", "2031", "2030", "2031")
	for i, name := range []string{"Upper", "Lower", "Mill", "Town", "Sea"} {
		s.text(148+30*float64(i), xs, name, "1,200", "1,310", "2,114", "2,225")
	}
	row := "|1,200|1,310|2,114|2,225\n"
	s.want(t, "Place|Spring|<|Autumn|<\n^|2030|2031|2030|2031\nUpper"+row+"Lower"+row+"Mill"+row+"Town"+row+"Sea"+strings.TrimSpace(row))
}

// The table of a turned page is that of the upright one.
func TestTurned(t *testing.T) {
	for _, turn := range []int{90, 180, 270} {
		var s sheet
		s.rule(10, 100, 300, 100)
		s.text(112, three, "Place", "2030", "2031")
		s.rule(10, 118, 300, 118)
		for i, name := range []string{"Upper weir", "Lower weir", "Town"} {
			s.text(132+14*float64(i), three, name, "1,200", "1,310")
		}
		s.rule(10, 166, 300, 166)
		upright, _ := Find(s.shapes, s.glyphs)
		back := func(p Point) Point { return p.turned(360 - turn) }
		for i := range s.shapes {
			for k, p := range s.shapes[i].Points {
				s.shapes[i].Points[k] = back(p)
			}
		}
		for i := range s.glyphs {
			g := &s.glyphs[i]
			a, b := back(Point{g.Box.Left, g.Box.Top}), back(Point{g.Box.Right, g.Box.Bottom})
			g.Turn, g.Box = turn, layout.Rect{Left: min(a.X, b.X), Right: max(a.X, b.X), Top: min(a.Y, b.Y), Bottom: max(a.Y, b.Y)}
		}
		s.want(t, "Place|2030|2031\nUpper weir|1,200|1,310\nLower weir|1,200|1,310\nTown|1,200|1,310")
		tables, _ := Find(s.shapes, s.glyphs)
		if len(tables) != 1 || tables[0].Turn != turn {
			t.Fatalf("turned by %d: %d tables", turn, len(tables))
		}
		a, b := back(Point{upright[0].Box.Left, upright[0].Box.Top}), back(Point{upright[0].Box.Right, upright[0].Box.Bottom})
		if want := (layout.Rect{Left: min(a.X, b.X), Right: max(a.X, b.X), Top: min(a.Y, b.Y), Bottom: max(a.Y, b.Y)}); tables[0].Box != want {
			t.Errorf("turned by %d: box %+v, not %+v", turn, tables[0].Box, want)
		}
		for _, c := range tables[0].Cells {
			for _, g := range c.Glyphs {
				if g != s.glyphs[g.Seq] {
					t.Fatalf("turned by %d: glyph %+v was %+v", turn, g, s.glyphs[g.Seq])
				}
			}
		}
	}
}

// What looks like a table and is none.
func TestNoTables(t *testing.T) {
	prose := "The water of the valley was measured at three places over four years"
	pages := map[string]func(s *sheet){
		"text between rules": func(s *sheet) {
			s.rule(0, 90, 400, 90)
			for i := range 6 {
				s.text(104+12*float64(i), []float64{10}, prose)
			}
			s.rule(0, 176, 400, 176)
		},
		"two columns of text between rules": func(s *sheet) {
			s.rule(0, 90, 640, 90)
			for i := range 8 {
				s.text(104+12*float64(i), []float64{10, 330}, prose[:55], prose[5:60])
			}
			s.rule(0, 200, 640, 200)
		},
		"formulas between rules": func(s *sheet) {
			s.rule(0, 90, 400, 90)
			for i, row := range []string{"Theorem 1 Let a be a number.", "a = b + c      ( d )", "   f ( 1 + a )          = 2", "and so      b", "  c ( 1 )        1", "    = d        0 2   1"} {
				s.text(104+14*float64(i), []float64{10}, row)
			}
			s.rule(0, 190, 400, 190)
		},
		"a form": func(s *sheet) {
			for i, row := range [][2]string{{"Name:", "Given name:"}, {"Street:", "Number:"}, {"Town:", "Code:"}} {
				s.rule(0, 90+20*float64(i), 400, 90+20*float64(i))
				s.text(104+20*float64(i), []float64{10, 210}, row[0], row[1])
			}
			s.rule(0, 150, 400, 150)
		},
		"a list of contents": func(s *sheet) {
			for i, name := range []string{"Rivers", "Weirs", "Mills", "Roads", "Towns", "Seas"} {
				s.text(100+14*float64(i), []float64{10, 300}, name, string(rune('1'+i)))
			}
		},
		"references": func(s *sheet) {
			for i := range 6 {
				s.text(100+14*float64(i), []float64{10, 40}, "["+string(rune('1'+i))+"]", prose)
			}
		},
		"bars with their values": func(s *sheet) {
			for i, name := range []string{"North", "South", "East", "West", "All"} {
				y := 100 + 20*float64(i)
				s.shapes = append(s.shapes, Shape{Points: []Point{{100, y - 8}, {150 + 17*float64(i), y - 8}, {150 + 17*float64(i), y + 2}, {100, y + 2}}, Closed: true, Fill: true})
				s.text(y, []float64{10, 160 + 17*float64(i)}, name, "12.5")
			}
		},
		"a legend on a chart": func(s *sheet) {
			for _, y := range []float64{100, 114, 128} {
				s.rule(200, y, 400, y)
			}
			for _, x := range []float64{200, 300, 400} {
				s.rule(x, 100, x, 128)
			}
			s.text(110, []float64{205, 305}, "spring 1", "autumn 1")
			s.text(124, []float64{205, 305}, "spring 2", "autumn 2")
			line := Shape{Stroke: true}
			for i := range 60 {
				line.Points = append(line.Points, Point{10 + 7*float64(i), 300 - float64(i*i%240)})
			}
			s.shapes = append(s.shapes, line)
		},
		"an index": func(s *sheet) {
			for i, pages := range []string{"4, 18", "27", "3, 9-12", "5, 8, 41,", "30"} {
				s.text(100+12*float64(i), []float64{10, 200}, "entry of it . . . . . .", pages)
			}
		},
		"contents in two columns": func(s *sheet) {
			for i, page := range []string{"14", "18", "27", "33", "30"} {
				s.text(100+12*float64(i), []float64{10, 180, 300, 480}, "chapter . . . . . . .", page, "more of it . . . . .", page)
			}
		},
		"underlined words": func(s *sheet) {
			for i := range 3 {
				y := 100 + 20*float64(i)
				s.text(y, []float64{10, 200}, "one word", "two word")
				s.rule(10, y+1.5, 50, y+1.5)
				s.rule(200, y+1.5, 240, y+1.5)
			}
		},
	}
	for name, draw := range pages {
		var s sheet
		draw(&s)
		if got := s.grids(t); len(got) > 0 {
			t.Errorf("%s: %s", name, strings.Join(got, "\n\n"))
		}
	}
}

// The caption between two tables of one width parts them, the name of a group of
// rows does not.
func TestCaptionBetweenRules(t *testing.T) {
	draw := func(between string) *sheet {
		var s sheet
		for _, y := range []float64{100, 114, 142, 170, 184, 212} {
			s.rule(10, y, 310, y)
		}
		s.text(110, []float64{12, 150, 250}, "name", "first", "second")
		s.text(124, []float64{12, 150, 250}, "Upper weir", "Open", "Shut")
		s.text(138, []float64{12, 150, 250}, "Lower weir", "Shut", "Open")
		s.text(160, []float64{80}, between)
		s.text(180, []float64{12, 150, 250}, "name", "first", "second")
		s.text(194, []float64{12, 150, 250}, "Old mill", "Open", "Shut")
		s.text(208, []float64{12, 150, 250}, "New mill", "Shut", "Open")
		return &s
	}
	draw("Table 2: Of mills").want(t, "name|first|second\nUpper weir|Open|Shut\nLower weir|Shut|Open", "name|first|second\nOld mill|Open|Shut\nNew mill|Shut|Open")
	if got := draw("All mills").grids(t); len(got) != 1 {
		t.Errorf("got %q, want one table", got)
	}
}

func TestLinesByHeight(t *testing.T) {
	var s sheet
	for i := range 6 {
		s.text(100+12*float64(i), []float64{10, 100}, "left", "right")
	}
	lines := (&stacker{}).of(s.glyphs)
	if got := lines.between(108, 132, 0, 60); len(got) != 2 || got[0].String() != "left" || got[0].Base != 112 || got[1].Base != 124 {
		t.Errorf("got %v", got)
	}
}
