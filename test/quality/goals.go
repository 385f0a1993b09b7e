package quality

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Goal is one line of what extraction is to reach.
type Goal struct {
	Measure string `json:"measure"`
	Best    string `json:"best"` // of other tools, where it was measured
	Goal    string `json:"goal"`
	Today   string `json:"today"` // empty: not measured in this run
	Met     bool   `json:"met"`
}

// near the best tool is what differs by no more than this.
const nearBest = 0.003

// goals holds the report against what is to be reached.
func (r Report) goals() []Goal {
	text, tables, main, segments := "PDF text", "PDF tables", "HTML main content", "HTML segments"
	all := []Goal{
		r.score(text, "F1", 0.994, 0.995),
		r.score(text, "order", 0.991, 0.992),
		r.nearBest(text),
		r.score(tables, "F1", 0.924, 0.92),
		r.score(tables, "grid F1", 0.513, 0.60),
		r.score(tables, "TEDS", 0.878, 0.88),
		r.falseTables(tables),
		r.score(main, "F1", 0.998, 0.985),
		r.segments(segments),
		r.language("recall", "", 0.920, 0.93),
		r.language("recall", "co", 0, 0.9),
	}
	all = append(all, r.costGoals()...)
	return append(all, r.wholeGoals()...)
}

// total returns the value of one of our measures in a group.
func (r Report) total(group, measure string) (float64, bool) {
	for _, g := range r.Groups {
		if i := g.column(measure, ""); g.Name == group && i >= 0 {
			return g.Total.Values[i], true
		}
	}
	return 0, false
}

func (g Group) column(measure, peer string) int {
	return slices.IndexFunc(g.Measures, func(m Measure) bool { return m.Name == measure && m.Peer == peer })
}

func (r Report) score(group, measure string, best, goal float64) Goal {
	g := Goal{Measure: group + ", " + measure, Best: fmt.Sprintf("%.3f", best), Goal: fmt.Sprintf("≥ %.3f", goal)}
	if v, ok := r.total(group, measure); ok {
		g.Today, g.Met = fmt.Sprintf("%.3f", v), v >= goal
	}
	return g
}

// nearBest counts the files whose F1 and order are near those of the tool of this
// run that is best for them.
func (r Report) nearBest(group string) Goal {
	goal := Goal{Measure: group + ", files as good as the best tool of this run", Goal: fmt.Sprintf("all, within %.3f", nearBest)}
	for _, g := range r.Groups {
		if g.Name != group || !slices.ContainsFunc(g.Measures, func(m Measure) bool { return m.Peer != "" }) {
			continue
		}
		near := 0
		for _, f := range g.Files {
			if g.isNear(f, "F1") && g.isNear(f, "order") {
				near++
			}
		}
		goal.Today, goal.Met = fmt.Sprintf("%d of %d", near, len(g.Files)), near == len(g.Files)
	}
	return goal
}

func (g Group) isNear(f Row, measure string) bool {
	ours, best := f.Values[g.column(measure, "")], 0.0
	for i, m := range g.Measures {
		if m.Name == measure && m.Peer != "" {
			best = math.Max(best, f.Values[i])
		}
	}
	return ours >= best-nearBest
}

func (r Report) falseTables(group string) Goal {
	g := Goal{Measure: group + ", false ones of those found", Goal: "≤ 5 %"}
	found, ok := r.total(group, "found")
	output, _ := r.total(group, "output")
	if ok && output > 0 {
		share := (output - found) / output
		g.Today, g.Met = fmt.Sprintf("%.1f %%", share*100), share <= 0.05
	}
	return g
}

func (r Report) segments(group string) Goal {
	g := Goal{Measure: group + ", missing and unwanted", Best: "1 and 0", Goal: "0 and 0"}
	missing, ok := r.total(group, "missing")
	unwanted, _ := r.total(group, "unwanted")
	if ok {
		g.Today, g.Met = fmt.Sprintf("%.0f and %.0f", missing, unwanted), missing+unwanted == 0
	}
	return g
}

// language is the share of paragraphs whose language was found: of all, or of
// one language.
func (r Report) language(measure, code string, best, goal float64) Goal {
	of := cmp.Or(code, "all")
	out := Goal{Measure: "language, right for " + of, Best: fmt.Sprintf("%.3f", best), Goal: fmt.Sprintf("≥ %.3f", goal)}
	for _, g := range r.Groups {
		i := g.column(measure, "")
		if g.Rows != "language" || i < 0 {
			continue
		}
		for _, row := range append(slices.Clone(g.Files), g.Total) {
			if row.Path == code || code == "" && row.Path == g.Total.Path {
				out.Today, out.Met = fmt.Sprintf("%.3f", row.Values[i]), row.Values[i] >= goal
			}
		}
	}
	return out
}

// costGoals compare the CPU time of extraction with what others take for the text
// or the main content alone.
func (r Report) costGoals() []Goal {
	page := Goal{Measure: "CPU time a PDF page, extraction", Best: "see " + pdftotextLayout, Goal: "≤ 2 × that"}
	for _, p := range r.Cost.Peers {
		if p.Name == pdftotextLayout && p.PDFPageMS > 0 && r.Cost.ExtractPageMS > 0 {
			page.Best = fmt.Sprintf("%.1f ms", p.PDFPageMS)
			page.Today = fmt.Sprintf("%.1f ms, %.1f ×", r.Cost.ExtractPageMS, r.Cost.ExtractPageMS/p.PDFPageMS)
			page.Met = r.Cost.ExtractPageMS <= 2*p.PDFPageMS
		}
	}
	mega := Goal{Measure: "CPU time a MB of HTML, extraction", Best: "83 ms", Goal: "≤ 80 ms"}
	if r.Cost.ExtractMegaMS > 0 {
		mega.Today, mega.Met = fmt.Sprintf("%.0f ms", r.Cost.ExtractMegaMS), r.Cost.ExtractMegaMS <= 80
	}
	paragraph := Goal{Measure: "CPU time for the language of a paragraph", Goal: "≤ 0.1 ms"}
	if r.Cost.ParagraphMS > 0 {
		paragraph.Today, paragraph.Met = fmt.Sprintf("%.3f ms", r.Cost.ParagraphMS), r.Cost.ParagraphMS <= 0.1
	}
	return []Goal{page, mega, paragraph}
}

// maxResident is what all services and their extraction children may use.
const maxResident = 512 << 20

func (r Report) wholeGoals() []Goal {
	goals := []Goal{
		{Measure: "coverage of PDF text layers", Goal: "≥ 0.999"}, {Measure: "coverage of visible HTML and text", Goal: "≥ 0.999"},
		{Measure: "chunks whose evidence verifies", Goal: "100 %"}, {Measure: "IR of two runs, 1 and 8 workers", Goal: "identical"},
		{Measure: "resident memory of services and one extraction child", Goal: fmt.Sprintf("≤ %d MiB", maxResident>>20)},
	}
	w := r.Whole
	if w == nil {
		return goals
	}
	for i, c := range []Covered{w.PDF, w.HTML} {
		if c.Pages > 0 {
			goals[i].Today, goals[i].Met = c.String(), c.Share() >= 0.999
		}
	}
	var verified, chunks, broken int
	peak := w.Runs[0].Resident
	var sums []string
	for _, run := range w.Runs {
		verified, chunks, broken = verified+run.Verified, chunks+run.Chunks, broken+run.Broken
		sums = append(sums, run.IR[:8])
	}
	goals[2].Today, goals[2].Met = fmt.Sprintf("%d of %d, %d breaks", verified, chunks, broken), chunks > 0 && verified == chunks && broken == 0
	goals[3].Today, goals[3].Met = "identical", w.Identical
	if !w.Identical {
		goals[3].Today = strings.Join(sums, " ≠ ")
	}
	goals[4].Today, goals[4].Met = fmt.Sprintf("%d MiB", peak>>20), peak <= maxResident
	return goals
}

// String is the share and what was skipped, by reason.
func (c Covered) String() string {
	s := fmt.Sprintf("%.4f of %d pages", c.Share(), c.Pages-c.Failed)
	if c.Found > 0 {
		s = fmt.Sprintf("%.4f of %d characters", c.Share(), c.Found)
	}
	var reasons []string
	for reason, n := range c.Skipped {
		reasons = append(reasons, fmt.Sprintf("%d %s", n, reason))
	}
	slices.Sort(reasons)
	if len(reasons) > 0 {
		s += " (skipped: " + strings.Join(reasons, ", ") + ")"
	}
	if c.Failed > 0 {
		s += fmt.Sprintf(", %d pages failed", c.Failed)
	}
	return s
}
