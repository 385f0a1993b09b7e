package proof_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
)

// restOf are the breaks that a generation has beside those of its chunks.
func restOf(t *testing.T, a *archive) []proof.Break {
	t.Helper()
	g, err := proof.Open(t.Context(), a, a.manifest, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	items := make([]proof.Item, len(a.chunks))
	for i, c := range a.chunks {
		items[i] = proof.Item{Chunk: c}
	}
	if _, err := g.Prove(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	breaks, err := g.Rest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return breaks
}

// TestWhatIsLeftOutAsAHeadStandsElsewhere: a running foot whose text stands nowhere else
// in the document is a break of step g, as is a unit that is in no chunk at all.
func TestWhatIsLeftOutAsAHeadStandsElsewhere(t *testing.T) {
	for text, want := range map[string]int{"Water levels": 0, "1": 0, "Page 1": 0, "Total amount due in francs 1250": 1, "1250": 1, "Art. 1": 1} {
		a := newArchive(t, "of another tool")
		foot := a.unit(t, "Water levels")
		foot.IRID, foot.Type, foot.ParserVersion = "ir_foot", model.UnitPageFooter, "7"
		foot.Evidence = slices.Clone(foot.Evidence)
		foot.Evidence[0].PageNumber, foot.FieldsRaw.Text = 1, text
		a.frame.Units = append(a.frame.Units, foot)
		a.sign(t)
		found := slices.DeleteFunc(restOf(t, a), func(b proof.Break) bool { return b.Step != "g" || !strings.Contains(b.Where, "ir_foot") })
		if len(found) != want {
			t.Errorf("%q: %+v, want %d", text, found, want)
		}
	}
}

// TestWhatTheManifestSaysIsLeftOut is computed again, and so are the classes of a web
// page's text.
func TestWhatTheManifestSaysIsLeftOut(t *testing.T) {
	for name, change := range map[string]func(*model.LeftOut){
		"as it is": nil, "heads": func(l *model.LeftOut) { l.Heads++ }, "a class": func(l *model.LeftOut) { l.Classes.Script++ },
		"no classes": func(l *model.LeftOut) { l.Classes = model.TextClasses{} },
	} {
		a := newArchive(t, "of another tool")
		left := model.LeftOutOn(a.frame.Page, a.frame.Units).Judge(a.snapshot.SnapshotKind)
		want := 0
		if change != nil {
			change(&left)
			want = 1
		}
		a.manifest.LeftOut = &left
		found := slices.DeleteFunc(restOf(t, a), func(b proof.Break) bool { return !strings.Contains(b.What, "left out") })
		if len(found) != want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
