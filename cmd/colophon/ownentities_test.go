package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestEntitiesOfASource goes the whole way of docs/entities.md: a source with a schema of its own is applied, a page is captured,
// and what the annotator has read is exported as rows, shown on its page, and proved; under a newer version it is read again.
func TestEntitiesOfASource(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a system")
	}
	d := newDesk(t)
	story, err := os.ReadFile(filepath.Join("..", "..", "docs", "entities.md"))
	if err != nil {
		t.Fatal(err)
	}
	permits, dir := storyBlock(t, string(story), "permits.yaml"), t.TempDir()
	page, town := filepath.Join(dir, "minutes.txt"), filepath.Join(dir, "town.yaml")
	put(t, page, storyBlock(t, string(story), "minutes.txt"), day)
	put(t, town, sourceWith(permits), day)
	d.say(t, 0, "source", "apply", "-f", town)
	d.say(t, 0, "capture", "--wait", "--source", "town", page)
	d.annotated(t)

	out := d.say(t, 0, "export", "entities", "--to", "csv", "--source", "town", "--type", "permits.permit")
	rows := rowsOf(t, out)
	table := "| work | outcome | holder | date | fee |\n|---|---|---|---|---|\n"
	for _, r := range rows {
		fee := strings.TrimSpace(r["fee_value"] + " " + r["fee_currency"])
		if fee != "" {
			fee = " " + fee
		}
		table += fmt.Sprintf("| %s | %s | %s | %s |%s |\n", r["work"], r["outcome"], r["holder"], r["date"], fee)
		if r["schema"] != "permits" || r["schema_version"] != "1" || r["page_no"] != "1" || r["type"] != "permits.permit" || r["evidence"] == "" || r["ir_id"] == "" {
			t.Errorf("%v", r)
		}
	}
	if want := storyTable(t, string(story), "rows"); table != want {
		t.Errorf("got\n%swant\n%s\n%s", table, want, out)
	}
	if again := d.say(t, 0, "export", "entities", "--to", "csv", "--source", "town", "--type", "permits.permit"); again != out {
		t.Errorf("exported again it is\n%s", again)
	}
	d.exportsParquet(t, len(rows))

	var documents []model.ExtractedDocument
	if err := json.Unmarshal([]byte(d.say(t, 0, "export", "entities", "--source", "town")), &documents); err != nil || len(documents) != 1 {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	if own := documents[0].Pages[0].Own["permits.permit"]; len(own) != 2 {
		t.Errorf("%d permits in JSON", len(own))
	}
	var shown model.ExtractedDocument
	decode(t, d.say(t, 0, "show", "entities", documents[0].DocumentID), &shown)
	if len(shown.Pages) != 1 || len(shown.Pages[0].Own["permits.permit"]) != 2 {
		t.Errorf("shown %+v", shown)
	}
	d.listsOwn(t)
	d.servesEvidence(t, documents[0].UploadID)
	d.say(t, 0, "verify", "--all")

	put(t, town, sourceWith(strings.Replace(permits, "List each", "Name each", 1)), day)
	d.say(t, 2, "source", "apply", "-f", town) // under the version that is there
	put(t, town, sourceWith(strings.NewReplacer("version: 1", "version: 2", "granted|refused", "granted").Replace(permits)), day)
	d.say(t, 0, "source", "apply", "-f", town)
	d.say(t, 0, "reparse", "--source", "town", "--wait")
	eventually(t, "the newer version is read", func() bool {
		rows := rowsOf(t, d.say(t, 0, "export", "entities", "--to", "csv", "--type", "permits.permit"))
		return len(rows) == 1 && rows[0]["schema_version"] == "2" && rows[0]["work"] == "a wooden footbridge"
	})
	d.say(t, 2, "export", "entities", "--to", "xml")
	d.say(t, 2, "export", "entities", "--type", "permit")
	d.say(t, 3, "export", "entities", "--source", "nosuch")
	if out := d.say(t, 0, "export", "entities", "--type", "bmp"); out != "[]\n" {
		t.Errorf("of no practice is exported %s", out)
	}
}

// sourceWith is a source's file with a schema, as docs/entities.md says it.
func sourceWith(schema string) string {
	var b strings.Builder
	b.WriteString("source_id: town\nlanguage: en\nentities:\n")
	before := "  - "
	for line := range strings.Lines(schema) {
		b.WriteString(before + line)
		before = "    "
	}
	return b.String()
}

// annotated waits until the entities of all runs were told.
func (d *desk) annotated(t *testing.T) {
	t.Helper()
	eventually(t, "the entities are read", func() bool {
		for doc, err := range d.sys.DB.EntityDocuments(t.Context(), "town", "") {
			if err != nil {
				t.Fatal(err)
			}
			return len(doc.Pages) > 0
		}
		return false
	})
}

// rowsOf reads CSV as maps by column.
func rowsOf(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(records) == 0 {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, record := range records[1:] {
		row := make(map[string]string)
		for i, name := range records[0] {
			row[name] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// exportsParquet has the same rows, with numbers as numbers and null where there is nothing.
func (d *desk) exportsParquet(t *testing.T, want int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "entities.parquet")
	d.say(t, 0, "export", "entities", "--to", "parquet", "-o", file, "--type", "permits.permit")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[struct {
		Work     *string  `parquet:"work"`
		FeeValue *float64 `parquet:"fee_value"`
		PageNo   *int64   `parquet:"page_no"`
	}](bytes.NewReader(data), int64(len(data)))
	if err != nil || len(rows) != want {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if r := rows[0]; *r.Work != "a wooden footbridge" || *r.FeeValue != 180 || *r.PageNo != 1 || rows[1].FeeValue != nil {
		t.Errorf("%+v", rows)
	}
}

// listsOwn reads the list of permits in two parts.
func (d *desk) listsOwn(t *testing.T) {
	t.Helper()
	var works []string
	for after, more := "", true; more; {
		var list struct {
			Entities []struct {
				Type   string
				Entity struct{ Work string }
			}
			Next string
		}
		decode(t, d.fetch(t, "/v1/entities?type=permits.permit&limit=1"+after), &list)
		for _, e := range list.Entities {
			works = append(works, e.Type+" "+e.Entity.Work)
		}
		after, more = "&after="+list.Next, list.Next != "" && len(works) < 4
	}
	if got := strings.Join(works, ", "); got != "permits.permit a fish ladder, permits.permit a wooden footbridge" {
		t.Errorf("listed: %s", got)
	}
}

// servesEvidence has the page with spans where its permits were found, and as it is stored where that is not asked for.
func (d *desk) servesEvidence(t *testing.T, snapshot string) {
	t.Helper()
	dir := t.TempDir()
	d.say(t, 0, "export", "pages", "-o", dir, "--source", "town", "--evidence")
	files, err := filepath.Glob(filepath.Join(dir, "pages", "*", "page-1.html"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	exported, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	served := d.fetch(t, "/v1/snapshots/"+snapshot+"/pages/1.html?evidence=true")
	if served != string(exported) {
		t.Errorf("served\n%s\nexported\n%s", served, exported)
	}
	if shown := d.say(t, 0, "show", "page", "--html", snapshot+"/1"); shown != served {
		t.Errorf("served\n%s\nshown\n%s", served, shown)
	}
	for _, part := range []string{`<span data-docxt="evidence" data-key="permits.permit:a-wooden-footbridge-`, `Permit for a wooden footbridge granted to Ida Moran`, ` data-page="1"`} {
		if !strings.Contains(served, part) {
			t.Errorf("%s is not in\n%s", part, served)
		}
	}
	if plain := d.fetch(t, "/v1/snapshots/"+snapshot+"/pages/1.html"); strings.Contains(plain, "data-page") || strings.Contains(plain, "evidence") {
		t.Errorf("nobody asked for evidence:\n%s", plain)
	}
}

// fetch asks the gateway.
func (d *desk) fetch(t *testing.T, path string) string {
	t.Helper()
	client := http.Client{Timeout: time.Minute}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.sys.Local.Gateway+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", path, resp.Status, err)
	}
	return string(body)
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(devtest.Patience)
	for !so() {
		select {
		case <-limit:
			t.Fatalf("%s: not so within %s", what, devtest.Patience)
		case <-tick.C:
		}
	}
}
