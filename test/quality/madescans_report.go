package quality

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
)

// MadeScanSums are the means over the pages of a class, "all" for all pages. Errors with the
// name Spread are standard errors of the mean.
type MadeScanSums struct {
	Class  string `json:"class"`
	Pages  int    `json:"pages"`
	Within int    `json:"within"` // pages that read as well as by the command, within Near, or better
	Better int    `json:"better"` // pages that read better by more

	Errors           float64 `json:"errors"`
	CommandErrors    float64 `json:"command_errors"`
	DifferenceSpread float64 `json:"difference_spread"` // of the mean of Errors - CommandErrors
	UnitErrors       float64 `json:"unit_errors"`
	WordF1           float64 `json:"word_f1"`
	CommandWordF1    float64 `json:"command_word_f1"`
	CPU              float64 `json:"cpu"`
	CommandCPU       float64 `json:"command_cpu"`
	Again            int     `json:"again"` // pages that were read again
	AgainCPU         float64 `json:"again_cpu"`
}

// Near is by how many errors a character two readings of a page may differ and be as good.
const Near = 0.005

// sumMadeScans returns the means by class, in the order of the pages, and of all.
func sumMadeScans(pages []MadeScanRow) []MadeScanSums {
	const all = "all"
	at := map[string]int{}
	var out []MadeScanSums
	var squares []float64
	add := func(class string, p *MadeScanRow) {
		k, ok := at[class]
		if !ok {
			k = len(out)
			at[class] = k
			out, squares = append(out, MadeScanSums{Class: class}), append(squares, 0)
		}
		s, apart := &out[k], p.Errors-p.CommandErrors
		s.Pages++
		if apart <= Near {
			s.Within++
		}
		if apart < -Near {
			s.Better++
		}
		if p.Again > 0 {
			s.Again++
		}
		squares[k] += float64(apart * apart)
		s.Errors += p.Errors
		s.CommandErrors += p.CommandErrors
		s.UnitErrors += p.UnitErrors
		s.WordF1 += p.WordF1
		s.CommandWordF1 += p.CommandWordF1
		s.CPU += p.CPU
		s.CommandCPU += p.CommandCPU
		s.AgainCPU += p.AgainCPU
	}
	for i := range pages {
		add(pages[i].Class, &pages[i])
	}
	for i := range pages {
		add(all, &pages[i])
	}
	for k := range out {
		s, n := &out[k], float64(out[k].Pages)
		for _, v := range []*float64{&s.Errors, &s.CommandErrors, &s.UnitErrors, &s.WordF1, &s.CommandWordF1, &s.CPU, &s.CommandCPU, &s.AgainCPU} {
			*v /= n
		}
		if apart := s.Errors - s.CommandErrors; n > 1 {
			s.DifferenceSpread = math.Sqrt(max(0, squares[k]/n-float64(apart*apart)) / (n - 1))
		}
	}
	return out
}

// ratio is Errors as a share of the command's, 1 where neither has any.
func (s MadeScanSums) ratio() float64 {
	if s.CommandErrors == 0 {
		if s.Errors == 0 {
			return 1
		}
		return math.Inf(1)
	}
	return s.Errors / s.CommandErrors
}

// worstShown is how many pages are named that read worse than by the command.
const worstShown = 20

// Write prints the report for a person.
func (r MadeScanReport) Write(w io.Writer) error {
	fmt.Fprintf(w, "SCANS made from seed %d, beside the tesseract command\n", r.Seed)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "class\tpages\terrors\tcommand\tratio\tdifference\tin units\twords in units, F1\tcommand\twithin\tbetter\tCPU s\tcommand\tread again\tCPU s of it")
	for _, s := range r.Classes {
		fmt.Fprintf(tab, "%s\t%d\t%.4f\t%.4f\t%.2f\t%+.4f ± %.4f\t%.4f\t%.4f\t%.4f\t%d\t%d\t%.2f\t%.2f\t%d\t%.2f\n", s.Class, s.Pages, s.Errors, s.CommandErrors,
			s.ratio(), s.Errors-s.CommandErrors, s.DifferenceSpread, s.UnitErrors, s.WordF1, s.CommandWordF1, s.Within, s.Better, s.CPU, s.CommandCPU, s.Again, s.AgainCPU)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	worst := slices.SortedFunc(slices.Values(r.Pages), func(a, b MadeScanRow) int {
		return cmp.Compare(b.Errors-b.CommandErrors, a.Errors-a.CommandErrors)
	})
	fmt.Fprintf(tab, "\nworse than the command by more than %g\terrors\tcommand\tin units\tconfidence\tread again\tdrawn\n", Near)
	for i, p := range worst {
		if i == worstShown || p.Errors-p.CommandErrors <= Near {
			break
		}
		fmt.Fprintf(tab, "%s\t%.4f\t%.4f\t%.4f\t%.3f\t%d\t%s\n", p.Name, p.Errors, p.CommandErrors, p.UnitErrors, p.Confidence, p.Again, p.Drawn)
	}
	if len(r.Classes) > 0 {
		all := r.Classes[len(r.Classes)-1]
		fmt.Fprintf(tab, "\nGOALS\tgoal\ttoday\nmean errors, of the command's\t≤ 0.8\t%.2f\npages within %g of it or better\t≥ 95 %%\t%.1f %%\n",
			all.ratio(), Near, 100*float64(all.Within)/float64(max(1, all.Pages)))
	}
	return tab.Flush()
}
