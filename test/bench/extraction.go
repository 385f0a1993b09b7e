package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Extraction is the CPU time of extraction alone, and of pdftotext
// -bbox-layout on the same files in the same run. Zero Poppler: it is not
// installed.
type Extraction struct {
	Pages   int           `json:"pages"`
	Facts   time.Duration `json:"facts"` // of a document's facts, for all pages
	Extract time.Duration `json:"extract"`
	Poppler time.Duration `json:"poppler"`
}

// extraction measures both in turn, in as many rounds; medians count. The
// program that calls it serves child.RoleName.
func (o Options) extraction(ctx context.Context, dir string) (Extraction, error) {
	const files = 6
	x := Extraction{Pages: files * o.Pages}
	paths := make([]string, files+1) // the last is for warming up
	for i := range paths {
		paths[i] = filepath.Join(dir, fmt.Sprintf("extraction-%d.pdf", i))
		if err := os.WriteFile(paths[i], PDF(uint64(90+i), o.Pages), 0o600); err != nil {
			return x, err
		}
	}
	poppler, lookErr := exec.LookPath("pdftotext")
	var facts, pages, theirs []time.Duration
	for range o.Rounds {
		f, p, err := o.extractAll(ctx, dir, paths)
		if err != nil {
			return x, err
		}
		facts, pages = append(facts, f), append(pages, p)
		if lookErr != nil {
			continue
		}
		var t time.Duration
		for _, path := range paths[:files] {
			cmd := exec.CommandContext(ctx, poppler, "-bbox-layout", path, os.DevNull)
			if out, err := cmd.CombinedOutput(); err != nil {
				return x, fmt.Errorf("pdftotext: %w: %s", err, out)
			}
			t += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		theirs = append(theirs, t)
	}
	x.Facts, x.Extract, x.Poppler = median(facts), median(pages), median(theirs)
	o.Progress("extraction of %d pages beside pdftotext", x.Pages)
	return x, nil
}

// extractAll runs the files through one extraction child and returns its CPU
// time, that before the pages, and that of them.
func (o Options) extractAll(ctx context.Context, dir string, paths []string) (facts, pages time.Duration, err error) {
	byHash := make(map[string]string)
	client, err := child.New(child.Config{Workers: 1, TempDir: dir}, func(_ context.Context, s model.Snapshot, path string) error {
		return os.Link(byHash[s.ContentHash], path)
	})
	if err != nil {
		return 0, 0, err
	}
	defer client.Close()
	for i := len(paths) - 1; i >= 0; i-- {
		data, err := os.ReadFile(paths[i])
		if err != nil {
			return 0, 0, err
		}
		hash := digest.Content(data)
		byHash[hash] = paths[i]
		snap := model.Snapshot{
			SnapshotID: digest.SnapshotID("bench", paths[i], hash), SourceID: "bench", ContentHash: hash,
			SnapshotKind: model.KindPDF, ByteLength: int64(len(data)),
		}
		start := childCPU()
		var stored []byte
		run, err := client.Split(ctx, snap, model.Run{}, func(_ context.Context, _ model.Snapshot, _ string, packed []byte) (string, string, error) {
			stored = packed
			return "facts", digest.Hex(packed), nil
		})
		if err != nil {
			return 0, 0, err
		}
		split := childCPU()
		for _, r := range model.Ranges(run.PageCount) {
			if _, err := client.Extract(ctx, snap, run, stored, r); err != nil {
				return 0, 0, err
			}
		}
		if i < len(paths)-1 {
			facts, pages = facts+split-start, pages+childCPU()-split
		}
	}
	return facts, pages, nil
}

// childCPU is the CPU time so far of this process's extraction children.
func childCPU() time.Duration {
	var sum time.Duration
	for _, p := range tree(os.Getpid()) {
		if p.sandboxed {
			sum += p.own
		}
	}
	return sum
}
