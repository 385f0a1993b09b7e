package bench

import (
	"context"
	"errors"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/child"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// OCR is how fast two children read pictures of pages, beside two processes of
// the tesseract command that read the same ones at the same time as each other,
// and how much memory a child holds as it reads on. Zero Pages: this program has
// no OCR. Zero Command: the command is not installed.
type OCR struct {
	Pages      int           `json:"pages"`
	Rate       float64       `json:"rate"` // pages a second, the median
	Command    float64       `json:"command"`
	CPU        time.Duration `json:"cpu"` // of all pages
	CommandCPU time.Duration `json:"command_cpu"`
	Strips     int           `json:"strips"` // parts of pages that one child after the other read
	Early      int64         `json:"early"`  // resident bytes of the child after earlyStrips of them
	Late       int64         `json:"late"`   // and after all
}

const (
	ocrWorkers  = 2
	ocrPages    = 8
	strips      = 500
	earlyStrips = 50
	// stripShare is the part of a page's height that a strip has, below its head.
	stripShare = 0.035
	stripTop   = 0.2
)

// ocr measures both in turn, in as many rounds; medians count. The program that
// calls it serves child.RoleName.
func (o Options) ocr(ctx context.Context, dir string) (OCR, error) {
	pages, small, err := pictures(ctx, dir)
	if err != nil {
		return OCR{}, err
	}
	x := OCR{Pages: len(pages), Strips: strips}
	_, lookErr := exec.LookPath("tesseract")
	var rates, theirs []float64
	var cpu, theirCPU []time.Duration
	for range o.Rounds {
		took, used, err := readAll(ctx, dir, pages)
		if errors.Is(err, child.ErrNoEngine) {
			o.Progress("OCR is left out: %v", err)
			return OCR{}, nil
		}
		if err != nil {
			return x, err
		}
		rates, cpu = append(rates, float64(len(pages))/took.Seconds()), append(cpu, used)
		if lookErr != nil {
			continue
		}
		if took, used, err = commandAll(ctx, dir, pages); err != nil {
			return x, err
		}
		theirs, theirCPU = append(theirs, float64(len(pages))/took.Seconds()), append(theirCPU, used)
	}
	x.Rate, x.Command, x.CPU, x.CommandCPU = median(rates), median(theirs), median(cpu), median(theirCPU)
	o.Progress("%d pages read by OCR, beside the tesseract command", len(pages))
	x.Early, x.Late, err = readOn(ctx, dir, small)
	o.Progress("%d strips of pages read by OCR", strips)
	return x, err
}

// pictures draws pages of text, and strips of them, and returns their files.
func pictures(ctx context.Context, dir string) (pages, small []string, err error) {
	engine, err := pdfium.Open(ctx, pdfium.Config{CacheDir: filepath.Join(dir, "engine")})
	if err != nil {
		return nil, nil, err
	}
	document, err := engine.Load(PDF(70, ocrPages), "")
	if err != nil {
		return nil, nil, err
	}
	defer document.Close()
	const width = 1654 // A4 at 200 dots per inch
	write := func(name string, page int, region pdfium.Box) (string, error) {
		m, err := document.Render(page, region, width)
		if err != nil {
			return "", err
		}
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		return file.Name(), errors.Join(png.Encode(file, m), file.Close())
	}
	for i := range ocrPages {
		page, err := write(fmt.Sprintf("page-%d.png", i), i, pdfium.Box{W: 1, H: 1})
		if err != nil {
			return nil, nil, err
		}
		strip, err := write(fmt.Sprintf("strip-%d.png", i), i, pdfium.Box{Y: stripTop, W: 1, H: stripShare})
		if err != nil {
			return nil, nil, err
		}
		pages, small = append(pages, page), append(small, strip)
	}
	return pages, small, nil
}

// reader returns a client that reads files, and the snapshot that stands for each.
func reader(dir string, workers int, files []string) (*child.Client, map[string]model.Snapshot, error) {
	paths, snaps := make(map[string]string), make(map[string]model.Snapshot)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, err
		}
		s := model.Snapshot{SourceID: "bench", ContentHash: digest.Content(data), SnapshotKind: model.KindImageScan, ByteLength: int64(len(data))}
		paths[s.ContentHash], snaps[file] = file, s
	}
	client, err := child.New(child.Config{Workers: workers, TempDir: dir}, func(_ context.Context, s model.Snapshot, path string) error {
		return os.Link(paths[s.ContentHash], path)
	})
	return client, snaps, err
}

// read reads one file, in which there must be words.
func read(ctx context.Context, client *child.Client, s model.Snapshot) error {
	r, err := client.Read(ctx, s, ocr.Request{Page: 1, Languages: []string{"en"}})
	if err == nil && len(r.Words) == 0 {
		err = errors.New("OCR found no words in a page of text")
	}
	return err
}

// readAll has the files read by two children that have started already.
func readAll(ctx context.Context, dir string, files []string) (took, cpu time.Duration, err error) {
	client, snaps, err := reader(dir, ocrWorkers, files)
	if err != nil {
		return 0, 0, err
	}
	defer client.Close()
	if _, err := client.Engine(ctx); err != nil {
		return 0, 0, err
	}
	before, began := childCPU(), time.Now()
	err = shared(files, func(part []string) error {
		for _, file := range part {
			if err := read(ctx, client, snaps[file]); err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(file), err)
			}
		}
		return nil
	})
	return time.Since(began), childCPU() - before, err
}

// commandAll has the files read by two processes of the command, each with a list
// of half of them.
func commandAll(ctx context.Context, dir string, files []string) (took, cpu time.Duration, err error) {
	var mu sync.Mutex
	began := time.Now()
	err = shared(files, func(part []string) error {
		list := filepath.Join(dir, digest.Hex([]byte(part[0]))[:16]+".list")
		if err := os.WriteFile(list, []byte(strings.Join(part, "\n")+"\n"), 0o600); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, "tesseract", list, "stdout", "-l", "eng", "--psm", "1")
		cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("tesseract: %w", err)
		}
		mu.Lock()
		defer mu.Unlock()
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		return nil
	})
	return time.Since(began), cpu, err
}

// shared calls work with each half of the files, at the same time.
func shared(files []string, work func(part []string) error) error {
	errs := make([]error, ocrWorkers)
	var group sync.WaitGroup
	i := 0
	for part := range slices.Chunk(files, (len(files)+ocrWorkers-1)/ocrWorkers) {
		at := i
		group.Go(func() { errs[at] = work(part) })
		i++
	}
	group.Wait()
	return errors.Join(errs...)
}

// readOn has the files read again and again, one at a time, and returns how much
// memory the child has early and late.
func readOn(ctx context.Context, dir string, files []string) (early, late int64, err error) {
	client, snaps, err := reader(dir, 1, files)
	if err != nil {
		return 0, 0, err
	}
	defer client.Close()
	for i := 1; i <= strips; i++ {
		if err := read(ctx, client, snaps[files[i%len(files)]]); err != nil {
			return 0, 0, err
		}
		if i == earlyStrips {
			early = childMemory()
		}
	}
	return early, childMemory(), nil
}

// childMemory is how many bytes of this process's children are resident.
func childMemory() int64 {
	var sum int64
	for _, p := range tree(os.Getpid()) {
		if p.sandboxed {
			sum += p.resident
		}
	}
	return sum
}

func (x OCR) write(row func(...string)) {
	if x.Pages == 0 {
		return
	}
	row("OCR by two children", fmt.Sprintf("%.2f pages/s", x.Rate), fmt.Sprintf("%s CPU a page; %d pages of text at 200 dpi", perPage(x.CPU, x.Pages), x.Pages))
	if x.Command == 0 {
		row("two tesseract commands", "-", "not installed")
	} else {
		row("two tesseract commands", fmt.Sprintf("%.2f pages/s", x.Command), fmt.Sprintf("%s CPU a page; OCR has %.2f times the pages, %.2f times by CPU time",
			perPage(x.CommandCPU, x.Pages), x.Rate/x.Command, x.CommandCPU.Seconds()/x.CPU.Seconds()))
	}
	row("memory of an OCR child", mib(x.Late), fmt.Sprintf("resident after %d parts of pages; %s after %d: %+.0f %%", x.Strips, mib(x.Early), earlyStrips,
		100*(float64(x.Late)/float64(x.Early)-1)))
}
