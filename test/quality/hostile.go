package quality

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Hostile is what became of a folder of files that are made, or known, to do
// harm. Good is what must hold for all of them: each ends, and no service does.
type Hostile struct {
	Files    int              `json:"files"`
	Members  int              `json:"members"` // of those that are containers
	Terminal int              `json:"terminal"`
	Ended    int              `json:"services_ended"` // 1: the process that holds all services did not live to the end
	Log      string           `json:"log,omitempty"`  // its last words
	Resident int64            `json:"peak_resident_bytes"`
	Seconds  float64          `json:"seconds"`
	Results  []catalog.Result `json:"results"`
}

// Good reports whether every file reached its end and the system lived.
func (h Hostile) Good() bool {
	return h.Files > 0 && h.Terminal == h.Files+h.Members && len(h.Results) == h.Terminal && h.Ended == 0
}

const hostileLimit = 20 * time.Minute

// RunHostile captures all files below folder with one system and waits until
// nothing is left to do.
func RunHostile(ctx context.Context, binary, folder string) (h Hostile, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			h.Files++
		}
		return err
	})
	if err != nil {
		return h, err
	}
	dir, err := os.MkdirTemp("", "colophon-quality-")
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o711); err != nil { // the database is another user's
		return h, err
	}
	s, err := startSystem(ctx, binary, dir, 2)
	if err != nil {
		return h, err
	}
	began := time.Now()
	h.Results, err = s.capture(ctx, folder, hostileLimit)
	h.Seconds, h.Resident = time.Since(began).Seconds(), s.peakResident()
	for _, r := range h.Results {
		if strings.ContainsAny(r.RequestID, "!@") { // contracts#member-request-id
			h.Members++
		}
		if r.Outcome != "" && (r.State == "" || model.RunState(r.State).Terminal()) {
			h.Terminal++
		}
	}
	if ended := s.end(); ended != nil {
		h.Ended, h.Log = 1, ended.Error()
	}
	return h, err
}

// Write prints what became of each file, and the sums.
func (h Hostile) Write(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	slices.SortFunc(h.Results, func(a, b catalog.Result) int { return strings.Compare(a.URL, b.URL) })
	for _, r := range h.Results {
		state := r.State
		if state == "" {
			state = r.Outcome
		}
		fmt.Fprintf(tab, "%s\t%s\t%d pages, %d failed\t%s\t%s\n", strings.TrimPrefix(r.URL, "file:///"), state, r.Pages, r.Failed, r.Reason, r.Message)
	}
	fmt.Fprintf(tab, "\n%d files with %d members, %d terminal, %d services ended, %d MiB resident at most (services and extraction children), %.1f s\n",
		h.Files, h.Members, h.Terminal, h.Ended, h.Resident>>20, h.Seconds)
	if h.Log != "" {
		fmt.Fprintln(tab, h.Log)
	}
	return tab.Flush()
}
