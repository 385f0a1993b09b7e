package quality

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Write prints the report for a person: the files of each group, and at the
// end one line a group and the cost.
func (r Report) Write(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, g := range r.Groups {
		fmt.Fprintf(tab, "%s\n", g.Name)
		for _, m := range g.Measures {
			fmt.Fprintf(tab, "%s\t", m.Name)
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
	return r.summary(w)
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
			figures = append(figures, m.Name+" "+m.format(g.Total.Values[i]))
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
	fmt.Fprintf(tab, "beyond %.0f ms to start the servers\n", r.Cost.StartMS)
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
	s := fmt.Sprintf("%d files", len(g.Files))
	if len(g.Files) == 1 {
		s = "1 file"
	}
	if failed > 0 {
		s += fmt.Sprintf(", %d failed", failed)
	}
	return s
}

// lowest names the first file of the lowest F1, unless that is 1.
func (g Group) lowest() string {
	column := slices.IndexFunc(g.Measures, func(m Measure) bool { return m.Name == "F1" })
	row := slices.MinFunc(g.Files, func(a, b Row) int { return cmp.Compare(a.Values[column], b.Values[column]) })
	if row.Values[column] == 1 {
		return ""
	}
	return fmt.Sprintf("lowest F1 %.3f %s", row.Values[column], row.Path)
}
