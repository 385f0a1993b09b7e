package capture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// settle gives files that were captured before the request_id that fits what the
// catalog has of them (ADR 7), and returns those apart of which flags say what
// contradicts the request that stands. What a person should know goes to notes.
func (s *Sender) settle(ctx context.Context, requests []Handover, o Options, notes io.Writer) (settled []Handover, conflicts []catalog.Result, err error) {
	if o.force {
		return requests, nil, nil
	}
	documents := make([]string, len(requests))
	var asked []string
	for i, r := range requests {
		if r.file.path == "" {
			continue
		}
		canonical, err := digest.URLCanonV3(r.URL)
		if err != nil {
			return nil, nil, cli.Usage(err)
		}
		documents[i] = digest.DocumentID(r.SourceID, canonical)
		asked = append(asked, documents[i])
	}
	newest, err := s.DB.NewestSnapshotsOf(ctx, asked)
	if err != nil {
		return nil, nil, err
	}
	for i, h := range requests {
		last, before := newest[documents[i]]
		if !before {
			settled = append(settled, h)
			continue
		}
		conflict, err := s.settleOne(ctx, &h, last, o, notes)
		if err != nil {
			return nil, nil, err
		}
		if conflict != nil {
			conflicts = append(conflicts, *conflict)
			continue
		}
		settled = append(settled, h)
	}
	return settled, conflicts, nil
}

// settleOne does it for a file of whose document last is the newest snapshot. With
// the same bytes it is that snapshot's request; with others it is a new one, named
// by what it comes after where path and content were asked for before.
func (s *Sender) settleOne(ctx context.Context, h *Handover, last model.Snapshot, o Options, notes io.Writer) (*catalog.Result, error) {
	if last.ContentHash == h.hash {
		h.RequestID = last.RequestID
	} else {
		if err := h.after(last, o, notes); err != nil {
			return nil, err
		}
		_, err := s.DB.Capture(ctx, h.SourceID, h.RequestID)
		switch {
		case errors.Is(err, catalog.ErrNotFound):
			return nil, nil
		case err != nil:
			return nil, err
		}
		h.RequestID = digest.CaptureFileRequestID(h.file.name, h.hash, last.SnapshotID)
	}
	row, err := s.DB.Capture(ctx, h.SourceID, h.RequestID)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return h.adopt(row, o)
}

// after places a version behind the newest one. File times count in seconds: of
// two versions within one, the finer time decides.
func (h *Handover) after(last model.Snapshot, o Options, notes io.Writer) error {
	if o.At == "" && h.RetrievedAt.Equal(last.RetrievedAt.Truncate(time.Second)) {
		info, err := os.Stat(h.file.path)
		if err != nil {
			return err
		}
		finer := info.ModTime().UTC().Truncate(time.Microsecond)
		h.RetrievedAt = &finer
	}
	if h.RetrievedAt.Before(last.RetrievedAt) {
		fmt.Fprintf(notes, "%s: its time, %s, is before that of the version captured last, %s: it is kept as an earlier version; --at names another time\n",
			h.URL, h.RetrievedAt.Format(time.RFC3339), last.RetrievedAt.Format(time.RFC3339))
	}
	return nil
}

// adopt takes over the facts of the request that stands under the same id: a
// file that was only touched is the same capture. What flags say otherwise is a
// conflict.
func (h *Handover) adopt(row model.Capture, o Options) (*catalog.Result, error) {
	var stands event.CaptureRequested
	if err := json.Unmarshal(row.Request, &stands); err != nil {
		return nil, fmt.Errorf("request %s/%s: %w", row.SourceID, row.RequestID, err)
	}
	differs := ""
	switch {
	case o.Language != "" && stands.Language == "":
		differs = "without --language"
	case o.Language != "" && o.Language != stands.Language:
		differs = "with --language " + stands.Language
	case o.At != "" && (stands.RetrievedAt == nil || !stands.RetrievedAt.Equal(*h.RetrievedAt)):
		differs = "with another time of retrieval"
		if stands.RetrievedAt != nil {
			differs = "with the time of retrieval " + stands.RetrievedAt.Format(time.RFC3339)
		}
	}
	if differs != "" {
		return &catalog.Result{
			SourceID: h.SourceID, RequestID: h.RequestID, URL: h.URL, DocumentID: row.DocumentID, SnapshotID: row.SnapshotID,
			Outcome: string(event.OutcomeRejected), Reason: string(fault.RequestConflict),
			Message: "these bytes were captured before " + differs + "; --force captures them again",
		}, nil
	}
	stands.Inline, stands.Object, stands.WARC = h.Inline, h.Object, h.WARC
	h.CaptureRequested = stands
	return nil, nil
}
