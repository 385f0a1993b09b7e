package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Fetch writes the captured bytes of a snapshot, verified, to the file at path.
type Fetch func(ctx context.Context, s model.Snapshot, path string) error

// Place puts the document into a child's folder, unless it is there from an
// earlier request, and returns its path; at most one document is kept.
func Place(ctx context.Context, dir string, s model.Snapshot, fetch Fetch) (string, error) {
	name := "raw-" + s.SourceID + "-" + strings.TrimPrefix(s.ContentHash, "sha256:")
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("folder of the child: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "raw-") {
			_ = os.Remove(filepath.Join(dir, e.Name())) // at worst it stays until the child goes
		}
	}
	if err := fetch(ctx, s, path+".part"); err != nil {
		return "", err
	}
	if err := os.Rename(path+".part", path); err != nil {
		return "", fmt.Errorf("folder of the child: %w", err)
	}
	return path, nil
}
