package quality

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// DropFiles leaves the totals alone.
func (r Report) DropFiles() {
	for i := range r.Groups {
		r.Groups[i].Files = nil
	}
}

// Write prints the report for a person: the files of each group, and at the
// end one line a group and the cost.
func (r Report) Write(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, g := range r.Groups {
		fmt.Fprintf(tab, "%s\n", g.Name)
		for _, m := range g.Measures {
			fmt.Fprintf(tab, "%s\t", strings.TrimSpace(m.Peer+" "+m.Name))
		}
		fmt.Fprintln(tab)
		for _, row := range g.Files {
			g.write(tab, row)
		}
		g.write(tab, g.Total)
		fmt.Fprintln(tab)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	if err := r.summary(w); err != nil {
		return err
	}
	return r.writeGoals(w)
}

func (g Group) write(w io.Writer, row Row) {
	for i, m := range g.Measures {
		fmt.Fprintf(w, "%s\t", m.format(row.Values[i]))
	}
	note := ""
	if row.Note != "" {
		note = "  (" + row.Note + ")"
	}
	fmt.Fprintf(w, "  %s%s\n", row.Path, note)
}

func (m Measure) format(v float64) string {
	if m.Count {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// summary says where extraction stands, in one line a group: its totals, and
// the file with the lowest F1.
func (r Report) summary(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "WHERE WE STAND")
	for _, g := range r.Groups {
		var figures []string
		for i, m := range g.Measures {
			if m.Peer == "" {
				figures = append(figures, m.Name+" "+m.format(g.Total.Values[i]))
			}
		}
		fmt.Fprintf(tab, "%s\t%s\t%s", g.Name, g.files(), strings.Join(figures, "  "))
		if low := g.lowest(); low != "" {
			fmt.Fprintf(tab, "\t%s", low)
		}
		fmt.Fprintln(tab)
	}
	fmt.Fprintf(tab, "CPU time\t\t")
	if r.Cost.PDFPages > 0 {
		fmt.Fprintf(tab, "%.1f ms a page (%d pages of PDF)  ", r.Cost.PDFPageMS, r.Cost.PDFPages)
	}
	if r.Cost.HTMLMegabytes > 0 {
		fmt.Fprintf(tab, "%.0f ms a MB (%.1f MB of HTML)  ", r.Cost.HTMLMegaMS, r.Cost.HTMLMegabytes)
	}
	if r.Cost.ParagraphMS > 0 {
		fmt.Fprintf(tab, "%.3f ms a paragraph for its language  ", r.Cost.ParagraphMS)
	}
	fmt.Fprintf(tab, "beyond %.0f ms to start the servers\n", r.Cost.StartMS)
	if r.Cost.ExtractPageMS > 0 {
		fmt.Fprintf(tab, "  extraction alone\t\t%.1f ms a page  %.0f ms a MB of HTML\n", r.Cost.ExtractPageMS, r.Cost.ExtractMegaMS)
	}
	for _, p := range r.Cost.Peers {
		fmt.Fprintf(tab, "  %s\t\t", p.Name)
		if p.PDFPageMS > 0 {
			fmt.Fprintf(tab, "%.1f ms a page (%d pages of PDF)  ", p.PDFPageMS, p.PDFPages)
		}
		if p.HTMLMegaMS > 0 {
			fmt.Fprintf(tab, "%.0f ms a MB of HTML", p.HTMLMegaMS)
		}
		fmt.Fprintln(tab)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(tab, "not measured: %s\n", note)
	}
	return tab.Flush()
}

// writeGoals says what is reached. What was not measured in this run is left
// blank.
func (r Report) writeGoals(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "\nGOALS\tother tools\tgoal\ttoday\t")
	for _, g := range r.Goals {
		met := ""
		switch {
		case g.Met:
			met = "reached"
		case g.Today != "":
			met = "not reached"
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\n", g.Measure, g.Best, g.Goal, g.Today, met)
	}
	return tab.Flush()
}

// files counts the files of a group, and those that failed.
func (g Group) files() string {
	failed := 0
	for _, f := range g.Files {
		if strings.HasPrefix(f.Note, noteFailed) {
			failed++
		}
	}
	row := cmp.Or(g.Rows, "file")
	s := fmt.Sprintf("%d %ss", len(g.Files), row)
	if len(g.Files) == 1 {
		s = "1 " + row
	}
	if failed > 0 {
		s += fmt.Sprintf(", %d failed", failed)
	}
	return s
}

// lowest names the first file of the lowest F1, unless that is 1 or files are not told.
func (g Group) lowest() string {
	if len(g.Files) == 0 {
		return ""
	}
	column := slices.IndexFunc(g.Measures, func(m Measure) bool { return m.Name == "F1" })
	row := slices.MinFunc(g.Files, func(a, b Row) int { return cmp.Compare(a.Values[column], b.Values[column]) })
	if row.Values[column] == 1 {
		return ""
	}
	return fmt.Sprintf("lowest F1 %.3f %s", row.Values[column], row.Path)
}
