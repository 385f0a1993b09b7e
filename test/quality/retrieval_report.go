package quality

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// Retrieval is how well questions found the documents that answer them, all sets in one
// index.
type Retrieval struct {
	Collection string     `json:"collection"` // that was asked: its name has the model's
	Chunks     int        `json:"chunks"`
	Seconds    float64    `json:"seconds"`            // from capture to the last vector
	Embedded   int        `json:"embedded,omitempty"` // texts that the endpoint was asked for
	Kept       int        `json:"kept,omitempty"`     // texts whose vectors were in the folder
	Sets       []SetScore `json:"sets"`
}

// SetScore is the scores of one set, each from 0 to 1: means over its questions.
type SetScore struct {
	Set         string  `json:"set"`
	Documents   int     `json:"documents"`
	Questions   int     `json:"questions"`
	NDCG        float64 `json:"ndcg_10"`
	Recall      float64 `json:"recall_10"`
	PlainNDCG   float64 `json:"bm25_ndcg_10"` // plain BM25 over the same chunks
	PlainRecall float64 `json:"bm25_recall_10"`
}

// The least that is wanted, by a part of the set's name: with the built-in embedder, and
// with the small model of the README.
var retrievalGoals = []struct {
	set           string
	builtIn, real float64
}{{"faquad", 0.930, 0.935}, {"service-public", 0.970, 0.978}}

func (r Retrieval) builtIn() bool { return strings.Contains(r.Collection, retrieval.HashModel) }

// goal is what is wanted of a set, 0 when nothing is.
func (r Retrieval) goal(set string) float64 {
	for _, g := range retrievalGoals {
		if strings.Contains(set, g.set) {
			if r.builtIn() {
				return g.builtIn
			}
			return g.real
		}
	}
	return 0
}

// Write prints the scores, by set.
func (r Retrieval) Write(w io.Writer) error {
	if len(r.Sets) == 0 {
		_, err := fmt.Fprintln(w, "Retrieval: no set of questions below retrieval/.")
		return err
	}
	fmt.Fprintf(w, "RETRIEVAL, %d chunks of all sets in %s, indexed in %.0f s", r.Chunks, r.Collection, r.Seconds)
	if r.Embedded+r.Kept > 0 {
		fmt.Fprintf(w, "; %d texts embedded, %d vectors kept", r.Embedded, r.Kept)
	}
	fmt.Fprintln(w)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "set\tdocuments\tquestions\tnDCG@10\tRecall@10\tBM25 nDCG@10\tBM25 Recall@10\tgain\tgoal\t")
	for _, s := range r.Sets {
		goal, met := "", ""
		if least := r.goal(s.Set); least > 0 {
			if goal, met = fmt.Sprintf("≥ %.3f", least), "not reached"; s.NDCG >= least {
				met = "reached"
			}
		}
		fmt.Fprintf(tab, "%s\t%d\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%+.4f\t%s\t%s\n", s.Set, s.Documents, s.Questions,
			s.NDCG, s.Recall, s.PlainNDCG, s.PlainRecall, s.NDCG-s.PlainNDCG, goal, met)
	}
	return tab.Flush()
}
