package html

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
)

// sitePage is a page of a site whose furniture says nothing of itself: a box
// that is the same on each page, a list that partly changes, a line in the text.
func sitePage(n int) block.Input {
	in := input(fmt.Sprintf(`<html><body><div id="wrap"><div class="b1"><p>The office is open on Mondays from nine to twelve, and by appointment on all other days.</p></div>
		<div id="body"><h1>Notice %[1]d</h1><p>Notice number %[1]d says something that no other notice says, at some length: %[2]s</p>
		<h2>Legal remedies and deadlines</h2><p>This notice is given without guarantee; the printed edition counts.</p><p>Seen: %[1]d</p></div>
		<div class="b2"><p>Also read our leaflet on water, which has been reprinted with a new map of the wells.</p><p>Today: item %[1]d</p></div></div></body></html>`,
		n, strings.Repeat(fmt.Sprintf("matter %d, ", n*7), 30)))
	in.Snapshot.SnapshotID = fmt.Sprintf("snap_%d", n)
	return in
}

func TestLearnFurniture(t *testing.T) {
	learn := func(pages ...int) model.Furniture {
		var l Learner
		for _, n := range pages {
			if err := l.Add(context.Background(), sitePage(n)); err != nil {
				t.Fatal(err)
			}
		}
		return l.Furniture(3)
	}
	f := learn(1, 2, 3, 4)
	if got := fmt.Sprint(f.Selectors); got != "[{div.b1 related} {div.b2 related}]" && got != "[{div.b1 banner} {div.b2 related}]" {
		t.Errorf("selectors %s", got)
	}
	if len(f.Blocks) != 1 || f.Documents != 4 || f.Version != 0 {
		t.Errorf("%+v", f)
	}
	if again := learn(4, 2, 1, 3); fmt.Sprint(again) != fmt.Sprint(f) {
		t.Errorf("another order learns %+v", again)
	}
	if few := learn(1, 2); len(few.Selectors)+len(few.Blocks) != 0 {
		t.Errorf("two pages teach %+v", few)
	}
	f.Version = 1
	if err := f.Validate(); err != nil {
		t.Error(err)
	}

	in := sitePage(9)
	in.Snapshot.SourceFurniture = &f
	page, err := Extractor{}.Page(context.Background(), in, 1)
	if err != nil {
		t.Fatal(err)
	}
	main := ""
	for _, b := range page.Blocks {
		if b.Type != model.UnitFurniture {
			main += b.Text + "\n"
		} else if b.Role == "" {
			t.Errorf("furniture without a role: %q", b.Text)
		}
	}
	for _, want := range []string{"Notice 9", "Legal remedies and deadlines", "Seen: 9"} {
		if !strings.Contains(main, want) {
			t.Errorf("%q is no main matter: %s", want, main)
		}
	}
	for _, unwanted := range []string{"The office is open", "our leaflet on water", "Today: item 9", "without guarantee"} {
		if strings.Contains(main, unwanted) {
			t.Errorf("%q is main matter", unwanted)
		}
	}
}
