package quality

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Goals of running heads: no character of a body is left out, and of the heads and
// feet of documents of two pages or more this share is.
const goalHeadRecall = 0.95

// HeadReport is what became of the set. Of its unseen half there are sums only.
type HeadReport struct {
	Seed      string    `json:"seed"`
	Documents []HeadRow `json:"documents"` // of the half that is looked at
	Groups    []HeadRow `json:"groups"`    // sums: each half by kind and by producer, then whole
}

// HeadRow counts one document or the sum of some. Characters are letters and
// digits; heads are strings drawn as running head or foot, each on each page.
type HeadRow struct {
	Half      string     `json:"half"`
	Name      string     `json:"name"` // of the document; of the kind or producer; empty in the sum of a half
	Documents int        `json:"documents"`
	Pages     int        `json:"pages"`
	Body      int        `json:"body_characters"`
	Unread    int        `json:"unread_characters"` // drawn, and in no unit of the IR
	IR        HeadCounts `json:"ir"`                // scans are not in it
	Chunks    HeadCounts `json:"chunks"`
	Lost      []string   `json:"lost,omitempty"` // texts of the body in no chunk; of a document only
}

// HeadCounts are counts of one output, IR or chunks.
type HeadCounts struct {
	Lost       int `json:"lost_characters"`  // of the body, left out
	Losers     int `json:"documents_losing"` // documents with any such
	Heads      int `json:"heads"`            // of documents of two pages or more
	HeadsFound int `json:"heads_found"`      // of these, left out
}

// Recall is the share of heads that are left out; 1 where there are none.
func (c HeadCounts) Recall() float64 {
	if c.Heads == 0 {
		return 1
	}
	return float64(c.HeadsFound) / float64(c.Heads)
}

func (c *HeadCounts) add(o HeadCounts) {
	c.Lost += o.Lost
	c.Losers += o.Losers
	c.Heads += o.Heads
	c.HeadsFound += o.HeadsFound
}

func (c *HeadCounts) addPages(label headLabel, scores []pageScore) {
	for i, s := range scores {
		c.Lost += characters(s.lost)
		if len(scores) > 1 {
			c.Heads += len(label.Pages[i].Heads)
			c.HeadsFound += s.found
		}
	}
	if c.Lost > 0 {
		c.Losers = 1
	}
}

func scoreHeads(name string, label headLabel, inIR, inChunks []pageText) HeadRow {
	row := HeadRow{Half: label.Half, Name: name, Documents: 1, Pages: len(label.Pages)}
	score := scorePage
	if label.Scan {
		score = scoreScan
	}
	var ofIR, ofChunks []pageScore
	for i, page := range label.Pages {
		row.Body += characters(page.Body)
		ofChunks = append(ofChunks, score(page, inChunks[i]))
		row.Unread += characters(ofChunks[i].unread)
		row.Lost = append(row.Lost, ofChunks[i].lost...)
		if !label.Scan {
			ofIR = append(ofIR, scorePage(page, inIR[i]))
		}
	}
	row.IR.addPages(label, ofIR)
	row.Chunks.addPages(label, ofChunks)
	return row
}

// add counts a document: by itself when its half is looked at, and in the sums.
func (r *HeadReport) add(name string, label headLabel, inIR, inChunks []pageText) {
	row := scoreHeads(name, label, inIR, inChunks)
	if label.Half == halfLookedAt {
		r.Documents = append(r.Documents, row)
	}
	for _, group := range []string{"kind " + label.Kind, "producer " + label.writer(), ""} {
		i := slices.IndexFunc(r.Groups, func(g HeadRow) bool { return g.Half == label.Half && g.Name == group })
		if i < 0 {
			i = len(r.Groups)
			r.Groups = append(r.Groups, HeadRow{Half: label.Half, Name: group})
		}
		g := &r.Groups[i]
		g.Documents += row.Documents
		g.Pages += row.Pages
		g.Body += row.Body
		g.Unread += row.Unread
		g.IR.add(row.IR)
		g.Chunks.add(row.Chunks)
	}
	slices.SortStableFunc(r.Groups, func(a, b HeadRow) int {
		return cmp.Or(cmp.Compare(a.Half, b.Half), compareSums(a.Name, b.Name))
	})
}

// Write prints the documents that may be looked at, the sums, and how they stand
// to the goals.
func (r HeadReport) Write(w io.Writer) error {
	fmt.Fprintf(w, "RUNNING HEADS AND FEET, seed %s\n\n", r.Seed)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	title := "pages\tbody\tunread\tlost, IR\tlost, chunks\theads\trecall, IR\trecall, chunks\t"
	fmt.Fprintf(tab, "%s  document, looked at\n", title)
	for _, row := range r.Documents {
		row.write(tab, row.Name+quoteLost(row.Lost))
	}
	half := ""
	for _, g := range r.Groups {
		if g.Half != half {
			half = g.Half
			fmt.Fprintf(tab, "\n%s  %s\n", title, half)
		}
		g.write(tab, fmt.Sprintf("%s (%d of %d documents lose)", cmp.Or(g.Name, "all"), g.Chunks.Losers, g.Documents))
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nGOALS")
	for _, g := range r.Groups {
		if g.Name != "" {
			continue
		}
		lost := max(g.IR.Lost, g.Chunks.Lost)
		recall := min(g.IR.Recall(), g.Chunks.Recall())
		fmt.Fprintf(w, "%s: characters of the body lost: %d, goal 0: %s\n", g.Half, lost, reached(lost == 0))
		fmt.Fprintf(w, "%s: characters in no unit: %d, goal 0: %s\n", g.Half, g.Unread, reached(g.Unread == 0))
		fmt.Fprintf(w, "%s: recall of heads and feet: %.3f, goal %.2f: %s\n", g.Half, recall, goalHeadRecall, reached(recall >= goalHeadRecall))
	}
	return nil
}

func reached(is bool) string {
	if is {
		return "reached"
	}
	return "not reached"
}

func (h HeadRow) write(w io.Writer, name string) {
	recalls := "-\t-\t"
	if h.Chunks.Heads > 0 {
		recalls = fmt.Sprintf("%.3f\t%.3f\t", h.IR.Recall(), h.Chunks.Recall())
		if h.IR.Heads == 0 {
			recalls = fmt.Sprintf("-\t%.3f\t", h.Chunks.Recall())
		}
	}
	fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%s  %s\n", h.Pages, h.Body, h.Unread, h.IR.Lost, h.Chunks.Lost, h.Chunks.Heads, recalls, name)
}

// shownLost is how many bytes of a document's lost texts its row shows.
const shownLost = 60

func quoteLost(lost []string) string {
	if len(lost) == 0 {
		return ""
	}
	text := strings.Join(lost, " / ")
	if len(text) > shownLost {
		text = strings.ToValidUTF8(text[:shownLost], "") + " …"
	}
	return ": " + text
}

// compareSums orders sums by their names, that of all last.
func compareSums(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	}
	return cmp.Compare(a, b)
}
