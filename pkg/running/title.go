package running

import (
	"regexp"
	"slices"
	"strings"
)

// The types of a row in which a title has the page's number beside it (Facts.Titled).
const (
	TitledSmall = 1 // smaller than the text's
	TitledAll   = 2 // any
)

// trailing and leading are a number beside a title of two words or more, with little
// more than a space between them: "Songs of the valley 85", "…, 85", "85 Songs of the
// valley". A caption or an exhibit has its own number there, so that it takes more to
// be the page's (learnTitled).
var (
	trailing = regexp.MustCompile(`^(\S.*\s(?:\S*[^\d\s(\[:.,]|\S+[,:.]|(?:19|20)\d\d))[,:.]?\s+[(\[]?` + number + `[)\]]?$`)
	leading  = regexp.MustCompile(`^[(\[]?` + number + `[)\]]?\s+([^\d\s]\S*\s.*\S)$`)
	// totalled is the same with the number of all pages behind: "Lease of a mill, 2 of 5".
	totalled = regexp.MustCompile(`^(\S.*\s(?:\S*[^\d\s(\[:.,]|\S+[,:.]|(?:19|20)\d\d))[,:.]?\s+[(\[]?(` + arabic + `)\s*(?:` + totalWords + `)\s*\d{1,4}[)\]]?$`)
	// labelled is one word with a number behind it or before it, all of a part: "Dunmore 85".
	// It takes still more to be the page's.
	labelled = regexp.MustCompile(`^(?:(\p{L}[\p{L}'’.-]*\p{L}),?\s+(` + arabic + `)|(` + arabic + `)\s+(\p{L}[\p{L}'’.-]*\p{L}))$`)
	// onwards ends a text that says on which page it goes on.
	onwards = regexp.MustCompile(`(?:^|\s)(?:` + words(pageWords, sheetWords) + `)[.:]?$`)
)

// splitTitle divides a folded part into a title and the number beside it. leads: the
// number stands before the title.
func splitTitle(part string) (title, number string, leads, ok bool) {
	if m := totalled.FindStringSubmatch(part); m != nil {
		return strings.TrimRight(m[1], ",:."), m[2], false, true
	}
	before := leading.FindStringSubmatch(part)
	leads = before != nil && before[1] != ""
	if m := trailing.FindStringSubmatch(part); m != nil && m[2] != "" && !(leads && year.MatchString(m[2])) {
		return strings.TrimRight(m[1], ",:."), m[2], false, true
	}
	if leads {
		return before[2], before[1], true, true
	}
	return "", "", false, false
}

// splitLabel is splitTitle of one word.
func splitLabel(part string) (title, number string, ok bool) {
	if m := labelled.FindStringSubmatch(part); m != nil {
		return m[1] + m[4], m[2] + m[3], true
	}
	return "", "", false
}

// splitBeside is splitTitle or splitLabel.
func splitBeside(part string) (title, number string, ok bool) {
	if title, number, _, ok = splitTitle(part); ok {
		return title, number, true
	}
	return splitLabel(part)
}

// beside is a title with a number beside it, outermost at an edge of a page.
type beside struct {
	page   *Page
	row    int // in page.Rows
	title  string
	offset Offset
	number int
	leads  bool
	small  bool // in small type
	far    bool // from the text
	label  bool // the title is one word
	said   bool // the title is a line of the text, or the document's own
}

// learnTitled finds out whether what stands beside a title is the page's number. All
// pages that have a row apart at the edge must have such a one there, with numbers that
// run with the pages, and all titles must stand elsewhere too. Counted things (captions,
// exhibits, vouchers) look the same, so that one of these must show that nothing is
// counted: on three pages, or two where it is the document's own, a title is a line of the
// text, and the row is in small type, or far from the text with numbers from 2 on at the
// least; or left pages have the number before the title and right ones behind it.
func (f *Facts) learnTitled(pages []Page, titles Titles) {
	for _, foot := range []bool{false, true} {
		found, rows := f.besides(pages, foot, titles)
		for _, o := range offsetsOf(found) {
			of := slices.DeleteFunc(slices.Clone(found), func(b beside) bool { return b.offset != o })
			if len(of) != rows || len(of) < 2 || areYears(pages, o) || slices.ContainsFunc(of, func(b beside) bool { return !b.said && !isRepeated(of, b) }) {
				continue
			}
			small := !slices.ContainsFunc(of, func(b beside) bool { return !b.small })
			far := !slices.ContainsFunc(of, func(b beside) bool { return !b.far })
			labels := slices.ContainsFunc(of, func(b beside) bool { return b.label })
			switch {
			case labels && !(small && far && len(of) >= leastLabels && f.areOrphans(of) && isOne(of)):
				continue
			case labels:
				f.Labelled = true
			case far && beginsLater(of) && isSaid(of, titles):
				f.Titled = TitledAll
			case small && isSaid(of, titles):
				f.Titled = max(f.Titled, TitledSmall)
			case isMirrored(of):
				f.Mirrored = true
			case far && f.areOrphans(of):
				f.Titled = TitledAll
			case small && f.areOrphans(of):
				f.Titled = max(f.Titled, TitledSmall)
			default:
				continue
			}
			if !slices.Contains(f.Offsets, o) {
				f.Offsets = append(f.Offsets, o)
			}
		}
	}
}

// besides are the titles with numbers at one edge of pages, one of each page; rows is how
// many pages have a row there that can be one.
func (f *Facts) besides(pages []Page, foot bool, titles Titles) (found []beside, rows int) {
	for i := range pages {
		p := &pages[i]
		edge := p.edgeRows(foot)
		if len(edge) == 0 || !p.apart(edge[0], foot, f) {
			continue
		}
		r := &p.Rows[edge[0]]
		c := candidate{page: p, row: edge[0], foot: foot, from: p.from(r, foot)}
		if f.isLarge(r) || c.from > textEdge*p.Height {
			continue
		}
		rows++
		for _, part := range r.Parts {
			text := fold(part.Text)
			title, number, leads, ok := splitTitle(text)
			label := !ok && len(r.Parts) == 1
			if label {
				title, number, ok = splitLabel(text)
			}
			if !ok || len(title) < leastTitle || len(part.Text) > maxText {
				continue
			}
			n, isRoman := value(number)
			said := titles.own(titleOf(title)) || f.anySays(pages, titleOf(title), &c, func(*Page) bool { return true })
			found = append(found, beside{p, edge[0], title, Offset{isRoman, n - p.No}, n, leads, f.isSmall(r), f.isFar(c), label, said})
			break
		}
	}
	return found, rows
}

func offsetsOf(found []beside) []Offset {
	var out []Offset
	for i := range found {
		if o := found[i].offset; !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

// isOne reports whether all titles are the same.
func isOne(of []beside) bool {
	return !slices.ContainsFunc(of, func(b beside) bool { return b.title != of[0].title })
}

// isRepeated reports whether another page has the title too.
func isRepeated(of []beside, b beside) bool {
	return slices.ContainsFunc(of, func(o beside) bool { return o.page != b.page && o.title == b.title })
}

// isSaid reports titles of which each stands elsewhere than beside a number.
func isSaid(of []beside, titles Titles) bool {
	least := 3
	if slices.ContainsFunc(of, func(b beside) bool { return titles.own(titleOf(b.title)) }) {
		least = 2
	}
	return len(of) >= least && !slices.ContainsFunc(of, func(b beside) bool { return !b.said && !isRepeated(of, b) }) &&
		slices.ContainsFunc(of, func(b beside) bool { return b.said })
}

// isMirrored reports numbers that stand before the title on left pages and behind it on
// right ones.
func isMirrored(of []beside) bool {
	return slices.ContainsFunc(of, func(b beside) bool { return b.leads }) && slices.ContainsFunc(of, func(b beside) bool { return !b.leads }) &&
		!slices.ContainsFunc(of, func(b beside) bool { return b.leads != (b.page.No%2 == 0) })
}

// leastLabels is how many pages have one word with the page's number beside it at least.
const leastLabels = 3

// areOrphans reports rows that all are in no element of the file's structure, which has nearly
// all other text: what is counted in the text is in it. None says where the text goes on.
func (f *Facts) areOrphans(of []beside) bool {
	return f.Tagged && !slices.ContainsFunc(of, func(b beside) bool { return b.page.Rows[b.row].Mark != Orphan || onwards.MatchString(b.title) })
}

// beginsLater reports numbers that begin at another than things are counted from.
func beginsLater(of []beside) bool {
	return !slices.ContainsFunc(of, func(b beside) bool { return b.number <= 1 })
}
