package running

import (
	"cmp"
	"regexp"
	"slices"
)

// learnLetters finds the letters that stand before the numbers of pages, as in S12: on
// enough pages a row that is apart, in small type or at the foot and far from the text,
// has nothing else, and its number runs with the pages. Above the text
// a title must stand beside it, as a sample has such a number, too; what is stamped must
// stand at the foot of all pages.
func (f *Facts) learnLetters(pages []Page) {
	type run struct {
		letters string
		offset  Offset
		stamped bool
	}
	on := map[run]int{}
	for i := range pages {
		p := &pages[i]
		seen := map[run]bool{}
		for _, foot := range []bool{false, true} {
			for _, k := range p.edgeRows(foot) {
				r := &p.Rows[k]
				c := candidate{page: p, row: k, foot: foot}
				if !p.apart(k, foot, f) || !f.isSmall(r) && !(foot && f.isFar(c)) {
					break
				}
				for _, part := range r.Parts {
					if letters, number, ok := splitLetters(fold(part.Text)); ok && (foot || number[0] != '0' && len(r.Parts) > 1) {
						n, _ := value(number)
						seen[run{letters, Offset{Shift: n - p.No}, number[0] == '0'}] = true
					}
				}
			}
		}
		for o := range seen {
			on[o]++
		}
	}
	var runs []run
	for r, n := range on {
		if n >= f.least() && (!r.stamped || n == len(pages)) {
			runs = append(runs, r)
		}
	}
	slices.SortFunc(runs, func(a, b run) int {
		return cmp.Or(cmp.Compare(on[b], on[a]), cmp.Compare(a.letters, b.letters), cmp.Compare(a.offset.Shift, b.offset.Shift))
	})
	for _, r := range runs[:min(len(runs), maxOffsets)] {
		if !slices.Contains(f.Letters, r.letters) {
			f.Letters = append(f.Letters, r.letters)
		}
		if r.stamped {
			f.Stamps = append(f.Stamps, r.offset.Shift)
			continue
		}
		if !slices.Contains(f.Offsets, r.offset) {
			f.Offsets = append(f.Offsets, r.offset)
		}
	}
	slices.Sort(f.Letters)
}

// byChapter is a page's number within its chapter, all of a part.
var byChapter = regexp.MustCompile(`^[-–(\[]?\s?(\d{1,2})[.\-–](\d{1,3})\s?[-–)\]]?$`)

// chapterFolio is a page's number within its chapter.
type chapterFolio struct{ pageNo, chapter, number int }

// chapterFolioOf reads one from a folded part.
func chapterFolioOf(pageNo int, part string) (chapterFolio, bool) {
	m := byChapter.FindStringSubmatch(part)
	if m == nil {
		return chapterFolio{}, false
	}
	chapter, _ := value(m[1])
	number, _ := value(m[2])
	return chapterFolio{pageNo, chapter, number}, true
}

// leastFolios is how many numbers by chapter must run with the pages, two of them on pages
// that follow each other: numbers of sections and grades look the same.
const leastFolios = 3

// runWithPages reports whether numbers by chapter, in the order of their pages, count the
// pages of each chapter from 1, or from where the first begins, on all of these pages.
func runWithPages(folios []chapterFolio) bool {
	next, begun := 0, 0
	for i := 1; i < len(folios); i++ {
		a, b := folios[i-1], folios[i]
		step := b.pageNo - a.pageNo
		switch {
		case step <= 0:
			return false
		case a.chapter == b.chapter && b.number-a.number == step:
			next++
		case b.chapter > a.chapter && b.number >= 1 && b.number <= step:
			begun++
		default:
			return false
		}
	}
	return len(folios) >= leastFolios && next >= 2 && begun >= 1
}

// learnByChapter finds out whether pages are numbered by chapter: at one edge all that
// stand alone, apart, in small type or at the foot and far from the text, run with the
// pages.
func (f *Facts) learnByChapter(pages []Page) {
	for _, foot := range []bool{false, true} {
		var folios []chapterFolio
		for i := range pages {
			p := &pages[i]
			edge := p.edgeRows(foot)
			if len(edge) == 0 {
				continue
			}
			r, c := &p.Rows[edge[0]], candidate{page: p, row: edge[0], foot: foot}
			if !p.apart(edge[0], foot, f) || !f.isSmall(r) && !(foot && f.isFar(c)) {
				continue
			}
			for _, part := range r.Parts {
				if folio, ok := chapterFolioOf(p.No, fold(part.Text)); ok {
					folios = append(folios, folio)
				}
			}
		}
		f.ByChapter = f.ByChapter || runWithPages(folios)
	}
}
