package follow

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// history is what the gateway tells of a document.
type history struct {
	Document  model.Document `json:"document"`
	Snapshots []struct {
		Snapshot model.Snapshot        `json:"snapshot"`
		Process  bool                  `json:"process"`
		Runs     []catalog.RunProgress `json:"runs"`
	} `json:"snapshots"`
	Manifests []model.Manifest `json:"manifests"` // newest first
	Pages     []pageState      `json:"pages"`
}

type pageState struct {
	PageNo       int              `json:"page_no"`
	Status       model.PageStatus `json:"status"`
	Reason       string           `json:"reason"`
	Message      string           `json:"error_message"`
	Units        int              `json:"units"`
	Coverage     float64          `json:"coverage"`
	CoverageNote string           `json:"coverage_note"`
	Flags        []string         `json:"quality_flags"`
	Ledger       *model.Ledger    `json:"coverage_ledger"`
	LeftOut      *model.LeftOut   `json:"left_out"`
	OCR          []model.PageOCR  `json:"ocr"`
}

// documentHistory prints the history of a document with the coverage of its
// pages: for programs the gateway's record as it is.
func (c commands) documentHistory(cmd *cobra.Command, id string) error {
	if c.JSON {
		return c.show(cmd, "document", id)
	}
	var h history
	if err := c.Get(cmd.Context(), "/v1/documents/"+url.PathEscape(id), nil, &h); err != nil {
		return err
	}
	return c.Print(h, func(w io.Writer) { writeHistory(w, h) })
}

func writeHistory(w io.Writer, h history) {
	fmt.Fprintf(w, "%s  %s  %s\n", h.Document.DocumentID, h.Document.IngestStatus, h.Document.ExternalID)
	for _, s := range h.Snapshots {
		fmt.Fprintf(w, "snapshot %s  %s  %d bytes of %s\n", s.Snapshot.SnapshotID, s.Snapshot.RetrievedAt.Format(time.RFC3339),
			s.Snapshot.ByteLength, s.Snapshot.FinalType)
		if s.Snapshot.ParentSnapshotID != "" {
			fmt.Fprintf(w, "  member %s of %s\n", s.Snapshot.MemberPath, s.Snapshot.ParentSnapshotID)
		}
		switch {
		case s.Snapshot.SnapshotKind == model.KindContainer:
			fmt.Fprintln(w, "  a container: its members have captures of their own")
		case !s.Process:
			fmt.Fprintln(w, "  recorded, nothing to run")
		}
		for _, r := range s.Runs {
			fmt.Fprintf(w, "  run %s  parser %s  %s  %s: %s, %d processed, %d failed, %d pending", r.ExtractionID, r.ParserVersion, r.Why,
				r.State, cli.Many(r.PageCount, "page"), r.Processed, r.Failed, r.Pending)
			if r.Redo > 0 {
				fmt.Fprintf(w, ", after redo %d", r.Redo)
			}
			if r.Reason != "" {
				fmt.Fprintf(w, "  %s: %s", r.Reason, r.Message)
			}
			fmt.Fprintln(w)
		}
	}
	writeLedger(w, h.Pages)
	for _, m := range h.Manifests {
		writeManifest(w, m)
	}
	made := slices.IndexFunc(h.Manifests, func(m model.Manifest) bool { return m.Generation > 0 })
	if made < 0 || h.Manifests[made].LeftOut == nil {
		return
	}
	left := *h.Manifests[made].LeftOut
	if left.Any() {
		fmt.Fprintf(w, "not in chunks: %s\n", tellLeftOut(left))
	}
	if left.Unusual != "" {
		fmt.Fprintf(w, "unusual: %s\n", left.Unusual)
	}
}

// writeManifest says what was made of a version, or how far that is.
func writeManifest(w io.Writer, m model.Manifest) {
	fmt.Fprintf(w, "manifest %.12s…", m.DocHash)
	if m.Generation > 0 {
		fmt.Fprintf(w, " generation %d", m.Generation)
	}
	fmt.Fprintf(w, "  %s  %s  vectors %s", m.Status, cli.Many(m.ChunkCount, "chunk"), m.VectorStatus)
	if counts, ok := m.Meta.Counts(); ok {
		fmt.Fprintf(w, "  of %s, %s, %d by OCR", cli.Many(counts.Pages, "page"), cli.Many(counts.Tables, "table"), counts.OCRPages)
	}
	if m.SameAs != "" {
		fmt.Fprintf(w, "  same as %s", m.SameAs)
	}
	if m.ErrorMessage != "" {
		fmt.Fprintf(w, "  %s", m.ErrorMessage)
	}
	fmt.Fprintln(w)
}

// tellLeftOut says how many characters repeat around the text and are in no chunk.
func tellLeftOut(l model.LeftOut) string {
	return fmt.Sprintf("%d of %d characters left out (%d of running heads and feet, %d of furniture)", l.Heads+l.Furniture, l.Text, l.Heads, l.Furniture)
}

// writeLedger says of each page how much of it is in its units, and what became
// of the rest; then the same of all pages together.
func writeLedger(w io.Writer, pages []pageState) {
	if len(pages) == 0 {
		return
	}
	whole, failed := 0, 0
	var total model.Ledger
	fmt.Fprintf(w, "%6s  %-9s %6s %9s\n", "page", "state", "units", "coverage")
	for _, p := range pages {
		var notes []string
		switch {
		case p.Status == model.PageFailed:
			failed++
			notes = append(notes, p.Reason+": "+p.Message)
		case p.Status == model.PagePending && len(p.OCR) > 0:
			notes = append(notes, waitsForOCR(p.OCR))
		case p.Ledger != nil:
			notes = missing(*p.Ledger)
		case p.CoverageNote != "":
			notes = append(notes, p.CoverageNote)
		}
		if p.Status == model.PageProcessed && p.Coverage >= 1 {
			whole++
		}
		if p.LeftOut != nil {
			notes = append(notes, tellLeftOut(*p.LeftOut))
		}
		if p.Ledger != nil {
			total = plus(total, *p.Ledger)
		}
		line := fmt.Sprintf("%6d  %-9s %6d %9.4f  %s", p.PageNo, p.Status, p.Units, p.Coverage, strings.Join(append(notes, p.Flags...), "; "))
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	fmt.Fprintf(w, "%d of %s in units as a whole, %d failed\n", whole, cli.Many(len(pages), "page"), failed)
	for _, a := range accounts(total) {
		if a.Found > 0 {
			fmt.Fprintf(w, "%s: %s\n", a.name, tell(a.Account))
		}
	}
}

// waitsForOCR says how far the OCR of a page has come that is not extracted yet.
func waitsForOCR(parts []model.PageOCR) string {
	for _, part := range parts {
		if !part.Answered() {
			return "waits for OCR"
		}
	}
	return "read by OCR, waits for the other pages of its range"
}

// account is a line of the ledger with its name.
type account struct {
	name string
	model.Account
}

func accounts(l model.Ledger) []account {
	return []account{{"characters", l.Characters}, {"pictures", l.Pictures}, {"drawings", l.Drawings}}
}

// missing tells the accounts of which something is in no unit.
func missing(l model.Ledger) (notes []string) {
	for _, a := range accounts(l) {
		if a.Placed < a.Found {
			notes = append(notes, a.name+": "+tell(a.Account))
		}
	}
	return notes
}

func tell(a model.Account) string {
	s := fmt.Sprintf("%d of %d in units", a.Placed, a.Found)
	for _, k := range a.Skipped {
		s += fmt.Sprintf(", %d skipped (%s)", k.Count, k.Reason)
	}
	if a.Failed > 0 {
		s += fmt.Sprintf(", %d failed", a.Failed)
	}
	return s
}

// plus adds two ledgers, what was skipped by its reason.
func plus(a, b model.Ledger) model.Ledger {
	return model.Ledger{
		Characters: sum(a.Characters, b.Characters), Pictures: sum(a.Pictures, b.Pictures), Drawings: sum(a.Drawings, b.Drawings),
	}
}

func sum(a, b model.Account) model.Account {
	out := model.Account{Found: a.Found + b.Found, Placed: a.Placed + b.Placed, Failed: a.Failed + b.Failed, Skipped: slices.Clone(a.Skipped)}
	for _, k := range b.Skipped {
		i := slices.IndexFunc(out.Skipped, func(s model.Skipped) bool { return s.Reason == k.Reason })
		if i < 0 {
			out.Skipped = append(out.Skipped, k)
			continue
		}
		out.Skipped[i].Count += k.Count
	}
	slices.SortFunc(out.Skipped, func(x, y model.Skipped) int { return strings.Compare(x.Reason, y.Reason) })
	return out
}
