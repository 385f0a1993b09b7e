package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/capture"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/convert"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/devtest/domainset"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/statement/note"
)

// library is a running system with a small corpus, and the doors through which
// its stores can be damaged.
type library struct {
	*testing.T
	cli     *cli.Tool
	out     *bytes.Buffer
	sys     *cli.System
	pg      *pgx.Conn
	qdrant  *qdrant.Client
	alias   string
	samples string // folder of the corpus
	damaged string // ctid of the row that was changed last
}

func (l *library) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	return newLibraryOf(t, (*library).fill)
}

// newLibraryOf starts a system and has it filled.
func newLibraryOf(t *testing.T, fill func(*library, *convert.Temporary)) *library {
	t.Helper()
	return newLibraryWith(t, cli.Tables{}, fill)
}

// newLibraryWith starts a system of these tables and has it filled.
func newLibraryWith(t *testing.T, tables cli.Tables, fill func(*library, *convert.Temporary)) *library {
	t.Helper()
	l := &library{T: t, out: new(bytes.Buffer), samples: t.TempDir()}
	ctx := t.Context()
	dir := t.TempDir()
	tmp, err := convert.StartTemporary(ctx, dir, tables)
	if err != nil && strings.Contains(err.Error(), "PostgreSQL is not installed") && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	l.must(err)
	t.Cleanup(func() {
		if err := tmp.Stop(); err != nil {
			t.Error(err)
		}
	})
	l.must(tmp.Local.Announce())
	l.cli = &cli.Tool{Dir: dir, Out: l.out, Err: new(bytes.Buffer), Tables: tables}
	set, err := config.LoadFrom[cli.Settings](tmp.Local.Values)
	l.must(err)
	l.alias = set.Qdrant.Collection
	for _, id := range []string{"council", "herald", note.Source} {
		s := model.DefaultSource(id)
		s.Name = "The " + id
		l.must(tmp.DB.PutSource(ctx, s))
	}
	l.pg, err = pgx.Connect(ctx, set.Postgres.URL.Value())
	l.must(err)
	t.Cleanup(func() { _ = l.pg.Close(context.WithoutCancel(ctx)) })
	_, err = l.pg.Exec(ctx, `SET search_path = `+pgx.Identifier{set.Postgres.Schema}.Sanitize())
	l.must(err)
	fill(l, tmp)
	if l.sys, err = l.cli.System(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.sys.Close)
	host, port, _ := strings.Cut(set.Qdrant.Addr, ":")
	var number int
	_, err = fmt.Sscan(port, &number)
	l.must(err)
	l.qdrant, err = qdrant.NewClient(&qdrant.Config{Host: host, Port: number, SkipCompatibilityCheck: true})
	l.must(err)
	t.Cleanup(func() { _ = l.qdrant.Close() })
	return l
}

// fill captures the small documents of test/documents, a PDF, a second version
// of it and of a page, and the same page under other names and in other markup.
func (l *library) fill(tmp *convert.Temporary) {
	l.Helper()
	for _, name := range []string{
		"avis-sans-encodage.html", "blog-oven.html", "conseil-ordre-du-jour.html", "dizionario.html", "empty.txt",
		"fola-corsa.txt", "mercati-utf16.txt", "seance-fevrier.zip", "truncated.pdf", "verbale-latin9.txt",
	} {
		data, err := os.ReadFile(filepath.Join("..", "..", "test", "documents", name))
		l.must(err)
		l.put(name, string(data))
	}
	blog, err := os.ReadFile(filepath.Join(l.samples, "blog-oven.html"))
	l.must(err)
	l.put("copy.html", string(blog))
	l.put("report.pdf", pdfOf(18)) // of two ranges: its facts are stored
	l.put("minutes.html", minutes("adopted"))
	l.capture(tmp, "council", "2026-03-01T08:00:00Z", l.samples)
	l.put("blog-oven.html", strings.Replace(string(blog), "</body>", "<p>One more thing: the oven is hot.</p></body>", 1))
	l.capture(tmp, "council", "2026-03-02T08:00:00Z", filepath.Join(l.samples, "blog-oven.html"))
	l.put("minutes.html", minutes("postponed"))
	l.capture(tmp, "council", "2026-03-02T08:00:00Z", filepath.Join(l.samples, "minutes.html"))
	l.capture(tmp, "herald", "2026-03-03T08:00:00Z", filepath.Join(l.samples, "copy.html"))
	// An earlier version with the same text comes late: its chunks stand from then on.
	l.put("copy.html", strings.Replace(string(blog), "<body>", `<body class="old">`, 1))
	l.capture(tmp, "herald", "2026-03-01T08:00:00Z", filepath.Join(l.samples, "copy.html"))
	l.fillDomains(tmp)
	l.fillNote(tmp)
}

// fillDomains captures a document for each chunker of a domain.
func (l *library) fillDomains(tmp *convert.Temporary) {
	l.Helper()
	for _, d := range domainset.Documents() {
		l.put(d.Name(), d.HTML)
		id := d.SourceID("council")
		if id != "council" {
			s := model.DefaultSource(id)
			s.SourceType, s.Domain = cmp.Or(d.SourceType, s.SourceType), cmp.Or(d.Domain, s.Domain)
			l.must(tmp.DB.PutSource(l.Context(), s))
		}
		l.capture(tmp, id, "2026-03-04T08:00:00Z", filepath.Join(l.samples, d.Name()))
	}
	var cut []string
	l.must(l.pg.QueryRow(l.Context(), `SELECT array_agg(DISTINCT meta->>'chunker') FROM chunk_manifests WHERE meta ? 'chunker'`).Scan(&cut))
	for _, d := range domainset.Documents() {
		if !slices.Contains(cut, d.Chunker) {
			l.Fatalf("nothing was cut by %s: %v", d.Chunker, cut)
		}
	}
}

// fillNote captures what an operator says with a chunk of the minutes as evidence.
func (l *library) fillNote(tmp *convert.Temporary) {
	l.Helper()
	n := note.Note{Text: "The bridge at the mill was unsafe in March 2026.", Type: model.ChunkFact, Status: model.StatusConfirmed, Date: "2026-03-05",
		Evidence: []model.Evidenced{{ChunkRef: l.evidence(), Page: 1, Quote: "bridge at the mill is to be repaired"}}}
	l.must(n.Validate())
	l.put("note.txt", n.Render())
	l.capture(tmp, note.Source, "2026-03-05T08:00:00Z", filepath.Join(l.samples, "note.txt"))
}

// evidence is the chunk that the note points to.
func (l *library) evidence() (ref string) {
	l.Helper()
	l.must(l.pg.QueryRow(l.Context(), `SELECT min(chunk_ref) FROM chunks WHERE source_id = 'council' AND content LIKE '%bridge at the mill%'`).Scan(&ref))
	return ref
}

func (l *library) put(name, data string) {
	l.must(os.WriteFile(filepath.Join(l.samples, name), []byte(data), 0o600))
}

func (l *library) capture(tmp *convert.Temporary, source, at, path string) {
	l.Helper()
	requests, err := capture.Prepare(l.Context(), tmp.Blobs, []string{path}, capture.Options{Source: source, At: at})
	l.must(err)
	l.must(tmp.Send(l.Context(), requests))
	_, err = capture.Follow(l.Context(), l.cli, tmp.Sender, requests, time.Minute)
	l.must(err)
}

// minutes is a page of three sections, of which the last may change.
func minutes(outcome string) string {
	return `<!DOCTYPE html><html lang="en"><head><title>Minutes</title></head><body><h1>Minutes</h1>
<h2>Opening</h2><p>The chair opened the session at nine.</p>
<h2>Roads</h2><p>The bridge at the mill is to be repaired before winter.</p>
<h2>Budget</h2><p>The budget was ` + outcome + `.</p></body></html>`
}

// pdfOf makes a PDF of n pages, each with two lines of its own.
func pdfOf(n int) string {
	pages := make([]string, n)
	for i := range pages {
		pages[i] = fmt.Sprintf("BT /F 16 Tf 40 340 Td (Chapter %d) Tj /F 11 Tf 0 -60 Td (This is the text of page %d of the report.) Tj ET", i+1, i+1)
	}
	return devtest.PDFOf(pages...)
}
