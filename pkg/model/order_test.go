package model_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

// capture is one of five of a document: what is read of it, as one letter, on a day.
// "Z" is a container, a small letter is something of which no page can be read.
type capture struct {
	day   int
	reads string
}

// scenarios are histories of a document, each in the order of its snapshots, with the
// capture that is current at the end, 0 for none.
func scenarios() map[string]struct {
	captures []capture
	current  int
} {
	of := func(current int, words string) struct {
		captures []capture
		current  int
	} {
		var out []capture
		for i, w := range strings.Fields(words) {
			c := capture{i + 1, w}
			if read, together := strings.CutPrefix(w, "="); together { // on the day of the one before it
				c = capture{out[i-1].day, read}
			}
			out = append(out, c)
		}
		return struct {
			captures []capture
			current  int
		}{out, current}
	}
	return map[string]struct {
		captures []capture
		current  int
	}{
		"five versions":                       of(5, "A B C D E"),
		"one that never changes":              of(1, "A A A A A"),
		"it changes once":                     of(4, "A A A B B"),
		"the last differs":                    of(5, "A A A A B"),
		"the first differs":                   of(2, "A B B B B"),
		"to and fro":                          of(5, "A B A B A"),
		"it changes back, and stays":          of(4, "A B B A A"),
		"one in between":                      of(4, "A A B A A"),
		"a container in between":              of(1, "A A Z A A"),
		"a container at the end":              of(0, "A B A B Z"),
		"a container first":                   of(4, "Z A B C C"),
		"containers only":                     of(0, "Z Z Z Z Z"),
		"a container and a page, to and fro":  of(1, "A Z A Z A"),
		"other bytes after a container":       of(5, "A B Z Z C"),
		"the last cannot be read":             of(4, "A A B C x"),
		"nothing can be read":                 of(0, "x x y x x"),
		"what cannot be read is in between":   of(4, "A x x A A"),
		"a container, then what fails":        of(0, "A B Z x x"),
		"a container, then fails, then again": of(5, "A Z x y A"),
		"of one date":                         of(5, "A =B =A =B =C"),
		"equal ones of one date":              of(2, "A B =B =B =B"),
		"a container of one date":             of(0, "A B =A =B =Z"),
	}
}

// document is a document to which snapshots come one after another, as the catalog
// and the chunker keep it.
type document struct {
	captured []model.Captured // in their order
	version  map[string]bool
	process  map[string]bool
	landed   []model.Version
}

func (d *document) at(i int, c capture) model.Captured {
	return model.Captured{
		SnapshotID: fmt.Sprintf("snap_%d", i+1), Reads: c.reads, Container: c.reads == "Z",
		RetrievedAt: time.Date(2026, 1, c.day, 0, 0, 0, 0, time.UTC),
	}
}

// arrive does what the catalog does with a snapshot: it looks at the two around it.
func (d *document) arrive(c model.Captured) {
	place, _ := slices.BinarySearchFunc(d.captured, c, model.Captured.Compare)
	near := func(captured []model.Captured) *model.Captured {
		if i := slices.IndexFunc(captured, func(c model.Captured) bool { return !c.Container }); i >= 0 {
			return &captured[i]
		}
		return nil
	}
	earlier := slices.Clone(d.captured[:place])
	slices.Reverse(earlier)
	after := near(d.captured[place:])
	arrival := model.Arrive(near(earlier), after, c)
	d.version[c.SnapshotID] = arrival.Version
	d.process[c.SnapshotID] = arrival.Version
	if after != nil {
		d.version[after.SnapshotID] = arrival.AfterVersion
		d.process[after.SnapshotID] = d.process[after.SnapshotID] || arrival.AfterVersion
	}
	was := d.current()
	d.captured = slices.Insert(d.captured, place, c)
	// What changes before anything has landed is what the catalog asks the chunker to settle.
	if now := d.current(); now != was && !c.Container && !arrival.Divides &&
		!slices.ContainsFunc(d.captured, func(c model.Captured) bool { return c.Container }) {
		panic("current is " + now + ", was " + was)
	}
}

// land lets all that is to be processed and was not yet land, but what cannot be read.
func (d *document) land() {
	for _, c := range d.captured {
		landed := slices.ContainsFunc(d.landed, func(v model.Version) bool { return v.SnapshotID == c.SnapshotID })
		if d.process[c.SnapshotID] && !landed && c.Reads == strings.ToUpper(c.Reads) {
			d.landed = append(d.landed, model.Version{SnapshotID: c.SnapshotID, RetrievedAt: c.RetrievedAt, ParserVersion: "1"})
		}
	}
}

func (d *document) current() string {
	v, _ := model.CurrentVersion(model.OrderVersions(d.captured), d.landed)
	return v.SnapshotID
}

// TestTheOrderOfArrivalDoesNotShow hands five captures over in every order, for more
// than twenty histories, once with each processed before the next comes and once with all
// of them processed at the end: which are versions and which is current is the same.
func TestTheOrderOfArrivalDoesNotShow(t *testing.T) {
	histories := scenarios()
	if len(histories) < 20 {
		t.Errorf("%d scenarios", len(histories))
	}
	for _, name := range slices.Sorted(maps.Keys(histories)) {
		history := histories[name]
		for _, order := range permutationsOf(len(history.captures)) {
			for _, atOnce := range []bool{false, true} {
				d := &document{version: map[string]bool{}, process: map[string]bool{}}
				for _, i := range order {
					d.arrive(d.at(i, history.captures[i]))
					if !atOnce {
						d.land()
					}
				}
				d.land()
				check(t, fmt.Sprintf("%s, in the order %v, at once %t", name, order, atOnce), d, history.current)
			}
		}
	}
}

func check(t *testing.T, place string, d *document, current int) {
	t.Helper()
	for _, c := range model.OrderVersions(d.captured) {
		if is := c.Version == c.SnapshotID; is != d.version[c.SnapshotID] {
			t.Fatalf("%s: %s is a version: %t, recorded %t", place, c.SnapshotID, is, d.version[c.SnapshotID])
		}
		if c.Version == c.SnapshotID && !d.process[c.SnapshotID] {
			t.Fatalf("%s: version %s is not processed", place, c.SnapshotID)
		}
		if c.Container && (c.Version != "" || d.process[c.SnapshotID]) {
			t.Fatalf("%s: container %s is a version", place, c.SnapshotID)
		}
	}
	want := ""
	if current > 0 {
		want = fmt.Sprintf("snap_%d", current)
	}
	if got := d.current(); got != want {
		t.Fatalf("%s: current is %q, want %q", place, got, want)
	}
}

func permutationsOf(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, p := range permutationsOf(n - 1) {
		for at := range n {
			out = append(out, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return out
}

// TestTheCaptureThatCounts: of captures of one version the first counts, unless a later
// one was made by newer programs, or more of its pages could be read; and of one
// snapshot its last run.
func TestTheCaptureThatCounts(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	order := model.OrderVersions([]model.Captured{
		{SnapshotID: "b", RetrievedAt: day(2), Reads: "A"}, {SnapshotID: "a", RetrievedAt: day(1), Reads: "A"},
	})
	first := model.Version{SnapshotID: "a", RetrievedAt: day(1), RunOrder: 1, ParserVersion: "9", ChunkerVersion: "9", HeaderVersion: "9"}
	second := first
	second.SnapshotID, second.RetrievedAt = "b", day(2)
	with := func(v model.Version, change func(*model.Version)) model.Version {
		change(&v)
		return v
	}
	for name, c := range map[string]struct {
		landed []model.Version
		want   model.Version
	}{
		"equal ones":             {[]model.Version{second, first}, first},
		"only the second":        {[]model.Version{second}, second},
		"a newer parser":         {[]model.Version{first, with(second, func(v *model.Version) { v.ParserVersion = "10" })}, with(second, func(v *model.Version) { v.ParserVersion = "10" })},
		"an older chunker":       {[]model.Version{first, with(second, func(v *model.Version) { v.ChunkerVersion = "8" })}, first},
		"fewer failed pages":     {[]model.Version{with(first, func(v *model.Version) { v.FailedPages = 2 }), second}, second},
		"the last run":           {[]model.Version{with(first, func(v *model.Version) { v.RunOrder = 2 }), first, second}, with(first, func(v *model.Version) { v.RunOrder = 2 })},
		"the last generation":    {[]model.Version{first, with(first, func(v *model.Version) { v.Generation = 2 })}, with(first, func(v *model.Version) { v.Generation = 2 })},
		"a version of no number": {[]model.Version{with(first, func(v *model.Version) { v.ParserVersion = "x" }), second}, second},
	} {
		if got, ok := model.CurrentVersion(order, c.landed); !ok || got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
