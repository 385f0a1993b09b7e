package sync

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// audited is a collection of a record and of a vector store, each given as words: "a" a
// chunk with its point, in the record "a-" one without a point, "a~" one whose newest
// state is not pushed yet; "A" (in either) one that is in the archive.
func audited(t *testing.T, recorded, there string) *stores {
	s := newStores(t)
	s.written = []model.Collection{active("tiny", 2)}
	s.record(recorded)
	layers := make(map[string]model.Layer)
	for _, word := range strings.Fields(there) {
		layers[strings.ToLower(word)+"p"] = layerOf(word)
	}
	s.make(theActive, 2, layers)
	return s
}

func layerOf(word string) model.Layer {
	if word == strings.ToUpper(word) {
		return model.LayerArchive
	}
	return model.LayerHot
}

func (s *stores) record(words string) {
	s.recorded[theActive] = nil
	for _, word := range strings.Fields(words) {
		ref := strings.ToLower(strings.TrimRight(word, "-~"))
		s.recorded[theActive] = append(s.recorded[theActive], model.RecordedVector{ChunkRef: ref, PointID: ref + "p",
			Present: !strings.HasSuffix(word, "-"), Newest: !strings.HasSuffix(word, "~"), Layer: layerOf(strings.TrimRight(word, "-~"))})
	}
}

// TestAudit: what one audit of a whole collection finds and makes good.
func TestAudit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		recorded, there string
		locked          string // what is recorded once the rows are held; "" for no change
		want            string // what was corrected
	}{
		{"all is equal", "a B", "a B", "", ""},
		{"a point is lost", "a b", "a", "", "lost [b] stale [] nobody's []"},
		{"a point has another layer", "A b", "a b", "", "lost [] stale [a] nobody's []"},
		{"both", "A b", "a", "", "lost [b] stale [a] nobody's []"},
		{"a point is nobody's", "a", "a x", "", "lost [] stale [] nobody's [xp]"},
		{"nobody's and lost", "a b", "a x", "", "lost [b] stale [] nobody's [], lost [] stale [] nobody's [xp]"},
		{"a chunk without a point needs none", "a b-", "a", "", ""},
		{"a chunk whose newest state is not pushed is left to who pushes it", "a b~ C~", "a c", "", ""},
		{"a point was written meanwhile", "a b", "a", "a b~", "lost [] stale [] nobody's []"},
		{"a point became somebody's meanwhile", "a", "a x", "a x", "lost [] stale [] nobody's []"},
		{"nothing is there", "", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := audited(t, c.recorded, c.there)
			if c.locked != "" {
				s.locked = func() { s.record(c.locked) }
			}
			auditor := &Auditor{Syncer: s.syncer(), Record: s, Look: s}
			var log bytes.Buffer
			auditor.Syncer.Log = slog.New(slog.NewTextHandler(&log, nil))
			if err := auditor.Audit(t.Context()); err != nil {
				t.Fatal(err)
			}
			var corrected []string
			for _, call := range s.asked {
				if strings.HasPrefix(call, "lost") {
					corrected = append(corrected, call)
				}
			}
			if got := strings.Join(corrected, ", "); got != c.want {
				t.Errorf("corrected was %q, want %q", got, c.want)
			}
			differed := c.want != "" && c.locked == ""
			if logged := strings.Contains(log.String(), "level=WARN"); logged != differed {
				t.Errorf("it logged %q", log.String())
			}
			if _, left := s.made[theActive].points["xp"]; left != (c.locked == "a x") {
				t.Errorf("the point that may be nobody's is there: %t", left)
			}
		})
	}
}

// TestAuditsGoRound: each audit goes on after the last one, and begins again at the end.
func TestAuditsGoRound(t *testing.T) {
	t.Parallel()
	s := audited(t, "a b c d e", "a b c d e f")
	s.record("a b c d e f-")
	auditor := &Auditor{Syncer: s.syncer(), Record: s, Look: s, Window: 2}
	const counted = "recorded docs_tiny_2, count docs_tiny_2, "
	for i, want := range []string{
		counted + `chunks after "", standings ap bp, points after "", whose ap bp`, // they differ by one
		// once more by the same: all is compared, from the beginning
		counted + `chunks after "", standings ap bp, chunks after "b", standings cp dp, chunks after "d", standings ep, chunks after "f", standings , ` +
			`points after "", whose ap bp, points after "bp", whose cp dp, points after "dp", whose ep fp, points after "fp", whose `,
	} {
		s.asked = nil
		if err := auditor.Audit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimPrefix(s.said(), "written docs, "); got != want {
			t.Errorf("audit %d asked\n%s, want\n%s", i+1, got, want)
		}
	}
}

// TestWhenAuditsCount: the first of ten audits counts, and so does each one after a
// difference, until it is gone.
func TestWhenAuditsCount(t *testing.T) {
	t.Parallel()
	s := audited(t, "a b c", "a b c")
	auditor := &Auditor{Syncer: s.syncer(), Record: s, Look: s, Window: 2}
	counts := func(n int) (out string) {
		for range n {
			s.asked = nil
			if err := auditor.Audit(t.Context()); err != nil {
				t.Fatal(err)
			}
			said := s.said()
			switch {
			case strings.Count(said, "chunks after") > 1:
				out += "!" // all was compared
			case strings.Contains(said, "recorded"):
				out += "x"
			default:
				out += "."
			}
		}
		return out
	}
	if got := counts(12); got != "x.........x." {
		t.Errorf("%s", got)
	}
	// A difference that stays: all is compared as soon as it was counted twice.
	s.made[theActive].points["zp"] = Point{}
	s.recorded[theActive] = append(s.recorded[theActive], model.RecordedVector{ChunkRef: "z", PointID: "zp"})
	if got := counts(11); got != "........x!!" {
		t.Errorf("%s", got)
	}
	// One that changes is under way, and one that is gone needs no look.
	s.made[theActive].points["yp"] = Point{}
	s.recorded[theActive] = append(s.recorded[theActive], model.RecordedVector{ChunkRef: "zz", PointID: "yp"})
	if got := counts(1); got != "x" {
		t.Errorf("%s", got)
	}
	delete(s.made[theActive].points, "yp")
	delete(s.made[theActive].points, "zp")
	if got := counts(3); got != "x.." {
		t.Errorf("%s", got)
	}
}

// TestWhatIsCorrectedIsNoDifference: what an audit has made good is not counted as a
// difference once more by the next one.
func TestWhatIsCorrectedIsNoDifference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, recorded, there string }{
		{"a lost point", "a b", "a"},
		{"a point that is nobody's", "a", "a x"},
		{"both, and one more of each", "a b c", "a x y"},
	} {
		s := audited(t, c.recorded, c.there)
		auditor := &Auditor{Syncer: s.syncer(), Record: s, Look: s}
		for i := range 2 {
			s.asked = nil
			if err := auditor.Audit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if counted := strings.Contains(s.said(), "count"); counted != (i == 0) {
				t.Errorf("%s: audit %d counts: %t", c.name, i+1, counted)
			}
		}
	}
}

// TestAuditsOfSeveralCollections: each goes round by itself, one that is missing is
// passed over, and so is one whose model is not at hand.
func TestAuditsOfSeveralCollections(t *testing.T) {
	t.Parallel()
	s := audited(t, "a b", "a")
	s.written = []model.Collection{building("big", 9), building("second", 2), active("tiny", 2)}
	syncer := s.syncer()
	syncer.Embedders["second"] = tiny{dimensions: 2} // its collection is not made
	auditor := &Auditor{Syncer: syncer, Record: s, Look: s}
	for range 2 {
		if err := auditor.Audit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	said := s.said()
	if strings.Contains(said, "big") || !strings.Contains(said, "count docs_second_2") || !strings.Contains(said, "lost [b] stale [] nobody's []") {
		t.Errorf("%s", said)
	}
	if auditor.Window != 1000 || len(auditor.places) != 2 {
		t.Errorf("a window of %d, %d places", auditor.Window, len(auditor.places))
	}
}

// TestAnAuditThatFails: whatever call fails, the audit fails with it and goes no further;
// the next one begins where it was.
func TestAnAuditThatFails(t *testing.T) {
	t.Parallel()
	worlds := map[string]func() *stores{
		"all is equal":    func() *stores { return audited(t, "a b", "a b") },
		"much is wrong":   func() *stores { return audited(t, "a B c", "b c x") },
		"nobody's points": func() *stores { return audited(t, "", "x y") },
	}
	for name, world := range worlds {
		whole := world()
		if err := (&Auditor{Syncer: whole.syncer(), Record: whole, Look: whole}).Audit(t.Context()); err != nil {
			t.Fatal(err)
		}
		for at := range whole.asked {
			s := world()
			s.fail = at + 1
			auditor := &Auditor{Syncer: s.syncer(), Record: s, Look: s}
			if err := auditor.Audit(t.Context()); !errors.Is(err, errDown) {
				t.Errorf("%s: %q failed, and it said %v", name, s.asked[at], err)
			}
			if len(s.asked) != at+1 {
				t.Errorf("%s: after %q failed it asked %q", name, s.asked[at], s.asked[at+1:])
			}
			if err := auditor.Audit(t.Context()); err != nil {
				t.Errorf("%s: after %q failed: %v", name, s.asked[at], err)
			}
			if left := len(s.made[theActive].points); left != len(whole.made[theActive].points) {
				t.Errorf("%s: after %q failed %d points are left", name, whole.asked[at], left)
			}
		}
	}
}
