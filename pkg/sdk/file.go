package sdk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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

// CaptureFile hands a file over as FileRequest makes it; see Capture. Where the request_id
// that FileRequest chose is that of another capture of the same bytes, as of a file that was
// touched or has changed back, the file is handed over once more under one of path, content
// and time (contracts#request-id), which the outcome has.
func (c *Client) CaptureFile(ctx context.Context, path string, facts Request) (*Pending, error) {
	return c.captureFile(ctx, path, facts, fileRequest)
}

// captureFile hands over the request that is made of a file.
func (c *Client) captureFile(ctx context.Context, path string, facts Request,
	request func(ctx context.Context, inbox Inbox, path string, facts Request) (Request, string, error),
) (*Pending, error) {
	if facts.SourceID == "" {
		facts.SourceID = c.cfg.Source
	}
	named := facts.RequestID != ""
	r, hash, err := request(ctx, c.cfg.Inbox, path, facts)
	if err != nil {
		return nil, err
	}
	if named {
		return c.Capture(ctx, r)
	}
	byTime := r
	byTime.RequestID = digest.CaptureFileRequestID(pathOf(r), hash, r.RetrievedAt.UTC().Format(time.RFC3339Nano))
	p, err := c.capture(ctx, r, &byTime)
	if errors.Is(err, ErrConflict) { // with one whose outcome is waited for
		return c.Capture(ctx, byTime)
	}
	return p, err
}

// CaptureWARC hands a web archive over as WARCRequest makes it; see Capture. The
// outcome of the request counts its records by theirs; each record has an
// outcome of its own, with the request_id {request_id}@{offset} (see Outcomes).
func (c *Client) CaptureWARC(ctx context.Context, path string, facts Request) (*Pending, error) {
	return c.captureFile(ctx, path, facts, warcRequest)
}

// FileRequest makes the request for a file: inside it up to MaxInline bytes, else
// through the inbox. What facts leave open is filled in: the URL file:/// and the
// file's name, the file's own time as retrieved_at and last_modified, and as
// request_id f- and a digest of path and content, so that the same file is
// captured once (contracts#request-id).
func FileRequest(ctx context.Context, inbox Inbox, path string, facts Request) (Request, error) {
	r, _, err := fileRequest(ctx, inbox, path, facts)
	return r, err
}

// fileRequest is FileRequest, with the content_hash.
func fileRequest(ctx context.Context, inbox Inbox, path string, facts Request) (Request, string, error) {
	file, size, err := open(path, &facts)
	if err != nil {
		return facts, "", err
	}
	defer func() { _ = file.Close() }()
	if size <= MaxInline {
		data, err := io.ReadAll(io.NewSectionReader(file, 0, MaxInline+1))
		if err != nil {
			return facts, "", err
		}
		if len(data) <= MaxInline { // it may have grown
			hash := digest.Content(data)
			facts.RequestID = requestID(facts, hash)
			facts.Inline = &Inline{ContentBase64: data}
			return facts, hash, nil
		}
	}
	return throughInbox(ctx, inbox, file, path, facts)
}

// WARCRequest makes the request for a web archive, which always goes through the
// inbox; what facts leave open is filled in as FileRequest does.
func WARCRequest(ctx context.Context, inbox Inbox, path string, facts Request) (Request, error) {
	r, _, err := warcRequest(ctx, inbox, path, facts)
	return r, err
}

// warcRequest is WARCRequest, with the content_hash.
func warcRequest(ctx context.Context, inbox Inbox, path string, facts Request) (Request, string, error) {
	file, _, err := open(path, &facts)
	if err != nil {
		return facts, "", err
	}
	defer func() { _ = file.Close() }()
	facts, hash, err := throughInbox(ctx, inbox, file, path, facts)
	facts.WARC, facts.Object = facts.Object, nil
	return facts, hash, err
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
// digest of its content, which is returned as a content_hash.
func throughInbox(ctx context.Context, inbox Inbox, file interface {
	io.Reader
	io.ReaderAt
}, path string, facts Request,
) (Request, string, error) {
	if inbox == nil {
		return facts, "", fmt.Errorf("%s: %w", path, ErrNoInbox)
	}
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return facts, "", fmt.Errorf("reading %s: %w", path, err)
	}
	name := hex.EncodeToString(sum.Sum(nil))
	object, err := inbox.Put(ctx, facts.SourceID, name, file, size)
	if err != nil {
		return facts, "", fmt.Errorf("%s: %w", path, err)
	}
	hash := "sha256:" + name
	facts.RequestID, facts.Object = requestID(facts, hash), &object
	return facts, hash, nil
}

// requestID is the one of contracts#request-id, over the path in the URL.
func requestID(facts Request, contentHash string) string {
	if facts.RequestID != "" {
		return facts.RequestID
	}
	return digest.CaptureFileRequestID(pathOf(facts), contentHash, "")
}

func pathOf(facts Request) string {
	path := facts.SourceRecordID
	if u, err := url.Parse(facts.URL); err == nil && u.Scheme == "file" {
		path = u.Path[min(1, len(u.Path)):]
	} else if facts.URL != "" {
		path = facts.URL
	}
	return path
}

// FileURL returns the URL of a file by its path, relative and with slashes.
func FileURL(path string) string { return (&url.URL{Scheme: "file", Path: "/" + path}).String() }
