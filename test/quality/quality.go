// Package quality measures extraction on a folder of documents with ground
// truth: it runs colophon's convert over its PDF, HTML and text files and
// compares the text, the order of the words, the tables and the main content
// with what people wrote down, and the languages found in paragraphs with what
// they are. docs/quality.md says what each measure is.
package quality

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options is what to measure.
type Options struct {
	Corpus   string // folder of documents with ground truth
	Colophon string // the binary
	Only     string // leave out files whose path in the corpus begins otherwise
	Python   string // interpreter that has the tools of peers.py; empty: those are left out
	Peers    bool   // also measure other tools
	Whole    bool   // also run the corpus through a whole system, twice
}

// Report is what was measured, in the order in which it is printed.
type Report struct {
	Groups []Group  `json:"groups"`
	Cost   Cost     `json:"cost"`
	Whole  *Whole   `json:"whole,omitempty"`
	Goals  []Goal   `json:"goals"`
	Notes  []string `json:"notes,omitempty"` // what could not be measured
}

// Group is the files that one set of measures fits.
type Group struct {
	Name     string    `json:"name"`
	Rows     string    `json:"rows,omitempty"` // what a row is of, when not of a file: "language"
	Measures []Measure `json:"measures"`
	Files    []Row     `json:"files"`
	Total    Row       `json:"total"`
}

// Measure names a column.
type Measure struct {
	Name  string `json:"name"`
	Count bool   `json:"count,omitempty"` // a number of things, not a score of 0..1
	Peer  string `json:"peer,omitempty"`  // another tool's; empty: ours
}

// Row has a value for each measure of its group.
type Row struct {
	Path   string    `json:"path"` // in the corpus; in a total how it was made: "mean" or "all"
	Values []float64 `json:"values"`
	Note   string    `json:"note,omitempty"` // what failed
}

// Cost is the CPU time of convert, user and system, of all of its processes.
// The start of the servers is subtracted from the others.
type Cost struct {
	StartMS       float64    `json:"start_ms"`
	PDFPages      int        `json:"pdf_pages"`
	PDFPageMS     float64    `json:"pdf_ms_per_page"`
	HTMLMegabytes float64    `json:"html_mb"` // of 1,000,000 bytes
	HTMLMegaMS    float64    `json:"html_ms_per_mb"`
	ExtractPageMS float64    `json:"extraction_ms_per_page"` // of PDF, without the rest of the chain
	ExtractMegaMS float64    `json:"extraction_ms_per_mb"`   // of HTML, likewise
	Peers         []PeerCost `json:"peers,omitempty"`
	ParagraphMS   float64    `json:"language_ms_per_paragraph"`
}

// outputs is what convert made of the documents of a corpus.
type outputs struct {
	root    string
	texts   map[string]string  // by path
	ir      map[string]content // by path
	reasons map[string]string  // why a document failed, by path
}

// Run measures. A document that fails counts as one without text and tables.
func Run(ctx context.Context, o Options) (Report, error) {
	root, err := filepath.Abs(o.Corpus)
	if err != nil {
		return Report{}, err
	}
	all, err := readCorpus(root)
	if err != nil {
		return Report{}, fmt.Errorf("corpus: %w", err)
	}
	var documents []document
	for _, d := range all {
		if strings.HasPrefix(d.path, o.Only) {
			documents = append(documents, d)
		}
	}
	if len(documents) == 0 {
		return Report{}, fmt.Errorf("no PDF, HTML or text file with ground truth in %s begins with %q", o.Corpus, o.Only)
	}
	languages, each, err := measureLanguages(root, documents)
	if err != nil {
		return Report{}, err
	}
	documents = slices.DeleteFunc(documents, document.isTable)
	var out outputs
	var report Report
	if len(documents) > 0 {
		if out, report.Cost, err = convertAll(ctx, converter{binary: o.Colophon, root: root}, documents); err != nil {
			return Report{}, err
		}
	}
	report.Cost.ParagraphMS = milliseconds(each)
	for _, s := range sets() {
		g, err := s.measure(out, documents)
		if err != nil {
			return Report{}, err
		}
		if len(g.Files) > 0 {
			report.Groups = append(report.Groups, g)
		}
	}
	if len(languages.Files) > 0 {
		report.Groups = append(report.Groups, languages)
	}
	return report, report.addRest(ctx, o, root, documents)
}

// addRest measures what stands beside the scores of our own text: other tools, and
// a whole system.
func (r *Report) addRest(ctx context.Context, o Options, root string, documents []document) error {
	if o.Peers {
		if err := r.addPeers(ctx, root, o.Python, documents); err != nil {
			return err
		}
		if err := r.Cost.addExtractor(ctx, root, documents); err != nil {
			return fmt.Errorf("extraction alone: %w", err)
		}
	}
	if o.Whole && len(documents) > 0 {
		var err error
		if r.Whole, err = runWhole(ctx, o.Colophon, root, documents); err != nil {
			return fmt.Errorf("a whole system: %w", err)
		}
	}
	r.Goals = r.goals()
	return nil
}

// convertAll converts PDFs to text and to IR, and HTML and text files to text.
func convertAll(ctx context.Context, c converter, documents []document) (outputs, Cost, error) {
	out := outputs{root: c.root, texts: map[string]string{}, ir: map[string]content{}, reasons: map[string]string{}}
	start, err := c.startUp(ctx)
	if err != nil {
		return out, Cost{}, err
	}
	cost := Cost{StartMS: milliseconds(start)}
	var pdfs, pages, scans, plain []string
	for _, d := range documents {
		switch {
		case d.isHTML():
			pages = append(pages, d.path)
		case d.isText():
			plain = append(plain, d.path)
		case d.scanned:
			scans = append(scans, d.path)
		default:
			pdfs = append(pdfs, d.path)
		}
	}
	ir, err := c.run(ctx, pdfs, "ir")
	if err != nil {
		return out, cost, err
	}
	for p, data := range ir.outputs {
		if out.ir[p], err = readIR(data); err != nil {
			return out, cost, fmt.Errorf("%s: %w", p, err)
		}
		cost.PDFPages += out.ir[p].pages
	}
	cost.PDFPageMS = milliseconds(ir.cpu-start) / float64(max(1, cost.PDFPages))
	out.add(conversion{reasons: ir.reasons})
	ofHTML, err := c.run(ctx, pages, "text")
	if err != nil {
		return out, cost, err
	}
	var size int64
	for p := range ofHTML.outputs {
		info, err := os.Stat(out.file(p))
		if err != nil {
			return out, cost, err
		}
		size += info.Size()
	}
	if size > 0 {
		cost.HTMLMegabytes = float64(size) / 1e6
		cost.HTMLMegaMS = milliseconds(ofHTML.cpu-start) / cost.HTMLMegabytes
	}
	out.add(ofHTML)
	rest, err := c.run(ctx, slices.Concat(pdfs, scans, plain), "text")
	out.add(rest)
	return out, cost, err
}

// milliseconds of a time that is a difference, and may be below nothing.
func milliseconds(d time.Duration) float64 { return float64(max(0, d).Microseconds()) / 1000 }

func (o outputs) add(c conversion) {
	for p, data := range c.outputs {
		o.texts[p] = string(data)
	}
	for p, reason := range c.reasons {
		o.reasons[p] = reason
	}
}

func (o outputs) file(p string) string { return filepath.Join(o.root, filepath.FromSlash(p)) }

// noteFailed begins the note of a document of which there is nothing.
const noteFailed = "failed: "

// note says what failed of a document.
func (o outputs) note(p string) string {
	if reason := o.reasons[p]; reason != "" {
		return noteFailed + reason
	}
	if c := o.ir[p]; c.failed > 0 {
		return fmt.Sprintf("%d of %d pages failed", c.failed, c.pages)
	}
	return ""
}

// set is a group before it is measured: which file of ground truth a document
// has for it ("" for none), and how the documents are compared.
type set struct {
	name     string
	measures []Measure
	truth    func(document) string
	compare  func(o outputs, pairs []pair) (files [][]float64, total []float64, err error)
	total    string
}

// pair is a document and its ground truth.
type pair struct{ path, truth string }

func (s set) measure(o outputs, documents []document) (Group, error) {
	g := Group{Name: s.name, Measures: s.measures}
	var pairs []pair
	for _, d := range documents {
		if t := s.truth(d); t != "" {
			pairs = append(pairs, pair{d.path, t})
		}
	}
	files, total, err := s.compare(o, pairs)
	if err != nil {
		return g, fmt.Errorf("%s: %w", s.name, err)
	}
	for i, p := range pairs {
		g.Files = append(g.Files, Row{Path: p.path, Values: files[i], Note: o.note(p.path)})
	}
	g.Total = Row{Path: s.total, Values: total}
	return g, nil
}

// sets are all groups, in the order of the report.
func sets() []set {
	text := []Measure{{Name: "precision"}, {Name: "recall"}, {Name: "F1"}, {Name: "order"}}
	orderOf := func(truth, out string) []float64 {
		return append(values(TokenScore(truth, out)), OrderScore(truth, out))
	}
	return []set{
		{"PDF text", text, func(d document) string { return when(d.isPDF() && !d.scanned, d.truthFile(".gt.txt")) }, texts(orderOf), "mean"},
		{"PDF text, made from another form", text, func(d document) string {
			plain := d.isPDF() && !d.scanned && d.truthFile(".gt.txt", ".tables.json") == ""
			return when(plain, d.truthFile(".txt", ".md", ".html"))
		}, texts(orderOf), "mean"},
		{"PDF scans", append(text[:4:4], Measure{Name: "errors"}), func(d document) string {
			return when(d.isPDF() && d.scanned, d.truthFile(".gt.txt"))
		}, texts(func(truth, out string) []float64 { return append(orderOf(truth, out), CharacterErrors(truth, out)) }), "mean"},
		{"PDF tables", []Measure{{Name: "precision"}, {Name: "recall"}, {Name: "F1"}, {Name: "grid F1"}, {Name: "TEDS"},
			{Name: "found", Count: true}, {Name: "truth", Count: true}, {Name: "output", Count: true}},
			func(d document) string { return when(d.isPDF() && !d.scanned, d.truthFile(".tables.json")) }, tables, "all"},
		{"HTML main content", []Measure{{Name: "precision"}, {Name: "recall"}, {Name: "F1"}, {Name: "4-gram F1"}}, func(d document) string {
			return when(d.isHTML(), d.truthFile("expected.html"))
		}, texts(func(truth, out string) []float64 {
			return append(values(TokenScore(truth, out)), ShingleScore(truth, out).F1)
		}), "mean"},
		{"HTML segments", []Measure{{Name: "precision"}, {Name: "recall"}, {Name: "F1"}, {Name: "found", Count: true},
			{Name: "missing", Count: true}, {Name: "unwanted", Count: true}}, func(d document) string {
			return when(d.isHTML(), d.truthFile("evaldata.json"))
		}, segments, "all"},
		{"Text files", text, func(d document) string { return when(d.isText(), d.truthFile(".gt.txt")) }, texts(orderOf), "mean"},
		{"HTML text", text, func(d document) string { return when(d.isHTML(), d.truthFile(".gt.txt")) }, texts(orderOf), "mean"},
	}
}

func when(is bool, file string) string {
	if is {
		return file
	}
	return ""
}

func values(p PRF) []float64 { return []float64{p.Precision, p.Recall, p.F1} }

// texts compares whole texts; the total is the mean of the files.
func texts(score func(truth, out string) []float64) func(outputs, []pair) ([][]float64, []float64, error) {
	return func(o outputs, pairs []pair) (files [][]float64, total []float64, err error) {
		for _, p := range pairs {
			truth, err := readText(o.file(p.truth))
			if err != nil {
				return nil, nil, err
			}
			v := score(truth, o.texts[p.path])
			files = append(files, v)
			if total == nil {
				total = make([]float64, len(v))
			}
			for i := range v {
				total[i] += v[i]
			}
		}
		for i := range total {
			total[i] /= float64(len(files))
		}
		return files, total, nil
	}
}

// tables compares tables; the total counts all relations and tables alike.
func tables(o outputs, pairs []pair) (files [][]float64, total []float64, err error) {
	row := func(s TableScore) []float64 {
		return append(values(s.Relations.Score()), s.Grid.Score().F1, s.MeanTEDS(),
			float64(s.Tables.Right), float64(s.Tables.Truth), float64(s.Tables.Out))
	}
	var all TableScore
	for _, p := range pairs {
		truth, err := readTables(o.file(p.truth))
		if err != nil {
			return nil, nil, err
		}
		s := ScoreTables(truth, o.ir[p.path].tables)
		all.add(s)
		files = append(files, row(s))
	}
	return files, row(all), nil
}

// segments looks for segments; the total counts all of them alike.
func segments(o outputs, pairs []pair) (files [][]float64, total []float64, err error) {
	row := func(n SegmentCounts) []float64 {
		return append(values(n.Score()), float64(n.Found), float64(n.Missing), float64(n.Unwanted))
	}
	var all SegmentCounts
	for _, p := range pairs {
		wanted, err := readSegments(o.file(p.truth), path.Base(p.path))
		if err != nil {
			return nil, nil, err
		}
		n := wanted.Count(o.texts[p.path])
		all = SegmentCounts{all.Found + n.Found, all.Missing + n.Missing, all.Unwanted + n.Unwanted}
		files = append(files, row(n))
	}
	return files, row(all), nil
}
