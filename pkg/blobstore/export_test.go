package blobstore

import (
	"io"

	"github.com/colophon-dev/colophon/pkg/scratch"
)

// NewFile is fill for a new file in dir.
func NewFile(dir string, r io.Reader, limit int64) (*File, error) {
	temporary, err := scratch.Create(dir)
	if err != nil {
		return nil, err
	}
	return fill(temporary, r, limit)
}
