package running

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// tagged are pages of which all rows are content, but those at the edge, which have a mark.
func tagged(pages []Page, mark Mark, texts ...string) []Page {
	for i := range pages {
		for k := range pages[i].Rows {
			r := &pages[i].Rows[k]
			if r.Mark = Content; slices.Contains(texts, r.Text()) {
				r.Mark = mark
			}
		}
	}
	return pages
}

// TestWhatTheTagsLeaveOut: a title or a word with the page's number is a head where the
// file's structure leaves it out on all pages, and text where anything else counts it.
func TestWhatTheTagsLeaveOut(t *testing.T) {
	for name, c := range map[string]struct {
		pages int
		text  string
		last  string // in place of text on the last page
		base  float64
		size  float64
		mark  Mark
		want  int
	}{
		"a word":                               {4, "Dunmore %d", "", 30, 8, Orphan, 4},
		"a number and a word":                  {4, "%d Dunmore", "", 30, 8, Orphan, 4},
		"a word at the foot":                   {4, "Dunmore %d", "", 770, 8, Orphan, 4},
		"a word, not marked at all":            {4, "Dunmore %d", "", 30, 8, Unmarked, 0},
		"a word of the text":                   {4, "Dunmore %d", "", 30, 8, Content, 0},
		"a word near to the text":              {4, "Dunmore %d", "", 62, 8, Orphan, 0},
		"a word in the type of the text":       {4, "Dunmore %d", "", 30, 10, Orphan, 0},
		"a word on two pages":                  {2, "Dunmore %d", "", 30, 8, Orphan, 0},
		"another word on the last page":        {4, "Dunmore %d", "Castle 14", 30, 8, Orphan, 0},
		"another number on the last page":      {4, "Dunmore %d", "Dunmore 19", 30, 8, Orphan, 0},
		"where the text goes on":               {4, "continued on page %d", "", 770, 8, Orphan, 0},
		"a title":                              {4, "The mill of Dunmore %d", "", 30, 8, Orphan, 4},
		"a title and a year":                   {4, "Report of 2026 %d", "", 30, 8, Orphan, 4},
		"a number before a title and a year":   {4, "%d Report of 2026", "", 30, 8, Orphan, 4},
		"a title and the number of all":        {4, "Lease of a mill, %d of 4", "", 30, 8, Orphan, 4},
		"a title and the number of all, plain": {4, "Lease of a mill, %d of 4", "", 30, 8, Unmarked, 0},
		"a title, not marked at all":           {4, "The mill of Dunmore %d", "", 30, 8, Unmarked, 0},
		"a title of the text":                  {4, "The mill of Dunmore %d", "", 30, 8, Content, 0},
		"a title in the type of the text":      {4, "The mill of Dunmore %d", "", 30, 10, Orphan, 4},
	} {
		var texts []string
		pages := pagesOf(c.pages, func(no int) []Row {
			number := no + 10
			if strings.HasSuffix(c.text, " of 4") {
				number = no
			}
			text := fmt.Sprintf(c.text, number)
			if c.last != "" && no == c.pages {
				text = c.last
			}
			texts = append(texts, text)
			return []Row{row(c.base, c.size, text)}
		})
		if got := gone(tagged(pages, c.mark, texts...), nil); len(got) != c.want {
			t.Errorf("%s: %d rows go, want %d: %q", name, len(got), c.want, got)
		}
	}
}

// TestAWordBesideANumberSaysWhy: the file's structure proves such a head, beside the other
// pages that have it, and its unit says so.
func TestAWordBesideANumberSaysWhy(t *testing.T) {
	pages := pagesOf(3, func(no int) []Row { return []Row{row(30, 8, fmt.Sprintf("Dunmore %d", no))} })
	pages = tagged(pages, Orphan, "Dunmore 1", "Dunmore 2", "Dunmore 3")
	f := Learn(pages, 10, nil)
	if d := Decide(&pages[1], &f, nil); d.Rows[0] != Head || d.Why[0].Flag() != FlagOutside {
		t.Errorf("%+v", d.Why[0])
	}
}

// TestClaimsOfAWordBesideANumber: the flag alone proves nothing: the word must stand on
// another page too, with a number that runs with the pages.
func TestClaimsOfAWordBesideANumber(t *testing.T) {
	for name, c := range map[string]struct {
		heads []string
		flags []string
		want  int
	}{
		"on two pages":               {[]string{"Dunmore 11", "Dunmore 12"}, []string{FlagOutside}, 0},
		"without the flag":           {[]string{"Dunmore 11", "Dunmore 12"}, nil, 2},
		"on one page":                {[]string{"Dunmore 11"}, []string{FlagOutside}, 1},
		"numbers that run otherwise": {[]string{"Dunmore 11", "Dunmore 40"}, []string{FlagOutside}, 2},
		"another word":               {[]string{"Dunmore 11", "Castle 12"}, []string{FlagOutside}, 2},
	} {
		var claims Claims
		for i, text := range c.heads {
			claims.Add(model.Page{PageNo: i + 1}, []model.Unit{headUnit(i+1, text, c.flags...)})
		}
		claims.Open()
		if got := claims.Left(); len(got) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
