// Package log is the append-only file in which the vector store keeps what was done to it. Records carry checksums,
// many writers share one fsync, and a tail that was torn by a crash is cut off at the next start.
package log

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// bufferLimit is how many bytes may wait for the disk before Append waits too.
const bufferLimit = 64 << 20

// errClosed is what a write gets after Close.
var errClosed = errors.New("the log is closed")

// Options of a log.
type Options struct {
	NoSync bool // leave the moment of writing to the disk to the system: a kill loses nothing, a loss of power may
}

// Log is an open log. It is safe for concurrent use.
type Log struct {
	path    string
	options Options

	mu       sync.Mutex
	changed  sync.Cond
	file     *os.File
	buffer   []byte
	appended int64 // bytes given to Append so far
	durable  int64 // of these, bytes that are on the disk
	failed   error // set once: what was not durable then never will be
	closed   bool
	ended    chan struct{}
}

// Position is a place in the log that Wait can wait for.
type Position int64

// Open opens or makes the log at path and calls replay with each of its records in order. A tail that is torn or
// damaged is moved to path.cut and the log goes on before it.
func Open(path string, options Options, replay func(Record) error) (*Log, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	l := &Log{path: path, options: options, file: file, ended: make(chan struct{})}
	l.changed.L = &l.mu
	if err := l.restore(replay); err != nil {
		_ = file.Close()
		return nil, err
	}
	go l.commit()
	return l, nil
}

func (l *Log) restore(replay func(Record) error) error {
	good, err := Decode(bufio.NewReaderSize(l.file, 1<<20), replay)
	if err != nil && !errors.Is(err, ErrTorn) {
		return fmt.Errorf("replay %s: %w", l.path, err)
	}
	info, err := l.file.Stat()
	if err != nil {
		return fmt.Errorf("size of the log: %w", err)
	}
	if info.Size() > good {
		if err := l.cut(good, info.Size()); err != nil {
			return err
		}
	}
	if good == 0 {
		if _, err := l.file.WriteAt([]byte(header), 0); err != nil {
			return fmt.Errorf("begin the log: %w", err)
		}
		good = int64(len(header))
		if err := l.sync(l.file); err != nil {
			return err
		}
		if err := syncFolder(l.path); err != nil {
			return err
		}
	}
	if _, err := l.file.Seek(good, io.SeekStart); err != nil {
		return fmt.Errorf("find the end of the log: %w", err)
	}
	return nil
}

// cut moves what lies behind good to a file of its own.
func (l *Log) cut(good, size int64) error {
	tail, err := os.Create(l.path + ".cut")
	if err != nil {
		return fmt.Errorf("keep the torn tail: %w", err)
	}
	_, err = io.Copy(tail, io.NewSectionReader(l.file, good, size-good))
	if err := errors.Join(err, tail.Close()); err != nil {
		return fmt.Errorf("keep the torn tail: %w", err)
	}
	if err := l.file.Truncate(good); err != nil {
		return fmt.Errorf("cut the torn tail: %w", err)
	}
	return l.sync(l.file)
}

// Append adds a record behind those of the calls before it. It is in the file once Wait has returned for the position.
func (l *Log) Append(record Record) (Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.buffer) > bufferLimit && l.failed == nil && !l.closed {
		l.changed.Wait()
	}
	if l.closed {
		return 0, errClosed
	}
	if l.failed != nil {
		return 0, l.failed
	}
	before := len(l.buffer)
	buffer, err := Encode(l.buffer, record)
	if err != nil {
		return 0, err
	}
	l.buffer = buffer
	l.appended += int64(len(buffer) - before)
	l.changed.Broadcast()
	return Position(l.appended), nil
}

// Wait returns when everything up to position is durable, or with the error that keeps it from ever being.
func (l *Log) Wait(position Position) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.durable < int64(position) && l.failed == nil {
		l.changed.Wait()
	}
	if l.durable >= int64(position) {
		return nil
	}
	return l.failed
}

// commit writes and syncs in turns: what comes while one turn is at the disk goes together in the next.
func (l *Log) commit() {
	defer close(l.ended)
	l.mu.Lock()
	defer l.mu.Unlock()
	var spare []byte
	for {
		for len(l.buffer) == 0 && !l.closed {
			l.changed.Wait()
		}
		if len(l.buffer) == 0 || l.failed != nil {
			return
		}
		batch, file, upTo := l.buffer, l.file, l.appended
		l.buffer = spare[:0]
		l.mu.Unlock()
		_, err := file.Write(batch)
		if err == nil {
			err = l.sync(file)
		}
		spare = batch
		if cap(spare) > bufferLimit {
			spare = nil
		}
		l.mu.Lock()
		if err != nil {
			l.failed = fmt.Errorf("write the log: %w", err)
		} else {
			l.durable = upTo
		}
		l.changed.Broadcast()
	}
}

func (l *Log) sync(file *os.File) error {
	if l.options.NoSync {
		return nil
	}
	if err := file.Sync(); err != nil {
		return fmt.Errorf("sync the log: %w", err)
	}
	return nil
}

// Compact replaces the log by the records that write emits. A crash leaves either the old or the new log. It must be
// called before the first Append.
func (l *Log) Compact(write func(emit func(Record) error) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.appended > 0 {
		return errors.New("compact a log that is being written")
	}
	fresh, err := os.Create(l.path + ".new")
	if err != nil {
		return fmt.Errorf("begin the compacted log: %w", err)
	}
	if err := l.fill(fresh, write); err != nil {
		_ = fresh.Close()
		return err
	}
	if err := os.Rename(fresh.Name(), l.path); err != nil {
		_ = fresh.Close()
		return fmt.Errorf("replace the log: %w", err)
	}
	old := l.file
	l.file = fresh
	return errors.Join(old.Close(), syncFolder(l.path))
}

func (l *Log) fill(fresh *os.File, write func(emit func(Record) error) error) error {
	out := bufio.NewWriterSize(fresh, 1<<20)
	if _, err := out.WriteString(header); err != nil {
		return fmt.Errorf("write the compacted log: %w", err)
	}
	var encoded []byte
	err := write(func(record Record) error {
		var err error
		if encoded, err = Encode(encoded[:0], record); err != nil {
			return err
		}
		_, err = out.Write(encoded)
		return err
	})
	if err := errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("write the compacted log: %w", err)
	}
	return l.sync(fresh)
}

// Failed returns the error of a write after which nothing more is written, nil while there was none.
func (l *Log) Failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Close writes what is still waiting and closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closed = true
	l.changed.Broadcast()
	l.mu.Unlock()
	<-l.ended
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.file.Close()
	if errors.Is(err, fs.ErrClosed) {
		err = nil
	}
	return errors.Join(l.failed, err)
}

func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("open the log's folder: %w", err)
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil {
		return fmt.Errorf("sync the log's folder: %w", err)
	}
	return nil
}
