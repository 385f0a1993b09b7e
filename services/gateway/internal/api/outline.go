package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Prober reads the facts of a document out of its bytes (contracts#facts).
type Prober interface {
	// HasFacts says whether documents of a kind have facts: of others nothing is to be
	// asked.
	HasFacts(kind model.SnapshotKind) bool
	// Probe returns how many pages a document has and its facts, nil for kinds that
	// have none. A permanent fault of a reason of its own says that it cannot be read.
	Probe(ctx context.Context, s model.Snapshot) (pages int, facts []byte, err error)
}

// OutlineAnswer is the answer of /v1/snapshots/{id}/outline.
type OutlineAnswer struct {
	SnapshotID string         `json:"snapshot_id"`
	PageCount  int            `json:"page_count"` // pages of the document; 0 for what has none, as containers, or was not split yet
	Title      string         `json:"title,omitempty"`
	Outline    []OutlineEntry `json:"outline"`     // its bookmarks in reading order, at most 5,000; empty where it has none
	PageLabels []PageLabel    `json:"page_labels"` // what its pages are called, where they are called anything: of the newest run
}

// OutlineEntry is one bookmark.
type OutlineEntry struct {
	Title  string `json:"title"`           // at most 200 characters
	Level  int    `json:"level"`           // 1 to 8
	PageNo int    `json:"page_no"`         // where it leads, from 1; 0: nowhere in this document
	Label  string `json:"label,omitempty"` // what that page is called
}

// PageLabel is what a page is called in its document, such as iv or A-3.
type PageLabel struct {
	PageNo int    `json:"page_no"`
	Label  string `json:"label"`
}

// outline answers with the bookmarks of a document and the labels of its pages. The
// bookmarks are read out of the captured bytes, as an extractor does: only documents of
// several ranges of pages have them stored, and these are the same. Bytes of kinds that
// have none are not fetched.
func (a *API) outline(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	ctx := r.Context()
	s, err := a.Catalog.Snapshot(ctx, id)
	if err != nil {
		return err
	}
	answer := OutlineAnswer{SnapshotID: id, Outline: []OutlineEntry{}, PageLabels: []PageLabel{}}
	if a.Prober.HasFacts(s.SnapshotKind) {
		if err := a.readOutline(ctx, s, &answer); err != nil {
			return err
		}
	}
	runs, err := a.Catalog.RunsProgress(ctx, []string{id})
	if err != nil {
		return err
	}
	if len(runs) > 0 {
		newest := runs[len(runs)-1]
		answer.PageCount = cmp.Or(answer.PageCount, newest.PageCount)
		if err := a.readLabels(ctx, newest.Run, &answer); err != nil {
			return err
		}
	}
	return a.answer(w, answer)
}

// readOutline puts the number of pages, the title and the bookmarks of a document into
// an answer.
func (a *API) readOutline(ctx context.Context, s model.Snapshot, answer *OutlineAnswer) error {
	pages, raw, err := a.Prober.Probe(ctx, s)
	if fault.KindOf(err) == fault.KindPermanent && fault.ReasonOf(err) != fault.Internal {
		return fmt.Errorf("the outline of snapshot %s: %w: %w", s.SnapshotID, catalog.ErrNotFound, err)
	} else if err != nil {
		return err
	}
	answer.PageCount = pages
	if len(raw) == 0 {
		return nil
	}
	var known struct {
		Title   string         `json:"title"`
		Outline []OutlineEntry `json:"outline"`
	}
	if err := json.Unmarshal(raw, &known); err != nil {
		return fmt.Errorf("the facts of snapshot %s: %w", s.SnapshotID, err)
	}
	answer.Title, answer.Outline = known.Title, append(answer.Outline, known.Outline...)
	return nil
}

// readLabels puts what the pages of a run are called into an answer.
func (a *API) readLabels(ctx context.Context, run model.Run, answer *OutlineAnswer) error {
	found, give, err := a.pagesOf(ctx, run)
	if err != nil {
		return err
	}
	defer give()
	labels := make(map[int]string, len(found))
	for _, p := range found {
		if p.Label != "" {
			labels[p.PageNo] = p.Label
			answer.PageLabels = append(answer.PageLabels, PageLabel{PageNo: p.PageNo, Label: p.Label})
		}
	}
	for i, e := range answer.Outline {
		answer.Outline[i].Label = labels[e.PageNo]
	}
	return nil
}
