package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/proof"
)

func compareBreaks(a, b proof.Break) int {
	return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Where, b.Where), cmp.Compare(a.What, b.What))
}

// State is how far a sweep has come: what a file keeps between two of them.
type State struct {
	After string `json:"after"` // the last snapshot that was verified, with all before it
	Tally Tally  `json:"tally"`
}

// LoadState reads a state file. One that is not there is the beginning.
func LoadState(path string) (State, error) {
	var s State
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, fmt.Errorf("state of the verification: %w", err)
	}
	return s, nil
}

// Save writes the state file in one step.
func (s State) Save(path string) error {
	data, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(path+".part", append(data, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		return fmt.Errorf("state of the verification: %w", err)
	}
	return nil
}

// Sweep verifies group after group, several at a time.
type Sweep struct {
	Reader     *Reader
	DocumentID string // "" for all
	Workers    int    // groups at a time; 0: one for each core
}

// snapshotPage is how many snapshots are asked for at once.
const snapshotPage = 500

// Run verifies the groups after a snapshot, in the order of their ids, and hands
// each to done in that order, whichever was ready first. It ends at the first
// error; what done has had by then is finished.
func (s *Sweep) Run(ctx context.Context, after string, done func(Group) error) error {
	workers := s.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	type result struct {
		group Group
		err   error
	}
	// A group is taken up only when one of the last few is done: so their
	// results wait for each other in memory, and no more.
	line := make(chan chan result, 2*workers)
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.Go(func() error {
		defer close(line)
		var free errgroup.Group
		free.SetLimit(workers)
		defer func() { _ = free.Wait() }()
		for {
			ids, err := s.Reader.Catalog.SnapshotIDs(ctx, s.DocumentID, after, snapshotPage)
			if err != nil || len(ids) == 0 {
				return err
			}
			for _, id := range ids {
				ready := make(chan result, 1)
				select {
				case line <- ready:
				case <-ctx.Done():
					return ctx.Err()
				}
				free.Go(func() error {
					group, err := s.Reader.Group(ctx, id)
					ready <- result{group, err}
					return nil
				})
			}
			after = ids[len(ids)-1]
		}
	})
	tasks.Go(func() error {
		for ready := range line {
			r := <-ready
			if r.err != nil {
				return r.err
			}
			if err := done(r.group); err != nil {
				return err
			}
		}
		return nil
	})
	return tasks.Wait()
}
