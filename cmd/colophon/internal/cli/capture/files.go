package capture

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk"
	"github.com/colophon-dev/colophon/pkg/sdk/inbox"
)

// file is a file to capture: where it is, and the path that its document is known
// by.
type file struct{ path, name string }

// filesOf returns the file that is named, or all files of a folder and those in
// it, but hidden ones. as is the path that the argument is known by: empty for a
// file's own name and a folder without one (contracts#request-id).
func filesOf(arg, as string) ([]file, error) {
	info, err := os.Stat(arg)
	if err != nil {
		return nil, cli.Usagef("%s: %v", arg, errors.Unwrap(err))
	}
	if !info.IsDir() {
		if !info.Mode().IsRegular() {
			return nil, cli.Usagef("%s is no regular file", arg)
		}
		if as == "" {
			as = filepath.Base(arg)
		}
		return []file{{path: arg, name: as}}, nil
	}
	var files []file
	err = filepath.WalkDir(arg, func(at string, d fs.DirEntry, err error) error {
		hidden := at != arg && strings.HasPrefix(d.Name(), ".")
		switch {
		case err != nil:
			return err
		case hidden && d.IsDir():
			return fs.SkipDir
		case hidden || !d.Type().IsRegular():
			return nil
		}
		name, err := filepath.Rel(arg, at)
		files = append(files, file{path: at, name: path.Join(as, filepath.ToSlash(name))})
		return err
	})
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, err
}

// Listed returns the path that a line of a list is known by: as it stands there,
// cleaned, and without what leads to the root or out of the folder.
func Listed(line string) string {
	name := path.Clean(filepath.ToSlash(line))
	for {
		switch rest, up := strings.CutPrefix(name, "../"); {
		case up:
			name = rest
		case name == "." || name == ".." || name == "/":
			return ""
		default:
			return strings.TrimLeft(name, "/")
		}
	}
}

// CheckNames refuses different files that would be versions of one document.
func CheckNames(requests []Handover) error {
	first := make(map[string]string, len(requests))
	for _, r := range requests {
		if r.file.path == "" {
			continue
		}
		other, taken := first[r.URL]
		if !taken {
			first[r.URL] = r.file.path
			continue
		}
		a, err := os.Stat(other)
		if err != nil {
			return err
		}
		b, err := os.Stat(r.file.path)
		if err != nil {
			return err
		}
		if !os.SameFile(a, b) {
			return cli.Usagef("%s and %s would both be %s, versions of one document: nothing was sent.\n"+
				"Name a folder that holds both, or list them on standard input (`colophon capture -`): both keep their folders apart",
				other, r.file.path, r.URL)
		}
	}
	return nil
}

func fileRequest(ctx context.Context, blobs *blobstore.Store, f file, o Options) (Handover, error) {
	facts := event.CaptureRequested{
		SourceID: o.Source, URL: sdk.FileURL(f.name), Filename: filepath.Base(f.name), Force: o.force, Language: o.Language,
		FetchToolVersion: "colophon-cli",
	}
	if o.At != "" {
		at, err := time.Parse(time.RFC3339, o.At)
		if err != nil {
			return Handover{}, cli.Usagef("--at %q: must be RFC 3339, like 2026-03-12T09:00:00Z", o.At)
		}
		at = at.UTC().Truncate(time.Second)
		facts.RetrievedAt, facts.LastModified = &at, &at
	} else if info, err := os.Stat(f.path); err == nil { // else the request says why not
		at := info.ModTime().UTC().Truncate(time.Microsecond) // two versions may be of one second
		facts.RetrievedAt = &at
	}
	request := sdk.FileRequest
	if lower := strings.ToLower(f.name); strings.HasSuffix(lower, ".warc") || strings.HasSuffix(lower, ".warc.gz") {
		request = sdk.WARCRequest
	}
	r, err := request(ctx, inbox.Of(blobs), f.path, facts)
	if err != nil {
		return Handover{}, err
	}
	h := Handover{CaptureRequested: r, file: f}
	switch {
	case r.Inline != nil:
		h.path, h.Inline, h.hash = f.path, nil, digest.Content(r.Inline.ContentBase64)
	case r.Object != nil:
		h.hash = "sha256:" + path.Base(r.Object.Key)
	default:
		h.hash = "sha256:" + path.Base(r.WARC.Key)
	}
	if o.force {
		h.RequestID = digest.CaptureFileRequestID(f.name, h.hash, nonce())
	}
	return h, nil
}

func nonce() string {
	raw := make([]byte, 12)
	_, _ = rand.Read(raw) // never fails (crypto/rand)
	return hex.EncodeToString(raw)
}
