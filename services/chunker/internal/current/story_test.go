package current

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

// step is one thing that happens to a document: a version lands, or a capture is
// recorded and changes the order of what has landed.
type step struct {
	doc  string // a, b, …; the chunks of c are summaries
	day  int    // of January 2026, on which it was captured
	says string // its chunks: words, as "one two"; "one/x" is in section x, "one!" confirmed, "one?" an opinion

	date     int    // of the chunks, when it is another day
	text     string // the fingerprint, when it is not what it says: other markup, say
	reads    string // captures with the same are captures of one version; by default none are
	run      int    // the order of the run, when it is not the first of its capture
	gen      int    // the generation, when it is not the first
	parser   string // versions of the programs; by default 1
	chunker  string
	header   string
	other    string      // another extraction_id
	source   string      // source_type, by default official
	in       string      // the territory of its source when it was captured
	layer    model.Layer // of its source when it was captured; by default that of its chunks
	failed   int         // pages
	recorded bool        // nothing lands: what is current is decided anew
	zip      bool        // a container, which is recorded
	unasked  bool        // its capture is not of those that are ordered: it was recorded only, and is extracted by order
}

func (s step) captured() model.Captured {
	return model.Captured{SnapshotID: fmt.Sprintf("%s%d", s.doc, s.day), RetrievedAt: time.Date(2026, 1, s.day, 0, 0, 0, 0, time.UTC),
		Reads: cmp.Or(s.reads, fmt.Sprintf("%s%d", s.doc, s.day)), Container: s.zip}
}

// set is the doc_hash, which stands for both parts of the set in all that is printed.
func (s step) set() string {
	name := fmt.Sprintf("%s%d", s.doc, s.day)
	if s.run > 0 {
		name += fmt.Sprintf("r%d", s.run)
	}
	if s.gen > 0 {
		name += fmt.Sprintf("g%d", s.gen)
	}
	return name
}

func (s step) version() model.Version {
	return model.Version{DocHash: s.set(), Generation: max(s.gen, 1), SnapshotID: s.captured().SnapshotID, ExtractionID: "x" + s.other,
		RetrievedAt: s.captured().RetrievedAt, RunOrder: s.run, FailedPages: s.failed, Fingerprint: cmp.Or(s.text, s.says),
		ParserVersion: cmp.Or(s.parser, "1"), ChunkerVersion: cmp.Or(s.chunker, "1"), HeaderVersion: cmp.Or(s.header, "1"), Layer: s.layer, Facets: s.facets()}
}

func (s step) facets() model.Facets {
	return model.Facets{SourceType: cmp.Or(s.source, "official"), DocType: "html", Territory: s.in}
}

// chunks are the chunks that the version has when they are its own.
func (s step) chunks() (links []model.ChunkLink) {
	for i, word := range strings.Fields(s.says) {
		l := model.ChunkLink{ChunkRef: fmt.Sprintf("%s/%d", s.set(), i), Set: s.version().Set(), ChunkIndex: i,
			Type: model.ChunkFact, Status: model.StatusUnderReview, SourceType: cmp.Or(s.source, "official"), Facets: s.facets(), Layer: cmp.Or(s.layer, model.LayerHot),
			InfoDate: fmt.Sprintf("2026-01-%02d", cmp.Or(s.date, s.day))}
		if s.doc == "c" && s.layer == "" {
			l.Layer = model.LayerSummary
		}
		text, section, in := strings.Cut(word, "/")
		if in {
			l.SectionPath = []string{section, "below"}
		}
		if strings.HasSuffix(text, "!") {
			l.Status = model.StatusConfirmed
		}
		if strings.HasSuffix(text, "?") {
			l.Type = model.ChunkOpinion
		}
		l.ContentTextHash = strings.TrimRight(text, "!?")
		l.TextHash = l.InfoDate + " " + text // the header says date, type and status, but no section
		links = append(links, l)
	}
	return links
}

// story is documents over time: their histories, beside the chunks in memory.
type story struct {
	*memory
	histories map[string]model.History
	timeline  Timeline // of the last step
	snapshot  string   // of the last step's landing

	// also does the same elsewhere; nil: nowhere.
	also func(s step, t Timeline, run model.Run, added []model.ChunkLink) error
}

func newStory(t *testing.T) *story {
	return &story{memory: newMemory(t), histories: map[string]model.History{}}
}

// take lets a step happen, as the chunker does it: the decision, the version's row, and
// what the document's row says.
func (w *story) take(s step) error {
	w.Helper()
	w.begin(s.doc)
	h := w.histories[s.doc]
	h.Landed, h.Captured = slices.Clone(h.Landed), slices.Clone(h.Captured)
	of := s.captured()
	if !s.unasked && !slices.ContainsFunc(h.Captured, func(c model.Captured) bool { return c.SnapshotID == of.SnapshotID }) {
		h.Captured = append(h.Captured, of)
	}
	run := model.Run{SnapshotID: of.SnapshotID, ExtractionID: "x", DocumentID: s.doc, SourceID: "s"}
	var added []model.ChunkLink
	if s.recorded || s.zip {
		w.timeline, w.snapshot = Settle(h), w.newest(h)
		if err := w.timeline.Move(w.Context(), w.memory, run); err != nil {
			return err
		}
	} else {
		w.timeline, w.snapshot = Place(h, of, s.version()), of.SnapshotID
		v := w.timeline.Landed()
		if v.Own() {
			added = s.chunks()
			for _, l := range added {
				w.of[l.ChunkRef] = s.doc
			}
			w.chunks = append(w.chunks, added...)
		}
		if err := w.timeline.Land(w.Context(), w.memory, run, "capture", added); err != nil {
			return err
		}
		if taken, ok := w.timeline.Taken(); ok {
			for i := range h.Landed {
				if h.Landed[i].Chunks == taken {
					h.Landed[i].SameAs, h.Landed[i].Chunks = v.SnapshotID, v.Chunks
				}
			}
		}
		h.Landed = append(h.Landed, v)
		if s.unasked { // what is made into chunks is ordered from now on
			h.Captured = append(h.Captured, of)
		}
	}
	if w.also != nil {
		if err := w.also(s, w.timeline, run, added); err != nil {
			return err
		}
	}
	now, _ := w.timeline.Now()
	h.Recorded = model.Recorded{SnapshotID: now.SnapshotID, ExtractionID: now.ExtractionID, Chunks: now.Chunks}
	w.histories[s.doc] = h
	return nil
}

func (w *story) newest(h model.History) string {
	return slices.MaxFunc(h.Captured, model.Captured.Compare).SnapshotID
}

// tell lets steps happen, each of which must succeed and leave what it has to.
func (w *story) tell(steps ...step) {
	w.Helper()
	for _, s := range steps {
		before := maps.Clone(w.states)
		stood, current := maps.Clone(w.knowledge), w.histories[s.doc].Recorded.Chunks
		if err := w.take(s); err != nil {
			w.Fatalf("%s: %v", s.set(), err)
		}
		w.check(s, before, stood, current)
	}
}

// words writes down the states of all chunks: "a5/0 one hot 05", then what it repeats
// ("after") or who stands for it ("=").
func (w *story) words() []string {
	var out []string
	for _, l := range w.links(func(model.ChunkLink) bool { return true }) {
		line := fmt.Sprintf("%s %s %s %s", l.ChunkRef, l.ContentTextHash, l.State.Layer, strings.TrimPrefix(l.State.Since, "2026-01-"))
		if l.State.Repeats != "" {
			line += " after " + l.State.Repeats
		}
		if l.State.DuplicateOf != "" {
			line += " =" + l.State.DuplicateOf
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// news writes down what the last step has changed of chunks that were there:
// "a5/0 archived a6".
func (w *story) news() []string {
	out := []string{}
	for ref, c := range w.changes {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", ref, c.Cause, c.ReplacedBy)))
	}
	slices.Sort(out)
	return out
}
