package devstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/devstack/disk"
)

const (
	// roomLook is how often a stack looks whether its disk has room: one question to the system.
	roomLook = time.Second
	// LeastRoom is how many bytes must be free for a running stack to take anything. It is estimated, not measured: some
	// documents of one page, in all stores together, that may be under way.
	LeastRoom = 4 << 20
	// probeBytes is what is written to learn whether a disk takes writes again: more than a file system keeps in an inode.
	probeBytes = 64 << 10
	// restartPause is the least time between two starts of a part; it doubles while they help for less than
	// restartHelped, up to that.
	restartPause  = time.Second
	restartHelped = time.Minute
)

// roomKeeper looks whether the disk of a stack has room, and starts those of its parts again that have remembered a
// write that failed. JetStream does so for as long as its server runs, and would acknowledge nothing more; the vector
// store too, since what it has in memory is then more than what it has written.
type roomKeeper struct {
	dir string

	mu   sync.Mutex
	down error // why nothing is taken at the moment
}

// Down returns why the stack takes nothing at the moment, nil when it does.
func (k *roomKeeper) Down() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.down
}

func (k *roomKeeper) note(down error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.down = down
}

// writer is a part that must be started again after a write has failed.
type writer struct {
	name string
	part interface {
		Stuck() error // why it takes nothing before Restart; nil: it does
		Restart(ctx context.Context) error
	}
	silent bool // it may remember a failed write without saying so
	last   time.Time
	pause  time.Duration
	failed string // what was told of the start that failed
}

// writers are the parts that run in this process and keep files.
func (s *Stack) writers() []*writer {
	var writers []*writer
	if s.NATS != nil {
		writers = append(writers, &writer{name: "nats", part: s.NATS, silent: true})
	}
	if s.Qdrant != nil {
		writers = append(writers, &writer{name: "qdrant", part: s.Qdrant})
	}
	return writers
}

// keep looks until ctx ends.
func (k *roomKeeper) keep(ctx context.Context, writers []*writer, tell func(line string)) {
	ticker := time.NewTicker(roomLook)
	defer ticker.Stop()
	full := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		stuck := make([]error, len(writers))
		for i, w := range writers {
			stuck[i] = w.part.Stuck()
		}
		if why := k.look(errors.Join(stuck...) != nil); why != nil {
			if !full {
				tell(fmt.Sprintf("%v: nothing is taken until there is room", why))
			}
			full = true
			k.note(why)
			continue
		}
		var down []error
		for i, w := range writers {
			if stuck[i] == nil && full && w.silent {
				stuck[i] = errors.New("its disk was full")
			}
			if stuck[i] != nil && !w.again(ctx, k.dir, stuck[i], tell) {
				down = append(down, fmt.Errorf("%s takes nothing and is started again: %w", w.name, stuck[i]))
			}
		}
		full = full && len(down) > 0
		k.note(errors.Join(down...))
	}
}

// again starts a part again, if it was not just now, and reports whether it runs.
func (w *writer) again(ctx context.Context, dir string, why error, tell func(line string)) bool {
	since := time.Since(w.last)
	if since < w.pause {
		return false
	}
	w.pause = min(max(2*w.pause, restartPause), restartHelped)
	if since > restartHelped {
		w.pause = restartPause
	}
	w.last = time.Now()
	if err := w.part.Restart(ctx); err != nil {
		if ctx.Err() == nil && err.Error() != w.failed {
			tell(fmt.Sprintf("there is room in %s, and %s cannot be started again: %v", dir, w.name, err))
		}
		w.failed = err.Error()
		return false
	}
	w.failed = ""
	tell(fmt.Sprintf("there is room in %s, and %s was started again: %v", dir, w.name, why))
	return true
}

// look returns nil when there is room, else a sentence that names the folder. Where a write was refused although the
// system says that much is free, as a quota or a broken disk does, another is tried.
func (k *roomKeeper) look(refused bool) error {
	free, err := disk.Free(k.dir)
	if err != nil {
		return err
	}
	if free < LeastRoom {
		return fmt.Errorf("the disk of %s has %s free, less than %s", k.dir, disk.Text(free), disk.Text(LeastRoom))
	}
	if !refused {
		return nil
	}
	if err := tryWrite(k.dir); err != nil {
		return fmt.Errorf("the disk of %s takes no writes: %w", k.dir, err)
	}
	return nil
}

// tryWrite writes a small file to the disk and removes it.
func tryWrite(dir string) error {
	path := filepath.Join(dir, "room.probe")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, probeBytes))
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close(), os.Remove(path))
}
