package running

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// row is one line of text at a height.
func row(base, size float64, parts ...string) Row {
	r := Row{Base: base, Top: base - size, Size: size}
	x := 50.0
	for _, text := range parts {
		w := size / 2 * float64(len([]rune(text)))
		r.Parts = append(r.Parts, Part{Text: text, Left: x, Right: x + w})
		r.Chars += len(strings.Join(strings.Fields(text), ""))
		x += w + 4*size
	}
	return r
}

// pagesOf are n pages with 40 lines of text in 10 points, 12 points apart, from 80
// points on, and what edge adds to each, which is from 1.
func pagesOf(n int, edge func(no int) []Row) []Page {
	var out []Page
	for no := 1; no <= n; no++ {
		p := Page{No: no, Width: 600, Height: 800}
		for k := range 40 {
			p.Rows = append(p.Rows, row(80+12*float64(k), 10, fmt.Sprintf("line %d of sheet %d says what no other line of it does", k, no)))
		}
		p.Rows = append(p.Rows, edge(no)...)
		slices.SortStableFunc(p.Rows, func(a, b Row) int { return int(a.Base - b.Base) })
		out = append(out, p)
	}
	return out
}

// gone are the texts of the rows that are no body, by page.
func gone(pages []Page, titles Titles) []string {
	f := Learn(pages, 10, titles)
	var out []string
	for i := range pages {
		for k, kind := range Decide(&pages[i], &f, titles).Rows {
			if kind != Body {
				out = append(out, fmt.Sprintf("%d: %s", pages[i].No, pages[i].Rows[k].Text()))
			}
		}
	}
	return out
}

// TestWhatIsProvedGoes: of each case so many rows go, all of the edges or none.
func TestWhatIsProvedGoes(t *testing.T) {
	for name, c := range map[string]struct {
		pages int
		edge  func(no int) []Row
		want  int
	}{
		"the same text on two of eight pages": {8, func(no int) []Row {
			if no == 3 || no == 4 {
				return []Row{row(30, 8, "of weirs")}
			}
			return nil
		}, 2},
		"the same text on two of nine pages": {9, func(no int) []Row {
			if no == 3 || no == 4 {
				return []Row{row(30, 8, "of weirs")}
			}
			return nil
		}, 0},
		"two rows, one with the number": {3, func(no int) []Row {
			return []Row{row(30, 8, "of weirs", fmt.Sprintf("Page no. %d", no)), row(40, 8, "and of rivers")}
		}, 6},
		"a number in brackets":               {3, func(no int) []Row { return []Row{row(780, 10, fmt.Sprintf("(%d)", no))} }, 3},
		"another height":                     {4, func(no int) []Row { return []Row{row(20+5*float64(no), 8, "of weirs")} }, 0},
		"another size":                       {2, func(no int) []Row { return []Row{row(30, 7+float64(no), "of weirs")} }, 0},
		"a digit of another meaning":         {5, func(no int) []Row { return []Row{row(30, 8, fmt.Sprintf("art. %d", no))} }, 0},
		"a digit set off by a gap":           {5, func(no int) []Row { return []Row{row(30, 8, "of weirs", fmt.Sprint(no))} }, 5},
		"a digit set off by a separator":     {5, func(no int) []Row { return []Row{row(30, 8, fmt.Sprintf("of weirs · %d", no))} }, 5},
		"a number with a stroke":             {5, func(no int) []Row { return []Row{row(30, 8, fmt.Sprintf("decision 2026/%d", no))} }, 0},
		"a lone number that is another's":    {5, func(no int) []Row { return []Row{row(770, 8, fmt.Sprint(no*no))} }, 0},
		"a lone number that is the page's":   {5, func(no int) []Row { return []Row{row(770, 8, fmt.Sprint(no+12))} }, 5},
		"Page 2 of 2 on the last page alone": {2, func(no int) []Row { return []Row{row(770, 8, "page 2 of 2")}[:no-1] }, 1},
		"one pitch from the text":            {5, func(int) []Row { return []Row{row(68, 10, "of weirs")} }, 0},
		"two pitches from the text":          {5, func(int) []Row { return []Row{row(56, 10, "of weirs")} }, 5},
		"one pitch from it, in small type":   {5, func(int) []Row { return []Row{row(68, 8, "of weirs")} }, 5},
		"a sentence in the type of the text": {10, func(int) []Row { return []Row{row(770, 10, "The motion is carried unanimously.")} }, 0},
		"a short sentence":                   {10, func(int) []Row { return []Row{row(770, 10, "Carried.")} }, 0},
		"an outcome two pitches below it": {10, func(no int) []Row {
			return []Row{row(748, 10, fmt.Sprintf("it is moved that sheet %d be kept", no)), row(770, 10, "Carried with all votes")}
		}, 0},
		"the same foot, far from the text of one page": {10, func(no int) []Row {
			return []Row{row(748, 10, fmt.Sprintf("it is moved that sheet %d be kept", no)), row(770, 10, "Of weirs and of rivers")}[min(1, no/10):]
		}, 10},
		"a sentence in small type":      {10, func(int) []Row { return []Row{row(770, 7, "Printed on paper of the valley.")} }, 10},
		"a name that ends with a point": {3, func(int) []Row { return []Row{row(770, 10, "Water Board of Valley Ltd.")} }, 3},
		"a figure":                      {3, func(int) []Row { return []Row{row(770, 8, "1250")} }, 0},
		"a sum":                         {3, func(int) []Row { return []Row{row(770, 8, "carried forward", "1 250.00")} }, 0},
		"rows of a table":               {3, func(int) []Row { return []Row{row(752, 10, "Upper", "clear"), row(770, 10, "Upper", "clear")} }, 0},
		"what something stands further out of": {4, func(no int) []Row {
			return []Row{row(755, 8, "of weirs"), row(785, 8, fmt.Sprintf("said once, of sheet %d", no))}
		}, 0},
		"a title in large type on some pages": {9, func(no int) []Row {
			if no%4 == 0 {
				return nil
			}
			return []Row{row(50, 16, "Weirs")}[:no%2]
		}, 0},
		"a large head on all pages": {4, func(int) []Row { return []Row{row(40, 16, "Water board")} }, 4},
		"parts that change sides on two pages": {2, func(no int) []Row {
			if no == 2 {
				return []Row{row(30, 8, "No. 12, March", "of weirs")}
			}
			return []Row{row(30, 8, "of weirs", "No. 12, March")}
		}, 2},
		"a leaf and how many there are":         {2, func(no int) []Row { return []Row{row(30, 8, "Account 37-31046-3", fmt.Sprintf("Foglio %d/2", no))} }, 2},
		"a number, the number of all, a stroke": {3, func(no int) []Row { return []Row{row(30, 8, fmt.Sprintf("Contract 2026/402 - %d/3", no))} }, 3},
		"the number of an account":              {3, func(int) []Row { return []Row{row(30, 8, "Account", "510342")} }, 3},
		"rules to write on":                     {3, func(int) []Row { return []Row{row(770, 8, "_____ / _____")} }, 3},
		"pages of an annex":                     {3, func(no int) []Row { return []Row{row(770, 8, fmt.Sprintf("S%d", no))} }, 3},
		"samples above the text":                {3, func(no int) []Row { return []Row{row(30, 8, fmt.Sprintf("S%d", no))} }, 0},
		"a title and S. 3":                      {3, func(no int) []Row { return []Row{row(30, 8, "of weirs", fmt.Sprintf("S. %d", no))} }, 3},
		"answers above the text":                {3, func(no int) []Row { return []Row{row(50, 10, fmt.Sprintf("A%d", no))} }, 0},
		"two columns of a head":                 {3, func(int) []Row { return []Row{row(26, 10, "Water", "board"), row(38, 10, "March", "2026/4")} }, 6},
		"rows of a table above others": {3, func(no int) []Row {
			return []Row{row(40, 10, "Upper", "clear"), row(56, 10, "Lower", "clear"), row(70, 10, fmt.Sprintf("Mill %d", no), "muddy")}
		}, 0},
		"a caption with a number":   {4, func(no int) []Row { return []Row{row(770, 8, fmt.Sprintf("View of the site %d", no))} }, 0},
		"figures":                   {4, func(no int) []Row { return []Row{row(770, 8, fmt.Sprintf("Figure %d", no))} }, 0},
		"a result high on the page": {4, func(int) []Row { return []Row{row(700, 10, "Result: negative")} }, 0},
		"a result, far from the page's number": {4, func(no int) []Row {
			return []Row{row(735, 10, "Result: negative"), row(775, 10, fmt.Sprint(no))}
		}, 4},
		"a result, and the number in small type": {4, func(no int) []Row {
			return []Row{row(760, 10, "Result: negative"), row(780, 7, fmt.Sprint(no))}
		}, 4},
		"a refrain of two lines": {8, func(int) []Row {
			return []Row{row(38, 10, "Sing of the valley"), row(50, 10, "and of the green water")}
		}, 0},
		"an address":                         {3, func(int) []Row { return []Row{row(770, 8, "www.weirs.example", "Port Alder")} }, 3},
		"an ornament around the number":      {3, func(no int) []Row { return []Row{row(780, 10, fmt.Sprintf("*** %d ***", no))} }, 3},
		"the number of all in brackets":      {3, func(no int) []Row { return []Row{row(780, 10, fmt.Sprintf("%d (3)", no))} }, 3},
		"a word for page behind the number":  {3, func(no int) []Row { return []Row{row(780, 10, fmt.Sprintf("%d. oldal", no))} }, 3},
		"strokes around a number in a text":  {3, func(no int) []Row { return []Row{row(780, 8, fmt.Sprintf("Songs and rounds - %d -", no))} }, 3},
		"a number in words":                  {3, func(no int) []Row { return []Row{row(780, 8, "Page "+numerals[0][no-1]+" of three")} }, 3},
		"a number in words alone":            {3, func(no int) []Row { return []Row{row(780, 8, numerals[0][no-1])} }, 0},
		"a witness counted in words":         {3, func(no int) []Row { return []Row{row(50, 8, "Witness "+numerals[0][no-1])} }, 0},
		"a leaf of all within a text":        {3, func(no int) []Row { return []Row{row(780, 8, fmt.Sprintf("Contrato 2026/402, hoja %d de 3", no))} }, 3},
		"a page and a line to write on":      {3, func(no int) []Row { return []Row{row(780, 10, fmt.Sprintf("Page %d of 3 | Initials ____ ____", no))} }, 3},
		"initials in the type of the text":   {3, func(no int) []Row { return []Row{row(780, 10, "Initials ____ ____")} }, 3},
		"a field to fill in above the text":  {3, func(no int) []Row { return []Row{row(50, 10, "Name ________")} }, 0},
		"a date in small type":               {3, func(no int) []Row { return []Row{row(780, 8, "4.5.2026")} }, 3},
		"a number of files, far":             {3, func(no int) []Row { return []Row{row(780, 10, "2026-114")} }, 3},
		"the date of letters, near":          {3, func(no int) []Row { return []Row{row(56, 10, "4.5.2026")} }, 0},
		"a year in small type":               {3, func(no int) []Row { return []Row{row(30, 8, "Lease", "2026")} }, 3},
		"a sum in one part":                  {3, func(no int) []Row { return []Row{row(780, 10, "Carried forward 1 250.00")} }, 0},
		"the same large title near the text": {4, func(no int) []Row { return []Row{row(58, 14, "Rules for temporary stalls")} }, 0},
		"formulas that take turns": {8, func(no int) []Row {
			return []Row{row(60, 10, []string{"In law", "In law", "As to the facts", "In law", "As to the facts", "As to the facts", "In law", "In law"}[no-1])}
		}, 0},
		"a head on left pages, another on right ones": {8, func(no int) []Row {
			said := []Row{row(600, 10, "Court of Appeal"), row(620, 10, "Keller v. Favre")}[:2*kindOf(no == 1)]
			return append(said, row(60, 10, []string{"Court of Appeal", "Keller v. Favre"}[no%2]))
		}, 8},
		"labels that take turns": {8, func(no int) []Row {
			return []Row{row(60, 10, []string{"For the council", "For the citizens"}[no%2])}
		}, 0},
		"sums that happen to be as far apart as the pages": {8, func(no int) []Row {
			return []Row{row(770, 10, []string{"1281", "1262", "1339", "1299", "1307", "1313", "1314", "1344"}[no-1])}
		}, 0},
		"a page numbered anew": {8, func(no int) []Row { return []Row{row(770, 10, fmt.Sprint((no-1)%4+1))} }, 8},
		"the number of a report's page within its text": {3, func(no int) []Row {
			return []Row{row(30, 8, fmt.Sprintf("12 Rep. %d (2026)", no+210)), row(770, 10, fmt.Sprint(no+210))}
		}, 6},
		"a plate and the page, both from 1": {3, func(no int) []Row {
			return []Row{row(30, 8, fmt.Sprintf("Plates of the valley %d", no)), row(770, 10, fmt.Sprint(no))}
		}, 3},
		"a voucher": {3, func(no int) []Row { return []Row{row(770, 8, fmt.Sprintf("Voucher of the valley %d", no+84))} }, 0},
		"a number before and behind": {4, func(no int) []Row {
			if no%2 == 0 {
				return []Row{row(30, 10, fmt.Sprintf("%d Songs of the valley", no+84))}
			}
			return []Row{row(30, 10, fmt.Sprintf("Songs of the valley %d", no+84))}
		}, 4},
		"a number before and behind, not by side": {4, func(no int) []Row {
			if no > 2 {
				return []Row{row(30, 10, fmt.Sprintf("%d Songs of the valley", no+84))}
			}
			return []Row{row(30, 10, fmt.Sprintf("Songs of the valley %d", no+84))}
		}, 0},
		"text that others have there": {9, func(no int) []Row {
			if no <= 3 {
				return []Row{row(770, 10, "Carried with all votes")}
			}
			return []Row{row(760, 10, fmt.Sprintf("goes on to the foot of sheet %d", no)), row(772, 10, fmt.Sprintf("and then beyond on sheet %d", no+1))}
		}, 0},
	} {
		if got := gone(pagesOf(c.pages, c.edge), nil); len(got) != c.want {
			t.Errorf("%s: %d rows go, want %d: %q", name, len(got), c.want, got)
		}
	}
}

// TestValuesStay: what comes and goes at an edge, and a second number that runs with the
// pages, are what the pages say.
func TestValuesStay(t *testing.T) {
	value := func(no int, values ...string) string {
		return values[[]int{0, 1, 1, 2, 0, 2, 1, 0, 2, 1}[no%10]%len(values)]
	}
	folio := func(no int) Row { return row(780, 8, fmt.Sprintf("Page %d of 9", no)) }
	say := func(here bool, titles ...string) []Row {
		var out []Row
		for i, title := range titles {
			out = append(out, row(580+20*float64(i), 14, title))
		}
		return out[:len(out)*kindOf(here)]
	}
	for name, c := range map[string]struct {
		edge func(no int) []Row
		want int // rows that go of nine pages
	}{
		"one of two verdicts": {func(no int) []Row {
			return []Row{row(760, 8, "Verdict: "+value(no, "guilty", "acquitted")), folio(no)}
		}, 9},
		"two names of three": {func(no int) []Row {
			return []Row{row(30, 8, value(no, "Meier", "Roth", "Keller")+" / "+value(no+1, "Roth", "Keller", "Meier")), folio(no)}
		}, 9},
		"the number of a poem":    {func(no int) []Row { return []Row{row(30, 10, fmt.Sprintf("%d", no+4)), folio(no)} }, 9},
		"the page's number twice": {func(no int) []Row { return []Row{row(30, 8, fmt.Sprintf("%d", no)), folio(no)} }, 9},
		"a year": {func(no int) []Row {
			return []Row{row(30, 8, "Budget", fmt.Sprintf("%d", 2017+no)), folio(no)}
		}, 9},
		"two chapters": {func(no int) []Row {
			title := "of weirs"
			if no > 4 {
				title = "of rivers"
			}
			return append(say(no == 1 || no == 5, title), row(30, 8, title), folio(no))
		}, 18},
		"two chapters that nothing else says": {func(no int) []Row {
			return []Row{row(30, 8, []string{"of weirs", "of rivers"}[no/5]), folio(no)}
		}, 9},
		"left and right": {func(no int) []Row {
			return append(say(no == 1, "of weirs", "and of rivers"), row(30, 8, []string{"of weirs", "and of rivers"}[no%2]), folio(no))
		}, 18},
		"labels left and right": {func(no int) []Row {
			return []Row{row(30, 8, []string{"Received", "Paid"}[no%2]), folio(no)}
		}, 9},
		"chapters on left pages, the book on right ones": {func(no int) []Row {
			chapter := []string{"of weirs", "of rivers", "of mills"}[(no-1)/3]
			if no%3 == 1 {
				return append(say(true, chapter), folio(no))
			}
			return []Row{row(30, 8, []string{chapter, "The valley in songs"}[no%2]), folio(no)}
		}, 15},
		"a result on some pages": {func(no int) []Row {
			return append([]Row{row(765, 8, "Carried: 5 to 2")}[:kindOf(no%3 == 1)], folio(no))
		}, 9},
		"the same grade on pages that follow each other by chance": {func(no int) []Row {
			return []Row{row(765, 8, "Class", []string{"3b", "4a", "4a", "5c", "3a", "5c", "5c", "4b", "4c"}[no-1]), folio(no)}
		}, 9},
		"names of those on duty": {func(no int) []Row {
			return []Row{row(765, 8, []string{"Meier - Roth", "Roth - Frey", "Roth - Frey", "Frey - Meier", "Meier - Roth", "Frey - Roth", "Meier - Frey", "Roth - Meier", "Frey - Roth"}[no-1]), folio(no)}
		}, 9},
		"answers of a word": {func(no int) []Row {
			return []Row{row(765, 8, []string{"Yes / No / Yes", "Yes / Yes / No", "No / Yes / Yes"}[no*no%3]), folio(no)}
		}, 9},
		"sums of which two are as far apart as the pages": {func(no int) []Row {
			return []Row{row(765, 8, "Votes cast", fmt.Sprint([]int{24, 26, 24, 25, 24, 26, 27, 24, 25}[no-1])), folio(no)}
		}, 9},
		"the number above and below": {func(no int) []Row {
			return []Row{row(30, 8, "of weirs", fmt.Sprintf("Page %d", no)), folio(no)}
		}, 18},
	} {
		if out := gone(pagesOf(9, c.edge), nil); len(out) != c.want {
			t.Errorf("%s: %d rows go, want %d: %q", name, len(out), c.want, out)
		}
	}
}

// TestOneNumberOfAPage: where one row has the page's number, a second one with a number
// that runs with the pages is text, and begins at the number of the page as often as not.
func TestOneNumberOfAPage(t *testing.T) {
	for name, c := range map[string]struct {
		edge func(no int) []Row
		want int // rows that go of six pages
	}{
		"an exercise": {func(no int) []Row {
			return []Row{row(30, 8, "Exercise", fmt.Sprint(no)), row(780, 8, fmt.Sprintf("Page %d of 6", no))}
		}, 6},
		"a lesson, with a stroke": {func(no int) []Row {
			return []Row{row(50, 8, fmt.Sprintf("Lesson - %d", no)), row(780, 8, fmt.Sprintf("Manual of the pump - %d", no))}
		}, 6},
		"a large number": {func(no int) []Row {
			return []Row{row(50, 24, fmt.Sprint(no)), row(780, 8, fmt.Sprintf("%d/6", no))}
		}, 6},
		"a number in brackets": {func(no int) []Row { return []Row{row(50, 10, fmt.Sprintf("(%d)", no)), row(780, 10, fmt.Sprint(no))} }, 6},
		"a Roman one": {func(no int) []Row {
			return []Row{row(50, 10, []string{"I", "II", "III", "IV", "V", "VI"}[no-1]), row(780, 8, fmt.Sprint(no))}
		}, 6},
		"a score above the number":              {func(no int) []Row { return []Row{row(760, 8, fmt.Sprintf("%d/6", no)), row(785, 8, fmt.Sprint(no))} }, 6},
		"one that the page of a letter differs": {func(no int) []Row { return []Row{row(30, 8, "Instalment", fmt.Sprint(no)), row(780, 8, "Page 1 of 1")} }, 6},
		"a caption, and one that the file marks": {func(no int) []Row {
			foot := row(780, 8, fmt.Sprint(no))
			foot.Mark = Artifact
			return []Row{row(755, 8, fmt.Sprintf("%d/6", no)), foot}
		}, 6},
	} {
		if out := gone(pagesOf(6, c.edge), nil); len(out) != c.want {
			t.Errorf("%s: %d rows go, want %d: %q", name, len(out), c.want, out)
		}
	}
}

// TestWhatIsCountedStays: numbers that run with the pages, and nothing else does, are those
// of things, by the way they are set; those that are pages' go.
func TestWhatIsCountedStays(t *testing.T) {
	at := func(base, size, x float64, text string) Row {
		r := row(base, size, text)
		r.Parts[0].Right += x - r.Parts[0].Left
		r.Parts[0].Left = x
		return r
	}
	for name, c := range map[string]struct {
		edge func(no int) []Row
		want int // rows that go of six pages
	}{
		"a large number":                  {func(no int) []Row { return []Row{at(50, 14, 300, fmt.Sprint(no))} }, 0},
		"a number where lines begin":      {func(no int) []Row { return []Row{row(50, 10, fmt.Sprint(no))} }, 0},
		"the number of an item":           {func(no int) []Row { return []Row{at(50, 10, 300, fmt.Sprintf("%d.", no))} }, 0},
		"a Roman number in capitals":      {func(no int) []Row { return []Row{at(50, 10, 300, []string{"I", "II", "III", "IV", "V", "VI"}[no-1])} }, 0},
		"a number above the middle":       {func(no int) []Row { return []Row{at(50, 10, 300, fmt.Sprint(no))} }, 6},
		"a number at the foot":            {func(no int) []Row { return []Row{at(780, 14, 300, fmt.Sprint(no))} }, 6},
		"a number at the outer edge":      {func(no int) []Row { return []Row{at(30, 10, 50+450*float64(no%2), fmt.Sprint(no))} }, 6},
		"a year":                          {func(no int) []Row { return []Row{at(30, 8, 300, fmt.Sprint(1960+no))} }, 0},
		"pages 1961 on by a word":         {func(no int) []Row { return []Row{at(30, 8, 300, fmt.Sprintf("Page %d", 1960+no))} }, 6},
		"pages 1961 on at the outer edge": {func(no int) []Row { return []Row{at(30, 8, 50+450*float64(no%2), fmt.Sprint(1960+no))} }, 6},
		"a grave":                         {func(no int) []Row { return []Row{row(30, 8, "Grave", fmt.Sprint(11+no))} }, 0},
		"a word that the text says":       {func(no int) []Row { return []Row{row(30, 8, "Weirs", fmt.Sprint(11+no)), row(600, 14, "Weirs")} }, 6},
		"a title of words":                {func(no int) []Row { return []Row{row(30, 8, "Of weirs", fmt.Sprint(11+no))} }, 6},
		"a row of a table": {func(no int) []Row {
			return []Row{row(745, 10, "Chairs and tables", "open", "3"), row(765, 10, "Boxes of all kind", "open", fmt.Sprint(no))}
		}, 0},
		"a letter's date":              {func(no int) []Row { return []Row{row(40, 10, "Bern, 12 March 2026")} }, 0},
		"where and when it was signed": {func(no int) []Row { return []Row{row(760, 10, "Signed at Bern on 12 March 2026")} }, 0},
		"a date in small type":         {func(no int) []Row { return []Row{row(780, 8, "12 March 2026")} }, 6},
		"what points to a page":        {func(no int) []Row { return []Row{row(780, 8, fmt.Sprintf("See page %d", no+1))} }, 0},
		"where it comes from":          {func(no int) []Row { return []Row{row(30, 8, fmt.Sprintf("Continued from page %d", no))} }, 0},
		"a page of a diary":            {func(no int) []Row { return []Row{row(30, 8, fmt.Sprintf("Page %d of the diary", no))} }, 0},
		"a page of a diary, in words":  {func(no int) []Row { return []Row{row(30, 8, fmt.Sprintf("Page %s of the diary", numerals[0][no-1]))} }, 0},
		"a report and its page":        {func(no int) []Row { return []Row{row(780, 8, fmt.Sprintf("Report of weirs page %d", no))} }, 6},
		"points of many":               {func(no int) []Row { return []Row{row(780, 8, fmt.Sprintf("Points: ___ / %d", no+3))} }, 0},
	} {
		if out := gone(pagesOf(6, c.edge), nil); len(out) != c.want {
			t.Errorf("%s: %d rows go, want %d: %q", name, len(out), c.want, out)
		}
	}
}

// TestNumbersOfPages: what is the page's in other forms: by chapter, stamped on all files
// of a case, with the time of printing, between strokes.
func TestNumbersOfPages(t *testing.T) {
	for name, c := range map[string]struct {
		edge func(no int) []Row
		want int // rows that go of six pages
	}{
		"between strokes":           {func(no int) []Row { return []Row{row(780, 10, fmt.Sprintf("-%d-", no))} }, 6},
		"by chapter":                {func(no int) []Row { return []Row{row(780, 8, fmt.Sprintf("%d.%d", 1+(no-1)/3, 1+(no-1)%3))} }, 6},
		"by chapter, with a stroke": {func(no int) []Row { return []Row{row(780, 8, fmt.Sprintf("%d-%d", 1+(no-1)/3, 1+(no-1)%3))} }, 6},
		"a grade":                   {func(no int) []Row { return []Row{row(780, 8, fmt.Sprintf("%d.%d", 4+no%2, no%3))} }, 0},
		"sections above the text":   {func(no int) []Row { return []Row{row(50, 10, fmt.Sprintf("%d.%d", 1+(no-1)/3, 1+(no-1)%3))} }, 0},
		"sections of one chapter":   {func(no int) []Row { return []Row{row(780, 8, fmt.Sprintf("2.%d", no))} }, 0},
		"stamped":                   {func(no int) []Row { return []Row{row(785, 8, fmt.Sprintf("ACME-%06d", 4710+no))} }, 6},
		"a number of files above":   {func(no int) []Row { return []Row{row(30, 8, fmt.Sprintf("G-%05d", 110+no))} }, 0},
		"stamped, a gap":            {func(no int) []Row { return []Row{row(785, 8, fmt.Sprintf("ACME-%06d", 4710+no*no))} }, 0},
		"stamped on some pages":     {func(no int) []Row { return []Row{row(785, 8, fmt.Sprintf("ACME-%06d", 4710+no))}[:kindOf(no < 6)] }, 0},
		"a product":                 {func(no int) []Row { return []Row{row(785, 8, fmt.Sprintf("ACME-%d", 4710+no))} }, 0},
		"printed at": {func(no int) []Row {
			return []Row{row(785, 8, fmt.Sprintf("Printed 12.03.2026 14:%02d page %d of 6", 10*no, no))}
		}, 6},
		"a time, without the page": {func(no int) []Row { return []Row{row(785, 8, fmt.Sprintf("Adjourned until 14:%02d", 10*no))} }, 0},
		"near to a foot, with all pages": {func(no int) []Row {
			return []Row{row(765, 8, fmt.Sprintf("Grade of sheet %d", no*no)), row(779, 8, fmt.Sprintf("Page %d of 6", no))}
		}, 6},
	} {
		if out := gone(pagesOf(6, c.edge), nil); len(out) != c.want {
			t.Errorf("%s: %d rows go, want %d: %q", name, len(out), c.want, out)
		}
	}
}

// TestHeadsThatChange: with its chapter a head counts only where its words stand
// elsewhere: in the outline on a page before, in the text of its page, on another.
func TestHeadsThatChange(t *testing.T) {
	heads := func(no int) []Row {
		return []Row{row(30, 8, fmt.Sprint(no), []string{"of rivers", "of rivers", "of weirs", "of mills"}[no-1])}
	}
	if got := gone(pagesOf(4, heads), nil); !slices.Equal(got, []string{"1: 1 of rivers", "2: 2 of rivers"}) {
		t.Errorf("%q", got)
	}
	titles := Titles{}
	titles.AddTitle("2. Of weirs", 2)
	titles.AddTitle("3. Of mills", 4) // begins on this page, whose text does not say so
	if got := gone(pagesOf(4, heads), titles); len(got) != 3 {
		t.Errorf("%q", got)
	}
	pages := pagesOf(4, func(no int) []Row { return append(heads(no), row(600, 14, "3 Of mills")) })
	if got := gone(pages, titles); len(got) != 4 {
		t.Errorf("%q", got)
	}
}

// TestTitlesStandElsewhere: heads that change, and heads of one page, go where each of
// their pieces stands elsewhere as a line of text; else they stay.
func TestTitlesStandElsewhere(t *testing.T) {
	chapters := []string{"Of rivers", "Of weirs", "Of mills", "Of bridges"}
	for name, c := range map[string]struct {
		pages int
		edge  func(no int) []Row
		want  int
	}{
		"a book and its chapter in one part": {3, func(no int) []Row {
			return []Row{row(30, 8, "The valley: "+chapters[no]), row(600, 14, chapters[no])}
		}, 3},
		"two pages": {2, func(no int) []Row { return []Row{row(30, 8, chapters[no]), row(600, 14, chapters[no])} }, 2},
		"two pages, titles in the type of the text": {2, func(no int) []Row {
			return []Row{row(56, 10, chapters[no]), row(600, 10, chapters[no])}
		}, 0},
		"a title of two lines": {3, func(no int) []Row {
			return []Row{row(30, 8, chapters[no]+" and of all that is beside them"), row(600, 14, chapters[no]+" and of"), row(620, 14, "all that is beside them")}
		}, 3},
		"a title on the page before": {6, func(no int) []Row {
			if no%2 == 1 {
				return []Row{row(600, 14, chapters[no/2])}
			}
			return []Row{row(30, 8, chapters[no/2-1])}
		}, 3},
		"a title with the page's number": {4, func(no int) []Row {
			return []Row{row(770, 8, fmt.Sprintf("%s %d", chapters[no-1], no+10)), row(600, 14, chapters[no-1])}
		}, 4},
		"the second page of two": {2, func(no int) []Row {
			return [][]Row{{row(600, 10, "Case 4A_12/2026")}, {row(30, 8, "Case 4A_12/2026", "Page 2")}}[no-1]
		}, 1},
		"the second page of two says what the first does not": {2, func(no int) []Row {
			return [][]Row{nil, {row(30, 8, "Case 4A_12/2026", "Page 2")}}[no-1]
		}, 0},
		"the second page of two, its number below": {2, func(no int) []Row {
			return [][]Row{{row(600, 10, "Case 4A_12/2026")}, {row(30, 8, "Case 4A_12/2026"), row(41, 8, "page 2 of 2")}}[no-1]
		}, 2},
		"the second page of two, its number and a name that is nowhere else": {2, func(no int) []Row {
			return [][]Row{nil, {row(30, 8, "Case 4A_12/2026"), row(41, 8, "page 2 of 2")}}[no-1]
		}, 0},
		"parties with the page's number, the first page without": {4, func(no int) []Row {
			if no == 1 {
				return []Row{row(600, 10, "Keller v. Favre")}
			}
			return []Row{row(30, 10, fmt.Sprintf("Keller v. Favre %d", no))}
		}, 3},
		"a title of the text and a count from 1, in its type": {4, func(no int) []Row {
			return []Row{row(30, 10, fmt.Sprintf("Keller v. Favre %d", no)), row(600, 10, "Keller v. Favre")}
		}, 0},
		"a name and a figure on the second page": {2, func(no int) []Row {
			return [][]Row{{row(600, 10, "Jonas Keller")}, {row(50, 10, "Jonas Keller", "2")}}[no-1]
		}, 0},
	} {
		if got := gone(pagesOf(c.pages, c.edge), nil); len(got) != c.want {
			t.Errorf("%s: %d rows go, want %d: %q", name, len(got), c.want, got)
		}
	}
}

// TestTheTitleOfTheDocument: a head that says the document's own title stands elsewhere,
// though no line of the text has it; its number is the page's.
func TestTheTitleOfTheDocument(t *testing.T) {
	own := Titles{}
	own.AddOwn("Songs of the valley")
	for name, c := range map[string]struct {
		pages int
		edge  func(no int) []Row
		want  int
	}{
		"the left page of three": {3, func(no int) []Row {
			if no == 2 {
				return []Row{row(30, 8, "2", "Songs of the valley")}
			}
			return []Row{row(30, 8, "Of mills", fmt.Sprint(no)), row(600, 14, "Of mills")}
		}, 3},
		"beside a number": {2, func(no int) []Row { return []Row{row(770, 8, fmt.Sprintf("Songs of the valley %d", no))} }, 2},
		"a page alone, whose title it is": {1, func(no int) []Row {
			return []Row{row(30, 8, "Songs of the valley"), row(41, 8, "Page 1 of 1")}
		}, 0},
		"beside a year": {2, func(no int) []Row { return []Row{row(770, 8, fmt.Sprintf("Songs of the valley %d", no+1990))} }, 0},
		"another title": {2, func(no int) []Row { return []Row{row(770, 8, fmt.Sprintf("Songs of the river %d", no))} }, 0},
	} {
		pages := pagesOf(c.pages, c.edge)
		if got := gone(pages, own); len(got) != c.want {
			t.Errorf("%s: %d rows go, want %d: %q", name, len(got), c.want, got)
		}
	}
}

// tabled are n pages of a table from 70 points on to 740, and what edge adds to each.
func tabled(n int, edge func(no int) []Row) []Page {
	var out []Page
	for no := 1; no <= n; no++ {
		rows := append(edge(no), Row{Solid: true, Top: 70, Base: 740})
		slices.SortStableFunc(rows, func(a, b Row) int { return int(a.Base - b.Base) })
		out = append(out, Page{No: no, Width: 600, Height: 800, Rows: rows, Boxed: Boxed{Chars: 900}})
	}
	return out
}

// TestPagesOfTables: heads above and feet below tables go; what is carried forward,
// near to the table, stays.
func TestPagesOfTables(t *testing.T) {
	got := gone(tabled(3, func(no int) []Row {
		return []Row{row(60, 8, "Account 37-31046-3", fmt.Sprintf("Sheet %d/3", no)), row(752, 10, "Carried forward")}
	}), nil)
	if len(got) != 3 || strings.Contains(strings.Join(got, " "), "Carried") {
		t.Errorf("%q", got)
	}
}

// TestOnePage: of one page nothing repeats, and a lone number must be its own.
func TestOnePage(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "Page 1 of 1": 1, "1250": 0, "2": 0, "Art. 1": 0, "Total amount due in francs 1250": 0, "Signed on 1": 0} {
		if got := gone(pagesOf(1, func(int) []Row { return []Row{row(770, 8, text)} }), nil); len(got) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	labelled := pagesOf(1, func(int) []Row { return []Row{row(770, 8, "xiv")} })
	labelled[0].Label = "xiv"
	if got := gone(labelled, nil); len(got) != 1 {
		t.Errorf("%q", got)
	}
	labelled[0].Label, labelled[0].Rows[len(labelled[0].Rows)-1] = "Art. 3", row(770, 8, "Art. 3")
	if got := gone(labelled, nil); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestNumbersIn(t *testing.T) {
	for part, want := range map[string]string{
		"3": "3", "- 3 -": "3", "page 3 of 7": "3", "3/7": "3", "seite 3": "3", "página 12": "12", "7-45": "45", "xiv": "xiv", "第3页": "3",
		"(3)": "3", "« 3 »": "3", "3.": "3", "page: 3": "3", "page no. 3": "3", "(page 3 of 7)": "3", "= 3 =": "3",
		"water report | 3": "3", "3 · water report": "3", "report, page 3, june": "3", "47699": "47699",
		"art. 3": "", "step 3: open": "", "no. 2026/3": "", "ac-023": "", "3 june 2026": "", "water report 3": "", "§ 3": "", "s. 3": "", "": "", "第3条": "",
	} {
		got := ""
		if s := numbersIn(part); len(s) > 0 {
			got = part[s[0].from:s[0].to]
		}
		if got != want {
			t.Errorf("%q: %q, want %q", part, got, want)
		}
	}
}

// readPage is a page whose units OCR has read: text and what stands above and below.
func readPage(no int, texts map[float64]string) (model.Page, []model.Unit) {
	page := model.Page{PageNo: no, Width: 600, Height: 800}
	texts[0.5] = fmt.Sprintf("What the sheet with number %d has to say is said by nobody else, %s", no, strings.Repeat("and then more is said of it ", 20))
	var units []model.Unit
	for y, text := range texts {
		h := 0.0125
		if y == 0.5 {
			h = 0.2
		}
		units = append(units, model.Unit{IRID: fmt.Sprintf("%d: %s", no, text), Type: model.UnitParagraph, OCREngine: "engine",
			Evidence: []model.Evidence{{BBox: &model.BBox{X: 0.1, Y: y, W: 0.8, H: h}}}, FieldsRaw: model.Fields{Text: strings.ReplaceAll(text, "\t", " "), TextPrinted: text}})
	}
	return page, units
}

// TestWhatOCRHasRead: all pages together show which of their lines repeat, with their
// numbers; a page alone, and what differs, stays.
func TestWhatOCRHasRead(t *testing.T) {
	for pages, want := range map[int]int{1: 0, 4: 8} {
		var c Read
		var ids []string
		for no := 1; no <= pages; no++ {
			page, units := readPage(no, map[float64]string{0.03: "Water board of the valley", 0.12: fmt.Sprintf("Art. %d", no), 0.95: fmt.Sprintf("Report of weirs\t%d", no)})
			c.Add(page, units)
			for _, u := range units {
				ids = append(ids, u.IRID)
			}
		}
		n := 0
		for _, id := range ids {
			if c.LeftOut(id) {
				n++
				if !strings.Contains(id, "Water board") && !strings.Contains(id, "Report of") {
					t.Errorf("%q is left out", id)
				}
			}
		}
		if n != want {
			t.Errorf("%d pages: %d units are left out, want %d", pages, n, want)
		}
	}
}

// headUnit is a unit of a PDF that says that it is a running head.
func headUnit(no int, printed string, flags ...string) model.Unit {
	return model.Unit{IRID: fmt.Sprintf("%d %s", no, printed), Type: model.UnitPageHeader, ParserVersion: "7", Evidence: []model.Evidence{{PageNumber: no, BBox: &model.BBox{}}},
		FieldsRaw: model.Fields{Text: strings.ReplaceAll(printed, "\t", " "), TextPrinted: printed, Flags: flags}}
}

// TestClaims: what is left out of chunks and stands nowhere else is found, however it
// came to be left out.
func TestClaims(t *testing.T) {
	body := model.Unit{Type: model.UnitHeading, FieldsRaw: model.Fields{Text: "2 Of weirs and mills"}}
	for name, c := range map[string]struct {
		heads []string // of pages 1, 2, …
		flags []string
		want  int
	}{
		"the same text":               {[]string{"of rivers", "of rivers"}, nil, 0},
		"with their numbers":          {[]string{"of rivers\t1", "of rivers\t2"}, nil, 0},
		"numbers of their own":        {[]string{"- 11 -", "- 12 -"}, nil, 0},
		"in the text":                 {[]string{"Of weirs\t1"}, nil, 0},
		"two rows":                    {[]string{"of rivers\nof springs\t1", "of springs\t2", "of rivers"}, nil, 0},
		"said once":                   {[]string{"Total amount due in francs 1250"}, nil, 1},
		"a lone sum":                  {[]string{"1250"}, nil, 1},
		"articles":                    {[]string{"Art. 1", "Art. 2", "Art. 3"}, nil, 3},
		"marked by the file":          {[]string{"said once"}, []string{FlagArtifact}, 0},
		"in the outline":              {[]string{"said once"}, []string{FlagOutline}, 0},
		"one of two":                  {[]string{"of rivers", "of rivers", "of springs"}, nil, 1},
		"one text twice on its page":  {[]string{"of springs\nof springs"}, nil, 1},
		"a number after another word": {[]string{"Step 1", "Step 2"}, nil, 2},
		"parts that change sides":     {[]string{"of rivers\tMarch", "March\tof rivers"}, nil, 0},
		"letters before numbers":      {[]string{"S1", "S2"}, nil, 0},
		"stamped":                     {[]string{"ACME-004711", "ACME-004712"}, nil, 0},
		"by chapter":                  {[]string{"1.1", "1.2", "1.3", "2.1"}, nil, 0},
		"printed at":                  {[]string{"Printed 14:00 page 1 of 2", "Printed 14:05 page 2 of 2"}, nil, 0},
		"adjourned":                   {[]string{"Adjourned until 14:00", "Adjourned until 14:05"}, nil, 2},
		"pieces":                      {[]string{"The valley: Of weirs", "The valley: Of weirs and mills"}, nil, 0},
		"a piece that is nowhere":     {[]string{"The valley: Of weirs", "The valley: Of boats"}, nil, 1},
		"one title with numbers":      {[]string{"Songs of the valley 11", "12 Songs of the valley"}, nil, 0},
		"one title, other numbers":    {[]string{"Songs of the valley 11", "Songs of the valley 40"}, nil, 2},
		"titles with numbers":         {[]string{"Of weirs and mills 11", "Of weirs and mills 12"}, nil, 0},
	} {
		var claims Claims
		for i, text := range c.heads {
			claims.Add(model.Page{PageNo: i + 1}, []model.Unit{headUnit(i+1, text, c.flags...)})
		}
		if claims.Open() {
			claims.Search([]model.Unit{body})
		}
		if got := claims.Left(); len(got) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestClaimsOfTheTitle: the document's own title proves a head that says it.
func TestClaimsOfTheTitle(t *testing.T) {
	for title, want := range map[string]int{"Songs of the valley": 0, "Songs of the river": 1} {
		var claims Claims
		claims.Add(model.Page{PageNo: 1, Title: title}, nil)
		claims.Add(model.Page{PageNo: 2}, []model.Unit{headUnit(2, "2\tSongs of the valley")})
		if claims.Open() {
			claims.Search([]model.Unit{{Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: "Of mills."}}})
		}
		if got := claims.Left(); len(got) != want {
			t.Errorf("%s: %+v", title, got)
		}
	}
}

func FuzzNumbers(f *testing.F) {
	f.Add("page 3 of 7", 3, "iii")
	f.Add("| 3", 1, "")
	f.Fuzz(func(t *testing.T, text string, no int, label string) {
		facts := Facts{Offsets: []Offset{{Shift: 4}}, Sampled: 2, Size: 10, Pitch: 12}
		p := Page{No: no, Label: label, Width: 600, Height: 800, Rows: []Row{row(30, 8, text), row(400, 10, "text")}}
		key, owned, bare := facts.key(&p, &p.Rows[0])
		if bare && !owned || owned && !strings.Contains(key, placeholder) {
			t.Errorf("%q: key %q, owned %v, bare %v", text, key, owned, bare)
		}
		if d := Decide(&p, &facts, nil); len(d.Rows) != 2 || d.Rows[1] != Body {
			t.Errorf("%q: %+v", text, d)
		}
	})
}
