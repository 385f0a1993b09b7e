package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

const (
	docA = "https://example.org/a"
	docB = "https://example.org/b"
)

func TestASecondVersionRepeatsAndArchives(t *testing.T) {
	w := newWorld(t)
	first, _ := w.land(version{doc: docA, day: 5, pages: []string{"# A|Stays.|# B|Goes.|# C|Stays too."}})
	w.Heard()
	second, _ := w.land(version{doc: docA, day: 6, pages: []string{"# A|Stays.|# C|Stays too.|# D|Comes."}})
	said := w.Heard()
	if got := types(said); got != "chunk.created chunk.created chunk.created chunk.superseded run.completed" {
		t.Fatalf("said %s", got)
	}
	gone := w.of(first, "Goes")
	for _, d := range said {
		if c, ok := d.(event.ChunkSuperseded); ok && (c.ChunkRef != gone.Chunk.ChunkRef || c.Rev != 2 || c.Cause != "archived" ||
			c.Layer != model.LayerArchive || c.ReplacedBy != second.SnapshotID) {
			t.Errorf("%+v", c)
		}
	}
	if gone.State.Layer != model.LayerArchive {
		t.Errorf("%+v", gone.State)
	}
	stays, again := w.of(first, "Stays."), w.of(second, "Stays.")
	if again.State.Repeats != stays.Chunk.ChunkRef || again.State.Since != "2026-01-05" || again.Chunk.InfoDate != "2026-01-06" ||
		again.State.HasPoint() || !stays.State.HasPoint() || stays.State.Layer != model.LayerHot || stays.State.Rev != 1 {
		t.Errorf("first %+v\nsecond %+v", stays.State, again.State)
	}
	// The chain ends: it is archived as a whole.
	third, _ := w.land(version{doc: docA, day: 7, pages: []string{"# D|Comes."}})
	for _, run := range []model.Run{first, second} {
		if c := w.of(run, "Stays."); c.State.Layer != model.LayerArchive {
			t.Errorf("%+v", c.State)
		}
	}
	w.settled(first, second, third)
}

func TestALateVersionGoesToTheArchiveAndBetweenItsNeighbours(t *testing.T) {
	w := newWorld(t)
	first, _ := w.land(version{doc: docA, day: 5, pages: []string{"# A|In all.|# B|First and third."}})
	third, _ := w.land(version{doc: docA, day: 7, pages: []string{"# A|In all.|# B|First and third.|# C|Second and third."}})
	if c := w.of(third, "First and third"); c.State.Repeats == "" || c.State.Since != "2026-01-05" {
		t.Fatalf("%+v", c.State)
	}
	w.Heard()
	second, _ := w.land(version{doc: docA, day: 6, pages: []string{"# A|In all.|# C|Second and third.|# D|Only here."}})

	if c := w.of(second, "Only here"); c.State.Layer != model.LayerArchive || c.State.Repeats != "" {
		t.Errorf("only in the late version: %+v", c.State)
	}
	middle, newest := w.of(second, "In all"), w.of(third, "In all")
	if newest.State.Repeats != middle.Chunk.ChunkRef || middle.State.Repeats != w.of(first, "In all").Chunk.ChunkRef ||
		newest.State.Since != "2026-01-05" || newest.State.Layer != model.LayerHot || newest.State.Rev != 2 {
		t.Errorf("in all: %+v, %+v", middle.State, newest.State)
	}
	// What the late version lacks is no chain any more: it came back.
	if c := w.of(first, "First and third"); c.State.Layer != model.LayerArchive {
		t.Errorf("first link: %+v", c.State)
	}
	if c := w.of(third, "First and third"); c.State.Repeats != "" || c.State.Since != "2026-01-07" || c.State.Layer != model.LayerHot {
		t.Errorf("second link: %+v", c.State)
	}
	// What it has and the third repeats begins there.
	if c := w.of(third, "Second and third"); c.State.Repeats != w.of(second, "Second and third").Chunk.ChunkRef || c.State.Since != "2026-01-06" {
		t.Errorf("%+v", c.State)
	}
	if c := w.of(second, "Second and third"); c.State.Layer != model.LayerHot || !c.State.HasPoint() {
		t.Errorf("%+v", c.State)
	}
	if d := w.document(second); d.CurrentSnapshotID != third.SnapshotID {
		t.Errorf("document %+v", d)
	}
	w.settled(first, second, third)
}

func TestTheSameFingerprintHasNoChunks(t *testing.T) {
	w := newWorld(t)
	pages := []string{"# A|Text."}
	first, _ := w.land(version{doc: docA, day: 5, pages: pages})
	w.Heard()
	second, _ := w.land(version{doc: docA, day: 6, pages: pages})
	third, _ := w.land(version{doc: docA, day: 8, pages: pages})
	if got := types(w.Heard()); got != "run.completed run.completed" {
		t.Errorf("said %s", got)
	}
	for _, run := range []model.Run{second, third} {
		m, err := w.DB.RunManifest(t.Context(), run.SnapshotID, run.ExtractionID, 0)
		if err != nil || m.ChunkCount != 0 || m.SameAs != first.SnapshotID || m.VectorStatus != model.VectorPresent || m.Generation != 1 {
			t.Errorf("%+v, %v", m, err)
		}
	}
	current := w.of(first, "Text")
	if d := w.document(third); d.CurrentSnapshotID != third.SnapshotID || d.CurrentDocHash != current.Chunk.DocHash {
		t.Errorf("document %+v", d)
	}
	// A version that lands between keeps them current, and the next repeats them.
	between, _ := w.land(version{doc: docA, day: 7, pages: []string{"# B|Other."}})
	if c := w.of(between, "Other"); c.State.Layer != model.LayerArchive {
		t.Errorf("%+v", c.State)
	}
	if c := w.of(first, "Text"); c.State.Layer != model.LayerHot {
		t.Errorf("%+v", c.State)
	}
	fourth, _ := w.land(version{doc: docA, day: 9, pages: []string{"# A|Text.|# B|More."}})
	if c := w.of(fourth, "Text"); c.State.Repeats != current.Chunk.ChunkRef {
		t.Errorf("%+v", c.State)
	}
	w.settled(first, second, third, between, fourth)
}

func TestTheSameDateIsTheNextGeneration(t *testing.T) {
	w := newWorld(t)
	first, _ := w.land(version{doc: docA, day: 5, date: 1, pages: []string{"# A|One."}})
	second, _ := w.land(version{doc: docA, day: 6, date: 1, pages: []string{"# A|Two."}})
	one, two := w.of(first, "One"), w.of(second, "Two")
	if one.Chunk.DocHash != two.Chunk.DocHash || two.Chunk.Generation != 2 || two.Chunk.ChunkID != "0@2" ||
		one.State.Layer != model.LayerArchive {
		t.Errorf("%+v\n%+v", one, two)
	}
	w.settled(first, second)
}

func TestDuplicatesAndPromotion(t *testing.T) {
	w := newWorld(t)
	a, _ := w.land(version{doc: docA, day: 5, pages: []string{"# Rule|Said by both.|# Rule|Said by both.|# A|Own."}})
	b, _ := w.land(version{doc: docB, day: 5, pages: []string{"# Rule|Said by both."}})
	c, _ := w.land(version{doc: "https://example.org/c", source: "other", day: 5, pages: []string{"# Rule|Said by both."}})
	rule := func(run model.Run) []string {
		var out []string
		for _, x := range w.chunks(run.DocumentID) {
			if strings.Contains(x.Chunk.Content, "both") && x.State.Layer == model.LayerHot {
				out = append(out, fmt.Sprintf("%t", x.State.HasPoint() && x.State.DuplicateOf == ""))
			}
		}
		return out
	}
	if got := fmt.Sprint(rule(a), rule(b), rule(c)); got != "[true false] [false] [false]" {
		t.Fatalf("points %s", got)
	}
	w.settled(a, b, c)
	w.Heard()
	// The one that stands for all is archived: another takes its place in the
	// same transaction, and both are told.
	a2, _ := w.land(version{doc: docA, day: 6, pages: []string{"# A|Own."}})
	if got := fmt.Sprint(rule(a), rule(b), rule(c)); got != "[] [true] [false]" && got != "[] [false] [true]" {
		t.Errorf("points %s", got)
	}
	causes := map[string]int{}
	for _, d := range w.Heard() {
		if s, ok := d.(event.ChunkSuperseded); ok {
			causes[s.Cause]++
		}
	}
	if causes["archived"] != 2 || causes["promoted"] != 1 || causes["duplicate"] != 1 {
		t.Errorf("causes %v", causes)
	}
	w.settled(a, b, c, a2)
	// It says so again: now it is the duplicate.
	a3, _ := w.land(version{doc: docA, day: 7, date: 5, pages: []string{"# A|Own.|# Rule|Said by both."}})
	if got := rule(a3); len(got) != 1 || got[0] != "false" {
		t.Errorf("points %s", got)
	}
	w.settled(a, b, c, a2, a3)
}

// TestTheOrderOfArrivalDoesNotMatter lands the same versions of two documents in
// every order: layers, repeats and since must be those of the order of versions.
func TestTheOrderOfArrivalDoesNotMatter(t *testing.T) {
	versions := []version{
		{doc: docA, day: 1, date: 9, pages: []string{"# A|x.|# A|x.|# B|y.|# C|z."}}, // a server that lies about its date
		{doc: docA, day: 2, pages: []string{"# A|x.|# C|z."}},
		{doc: docA, day: 3, date: 2, pages: []string{"# A|x.|# A|x.|# A|x.|# B|y."}},
		{doc: docA, day: 4, pages: []string{"# B|y.|# C|z."}},
		{doc: docB, day: 4, pages: []string{"# B|y.|# A|x."}},
	}
	w := newWorld(t)
	want := ""
	for i, order := range permutations(len(versions)) {
		if i%5 != 0 { // a fifth of them, and the sorted one
			continue
		}
		var runs []model.Run
		suffix := fmt.Sprintf("?%d", i)
		for _, n := range order {
			v := versions[n]
			v.doc += suffix
			run, _ := w.land(v)
			runs = append(runs, run)
		}
		got := state(w, runs)
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("order %v:\n%s\nwant:\n%s", order, got, want)
		}
		if i == 0 {
			for _, line := range []string{
				"a1/0 x. archive", // its chain ends with version 3
				"a2/1 z. archive",
				"a4/0 y. hot repeats a3/3 since 2026-01-02",
				"a4/1 z. hot since 2026-01-04",
			} {
				if !strings.Contains(got, line) {
					t.Errorf("%q is not in\n%s", line, got)
				}
			}
		}
	}
	w.settled()
}

// TestTheFirstVersionHasTheChunks lands versions with one text in every order,
// with another between them, with other markup and with one date: the current
// state must be that of the order of versions.
func TestTheFirstVersionHasTheChunks(t *testing.T) {
	versions := []version{
		{doc: docA, day: 1, pages: []string{"# A|x.|# B|y."}},
		{doc: docA, day: 2, date: 5, pages: []string{"# A|x.|# B|z."}},
		{doc: docA, day: 3, date: 5, pages: []string{"A|x.|# B|y."}}, // the text of the first
		{doc: docA, day: 4, date: 5, pages: []string{"# A|x.|# B|z.|# C|y."}},
		{doc: docA, day: 6, date: 5, pages: []string{"A|x.|B|y."}}, // once more
	}
	w := newWorld(t)
	for _, newest := range []int{3, 5} {
		want := ""
		for i, order := range permutations(newest) {
			if i%5 != 0 && newest > 3 {
				continue
			}
			var run model.Run
			for _, n := range order {
				v := versions[n]
				// Another document with other texts, so that none stands for another's.
				name := fmt.Sprintf("-%d-%d", newest, i)
				v.doc, v.pages = v.doc+name, []string{strings.ReplaceAll(v.pages[0], ".", name)}
				run, _ = w.land(v)
			}
			got := strings.ReplaceAll(currentState(w, run), fmt.Sprintf("-%d-%d", newest, i), ".")
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("order %v:\n%s\nwant:\n%s", order, got, want)
			}
		}
		if !strings.HasPrefix(want, fmt.Sprintf("current is that of day %d\nnow false", versions[newest-1].day)) ||
			!strings.Contains(want, `now true 1/1 "B\n\ny." hot since 2026-01-01, repeats false, point true`) {
			t.Errorf("with %d versions:\n%s", newest, want)
		}
	}
	w.settled()
	if wrong, err := w.DB.Contradictions(t.Context(), "", time.Now().Add(time.Hour)); err != nil || len(wrong) > 0 {
		t.Errorf("%v, %v", wrong, err)
	}
}

// currentState writes down what stands for a document now: the chunks of its
// current version, and all that are not in the archive.
func currentState(w *world, run model.Run) string {
	w.Helper()
	d := w.document(run)
	current, err := w.DB.Snapshot(w.Context(), d.CurrentSnapshotID)
	if err != nil {
		w.Fatal(err)
	}
	lines := []string{"current is that of day " + fmt.Sprint(current.RetrievedAt.Day())}
	for _, c := range w.chunks(run.DocumentID) {
		now := c.Chunk.DocHash == d.CurrentDocHash && c.Chunk.Generation == d.CurrentGeneration
		if c.State.Layer == model.LayerArchive && !now {
			continue
		}
		lines = append(lines, fmt.Sprintf("now %t %s/%d %q %s since %s, repeats %t, point %t", now,
			c.Chunk.Provenance.Source.RecordPointer.RetrievedAt.Format("2"), c.Chunk.ChunkIndex, c.Chunk.Content, c.State.Layer,
			c.State.Since, c.State.Repeats != "", c.State.HasPoint()))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// state writes down the chunks of the runs' documents by version and place.
func state(w *world, runs []model.Run) string {
	w.Helper()
	names := map[string]string{}
	documents := map[string]bool{}
	for _, run := range runs {
		documents[run.DocumentID] = true
	}
	var lines []string
	for d := range documents {
		chunks := w.chunks(d)
		for _, c := range chunks {
			names[c.Chunk.ChunkRef] = fmt.Sprintf("%c%d/%d", c.Chunk.URL[len("https://example.org/")],
				c.Chunk.Provenance.Source.RecordPointer.RetrievedAt.Day(), c.Chunk.ChunkIndex)
		}
		for _, c := range chunks {
			line := fmt.Sprintf("%s %s %s", names[c.Chunk.ChunkRef], c.Chunk.Content[3:], c.State.Layer)
			if c.State.Repeats != "" {
				line += " repeats " + names[c.State.Repeats]
			}
			lines = append(lines, line+" since "+c.State.Since)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for at := len(p); at >= 0; at-- {
			out = append(out, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return out
}
