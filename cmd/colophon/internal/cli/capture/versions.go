package capture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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
		canonical, err := digest.URLCanonV4(r.URL)
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
	first := make(map[string]model.Capture)
	for source, ids := range bySource(requests) {
		rows, err := s.DB.CapturesOf(ctx, source, ids)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(first, rows)
	}
	for i, h := range requests {
		if h.file.path == "" {
			settled = append(settled, h)
			continue
		}
		last, known := newest[documents[i]]
		if known {
			if err := s.takeEarlierTime(ctx, &h, last); err != nil {
				return nil, nil, err
			}
		}
		row, err := s.standing(ctx, &h, first, known, documents[i])
		if err != nil {
			return nil, nil, err
		}
		var conflict *catalog.Result
		switch {
		case row != nil:
			if conflict, err = h.adopt(*row, o); err != nil {
				return nil, nil, err
			}
		case known:
			h.noteEarlier(last, notes)
		}
		if conflict != nil {
			conflicts = append(conflicts, *conflict)
			continue
		}
		settled = append(settled, h)
	}
	return settled, conflicts, nil
}

// finerTimes is the first migration of the build that keeps times of files finer than seconds.
const finerTimes = 20

// takeEarlierTime gives a file the time that a build has kept it with that cut times to
// seconds, where its newest snapshot is of these bytes, of the whole second of its time, and of
// such a build: else each of their files would be captured once more. Two changes within that
// second are told apart all the same, since what is newest has other bytes then.
func (s *Sender) takeEarlierTime(ctx context.Context, h *Handover, last model.Snapshot) error {
	if h.RetrievedAt == nil || last.ContentHash != h.hash || last.RetrievedAt.Nanosecond() != 0 ||
		last.RetrievedAt.Equal(*h.RetrievedAt) || !last.RetrievedAt.Equal(h.RetrievedAt.Truncate(time.Second)) {
		return nil
	}
	earlier, err := s.DB.CapturedBefore(ctx, last.SourceID, last.RequestID, finerTimes)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil
	}
	if earlier {
		h.RetrievedAt = &last.RetrievedAt
	}
	return err
}

// standing returns the row of the request by which a file with these bytes and this time
// was handed over before, nil for none: then h has the request_id of a new one. first are
// the requests that are named by path and content alone, as the first one of them is; what
// has another time is named by that too. So nothing of the order of versions is lost, and
// what is handed over twice is one request.
func (s *Sender) standing(ctx context.Context, h *Handover, first map[string]model.Capture, known bool, documentID string) (*model.Capture, error) {
	if known {
		at, err := s.DB.SnapshotAt(ctx, documentID, h.hash, *h.RetrievedAt)
		if err == nil {
			h.RequestID = at.RequestID
			return s.capture(ctx, h)
		}
		if !errors.Is(err, catalog.ErrNotFound) {
			return nil, err
		}
	}
	row, taken := first[h.RequestID]
	if !taken {
		return nil, nil
	}
	switch same, err := h.hasTimeOf(row); {
	case err != nil:
		return nil, err
	case same:
		return &row, nil
	}
	h.nameByTime()
	return s.capture(ctx, h)
}

// hasTimeOf reports whether a request was made of a file with the time of this one.
func (h *Handover) hasTimeOf(row model.Capture) (bool, error) {
	var stands event.CaptureRequested
	if err := json.Unmarshal(row.Request, &stands); err != nil {
		return false, fmt.Errorf("request %s/%s: %w", row.SourceID, row.RequestID, err)
	}
	if h.RetrievedAt == nil { // of a row that was adopted, and has none
		return true, nil
	}
	if stands.RetrievedAt == nil {
		return false, nil
	}
	return stands.RetrievedAt.Equal(*h.RetrievedAt), nil
}

// nameByTime names the request by path, content and time.
func (h *Handover) nameByTime() {
	h.RequestID = digest.CaptureFileRequestID(h.file.name, h.hash, h.RetrievedAt.Format(time.RFC3339Nano))
}

// How long all requests of a command wait together, and how often it is looked, whether
// those that the bus has get their rows.
const (
	waitForRow = 5 * time.Second
	askForRow  = 20 * time.Millisecond
)

// isItsOwn reports whether a request that the bus has under the request_id of h is that of
// h, and is to be sent again. That of a file can be one of another time, which had no row
// yet when it was looked for: h is named by its time then.
func (s *Sender) isItsOwn(ctx context.Context, h *Handover) (bool, error) {
	if h.file.path == "" {
		return true, nil
	}
	var row *model.Capture
	if s.waitUntil.IsZero() {
		s.waitUntil = time.Now().Add(waitForRow)
	}
	for row == nil {
		var err error
		if row, err = s.capture(ctx, h); err != nil {
			return false, err
		}
		if row == nil && time.Now().After(s.waitUntil) { // it may have been lost
			return true, nil
		}
		if row == nil {
			select {
			case <-time.After(askForRow):
			case <-ctx.Done():
				return false, ctx.Err()
			}
		}
	}
	same, err := h.hasTimeOf(*row)
	if err == nil && !same {
		h.nameByTime()
	}
	return same, err
}

// capture returns the row of a request, nil for none.
func (s *Sender) capture(ctx context.Context, h *Handover) (*model.Capture, error) {
	row, err := s.DB.Capture(ctx, h.SourceID, h.RequestID)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, nil
	}
	return &row, err
}

// noteEarlier says that other bytes than those of the newest snapshot are earlier.
func (h *Handover) noteEarlier(last model.Snapshot, notes io.Writer) {
	if last.ContentHash != h.hash && h.RetrievedAt.Before(last.RetrievedAt) {
		fmt.Fprintf(notes, "%s: its time, %s, is before that of the version captured last, %s: it is kept as an earlier version; --at names another time\n",
			h.URL, h.RetrievedAt.Format(time.RFC3339), last.RetrievedAt.Format(time.RFC3339))
	}
}

// adopt takes over the facts of the request that stands for the same bytes and time. What
// flags say otherwise is a conflict.
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
