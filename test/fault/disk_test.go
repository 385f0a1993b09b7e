package fault

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/programs"
)

// disk is a file system of its own.
type disk struct{ dir string }

// diskMiB is how large a disk is: the bus sets aside what its streams may hold.
const diskMiB = 1024

// mount gives a folder a file system of its own.
func mount(t *testing.T, dir string) disk {
	t.Helper()
	if err := os.MkdirAll(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0711", diskMiB)); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return disk{dir}
}

// fill leaves no room on the disk, until release.
func (d disk) fill(r *rig) (release func()) {
	r.t.Helper()
	resize := func(size int64) error {
		return syscall.Mount("tmpfs", d.dir, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", size))
	}
	r.await(devtest.Patience, d.dir+" is full", func() bool {
		var state syscall.Statfs_t
		if err := syscall.Statfs(d.dir, &state); err != nil {
			r.t.Fatal(err)
		}
		used := max(int64(state.Blocks-state.Bfree), 1) * state.Bsize
		return resize(used) == nil // it is refused where more is used by now
	})
	return func() {
		if err := resize(diskMiB << 20); err != nil {
			r.t.Error(err)
		}
	}
}

// TestFullDisks fills the disk of each server, and that of temporary files, in the
// middle of work, and makes room again: what is left is what a run without faults
// leaves.
func TestFullDisks(t *testing.T) {
	if asked.form < wide {
		t.Skip("in the wide form")
	}
	programs.NeedServers(t)
	temporary := mount(t, filepath.Join(t.TempDir(), "temporary"))
	disks := map[string]disk{}
	r := startRigOn(t, func(name, dir string) {
		if name != "qdrant" {
			disks[name] = mount(t, dir)
		}
	})
	want := ""
	run := func(number int, work func(items []*item)) {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			r.begin(t, number)
			r.values["COLOPHON_TEMP_DIR"], r.values["COLOPHON_SPOOL_BYTES"] = temporary.dir, "4096"
			items := corpus(t, r.web.URL)
			r.startServices()
			work(items)
			var result row
			r.mustBeQuiet(&result)
			if want == "" {
				want = r.dump()
			}
			r.judge(&result, want, nil, []string{"malformed-"}, false)
			t.Logf("lost %d, doubled %d, stuck %d, quiet after %.1f s", result.lost, result.doubled, result.stuck, result.quiet.Seconds())
		})
	}
	run(40, func(items []*item) { r.send(act(items, false)...) })
	run(41, func(items []*item) {
		names := []string{"s3", "nats", "postgres", "temporary"}
		disks["temporary"] = temporary
		r.spread(items, len(names)+1, func(n int) {
			if n == len(names) {
				return
			}
			r.linger(500 * time.Millisecond)
			release := disks[names[n]].fill(r)
			r.linger(pick(0, 5*time.Second, time.Minute))
			release()
			// These two give up where they cannot write, and are started again by whoever made room.
			if name := names[n]; name == "nats" || name == "postgres" {
				r.servers[name].stop(syscall.SIGTERM)
				r.startAgain(name)
			}
		})
	})
}
