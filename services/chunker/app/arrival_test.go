package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// arrive captures a version as the capturer does: what says what the one before it says
// is recorded only, what is to be processed lands, and what can change what is current by
// itself is told to the chunker.
func (w *world) arrive(v version, all []version) {
	w.Helper()
	s := w.record(v, func(before model.Standing) bool {
		reads, err := w.snapshotOf(v).ReadsDigest()
		if err != nil {
			w.Fatal(err)
		}
		return before.Reads == reads
	})
	next, unsettled, err := w.DB.Woken(w.Context(), s)
	if err != nil {
		w.Fatal(err)
	}
	if w.processed(s) {
		w.finish(w.begin(s, v), v)
	}
	if next != nil {
		i := slices.IndexFunc(all, func(o version) bool { return w.snapshotOf(o).SnapshotID == next.SnapshotID })
		w.finish(w.begin(*next, all[i]), all[i])
	}
	if unsettled {
		w.settle(s)
	}
}

// finish extracts and lands all ranges of a run.
func (w *world) finish(run model.Run, v version) {
	w.Helper()
	for _, r := range model.Ranges(run.PageCount) {
		if err := w.stage.Handle(w.Context(), w.extract(run, r, 0, v.pages), w.Emit); err != nil {
			w.Fatal(err)
		}
	}
}

// settle hands the chunker the event that follows when a capture leaves a document
// unsettled, twice.
func (w *world) settle(s model.Snapshot) {
	w.Helper()
	for range 2 {
		d, err := w.DB.Unsettled(w.Context(), s.DocumentID)
		if err != nil {
			w.Fatal(err)
		}
		if d == nil {
			return // it was settled by what has landed
		}
		run, segments, _, err := w.DB.RunParts(w.Context(), d.SnapshotID, d.ExtractionID)
		if err != nil {
			w.Fatal(err)
		}
		again := event.OfRun(run, segments)
		again.Arrived = s.SnapshotID
		e, err := event.New("capturer", again, time.Now())
		if err != nil {
			w.Fatal(err)
		}
		if err := w.stage.Handle(w.Context(), e, w.Emit); err != nil {
			w.Fatal(err)
		}
	}
	w.Error("the document is not settled")
}

func (w *world) processed(s model.Snapshot) bool {
	w.Helper()
	all, err := w.DB.DocumentSnapshots(w.Context(), s.DocumentID, 100)
	if err != nil {
		w.Fatal(err)
	}
	return slices.ContainsFunc(all, func(o catalog.RecordedSnapshot) bool { return o.SnapshotID == s.SnapshotID && o.Process })
}

// TestContainersAndRepeatsInEveryOrder lets captures of a URL come in every order: equal
// ones, others between them, and containers. What is current, and what is in the archive,
// is the same each time, and no row contradicts another.
func TestContainersAndRepeatsInEveryOrder(t *testing.T) {
	one, two := []string{"# A|x.|# B|y."}, []string{"# A|x.|# C|z."}
	zip := func(day int) version { return version{doc: docA, day: day, kind: model.TypeZIP} }
	said := func(day int, name string, pages []string) version {
		return version{doc: docA, day: day, bytes: name, pages: pages}
	}
	for name, c := range map[string]struct {
		versions []version
		current  int // its day, 0: none
		standing string
	}{
		"a container after all":   {[]version{said(1, "one", one), said(2, "two", two), zip(3)}, 0, ""},
		"a container before all":  {[]version{zip(1), said(2, "one", one), said(3, "one", one)}, 2, "x. y."},
		"a container in between":  {[]version{said(1, "one", one), zip(2), said(3, "one", one)}, 1, "x. y."},
		"other bytes in between":  {[]version{said(1, "one", one), said(2, "two", two), said(3, "one", one)}, 3, "x. y."},
		"what fails is between":   {[]version{said(1, "one", one), said(2, "none", []string{"!malformed"}), said(3, "one", one)}, 3, "x. y."},
		"what fails is after one": {[]version{said(1, "one", one), zip(2), said(3, "none", []string{"!malformed"}), said(4, "two", two)}, 4, "x. z."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for i, order := range permutations(len(c.versions)) {
				all := slices.Clone(c.versions)
				for n := range all { // another document each time, with texts of its own
					mark := fmt.Sprintf("-%d", i)
					all[n].doc += mark
					all[n].pages = slices.Clone(all[n].pages)
					for k := range all[n].pages {
						all[n].pages[k] = strings.ReplaceAll(all[n].pages[k], ".", mark+".")
					}
				}
				for _, n := range order {
					w.arrive(all[n], all)
				}
				w.check(fmt.Sprint(order), w.snapshotOf(all[0]).DocumentID, c.current, strings.ReplaceAll(c.standing, ".", fmt.Sprintf("-%d.", i)))
			}
			if wrong, err := w.DB.Contradictions(t.Context(), "", time.Now().Add(time.Hour)); err != nil || len(wrong) > 0 {
				t.Errorf("%v, %v", wrong, err)
			}
		})
	}
}

// check holds what is current of a document, and the contents that are not in the archive,
// against what is wanted.
func (w *world) check(place, documentID string, day int, standing string) {
	w.Helper()
	d, err := w.DB.Document(w.Context(), documentID)
	if err != nil {
		w.Fatal(err)
	}
	current := 0
	if d.CurrentSnapshotID != "" {
		s, err := w.DB.Snapshot(w.Context(), d.CurrentSnapshotID)
		if err != nil {
			w.Fatal(err)
		}
		current = s.RetrievedAt.Day()
	}
	if current != day {
		w.Fatalf("in the order %s the capture of day %d is current, want %d", place, current, day)
	}
	var texts []string
	for _, c := range w.chunks(documentID) {
		if c.State.Layer != model.LayerArchive && c.State.Repeats == "" {
			_, text, _ := strings.Cut(c.Chunk.Content, "\n\n")
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	if got := strings.Join(texts, " "); got != standing {
		w.Fatalf("in the order %s %q stand, want %q", place, got, standing)
	}
}
