package quality

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	kinds "github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/extract/ocrblocks"
	"github.com/colophon-dev/colophon/pkg/extract/pdf"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/child"
	"github.com/colophon-dev/colophon/pkg/ocr/tesseract"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// ScanReport is what was measured on scans and pictures.
type ScanReport struct {
	Files   []ScanRow `json:"files"`
	Command bool      `json:"command"` // whether the tesseract command was there to be measured
}

// ScanRow is one file. Errors are per character of the truth (CharacterErrors),
// CPU times in seconds a page.
type ScanRow struct {
	Path          string  `json:"path"`
	Pages         int     `json:"pages"`       // read by OCR
	Errors        float64 `json:"errors"`      // of the words in the engine's order, as the command's
	UnitErrors    float64 `json:"unit_errors"` // of the units' texts
	CommandErrors float64 `json:"command_errors"`
	CPU           float64 `json:"cpu"`
	CommandCPU    float64 `json:"command_cpu"`
	WordF1        float64 `json:"word_f1"` // of the units' words, in any order (TokenScore)
	CommandWordF1 float64 `json:"command_word_f1"`
	Words         int     `json:"words"` // of the truth that have boxes
	Found         int     `json:"found"` // of these, overlapped by a word's box by half (IoU)

	Tables *TableScore `json:"tables,omitempty"` // where there are tables as ground truth
}

// RunScans reads the scans and pictures of a corpus that have a text as ground
// truth, in this process, so that its CPU time can be told, and beside it by the
// tesseract command with the same languages (--psm 1; pages of PDF files drawn
// by pdftoppm at 200 dpi). OMP_THREAD_LIMIT must be 1.
func RunScans(ctx context.Context, corpus, only string) (ScanReport, error) {
	if !tesseract.Built {
		return ScanReport{}, errors.New("this program was built without OCR")
	}
	root, err := filepath.Abs(corpus)
	if err != nil {
		return ScanReport{}, err
	}
	documents, err := readManifest(filepath.Join(root, "MANIFEST.tsv"))
	if err != nil {
		return ScanReport{}, fmt.Errorf("corpus: %w", err)
	}
	dir, err := os.MkdirTemp("", "colophon-quality-")
	if err != nil {
		return ScanReport{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := newScanner(ctx, root, dir)
	if err != nil {
		return ScanReport{}, err
	}
	_, noCommand := exec.LookPath("tesseract")
	report := ScanReport{Command: noCommand == nil}
	for _, d := range documents {
		if !strings.HasPrefix(d.path, only) || !d.isPicture() && !(d.isPDF() && d.scanned) || d.truthFile(".gt.txt", ".gold.txt", ".txt") == "" {
			continue
		}
		row, err := s.measure(ctx, d, report.Command)
		if err != nil {
			return report, fmt.Errorf("%s: %w", d.path, err)
		}
		report.Files = append(report.Files, row)
	}
	if len(report.Files) == 0 {
		return report, fmt.Errorf("no scan or picture with a text as ground truth in %s begins with %q", corpus, only)
	}
	return report, nil
}

func (d document) isPicture() bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".gif", ".bmp", ".jp2", ".j2k"}, strings.ToLower(path.Ext(d.path)))
}

// scanner is the work of an OCR child in this process.
type scanner struct {
	root, dir string
	handle    func(ctx context.Context, request []byte) ([]byte, error)
	pdf       *pdf.Extractor
}

func newScanner(ctx context.Context, root, dir string) (*scanner, error) {
	setup, err := json.Marshal(map[string]any{"cache_dir": filepath.Join(dir, "engine"), "document_memory": 512 << 20})
	if err != nil {
		return nil, err
	}
	s := &scanner{root: root, dir: dir}
	if s.handle, err = child.Role(kinds.Builtin().Openers())(setup); err != nil {
		return nil, err
	}
	engine, err := pdfium.Open(ctx, pdfium.Config{CacheDir: filepath.Join(dir, "engine")})
	if err != nil {
		return nil, err
	}
	s.pdf = pdf.New(engine)
	return s, nil
}

func (s *scanner) measure(ctx context.Context, d document, command bool) (ScanRow, error) {
	row := ScanRow{Path: d.path}
	truth, err := readText(filepath.Join(s.root, filepath.FromSlash(d.truthFile(".gt.txt", ".gold.txt", ".txt"))))
	if err != nil {
		return row, err
	}
	file := filepath.Join(s.root, filepath.FromSlash(d.path))
	began, err := cpuTime()
	if err != nil {
		return row, err
	}
	got, err := s.read(ctx, d, file)
	if err != nil {
		return row, err
	}
	ended, err := cpuTime()
	if err != nil {
		return row, err
	}
	row.Pages = len(got.results)
	row.CPU = (ended - began).Seconds() / float64(max(1, row.Pages))
	row.Errors, row.UnitErrors = CharacterErrors(truth, got.words.String()), CharacterErrors(truth, got.blocks.String())
	row.WordF1 = TokenScore(truth, got.blocks.String()).F1
	if boxes := d.truthFile(".words.json"); boxes != "" && len(got.results) == 1 {
		if row.Words, row.Found, err = overlaps(filepath.Join(s.root, filepath.FromSlash(boxes)), got.results[0]); err != nil {
			return row, err
		}
	}
	if file := d.truthFile(".tables.json"); file != "" {
		wanted, err := readTables(filepath.Join(s.root, filepath.FromSlash(file)))
		if err != nil {
			return row, err
		}
		score := ScoreTables(wanted, got.tables)
		row.Tables = &score
	}
	if command {
		text, cpu, pages, err := s.command(ctx, d, file)
		if err != nil {
			return row, err
		}
		row.CommandErrors, row.CommandCPU = CharacterErrors(truth, text), cpu.Seconds()/float64(max(1, pages))
		row.CommandWordF1 = TokenScore(truth, text).F1
	}
	return row, nil
}

// scanned is what came of a file: the results of the pages that were read by OCR,
// the text of all pages by the engine's words and by the units, and the tables.
type scanned struct {
	results       []ocr.Result
	words, blocks strings.Builder
	tables        []Table
}

func (s *scanner) read(ctx context.Context, d document, file string) (*scanned, error) {
	pages, kind := 1, model.KindImageScan
	in, got := block.Input{}, &scanned{}
	var err error
	if d.isPDF() {
		kind = model.KindPDF
		if in.Raw, err = os.ReadFile(file); err != nil {
			return nil, err
		}
		in.Snapshot = model.Snapshot{ContentHash: digest.Content(in.Raw)}
		if pages, err = s.pdf.Pages(ctx, in); err != nil {
			return nil, err
		}
	}
	for no := 1; no <= pages; no++ {
		if d.isPDF() {
			need, err := s.pdf.NeedOCR(ctx, in, no)
			if err != nil {
				return nil, err
			}
			if !need.Page { // its own text, as it is
				page, err := s.pdf.Page(ctx, in, no)
				if err != nil {
					return nil, err
				}
				writeBlocks(&got.words, page.Blocks)
				got.add(no, page.Blocks)
				continue
			}
		}
		r, err := s.page(ctx, file, kind, ocr.Request{Page: no, Languages: d.languages})
		if err != nil {
			return nil, err
		}
		got.results = append(got.results, r)
		for _, w := range r.Words {
			got.words.WriteString(w.Text + " ")
		}
		got.add(no, ocrblocks.Blocks(r, 0))
	}
	return got, nil
}

func (g *scanned) add(page int, blocks []block.Block) {
	writeBlocks(&g.blocks, blocks)
	for i := range blocks {
		if t := blocks[i].Table; t != nil {
			g.tables = append(g.tables, tableOf(page, t, blocks[i].Text))
		}
	}
}

func writeBlocks(b *strings.Builder, blocks []block.Block) {
	for i := range blocks {
		b.WriteString(blocks[i].Text + "\n")
	}
}

func (s *scanner) page(ctx context.Context, file string, kind model.SnapshotKind, r ocr.Request) (ocr.Result, error) {
	raw, err := json.Marshal(map[string]any{"op": "read", "path": file, "kind": kind, "request": r})
	if err != nil {
		return ocr.Result{}, err
	}
	out, err := s.handle(ctx, raw)
	if err != nil {
		return ocr.Result{}, err
	}
	var answer struct {
		Result  json.RawMessage `json:"result"`
		Message string          `json:"message"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return ocr.Result{}, err
	}
	if answer.Message != "" {
		return ocr.Result{}, errors.New(answer.Message)
	}
	return ocr.Decode(answer.Result)
}

// command reads a file with the tesseract command.
func (s *scanner) command(ctx context.Context, d document, file string) (text string, cpu time.Duration, pages int, err error) {
	run := func(name string, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		out, err := cmd.Output()
		if cmd.ProcessState != nil {
			cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return string(out), err
	}
	pictures := []string{file}
	if d.isPDF() {
		prefix := filepath.Join(s.dir, digest.Hex([]byte(file))[:16])
		if _, err := run("pdftoppm", "-r", "200", "-gray", "-png", file, prefix); err != nil {
			return "", 0, 0, err
		}
		if pictures, err = filepath.Glob(prefix + "*.png"); err != nil {
			return "", 0, 0, err
		}
		slices.Sort(pictures)
	}
	for _, p := range pictures {
		out, err := run("tesseract", p, "-", "-l", commandLanguages(d.languages), "--psm", "1")
		if err != nil {
			return "", 0, 0, err
		}
		text += out + "\n"
	}
	return text, cpu, len(pictures), nil
}

// commandLanguages are the names of trained data for codes of ISO 639-1.
func commandLanguages(codes []string) string {
	if len(codes) > 3 {
		return "eng+deu+fra+ita+por"
	}
	names := map[string]string{"en": "eng", "fr": "fra", "pt": "por", "co": "cos+fra", "de": "deu", "it": "ita", "es": "spa", "ro": "ron"}
	var out []string
	for _, code := range codes {
		if name := names[code]; name != "" {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return "eng"
	}
	return strings.Join(out, "+")
}

// overlaps counts the words of a file of true boxes, in pixels, and those that a
// word of the result overlaps by half.
func overlaps(file string, r ocr.Result) (words, found int, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, err
	}
	var truth struct {
		Width, Height float64
		Words         []struct {
			Box [4]float64 `json:"bbox"` // left, top, right, bottom
		}
	}
	if err := json.Unmarshal(data, &truth); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", file, err)
	}
	for _, w := range truth.Words {
		a := w.Box
		if slices.ContainsFunc(r.Words, func(o ocr.Word) bool {
			b := [4]float64{o.Box.X * truth.Width, o.Box.Y * truth.Height, (o.Box.X + o.Box.W) * truth.Width, (o.Box.Y + o.Box.H) * truth.Height}
			wide, high := math.Min(a[2], b[2])-math.Max(a[0], b[0]), math.Min(a[3], b[3])-math.Max(a[1], b[1])
			both := wide * high
			return wide > 0 && high > 0 && 2*both >= (a[2]-a[0])*(a[3]-a[1])+(b[2]-b[0])*(b[3]-b[1])-both
		}) {
			found++
		}
	}
	return len(truth.Words), found, nil
}

// Totals returns the means over the files, of CPU time over the pages, and the
// share of the words whose boxes are right.
func (r ScanReport) Totals() (total ScanRow, boxes float64) {
	total.Path = "mean"
	n := float64(len(r.Files))
	for _, f := range r.Files {
		total.Pages += f.Pages
		total.Errors += f.Errors / n
		total.UnitErrors += f.UnitErrors / n
		total.CommandErrors += f.CommandErrors / n
		total.WordF1 += f.WordF1 / n
		total.CommandWordF1 += f.CommandWordF1 / n
		total.CPU += f.CPU * float64(f.Pages)
		total.CommandCPU += f.CommandCPU * float64(f.Pages)
		total.Words += f.Words
		total.Found += f.Found
	}
	total.CPU /= float64(max(1, total.Pages))
	total.CommandCPU /= float64(max(1, total.Pages))
	return total, float64(total.Found) / float64(max(1, total.Words))
}

// Write prints the report for a person.
func (r ScanReport) Write(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "SCANS\tpages\terrors\tin units\tcommand\twords in units, F1\tcommand\tCPU s a page\tcommand\tboxes\ttables: adjacency, TEDS")
	total, boxes := r.Totals()
	var worse, inUnits, inWords string
	for _, f := range append(slices.Clone(r.Files), total) {
		fmt.Fprintf(tab, "%s\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.2f\t%.2f\t", f.Path, f.Pages, f.Errors, f.UnitErrors, f.CommandErrors,
			f.WordF1, f.CommandWordF1, f.CPU, f.CommandCPU)
		if f.Words > 0 {
			fmt.Fprintf(tab, "%d of %d", f.Found, f.Words)
		}
		if f.Tables != nil {
			fmt.Fprintf(tab, "\t%.3f, %.3f", f.Tables.Relations.Score().F1, f.Tables.MeanTEDS())
		}
		fmt.Fprintln(tab)
		if !r.Command {
			continue
		}
		if f.Errors > f.CommandErrors+0.005 {
			worse += " " + f.Path
		}
		if f.UnitErrors > f.CommandErrors+0.005 {
			inUnits += " " + f.Path
		}
		if f.WordF1 < f.CommandWordF1-0.005 {
			inWords += " " + f.Path
		}
	}
	met := func(ok bool) string {
		if ok {
			return "reached"
		}
		return "not reached"
	}
	fmt.Fprintf(tab, "\nGOALS\tgoal\ttoday\t\nmean errors\t≤ 0.025\t%.4f\t%s\n", total.Errors, met(total.Errors <= 0.025))
	fmt.Fprintf(tab, "CPU time a page\t≤ 1.5 s\t%.2f s\t%s\n", total.CPU, met(total.CPU <= 1.5))
	fmt.Fprintf(tab, "boxes\t≥ 98 %%\t%.1f %%\t%s\n", 100*boxes, met(boxes >= 0.98))
	if r.Command {
		for _, which := range [][2]string{{"", worse}, {" in units", inUnits}, {" in words", inWords}} {
			fmt.Fprintf(tab, "files worse than the command by 0.005%s\tnone\t%s\t%s\n", which[0], strings.TrimSpace(which[1]), met(which[1] == ""))
		}
	}
	return tab.Flush()
}
