package quality

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

// exitFailed is what convert exits with when some document fails.
const exitFailed = 3

// stopWithin is how long an interrupted convert may take to stop its servers.
const stopWithin = 30 * time.Second

// converter runs colophon's convert.
type converter struct {
	binary string
	root   string // of the corpus
}

// conversion is what convert made of some documents.
type conversion struct {
	outputs map[string][]byte // by path; a document that failed has none
	reasons map[string]string // why a document failed, by path
	cpu     time.Duration     // user and system time of all processes
}

// run converts documents to a format ("text", "ir" or "chunks"). They are given to
// convert under numbers for names, so that outputs and messages can be told
// apart whatever the files are called.
func (c converter) run(ctx context.Context, paths []string, to string) (result conversion, err error) {
	if len(paths) == 0 {
		return conversion{}, nil
	}
	dir, err := os.MkdirTemp("", "colophon-quality-")
	if err != nil {
		return conversion{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	out := filepath.Join(dir, "out")
	args := []string{"convert", "--to", to, "-o", out}
	numbers := make([]string, len(paths))
	for i, p := range paths {
		numbers[i] = fmt.Sprintf("%04d%s", i, strings.ToLower(filepath.Ext(p)))
		link := filepath.Join(dir, numbers[i])
		if err := os.Symlink(filepath.Join(c.root, filepath.FromSlash(p)), link); err != nil {
			return conversion{}, err
		}
		args = append(args, link)
	}
	cmd := exec.CommandContext(ctx, c.binary, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it stops its servers
	cmd.WaitDelay = stopWithin
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != exitFailed) {
		return conversion{}, fmt.Errorf("%s convert --to %s: %w: %s", c.binary, to, err, bytes.TrimSpace(stderr.Bytes()))
	}
	result = conversion{
		outputs: make(map[string][]byte), reasons: make(map[string]string),
		cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
	}
	for line := range strings.Lines(stderr.String()) {
		name, reason, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "file:///"), ": ")
		for i, number := range numbers {
			if name == number {
				result.reasons[paths[i]] = reason
			}
		}
	}
	ending := map[string]string{"text": ".txt", "ir": ".ir.jsonl", "chunks": ".jsonl", "entities": ".entities.json"}[to]
	for i, p := range paths {
		data, err := os.ReadFile(filepath.Join(out, numbers[i]+ending))
		switch {
		case err == nil:
			result.outputs[p] = data
		case !errors.Is(err, fs.ErrNotExist):
			return conversion{}, err
		case result.reasons[p] == "":
			result.reasons[p] = "convert wrote nothing"
		}
	}
	return result, nil
}

// startUp is the CPU time that convert takes for a document of one word: that
// of its servers.
func (c converter) startUp(ctx context.Context) (cpu time.Duration, err error) {
	dir, err := os.MkdirTemp("", "colophon-quality-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, "word.txt"), []byte("word\n"), 0o600); err != nil {
		return 0, err
	}
	c.root = dir
	done, err := c.run(ctx, []string{"word.txt"}, "text")
	return done.cpu, err
}

// content is what is compared of a document's IR.
type content struct {
	pages, failed int
	tables        []Table
}

// readIR reads the lines of convert --to ir: each page, then its units.
func readIR(data []byte) (content, error) {
	var c content
	page := 0
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var line struct {
			IRID      string           `json:"ir_id"`
			PageNo    int              `json:"page_no"`
			Status    model.PageStatus `json:"status"`
			FieldsRaw model.Fields     `json:"fields_raw"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return content{}, fmt.Errorf("IR: %w", err)
		}
		if line.IRID == "" {
			page = line.PageNo
			c.pages++
			if line.Status == model.PageFailed {
				c.failed++
			}
			continue
		}
		if t := line.FieldsRaw.Table; t != nil {
			c.tables = append(c.tables, tableOf(page, t, line.FieldsRaw.Text))
		}
	}
	return c, lines.Err()
}

// tableOf returns every cell of a table's grid, empty ones too, with its text
// by the ranges of the unit's text.
func tableOf(page int, t *model.Table, text string) Table {
	out := Table{Page: page}
	texts := make(map[place]string, len(t.CellRanges))
	for _, r := range t.CellRanges {
		if 0 <= r.Start && r.Start <= r.End && r.End <= len(text) {
			texts[place{r.Row, r.Col}] = text[r.Start:r.End]
		}
	}
	covered := make(map[place]bool)
	for _, s := range t.Spans {
		for row := s.Row; row < s.Row+s.RowSpan; row++ {
			for col := s.Col; col < s.Col+s.ColSpan; col++ {
				covered[place{row, col}] = true
			}
		}
		out.Cells = append(out.Cells, TableCell{s.Row, s.Row + s.RowSpan - 1, s.Col, s.Col + s.ColSpan - 1, s.Content})
	}
	for row := range t.HeaderRows + len(t.Rows) {
		for col := range len(t.Columns) {
			if at := (place{row, col}); !covered[at] {
				out.Cells = append(out.Cells, TableCell{row, row, col, col, texts[at]})
			}
		}
	}
	return out
}
