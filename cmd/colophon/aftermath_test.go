package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/convert"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/export"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/operate"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/changes"
	"github.com/colophon-dev/colophon/pkg/model"
)

// desk is a running system and the folder in which its commands are given.
type desk struct {
	*testing.T
	dir string
	sys *convert.Temporary
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{T: t, dir: t.TempDir()}
	sys, err := convert.StartTemporary(t.Context(), d.dir, cli.Tables{})
	if err != nil && strings.Contains(err.Error(), "PostgreSQL is not installed") && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sys.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := sys.Local.Announce(); err != nil {
		t.Fatal(err)
	}
	d.sys = sys
	return d
}

// say gives a command and returns what it prints; another exit status than the
// one expected ends the test.
func (d *desk) say(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out, problems bytes.Buffer
	if code := run(t.Context(), append([]string{"--dir", d.dir}, args...), &out, &problems); code != want {
		t.Fatalf("colophon %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, &out, &problems)
	}
	return out.String()
}

// illustrated is a PDF with a heading, a ruled table and a picture.
func illustrated() string {
	content := "BT /F 18 Tf 40 360 Td (Water levels) Tj /F 11 Tf 0 -30 Td (The level rose in the spring of the year.) Tj ET\n"
	for i, row := range [][2]string{{"Month", "Level"}, {"March", "1.2"}, {"April", "1.4"}} {
		y := 280 - 20*i
		for k, cell := range row {
			content += fmt.Sprintf("%d %d 80 20 re S BT /F 11 Tf %d %d Td (%s) Tj ET\n", 40+80*k, y, 46+80*k, y+6, cell)
		}
	}
	content += "q 120 0 0 80 40 100 cm /I Do Q"
	picture := "\xff\x00\x00\x00\xff\x00\x00\x00\xff\xff\xff\x00"
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> " +
			"/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Length %d >>\nstream\n%s\nendstream", len(picture), picture),
	}
	out := "%PDF-1.7\n"
	var offsets []int
	for i, body := range objects {
		offsets = append(offsets, len(out))
		out += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	start := len(out)
	out += fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		out += fmt.Sprintf("%010d 00000 n \n", at)
	}
	return out + fmt.Sprintf("trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
}

// english is long enough that its language is told.
const english = "The water of the river rose in the spring, and the council decided that the bridge at the old mill " +
	"would be repaired before the winter, with the money that was left from the year before.\n"

// TestAfterExtraction gives the commands that look at what extraction made.
func TestAfterExtraction(t *testing.T) {
	d := newDesk(t)
	d.say(t, 0, "source", "add", "council", "--name", "The council", "--language", "fr")
	samples := t.TempDir()
	for name, data := range map[string]string{"levels.pdf": illustrated(), "minutes.html": minutes("adopted"), "page.txt": english} {
		if err := os.WriteFile(filepath.Join(samples, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.say(t, 0, "capture", "--wait", "--timeout", "1m", "--source", "council", "--at", "2026-03-01T08:00:00Z", samples)
	results, err := d.sys.DB.Results(t.Context(), "", nil)
	if err != nil || len(results) != 3 {
		t.Fatalf("%d results: %v", len(results), err)
	}
	t.Run("export pages", d.exportsPages)
	t.Run("export lines", d.exportsLines)
	t.Run("status", func(t *testing.T) { d.tellsCoverage(t, results) })
	t.Run("reparse and diff", func(t *testing.T) { d.reparses(t, results) })
}

// The markers of seeds#extraction with their attributes in its order, and the expressions
// by which a reader of the seed finds them.
var (
	seedAnchors = []string{
		`<!--\s*DOCXT:PAGE[^>]*-->`, `<!--\s*DOCXT:SECTION_START[^>]*-->`, `<!--\s*DOCXT:SECTION_END[^>]*-->`,
		`<!--\s*DOCXT:TABLE_START[^>]*-->`, `<!--\s*DOCXT:TABLE_END[^>]*-->`, `<!--\s*DOCXT:FIGURE[^>]*-->`,
	}
	seedMarkers = regexp.MustCompile(`^(?:` + strings.Join([]string{
		`<!-- DOCXT:PAGE index=[1-9][0-9]* id="[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}" slug="[a-z0-9-]+" -->`,
		`<!-- DOCXT:SECTION_START kind="(?:summary|goal|bmp|implementation|monitoring|outreach|administrative|table|figure|footnote|generic)" level=[1-6] text="[^"]*" -->`,
		`<!-- DOCXT:SECTION_END kind="[a-z]+" -->`,
		`<!-- DOCXT:TABLE_START id="[^"]+" title="[^"]*" -->`,
		`<!-- DOCXT:TABLE_END id="[^"]+" rows=[0-9]+ cols=[0-9]+ source="[a-z]+" -->`,
		`<!-- DOCXT:FIGURE id="[^"]+" caption="[^"]*" src="[^"]*" -->`,
	}, "|") + `)$`)
	seedTable  = regexp.MustCompile(`<!-- DOCXT:TABLE_START id="([^"]+)" title="([^"]*)" -->\n<table data-docxt="table" data-id="([^"]+)" data-title="([^"]*)">`)
	seedFigure = regexp.MustCompile(`<!-- DOCXT:FIGURE id="[^"]+" caption="[^"]*" src="(figures/fig-[0-9]+-[0-9]+\.png)" -->\n<figure><img src="(figures/fig-[0-9]+-[0-9]+\.png)"`)
)

func (d *desk) exportsPages(t *testing.T) {
	out := t.TempDir()
	d.say(t, 2, "export", "pages")
	d.say(t, 0, "export", "pages", "-o", out, "--source", "council")
	found, err := filepath.Glob(filepath.Join(out, "pages", "*", "page-1.html"))
	if err != nil || len(found) != 3 {
		t.Fatalf("pages %q: %v", found, err)
	}
	tables, figures := 0, 0
	for _, path := range found {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		html, dir := string(raw), filepath.Dir(path)
		if !strings.Contains(html, `slug="`+filepath.Base(dir)+`"`) {
			t.Errorf("%s: another slug than its folder\n%s", path, html)
		}
		sections := 0
		for line := range strings.Lines(html) {
			line = strings.TrimSuffix(line, "\n")
			marked := slices.ContainsFunc(seedAnchors, func(a string) bool { return regexp.MustCompile(a).MatchString(line) })
			if marked != strings.Contains(line, "DOCXT:") || marked && !seedMarkers.MatchString(line) {
				t.Errorf("%s: no marker of the seed: %s", path, line)
			}
			sections += strings.Count(line, "SECTION_START") - strings.Count(line, "SECTION_END")
		}
		if sections != 0 || strings.Count(html, "DOCXT:PAGE") != 1 {
			t.Errorf("%s: sections or pages do not close\n%s", path, html)
		}
		for _, m := range seedTable.FindAllStringSubmatch(html, -1) {
			tables++
			csv, err := os.ReadFile(filepath.Join(dir, "tables", m[1]+".csv"))
			if err != nil || m[1] != m[3] || m[2] != m[4] || string(csv) != "Month,Level\r\nMarch,1.2\r\nApril,1.4\r\n" {
				t.Errorf("table %q: %q: %v", m, csv, err)
			}
		}
		for _, m := range seedFigure.FindAllStringSubmatch(html, -1) {
			figures++
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(m[1])))
			if err != nil || m[1] != m[2] {
				t.Fatalf("figure %q: %v", m, err)
			}
			if picture, err := png.Decode(bytes.NewReader(data)); err != nil || picture.Bounds().Dx() != 250 {
				t.Errorf("the figure is %v wide: %v", picture.Bounds(), err)
			}
		}
	}
	if tables != 1 || figures != 1 {
		t.Errorf("%d tables and %d figures", tables, figures)
	}
}

func (d *desk) exportsLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ir.jsonl")
	d.say(t, 0, "export", "ir", "-o", file)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pages, units := 0, 0
	for line := range strings.Lines(string(raw)) {
		var u struct {
			PageID string `json:"page_id"`
			model.Unit
		}
		if err := json.Unmarshal([]byte(line), &u); err != nil {
			t.Fatal(err)
		}
		if u.PageID != "" {
			pages++
			continue
		}
		if units++; u.Validate() != nil {
			t.Errorf("%v: %s", u.Validate(), line)
		}
	}
	if pages != 3 || units < 8 {
		t.Errorf("%d pages, %d units", pages, units)
	}
	chunks := d.say(t, 0, "export", "chunks")
	var c catalog.ChunkWithState
	if err := json.Unmarshal([]byte(strings.SplitAfter(chunks, "\n")[0]), &c); err != nil || c.Chunk.Text == "" || len(c.Chunk.Provenance.Segments) == 0 {
		t.Errorf("%q: %v", chunks, err)
	}
	d.say(t, 3, "export", "chunks", "--source", "nobody")
}

func (d *desk) tellsCoverage(t *testing.T, results []catalog.Result) {
	for _, r := range results {
		text := d.say(t, 0, "status", r.DocumentID)
		if !strings.Contains(text, "done") || !strings.Contains(text, "1.0000") || !strings.Contains(text, r.SnapshotID) {
			t.Errorf("%s:\n%s", r.URL, text)
		}
	}
	var page struct {
		Page model.Page `json:"page"`
	}
	if err := json.Unmarshal([]byte(d.say(t, 0, "--json", "show", "page", results[0].SnapshotID+"/1")), &page); err != nil || page.Page.Coverage != 1 {
		t.Errorf("coverage %v: %v", page.Page.Coverage, err)
	}
}

// reparses changes the source's rules, which makes units of another language, and
// looks that both sets of units are kept.
func (d *desk) reparses(t *testing.T, results []catalog.Result) {
	snapshot := results[slices.IndexFunc(results, func(r catalog.Result) bool { return strings.HasSuffix(r.URL, ".txt") })].SnapshotID
	again := func(args ...string) (r operate.Reparsed) {
		t.Helper()
		if err := json.Unmarshal([]byte(d.say(t, 0, append([]string{"--json", "reparse", "--wait", "--timeout", "1m"}, args...)...)), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	d.say(t, 2, "reparse")
	d.say(t, 2, "reparse", "--source", "council", "--parser", extract.ParserVersion+"0")
	d.say(t, 3, "reparse", "--source", "nobody")
	d.say(t, 3, "diff", snapshot)
	if r := again("--source", "council"); r.Requested != 0 || r.Progress.Done != 3 {
		t.Errorf("nothing has changed, and %+v", r)
	}
	d.say(t, 0, "source", "add", "council", "--languages", "fr,it")
	if r := again("--snapshot", snapshot); r.Requested != 1 || r.Progress.Done != 1 || r.Progress.Documents != 1 {
		t.Errorf("one snapshot: %+v", r)
	}
	if r := again("--source", "council"); r.Requested != 2 || r.Progress.Done != 3 {
		t.Errorf("the rest: %+v", r)
	}
	if r := again("--source", "council"); r.Requested != 0 {
		t.Errorf("again: %+v", r)
	}
	runs, err := d.sys.DB.Runs(t.Context(), snapshot)
	if err != nil || len(runs) != 2 || runs[0].State != model.RunDone || runs[1].State != model.RunDone || runs[1].Why != "reparse" {
		t.Fatalf("runs %+v: %v", runs, err)
	}
	for _, run := range runs {
		rows, err := d.sys.DB.Segments(t.Context(), snapshot, run.ExtractionID)
		if err != nil || len(rows) != 1 || !strings.Contains(rows[0].ObjectKey, run.ExtractionID) {
			t.Errorf("segments %+v: %v", rows, err)
		}
	}
	var c export.Compared
	if err := json.Unmarshal([]byte(d.say(t, 0, "--json", "diff", snapshot)), &c); err != nil {
		t.Fatal(err)
	}
	if c.From.ExtractionID != runs[0].ExtractionID || c.To.ExtractionID != runs[1].ExtractionID || c.Counts[changes.Fields] != 1 ||
		len(c.Changes) != 1 || !slices.Equal(c.Changes[0].Fields, []string{"language"}) {
		t.Errorf("%+v", c)
	}
	back := d.say(t, 0, "diff", snapshot, "--from", runs[1].ExtractionID, "--to", runs[0].ExtractionID)
	if !strings.Contains(back, "1 fields") || !strings.Contains(back, "language: The water of the river") {
		t.Errorf("%q", back)
	}
	d.say(t, 3, "diff", snapshot, "--from", "99")
	d.say(t, 2, "diff", snapshot, "--from", extract.ParserVersion)
	d.turnsBack(t, snapshot, again, runs[0])
	d.say(t, 0, "verify", "--all", "--age", time.Hour.String())
}

// turnsBack sets the rules of the first run again, and then the others: each time
// what they make is current again, by one run of its own however often it is
// asked for.
func (d *desk) turnsBack(t *testing.T, snapshot string, again func(...string) operate.Reparsed, first model.Run) {
	t.Helper()
	language := func() string {
		t.Helper()
		for line := range strings.Lines(d.say(t, 0, "export", "chunks", "--source", "council")) {
			var record struct {
				Chunk struct {
					SnapshotID string `json:"snapshot_id"`
					Language   string `json:"language"`
				} `json:"chunk"`
			}
			if err := json.Unmarshal([]byte(line), &record); err != nil {
				t.Fatalf("%v: %q", err, line)
			}
			if record.Chunk.SnapshotID == snapshot {
				return record.Chunk.Language
			}
		}
		t.Fatal("no chunk of the snapshot is current")
		return ""
	}
	d.say(t, 0, "source", "set", "council", "--languages", "")
	if r := again("--source", "council"); r.Requested != 3 || r.Progress.Done != 3 || r.Progress.Waiting != 0 {
		t.Errorf("back under the first rules: %+v", r)
	}
	english := language()
	if r := again("--source", "council"); r.Requested != 0 {
		t.Errorf("asked for again: %+v", r)
	}
	runs, err := d.sys.DB.Runs(t.Context(), snapshot)
	if err != nil || len(runs) != 3 || runs[2].State != model.RunDone || runs[2].RulesDigest != first.RulesDigest || runs[2].ExtractionID == first.ExtractionID {
		t.Errorf("runs %+v: %v", runs, err)
	}
	d.say(t, 0, "source", "set", "council", "--languages", "fr,it")
	if r := again("--snapshot", snapshot); r.Requested != 1 || r.Progress.Done != 1 {
		t.Errorf("and forward again: %+v", r)
	}
	if other := language(); other == english {
		t.Errorf("the chunks are in %q under both rules", other)
	}
	d.say(t, 0, "reparse", "--ocr", "--snapshot", snapshot, "--wait", "--timeout", "1m")
	if runs, err = d.sys.DB.Runs(t.Context(), snapshot); err != nil || len(runs) != 5 || runs[4].State != model.RunDone {
		t.Errorf("runs %+v: %v", runs, err)
	}
	if r := again("--snapshot", snapshot); r.Requested != 0 {
		t.Errorf("what OCR has made under these rules stands: %+v", r)
	}
}

func TestOverlay(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a system")
	}
	samples, out := t.TempDir(), t.TempDir()
	for name, data := range map[string]string{"levels.pdf": illustrated(), "minutes.html": minutes("adopted")} {
		if err := os.WriteFile(filepath.Join(samples, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var text, problems bytes.Buffer
	code := run(t.Context(), []string{"convert", filepath.Join(samples, "levels.pdf"), filepath.Join(samples, "minutes.html"), "--to", "text", "--overlay", out}, &text, &problems)
	if strings.Contains(problems.String(), "PostgreSQL is not installed") && os.Getenv("CI") != "true" {
		t.Skip(problems.String())
	}
	if code != 0 || !strings.Contains(problems.String(), "minutes.html: no picture: units of html have places in the bytes and no boxes") {
		t.Fatalf("exit %d: %s", code, &problems)
	}
	data, err := os.ReadFile(filepath.Join(out, "levels.pdf.page-0001.png"))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil || picture.Bounds().Dx() != convert.OverlayWidth {
		t.Fatalf("%v: %v", picture.Bounds(), err)
	}
	if others, err := filepath.Glob(filepath.Join(out, "*")); err != nil || len(others) != 1 {
		t.Errorf("%q: %v", others, err)
	}
}
