package quality

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// program writes an executable file.
func program(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPeers runs a program in place of Python that finds the same in every file.
func TestPeers(t *testing.T) {
	t.Setenv("PATH", "/usr/bin:/bin") // for the program
	python := program(t, `shift 3 # -W ignore peers.py
tool=$1; shift
echo a line of a library
for f in "$@"; do
	case $tool in
	readability) echo '{"html":"<p>wanted</p>","cpu":0.5}' ;;
	camelot-lattice) echo broken >&2; exit 1 ;;
	*) echo '{"text":"one two","tables":[{"page":1,"cells":[{"r0":0,"r1":0,"c0":0,"c1":0,"text":"x"},{"r0":0,"r1":0,"c0":1,"c1":1,"text":"y"}]}],"pages":2,"cpu":0.25}' ;;
	esac
done`)
	root := corpus(t, map[string]string{
		"a.pdf": "", "a.gt.txt": "one two three", "b.pdf": "", "b.tables.json": `{"tables":[{"page":1,"cells":[{"r0":0,"r1":0,"c0":0,"c1":0,"text":"x"},{"r0":0,"r1":0,"c0":1,"c1":1,"text":"y"}]}]}`,
		"p/source.html": strings.Repeat("x", 1000), "p/expected.html": "<p>wanted</p>",
	})
	documents := []document{
		{path: "a.pdf", truth: []string{"a.gt.txt"}}, {path: "b.pdf", truth: []string{"b.tables.json"}},
		{path: "p/source.html", truth: []string{"p/expected.html"}},
	}
	o := outputs{root: root, texts: map[string]string{"a.pdf": "one two three"}, ir: map[string]content{}, reasons: map[string]string{}}
	var r Report
	for _, s := range sets() {
		g, err := s.measure(o, documents)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Files) > 0 {
			r.Groups = append(r.Groups, g)
		}
	}
	if err := r.addPeers(t.Context(), root, python, documents); err != nil {
		t.Fatal(err)
	}
	value := func(group, measure, peer string) float64 {
		t.Helper()
		i := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Name == group })
		k := r.Groups[i].column(measure, peer)
		if k < 0 {
			t.Fatalf("%s has no %s of %s", group, measure, peer)
		}
		return r.Groups[i].Files[0].Values[k]
	}
	near(t, "text", value("PDF text", "F1", "PyMuPDF"), 0.8)
	near(t, "ours", value("PDF text", "F1", ""), 1)
	near(t, "main content", value("HTML main content", "F1", "readability-lxml"), 1)
	near(t, "tables", value("PDF tables", "TEDS", "camelot hybrid"), 1)
	if len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "camelot-lattice: exit status 1: broken") {
		t.Errorf("notes %q", r.Notes)
	}
	costs := make(map[string]PeerCost)
	for _, c := range r.Cost.Peers {
		costs[c.Name] = c
	}
	near(t, "milliseconds a page", costs["PyMuPDF"].PDFPageMS, 125)
	near(t, "milliseconds a MB", costs["readability-lxml"].HTMLMegaMS, 500_000)
	if g := r.nearBest("PDF text"); g.Today != "1 of 1" || !g.Met {
		t.Errorf("%+v", g)
	}
}

func TestGoals(t *testing.T) {
	r := Report{
		Groups: []Group{
			{Name: "PDF text", Measures: []Measure{{Name: "F1"}, {Name: "order"}, {Name: "F1", Peer: "x"}, {Name: "order", Peer: "x"}},
				Files: []Row{{Values: []float64{0.9, 0.9, 0.95, 0.9}}, {Values: []float64{0.9, 0.9, 0.902, 0.9}}}, Total: Row{Values: []float64{0.996, 0.9, 1, 1}}},
			{Name: "PDF tables", Measures: []Measure{{Name: "found"}, {Name: "output"}}, Total: Row{Values: []float64{19, 20}}},
			{Name: "HTML segments", Measures: []Measure{{Name: "missing"}, {Name: "unwanted"}}, Total: Row{Values: []float64{0, 1}}},
			{Name: "Language", Rows: "language", Measures: []Measure{{Name: "recall"}}, Files: []Row{{Path: "co", Values: []float64{0.5}}}, Total: Row{Path: "all", Values: []float64{0.94}}},
		},
		Cost: Cost{PDFPages: 10, ExtractPageMS: 12, Peers: []PeerCost{{Name: pdftotextLayout, PDFPages: 10, PDFPageMS: 4}}},
		Whole: &Whole{Runs: []WholeRun{{IR: "0123456789", Chunks: 5, Verified: 5, Resident: 1 << 20}, {IR: "abcdefghij", Chunks: 5, Verified: 4, Broken: 1}},
			PDF: Covered{Pages: 2, Found: 1000, Placed: 999, Skipped: map[string]int{"invisible": 1}}, HTML: Covered{Pages: 3, Failed: 1, Mean: 0.5}},
	}
	want := map[string]string{
		"PDF text, F1": "0.996 true", "PDF text, order": "0.900 false", "PDF tables, F1": " false",
		"PDF text, files as good as the best tool of this run": "1 of 2 false",
		"PDF tables, false ones of those found":                "5.0 % true", "HTML segments, missing and unwanted": "0 and 1 false",
		"language, right for all": "0.940 true", "language, right for co": "0.500 false",
		"CPU time a PDF page, extraction": "12.0 ms, 3.0 × false", "coverage of PDF text layers": "0.9990 of 1000 characters (skipped: 1 invisible) true",
		"coverage of visible HTML and text": "0.5000 of 2 pages, 1 pages failed false", "chunks whose evidence verifies": "9 of 10, 1 breaks false",
		"IR of two runs, 1 and 8 workers": "01234567 ≠ abcdefgh false", "resident memory of services and one extraction child": "1 MiB true",
	}
	for _, g := range r.goals() {
		got := g.Today + map[bool]string{true: " true", false: " false"}[g.Met]
		if w, ok := want[g.Measure]; ok && got != w {
			t.Errorf("%s: %q, want %q", g.Measure, got, w)
		}
		delete(want, g.Measure)
	}
	if len(want) > 0 {
		t.Errorf("not among the goals: %v", want)
	}
}

func TestExtractorAlone(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "documents", "*.pdf"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%q: %v", files, err)
	}
	cpu, pages, err := measureExtractor(t.Context(), files, model.KindPDF)
	if err != nil || cpu <= 0 || pages < 20 {
		t.Errorf("%s for %d pages: %v", cpu, pages, err)
	}
	page := filepath.Join("..", "documents", "blog-oven.html")
	if cpu, pages, err = measureExtractor(t.Context(), []string{page}, model.KindHTML); err != nil || cpu <= 0 || pages != 1 {
		t.Errorf("%s for %d pages of HTML: %v", cpu, pages, err)
	}
}

func TestReadAll(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ir.jsonl")
	text := `{"page_no":1,"width":300,"status":"processed","coverage":0.9,"coverage_ledger":{"characters":{"found":10,"placed":9,"skipped":[{"reason":"invisible","count":1}]},"pictures":{"found":0,"placed":0},"drawings":{"found":0,"placed":0}}}
{"ir_id":"ir_1","evidence":[]}
{"page_no":1,"status":"processed","coverage":1}
{"page_no":2,"width":300,"status":"failed"}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var w Whole
	sum, units, err := w.readAll(file)
	if err != nil || len(sum) != 64 || units != 1 {
		t.Fatalf("%q, %d units: %v", sum, units, err)
	}
	if w.PDF.Pages != 2 || w.PDF.Failed != 1 || w.PDF.Share() != 0.9 || w.PDF.Skipped["invisible"] != 1 || w.HTML.Share() != 1 {
		t.Errorf("%+v", w)
	}
	var r WholeRun
	if err := r.readVerdict([]byte(`{"ref":"x","verdict":"broken"}` + "\n" + `{"chunks":4,"verified":3,"broken":1,"breaks":2,"seconds":1}` + "\n")); err != nil || r.Chunks != 4 || r.Verified != 3 || r.Broken != 3 {
		t.Errorf("%+v: %v", r, err)
	}
}

// TestHostile runs a program that behaves as colophon does.
func TestHostile(t *testing.T) {
	folder := corpus(t, map[string]string{"a.pdf": "", "b/c.zip": ""})
	const serve = `trap 'exit 0' TERM; touch "$3/endpoints.env"; while :; do sleep 0.05; done`
	run := func(results, dev string) Hostile {
		t.Helper()
		binary := program(t, `case "$1" in
dev) `+dev+` ;;
*) touch "$2/asked"; printf '`+results+`'; exit 3 ;;
esac`)
		h, err := RunHostile(t.Context(), binary, folder)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	good := run(`{"url":"file:///b/c.zip","outcome":"stored","state":"failed","reason":"unsupported_type"}\n{"url":"file:///a.pdf","outcome":"rejected"}\n`, serve)
	if !good.Good() || good.Files != 2 || good.Terminal != 2 || good.Resident == 0 {
		t.Errorf("%+v", good)
	}
	var b strings.Builder
	if err := good.Write(&b); err != nil || !strings.Contains(b.String(), "2 files with 0 members, 2 terminal, 0 services ended") || !strings.HasPrefix(b.String(), "a.pdf") {
		t.Errorf("%q: %v", &b, err)
	}
	open := run(`{"url":"file:///a.pdf","outcome":"stored","state":"running"}\n`, serve)
	if open.Good() || open.Terminal != 0 || model.RunState(open.Results[0].State) != model.RunRunning {
		t.Errorf("%+v", open)
	}
	ended := run(`{"url":"file:///a.pdf","outcome":"rejected"}\n{"url":"file:///b/c.zip","outcome":"rejected"}\n`,
		`trap '' TERM; touch "$3/endpoints.env"; while [ ! -e "$3/asked" ]; do sleep 0.02; done; echo panic >&2; exit 2`)
	if ended.Good() || ended.Ended != 1 || ended.Terminal != 2 || !strings.Contains(ended.Log, "panic") {
		t.Errorf("%+v", ended)
	}
}
