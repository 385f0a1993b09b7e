package quality

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Whole is what a whole system made of all files, twice: with one worker and
// with eight.
type Whole struct {
	Files     int        `json:"files"`
	Runs      []WholeRun `json:"runs"`
	Identical bool       `json:"identical"` // all runs have the same IR, byte for byte
	// PDF and HTML say how much of the visible text is in units.
	PDF  Covered `json:"pdf"`
	HTML Covered `json:"html"`
}

// WholeRun is one run of a system over all files.
type WholeRun struct {
	Workers  int     `json:"workers"`
	IR       string  `json:"ir_sha256"`
	Units    int     `json:"units"`
	Terminal int     `json:"terminal"` // documents
	Chunks   int     `json:"chunks"`
	Verified int     `json:"verified"` // of the chunks
	Broken   int     `json:"broken"`   // chunks, and what is no chunk
	Resident int64   `json:"peak_resident_bytes"`
	Seconds  float64 `json:"seconds"`
}

// Covered counts characters but white space.
type Covered struct {
	Pages   int            `json:"pages"`
	Failed  int            `json:"failed"` // pages, which count below as nothing
	Found   int            `json:"found"`
	Placed  int            `json:"placed"`
	Skipped map[string]int `json:"skipped,omitempty"` // by reason
	// Mean is the mean coverage of the pages, where characters are not counted.
	Mean float64 `json:"mean_coverage"`
}

// Share is the part of the characters that is in units; without a ledger the
// mean of the pages.
func (c Covered) Share() float64 {
	if c.Found == 0 {
		return c.Mean
	}
	return float64(c.Placed) / float64(c.Found)
}

const wholeLimit = 30 * time.Minute

// runWhole runs all documents through two systems.
func runWhole(ctx context.Context, binary, root string, documents []document) (w *Whole, err error) {
	folder, err := os.MkdirTemp("", "colophon-quality-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	w = &Whole{Identical: true}
	for i, d := range documents {
		if d.scanned {
			continue
		}
		if err := copyFile(filepath.Join(root, filepath.FromSlash(d.path)), filepath.Join(folder, fmt.Sprintf("%04d%s", i, filepath.Ext(d.path)))); err != nil {
			return nil, err
		}
		w.Files++
	}
	for _, workers := range []int{1, 8} {
		run, err := w.run(ctx, binary, folder, workers)
		if err != nil {
			return nil, fmt.Errorf("%d workers: %w", workers, err)
		}
		w.Runs = append(w.Runs, run)
		w.Identical = w.Identical && run.IR == w.Runs[0].IR
	}
	return w, nil
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

func (w *Whole) run(ctx context.Context, binary, folder string, workers int) (r WholeRun, err error) {
	dir, err := os.MkdirTemp("", "colophon-quality-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o711); err != nil { // the database is another user's
		return r, err
	}
	s, err := startSystem(ctx, binary, dir, workers)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	r.Workers = workers
	began := time.Now()
	results, err := s.capture(ctx, folder, wholeLimit)
	if err != nil {
		return r, err
	}
	r.Seconds, r.Resident = time.Since(began).Seconds(), s.peakResident()
	for _, d := range results {
		if model.RunState(d.State).Terminal() || d.State == "" && d.Outcome != "" {
			r.Terminal++
		}
	}
	ir := filepath.Join(dir, "ir.jsonl")
	if _, err := s.say(ctx, "export", "ir", "-o", ir); err != nil {
		return r, err
	}
	w.PDF, w.HTML = Covered{}, Covered{}
	if r.IR, r.Units, err = w.readAll(ir); err != nil {
		return r, err
	}
	out, err := s.say(ctx, "--json", "verify", "--all", "--age", "0s", "--workers", fmt.Sprint(runtime.NumCPU()))
	if err != nil {
		return r, err
	}
	return r, r.readVerdict(out)
}

// readVerdict takes the last line that verify prints: the tally of all.
func (r *WholeRun) readVerdict(out []byte) error {
	var tally struct{ Chunks, Verified, Broken, Breaks int }
	if err := json.Unmarshal(lastLine(out), &tally); err != nil {
		return fmt.Errorf("colophon verify: %w", err)
	}
	r.Chunks, r.Verified, r.Broken = tally.Chunks, tally.Verified, tally.Broken+tally.Breaks
	return nil
}

// readAll hashes all pages and units, and counts the characters of the pages.
func (w *Whole) readAll(file string) (sum string, units int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }()
	hash := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(f, hash))
	lines.Buffer(nil, math.MaxInt32)
	for lines.Scan() {
		var page struct {
			model.Page
			IRID     string           `json:"ir_id"`
			Evidence []model.Evidence `json:"evidence"`
		}
		if err := json.Unmarshal(lines.Bytes(), &page); err != nil {
			return "", 0, fmt.Errorf("IR: %w", err)
		}
		switch {
		case page.IRID != "":
			units++
		case page.Width > 0: // web pages have none
			w.PDF.add(page.Page)
		default:
			w.HTML.add(page.Page)
		}
	}
	w.PDF.Mean /= float64(max(1, w.PDF.Pages))
	w.HTML.Mean /= float64(max(1, w.HTML.Pages))
	return hex.EncodeToString(hash.Sum(nil)), units, lines.Err()
}

func (c *Covered) add(p model.Page) {
	c.Pages++
	if p.Status == model.PageFailed {
		c.Failed++
		return
	}
	c.Mean += p.Coverage
	if p.Ledger == nil || p.Width == 0 { // that of a web page counts its scripts, too
		return
	}
	a := p.Ledger.Characters
	c.Found += a.Found
	c.Placed += a.Placed
	for _, s := range a.Skipped {
		if c.Skipped == nil {
			c.Skipped = make(map[string]int)
		}
		c.Skipped[s.Reason] += s.Count
	}
}
