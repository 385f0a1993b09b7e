package quality

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/extract/textfile"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	chunker "github.com/colophon-dev/colophon/services/chunker/app"
	"github.com/colophon-dev/colophon/test/quality/boundaryset"
)

// goalBoundaries is the F1 of boundaries that is wanted of each half.
const goalBoundaries = 0.95

// BoundaryReport is how well the chunkers find the parts of documents whose parts are
// known by construction. Of the unseen half there are sums only.
type BoundaryReport struct {
	Seed      uint64        `json:"seed"`
	Documents []BoundaryRow `json:"documents"` // of the half that is looked at
	Groups    []BoundaryRow `json:"groups"`    // sums: each half by kind, then whole
}

// BoundaryRow counts one document or the sum of some.
type BoundaryRow struct {
	Half      string         `json:"half"`
	Name      string         `json:"name"` // of the document, of the kind; empty in the sum of a half
	Documents int            `json:"documents"`
	Truth     int            `json:"truth"`   // parts that begin within documents
	Found     int            `json:"found"`   // chunks that begin within documents, but where a part above the budget may be cut
	Right     int            `json:"right"`   // of both
	Missing   int            `json:"missing"` // openings that are in no chunk
	Chunkers  map[string]int `json:"chunkers"`
	Wrong     []string       `json:"wrong,omitempty"` // of a document only: what is cut where no part begins, and not where one does
}

// F1 is the harmonic mean of precision and recall; 1 where there is nothing to find.
func (r BoundaryRow) F1() float64 {
	if r.Truth+r.Found == 0 {
		return 1
	}
	return 2 * float64(r.Right) / float64(r.Truth+r.Found)
}

func (r *BoundaryRow) add(o BoundaryRow) {
	r.Documents += o.Documents
	r.Truth += o.Truth
	r.Found += o.Found
	r.Right += o.Right
	r.Missing += o.Missing
	if r.Chunkers == nil {
		r.Chunkers = make(map[string]int)
	}
	for name, n := range o.Chunkers {
		r.Chunkers[name] += n
	}
}

// RunBoundaries makes the set of a seed, cuts it with the chunkers of this program, and
// counts.
func RunBoundaries(ctx context.Context, seed uint64) (BoundaryReport, error) {
	report := BoundaryReport{Seed: seed}
	for _, half := range []struct {
		name      string
		documents []boundaryset.Document
	}{{"looked at", boundaryset.LookedAt(seed)}, {"unseen", boundaryset.Unseen(seed)}} {
		kinds := make(map[string]*BoundaryRow)
		whole := BoundaryRow{Half: half.name}
		for _, d := range half.documents {
			row, err := boundariesOf(ctx, half.name, d)
			if err != nil {
				return report, fmt.Errorf("%s: %s: %w", half.name, d.Kind, err)
			}
			if kinds[d.Kind] == nil {
				kinds[d.Kind] = &BoundaryRow{Half: half.name, Name: d.Kind}
			}
			kinds[d.Kind].add(row)
			whole.add(row)
			if half.name == "looked at" {
				report.Documents = append(report.Documents, row)
			}
		}
		var rows []BoundaryRow
		for _, row := range kinds {
			rows = append(rows, *row)
		}
		slices.SortFunc(rows, func(a, b BoundaryRow) int { return cmp.Compare(a.Name, b.Name) })
		report.Groups = append(append(report.Groups, rows...), whole)
	}
	return report, nil
}

// made is a document as the service makes it into chunks.
func made(ctx context.Context, s model.Snapshot, raw []byte, generalOnly bool) (chunker.Made, error) {
	in := extract.Input{Raw: raw, Snapshot: s, ExtractionID: digest.ExtractionID(extract.ParserVersion, "", "")}
	all := extract.Extractors{model.KindHTML: html.Extractor{}, model.KindTextFile: textfile.Extractor{Formats: textfile.Builtin()}}
	pages, reason, sentence, err := all.Pages(ctx, in)
	if err != nil || reason != "" {
		return chunker.Made{}, fmt.Errorf("%s %s: %w", reason, sentence, cmp.Or(err, context.Cause(ctx)))
	}
	var frames []segment.Frame
	for n := range pages {
		frame, err := all.Extract(ctx, in, n+1)
		if err != nil {
			return chunker.Made{}, err
		}
		frames = append(frames, frame)
	}
	return chunker.Make(s, model.Run{ExtractionID: in.ExtractionID, ParserVersion: extract.ParserVersion}, frames, generalOnly)
}

// snapshotOf returns a snapshot of a file, as the capturer would have made it.
func snapshotOf(source, name, url string, raw []byte, date time.Time) model.Snapshot {
	s := model.Snapshot{
		SourceID: source, SourceName: source, Filename: path.Base(name), URL: url, URLCanonical: url, ExternalID: url,
		ContentHash: digest.Content(raw), ByteLength: int64(len(raw)), RetrievedAt: date, LastModified: date,
		SnapshotKind: model.KindTextFile, FinalType: model.TypeText,
	}
	if path.Ext(name) == ".html" {
		s.SnapshotKind, s.FinalType = model.KindHTML, model.TypeHTML
	}
	s.SnapshotID = digest.SnapshotID(source, name, s.ContentHash)
	s.DocumentID = digest.DocumentID(source, url)
	return s
}

func boundariesOf(ctx context.Context, half string, d boundaryset.Document) (BoundaryRow, error) {
	s := snapshotOf("set", d.Name, "https://set.example/"+d.Name, d.Content, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	s.SourceType, s.Domain = d.SourceType, d.Domain
	if d.EntryRule != "" {
		s.SourceEntry = new(model.EntryRule)
		if err := json.Unmarshal([]byte(d.EntryRule), s.SourceEntry); err != nil {
			return BoundaryRow{}, err
		}
	}
	m, err := made(ctx, s, d.Content, false)
	if err != nil {
		return BoundaryRow{}, err
	}
	row := BoundaryRow{Half: half, Name: d.Name, Documents: 1, Chunkers: map[string]int{cmp.Or(m.Meta.Chunker, "general"): 1}}
	row.count(d, m.Chunks)
	return row, nil
}

// count compares where chunks begin with where parts do, as places in the text that is
// not synthetic.
func (r *BoundaryRow) count(d boundaryset.Document, chunks []model.Chunk) {
	var text strings.Builder
	begins := make(map[int]bool) // chunks, by place
	for _, c := range chunks {
		begins[text.Len()] = true
		for _, s := range c.Provenance.Segments {
			if s.Synthetic == "" {
				text.WriteString(strings.Join(strings.Fields(c.Text[s.Start:s.End]), " ") + " ")
			}
		}
	}
	whole := text.String()
	at := 0
	truth, free := make(map[int]bool), make(map[int]bool) // where parts begin; where they may be cut
	for i, p := range d.Parts {
		found := strings.Index(whole[at:], p.Opening)
		if found < 0 {
			r.Missing++
			r.Wrong = append(r.Wrong, "not found: "+p.Opening)
			continue
		}
		at += found
		if i > 0 {
			truth[at] = true
		}
		end := at + len(p.Opening)
		for _, inner := range p.Inner {
			if next := strings.Index(whole[end:], inner); next >= 0 {
				end += next
				free[end] = true
			}
		}
		if p.Long { // a file of several pages has the head of its table on each
			for place := range begins {
				if place > at && strings.HasPrefix(whole[place:], p.Opening) {
					free[place] = true
				}
			}
		}
		at = max(at+len(p.Opening), end)
	}
	delete(begins, 0)
	for place := range begins {
		switch {
		case truth[place]:
			r.Right++
			r.Found++
		case !free[place]:
			r.Found++
			r.Wrong = append(r.Wrong, "cut before: "+whole[place:min(len(whole), place+40)])
		}
	}
	r.Truth = len(truth)
	for place := range truth {
		if !begins[place] {
			r.Wrong = append(r.Wrong, "not cut before: "+whole[place:min(len(whole), place+40)])
		}
	}
	slices.Sort(r.Wrong)
}

// Write prints the report for people.
func (r BoundaryReport) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "seed %d, wanted of each half: F1 %.2f\nhalf\tkind\tdocuments\tparts\tcut\tright\tF1\tchunkers\n", r.Seed, goalBoundaries)
	for _, g := range r.Groups {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%.3f\t%v\n", g.Half, cmp.Or(g.Name, "all"), g.Documents, g.Truth, g.Found, g.Right, g.F1(), g.Chunkers)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, d := range r.Documents {
		for _, wrong := range d.Wrong {
			if _, err := fmt.Fprintf(w, "%s %v: %s\n", d.Name, d.Chunkers, wrong); err != nil {
				return err
			}
		}
	}
	return nil
}
