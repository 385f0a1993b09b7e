// Package files keeps the chunks that are current in one file for other programs, as lines
// of JSON or as Parquet. The file is written anew beside itself and then takes its
// name: who reads it has it whole, as it was or as it is. What is known of all chunks,
// and the position, are in a file of SQLite beside it, which a batch is safe in.
package files

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink/sqlite"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// format writes and reads one kind of file.
type format interface {
	name() string // of the file in its folder
	write(w io.Writer, chunks iter.Seq2[sdk.Change, error]) error
	read(file *os.File) iter.Seq2[sdk.Change, error]
}

// Files is a folder with a file of chunks and a state.
type Files struct {
	*sqlite.DB
	dir    string
	format format
}

// stateFile holds what is known of all chunks.
const stateFile = "state.sqlite"

// folderMode is that of a folder that is made: others may read the file of chunks.
const folderMode = 0o755

// OpenLines opens a folder with chunks.jsonl: each line is a chunk as `export chunks`
// writes it, with its state, ordered by document and place.
func OpenLines(ctx context.Context, dir string) (*Files, error) { return open(ctx, dir, lines{}) }

// OpenParquet opens a folder with chunks.parquet, ordered likewise.
func OpenParquet(ctx context.Context, dir string) (*Files, error) {
	return open(ctx, dir, parquetFile{})
}

func open(ctx context.Context, dir string, f format) (*Files, error) {
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return nil, fmt.Errorf("%w: %w", sink.ErrUnfit, err)
	}
	db, err := sqlite.Open(ctx, filepath.Join(dir, stateFile))
	if err != nil {
		return nil, err
	}
	return &Files{DB: db, dir: dir, format: f}, nil
}

// Path is the file of chunks.
func (f *Files) Path() string { return filepath.Join(f.dir, f.format.name()) }

// Flush is sink.Flusher's: it writes the file.
func (f *Files) Flush(ctx context.Context) (err error) {
	part := filepath.Join(f.dir, "."+f.format.name()+".part") // of one that was broken off, too: it is written over
	file, err := os.Create(part)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part)
		}
	}()
	w := bufio.NewWriterSize(file, 1<<20)
	err = errors.Join(f.format.write(w, f.DB.Current(ctx)), w.Flush())
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", f.Path(), err)
	}
	if err := os.Rename(part, f.Path()); err != nil {
		return err
	}
	return syncFolder(f.dir)
}

// syncFolder puts the new name on the disk.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Current is sink.Target's: it reads the file of chunks, not the state.
func (f *Files) Current(context.Context) iter.Seq2[sdk.Change, error] {
	return func(yield func(sdk.Change, error) bool) {
		file, err := os.Open(f.Path())
		if errors.Is(err, fs.ErrNotExist) {
			return // nothing was written yet
		}
		if err != nil {
			yield(sdk.Change{}, err)
			return
		}
		defer func() { _ = file.Close() }()
		for ch, err := range f.format.read(file) {
			if !yield(ch, err) {
				return
			}
		}
	}
}

// lines is the format of chunks.jsonl.
type lines struct{}

// state is what changes about a chunk.
type state struct {
	ChunkRef    string `json:"chunk_ref"`
	Rev         int64  `json:"rev"`
	Layer       string `json:"layer"`
	Since       string `json:"since,omitempty"`
	Repeats     string `json:"repeats,omitempty"`
	DuplicateOf string `json:"duplicate_of,omitempty"`
}

type line struct {
	*sdk.Chunk
	State state `json:"state"`
}

func (lines) name() string { return "chunks.jsonl" }

func (lines) write(w io.Writer, chunks iter.Seq2[sdk.Change, error]) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for ch, err := range chunks {
		if err != nil {
			return err
		}
		if err := enc.Encode(line{ch.Chunk, state{ch.ChunkRef, ch.Rev, ch.Layer, ch.Since, ch.Repeats, ch.DuplicateOf}}); err != nil {
			return err
		}
	}
	return nil
}

func (lines) read(file *os.File) iter.Seq2[sdk.Change, error] {
	return func(yield func(sdk.Change, error) bool) {
		for dec := json.NewDecoder(bufio.NewReaderSize(file, 1<<20)); ; {
			l := line{Chunk: new(sdk.Chunk)}
			err := dec.Decode(&l)
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(changeOf(l.Chunk, l.State), err) || err != nil {
				return
			}
		}
	}
}

func changeOf(c *sdk.Chunk, s state) sdk.Change {
	return sdk.Change{
		Type: event.TypeChunkCreated, ChunkRef: s.ChunkRef, Rev: s.Rev, SourceID: c.SourceID, SnapshotID: c.SnapshotID, Chunk: c,
		Layer: s.Layer, Since: s.Since, Repeats: s.Repeats, DuplicateOf: s.DuplicateOf,
	}
}
