package current

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// storyCase is a history, what all chunks are after it, and what its last step told of
// those that were there before.
type storyCase struct {
	name  string
	steps []step
	want  []string
	news  []string
}

func tellAll(t *testing.T, cases []storyCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newStory(t)
			w.tell(c.steps...)
			if got := w.words(); !slices.Equal(got, c.want) {
				t.Errorf("the chunks are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if got := w.news(); !slices.Equal(got, c.news) {
				t.Errorf("told was %q, want %q", got, c.news)
			}
		})
	}
}

// TestVersionsOfADocument tells what becomes of the chunks of one document.
func TestVersionsOfADocument(t *testing.T) {
	t.Parallel()
	tellAll(t, []storyCase{
		{"the first version is current", []step{{doc: "a", day: 5, says: "one two"}},
			[]string{"a5/0 one hot 05", "a5/1 two hot 05"}, nil},
		{"a second version takes over", []step{{doc: "a", day: 5, says: "one two"}, {doc: "a", day: 6, says: "one three"}},
			[]string{"a5/0 one hot 05", "a5/1 two archive 05", "a6/0 one hot 05 after a5/0", "a6/1 three hot 06"},
			[]string{"a5/1 archived a6"}},
		{"what is said again moves, and is still what was said", []step{{doc: "a", day: 5, says: "one two"}, {doc: "a", day: 6, says: "two one"}},
			[]string{"a5/0 one hot 05", "a5/1 two hot 05", "a6/0 two hot 05 after a5/1", "a6/1 one hot 05 after a5/0"}, nil},
		{"what is said under another territory is another thing", []step{{doc: "a", day: 5, says: "one two"}, {doc: "a", day: 6, says: "one two", in: "it"}},
			[]string{"a5/0 one archive 05", "a5/1 two archive 05", "a6/0 one hot 06", "a6/1 two hot 06"},
			[]string{"a5/0 archived a6", "a5/1 archived a6"}},
		{"and what was said under it before has its chunks, whatever came between",
			[]step{{doc: "a", day: 5, says: "one", in: "it"}, {doc: "a", day: 6, says: "one", in: "ch"}, {doc: "a", day: 7, says: "one", in: "it"}},
			[]string{"a5/0 one hot 05", "a6/0 one archive 06"}, []string{"a5/0 restored", "a6/0 archived a7"}},
		{"of what comes late likewise", []step{{doc: "a", day: 6, says: "one", in: "it"}, {doc: "a", day: 5, says: "one", in: "ch"}},
			[]string{"a5/0 one archive 05", "a6/0 one hot 06"}, []string{}},
		{"a chain is archived as a whole", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "one two"}, {doc: "a", day: 7, says: "two"}},
			[]string{"a5/0 one archive 05", "a6/0 one archive 05 after a5/0", "a6/1 two hot 06", "a7/0 two hot 06 after a6/1"},
			[]string{"a5/0 archived a7", "a6/0 archived a7"}},
		{"what comes back after a version without it is new", []step{{doc: "a", day: 5, says: "one two"}, {doc: "a", day: 6, says: "two"}, {doc: "a", day: 7, says: "one"}},
			[]string{"a5/0 one archive 05", "a5/1 two archive 05", "a6/0 two archive 05 after a5/1", "a7/0 one hot 07"},
			[]string{"a5/1 archived a7", "a6/0 archived a7"}},
		{"an older version that comes late goes to the archive", []step{{doc: "a", day: 6, says: "one"}, {doc: "a", day: 5, says: "two"}},
			[]string{"a5/0 two archive 05", "a6/0 one hot 06"}, []string{}},
		{"what an older version said too is older than was known", []step{{doc: "a", day: 6, says: "one two"}, {doc: "a", day: 5, says: "one"}},
			[]string{"a5/0 one hot 05", "a6/0 one hot 05 after a5/0", "a6/1 two hot 06"}, []string{"a6/0 relinked a5/0"}},
		{"a version between two is linked with both", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 7, says: "one two"}, {doc: "a", day: 6, says: "one"}},
			[]string{"a5/0 one hot 05", "a7/0 one hot 05 after a5/0", "a7/1 two hot 07"}, []string{}},
		{"a version of other words between two", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 7, says: "one two"}, {doc: "a", day: 6, says: "one three"}},
			[]string{"a5/0 one hot 05", "a6/0 one hot 05 after a5/0", "a6/1 three archive 06", "a7/0 one hot 05 after a6/0", "a7/1 two hot 07"},
			[]string{"a7/0 relinked a6/0"}},
		{"a late version that lacks a text breaks its chain", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 7, says: "one two"}, {doc: "a", day: 6, says: "two"}},
			[]string{"a5/0 one archive 05", "a6/0 two hot 06", "a7/0 one hot 07", "a7/1 two hot 06 after a6/0"},
			[]string{"a5/0 archived a6", "a7/0 relinked", "a7/1 relinked a6/0"}},
		{"the chain is as old as the oldest of its dates", []step{{doc: "a", day: 5, says: "one", date: 9}, {doc: "a", day: 6, says: "one two", date: 2}},
			[]string{"a5/0 one hot 02", "a6/0 one hot 02 after a5/0", "a6/1 two hot 02"}, []string{"a5/0 since"}},
		{"a summary comes back as a summary", []step{{doc: "c", day: 5, says: "one"}, {doc: "c", day: 6, says: "two"}, {doc: "c", day: 7, zip: true}, {doc: "c", day: 8, says: "one"}},
			[]string{"c5/0 one summary 05", "c6/0 two archive 06"}, []string{"c5/0 restored"}},
		{"twice the same text, then three times, then once", []step{{doc: "a", day: 5, says: "one one"}, {doc: "a", day: 6, says: "one one one"}, {doc: "a", day: 7, says: "one"}},
			[]string{"a5/0 one hot 05", "a5/1 one archive 05", "a6/0 one hot 05 after a5/0", "a6/1 one archive 05 after a5/1",
				"a6/2 one archive 05 after a5/1", "a7/0 one hot 05 after a6/0"},
			[]string{"a5/1 archived a7", "a6/1 archived a7", "a6/2 archived a7"}},
		{"the same words in another section are another text", []step{{doc: "a", day: 5, says: "one/x"}, {doc: "a", day: 6, says: "one/y"}},
			[]string{"a5/0 one archive 05", "a6/0 one hot 06"}, []string{"a5/0 archived a6"}},
		{"the same words with another status are another text", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "one!"}},
			[]string{"a5/0 one archive 05", "a6/0 one hot 06"}, []string{"a5/0 archived a6"}},
		{"the same words as an opinion are another text", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "one?"}},
			[]string{"a5/0 one archive 05", "a6/0 one hot 06"}, []string{"a5/0 archived a6"}},
		{"a newer chunker makes the next generation", []step{{doc: "a", day: 5, says: "one two"}, {doc: "a", day: 5, gen: 2, chunker: "2", says: "one three"}},
			[]string{"a5/0 one hot 05", "a5/1 two archive 05", "a5g2/0 one hot 05 after a5/0", "a5g2/1 three hot 05"}, []string{"a5/1 archived a5"}},
		{"a second run of a capture counts", []step{{doc: "a", day: 5, run: 1, says: "one"}, {doc: "a", day: 5, run: 2, other: "y", says: "two"}},
			[]string{"a5r1/0 one archive 05", "a5r2/0 two hot 05"}, []string{"a5r1/0 archived a5"}},
		{"a first run that ends after the second does not", []step{{doc: "a", day: 5, run: 2, other: "y", says: "two"}, {doc: "a", day: 5, run: 1, says: "one"}},
			[]string{"a5r1/0 one archive 05", "a5r2/0 two hot 05"}, []string{}},
	})
}

// TestVersionsWithOneText tells who has the chunks when versions say the same.
func TestVersionsWithOneText(t *testing.T) {
	t.Parallel()
	tellAll(t, []storyCase{
		{"a second version that says the same has none", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "one"}},
			[]string{"a5/0 one hot 05"}, []string{}},
		{"an earlier one takes them from the later one", []step{{doc: "a", day: 6, says: "one"}, {doc: "a", day: 5, says: "one"}},
			[]string{"a5/0 one hot 05", "a6/0 one archive 06"}, []string{"a6/0 archived a5"}},
		{"and so do all that named the later one", []step{{doc: "a", day: 6, says: "one"}, {doc: "a", day: 7, says: "one"}, {doc: "a", day: 5, says: "one"}, {doc: "a", day: 8, says: "one two"}},
			[]string{"a5/0 one hot 05", "a6/0 one archive 06", "a8/0 one hot 05 after a5/0", "a8/1 two hot 08"}, nil},
		{"what repeated the later one repeats the earlier one", []step{{doc: "a", day: 6, says: "one"}, {doc: "a", day: 7, says: "one two"}, {doc: "a", day: 5, says: "one"}},
			[]string{"a5/0 one hot 05", "a6/0 one archive 06", "a7/0 one hot 05 after a5/0", "a7/1 two hot 07"},
			[]string{"a6/0 archived a5", "a7/0 relinked a5/0"}},
		{"a document that changes back has its first chunks again", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "two"}, {doc: "a", day: 7, says: "one"}},
			[]string{"a5/0 one hot 05", "a6/0 two archive 06"}, []string{"a5/0 restored", "a6/0 archived a7"}},
		{"changed back before what stands between them is known", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 7, says: "one"}, {doc: "a", day: 6, says: "two"}},
			[]string{"a5/0 one hot 05", "a6/0 two archive 06"}, []string{}},
		{"what follows what was changed back repeats the first", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "two"}, {doc: "a", day: 7, says: "one"}, {doc: "a", day: 8, says: "one two"}},
			[]string{"a5/0 one hot 05", "a6/0 two archive 06", "a8/0 one hot 05 after a5/0", "a8/1 two hot 08"}, nil},
		{"other markup with the same text has no chunks of its own", []step{{doc: "a", day: 5, says: "one/x", text: "same"}, {doc: "a", day: 6, says: "one", text: "same"}},
			[]string{"a5/0 one hot 05"}, []string{}},
		{"another chunker has its own", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, chunker: "2", says: "one"}},
			[]string{"a5/0 one hot 05", "a6/0 one hot 05 after a5/0"}, nil},
		{"another header has its own", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, header: "2", says: "one"}},
			[]string{"a5/0 one hot 05", "a6/0 one hot 05 after a5/0"}, nil},
		{"another extraction has its own", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, other: "y", says: "one"}},
			[]string{"a5/0 one hot 05", "a6/0 one hot 05 after a5/0"}, nil},
		{"another parser of one extraction has none", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, parser: "2", says: "one"}},
			[]string{"a5/0 one hot 05"}, []string{}},
	})
}

// TestContainersAndCapturesWithoutAVersion tells what is current when nothing lands, or
// when what lands is not asked for.
func TestContainersAndCapturesWithoutAVersion(t *testing.T) {
	t.Parallel()
	tellAll(t, []storyCase{
		{"a container takes all to the archive", []step{{doc: "a", day: 5, says: "one two"}, {doc: "a", day: 6, zip: true}},
			[]string{"a5/0 one archive 05", "a5/1 two archive 05"}, []string{"a5/0 archived a6", "a5/1 archived a6"}},
		{"a container that was captured before changes nothing", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 4, zip: true}},
			[]string{"a5/0 one hot 05"}, []string{}},
		{"a capture after a container brings it back", []step{{doc: "a", day: 5, reads: "r", says: "one"}, {doc: "a", day: 6, zip: true}, {doc: "a", day: 7, reads: "r", recorded: true}},
			[]string{"a5/0 one hot 05"}, []string{"a5/0 restored"}},
		{"a version after a container brings back what it says too", []step{{doc: "a", day: 5, says: "one two"}, {doc: "a", day: 6, zip: true}, {doc: "a", day: 7, says: "one"}},
			[]string{"a5/0 one hot 05", "a5/1 two archive 05", "a7/0 one hot 05 after a5/0"}, []string{"a5/0 restored"}},
		{"what lands before a container is in the archive", []step{{doc: "a", day: 6, zip: true}, {doc: "a", day: 5, says: "one"}},
			[]string{"a5/0 one archive 05"}, nil},
		{"and so is what lands after what is there already", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 7, zip: true}, {doc: "a", day: 6, says: "one two"}},
			[]string{"a5/0 one archive 05", "a6/0 one archive 05 after a5/0", "a6/1 two archive 06"}, nil},
		{"a newer capture of an older version", []step{{doc: "a", day: 5, reads: "r", says: "one"}, {doc: "a", day: 6, says: "two"}, {doc: "a", day: 7, reads: "r", recorded: true}},
			// the version of day 7 is one of its own, since another stands between, and has not landed
			[]string{"a5/0 one archive 05", "a6/0 two hot 06"}, []string{}},
		{"a capture that was recorded only is extracted by order", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "two", unasked: true}},
			[]string{"a5/0 one archive 05", "a6/0 two hot 06"}, []string{"a5/0 archived a6"}},
		{"of two captures of one version the first counts", []step{{doc: "a", day: 5, reads: "r", says: "one"}, {doc: "a", day: 6, reads: "r", says: "two"}},
			[]string{"a5/0 one hot 05", "a6/0 two archive 06"}, []string{}},
		{"a better reading of the first takes over, beside a later one that does not count",
			[]step{{doc: "a", day: 5, reads: "r", says: "one two"}, {doc: "a", day: 6, reads: "r", says: "two four"}, {doc: "a", day: 5, run: 1, other: "y", parser: "2", says: "one four"}},
			[]string{"a5/0 one hot 05", "a5/1 two archive 05", "a5r1/0 one hot 05 after a5/0", "a5r1/1 four hot 05", "a6/0 two archive 06", "a6/1 four hot 05 after a5r1/1"},
			[]string{"a5/1 archived a5", "a6/0 archived a5", "a6/1 restored"}},
		{"a source that is kept in the archive from now on", []step{{doc: "a", day: 5, says: "one two"}, {doc: "a", day: 6, layer: model.LayerArchive, says: "one"}},
			[]string{"a5/0 one archive 05", "a5/1 two archive 05", "a6/0 one archive 05 after a5/0"}, []string{"a5/0 archived a6", "a5/1 archived a6"}},
		{"one that comes out of the archive, and says what it said", []step{{doc: "a", day: 5, layer: model.LayerArchive, says: "one"}, {doc: "a", day: 6, layer: model.LayerSummary, says: "one"}},
			[]string{"a5/0 one summary 05"}, []string{"a5/0 restored"}},
		{"one that is a summary now, and says more", []step{{doc: "a", day: 5, layer: model.LayerHot, says: "one"}, {doc: "a", day: 6, layer: model.LayerSummary, says: "one two"}},
			[]string{"a5/0 one summary 05", "a6/0 one summary 05 after a5/0", "a6/1 two summary 06"}, []string{"a5/0 restored"}},
		{"unless the later one could read more", []step{{doc: "a", day: 5, reads: "r", failed: 1, says: "one"}, {doc: "a", day: 6, reads: "r", says: "one two"}},
			[]string{"a5/0 one hot 05", "a6/0 one hot 05 after a5/0", "a6/1 two hot 06"}, nil},
		{"a better reading of the earlier capture counts again", []step{{doc: "a", day: 5, reads: "r", failed: 1, says: "one"}, {doc: "a", day: 6, reads: "r", says: "one two"},
			{doc: "a", day: 5, run: 1, other: "y", parser: "2", says: "one three"}},
			[]string{"a5/0 one hot 05", "a5r1/0 one hot 05 after a5/0", "a5r1/1 three hot 05", "a6/0 one hot 05 after a5r1/0", "a6/1 two archive 06"},
			[]string{"a6/0 relinked a5r1/0", "a6/1 archived a5"}},
	})
}

// TestEqualTextsOfDocuments tells which of equal chunks stands for all.
func TestEqualTextsOfDocuments(t *testing.T) {
	t.Parallel()
	tellAll(t, []storyCase{
		{"the first that says it stands", []step{{doc: "b", day: 5, says: "one"}, {doc: "a", day: 5, says: "two one"}},
			[]string{"a5/0 two hot 05", "a5/1 one hot 05 =b5/0", "b5/0 one hot 05"}, nil},
		{"of two in one document the first", []step{{doc: "a", day: 5, says: "one one"}},
			[]string{"a5/0 one hot 05", "a5/1 one hot 05 =a5/0"}, nil},
		{"of another date it is another header", []step{{doc: "a", day: 5, says: "one"}, {doc: "b", day: 6, says: "one"}},
			[]string{"a5/0 one hot 05", "b6/0 one hot 06"}, nil},
		{"of another kind of source it is another", []step{{doc: "a", day: 5, says: "one"}, {doc: "b", day: 5, source: "press", says: "one"}},
			[]string{"a5/0 one hot 05", "b5/0 one hot 05"}, nil},
		{"a duplicate of another document comes back when the first is archived",
			[]step{{doc: "a", day: 5, says: "one"}, {doc: "b", day: 5, says: "one"}, {doc: "a", day: 6, says: "two"}},
			[]string{"a5/0 one archive 05", "a6/0 two hot 06", "b5/0 one hot 05"}, []string{"a5/0 archived a6", "b5/0 promoted"}},
		{"of several duplicates the first by name, and the others point to it",
			[]step{{doc: "b", day: 5, says: "one"}, {doc: "d", day: 5, says: "one"}, {doc: "a", day: 5, says: "one"}, {doc: "b", day: 6, says: "two"}},
			[]string{"a5/0 one hot 05", "b5/0 one archive 05", "b6/0 two hot 06", "d5/0 one hot 05 =a5/0"},
			[]string{"a5/0 promoted", "b5/0 archived b6", "d5/0 duplicate a5/0"}},
		{"who said it first and says it again is a duplicate now",
			[]step{{doc: "a", day: 5, says: "one"}, {doc: "b", day: 5, says: "one"}, {doc: "a", day: 6, says: "two"}, {doc: "a", day: 7, date: 5, says: "one"}},
			[]string{"a5/0 one hot 05 =b5/0", "a6/0 two archive 06", "b5/0 one hot 05"}, []string{"a5/0 restored", "a6/0 archived a7"}},
		{"with chunks of its own as well",
			[]step{{doc: "a", day: 5, says: "one"}, {doc: "b", day: 5, says: "one"}, {doc: "a", day: 6, says: "two"}, {doc: "a", day: 7, date: 5, says: "one three"}},
			[]string{"a5/0 one archive 05", "a6/0 two archive 06", "a7/0 one hot 05 =b5/0", "a7/1 three hot 05", "b5/0 one hot 05"}, []string{"a6/0 archived a7"}},
		{"a duplicate that goes leaves the first",
			[]step{{doc: "a", day: 5, says: "one"}, {doc: "b", day: 5, says: "one"}, {doc: "b", day: 6, says: "two"}},
			[]string{"a5/0 one hot 05", "b5/0 one archive 05", "b6/0 two hot 06"}, []string{"b5/0 archived b6"}},
		{"nobody stands for what nobody says", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "two"}, {doc: "b", day: 5, says: "one"}},
			[]string{"a5/0 one archive 05", "a6/0 two hot 06", "b5/0 one hot 05"}, nil},
		{"what repeats is no duplicate: its first link is", []step{{doc: "a", day: 5, says: "one"}, {doc: "b", day: 5, says: "one"}, {doc: "b", day: 6, date: 5, says: "one two"}},
			[]string{"a5/0 one hot 05", "b5/0 one hot 05 =a5/0", "b6/0 one hot 05 after b5/0", "b6/1 two hot 05"}, nil},
		{"a first link that gets one before it stands no more",
			[]step{{doc: "b", day: 6, date: 5, says: "one two"}, {doc: "a", day: 5, says: "one"}, {doc: "b", day: 4, says: "one"}},
			[]string{"a5/0 one hot 05", "b4/0 one hot 04", "b6/0 one hot 04 after b4/0", "b6/1 two hot 05"},
			[]string{"a5/0 promoted", "b6/0 relinked b4/0"}},
		{"a link that becomes the first is a duplicate",
			[]step{{doc: "a", day: 7, says: "one"}, {doc: "b", day: 5, says: "one"}, {doc: "b", day: 7, says: "one two"}, {doc: "b", day: 6, says: "two"}},
			[]string{"a7/0 one hot 07", "b5/0 one archive 05", "b6/0 two hot 06", "b7/0 one hot 07 =a7/0", "b7/1 two hot 06 after b6/0"},
			[]string{"b5/0 archived b6", "b7/0 relinked", "b7/1 relinked b6/0"}},
		{"a container takes one who stands", []step{{doc: "a", day: 5, says: "one"}, {doc: "b", day: 5, says: "one"}, {doc: "a", day: 6, zip: true}},
			[]string{"a5/0 one archive 05", "b5/0 one hot 05"}, []string{"a5/0 archived a6", "b5/0 promoted"}},
		{"and it is a duplicate when it comes back",
			[]step{{doc: "a", day: 5, reads: "r", says: "one"}, {doc: "b", day: 5, says: "one"}, {doc: "a", day: 6, zip: true}, {doc: "a", day: 7, reads: "r", recorded: true}},
			[]string{"a5/0 one hot 05 =b5/0", "b5/0 one hot 05"}, []string{"a5/0 restored"}},
		{"within a document the second is promoted",
			[]step{{doc: "a", day: 5, says: "one/x one/y"}, {doc: "a", day: 6, says: "one/y"}},
			[]string{"a5/0 one archive 05", "a5/1 one hot 05", "a6/0 one hot 05 after a5/1"}, []string{"a5/0 archived a6", "a5/1 promoted"}},
		{"and the third points to it, also when its chain is older than was known",
			[]step{{doc: "a", day: 5, says: "one/x one/y one/z"}, {doc: "a", day: 6, date: 2, says: "one/y one/z"}},
			[]string{"a5/0 one archive 05", "a5/1 one hot 02", "a5/2 one hot 02 =a5/1", "a6/0 one hot 02 after a5/1", "a6/1 one hot 02 after a5/2"},
			[]string{"a5/0 archived a6", "a5/1 promoted", "a5/2 duplicate a5/1"}},
		{"an earlier version takes the place of one who stood",
			[]step{{doc: "a", day: 6, date: 5, says: "one"}, {doc: "b", day: 5, says: "one"}, {doc: "a", day: 4, date: 5, says: "one"}},
			[]string{"a4/0 one hot 05 =b5/0", "a6/0 one archive 05", "b5/0 one hot 05"}, []string{"a6/0 archived a4", "b5/0 promoted"}},
	})
}

// TestHistoriesInAnyOrder lets versions of a few documents land in any order, and holds
// every state, who stands, and all that was told against the rules after each landing.
func TestHistoriesInAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		w := newStory(t)
		steps := randomSteps(rand.New(rand.NewPCG(seed, 7)))
		w.tell(steps...)
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, steps)
		}
	}
}

// randomSteps are up to twelve things that happen to three documents.
func randomSteps(random *rand.Rand) (steps []step) {
	words := strings.Fields("one two three one/x two/x two! three?")
	for range 12 {
		s := step{doc: string("abc"[random.IntN(3)]), day: 1 + random.IntN(6)}
		if slices.ContainsFunc(steps, func(o step) bool { return o.set() == s.set() }) {
			if s.run = 1; slices.ContainsFunc(steps, func(o step) bool { return o.set() == s.set() }) {
				continue
			}
			s.other = fmt.Sprint(random.IntN(2))
		}
		switch random.IntN(12) {
		case 0:
			s.zip = true
		case 1:
			s.recorded = true
		case 2:
			s.chunker = "2"
		case 3:
			s.failed = 1
		case 4:
			s.reads = "r"
		case 5:
			s.layer = model.LayerArchive
		case 6:
			s.layer = model.LayerSummary
		case 7:
			s.in = "it"
		}
		if i := slices.IndexFunc(steps, func(o step) bool { return o.captured().SnapshotID == s.captured().SnapshotID }); i >= 0 {
			s.layer, s.in = steps[i].layer, steps[i].in // its runs are of one snapshot
		}
		s.date = random.IntN(4) // 0 is the day
		for range random.IntN(5) {
			s.says += " " + words[random.IntN(len(words))]
		}
		if random.IntN(6) == 0 {
			s.text = "other markup"
		}
		steps = append(steps, s)
	}
	return steps
}

// TestWhatALandingAsks: a landing asks for what it needs and no more, since it holds the
// document and the knowledge of its texts meanwhile.
func TestWhatALandingAsks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		before []step
		last   step
		want   string
	}{
		{"a first version asks nothing", nil, step{doc: "a", day: 5, says: "one two"}, "add 2"},
		{"one that says more asks for the version before", []step{{doc: "a", day: 5, says: "one"}}, step{doc: "a", day: 6, says: "one two"},
			"links of a5, add 2"},
		{"one that says less, for the chains that end as well", []step{{doc: "a", day: 5, says: "one two"}}, step{doc: "a", day: 6, says: "two three"},
			"links of a5, chains of one, knowledge of 2, duplicates of 1, set 1, add 2, change 1"},
		{"one with a text less of several", []step{{doc: "a", day: 5, says: "one one two"}}, step{doc: "a", day: 6, says: "one two"},
			"links of a5, chains of one, knowledge of 1, duplicates of 2, set 0, add 2, change 1"},
		{"one that says the same asks nothing", []step{{doc: "a", day: 5, says: "one"}}, step{doc: "a", day: 6, says: "one"}, ""},
		{"one that repeats under an older date changes the chain", []step{{doc: "a", day: 5, says: "one two"}}, step{doc: "a", day: 6, date: 4, says: "one two three"},
			"links of a5, chains of one two, knowledge of 3, duplicates of 2, set 0, add 3, change 2"},
		{"one that repeats under the same date does not", []step{{doc: "a", day: 5, says: "one two"}}, step{doc: "a", day: 6, date: 5, says: "one two three"},
			"links of a5, add 3"},
		{"a late version asks for the one after it", []step{{doc: "a", day: 4, says: "one"}, {doc: "a", day: 6, says: "three"}}, step{doc: "a", day: 5, says: "two"},
			"links of a6, chains of three two, knowledge of 1, duplicates of 1, set 0, add 1, change 0"},
		{"a new version after a container, for what it brings back", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, zip: true}}, step{doc: "a", day: 7, says: "two"},
			"links of a5, chains of one two, knowledge of 2, duplicates of 1, set 1, add 1, change 0"},
		{"a container asks for what was current", []step{{doc: "a", day: 5, says: "one"}}, step{doc: "a", day: 6, zip: true},
			"links of a5, chains of one, knowledge of 1, duplicates of 1, set 1, add 0, change 1"},
		{"a container after a version without chunks, for nothing more", []step{{doc: "a", day: 5, says: ""}}, step{doc: "a", day: 6, zip: true}, "links of a5"},
		{"a capture that changes nothing looks at what is current, which rules of before may have left elsewhere", []step{{doc: "a", day: 5, says: "one"}}, step{doc: "a", day: 4, zip: true},
			"links of a5, chains of one, knowledge of 1, duplicates of 1, set 0, add 0, change 0"},
		{"a version that is changed back, for both", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "two"}}, step{doc: "a", day: 7, says: "one"},
			"links of a6, links of a5, chains of one two, knowledge of 2, duplicates of 2, set 1, add 0, change 2"},
		{"one that takes over, for those whose place it takes", []step{{doc: "a", day: 5, says: "one"}}, step{doc: "a", day: 4, says: "one"},
			"links of a5, chains of one, knowledge of 2, duplicates of 1, set 1, add 1, change 1"},
		{"what repeats stands for no text that is to be held", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "one two"}}, step{doc: "a", day: 7, says: "two"},
			"links of a6, chains of one, knowledge of 1, duplicates of 1, set 1, add 1, change 2"},
		{"an empty document asks for what is gone", []step{{doc: "a", day: 5, says: "one"}}, step{doc: "a", day: 6, says: ""},
			"links of a5, chains of one, knowledge of 1, duplicates of 1, set 1, add 0, change 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newStory(t)
			w.tell(c.before...)
			w.tell(c.last)
			if got := strings.Join(w.asked, ", "); got != c.want {
				t.Errorf("it asked %q, want %q", got, c.want)
			}
		})
	}
}

// TestACatalogThatFails: whatever call fails, the landing fails with it, and nothing is
// asked after it.
func TestACatalogThatFails(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string][]step{
		"a newest version":   {{doc: "a", day: 5, says: "one two"}, {doc: "b", day: 5, says: "one"}, {doc: "a", day: 6, says: "three"}},
		"a late version":     {{doc: "a", day: 6, says: "one two"}, {doc: "b", day: 5, says: "one"}, {doc: "a", day: 5, says: "one"}},
		"one that says more": {{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "one two"}},
		"a container":        {{doc: "a", day: 5, says: "one two"}, {doc: "b", day: 5, says: "one"}, {doc: "a", day: 6, zip: true}},
		"changed back":       {{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "two"}, {doc: "a", day: 7, says: "one"}},
	} {
		calls := 1
		for at := 1; at <= calls; at++ {
			w := newStory(t)
			last := len(steps) - 1
			w.tell(steps[:last]...)
			w.fail = at
			err := w.take(steps[last])
			if !errors.Is(err, errDown) || len(w.asked) != at {
				t.Errorf("%s: call %d failed; the landing said %v after %d calls", name, at, err, len(w.asked))
			}
			if at == 1 { // how many there are
				w := newStory(t)
				w.tell(steps...)
				calls = len(w.asked)
			}
		}
		if calls < 2 {
			t.Errorf("%s: %d calls", name, calls)
		}
	}
}

// TestWhatLands: what Place says of the version that lands, and of what is current.
func TestWhatLands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		steps []step
		want  string
	}{
		{"the first", []step{{doc: "a", day: 5, says: "one"}}, "a5 has a5, newest true, now a5, takes -"},
		{"a later one", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "two"}}, "a6 has a6, newest true, now a6, takes -"},
		{"an earlier one", []step{{doc: "a", day: 6, says: "one"}, {doc: "a", day: 5, says: "two"}}, "a5 has a5, newest false, now a6, takes -"},
		{"the same", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 6, says: "one"}}, "a6 has a5 as a5, newest true, now a6, takes -"},
		{"the same, earlier", []step{{doc: "a", day: 6, says: "one"}, {doc: "a", day: 5, says: "one"}}, "a5 has a5, newest false, now a6, takes a6"},
		{"the same between others", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 7, says: "one"}, {doc: "a", day: 6, says: "one"}},
			"a6 has a5 as a5, newest false, now a7, takes -"},
		{"before a container", []step{{doc: "a", day: 6, zip: true}, {doc: "a", day: 5, says: "one"}}, "a5 has a5, newest false, now -, takes -"},
		{"the same run a second time", []step{{doc: "a", day: 5, says: "one"}, {doc: "a", day: 5, gen: 2, says: "two"}},
			"a5 has a5g2, newest true, now a5, takes -"},
	} {
		w := newStory(t)
		w.tell(c.steps...)
		v := w.timeline.Landed()
		got := fmt.Sprintf("%s has %s", v.SnapshotID, v.Chunks.DocHash)
		if v.SameAs != "" {
			got += " as " + v.SameAs
		}
		name := func(s string, ok bool) string {
			if ok != (s != "") {
				t.Errorf("%s: %q, %t", c.name, s, ok)
			}
			if !ok {
				return "-"
			}
			return s
		}
		now, is := w.timeline.Now()
		taken, takes := w.timeline.Taken()
		got += fmt.Sprintf(", newest %t, now %s, takes %s", w.timeline.Newest(), name(now.SnapshotID, is), name(taken.DocHash, takes))
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	// Where none lands, none is the newest.
	settled := Settle(model.History{Landed: []model.Version{step{doc: "a", day: 5}.version()}, Captured: []model.Captured{step{doc: "a", day: 5}.captured()}})
	if now, ok := settled.Now(); settled.Newest() || !ok || now.SnapshotID != "a5" {
		t.Errorf("settled: newest %t, now %+v", settled.Newest(), now)
	}
}

// TestWhatRepeatsIsNoDuplicate, whatever was recorded of it: a chain that is decided anew
// is right after it.
func TestWhatRepeatsIsNoDuplicate(t *testing.T) {
	t.Parallel()
	w := newStory(t)
	w.tell(step{doc: "a", day: 5, says: "one"}, step{doc: "a", day: 6, says: "one two"})
	wrong := w.states["a6/0"]
	wrong.DuplicateOf = "b1/0"
	w.states["a6/0"] = wrong
	w.tell(step{doc: "a", day: 7, says: "two"})
	if got := w.states["a6/0"]; got.DuplicateOf != "" || got.Layer != model.LayerArchive {
		t.Errorf("%+v", got)
	}
}

// TestAVersionWhoseChunksNobodyHas: where the row of a version is lost whose chunks others
// name, as in a catalog that verify looks at, what repeats them begins a chain of its own.
func TestAVersionWhoseChunksNobodyHas(t *testing.T) {
	t.Parallel()
	lost, same, last := step{doc: "a", day: 4, says: "one"}, step{doc: "a", day: 5, says: "one"}, step{doc: "a", day: 6, says: "one two"}
	v, w := same.version(), last.version()
	v.SameAs, v.Chunks, w.Chunks = "a4", lost.version().Set(), w.Set()
	got := States(model.History{Landed: []model.Version{v, w}, Captured: []model.Captured{same.captured(), last.captured()}},
		append(lost.chunks(), last.chunks()...))
	slices.SortFunc(got, func(a, b model.ChunkState) int { return strings.Compare(a.ChunkRef, b.ChunkRef) })
	want := []model.ChunkState{
		{ChunkRef: "a4/0", Layer: model.LayerArchive, Since: "2026-01-04"},
		{ChunkRef: "a6/0", Layer: model.LayerHot, Repeats: "a4/0", Since: "2026-01-06"},
		{ChunkRef: "a6/1", Layer: model.LayerHot, Since: "2026-01-06"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestADocumentWithoutVersionsHasNoStates: chunks of a document of which no version is
// recorded are nobody's to judge.
func TestADocumentWithoutVersionsHasNoStates(t *testing.T) {
	t.Parallel()
	chunks := step{doc: "a", day: 5, says: "one"}.chunks()
	if got := States(model.History{}, chunks); got != nil {
		t.Errorf("%+v", got)
	}
	landed := model.History{Landed: []model.Version{step{doc: "a", day: 5, says: "one"}.version()}}
	landed.Landed[0].Chunks = landed.Landed[0].Set()
	if got := States(landed, chunks); len(got) != 1 || got[0].Layer != model.LayerArchive {
		t.Errorf("a version whose capture is unknown: %+v", got)
	}
}

// TestOtherChunksBecomeCurrentAndNoneChanges: a page that has changed its order and back
// says so by one change, since events of chunks alone tell what is current of a document.
func TestOtherChunksBecomeCurrentAndNoneChanges(t *testing.T) {
	t.Parallel()
	tellAll(t, []storyCase{
		{"two paragraphs change places, and back", []step{{doc: "a", day: 5, says: "one two"}, {doc: "a", day: 6, says: "two one"}, {doc: "a", day: 7, says: "one two"}},
			[]string{"a5/0 one hot 05", "a5/1 two hot 05", "a6/0 two hot 05 after a5/1", "a6/1 one hot 05 after a5/0"}, []string{"a5/0 current"}},
		{"beside another document that says the same", []step{{doc: "b", day: 4, says: "one"}, {doc: "a", day: 5, date: 4, says: "one two"}, {doc: "a", day: 6, date: 4, says: "two one"}, {doc: "a", day: 7, date: 4, says: "one two"}},
			[]string{"a5/0 one hot 04 =b4/0", "a5/1 two hot 04", "a6/0 two hot 04 after a5/1", "a6/1 one hot 04 after a5/0", "b4/0 one hot 04"}, []string{"a5/0 current"}},
	})
}
