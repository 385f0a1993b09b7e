package quality

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/colophon-dev/colophon/test/quality/entityset"
)

// EntityReport is what was found on the labelled pages. Of the unseen half there are sums only.
type EntityReport struct {
	Halves []EntityHalf `json:"halves"`
}

// EntityHalf is what was found in one half.
type EntityHalf struct {
	Half       string             `json:"half"`
	Pages      int                `json:"pages"`
	Unread     []string           `json:"unread,omitempty"` // pages that could not be converted, such as scans without OCR
	Entities   EntityCounts       `json:"entities"`
	Values     EntityCounts       `json:"values"`
	Found      int                `json:"values_found"` // whether right or not
	Grounded   int                `json:"values_grounded"`
	Groups     []EntityGroup      `json:"groups"`
	Confidence []ConfidenceFigure `json:"confidence"`
	Wrong      []string           `json:"wrong,omitempty"` // of the half that is looked at, when asked
	Missed     []string           `json:"missed,omitempty"`
	Ungrounded []string           `json:"ungrounded,omitempty"`
	groups     map[string]*EntityGroup
	sure       map[string]*ConfidenceFigure
}

// EntityGroup counts what is of one type, field, language or form.
type EntityGroup struct {
	Name     string       `json:"name"`
	Entities EntityCounts `json:"entities"`
	Values   EntityCounts `json:"values"`
}

// ConfidenceFigure says how often entities of one kind of finding are right.
type ConfidenceFigure struct {
	FoundBy    string       `json:"found_by"`
	Confidence float64      `json:"confidence"` // that they have
	Entities   EntityCounts `json:"entities"`
	Values     EntityCounts `json:"values"`
}

// EntityCounts counts what was found and what was not.
type EntityCounts struct {
	Right  int `json:"right"`
	Wrong  int `json:"wrong"`
	Missed int `json:"missed"`
}

func (c *EntityCounts) add(v verdict) {
	switch v {
	case right:
		c.Right++
	case wrong:
		c.Wrong++
	case missed:
		c.Missed++
	}
}

// Precision is the share of what was found that is right; 1 where nothing was.
func (c EntityCounts) Precision() float64 { return share(c.Right, c.Right+c.Wrong) }

// Recall is the share of what the labels say that was found; 1 where they say nothing.
func (c EntityCounts) Recall() float64 { return share(c.Right, c.Right+c.Missed) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

func (r *EntityReport) half(name string) *EntityHalf {
	i := slices.IndexFunc(r.Halves, func(h EntityHalf) bool { return h.Half == name })
	if i < 0 {
		i = len(r.Halves)
		r.Halves = append(r.Halves, EntityHalf{Half: name, groups: make(map[string]*EntityGroup), sure: make(map[string]*ConfidenceFigure)})
	}
	return &r.Halves[i]
}

func (r *EntityReport) unread(p entityset.Page, reason string) {
	h := r.half(p.Half)
	h.Pages++
	h.Unread = append(h.Unread, p.Name+": "+reason)
}

func (r *EntityReport) add(p entityset.Page, found []foundEntity, details bool) {
	h := r.half(p.Half)
	h.Pages++
	for _, e := range found {
		if h.sure[e.FoundBy] == nil {
			h.sure[e.FoundBy] = &ConfidenceFigure{FoundBy: e.FoundBy, Confidence: e.Confidence}
		}
		h.Found += len(e.Values)
		h.Grounded += len(e.Values) - min(len(e.Values), len(e.Ungrounded))
		for _, u := range e.Ungrounded {
			if details && p.Half == entityset.HalfLookedAt {
				h.Ungrounded = append(h.Ungrounded, p.Name+": "+e.Type+" "+u)
			}
		}
	}
	details = details && p.Half == entityset.HalfLookedAt
	for _, j := range scoreEntities(p, found) {
		names := []string{"type " + j.typ, "language " + p.Language, "form " + p.Form}
		if j.field != "" {
			names = append(names, "field "+j.typ+"."+j.field)
		}
		for _, name := range names {
			if h.groups[name] == nil {
				h.groups[name] = &EntityGroup{Name: name}
			}
		}
		count := func(entities, values *EntityCounts) {
			if j.field == "" {
				entities.add(j.verdict)
			} else {
				values.add(j.verdict)
			}
		}
		count(&h.Entities, &h.Values)
		for _, name := range names {
			count(&h.groups[name].Entities, &h.groups[name].Values)
		}
		if j.verdict != missed {
			count(&h.sure[j.foundBy].Entities, &h.sure[j.foundBy].Values)
		}
		text := strings.TrimSpace(fmt.Sprintf("%s: %s.%s %s", p.Name, j.typ, j.field, j.text))
		switch {
		case details && j.verdict == wrong:
			h.Wrong = append(h.Wrong, text)
		case details && j.verdict == missed:
			h.Missed = append(h.Missed, text)
		}
	}
}

func (r *EntityReport) finish() {
	for i := range r.Halves {
		h := &r.Halves[i]
		for _, name := range slices.Sorted(maps.Keys(h.groups)) {
			h.Groups = append(h.Groups, *h.groups[name])
		}
		for _, c := range slices.Sorted(maps.Keys(h.sure)) {
			h.Confidence = append(h.Confidence, *h.sure[c])
		}
		slices.Sort(h.Wrong)
		slices.Sort(h.Missed)
	}
}

// Good reports whether the unseen half reaches its goals, and every value of both stands on its page.
func (r EntityReport) Good() bool {
	for _, h := range r.Halves {
		if h.Grounded != h.Found {
			return false
		}
		if h.Half == entityset.HalfUnseen && (min(h.Entities.Precision(), h.Values.Precision()) < goalEntityPrecision || min(h.Entities.Recall(), h.Values.Recall()) < goalEntityRecall) {
			return false
		}
	}
	return true
}

// Write prints the report for a person.
func (r EntityReport) Write(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, h := range r.Halves {
		fmt.Fprintf(tab, "%s: %d pages, %d not read\tentities\tprecision\trecall\tvalues\tprecision\trecall\t\n", h.Half, h.Pages, len(h.Unread))
		line := func(name string, e, v EntityCounts) {
			fmt.Fprintf(tab, "%s\t%d\t%.2f\t%.2f\t%d\t%.2f\t%.2f\t\n", name, e.Right+e.Missed, e.Precision(), e.Recall(), v.Right+v.Missed, v.Precision(), v.Recall())
		}
		for _, g := range h.Groups {
			line(g.Name, g.Entities, g.Values)
		}
		line("all", h.Entities, h.Values)
		fmt.Fprintf(tab, "values that stand on their page: %d of %d\t\t\t\t\t\t\t\n", h.Grounded, h.Found)
		for _, c := range h.Confidence {
			fmt.Fprintf(tab, "%s, confidence %.2f: %d entities, right %.2f; values right %.2f\t\t\t\t\t\t\t\n", c.FoundBy, c.Confidence, c.Entities.Right+c.Entities.Wrong, c.Entities.Precision(), c.Values.Precision())
		}
		fmt.Fprintln(tab)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, h := range r.Halves {
		for _, list := range []struct {
			name  string
			lines []string
		}{{"not read", h.Unread}, {"wrong", h.Wrong}, {"missed", h.Missed}, {"not grounded", h.Ungrounded}} {
			for _, l := range list.lines {
				if _, err := fmt.Fprintf(w, "%s: %s\n", list.name, l); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Calibrate writes how often each kind of finding was right on both halves, as confidence.tsv of
// pkg/entity/rules has it, behind the comment that the file begins with.
func (r EntityReport) Calibrate(comment string) string {
	sums := make(map[string]EntityCounts)
	for _, h := range r.Halves {
		for _, c := range h.Confidence {
			sum := sums[c.FoundBy]
			sum.Right += c.Entities.Right
			sum.Wrong += c.Entities.Wrong
			sums[c.FoundBy] = sum
		}
	}
	var b strings.Builder
	b.WriteString(comment)
	for _, how := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&b, "%s\t%d\t%d\n", how, sums[how].Right, sums[how].Wrong)
	}
	return b.String()
}

// describe shows an entity to a person.
func describe(e foundEntity) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(e.Values)) {
		fmt.Fprintf(&b, "%s=%v ", name, e.Values[name])
	}
	return strings.TrimSpace(b.String())
}
