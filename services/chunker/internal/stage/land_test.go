package stage

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/general"
)

// TestCutFailsWithItsEnds: pages that cannot be read, and chunks that cannot be taken,
// fail the cut, wherever in the document that is; what is cut before is handed out.
func TestCutFailsWithItsEnds(t *testing.T) {
	t.Parallel()
	down := errors.New("a store is down")
	s := model.Snapshot{SnapshotID: "snap_a", SourceID: "s", SourceName: "S"}
	base := model.Chunk{SnapshotID: "snap_a", SourceID: "s", Language: "en", Type: model.ChunkFact, Status: model.StatusUnderReview, InfoDate: "2026-01-02"}
	unit := func(id, kind, text string) model.Unit {
		u := model.Unit{IRID: id, SnapshotID: "snap_a", Type: model.UnitType(kind)}
		u.FieldsRaw = model.Fields{Text: text, Verbatim: true}
		if kind == "heading" {
			u.FieldsRaw.Level = 1
		}
		return u
	}
	frame := segment.Frame{Page: model.Page{PageNo: 1}, Units: []model.Unit{unit("1", "heading", "One"), unit("2", "paragraph", "First."),
		unit("3", "heading", "Two"), unit("4", "paragraph", "Second.")}}
	for name, c := range map[string]struct {
		pages error // after the first page
		out   int   // the chunk that cannot be taken, from 1
		want  int   // chunks that are handed out
	}{
		"all goes well":              {nil, 0, 2},
		"the second page":            {down, 0, 1},
		"the first chunk":            {nil, 1, 0},
		"the last chunk, at the end": {nil, 2, 1},
	} {
		taken := 0
		err := cutting{chunker: general.Chunker{}, snapshot: s, base: base, count: split.O200k(), leftOut: func(string) bool { return false }}.cut(
			model.Version{DocHash: "d", Generation: 1},
			func(each func(segment.Frame) error) error { return errors.Join(each(frame), c.pages) },
			func(model.Chunk) error {
				if taken+1 == c.out {
					return down
				}
				taken++
				return nil
			})
		if errors.Is(err, down) != (c.pages != nil || c.out > 0) || err != nil && !errors.Is(err, down) || taken != c.want {
			t.Errorf("%s: %d chunks, %v", name, taken, err)
		}
	}
}

// TestAChunkHasTheHeaderOfWhatItSays: its type, status and date are those of its own words, its segments tile the
// text with that header, and the budget holds for it.
func TestAChunkHasTheHeaderOfWhatItSays(t *testing.T) {
	t.Parallel()
	s := model.Snapshot{SnapshotID: "snap_a", SourceID: "s", SourceName: "Courrier", LastModifiedOrigin: "http_header"}
	base := model.Chunk{SnapshotID: "snap_a", SourceID: "s", Source: "Courrier", SourceType: "official", Language: "fr", Type: model.ChunkFact,
		Status: model.StatusUnderReview, InfoDate: "2026-01-02", InfoDateOrigin: "http_header"}
	unit := func(id string, kind model.UnitType, text string) model.Unit {
		u := model.Unit{IRID: id, SnapshotID: "snap_a", Type: kind, FieldsRaw: model.Fields{Text: text, Verbatim: true}}
		if kind == model.UnitHeading {
			u.FieldsRaw.Level = 1
		}
		return u
	}
	frame := segment.Frame{Page: model.Page{PageNo: 1, Language: &model.Language{Lang: "fr"}}, Units: []model.Unit{
		unit("1", model.UnitHeading, "Le marché Y"), unit("2", model.UnitParagraph, "Publié le 12 mai 2025"),
		unit("3", model.UnitParagraph, "L’association X accuse la mairie d’avoir truqué le marché Y."),
		unit("4", model.UnitHeading, "Jugement du 3 mars 2026"),
		unit("5", model.UnitParagraph, "Le jugement du TGI dit qu’aucune irrégularité n’est établie."),
		unit("6", model.UnitHeading, "Courrier"), unit("7", model.UnitParagraph, "À mon avis, c’est un scandale."),
		unit("8", model.UnitHeading, "Horaires"), unit("9", model.UnitParagraph, "La mairie ouvre à neuf heures."),
	}}
	var facts assemble.Survey
	facts.Add(frame.Page, frame.Units)
	var got []string
	err := cuttingOf(general.Chunker{}, s, base, &facts, documentOf(s, &facts), split.O200k()).cut(model.Version{DocHash: "d", Generation: 1},
		func(each func(segment.Frame) error) error { return each(frame) }, func(c model.Chunk) error {
			got = append(got, strings.Join([]string{string(c.Type), string(c.Status), c.InfoDate, c.InfoDateOrigin, c.Meta.TypeGuess, c.Meta.KindOfContent}, " "))
			if head := header.Of(s, c); !strings.HasPrefix(c.Text, head) || c.Text[len(head):] != c.Content {
				t.Errorf("%q does not begin with %q", c.Text, head)
			}
			if n, err := split.O200k()(c.Text); err != nil || n != c.Tokens || n > split.DefaultBudget {
				t.Errorf("%d tokens are said, %d counted: %v", c.Tokens, n, err)
			}
			return c.Validate()
		})
	want := []string{
		"allegation under_review 2025-05-12 text_published allegation ",
		"fact confirmed 2026-03-03 text_judgment fact judgment",
		"opinion under_review 2026-03-03 text_judgment opinion ",
		"fact under_review 2026-03-03 text_judgment fact ",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q: %v", got, want, err)
	}
}
