package entity

import (
	"math"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/model"
)

// PageInput is a page as extractors and the guard get it.
type PageInput struct {
	PageID   string          // UUID of the page
	PageNo   int             // from 1
	Language string          // ISO 639-1; empty when it is not known
	Open     []model.Section // sections that are open when the page begins, the outermost first
	Units    []model.Unit    // of the page, in reading order
	Types    []Type          // that are asked for; nil: the six
}

// PageOf returns the input that a page's record and units make. Where the record knows no language, as of a page with
// little text, the words of the lexicon tell it (contracts#entity-guard).
func PageOf(p model.Page, units []model.Unit, open []model.Section) PageInput {
	in := PageInput{PageID: p.PageID, PageNo: p.PageNo, Open: open, Units: units}
	if p.Language != nil && p.Language.Lang != "" {
		in.Language = p.Language.Lang
		return in
	}
	in.Language = lexicon.Guess(sample(units))
	return in
}

// longestSample is how much of a page tells its language, in bytes.
const longestSample = 16 << 10

func sample(units []model.Unit) string {
	var b strings.Builder
	for i := range units {
		if u := &units[i]; u.Chunked() && b.Len() < longestSample {
			b.WriteString(u.FieldsRaw.Text[:min(len(u.FieldsRaw.Text), longestSample)] + "\n")
		}
	}
	return b.String()
}

// Page is the seed's ExtractedPage.
type Page struct {
	PageID     string
	PageNo     int
	Entities   []Entity
	Confidence float64        // mean of its entities'; 0 without any
	Drops      map[string]int // what the guard dropped, by reason
	Types      []Type         // that were asked for; nil: the six
	Schemas    map[string]int // versions of the schemas of one's own by which it was read, by their names
}

// types are those that were asked for.
func (p Page) types() []Type {
	if p.Types == nil {
		return types()
	}
	return p.Types
}

// NewPage returns a page of these entities.
func NewPage(in PageInput, entities []Entity, drops map[string]int) Page {
	p := Page{PageID: in.PageID, PageNo: in.PageNo, Entities: entities, Drops: drops, Types: in.Types}
	for _, e := range entities {
		p.Confidence += e.Confidence / float64(len(entities))
	}
	p.Confidence = math.Round(p.Confidence*1000) / 1000
	return p
}

// Counts returns how many entities of each type the page has, by the names of their lists; of schemas of
// one's own by the names of their types.
func (p Page) Counts() map[string]int {
	out := make(map[string]int)
	for _, e := range p.Entities {
		if IsOwn(e.Type) {
			out[e.Type]++
			continue
		}
		for _, t := range p.types() {
			if t.Name == e.Type {
				out[t.Plural]++
			}
		}
	}
	return out
}

// MarshalJSON writes the seed's ExtractedPage, each type's entities in the page's order.
func (p Page) MarshalJSON() ([]byte, error) {
	var w objectWriter
	w.add("pageId", p.PageID)
	w.add("pageNo", p.PageNo)
	for _, t := range p.types() {
		list := []Entity{}
		for _, e := range p.Entities {
			if e.Type == t.Name {
				list = append(list, e)
			}
		}
		w.add(t.Plural, list)
	}
	w.add("confidence", p.Confidence)
	if len(p.Drops) > 0 {
		w.add("dropped", p.Drops)
	}
	return w.finish()
}

// Document is the seed's ExtractedDocument.
type Document struct {
	UploadID string `json:"uploadId"` // the snapshot's id
	Slug     string `json:"slug"`
	Pages    []Page `json:"pages"`
	Rollup   Rollup `json:"rollup"`
}

// Rollup is what a document's entities add up to.
type Rollup struct {
	TotalGoals     int      `json:"totalGoals"`
	TotalBMPs      int      `json:"totalBMPs"`
	CompletionRate *float64 `json:"completionRate"` // percent, 0 to 100; nil where nothing says it
	// CompletionOf are the ids of the entities whose progress it is the mean of.
	CompletionOf []string `json:"completionOf,omitempty"`
}

// minCompletion is how many entities must say how far they are before a document has a
// completion rate: one alone says nothing of the others.
const minCompletion = 2

// NewDocument returns the document of these pages with its rollup.
func NewDocument(snapshotID, slug string, pages []Page) Document {
	return Document{UploadID: snapshotID, Slug: slug, Pages: orEmpty(pages), Rollup: rollUp(pages)}
}

// rollUp counts. The completion rate is the mean of what goals, BMPs and activities say of
// their progress in percent; an activity that says no percentage counts 100 when it is completed.
func rollUp(pages []Page) Rollup {
	var r Rollup
	var sum float64
	for _, p := range pages {
		for _, e := range p.Entities {
			switch e.Type {
			case Goal:
				r.TotalGoals++
			case BMP:
				r.TotalBMPs++
			}
			if v, ok := completionOf(e); ok {
				sum += v
				r.CompletionOf = append(r.CompletionOf, e.ID)
			}
		}
	}
	if n := len(r.CompletionOf); n >= minCompletion {
		rate := math.Round(sum/float64(n)*10) / 10
		r.CompletionRate = &rate
	} else {
		r.CompletionOf = nil
	}
	return r
}

func completionOf(e Entity) (float64, bool) {
	if e.Type != Goal && e.Type != BMP && e.Type != Implementation {
		return 0, false
	}
	if q, ok := e.Values["progress"].(Quantity); ok && len(q.Unit) > 0 && isPercent(q.Unit) && q.Value >= 0 && q.Value <= 100 {
		return q.Value, true
	}
	if e.Values["status"] == "completed" {
		return 100, true
	}
	return 0, false
}
