package sdk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// Inbox takes documents that do not fit into a request. Put stores the first
// size bytes of file under a key of that name below the source's own prefix of
// the inbox bucket (contracts#inbox) and says where; what is there already stays, and
// repeating it is harmless.
type Inbox interface {
	Put(ctx context.Context, sourceID, name string, file io.ReaderAt, size int64) (Object, error)
}

// CaptureFile hands a file over as FileRequest makes it; see Capture.
func (c *Client) CaptureFile(ctx context.Context, path string, facts Request) (*Pending, error) {
	if facts.SourceID == "" {
		facts.SourceID = c.cfg.Source
	}
	r, err := FileRequest(ctx, c.cfg.Inbox, path, facts)
	if err != nil {
		return nil, err
	}
	return c.Capture(ctx, r)
}

// CaptureWARC hands a web archive over as WARCRequest makes it; see Capture. The
// outcome of the request counts its records by theirs; each record has an
// outcome of its own, with the request_id {request_id}@{offset} (see Outcomes).
func (c *Client) CaptureWARC(ctx context.Context, path string, facts Request) (*Pending, error) {
	if facts.SourceID == "" {
		facts.SourceID = c.cfg.Source
	}
	r, err := WARCRequest(ctx, c.cfg.Inbox, path, facts)
	if err != nil {
		return nil, err
	}
	return c.Capture(ctx, r)
}

// FileRequest makes the request for a file: inside it up to MaxInline bytes, else
// through the inbox. What facts leave open is filled in: the URL file:/// and the
// file's name, the file's own time as retrieved_at and last_modified, and as
// request_id f- and a digest of path and content, so that the same file is
// captured once (contracts#request-id).
func FileRequest(ctx context.Context, inbox Inbox, path string, facts Request) (Request, error) {
	file, size, err := open(path, &facts)
	if err != nil {
		return facts, err
	}
	defer func() { _ = file.Close() }()
	if size <= MaxInline {
		data, err := io.ReadAll(io.NewSectionReader(file, 0, MaxInline+1))
		if err != nil {
			return facts, err
		}
		if len(data) <= MaxInline { // it may have grown
			facts.RequestID = requestID(facts, digest.Content(data))
			facts.Inline = &Inline{ContentBase64: data}
			return facts, nil
		}
	}
	return throughInbox(ctx, inbox, file, path, facts)
}

// WARCRequest makes the request for a web archive, which always goes through the
// inbox; what facts leave open is filled in as FileRequest does.
func WARCRequest(ctx context.Context, inbox Inbox, path string, facts Request) (Request, error) {
	file, _, err := open(path, &facts)
	if err != nil {
		return facts, err
	}
	defer func() { _ = file.Close() }()
	facts, err = throughInbox(ctx, inbox, file, path, facts)
	facts.WARC, facts.Object = facts.Object, nil
	return facts, err
}

// open opens a file and fills in what facts leave open. The size is in bytes.
func open(path string, facts *Request) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, 0, fmt.Errorf("%s is no regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	if facts.URL == "" && facts.SourceRecordID == "" {
		facts.URL = FileURL(filepath.Base(path))
	}
	if facts.Filename == "" {
		facts.Filename = filepath.Base(path)
	}
	modified := info.ModTime().UTC().Truncate(time.Second)
	if facts.RetrievedAt == nil {
		facts.RetrievedAt = &modified
	}
	if facts.LastModified == nil {
		facts.LastModified = &modified
	}
	return file, info.Size(), nil
}

// throughInbox puts a file into the inbox. It is read twice: its key is the
// digest of its content.
func throughInbox(ctx context.Context, inbox Inbox, file interface {
	io.Reader
	io.ReaderAt
}, path string, facts Request,
) (Request, error) {
	if inbox == nil {
		return facts, fmt.Errorf("%s: %w", path, ErrNoInbox)
	}
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return facts, fmt.Errorf("reading %s: %w", path, err)
	}
	name := hex.EncodeToString(sum.Sum(nil))
	object, err := inbox.Put(ctx, facts.SourceID, name, file, size)
	if err != nil {
		return facts, fmt.Errorf("%s: %w", path, err)
	}
	facts.RequestID, facts.Object = requestID(facts, "sha256:"+name), &object
	return facts, nil
}

// requestID is the one of contracts#request-id, over the path in the URL.
func requestID(facts Request, contentHash string) string {
	if facts.RequestID != "" {
		return facts.RequestID
	}
	path := facts.SourceRecordID
	if u, err := url.Parse(facts.URL); err == nil && u.Scheme == "file" {
		path = u.Path[min(1, len(u.Path)):]
	} else if facts.URL != "" {
		path = facts.URL
	}
	return digest.CaptureFileRequestID(path, contentHash, "")
}

// FileURL returns the URL of a file by its path, relative and with slashes.
func FileURL(path string) string { return (&url.URL{Scheme: "file", Path: "/" + path}).String() }
