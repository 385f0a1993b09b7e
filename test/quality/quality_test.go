package quality

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func nearPRF(t *testing.T, what string, got PRF, p, r float64) {
	t.Helper()
	near(t, what+" precision", got.Precision, p)
	near(t, what+" recall", got.Recall, r)
	f1 := 0.0
	if p+r > 0 {
		f1 = 2 * p * r / (p + r)
	}
	near(t, what+" F1", got.F1, f1)
}

func TestCanon(t *testing.T) {
	for in, want := range map[string]string{
		" a\u00a0\n\tb ":     "a b",
		"ﬁn ½":               "fin 1⁄2",
		"co\u00adoperate":    "cooperate",
		"l’eau ‘x’ “y”":      `l'eau 'x' "y"`,
		"1–2 — 3 − 4 ‐ 5 ‑6": "1-2 - 3 - 4 - 5 -6",
		"long ſ":             "long s",
	} {
		if got := Canon(in); got != want {
			t.Errorf("Canon(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	got := Words("L’Été: x_1, H₂O—3.5% (ÉCOLE)")
	want := []string{"l", "été", "x_1", "h2o", "3", "5", "école"}
	if !slices.Equal(got, want) {
		t.Errorf("Words = %q, want %q", got, want)
	}
}

func TestTokenScore(t *testing.T) {
	// Shared: a twice, b once; the truth has 4 words, the output 5.
	nearPRF(t, "tokens", TokenScore("a a b c", "B a, a a d"), 3.0/5, 3.0/4)
	nearPRF(t, "order", TokenScore("a b c", "c b a"), 1, 1)
	nearPRF(t, "no output", TokenScore("a", ""), 0, 0)
}

func TestShingleScore(t *testing.T) {
	// abcd bcde | abcd bcdx: one of two each way.
	nearPRF(t, "runs", ShingleScore("a b c d e", "a b c d x"), 0.5, 0.5)
	nearPRF(t, "short", ShingleScore("a b", "a b"), 1, 1)
	nearPRF(t, "none", ShingleScore("a b", ""), 0, 0)
}

func TestOrderScore(t *testing.T) {
	near(t, "equal", OrderScore("a b c", "a b c"), 1)
	near(t, "both empty", OrderScore("", " "), 1)
	near(t, "one empty", OrderScore("a", ""), 0)
	// The longest common subsequence of abcd and cdab is two words.
	near(t, "halves swapped", OrderScore("a b c d", "c d a b"), 2.0*2/8)
	near(t, "one left out", OrderScore("a b c d", "a c d"), 2.0*3/7)
}

// TestLongestCommon compares the bits with the plain table across the edges of
// their words.
func TestLongestCommon(t *testing.T) {
	state := uint32(1)
	random := func(n int) []string {
		words := make([]string, n)
		for i := range words {
			state = state*1664525 + 1013904223
			words[i] = string(rune('a' + state>>24%5))
		}
		return words
	}
	for _, n := range []int{0, 1, 63, 64, 65, 128, 200} {
		for _, m := range []int{0, 1, 64, 150} {
			a, b := random(n), random(m)
			table := make([][]int, n+1)
			for i := range table {
				table[i] = make([]int, m+1)
				for j := range table[i] {
					switch {
					case i == 0 || j == 0:
					case a[i-1] == b[j-1]:
						table[i][j] = table[i-1][j-1] + 1
					default:
						table[i][j] = max(table[i-1][j], table[i][j-1])
					}
				}
			}
			if got := longestCommon(a, b); got != table[n][m] {
				t.Errorf("%d and %d words: %d, want %d", n, m, got, table[n][m])
			}
		}
	}
}

func TestCharacterErrors(t *testing.T) {
	near(t, "kitten", CharacterErrors("kitten", "sitting"), 3.0/6)
	near(t, "accents are one character", CharacterErrors("été", "ete"), 2.0/3)
	near(t, "nothing", CharacterErrors("abc", ""), 1)
	near(t, "too much", CharacterErrors("a", "abc"), 2)
}

// rowsOf makes a table of single cells.
func rowsOf(page int, rows ...[]string) Table {
	t := Table{Page: page}
	for r, row := range rows {
		for c, text := range row {
			t.Cells = append(t.Cells, TableCell{r, r, c, c, text})
		}
	}
	return t
}

func TestRelations(t *testing.T) {
	// A head over two columns; an empty cell is passed over.
	table := Table{Cells: []TableCell{
		{0, 0, 0, 1, "Head"}, {0, 0, 2, 2, "K"},
		{1, 1, 0, 0, "a"}, {1, 1, 1, 1, " "}, {1, 1, 2, 2, "b"},
	}}
	want := map[relation]int{
		{"head", "k", false}: 1, {"head", "a", true}: 1, {"k", "b", true}: 1, {"a", "b", false}: 1,
	}
	got := table.relations()
	if len(got) != len(want) || common(got, want) != len(want) {
		t.Errorf("relations %v, want %v", got, want)
	}
	twice := rowsOf(1, []string{"x", "y"}, []string{"x", "y"}).relations()
	if twice[relation{"x", "y", false}] != 2 || twice[relation{"x", "x", true}] != 1 || size(twice) != 4 {
		t.Errorf("equal cells: %v", twice)
	}
}

func TestScoreTables(t *testing.T) {
	truth := []Table{rowsOf(1, []string{"a", "b"}, []string{"c", "d"}), rowsOf(2, []string{"e", "f"})}
	if s := ScoreTables(truth, truth); s.Relations != (Hits{5, 5, 5}) || s.Grid != (Hits{6, 6, 6}) || s.Tables != (Hits{2, 2, 2}) || s.MeanTEDS() != 1 {
		t.Errorf("against itself: %+v", s)
	}
	out := []Table{
		rowsOf(1, []string{"a", "b"}, []string{"c", "x"}), // a–b and a–c of four relations
		rowsOf(1, []string{"b", "d"}),                     // turned: no relation is b to d to the right
		rowsOf(3, []string{"e", "f"}),                     // another page
	}
	s := ScoreTables(truth, out)
	if s.Relations != (Hits{2, 5, 6}) || s.Grid != (Hits{3, 6, 8}) || s.Tables != (Hits{1, 2, 3}) {
		t.Errorf("counts %+v", s)
	}
	near(t, "TEDS", s.MeanTEDS(), (1-1.0/7)/2) // one cell of a tree of seven nodes; the second table is not found
	nearPRF(t, "none", ScoreTables(truth, nil).Relations.Score(), 0, 0)
}

func TestTEDS(t *testing.T) {
	a := rowsOf(1, []string{"ab", "cd"}, []string{"ef", "gh"}) // seven nodes
	for _, c := range []struct {
		name  string
		other Table
		want  float64
	}{
		{"itself", a, 1},
		{"half a cell", rowsOf(1, []string{"ab", "cx"}, []string{"ef", "gh"}), 1 - 0.5/7},
		{"a row less", rowsOf(1, []string{"ab", "cd"}), 1 - 3.0/7},
		{"a cell more", rowsOf(1, []string{"ab", "cd", "zz"}, []string{"ef", "gh"}), 1 - 1.0/8},
		{"a span", Table{Cells: []TableCell{{0, 0, 0, 1, "ab"}, {1, 1, 0, 0, "ef"}, {1, 1, 1, 1, "gh"}}}, 1 - 2.0/7},
		{"nothing", Table{}, 1 - 6.0/7},
	} {
		near(t, c.name, TEDS(a, c.other), c.want)
		near(t, c.name+" turned", TEDS(c.other, a), c.want)
	}
}

func TestSegments(t *testing.T) {
	s := Segments{With: []string{"the main  text", "missing"}, Without: []string{"Menu", "Imprint"}}
	n := s.Count("Menu\nthe main\n text.")
	if n != (SegmentCounts{1, 1, 1}) {
		t.Errorf("counts %+v", n)
	}
	nearPRF(t, "segments", n.Score(), 0.5, 0.5)
}

func TestVisibleText(t *testing.T) {
	got := strings.Fields(VisibleText(`<p>One&nbsp;&amp;<br>two<!-- no --><script>if (a < b) {}</script><style>p{}</style><template><i>x</i></template></template><b>three</b>`))
	if want := []string{"One", "&", "two", "three"}; !slices.Equal(got, want) {
		t.Errorf("VisibleText = %q, want %q", got, want)
	}
}

func TestTableOf(t *testing.T) {
	// Head    | (of two columns)
	// a       | (empty)
	table := &model.Table{
		Columns: []string{"Head", "Head"}, HeaderRows: 1, Rows: [][]model.Cell{{{Formatted: "a"}, {}}},
		Spans:      []model.TableSpan{{Row: 0, Col: 0, RowSpan: 1, ColSpan: 2, Content: "Head"}},
		CellRanges: []model.CellRange{{Row: 0, Col: 0, Start: 0, End: 4}, {Row: 1, Col: 0, Start: 6, End: 7}},
	}
	got := tableOf(3, table, "Head\t\na\t")
	want := []TableCell{{0, 0, 0, 1, "Head"}, {1, 1, 0, 0, "a"}, {1, 1, 1, 1, ""}}
	if got.Page != 3 || !slices.Equal(got.Cells, want) {
		t.Errorf("tableOf = %+v, want %+v", got, want)
	}
}

func TestReadIR(t *testing.T) {
	got, err := readIR([]byte(`{"page_id":"p1","page_no":1,"status":"processed"}
{"ir_id":"ir_1","type":"table","fields_raw":{"text":"x","table":{"columns":["x"],"rows":[],"header_rows":1,"cell_ranges":[{"row":0,"col":0,"start":0,"end":1}]}}}
{"page_id":"p2","page_no":2,"status":"failed"}
`))
	if err != nil || got.pages != 2 || got.failed != 1 || len(got.tables) != 1 || got.tables[0].Page != 1 || got.tables[0].Cells[0].Text != "x" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := readIR([]byte("{")); err == nil {
		t.Error("a cut line must be an error")
	}
}

// corpus writes files into a new folder.
func corpus(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, data := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestReadCorpus(t *testing.T) {
	files := map[string]string{
		"a.pdf": "", "a.gt.txt": "words", "a.tables.json": `{"tables":[{"page":1,"cells":[]}]}`,
		"page/source.html": "", "page/expected.html": "",
		"web/x.html": "", "web/y.html": "", "web/evaldata.json": `{"u":{"file":"x.html","with":["w"],"without":[]}}`,
		"none.pdf": "", "notes.txt": "",
	}
	check := func(want ...document) {
		t.Helper()
		got, err := readCorpus(corpus(t, files))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	check(
		document{path: "a.pdf", truth: []string{"a.gt.txt", "a.tables.json"}},
		document{path: "page/source.html", truth: []string{"page/expected.html"}},
		document{path: "web/x.html", truth: []string{"web/evaldata.json"}},
	)
	files["MANIFEST.tsv"] = "path\tkind\tground_truth\nweb/x.html\thtml\tweb/evaldata.json\na.pdf\tpdf (scanned)\ta.gt.txt;b.md\nnone.pdf\tpdf\t-\n"
	check(
		document{path: "a.pdf", scanned: true, truth: []string{"a.gt.txt", "b.md"}},
		document{path: "web/x.html", truth: []string{"web/evaldata.json"}},
	)
	if _, err := readCorpus(corpus(t, map[string]string{"MANIFEST.tsv": "path\tbytes\n"})); err == nil {
		t.Error("a manifest without its columns must be an error")
	}
}

func TestLanguages(t *testing.T) {
	french, italian := "Le conseil municipal se réunit au moins une fois par trimestre.", "Il consiglio comunale si riunisce almeno una volta ogni tre mesi."
	root := corpus(t, map[string]string{
		"lang/a.tsv":  "id\tlang\ttext\n1\tfr\t" + french + "\n2\tfr-CA\t" + italian + "\n3\tit\t12 345\n4\tit\t" + italian + "\n",
		"other/b.tsv": "x\ty\n1\t2\n",
	})
	report, err := Run(t.Context(), Options{Corpus: root, Colophon: "is not needed"})
	if err != nil || len(report.Groups) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	g := report.Groups[0]
	want := []Row{{Path: "fr", Values: []float64{1, 0.5, 2.0 / 3, 2, 0}}, {Path: "it", Values: []float64{0.5, 0.5, 0.5, 2, 1}}}
	if !reflect.DeepEqual(g.Files, want) || !slices.Equal(g.Total.Values[3:], []float64{4, 1}) {
		t.Errorf("%+v", g)
	}
	near(t, "accuracy", g.Total.Values[1], 0.5)
	if _, err := readParagraphs(filepath.Join(corpus(t, map[string]string{"c.tsv": "lang\ttext\nfr\n"}), "c.tsv")); err == nil {
		t.Error("a row without a text must be an error")
	}
}

// TestConverter runs a program that behaves as convert does: it writes a file
// for each document, and says of one that it failed.
func TestConverter(t *testing.T) {
	root := corpus(t, map[string]string{"a b.html": "A", "bad.pdf": "B", "c.PDF": "C", "convert": `#!/bin/sh
[ "$1 $2 $3 $4" = "convert --to text -o" ] || exit 1
mkdir "$5" && out="$5" && shift 5
for f in "$@"; do
	grep -q stop "$f" && echo "no servers" >&2 && exit 1
	grep -q B "$f" && echo "file:///${f##*/}: malformed: cut: here" >&2 || cp "$f" "$out/${f##*/}.txt"
done
exit 3
`, "stop.pdf": "stop"})
	c := converter{binary: filepath.Join(root, "convert"), root: root}
	if err := os.Chmod(c.binary, 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := c.run(t.Context(), []string{"a b.html", "bad.pdf", "c.PDF"}, "text")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.outputs) != 2 || string(got.outputs["a b.html"]) != "A" || string(got.outputs["c.PDF"]) != "C" {
		t.Errorf("outputs %q", got.outputs)
	}
	if len(got.reasons) != 1 || got.reasons["bad.pdf"] != "malformed: cut: here" {
		t.Errorf("reasons %q", got.reasons)
	}
	if _, err := c.run(t.Context(), []string{"stop.pdf"}, "text"); err == nil || !strings.Contains(err.Error(), "no servers") {
		t.Errorf("a convert that breaks off: %v", err)
	}
}

// TestSets gives each group made outputs and looks at rows and totals.
func TestSets(t *testing.T) {
	o := outputs{
		root: corpus(t, map[string]string{
			"a.gt.txt": "one two", "b.gt.txt": "three", "a.tables.json": `{"tables":[{"page":1,"cells":[{"r0":0,"r1":0,"c0":0,"c1":0,"text":"x"},{"r0":0,"r1":0,"c0":1,"c1":1,"text":"y"}]}]}`,
			"evaldata.json": `{"u":{"file":"c.html","with":["wanted"],"without":["menu"]}}`,
		}),
		texts:   map[string]string{"a.pdf": "one two", "c.html": "wanted menu"},
		ir:      map[string]content{"a.pdf": {pages: 2, failed: 1, tables: []Table{rowsOf(1, []string{"x", "y"})}}},
		reasons: map[string]string{"b.pdf": "malformed: cut"},
	}
	documents := []document{
		{path: "a.pdf", truth: []string{"a.gt.txt", "a.tables.json"}}, {path: "b.pdf", truth: []string{"b.gt.txt"}},
		{path: "c.html", truth: []string{"evaldata.json"}},
	}
	var report Report
	for _, s := range sets() {
		g, err := s.measure(o, documents)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Files) > 0 {
			report.Groups = append(report.Groups, g)
		}
	}
	if len(report.Groups) != 3 {
		t.Fatalf("groups %+v", report.Groups)
	}
	text, tables, segments := report.Groups[0], report.Groups[1], report.Groups[2]
	if text.Files[0].Note != "1 of 2 pages failed" || text.Files[1].Note != "failed: malformed: cut" {
		t.Errorf("notes %+v", text.Files)
	}
	if !slices.Equal(text.Total.Values, []float64{0.5, 0.5, 0.5, 0.5}) || text.Total.Path != "mean" {
		t.Errorf("mean %+v", text.Total)
	}
	if !slices.Equal(tables.Total.Values, []float64{1, 1, 1, 1, 1, 1, 1, 1}) {
		t.Errorf("tables %+v", tables.Total)
	}
	if !slices.Equal(segments.Files[0].Values[3:], []float64{1, 0, 1}) {
		t.Errorf("segments %+v", segments.Files)
	}
	var b strings.Builder
	if err := report.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"PDF text", "0.500", "failed: malformed: cut"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("the report has no %q:\n%s", line, b.String())
		}
	}
}
