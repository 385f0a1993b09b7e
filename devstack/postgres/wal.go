package postgres

import (
	"fmt"

	"github.com/colophon-dev/colophon/devstack/disk"
)

const (
	mebibyte = 1 << 20
	// walShare is the part of the free disk that the log of changes (pg_wal) may take between two checkpoints.
	walShare = 16
	// walDefault is PostgreSQL's own limit: where it is below the share nothing is set.
	walDefault = 1024 * mebibyte
	// walLeast is four segments, of which PostgreSQL needs two.
	walLeast = 64 * mebibyte
	// walKept is two segments: what PostgreSQL keeps in any case, in place of 80 MiB.
	walKept = 32 * mebibyte
)

// walFlags bound the log of changes on a small disk, where PostgreSQL's own limit of 1 GiB would fill it before the
// documents do. What is not known sets nothing.
func walFlags(data string) []string {
	free, err := disk.Free(data)
	if err != nil {
		return nil
	}
	return walFlagsFor(free)
}

// walFlagsFor is walFlags of so many bytes that are free.
func walFlagsFor(free int64) []string {
	most := max(free/walShare, walLeast)
	if most >= walDefault {
		return nil
	}
	return []string{"-c", fmt.Sprintf("max_wal_size=%dMB", most/mebibyte), "-c", fmt.Sprintf("min_wal_size=%dMB", walKept/mebibyte)}
}
