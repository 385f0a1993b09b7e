package statement

import (
	"cmp"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// Date is a day that a text says of itself, and of what it is the day.
type Date struct {
	Day  string // YYYY-MM-DD
	Kind string // updated, judgment, session, published or signed
}

// Origin is the info_date_origin of the date: text_ and its kind.
func (d Date) Origin() string { return OriginText + d.Kind }

// OriginText begins the info_date_origin of dates that a text says.
const OriginText = "text_"

// dateKinds are the sorts of dates, that which counts first in front: when a text was changed
// last says since when it is true; what a court or a meeting has said is true since then, whenever
// the page was published; a signature stands below any text.
func dateKinds() []string {
	return []string{dateUpdated, dateJudgment, dateSession, datePublished, dateSigned}
}

// The sorts of dates.
const (
	dateUpdated   = "updated"
	dateJudgment  = "judgment"
	dateSession   = "session"
	datePublished = "published"
	dateSigned    = "signed"
)

// dateRank is the place of a sort of date among dateKinds, -1 for none of them.
func dateRank(kind string) int { return slices.Index(dateKinds(), kind) }

// Better reports whether d counts before o, which may be none.
func (d Date) Better(o Date) bool {
	return d.Day != "" && (o.Day == "" || dateRank(d.Kind) < dateRank(o.Kind))
}

const (
	// longestDated is how many bytes a block has at most that says its date: what is longer is prose,
	// whose dates are those of what it tells.
	longestDated = 240
	// labelGap is how many bytes stand between the words that say what a date is of and the
	// date at most, such as the name of a place.
	labelGap = 40
)

// AtEnd reports whether a date of this sort may stand below the text that it is the date of: that of a judgment
// or a meeting there is one that is cited.
func (d Date) AtEnd() bool {
	return d.Kind == dateUpdated || d.Kind == datePublished || d.Kind == dateSigned
}

// DateOf returns the date that a block of text in a language says of itself: it begins with words
// that say what the date is of, and the date, in full, follows them at once. "Publié le 12 mai 2025",
// "Data da sessão: 3 de março de 2026", "Judgment of 12 June 2026".
func DateOf(language, block string) (Date, bool) {
	table := tables().of(language)
	if table == nil || len(block) > longestDated {
		return Date{}, false
	}
	words := wordsOf(block)
	if len(words) == 0 {
		return Date{}, false
	}
	var found []Date
	var all []value.Date
	for h := range table.find(words, tableDate) {
		if all == nil {
			if all = value.Dates(block, language); len(all) == 0 {
				return Date{}, false
			}
		}
		end := words[h.to-1].end
		i := slices.IndexFunc(all, func(d value.Date) bool { return d.End > end })
		if i < 0 || len(all[i].Value) != len(time.DateOnly) || all[i].Start-end > labelGap {
			continue
		}
		found = append(found, Date{Day: all[i].Value, Kind: h.row.gives})
	}
	if len(found) == 0 {
		return Date{}, false
	}
	return slices.MinFunc(found, func(a, b Date) int { return cmp.Compare(dateRank(a.Kind), dateRank(b.Kind)) }), true
}
