package quality

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// headset is the program that makes the set of PDF files with known heads.
//
//go:embed headset/*.py
var headset embed.FS

// The two halves of the set, as their labels say.
const (
	halfLookedAt = "looked-at"
	halfUnseen   = "unseen"
)

// HeadOptions is what to measure running heads and feet with.
type HeadOptions struct {
	Colophon string // the binary
	Python   string // interpreter that has the producers (.ci/headset)
	Seed     string // the set is made from it: the same seed, the same documents
	Keep     string // folder to keep the set in; empty: a temporary one
}

// headLabel is what is known of a document because it was made so.
type headLabel struct {
	Half     string     `json:"half"`
	Kind     string     `json:"kind"`
	Language string     `json:"language"`
	Producer string     `json:"producer"`
	Tagged   bool       `json:"tagged"`
	Scan     bool       `json:"scan"` // the pages are pictures
	Pages    []headPage `json:"pages"`
}

// headPage has every string that was drawn on a page.
type headPage struct {
	Heads  []string `json:"heads"` // running heads and feet, page numbers among them
	Body   []string `json:"body"`
	Either []string `json:"either"` // the head of a table on its next pages: left out or not
}

// writer names the producer, and whether it wrote tags.
func (l headLabel) writer() string {
	if l.Tagged {
		return l.Producer + ", tagged"
	}
	return l.Producer
}

// RunHeads makes the set, converts all of it to IR and to chunks, and holds what
// they leave out against the labels. A document that fails loses all of its body.
func RunHeads(ctx context.Context, o HeadOptions) (report HeadReport, err error) {
	folder := o.Keep
	if folder == "" {
		if folder, err = os.MkdirTemp("", "colophon-heads-"); err != nil {
			return HeadReport{}, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return HeadReport{}, err
	}
	if err := makeHeadset(ctx, o.Python, folder, o.Seed); err != nil {
		return HeadReport{}, err
	}
	names, labels, err := readHeadset(folder)
	if err != nil {
		return HeadReport{}, err
	}
	c := converter{binary: o.Colophon, root: folder}
	ir, err := c.run(ctx, names, "ir")
	if err != nil {
		return HeadReport{}, err
	}
	chunks, err := c.run(ctx, names, "chunks")
	if err != nil {
		return HeadReport{}, err
	}
	report = HeadReport{Seed: o.Seed}
	for i, name := range names {
		if ir.reasons[name] != "" || chunks.reasons[name] != "" {
			report.add(name, labels[i], leaveOut(labels[i]), leaveOut(labels[i]))
			continue
		}
		inIR, inChunks, err := readPageTexts(len(labels[i].Pages), ir.outputs[name], chunks.outputs[name])
		if err != nil {
			return HeadReport{}, fmt.Errorf("%s: %w", name, err)
		}
		report.add(name, labels[i], inIR, inChunks)
	}
	return report, nil
}

// leaveOut is a document of which nothing is kept.
func leaveOut(label headLabel) []pageText {
	pages := make([]pageText, len(label.Pages))
	for i, p := range label.Pages {
		pages[i].left = p.Body
	}
	return pages
}

// makeHeadset runs the program that makes the set, and writes it into a folder.
func makeHeadset(ctx context.Context, python, folder, seed string) (err error) {
	if python == "" {
		return errors.New("running heads: no Python with the producers; `make quality-heads` installs it")
	}
	program, err := os.MkdirTemp("", "colophon-headset-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(program)) }()
	if err := os.CopyFS(program, headset); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, python, filepath.Join(program, "headset", "make.py"), folder, seed)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("making the set: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return nil
}

// readHeadset returns the names of a set's PDF files, sorted, and their labels.
func readHeadset(folder string) (names []string, labels []headLabel, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(files)
	for _, file := range files {
		data, err := os.ReadFile(strings.TrimSuffix(file, ".pdf") + ".json")
		if err != nil {
			return nil, nil, err
		}
		var label headLabel
		if err := json.Unmarshal(data, &label); err != nil {
			return nil, nil, fmt.Errorf("label of %s: %w", filepath.Base(file), err)
		}
		if label.Half != halfLookedAt && label.Half != halfUnseen || len(label.Pages) == 0 {
			return nil, nil, fmt.Errorf("label of %s: half %q, %d pages", filepath.Base(file), label.Half, len(label.Pages))
		}
		names, labels = append(names, filepath.Base(file)), append(labels, label)
	}
	if len(names) == 0 {
		return nil, nil, errors.New("the set of running heads is empty")
	}
	return names, labels, nil
}
