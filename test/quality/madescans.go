package quality

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	kinds "github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/extract/ocrblocks"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/reading"
	"github.com/colophon-dev/colophon/pkg/ocr/tesseract"
	"github.com/colophon-dev/colophon/pkg/pdfium"
	"github.com/colophon-dev/colophon/test/quality/scanset"
)

// MadeScanOptions say what RunMadeScans does.
type MadeScanOptions struct {
	Seed  uint64
	Each  int    // pages of each class
	Fonts string // scanset.LookedAt, scanset.Unseen or "" for both
	Only  string // one class; "" for all
	Keep  string // folder to leave pictures, texts and what the command reads in; "" for none

	Workers int // threads that read, each one page at a time
}

// MadeScanReport is how well made scans are read.
type MadeScanReport struct {
	Seed    uint64         `json:"seed"`
	Classes []MadeScanSums `json:"classes"` // the last is of all pages
	Pages   []MadeScanRow  `json:"pages"`
}

// MadeScanRow is one page, read here and by the tesseract command. Errors are per character
// (CharacterErrors), CPU times in seconds.
type MadeScanRow struct {
	Name          string  `json:"name"` // class and number
	Class         string  `json:"class"`
	Drawn         string  `json:"drawn"`
	Errors        float64 `json:"errors"`      // of the words in the engine's order, as the command's
	UnitErrors    float64 `json:"unit_errors"` // of the units' texts
	CommandErrors float64 `json:"command_errors"`
	WordF1        float64 `json:"word_f1"` // of the units' words (TokenScore)
	CommandWordF1 float64 `json:"command_word_f1"`
	Confidence    float64 `json:"confidence"`
	CPU           float64 `json:"cpu"`
	CommandCPU    float64 `json:"command_cpu"`
	Again         int     `json:"again"`     // readings of the whole page beyond the first
	AgainCPU      float64 `json:"again_cpu"` // of these
}

// RunMadeScans makes the pages of a seed, and reads them in this process, as an OCR child
// does, and by the tesseract command (--psm 1), both with the language of the page, each
// page on a thread that does nothing else meanwhile, so that its CPU time can be told.
// OMP_THREAD_LIMIT must be 1.
func RunMadeScans(ctx context.Context, o MadeScanOptions) (MadeScanReport, error) {
	report := MadeScanReport{Seed: o.Seed}
	if !tesseract.Built {
		return report, errors.New("this program was built without OCR")
	}
	fonts, err := scanset.OpenFonts(o.Fonts)
	if err != nil {
		return report, err
	}
	dir := o.Keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "colophon-scanset-"); err != nil {
			return report, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return report, err
	}
	classes := scanset.Classes()
	if o.Only != "" {
		classes = []string{o.Only}
	}
	report.Pages = make([]MadeScanRow, len(classes)*o.Each)
	work := make(chan int)
	failed := make([]error, max(1, o.Workers))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var workers sync.WaitGroup
	for k := range failed {
		workers.Go(func() {
			runtime.LockOSThread()
			if failed[k] = readMade(ctx, o, dir, fonts, classes, work, report.Pages); failed[k] != nil {
				stop()
			}
		})
	}
	for i := 0; i < len(report.Pages) && ctx.Err() == nil; i++ {
		select {
		case work <- i:
		case <-ctx.Done():
		}
	}
	close(work)
	workers.Wait()
	if err := errors.Join(failed...); err != nil {
		return report, err
	}
	report.Classes = sumMadeScans(report.Pages)
	return report, ctx.Err()
}

// readMade makes and reads the pages that come, with an engine of its own.
func readMade(ctx context.Context, o MadeScanOptions, dir string, fonts *scanset.Fonts, classes []string, work <-chan int, rows []MadeScanRow) error {
	engine, err := tesseract.Open("")
	if err != nil {
		return err
	}
	defer engine.Close()
	m := madeReader{engine: engine, open: kinds.Builtin().Openers()[model.KindImageScan], dir: dir}
	for i := range work {
		class, number := classes[i/o.Each], i%o.Each
		page, err := scanset.Make(o.Seed, class, number, fonts)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s-%02d", class, number)
		if rows[i], err = m.measure(ctx, name, page); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// madeReader reads made pages on one thread.
type madeReader struct {
	engine ocr.Reader
	open   reading.Opener
	pdf    pdfium.Starter
	dir    string
}

func (m *madeReader) measure(ctx context.Context, name string, page scanset.Page) (MadeScanRow, error) {
	row := MadeScanRow{Name: name, Class: page.Class, Drawn: page.Language + " " + page.Drawn}
	file := filepath.Join(m.dir, name)
	if err := os.WriteFile(file+".png", page.PNG, 0o600); err != nil {
		return row, err
	}
	if err := os.WriteFile(file+".txt", []byte(page.Text), 0o600); err != nil {
		return row, err
	}
	counted := &countedReader{Reader: m.engine}
	began := threadTime()
	request := ocr.Request{Page: 1, Languages: []string{page.Language}}
	open, err := m.open(ctx, &m.pdf, page.PNG, request)
	if err != nil {
		return row, err
	}
	defer open.Close()
	got, err := reading.Read(counted, open, request)
	if err != nil {
		return row, err
	}
	row.CPU = (threadTime() - began).Seconds()
	row.Confidence = got.Confidence
	row.Again, row.AgainCPU = counted.again()
	words := make([]string, len(got.Words))
	for i, w := range got.Words {
		words[i] = w.Text
	}
	var units strings.Builder
	writeBlocks(&units, ocrblocks.Blocks(got, 0))
	row.Errors, row.UnitErrors = CharacterErrors(page.Text, strings.Join(words, " ")), CharacterErrors(page.Text, units.String())
	row.WordF1 = TokenScore(page.Text, units.String()).F1
	out, err := m.command(ctx, file, page)
	if err != nil {
		return row, err
	}
	row.CommandCPU = out.CPU
	row.CommandErrors, row.CommandWordF1 = CharacterErrors(page.Text, out.Text), TokenScore(page.Text, out.Text).F1
	return row, nil
}

// commandReading is what the tesseract command made of a picture.
type commandReading struct {
	Picture string  `json:"picture"` // the digest of its file
	Text    string  `json:"text"`
	CPU     float64 `json:"cpu"`
}

// command reads the picture of a page with the tesseract command, unless an earlier run left
// what it made of the same one.
func (m *madeReader) command(ctx context.Context, file string, page scanset.Page) (commandReading, error) {
	out := commandReading{Picture: digest.Hex(page.PNG)}
	var kept commandReading
	if data, err := os.ReadFile(file + ".command.json"); err == nil && json.Unmarshal(data, &kept) == nil && kept.Picture == out.Picture {
		return kept, nil
	}
	cmd := exec.CommandContext(ctx, "tesseract", file+".png", "-", "-l", commandLanguages([]string{page.Language}), "--psm", "1")
	text, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("the tesseract command: %w", err)
	}
	out.Text, out.CPU = string(text), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	data, err := json.Marshal(out)
	if err != nil {
		return out, err
	}
	return out, os.WriteFile(file+".command.json", data, 0o600)
}

// countedReader counts what whole pages cost, and what parts of them do not.
type countedReader struct {
	ocr.Reader
	pixels []int
	cpu    []time.Duration
}

// Read implements ocr.Reader.
func (c *countedReader) Read(g *image.Gray, dpi int, languages []string) ([]ocr.Found, error) {
	began := threadTime()
	out, err := c.Reader.Read(g, dpi, languages)
	c.pixels = append(c.pixels, int(float64(g.Rect.Dx()*g.Rect.Dy())*1e4/float64(dpi*dpi)))
	c.cpu = append(c.cpu, threadTime()-began)
	return out, err
}

// wholePage is the share of the largest picture that a whole page has at least: what tells
// direction and language is a sixth of it.
const wholePage = 0.7

// again counts the readings of the whole page beyond the first, by their size on paper.
func (c *countedReader) again() (n int, cpu float64) {
	most := 0
	for _, p := range c.pixels {
		most = max(most, p)
	}
	n = -1
	for i, p := range c.pixels {
		if float64(p) < wholePage*float64(most) {
			continue
		}
		if n++; n > 0 {
			cpu += c.cpu[i].Seconds()
		}
	}
	return max(n, 0), cpu
}

// rusageThread asks for the resources of the calling thread alone (RUSAGE_THREAD of Linux).
const rusageThread = 1

// threadTime is the CPU time of the calling thread so far; 0 where the system does not say.
func threadTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(rusageThread, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
