package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/sources"
	"github.com/colophon-dev/colophon/pkg/model"
)

// boxed is a page with a box that says nothing of itself.
func boxed(n int) string {
	return fmt.Sprintf(`<html><body><div class="b1"><p>The office is open on Mondays from nine to twelve and by appointment.</p></div>
		<div><h1>Notice %[1]d</h1><p>Notice number %[1]d is about the wells of the street with number %[1]d, which are closed.</p></div></body></html>`, n)
}

const entries = `<html><body><h1>B</h1><dl><dt>bara</dt><dd>work</dd><dt>bato</dt><dd>boat</dd></dl></body></html>`

// TestSourceRules: rules that are given and rules that are learnt reach the
// units of what is captured from then on, and those of a re-parse.
func TestSourceRules(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a system")
	}
	d := newDesk(t)
	dir := t.TempDir()
	write := func(name, data string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	wrong := write("wrong.json", `{"select": "dt", "fields": [{"name": "headword"}, {"name": "gloss", "select": "dd["}]}`)
	d.say(t, 2, "source", "add", "words", "--entry-rule", wrong)
	two := write("two.json", `{"select": "dt", "fields": [{"name": "headword"}]} {"select": "dd"}`)
	_, problems := d.hear(t, 2, "source", "add", "words", "--entry-rule", two)
	contains(t, problems, "two.json", "follows the rule")
	rule := write("rule.json", "\ufeff"+`{"select": "dt", "through": "dd", "fields": [{"name": "headword", "select": "dt"}, {"name": "gloss", "select": "dd"}]}`)
	d.say(t, 0, "source", "add", "words", "--entry-rule", rule)
	d.say(t, 0, "capture", "--wait", "--timeout", "1m", "--source", "words", "--at", "2026-03-01T08:00:00Z", write("words/b.html", entries))
	got := values(t, d.say(t, 0, "export", "ir", "--source", "words"))
	if want := "map[gloss:[work] headword:[bara]] map[gloss:[boat] headword:[bato]]"; got != want {
		t.Errorf("records %s", got)
	}

	d.say(t, 0, "source", "add", "notices")
	for n := range 3 {
		write(fmt.Sprintf("notices/%d.html", n), boxed(n))
	}
	d.say(t, 0, "capture", "--wait", "--timeout", "1m", "--source", "notices", "--at", "2026-03-01T08:00:00Z", filepath.Join(dir, "notices"))
	learn := func(args ...string) (l sources.Learnt) {
		t.Helper()
		if err := json.Unmarshal([]byte(d.say(t, 0, append([]string{"--json", "source", "learn-furniture", "notices", "--pages", "3"}, args...)...)), &l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	if dry := learn("--dry-run"); !dry.Changed || dry.Furniture.Version != 1 {
		t.Errorf("dry run: %+v", dry)
	}
	first := learn()
	if !first.Changed || first.Furniture.Version != 1 || first.Furniture.Documents != 3 || len(first.Furniture.Selectors) != 1 || first.Furniture.Selectors[0].Select != "div.b1" {
		t.Errorf("first: %+v", first)
	}
	if again := learn(); again.Changed || again.Furniture.Version != 1 {
		t.Errorf("again: %+v", again)
	}
	d.say(t, 0, "reparse", "--source", "notices", "--wait", "--timeout", "1m")
	for _, u := range units(t, d.say(t, 0, "export", "ir", "--source", "notices")) {
		if furniture := u.Type == model.UnitFurniture; furniture != strings.HasPrefix(u.FieldsRaw.Text, "The office") {
			t.Errorf("%s %q", u.Type, u.FieldsRaw.Text)
		}
	}
	d.say(t, 0, "verify", "--all", "--age", time.Hour.String())
}

// units reads what export ir prints.
func units(t *testing.T, lines string) (out []model.Unit) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var u model.Unit
		if err := json.Unmarshal([]byte(line), &u); err != nil {
			t.Fatal(err)
		}
		if u.IRID != "" {
			out = append(out, u)
		}
	}
	if len(out) == 0 {
		t.Fatalf("no units in %.200q", lines)
	}
	return out
}

func values(t *testing.T, lines string) string {
	t.Helper()
	var out []string
	for _, u := range units(t, lines) {
		if u.Type == model.UnitRecord {
			out = append(out, fmt.Sprint(u.FieldsRaw.Values))
		}
	}
	return strings.Join(out, " ")
}
