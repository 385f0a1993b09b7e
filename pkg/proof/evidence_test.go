package proof_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
)

// noted is an archive whose second chunk is what an operator says, with the first as its evidence.
func noted(t *testing.T) *archive {
	t.Helper()
	a := newArchive(t, extract.ParserVersion)
	first := a.chunks[0].ChunkRef
	a.last().Meta = model.ChunkMeta{
		Evidence: []model.Evidenced{{ChunkRef: first, Page: 1, Quote: "Water levels The level of the LAKE rose by 3 cm"}},
		Replaces: []string{first}, SumsUp: []string{first},
	}
	return a
}

// TestWhatANotePointsToIsProved changes one thing at a time of a note or of its evidence; all else of the note holds.
func TestWhatANotePointsToIsProved(t *testing.T) {
	a := noted(t)
	if p := a.verify(t)[1]; p.Verdict != proof.Verified || len(p.Breaks) != 0 {
		t.Fatalf("a note whose evidence stands is %s: %+v", p.Verdict, p.Breaks)
	}
	elsewhere := strings.Repeat("0", 64) + ":0"
	for _, c := range []struct {
		name, where, what string
		change            func(a *archive)
	}{
		{"no such chunk", "evidence " + elsewhere, "does not exist", func(a *archive) { a.last().Meta.Evidence[0].ChunkRef = elsewhere }},
		{"other words", "evidence ", "does not have the words", func(a *archive) { a.last().Meta.Evidence[0].Quote = "the lake rose by 4 cm" }},
		{"another page", "evidence ", "on page 2", func(a *archive) { a.last().Meta.Evidence[0].Page = 2 }},
		{"words of the header", "evidence ", "does not have the words", func(a *archive) { a.last().Meta.Evidence[0].Quote = "SOURCE: The lake" }},
		{"the words were written into the chunk", "evidence ", "is not proved itself: (e) text[", func(a *archive) {
			c := &a.chunks[0]
			c.Text, c.Content = strings.Replace(c.Text, "3 cm", "4 cm", 1), strings.Replace(c.Content, "3 cm", "4 cm", 1)
			a.rehash(c)
			a.last().Meta.Evidence[0].Quote = "the lake rose by 4 cm"
		}},
		{"its provenance leaves its text", "evidence ", "does not have the words", func(a *archive) { a.chunks[0].Provenance.Segments[1].End += 1000 }},
		{"what it replaces", "chunk " + elsewhere, "the note replaces it", func(a *archive) { a.last().Meta.Replaces = append(a.last().Meta.Replaces, elsewhere) }},
		{"what it sums up", "chunk " + elsewhere, "the note sums up it", func(a *archive) { a.last().Meta.SumsUp[0] = elsewhere }},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := noted(t)
			c.change(a)
			p := a.verify(t)[1]
			if p.Verdict != proof.Broken || len(p.Breaks) == 0 {
				t.Fatalf("is %s", p.Verdict)
			}
			for _, b := range p.Breaks {
				if b.Step != "e" || !strings.HasPrefix(b.Where, c.where) || !strings.Contains(b.What, c.what) {
					t.Errorf("%+v, want %q of %q", b, c.what, c.where)
				}
			}
		})
	}
}

// TestNotesThatNameEachOtherHaveAnEnd: a forged catalog may have such.
func TestNotesThatNameEachOtherHaveAnEnd(t *testing.T) {
	a := noted(t)
	a.chunks[0].Meta.Evidence = []model.Evidenced{{ChunkRef: a.last().ChunkRef, Page: 1, Quote: "In autumn it fell again"}}
	for _, p := range a.verify(t) {
		if p.Verdict != proof.Verified {
			t.Errorf("%s is %s: %+v", p.ChunkRef, p.Verdict, p.Breaks)
		}
	}
}

// TestEvidenceThatCannotBeReadEndsTheWalk: it is no finding.
func TestEvidenceThatCannotBeReadEndsTheWalk(t *testing.T) {
	a := noted(t)
	items := a.items()[1:]
	a.failing = errors.New("the catalog is down")
	if proofs, err := proof.Verify(t.Context(), a, items); err == nil {
		t.Errorf("%+v", proofs)
	}
}
