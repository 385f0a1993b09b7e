package running

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// chapterNumber is what chapters and sections begin with.
var chapterNumber = regexp.MustCompile(`^(?:(?:chapter|chapitre|capítulo|capitolo|capitulo|kapitel|section|sección|sezione|secção|seção|abschnitt|part|partie|parte|teil|appendix|annexe?|anhang|anexo|allegato|apéndice|apêndice|appendice)\s*)?(?:§\s*)?(?:\d{1,3}|[ivxlc]{1,6}|[a-z])(?:\.\d{1,3})*(?:[.:)]|\s|$)\s*[.:–—-]?\s*`)

// learnChanging finds the heights at which most pages have a head that changes with
// the chapter: outermost, apart from the text, and mostly proved to stand elsewhere
// too, or with the page's number. Of each page that is asked again.
func (f *Facts) learnChanging(pages []Page, found []candidate, byKey map[string][]candidate, titles Titles) {
	if len(pages) < 2 {
		return
	}
	for _, g := range f.heights(found) {
		if g.pages = distinctPages(g.members); 2*g.pages < len(pages) || g.pages < 2 || f.goesWithText(&g) || f.textReaches(&g, found, byKey) {
			continue
		}
		place := g.place
		place.Changing, place.Parts = true, f.repeatedParts(pages, &g, titles)
		place.Parts = append(place.Parts, f.earlierParts(pages, &g, &place)...)
		slices.Sort(place.Parts)
		place.Parts = place.Parts[:min(len(place.Parts), maxTexts)]
		proved := 0
		for k := range g.members {
			c := &g.members[k]
			if c.owned || f.known(c.page, c.row, &place, titles) != None || f.texts(c) {
				proved++
			}
		}
		if 5*proved >= 3*len(g.members) {
			at := f.place(&g)
			at.Changing, at.Parts = true, place.Parts
		}
	}
}

// heights puts the outermost rows that can be heads of chapters together by height.
func (f *Facts) heights(found []candidate) []group {
	var heights []group
	for i := range found {
		c := &found[i]
		if !c.outer || !c.apart || f.isLarge(c.r()) && !c.owned && !(c.foot && f.isFar(*c)) || !f.canRun(c.page, c.r(), c.from, c.owned, c.bare) || !f.canChange(c) {
			continue
		}
		at := slices.IndexFunc(heights, func(g group) bool {
			return g.place.Foot == c.foot && f.near(c.page, c.from, c.r().Size, c.r().Bold, &g.place)
		})
		if at < 0 {
			heights = append(heights, group{place: Place{Foot: c.foot, From: round(c.from), Size: round(c.r().Size), Bold: c.r().Bold}})
			at = len(heights) - 1
		}
		heights[at].members = append(heights[at].members, *c)
	}
	return heights
}

// canChange reports whether a row can be the head of a chapter by its looks. In the
// type of the text, near to it and without the page's number it is a title of the text,
// whose words the text says again.
func (f *Facts) canChange(c *candidate) bool {
	return c.owned || f.isSmall(c.r()) || f.isFar(*c)
}

// texts reports whether the candidate is one of the texts that repeat.
func (f *Facts) texts(c *candidate) bool {
	return slices.ContainsFunc(f.Places, func(p Place) bool {
		return p.Foot == c.foot && f.near(c.page, c.from, c.r().Size, c.r().Bold, &p) && slices.Contains(p.Texts, c.key)
	})
}

func distinctPages(c []candidate) int {
	seen := map[int]bool{}
	for i := range c {
		seen[c[i].page.No] = true
	}
	return len(seen)
}

// dividers part a text into pieces that are proved one by one, the strongest first:
// "Songs | The mill", "Songs: The mill".
var dividers = []*regexp.Regexp{regexp.MustCompile(`\s+[-–—|/·•]\s+|\s*[|·•]\s*`), regexp.MustCompile(`:\s+`)}

// piecesOf are the pieces of a part's key that the strongest separators in it divide;
// none when it is of one.
func piecesOf(key string) []string {
	for _, d := range dividers {
		if pieces := d.Split(key, -1); len(pieces) > 1 {
			return slices.DeleteFunc(pieces, func(s string) bool { return !hasWords(s) })
		}
	}
	return nil
}

// allPieces are a key, its pieces and theirs.
func allPieces(key string) []string {
	out := []string{key}
	for _, piece := range piecesOf(key) {
		out = append(out, allPieces(piece)...)
	}
	return out
}

// hasWords reports a letter, a digit or the place of the page's number.
func hasWords(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) || string(c) == placeholder })
}

// repeatedParts returns the keys of parts, and of their pieces, that stand on two of
// the pages or more, and are no values: on nearly all of them, or with the page's number,
// or on such as follow each other and elsewhere.
func (f *Facts) repeatedParts(pages []Page, g *group, titles Titles) []string {
	type standing struct {
		on    map[int]bool
		first *candidate
		owned bool // all rows have the page's number
	}
	parts, all := map[string]*standing{}, map[int]string{}
	for i := range g.members {
		c := &g.members[i]
		all[c.page.No] = c.key
		for _, part := range c.r().Parts {
			k, _, _ := f.partKeyIn(c.page, c.r(), fold(part.Text))
			if len(part.Text) > maxText {
				continue
			}
			for i, k := range allPieces(k) {
				if n := len(titleOf(k)); strings.Trim(k, placeholder) == "" || i > 0 && n > 0 && n < leastTitle { // yes, no
					continue
				}
				if parts[k] == nil {
					parts[k] = &standing{map[int]bool{}, c, true}
				}
				parts[k].on[c.page.No], parts[k].owned = true, parts[k].owned && c.owned
			}
		}
	}
	var out []string
	for k, p := range parts {
		s := stand{on: p.on, others: maps.Clone(all)}
		maps.DeleteFunc(s.others, func(no int, _ string) bool { return p.on[no] })
		if len(p.on) < 2 || areBetween(s.on, s.others) {
			continue
		}
		if p.owned || f.isHeadByStand(pages, p.first, k, &s, titles) {
			out = append(out, k)
		}
	}
	return out
}

// earlierParts returns the keys of parts and pieces that nothing on their own page
// proves and the text of an earlier page has.
func (f *Facts) earlierParts(pages []Page, g *group, at *Place) []string {
	var out []string
	for i := range g.members {
		c := &g.members[i]
		for _, part := range c.r().Parts {
			k, _, bare := f.partKeyIn(c.page, c.r(), fold(part.Text))
			if bare {
				continue
			}
			for _, k := range allPieces(k) {
				title := titleOf(k)
				if len(title) < leastTitle || slices.Contains(at.Parts, k) || slices.Contains(out, k) || c.page.says(title, c.row) {
					continue
				}
				if f.anySays(pages, title, c, func(p *Page) bool { return p.No < c.page.No }) {
					out = append(out, k)
				}
			}
		}
	}
	return out
}

// anySays reports whether the text of one of the pages has a title: what stands at the
// height of the candidate is no text.
func (f *Facts) anySays(pages []Page, title string, c *candidate, of func(*Page) bool) bool {
	for i := range pages {
		p := &pages[i]
		if !of(p) {
			continue
		}
		at := slices.IndexFunc(p.Rows, func(r Row) bool {
			return !r.Solid && f.near(p, p.from(&r, c.foot), r.Size, r.Bold, &Place{From: c.from, Size: c.r().Size, Bold: c.r().Bold})
		})
		if p.says(title, at) {
			return true
		}
	}
	return false
}

// titleOf is the core of a key, without the page's number, its word and what divides it.
func titleOf(key string) string {
	if strings.Contains(key, placeholder) {
		key = ownNumber.ReplaceAllString(key, " ")
	}
	return core(strings.Trim(strings.ReplaceAll(key, placeholder, ""), " |/·•–—-"))
}

// ownNumber is the place of the page's number in a key, with its word and the number of
// all pages.
var ownNumber = regexp.MustCompile(`[,;]?(?:(?:^|[\s(\[|/·•–—-])(?:` + words(pageWords, sheetWords) + `))?\s*[(\[]?` + placeholder + `(?:\s*(?:` + totalWords + `)\s*\d{1,4})?[)\]]?`)

// known says what proves each part of the row: it is the page's number, or stands
// elsewhere too: at this height on another page, in the outline on a page before, or
// in the text of this page. Of a part with separators each piece is proved.
func (f *Facts) known(p *Page, row int, at *Place, titles Titles) Why {
	why := Chapter
	for _, part := range p.Rows[row].Parts {
		k, _, bare := f.partKeyIn(p, &p.Rows[row], fold(part.Text))
		if bare {
			continue
		}
		switch f.knownKey(p, row, k, at, titles) {
		case None:
			return None
		case Outline:
			why = Outline
		}
	}
	return why
}

// knownKey is known of the key of a part or of a piece of one.
func (f *Facts) knownKey(p *Page, row int, key string, at *Place, titles Titles) Why {
	if key == placeholder || slices.Contains(at.Parts, key) {
		return Chapter
	}
	why := f.knownTitle(p, row, titleOf(key), titles)
	if pieces := piecesOf(key); why == None && len(pieces) > 0 {
		why = Chapter
		for _, piece := range pieces {
			switch f.knownKey(p, row, piece, at, titles) {
			case None:
				return None
			case Outline:
				why = Outline
			}
		}
	}
	return why
}

// knownTitle says whether a title is the document's own, the text of this page has it,
// or the outline has it of a page before.
func (f *Facts) knownTitle(p *Page, row int, title string, titles Titles) Why {
	switch no, ok := titles[title]; {
	case len(title) < leastTitle:
		return None
	case titles.own(title) && p.No > 1, p.says(title, row):
		return Chapter
	case ok && no < p.No:
		return Outline
	}
	return None
}

// leastTitle is how many bytes of a title must stand elsewhere to prove it.
const leastTitle = 4

// line is a text of a page as titles are compared.
type line struct {
	row   int // in Page.Rows, -1 for one of Page.Rest
	core  string
	plain string // without white space, but with the number that it begins with
	part  bool   // one of several of its row
}

// maxTitleLines is how many lines a title has at most. The head of a page on which
// several chapters begin may have the titles of all.
const maxTitleLines = 6

// says reports whether another row of the page, a part of one, or several rows
// together have this core.
func (p *Page) says(title string, but int) bool {
	p.makeLines()
	for i := range p.lines {
		l := &p.lines[i]
		if but >= 0 && l.row == but || l.core == "" || !strings.HasPrefix(title, l.core) {
			continue
		}
		if l.core == title {
			return true
		}
		rest := title[len(l.core):]
		for k, n := i+1, 1; k < len(p.lines) && n < maxTitleLines && !l.part; k++ {
			next := &p.lines[k]
			if next.part || next.row == but && but >= 0 || len(next.plain) < leastTitle || !strings.HasPrefix(rest, next.plain) {
				continue
			}
			if rest = rest[len(next.plain):]; rest == "" {
				return true
			}
			n++
		}
	}
	return false
}

// makeLines makes the lines once.
func (p *Page) makeLines() {
	if p.lines != nil {
		return
	}
	add := func(row int, text string, part bool) {
		folded := fold(text)
		plain := strings.ReplaceAll(strings.Join(strings.Fields(folded), ""), "ß", "ss")
		p.lines = append(p.lines, line{row: row, core: core(folded), plain: plain, part: part})
	}
	p.lines = make([]line, 0, len(p.Rows))
	for i := range p.Rows {
		r := &p.Rows[i]
		if len(r.Parts) == 0 {
			continue
		}
		add(i, r.Text(), false)
		if len(r.Parts) > 1 {
			for _, part := range r.Parts {
				add(i, part.Text, true)
			}
		}
	}
	if p.Rest != nil {
		for _, text := range p.Rest() {
			add(-1, text, false)
		}
	}
}

// core is a folded title or head without the chapter or the number that it begins
// with, and without white space, which small capitals often have too little of.
func core(text string) string {
	text = strings.ReplaceAll(chapterNumber.ReplaceAllString(text, ""), "ß", "ss")
	return strings.Trim(strings.Join(strings.Fields(text), ""), ".:–—-|/·•")
}
