package current

import (
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// TestWhoStandsForAText holds the choice alone, also of rows that rules of before have
// left and that no history leads to any more.
func TestWhoStandsForAText(t *testing.T) {
	t.Parallel()
	hot, archived := model.ChunkState{Layer: model.LayerHot}, model.ChunkState{Layer: model.LayerArchive}
	repeats := model.ChunkState{Layer: model.LayerHot, Repeats: "x/0"}
	other := func(ref string, s model.ChunkState) model.ChunkLink {
		s.ChunkRef, s.DuplicateOf = ref, "a/0"
		return model.ChunkLink{ChunkRef: ref, State: s}
	}
	for _, c := range []struct {
		name string
		text text
		next map[string]model.ChunkState
		want string
	}{
		{"nobody says it", text{}, nil, ""},
		{"another document's stands on", text{stood: "a/0", first: "c/0"}, map[string]model.ChunkState{"c/0": hot}, "a/0"},
		{"one that takes part still stands on", text{stood: "a/0", first: "c/0"}, map[string]model.ChunkState{"a/0": hot, "c/0": hot}, "a/0"},
		{"one that goes to the archive gives way", text{stood: "a/0", first: "c/0"}, map[string]model.ChunkState{"a/0": archived, "c/0": hot}, "c/0"},
		{"and one that repeats another now", text{stood: "a/0", first: "c/0"}, map[string]model.ChunkState{"a/0": repeats, "c/0": hot}, "c/0"},
		{"those that it stood for come first", text{stood: "a/0", first: "b/0", duplicates: []model.ChunkLink{other("c/0", hot), other("d/0", hot)}},
			map[string]model.ChunkState{"a/0": archived, "b/0": hot}, "c/0"},
		{"unless they go as well", text{stood: "a/0", first: "b/0", duplicates: []model.ChunkLink{other("c/0", hot), other("d/0", hot)}},
			map[string]model.ChunkState{"a/0": archived, "b/0": hot, "c/0": repeats}, "d/0"},
		{"or are in the archive", text{stood: "a/0", first: "b/0", duplicates: []model.ChunkLink{other("c/0", archived), other("d/0", hot)}},
			map[string]model.ChunkState{"a/0": archived, "b/0": hot}, "d/0"},
		{"where the row of who stood is lost, one of its duplicates", text{first: "b/0", duplicates: []model.ChunkLink{other("c/0", hot)}},
			map[string]model.ChunkState{"b/0": hot}, "c/0"},
		{"else the first", text{first: "b/0"}, map[string]model.ChunkState{"b/0": hot}, "b/0"},
	} {
		decided := make(map[string]bool)
		for ref, s := range c.next {
			decided[ref] = takesPart(s)
		}
		if got := c.text.choose(decided); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestWhatWasReadBeforeATextWasHeld may have changed since: of which chunk another is a
// duplicate counts as it is when the text is held.
func TestWhatWasReadBeforeATextWasHeld(t *testing.T) {
	t.Parallel()
	key := model.KnowledgeKey{TextHash: "one", SourceType: "official"}
	link := func(duplicateOf string) model.ChunkLink {
		return model.ChunkLink{ChunkRef: "b/0", TextHash: key.TextHash, SourceType: key.SourceType,
			State: model.ChunkState{ChunkRef: "b/0", Layer: model.LayerHot, DuplicateOf: duplicateOf}}
	}
	next := model.ChunkState{ChunkRef: "b/0", Layer: model.LayerHot}
	for _, c := range []struct {
		read, held, stood string
		want              []model.StateChange
	}{
		{"a/0", "", "b/0", nil}, // promoted meanwhile
		{"", "a/0", "a/0", nil}, // a duplicate meanwhile
		{"a/0", "a/0", "a/0", nil},
		{"", "", "b/0", nil},
	} {
		known := text{stood: c.stood, first: "b/0"}
		if c.held != "" {
			known.duplicates = []model.ChunkLink{link(c.held)}
		}
		out := decideEquals([]decision{{chunk: link(c.read), next: next}}, map[model.KnowledgeKey]text{key: known}, "s")
		if !slices.Equal(out.changed, c.want) || len(out.added) > 0 || len(out.standing) > 0 {
			t.Errorf("read %q, held %q: %+v", c.read, c.held, out)
		}
	}
}

// TestStatesOfAnUnsettledDocument are those of the version that its row names, not of the
// one that will be current.
func TestStatesOfAnUnsettledDocument(t *testing.T) {
	t.Parallel()
	first, second := step{doc: "a", day: 5, says: "one"}, step{doc: "a", day: 6, says: "two"}
	v, w := first.version(), second.version()
	v.Chunks, w.Chunks = v.Set(), w.Set()
	h := model.History{Landed: []model.Version{v, w}, Captured: []model.Captured{first.captured(), second.captured()},
		Recorded: model.Recorded{SnapshotID: v.SnapshotID, ExtractionID: v.ExtractionID, Chunks: v.Chunks}}
	for _, c := range []struct {
		unsettled bool
		recorded  model.Recorded
		hot       string
	}{{false, h.Recorded, "a6/0"}, {true, h.Recorded, "a5/0"}, {true, model.Recorded{}, ""}} {
		h.Recorded = c.recorded
		h.Recorded.Unsettled = c.unsettled
		for _, s := range States(h, append(first.chunks(), second.chunks()...)) {
			if (s.Layer == model.LayerHot) != (s.ChunkRef == c.hot) {
				t.Errorf("unsettled %t: %+v", c.unsettled, s)
			}
		}
	}
}

// TestOfWhichTextsAllDuplicatesAreRead: of those alone for which another chunk is to be chosen; of a
// text that a chunk of another document stands for, only whether those that are decided are
// duplicates.
func TestOfWhichTextsAllDuplicatesAreRead(t *testing.T) {
	t.Parallel()
	link := func(ref, text, repeats string) model.ChunkLink {
		return model.ChunkLink{ChunkRef: ref, TextHash: text, State: model.ChunkState{ChunkRef: ref, Rev: 1, Layer: model.LayerHot, Repeats: repeats}}
	}
	decided := func(l model.ChunkLink, layer model.Layer) decision {
		return decision{chunk: l, next: model.ChunkState{ChunkRef: l.ChunkRef, Layer: layer, Repeats: l.State.Repeats}}
	}
	fresh := model.ChunkLink{ChunkRef: "new", TextHash: "theirs"}
	decisions := []decision{
		decided(link("ours", "dropped", ""), model.LayerArchive), decided(link("stays", "kept", ""), model.LayerHot),
		decided(link("theirs", "theirs", ""), model.LayerArchive), decided(link("also", "theirs", ""), model.LayerHot),
		decided(link("alone", "nobody's", ""), model.LayerArchive), decided(link("later", "theirs", "also"), model.LayerHot),
		{chunk: fresh, next: model.ChunkState{ChunkRef: "new", Layer: model.LayerHot}},
	}
	stood := make(map[model.KnowledgeKey]string)
	for text, ref := range map[string]string{"dropped": "ours", "kept": "stays", "theirs": "of another document"} {
		stood[model.KnowledgeKey{TextHash: text}] = ref
	}
	open, refs := openTexts(decisions, stood)
	var texts []string
	for _, key := range open {
		texts = append(texts, key.TextHash)
	}
	if !slices.Equal(texts, []string{"dropped", "nobody's"}) || !slices.Equal(refs, []string{"also", "stays", "theirs"}) {
		t.Errorf("all duplicates of %q, and whether %q are some", texts, refs)
	}
}
