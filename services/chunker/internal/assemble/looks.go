package assemble

import (
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/services/chunker/internal/marks"
)

const (
	// maxHeadings is how many headings of a document are kept for who chooses its chunker.
	maxHeadings = 200
	// maxDeclared is how many things a document may say that it is.
	maxDeclared = 8
	// maxLeads is how many paragraphs before the first list are kept, and maxLead how many bytes such a
	// paragraph has at most: a longer one is text that happens to stand before a list.
	maxLeads, maxLead = 8, 400
	// maxItems is how many items are kept, and maxItem how many bytes of each.
	maxItems, maxItem = 60, 120
)

// Looks is what a document looks like: what is counted of the units that chunks are made
// of, page by page, and its headings.
type Looks struct {
	Units        map[model.UnitType]int // by type
	Bytes        map[model.UnitType]int // of their text
	Marks        map[marks.Kind]int     // those that open a part by their first words
	HeadingMarks map[marks.Kind]int     // those of them that are headings
	Entries      int                    // those that begin as entries of a dictionary do
	Bylines      int                    // those that only say when something was written, and by whom
	Headings     []string               // the first 200, each on one line
	Leads        []string               // the first 8 paragraphs of at most 400 bytes before the first list
	Items        []string               // the first 60 blocks that open by a number or are of a list: 120 bytes of what follows the number
	Declared     []string               // what its pages say that it is, in lower case: article, blogposting
}

// Share returns how much of the text is in units of the given types, from 0 to 1.
func (l Looks) Share(types ...model.UnitType) float64 {
	all, these := 0, 0
	for t, n := range l.Bytes {
		all += n
		if slices.Contains(types, t) {
			these += n
		}
	}
	return float64(these) / float64(max(all, 1))
}

// Size returns how many bytes of text there are.
func (l Looks) Size() int {
	all := 0
	for _, n := range l.Bytes {
		all += n
	}
	return all
}

// Count returns how many units there are.
func (l Looks) Count() int {
	all := 0
	for _, n := range l.Units {
		all += n
	}
	return all
}

func (l *Looks) addUnit(u model.Unit) {
	if l.Units == nil {
		l.Units, l.Bytes = make(map[model.UnitType]int), make(map[model.UnitType]int)
		l.Marks, l.HeadingMarks = make(map[marks.Kind]int), make(map[marks.Kind]int)
	}
	text := u.FieldsRaw.Text
	l.Units[u.Type]++
	l.Bytes[u.Type] += len(text)
	heading := u.Type == model.UnitHeading
	if heading && len(l.Headings) < maxHeadings {
		l.Headings = append(l.Headings, header.Entry(text))
	}
	l.addLead(u.Type, text)
	if u.Type == model.UnitTable || u.Type == model.UnitRecord {
		return
	}
	m, ok := marks.Of(text)
	ok = ok && (heading || m.Opens())
	if l.addItem(u.Type, m, text, ok); ok {
		l.Marks[m.Kind]++
		if heading {
			l.HeadingMarks[m.Kind]++
		}
	}
	if heading {
		return
	}
	if marks.Entry(text) {
		l.Entries++
	}
	if marks.Byline(text) {
		l.Bylines++
	}
}

// addItem keeps the first words of a block that opens by a number, or is of a list.
func (l *Looks) addItem(t model.UnitType, m marks.Mark, text string, marked bool) {
	if marked = marked && m.Kind == marks.Numbered; marked {
		text = m.Rest
	}
	if !marked && t != model.UnitListItem || len(l.Items) >= maxItems {
		return
	}
	if len(text) > maxItem {
		text = strings.ToValidUTF8(text[:maxItem], "")
	}
	l.Items = append(l.Items, strings.Join(strings.Fields(text), " "))
}

// addLead keeps a short paragraph that stands before the first list.
func (l *Looks) addLead(t model.UnitType, text string) {
	if t == model.UnitParagraph && len(text) <= maxLead && len(l.Leads) < maxLeads && l.Units[model.UnitListItem] == 0 {
		l.Leads = append(l.Leads, strings.Join(strings.Fields(text), " "))
	}
}

// addFacts keeps what a page says that it is: its og:type, the types of its JSON-LD.
func (l *Looks) addFacts(facts []model.PageFact) {
	for _, f := range facts {
		name := strings.ToLower(f.Name)
		if name != "og:type" && name != "@type" && !strings.HasSuffix(name, ".@type") {
			continue
		}
		value := strings.ToLower(strings.TrimSpace(f.Value))
		if len(l.Declared) < maxDeclared && len(value) <= maxTag && !slices.Contains(l.Declared, value) {
			l.Declared = append(l.Declared, value)
		}
	}
}
