// Package kinds says which kinds of containers there are.
package kinds

import (
	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/container/gzipfile"
	"github.com/colophon-dev/colophon/pkg/container/tarfile"
	"github.com/colophon-dev/colophon/pkg/container/warc"
	"github.com/colophon-dev/colophon/pkg/container/zipfile"
)

// All returns the table of kinds: one line each.
func All() container.Kinds {
	return container.Kinds{
		zipfile.Kind(),
		tarfile.Kind(),
		tarfile.CompressedKind(),
		gzipfile.Kind(), // behind all others within gzip
		warc.Kind(),
	}
}
