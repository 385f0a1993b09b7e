package quality

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// MadeReport is how the blocks of the set compare. Of the half that is left out there
// are sums only.
type MadeReport struct {
	Seed      string    `json:"seed"`
	Documents []MadeRow `json:"documents"` // of the half that is looked at
	Groups    []MadeRow `json:"groups"`    // sums: each half by origin, then whole
	sums      map[[2]string]*MadeRow
}

// MadeRow is one document, or the sum of some.
type MadeRow struct {
	Half      string     `json:"half"`
	Name      string     `json:"name"` // of the document or origin; empty in the sum of a half
	Documents int        `json:"documents"`
	Score     BlockScore `json:"score"`
}

func (r *MadeReport) add(name string, label madeLabel, score BlockScore) {
	if label.Half == halfLookedAt {
		r.Documents = append(r.Documents, MadeRow{label.Half, name, 1, score})
	}
	for _, group := range []string{label.Origin, ""} {
		key := [2]string{label.Half, group}
		if r.sums[key] == nil {
			r.sums[key] = &MadeRow{Half: label.Half, Name: group}
		}
		r.sums[key].Documents++
		r.sums[key].Score.add(score)
	}
}

func (r *MadeReport) finish() {
	for _, key := range sortedNames(r.sums) {
		r.Groups = append(r.Groups, *r.sums[key])
	}
}

// Write prints what was wrong in documents that are looked at, then the sums.
func (r MadeReport) Write(w io.Writer) error {
	for _, d := range r.Documents {
		for _, wrong := range d.Score.Wrong {
			if _, err := fmt.Fprintf(w, "%s: %.140s\n", d.Name, wrong); err != nil {
				return err
			}
		}
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "\nblocks of PDF, seed %s\ndocuments\tF1\theading\titem\tcaption\ttable\tTEDS\tadjacency\tgrid\tfalse tables\twhole paragraphs\tnot aligned\t\n", r.Seed)
	for _, g := range r.Groups {
		s := g.Score
		name := g.Half + ", all"
		if g.Name != "" {
			name = g.Name
		}
		fmt.Fprintf(out, "%d\t%.3f\t", g.Documents, s.Score().F1)
		for _, k := range scoredKinds {
			p := s.Kinds[k].Score()
			fmt.Fprintf(out, "%.2f/%.2f\t", p.Precision, p.Recall)
		}
		fmt.Fprintf(out, "%.3f\t%.3f\t%.3f\t%d of %d\t%.3f of %d\t%d\t  %s\n", s.TableScore.MeanTEDS(), s.TableScore.Relations.Score().F1, s.TableScore.Grid.Score().F1,
			s.False, s.TableScore.Tables.Out, s.Whole.Score().Recall, s.Whole.Truth, s.Unaligned, name)
	}
	return out.Flush()
}
