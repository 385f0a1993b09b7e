package quality

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

//go:embed peers.py
var peersProgram []byte

// peer is another tool that is measured on the same files in the same run, with
// the same scores.
type peer struct {
	name     string   // as it is printed
	groups   []string // that it is measured in
	measures []string // of these groups
	run      func(ctx context.Context, files []string) ([]found, error)
}

// found is what a peer made of one file.
type found struct {
	Text   string  `json:"text"`
	HTML   string  `json:"html"` // main content
	Tables []Table `json:"tables"`
	Pages  int     `json:"pages"`
	CPU    float64 `json:"cpu"` // seconds
	Error  string  `json:"error"`
}

// PeerCost is the CPU time of a peer, without its start.
type PeerCost struct {
	Name       string  `json:"name"`
	PDFPages   int     `json:"pdf_pages,omitempty"`
	PDFPageMS  float64 `json:"pdf_ms_per_page,omitempty"`
	HTMLMegaMS float64 `json:"html_ms_per_mb,omitempty"`
}

// pdftotextLayout is the measure of cost that others are held against: words with
// their boxes, by poppler.
const pdftotextLayout = "pdftotext -bbox-layout"

// peers returns the tools that python can run, and those that are installed.
func peers(python string) []peer {
	inPython := func(tool string) func(context.Context, []string) ([]found, error) {
		return func(ctx context.Context, files []string) ([]found, error) { return runPython(ctx, python, tool, files) }
	}
	text, made := "PDF text", "PDF text, made from another form"
	textMeasures, tableMeasures := []string{"F1", "order"}, []string{"F1", "grid F1", "TEDS", "output"}
	var all []peer
	if python != "" {
		all = append(all,
			peer{"PyMuPDF", []string{text, made}, textMeasures, inPython("pymupdf")},
			peer{"camelot hybrid", []string{"PDF tables"}, tableMeasures, inPython("camelot-hybrid")},
			peer{"camelot lattice", []string{"PDF tables"}, tableMeasures, inPython("camelot-lattice")},
			peer{"camelot stream", []string{"PDF tables"}, tableMeasures, inPython("camelot-stream")},
			peer{"readability-lxml", []string{"HTML main content", "HTML segments"}, []string{"F1", "missing", "unwanted"}, inPython("readability")},
			peer{"trafilatura", []string{"HTML main content", "HTML segments"}, []string{"F1", "missing", "unwanted"}, inPython("trafilatura")},
		)
	}
	if _, err := exec.LookPath("pdftotext"); err == nil {
		all = append(all,
			peer{"pdftotext -raw", []string{text, made}, textMeasures, runPdftotext("-raw")},
			peer{pdftotextLayout, []string{text, made, "PDF tables"}, nil, runPdftotext("-bbox-layout")},
		)
	}
	return all
}

// runPython runs one tool of peers.py over files.
func runPython(ctx context.Context, python, tool string, files []string) ([]found, error) {
	dir, err := os.MkdirTemp("", "colophon-quality-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "peers.py")
	if err := os.WriteFile(program, peersProgram, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, python, append([]string{"-W", "ignore", program, tool}, files...)...)
	cmd.Env = append(cmd.Environ(), "OMP_NUM_THREADS=1", "PYTHONHASHSEED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", tool, err, lastLine(stderr.Bytes()))
	}
	results := make([]found, 0, len(files))
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		var f found
		if json.Unmarshal(lines.Bytes(), &f) == nil { // what a library prints is passed over
			results = append(results, f)
		}
	}
	if len(results) != len(files) {
		return nil, fmt.Errorf("%s: results of %d of %d files", tool, len(results), len(files))
	}
	return results, nil
}

func lastLine(b []byte) []byte {
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	return lines[len(lines)-1]
}

// runPdftotext runs poppler's pdftotext, one process a file. The boxes of
// -bbox-layout are thrown away: it is there for its cost.
func runPdftotext(option string) func(context.Context, []string) ([]found, error) {
	return func(ctx context.Context, files []string) ([]found, error) {
		results := make([]found, len(files))
		for i, file := range files {
			cmd := exec.CommandContext(ctx, "pdftotext", option, file, "-")
			out, err := cmd.Output()
			if cmd.ProcessState == nil {
				return nil, fmt.Errorf("pdftotext: %w", err)
			}
			f := found{CPU: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
			switch {
			case err != nil:
				f.Error = err.Error()
			case option == "-raw":
				f.Text, f.Pages = string(out), bytes.Count(out, []byte("\f"))
			default:
				f.Pages = bytes.Count(out, []byte("<page "))
			}
			results[i] = f
		}
		return results, nil
	}
}

// addPeers measures the peers on the files of the report's groups, and puts
// their columns beside ours. A tool that cannot be run is a note and no error.
func (r *Report) addPeers(ctx context.Context, root, python string, documents []document) error {
	for _, p := range peers(python) {
		var wanted []document
		for _, d := range documents {
			if slices.ContainsFunc(sets(), func(s set) bool { return slices.Contains(p.groups, s.name) && s.truth(d) != "" }) {
				wanted = append(wanted, d)
			}
		}
		if len(wanted) == 0 {
			continue
		}
		out := outputs{root: root, texts: map[string]string{}, ir: map[string]content{}, reasons: map[string]string{}}
		files := make([]string, len(wanted))
		for i, d := range wanted {
			files[i] = out.file(d.path)
		}
		results, err := p.run(ctx, files)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.Notes = append(r.Notes, err.Error())
			continue
		}
		if err := r.Cost.addPeer(p, wanted, files, results); err != nil {
			return err
		}
		for i, d := range wanted {
			f := results[i]
			out.texts[d.path], out.ir[d.path] = f.Text+VisibleText(f.HTML), content{tables: f.Tables}
		}
		if err := r.addColumns(p, out, wanted); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cost) addPeer(p peer, documents []document, files []string, results []found) error {
	cost := PeerCost{Name: p.name}
	var pdf, html float64
	var size int64
	for i, d := range documents {
		if d.isPDF() {
			pdf += results[i].CPU
			cost.PDFPages += results[i].Pages
			continue
		}
		html += results[i].CPU
		info, err := os.Stat(files[i])
		if err != nil {
			return err
		}
		size += info.Size()
	}
	if cost.PDFPages > 0 {
		cost.PDFPageMS = milliseconds(time.Duration(pdf*1e9)) / float64(cost.PDFPages)
	}
	if size > 0 {
		cost.HTMLMegaMS = milliseconds(time.Duration(html*1e9)) / (float64(size) / 1e6)
	}
	c.Peers = append(c.Peers, cost)
	return nil
}

// addColumns measures a peer's output as ours is measured.
func (r *Report) addColumns(p peer, out outputs, documents []document) error {
	for _, s := range sets() {
		at := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Name == s.name })
		if at < 0 || !slices.Contains(p.groups, s.name) {
			continue
		}
		theirs, err := s.measure(out, documents)
		if err != nil {
			return err
		}
		g := &r.Groups[at]
		for i, m := range s.measures {
			if !slices.Contains(p.measures, m.Name) {
				continue
			}
			m.Peer = p.name
			g.Measures = append(g.Measures, m)
			g.Total.Values = append(g.Total.Values, theirs.Total.Values[i])
			for k := range g.Files {
				g.Files[k].Values = append(g.Files[k].Values, theirs.Files[k].Values[i])
			}
		}
	}
	return nil
}
