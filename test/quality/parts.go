package quality

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/segment"
	chunker "github.com/colophon-dev/colophon/services/chunker/app"
)

// PartsReport counts over a folder of documents what no chunker may do: cut a row of a
// table, and put two articles into one chunk.
type PartsReport struct {
	Documents int            `json:"documents"`
	Unread    int            `json:"unread"` // that cannot be read, or have no text without OCR
	Pages     int            `json:"pages"`
	Chunks    int            `json:"chunks"`
	Chunkers  map[string]int `json:"chunkers"` // documents by chunker
	Tables    int            `json:"tables"`
	Rows      int            `json:"rows"`
	CutRows   int            `json:"cut_rows"` // whose text is in more than one chunk
	Articles  int            `json:"articles"` // anchors
	Mixed     int            `json:"mixed"`    // chunks with more than one
	Wrong     []string       `json:"wrong,omitempty"`
	CutMS     float64        `json:"cut_ms"` // wall time of survey and cut, of a page
}

// Good reports whether nothing is cut or mixed.
func (r PartsReport) Good() bool { return r.Documents > 0 && r.CutRows == 0 && r.Mixed == 0 }

// kindsOf are the kinds of files that are read without OCR, by their ending.
var kindsOf = map[string]struct {
	kind  model.SnapshotKind
	final model.FinalType
}{
	".html": {model.KindHTML, model.TypeHTML}, ".htm": {model.KindHTML, model.TypeHTML}, ".pdf": {model.KindPDF, model.TypePDF},
	".txt": {model.KindTextFile, model.TypeText}, ".md": {model.KindTextFile, model.TypeText}, ".csv": {model.KindTextFile, model.TypeText},
}

// RunParts cuts all documents below a folder whose path in it begins with only.
func RunParts(ctx context.Context, folder, only string) (PartsReport, error) {
	r := PartsReport{Chunkers: make(map[string]int)}
	x, done, err := newExtractor()
	if err != nil {
		return r, err
	}
	defer done()
	maker := chunker.NewMaker()
	var spent time.Duration
	err = filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		kind, ours := kindsOf[strings.ToLower(filepath.Ext(file))]
		if err != nil || entry.IsDir() || !ours {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if err != nil || !strings.HasPrefix(filepath.ToSlash(name), only) {
			return err
		}
		s := model.Snapshot{
			SnapshotID: "snap_x", SourceID: "quality", SourceName: "quality", SnapshotKind: kind.kind, FinalType: kind.final,
			ContentHash: digest.Content([]byte(file)), RetrievedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Filename: filepath.Base(file),
			URL: "https://example.org/", URLCanonical: "https://example.org",
		}
		frames, err := x.frames(ctx, file, s)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		began := time.Now()
		made, err := maker.Make(s, model.Run{ExtractionID: "x", ParserVersion: extract.ParserVersion}, frames, false)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		spent += time.Since(began)
		r.count(filepath.ToSlash(name), frames, made)
		return nil
	})
	r.CutMS = milliseconds(spent) / float64(max(r.Pages, 1))
	return r, err
}

// frames extracts one file; none when it cannot be split.
func (x extractor) frames(ctx context.Context, file string, s model.Snapshot) ([]segment.Frame, error) {
	request := map[string]any{"op": "split", "path": file, "extraction_id": "x", "snapshot": s}
	var probed struct {
		PageCount int             `json:"page_count"`
		Facts     json.RawMessage `json:"facts"`
		Reason    string          `json:"reason"`
	}
	if err := x.call(ctx, request, &probed); err != nil || probed.Reason != "" {
		return nil, err
	}
	request["op"] = "pages"
	if len(probed.Facts) > 0 {
		request["facts"] = probed.Facts
	}
	var all []segment.Frame
	for _, pages := range model.Ranges(probed.PageCount) {
		request["from"], request["to"] = pages.From, pages.To
		raw, err := json.Marshal(request)
		if err != nil {
			return nil, err
		}
		out, err := x.handle(ctx, raw)
		if err != nil {
			return nil, err
		}
		// The answer is an object that says how long the frames are which follow it.
		var answer struct {
			Lengths []int `json:"lengths"`
		}
		d := json.NewDecoder(bytes.NewReader(out))
		if err := d.Decode(&answer); err != nil {
			return nil, err
		}
		out = out[d.InputOffset():]
		for _, n := range answer.Lengths {
			if n < 0 || n > len(out) {
				return nil, fmt.Errorf("a frame of %d bytes in an answer of %d", n, len(out))
			}
			f, err := segment.DecodeFrame(out[:n])
			if err != nil {
				return nil, err
			}
			all, out = append(all, f), out[n:]
		}
	}
	return all, nil
}

// count adds what was made of one document.
func (r *PartsReport) count(name string, frames []segment.Frame, made chunker.Made) {
	r.Documents++
	r.Pages += len(frames)
	if len(made.Chunks) == 0 {
		r.Unread++
		return
	}
	r.Chunks += len(made.Chunks)
	r.Chunkers[cmp.Or(made.Meta.Chunker, "general")]++
	type span struct{ chunk, from, to int }
	spans := make(map[string][]span) // of units
	for i, c := range made.Chunks {
		articles := make(map[string]bool)
		for _, a := range c.Anchors {
			if a.Type == "artigo" || a.Type == "article" || a.Type == "articolo" {
				articles[a.Text] = true
			}
		}
		r.Articles += len(articles)
		if len(articles) > 1 {
			r.Mixed++
			r.Wrong = append(r.Wrong, fmt.Sprintf("%s: chunk %d has %q", name, i, slices.Sorted(maps.Keys(articles))))
		}
		for _, s := range c.Provenance.Segments {
			if s.Synthetic == "" {
				spans[s.IRID] = append(spans[s.IRID], span{i, s.From, s.To})
			}
		}
	}
	for _, f := range frames {
		for _, u := range f.Units {
			if u.Type != model.UnitTable {
				continue
			}
			r.Tables++
			rows, _ := header.Rows(u)
			for i, row := range rows {
				r.Rows++
				in := make(map[int]bool)
				for _, cell := range row {
					for _, s := range spans[u.IRID] {
						if s.from < cell.To && cell.From < s.to {
							in[s.chunk] = true
						}
					}
				}
				if len(in) > 1 {
					r.CutRows++
					r.Wrong = append(r.Wrong, fmt.Sprintf("%s: page %d, row %d of a table is in %d chunks", name, f.Page.PageNo, i+1, len(in)))
				}
			}
		}
	}
}

// Write prints the report for people.
func (r PartsReport) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "documents\t%d, of which %d have no text that is read without OCR; %d pages, %d chunks, by %v\n", r.Documents, r.Unread, r.Pages, r.Chunks, r.Chunkers)
	_, _ = fmt.Fprintf(t, "rows of tables cut\t%d of %d in %d tables (wanted 0)\n", r.CutRows, r.Rows, r.Tables)
	_, _ = fmt.Fprintf(t, "chunks with two articles\t%d, of %d articles (wanted 0)\n", r.Mixed, r.Articles)
	_, _ = fmt.Fprintf(t, "survey and cut\t%.2f ms a page\n", r.CutMS)
	for _, wrong := range r.Wrong {
		_, _ = fmt.Fprintln(t, wrong)
	}
	return t.Flush()
}
