package bench

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// disk measures how long a file system takes to keep a little: what every commit
// waits for.
type disk struct {
	file *os.File
	took []time.Duration
}

func openDisk(dir string) (*disk, error) {
	f, err := os.CreateTemp(dir, "sync-")
	if err != nil {
		return nil, err
	}
	return &disk{file: f}, nil
}

// write writes a block of PostgreSQL's size and waits until it is kept.
func (d *disk) write() error {
	began := time.Now()
	_, err := d.file.Write(make([]byte, 8<<10))
	if err := errors.Join(err, d.file.Sync()); err != nil {
		return fmt.Errorf("a write that is waited for: %w", err)
	}
	d.took = append(d.took, time.Since(began))
	return nil
}

func (d *disk) close() error { return errors.Join(d.file.Close(), os.Remove(d.file.Name())) }
