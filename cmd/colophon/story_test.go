package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The story of docs/entities.md, from an empty file to rows, is what happens: its files are taken from the document, its
// command is run, and its table is what comes out.
func (d *desk) tellsTheStoryOfOwnEntities(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "entities.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	page, schema := filepath.Join(dir, "minutes.txt"), filepath.Join(dir, "permits.yaml")
	put(t, page, storyBlock(t, string(text), "minutes.txt"), day)
	put(t, schema, storyBlock(t, string(text), "permits.yaml"), day)
	out := d.say(t, 0, "convert", page, "--to", "entities", "--schema", schema, "--language", "en")
	var doc struct {
		Pages []struct {
			Permits []struct {
				Work, Outcome, Holder, Date string
				Fee                         *struct {
					Value    float64
					Currency string
				}
				Evidence []string
				Grounds  []struct{ Field, Text string }
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rows := "| work | outcome | holder | date | fee |\n|---|---|---|---|---|\n"
	for _, p := range doc.Pages {
		for _, e := range p.Permits {
			fee := ""
			if e.Fee != nil {
				fee = fmt.Sprintf(" %v %s", e.Fee.Value, e.Fee.Currency)
			}
			rows += fmt.Sprintf("| %s | %s | %s | %s |%s |\n", e.Work, e.Outcome, e.Holder, e.Date, fee)
			if len(e.Evidence) == 0 || len(e.Grounds) < 4 {
				t.Errorf("%+v has no evidence", e)
			}
		}
	}
	if want := storyTable(t, string(text), "rows"); rows != want {
		t.Errorf("got\n%swant\n%s\n%s", rows, want, out)
	}
	put(t, schema, "name: permits\nversion: 1\nschema: {type: object}\n", day)
	for want, to := range map[string]string{"permits.yaml: schema.properties": "entities", "--schema goes with --to entities": "text"} {
		var problems bytes.Buffer
		args := []string{"--dir", d.dir, "convert", page, "--to", to, "--schema", schema}
		if code := run(t.Context(), args, io.Discard, &problems); code != 2 || !strings.Contains(problems.String(), want) {
			t.Errorf("exit %d: %s", code, &problems)
		}
	}
}

// storyBlock returns the code that stands behind a comment of the document.
func storyBlock(t *testing.T, text, name string) string {
	t.Helper()
	at := regexp.MustCompile("(?s)<!-- story: " + regexp.QuoteMeta(name) + " -->\n```[a-z]*\n(.*?)```").FindStringSubmatch(text)
	if at == nil {
		t.Fatalf("docs/entities.md has no block %s", name)
	}
	return at[1]
}

// storyTable returns the table that stands behind a comment of the document.
func storyTable(t *testing.T, text, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "<!-- story: "+name+" -->\n")
	table, _, end := strings.Cut(rest, "\n\n")
	if !ok || !end {
		t.Fatalf("docs/entities.md has no table %s", name)
	}
	return table + "\n"
}
