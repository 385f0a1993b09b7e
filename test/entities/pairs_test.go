package entities

import (
	"bytes"
	"testing"
)

// trueShare is what part of the true pairs must pass.
const trueShare = 0.99

// No altered pair passes the guard, and of the true ones at least 99 of 100 do, in both halves.
func TestFalsifiedPairs(t *testing.T) {
	pairs, err := Pairs()
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs) != 2*(truePairs+alteredPairs) {
		t.Fatalf("%d pairs", len(pairs))
	}
	figures, err := Measure(pairs)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(&b, figures); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", b.String())
	byID := make(map[string]Pair)
	for _, p := range pairs {
		byID[p.ID] = p
	}
	for _, f := range figures {
		if f.Recipe == "true" && float64(f.Passed) >= trueShare*float64(f.Pairs) {
			continue
		}
		for i, id := range f.Wrong {
			if i < 12 {
				_, drops, _ := byID[id].Passes()
				t.Errorf("%s: passed %v\n%s\n%s %s\n%+v", id, f.Recipe != "true", byID[id].Page, byID[id].Field, byID[id].Entity, drops)
			}
		}
	}
}

// The pairs are the same each time, and can be written and read.
func TestPairsAreData(t *testing.T) {
	a, errA := Pairs()
	b, errB := Pairs()
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	var one, two bytes.Buffer
	if err := WritePairs(&one, a); err != nil {
		t.Fatal(err)
	}
	read, err := ReadPairs(bytes.NewReader(one.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := WritePairs(&two, b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) || len(read) != len(a) {
		t.Errorf("%d pairs read of %d, or they differ between two times", len(read), len(a))
	}
}

// Of the pairs that were written by hand no altered one passes, and each true one does.
func TestPairsByHand(t *testing.T) {
	pairs, err := PairsByHand()
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs) < 60 {
		t.Fatalf("%d pairs", len(pairs))
	}
	for _, p := range pairs {
		passed, drops, err := p.Passes()
		if err != nil {
			t.Fatal(err)
		}
		if passed != p.True {
			t.Errorf("%s: passed %v\n%s\n%+v", p.ID, passed, p.Page, drops)
		}
	}
}
