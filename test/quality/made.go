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
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// madeset is the program that makes PDF files whose blocks are known, and reads the
// truth of others from their HTML twins.
//
//go:embed madeset/*.py
var madeset embed.FS

// MadeOptions is what to measure the blocks of PDF files with.
type MadeOptions struct {
	Python string // interpreter that has the producers (.ci/headset)
	Seed   string // the set is made from it: the same seed, the same documents
	Count  int    // documents of each producer
	Twins  string // folder of unpacked packages that hold PDF and HTML; empty: none
	Keep   string // folder to keep the set in; empty: a temporary one
	Again  bool   // the set is in Keep already
}

// madeLabel is what is known of the blocks of a document.
type madeLabel struct {
	Half   string      `json:"half"` // looked-at or left-out
	Origin string      `json:"origin"`
	Blocks []madeBlock `json:"blocks"`
	Tables []Table     `json:"tables"` // all with page 1: where they stand is not known
}

// madeBlock is a heading, item, caption, paragraph, table or other text.
type madeBlock struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// RunMade makes the set, extracts all of it in this process, whatever binary there is, and
// holds the blocks against the labels.
func RunMade(ctx context.Context, o MadeOptions) (report MadeReport, err error) {
	folder := o.Keep
	if folder == "" {
		if folder, err = os.MkdirTemp("", "colophon-made-"); err != nil {
			return MadeReport{}, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return MadeReport{}, err
	}
	if !o.Again {
		if err := makeSet(ctx, o, folder); err != nil {
			return MadeReport{}, err
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
	if err != nil {
		return MadeReport{}, err
	}
	if len(files) == 0 {
		return MadeReport{}, errors.New("the made set is empty")
	}
	x, done, err := newExtractor()
	if err != nil {
		return MadeReport{}, err
	}
	defer done()
	report = MadeReport{Seed: o.Seed, sums: map[[2]string]*MadeRow{}}
	for _, file := range files {
		data, err := os.ReadFile(strings.TrimSuffix(file, ".pdf") + ".json")
		if err != nil {
			return MadeReport{}, err
		}
		var label madeLabel
		if err := json.Unmarshal(data, &label); err != nil {
			return MadeReport{}, fmt.Errorf("label of %s: %w", filepath.Base(file), err)
		}
		frames, err := x.frames(ctx, file, extractedOf(file, model.KindPDF))
		if err != nil {
			return MadeReport{}, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		units, tables := blocksOf(frames)
		report.add(filepath.Base(file), label, scoreBlocks(label, units, tables))
	}
	report.finish()
	return report, nil
}

// makeSet runs the programs that make the set, and writes it into a folder.
func makeSet(ctx context.Context, o MadeOptions, folder string) (err error) {
	if o.Python == "" {
		return errors.New("made set: no Python with the producers; `make quality-made-pdf` installs it")
	}
	program, err := os.MkdirTemp("", "colophon-madeset-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(program)) }()
	if err := os.CopyFS(program, madeset); err != nil {
		return err
	}
	runs := [][]string{{"make.py", folder, o.Seed, strconv.Itoa(o.Count)}}
	if o.Twins != "" {
		runs = append(runs, []string{"twins.py", folder, o.Twins})
	}
	for _, args := range runs {
		args[0] = filepath.Join(program, "madeset", args[0])
		cmd := exec.CommandContext(ctx, o.Python, args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("making the set: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
		}
		if stderr.Len() > 0 {
			fmt.Fprint(os.Stderr, stderr.String())
		}
	}
	return nil
}

// outUnit is a block of the output.
type outUnit struct {
	kind string // as of madeBlock
	text string
}

// unitKinds are the kinds of the truth by the type of a unit.
var unitKinds = map[model.UnitType]string{
	model.UnitHeading: "heading", model.UnitListItem: "item", model.UnitCaption: "caption", model.UnitParagraph: "paragraph",
}

// blocksOf returns what goes into chunks, blocks that a page's end divides as one, and
// the tables.
func blocksOf(frames []segment.Frame) (units []outUnit, tables []Table) {
	goesOn := false
	var found []model.Unit
	for i := range frames {
		found = append(found, frames[i].Units...)
	}
	for i := range found {
		u := &found[i]
		f := &u.FieldsRaw
		if !u.Chunked() {
			continue
		}
		if f.Table != nil {
			tables = append(tables, tableOf(1, f.Table, f.Text))
			goesOn = false
			continue
		}
		kind := unitKinds[u.Type]
		if kind == "" {
			kind = "other"
		}
		if last := len(units) - 1; goesOn && f.Continued && last >= 0 {
			units[last].text += " " + f.Text
		} else {
			units = append(units, outUnit{kind, f.Text})
		}
		goesOn = f.Continues
	}
	return units, tables
}

// scoredKinds are the kinds of block whose F1 counts.
var scoredKinds = []string{"heading", "item", "caption", "table"}

// BlockScore is how the blocks of one or more documents compare. It adds up.
type BlockScore struct {
	Kinds      map[string]Hits `json:"kinds"`
	Unaligned  int             `json:"unaligned"` // blocks of the truth whose text is there more than once, or not at all
	Whole      Hits            `json:"whole"`     // paragraphs of the truth that are one unit; Out is not counted
	False      int             `json:"false"`     // tables of the output that share nothing with one of the truth
	TableScore TableScore      `json:"tables"`    // the tables themselves
	Wrong      []string        `json:"-"`         // what was wrong, for who looks
}

// Score is the F1 over all scored kinds together.
func (s BlockScore) Score() PRF {
	var all Hits
	for _, k := range scoredKinds {
		all.add(s.Kinds[k])
	}
	return all.Score()
}

func (s *BlockScore) add(o BlockScore) {
	if s.Kinds == nil {
		s.Kinds = map[string]Hits{}
	}
	for k, h := range o.Kinds {
		sum := s.Kinds[k]
		sum.add(h)
		s.Kinds[k] = sum
	}
	s.Unaligned += o.Unaligned
	s.Whole.add(o.Whole)
	s.False += o.False
	s.TableScore.add(o.TableScore)
}

func sortedNames[V any](m map[[2]string]V) [][2]string {
	var out [][2]string
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b [2]string) int { return strings.Compare(a[0]+"\n"+a[1], b[0]+"\n"+b[1]) })
	return out
}
