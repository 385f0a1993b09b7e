package postgres

import (
	"slices"
	"testing"
)

// TestASmallDiskIsNotFilledByTheLog: 432 of 600 MiB were PostgreSQL's, most of it its log of changes, when a tenth of
// that was documents.
func TestASmallDiskIsNotFilledByTheLog(t *testing.T) {
	t.Parallel()
	for free, want := range map[int64][]string{
		0:                           {"-c", "max_wal_size=64MB", "-c", "min_wal_size=32MB"},
		600 * mebibyte:              {"-c", "max_wal_size=64MB", "-c", "min_wal_size=32MB"},
		8 * 1024 * mebibyte:         {"-c", "max_wal_size=512MB", "-c", "min_wal_size=32MB"},
		16*1024*mebibyte - walShare: {"-c", "max_wal_size=1023MB", "-c", "min_wal_size=32MB"},
		16 * 1024 * mebibyte:        nil,
	} {
		if got := walFlagsFor(free); !slices.Equal(got, want) {
			t.Errorf("%d MiB free: %q, want %q", free/mebibyte, got, want)
		}
	}
}
