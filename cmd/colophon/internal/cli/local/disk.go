package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/devstack/disk"
	"github.com/colophon-dev/colophon/pkg/config"
)

const (
	// leastDisk is how many bytes must be free for a new system: one without a
	// document takes 40 MiB, and PostgreSQL's log of changes grows by 16 MiB at a time.
	leastDisk = 64 << 20

	requestBytes = config.Prefix + "REQUEST_BYTES"
	// mostRequestBytes is the setting's default.
	mostRequestBytes = 256 << 20
	// leastRequestBytes is the least that the setting allows.
	leastRequestBytes = 1 << 20
	// requestShare is which part of the free disk waiting requests may take: the rest is
	// for what they become. Bytes and rows of a document are more than its request.
	requestShare = 4
)

// checkDisk refuses to make a system where there is no room for one. One that is
// there is started in any case: something may be deleted in it.
func checkDisk(o Options) error {
	if _, err := os.Stat(filepath.Join(ServersDir(o.Dir), "postgres")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	free, err := disk.Free(o.Dir)
	if err != nil || free >= leastDisk {
		return err
	}
	return cli.Usagef("the disk of %s has %s free, and a new system needs %s: free some, or name a folder on another disk (%s)",
		o.Dir, disk.Text(free), disk.Text(leastDisk), o.Place)
}

// blameDisk says of an error beside it that the disk is nearly full, where it is.
func blameDisk(err error, o Options) error {
	free, unknown := disk.Free(o.Dir)
	if unknown != nil || free >= leastDisk {
		return err
	}
	return fmt.Errorf("%w (the disk of %s has only %s free: free some, or use a folder on another disk: %s)", err, o.Dir, disk.Text(free), o.Place)
}

// adaptToDisk returns settings that suit the free disk where their defaults do not,
// and says so. What the environment sets stays.
func adaptToDisk(o Options) (map[string]string, error) {
	free, err := disk.Free(o.Dir)
	if err != nil {
		return nil, err
	}
	fitting := max(free/requestShare, leastRequestBytes)
	if config.Environ()[requestBytes] != "" || fitting >= mostRequestBytes {
		return map[string]string{}, nil
	}
	o.tell(fmt.Sprintf("the disk of %s has %s free: capture requests that wait may take %s of it in place of %s; %s sets another number of bytes",
		o.Dir, disk.Text(free), disk.Text(fitting), disk.Text(mostRequestBytes), requestBytes))
	return map[string]string{requestBytes: strconv.FormatInt(fitting, 10)}, nil
}
