package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/config"
)

// smallDisk is a folder with a file system of its own, of so many MiB.
func smallDisk(t *testing.T, mebibytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0711", mebibytes)); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// devOn runs `dev --only servers` until it is ready, or has ended, and returns its exit
// status, what it said, and what it wrote for the other commands.
func devOn(t *testing.T, dir string) (code int, said string, values map[string]string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var problems bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"--dir", dir, "dev", "--only", "servers"}, &bytes.Buffer{}, &problems)
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case code := <-ended:
			return code, problems.String(), values
		case <-tick.C:
			if read, err := config.ReadFile(filepath.Join(dir, config.EndpointsFile)); err == nil {
				values = read
				stop()
			}
		}
	}
}

// TestASmallDiskIsSaidInWords starts dev on disks that are too small, small, and full
// of something else.
func TestASmallDiskIsSaidInWords(t *testing.T) {
	t.Run("too small", func(t *testing.T) {
		code, said, _ := devOn(t, filepath.Join(smallDisk(t, 20), "dev"))
		if code != cli.ExitUsage || !strings.Contains(said, "has 20 MiB free, and a new system needs 64 MiB") || !strings.Contains(said, "--dir") {
			t.Errorf("exit %d: %s", code, said)
		}
	})
	t.Run("small, and then smaller", func(t *testing.T) {
		disk := smallDisk(t, 420)
		dir := filepath.Join(disk, "dev")
		code, said, values := devOn(t, dir)
		if values == nil || !strings.Contains(said, "capture requests that wait may take") || !strings.Contains(said, "COLOPHON_REQUEST_BYTES") ||
			values["COLOPHON_REQUEST_BYTES"] == "" {
			t.Fatalf("exit %d: %s\n%v", code, said, values)
		}
		if err := os.WriteFile(filepath.Join(disk, "other"), make([]byte, 250<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		code, said, again := devOn(t, dir)
		if again == nil || again["COLOPHON_REQUEST_BYTES"] == values["COLOPHON_REQUEST_BYTES"] {
			t.Errorf("exit %d: %s\n%v, before %v", code, said, again, values)
		}
	})
	t.Run("less than is asked for", func(t *testing.T) {
		t.Setenv("COLOPHON_REQUEST_BYTES", "536870912")
		code, said, _ := devOn(t, filepath.Join(smallDisk(t, 150), "dev"))
		if code != cli.ExitUsage || !strings.Contains(said, "sets aside up to 512 MiB (COLOPHON_REQUEST_BYTES)") || strings.Contains(said, "10047") {
			t.Errorf("exit %d: %s", code, said)
		}
	})
	t.Run("full at the start", func(t *testing.T) {
		disk := smallDisk(t, 110)
		dir := filepath.Join(disk, "dev")
		if _, said, values := devOn(t, dir); values == nil {
			t.Fatal(said)
		}
		var left syscall.Statfs_t
		if err := syscall.Statfs(disk, &left); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(disk, "other"), make([]byte, int64(left.Bavail)*left.Bsize-4096), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, said, _ := devOn(t, dir); code == cli.ExitDone || !strings.Contains(said, "has only 0 MiB free") {
			t.Errorf("exit %d: %s", code, said)
		}
	})
}
