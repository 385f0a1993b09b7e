package main

import (
	"bytes"
	"encoding/json"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/convert"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/export"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/follow"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/operate"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/segment"
	capturer "github.com/colophon-dev/colophon/services/capturer/app"
)

// aDeck is one of 18 sheets, of which the 17th, in the second range, is a picture.
func aDeck() string {
	sheets := make([]string, 18)
	for i := range sheets {
		word := string(rune('a' + i))
		sheets[i] = "Sheet " + strings.Repeat(word, 4) + "\nThe lighthouse of quarter " + strings.Repeat(word, 5) + " is painted every spring by its keepers."
	}
	sheets[16] = picture
	return deckMagic + strings.Join(sheets, deckEdge)
}

// TestWhereToAdd adds a line to the tables of types, kinds of files, formats of text
// files and embedders, and runs documents of them through the whole system: captured,
// typed, split with their facts, extracted, read by OCR, chunked, indexed, searched, drawn
// and verified. Nothing else knows of them.
func TestWhereToAdd(t *testing.T) {
	t.Setenv("COLOPHON_OCR", "on")
	t.Setenv("COLOPHON_OCR_ENGINE", "fake:read")
	t.Setenv("COLOPHON_OCR_WORKERS", "1")
	embedder := new(letters)
	tables := added()
	tables.Models = append([]retrieval.Embedder{embedder}, retrieval.Models()...)
	var sys *convert.Temporary
	l := newLibraryWith(t, tables, func(l *library, tmp *convert.Temporary) {
		sys = tmp
		l.put("towers.deck", aDeck())
		l.put("short.deck", deckMagic+"One sheet\nIt has the picture of a harbour and nothing else that counts.")
		l.put("broken.deck", deckMagic+"BROKEN")
		l.put("song.verse", "VERSE\nThe tide goes out behind the mill,\nthe miller counts his sacks of rye.\n")
		l.put("prose.verse", "This has the name of the format and none of its form.\n")
		l.put("page.html", minutes("adopted"))
		l.capture(tmp, "council", "2026-03-01T08:00:00Z", l.samples)
	})
	byName := l.captured()
	for name, want := range map[string]string{
		"towers.deck": "deck deck done 18 with facts", "short.deck": "deck deck done 1", "broken.deck": "deck deck failed 1",
		"song.verse": "text text_file done 1", "prose.verse": "text text_file done 1", "page.html": "html html done 1",
	} {
		if got := byName[name].said; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}

	// The facts of a deck of two ranges are stored, and its pages were made with them.
	towers := l.frames(sys, byName["towers.deck"].snapshotID)
	if p := towers[17].Page; len(towers) != 18 || p.Label != "18/18" || p.Title != "Sheet aaaa" {
		t.Errorf("%d sheets, the last %+v", len(towers), p)
	}
	if u := towers[16].Units; len(u) == 0 || !strings.Contains(u[0].FieldsRaw.Text, "Scanned page 17") || u[0].OCREngine != "fake" {
		t.Errorf("the picture is read as %+v", u)
	}
	if u := l.frames(sys, byName["song.verse"].snapshotID)[0].Units; len(u) != 2 || u[0].Type != model.UnitQuote {
		t.Errorf("the verses are %+v", u)
	}
	if f := l.frames(sys, byName["prose.verse"].snapshotID)[0]; len(f.Page.Warnings) == 0 || !strings.Contains(f.Page.Warnings[0], "not verse: it does not begin with VERSE") {
		t.Errorf("what is not of the format: %+v", f.Page)
	}

	// Its pages are drawn.
	drawer, err := child.NewDrawer(child.Config{Kinds: tables.Kinds, Workers: 1, TempDir: t.TempDir()}, sys.Blobs.FetchRaw)
	l.must(err)
	defer drawer.Close()
	snap, err := sys.DB.Snapshot(t.Context(), byName["towers.deck"].snapshotID)
	l.must(err)
	drawn, err := drawer.Draw(t.Context(), snap, child.Picture{Page: 7, Width: 32})
	l.must(err)
	if m, err := png.Decode(bytes.NewReader(drawn)); err != nil || m.Bounds().Dx() != 32 || m.Bounds().Dy() != 18 {
		t.Errorf("%v, %v", m, err)
	}

	l.quiet()
	l.searchesByLetters(embedder)
	total, err := operate.VerifySweep(t.Context(), l.cli, l.sys, operate.VerifyOptions{All: true})
	if err != nil || total.Chunks == 0 || total.Verified != total.Chunks || total.Breaks != 0 {
		t.Errorf("%+v, %v\n%s", total, err, l.out)
	}
}

// TestTypesAreKeptAsTheirKinds: the kind under which typing keeps documents of a type is
// the line of the table of kinds that says so, and each line there has one here.
func TestTypesAreKeptAsTheirKinds(t *testing.T) {
	types := capturer.BuiltinTypes()
	for kind, line := range child.Builtin() {
		i := slices.IndexFunc(types, func(t capturer.Type) bool { return t.Final == line.Type })
		if i < 0 || types[i].Kind != kind {
			t.Errorf("documents of type %s are not kept as %q, which extracts them", line.Type, kind)
		}
	}
}

// searchesByLetters sees that passages and questions are embedded by the added embedder,
// and that what is found of a deck has its boxes.
func (l *library) searchesByLetters(embedder *letters) {
	l.Helper()
	var out, problems bytes.Buffer
	if code := run(l.Context(), []string{"--dir", l.cli.Dir, "search", "--json", "lighthouse quarter ggggg"}, &out, &problems); code != 0 {
		l.Fatalf("%d: %s", code, &problems)
	}
	var found follow.SearchAnswer
	l.must(json.Unmarshal(out.Bytes(), &found))
	if len(found.Hits) == 0 || !strings.Contains(out.String(), `"boxes":[{`) || !strings.Contains(out.String(), "towers.deck") {
		l.Errorf("%s", &out)
	}
	if embedder.passages.Load() == 0 || embedder.queries.Load() == 0 {
		l.Errorf("%d passages and %d questions were embedded", embedder.passages.Load(), embedder.queries.Load())
	}
	var collection string
	l.must(l.pg.QueryRow(l.Context(), `SELECT DISTINCT collection FROM chunk_vectors`).Scan(&collection))
	if want := model.CollectionName(l.alias, "letters", 26); collection != want {
		l.Errorf("the vectors are in %s, want %s", collection, want)
	}
}

// capturedFile is what became of a captured file.
type capturedFile struct{ snapshotID, said string }

// captured returns what became of each file, by its name.
func (l *library) captured() map[string]capturedFile {
	l.Helper()
	rows, err := l.pg.Query(l.Context(), `SELECT s.snapshot_id, s.record->>'filename', s.final_type || ' ' || s.snapshot_kind || ' ' || r.state || ' ' || r.page_count || CASE r.facts_key WHEN '' THEN '' ELSE ' with facts' END
		FROM snapshots s JOIN runs r USING (snapshot_id) `)
	l.must(err)
	out := make(map[string]capturedFile)
	for rows.Next() {
		var name string
		var c capturedFile
		l.must(rows.Scan(&c.snapshotID, &name, &c.said))
		out[name] = c
	}
	l.must(rows.Err())
	return out
}

// frames are the pages of a snapshot's last run.
func (l *library) frames(sys *convert.Temporary, snapshotID string) []segment.Frame {
	l.Helper()
	var out []segment.Frame
	l.must(export.LastFrames(l.Context(), sys.DB, sys.Blobs, snapshotID, func(f segment.Frame) error {
		out = append(out, f)
		return nil
	}))
	if !slices.IsSortedFunc(out, func(a, b segment.Frame) int { return a.Page.PageNo - b.Page.PageNo }) {
		l.Error("pages are not in order")
	}
	return out
}
