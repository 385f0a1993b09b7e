package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
)

// TestAffected: of a source, a snapshot and a URL all that was made of it is counted, the
// members of a container with it, as the exports have it; and nothing of another source.
func TestAffected(t *testing.T) {
	d := newDesk(t)
	for _, source := range []string{"town", "other"} {
		d.say(t, 0, "capture", "--wait", "--timeout", "1m", "--source", source,
			"../../test/documents/seance-fevrier.zip", "../../test/documents/dizionario.html", "../../test/documents/watershed-report.pdf")
	}
	type answer struct {
		Snapshots []catalog.Affected
		Total     map[string]int
	}
	ask := func(args ...string) (a answer) {
		t.Helper()
		if err := json.Unmarshal([]byte(d.say(t, 0, append([]string{"affected", "--json"}, args...)...)), &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	pages, chunks := 0, strings.Count(d.say(t, 0, "export", "chunks", "--source", "town"), "\n")
	all := ask("--source", "town")
	for _, s := range all.Snapshots {
		if s.SourceID != "town" {
			t.Errorf("%+v", s)
		}
		pages += s.Pages
	}
	if all.Total["snapshots"] != 5 || all.Total["documents"] != 5 || all.Total["chunks"] != chunks || all.Total["points"] != chunks ||
		all.Total["pages"] != pages || all.Total["manifests"] != 4 || all.Total["ir_segments"] != 5 {
		t.Errorf("%d chunks, %v", chunks, all.Total)
	}
	byURL := ask("--url", "file:///seance-fevrier.zip")
	if byURL.Total["snapshots"] != 6 || byURL.Total["runs"] != 4 { // of both sources: the container and two members each
		t.Errorf("%+v", byURL)
	}
	for _, s := range all.Snapshots {
		if s.ExternalID != "file:///seance-fevrier.zip" {
			continue
		}
		if one := ask("--snapshot", s.SnapshotID); one.Total["snapshots"] != 3 || one.Total["runs"] != 2 || one.Total["chunks"] == 0 {
			t.Errorf("%+v", one)
		}
	}
	_, problems := d.hear(t, 3, "affected", "--url", "https://nowhere.example/")
	contains(t, problems, "nowhere.example", "not found")
	d.hear(t, 2, "affected")
	d.hear(t, 2, "affected", "--source", "town", "--url", "file:///a")
	contains(t, d.say(t, 0, "affected", "--source", "town"), "5 snapshots of 5 documents: ")
	exportsLeaveOut(t, d, "town", "other")
}

// exportsLeaveOut disables one of two sources: exports of all have the other's alone, and
// say so; one that names it has it. Nothing of it is made again.
func exportsLeaveOut(t *testing.T, d *desk, kept, disabled string) {
	t.Helper()
	d.say(t, 0, "source", "disable", disabled)
	for _, kind := range []string{"chunks", "ir", "warc"} {
		of := func(args ...string) string { return d.say(t, 0, append([]string{"export", kind}, args...)...) }
		out, told := d.hear(t, 0, "export", kind)
		if out == "" || out != of("--source", kept) || !strings.Contains(told, " of disabled sources left out") {
			t.Errorf("%s: %d bytes, %s", kind, len(out), told)
		}
		if named := of("--source", disabled); named == "" || named == out {
			t.Errorf("%s of the disabled source: %d bytes", kind, len(named))
		}
	}
	shown := strings.Fields(d.say(t, 0, "affected", "--source", disabled))
	snapshot := shown[slices.IndexFunc(shown, func(word string) bool { return strings.HasPrefix(word, "snap_") })]
	for _, again := range [][]string{{"reparse", "--source", disabled}, {"reparse", "--ocr", "--snapshot", snapshot}, {"retry", snapshot}, {"reannotate", snapshot}} {
		_, told := d.hear(t, 3, again...)
		contains(t, told, "source "+disabled+" is disabled", "colophon source enable "+disabled)
	}
	d.say(t, 0, "source", "enable", disabled)
	if out, told := d.hear(t, 0, "export", "chunks"); strings.Count(out, "\n") != 2*strings.Count(d.say(t, 0, "export", "chunks", "--source", kept), "\n") {
		t.Errorf("enabled again: %s", told)
	}
}
