package files

import (
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"

	"github.com/parquet-go/parquet-go"

	"github.com/colophon-dev/colophon/pkg/sdk"
)

const (
	// groupRows is how many chunks are in a row group, which is held in memory while it
	// is written.
	groupRows = 2000
	// readRows is how many are read at once.
	readRows = 100
)

// parquetFile is the format of chunks.parquet, compressed by zstd.
type parquetFile struct{}

// row is a row of chunks.parquet. The columns in front are those that are asked for most;
// record has all of a chunk.
type row struct {
	ChunkRef    string `parquet:"chunk_ref"`
	DocumentID  string `parquet:"document_id,dict"`
	SourceID    string `parquet:"source_id,dict"`
	SnapshotID  string `parquet:"snapshot_id,dict"`
	ChunkIndex  int32  `parquet:"chunk_index"`
	Rev         int64  `parquet:"rev"`
	Layer       string `parquet:"layer,dict"`
	Since       string `parquet:"since,dict"`
	Repeats     string `parquet:"repeats"`
	DuplicateOf string `parquet:"duplicate_of"`
	Type        string `parquet:"type,dict"`
	Status      string `parquet:"status,dict"`
	InfoDate    string `parquet:"info_date,dict"`
	Language    string `parquet:"language,dict"`
	URL         string `parquet:"url,dict"`
	Title       string `parquet:"title,dict"`
	PageHint    int32  `parquet:"page_hint"`
	Tokens      int32  `parquet:"tokens"`
	Content     string `parquet:"content"`
	Record      string `parquet:"record,json"` // the chunk as JSON, with its provenance
}

func (parquetFile) name() string { return "chunks.parquet" }

func (parquetFile) write(w io.Writer, chunks iter.Seq2[sdk.Change, error]) error {
	out := parquet.NewGenericWriter[row](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(groupRows))
	for ch, err := range chunks {
		if err != nil {
			return err
		}
		c := ch.Chunk
		record, err := json.Marshal(c)
		if err != nil {
			return err
		}
		if _, err := out.Write([]row{{
			ChunkRef: ch.ChunkRef, DocumentID: c.DocumentID, SourceID: c.SourceID, SnapshotID: c.SnapshotID, ChunkIndex: int32(c.ChunkIndex), //nolint:gosec // far below 2^31
			Rev: ch.Rev, Layer: ch.Layer, Since: ch.Since, Repeats: ch.Repeats, DuplicateOf: ch.DuplicateOf,
			Type: string(c.Type), Status: string(c.Status), InfoDate: c.InfoDate, Language: c.Language, URL: c.URL, Title: c.Title,
			PageHint: int32(c.PageHint), Tokens: int32(c.Tokens), Content: c.Content, Record: string(record), //nolint:gosec // likewise
		}}); err != nil {
			return err
		}
	}
	return out.Close()
}

func (parquetFile) read(file *os.File) iter.Seq2[sdk.Change, error] {
	return func(yield func(sdk.Change, error) bool) {
		in := parquet.NewGenericReader[row](file)
		defer func() { _ = in.Close() }()
		for rows := make([]row, readRows); ; {
			n, err := in.Read(rows)
			for _, r := range rows[:n] {
				c := new(sdk.Chunk)
				bad := json.Unmarshal([]byte(r.Record), c)
				if !yield(changeOf(c, state{r.ChunkRef, r.Rev, r.Layer, r.Since, r.Repeats, r.DuplicateOf}), bad) || bad != nil {
					return
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(sdk.Change{}, err)
				return
			}
		}
	}
}
