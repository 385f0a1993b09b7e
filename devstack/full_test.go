package devstack_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/devstack"
)

// TestAFullDiskIsSaidAndOutlived fills the disk under streams, one of which is written to meanwhile, and frees it again:
// the stack says both, each stream acknowledges again at the same address, and what was acknowledged before is there.
func TestAFullDiskIsSaidAndOutlived(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=40m"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	stack, told, _ := supervised(t, devstack.Options{Dir: filepath.Join(dir, "stack"), NoSync: true, Only: []string{"nats", "qdrant"}})
	bus, err := nats.Connect(stack.Endpoints().NATSURL, nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	js, err := jetstream.New(bus)
	if err != nil {
		t.Fatal(err)
	}
	streams := []string{"WRITTEN", "QUIET"}
	for _, name := range streams {
		// Set aside is most of the disk: with what is free later the server would not open it again.
		if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{name}, MaxBytes: 16 << 20}); err != nil {
			t.Fatal(err)
		}
	}
	publish := func(name string) error {
		limited, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := js.Publish(limited, name, make([]byte, 20_000))
		return err
	}
	for round := range 2 {
		acknowledged := map[string]uint64{}
		count := func() {
			for _, name := range streams {
				stream, err := js.Stream(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				acknowledged[name] = stream.CachedInfo().State.Msgs
			}
		}
		for _, name := range streams {
			if err := publish(name); err != nil {
				t.Fatal(err)
			}
		}
		count()
		filler := filepath.Join(dir, "filler")
		fillDisk(t, filler)
		until(t, "a publish is refused", func() bool { return publish("WRITTEN") != nil })
		until(t, "it says so", func() bool {
			down := stack.Down()
			return down != nil && strings.Contains(down.Error(), filepath.Join(dir, "stack"))
		})
		if line := <-told; !strings.Contains(line, filepath.Join(dir, "stack")+" has 0 MiB free") {
			t.Errorf("round %d: told %q", round, line)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		freed := time.Now()
		for _, name := range streams {
			until(t, name+" acknowledges again", func() bool { return publish(name) == nil })
		}
		if took := time.Since(freed); took > 10*time.Second {
			t.Errorf("round %d: it took %s", round, took)
		}
		until(t, "all is well", func() bool { return stack.Down() == nil })
		if line := <-told; !strings.Contains(line, "nats was started again") {
			t.Errorf("round %d: told %q", round, line)
		}
		before := fmt.Sprint(acknowledged)
		count()
		if acknowledged["QUIET"] != uint64(2*(round+1)) || acknowledged["WRITTEN"] < uint64(2*(round+1)) {
			t.Errorf("round %d: %v, before %s", round, acknowledged, before)
		}
	}
	if len(told) > 0 {
		t.Errorf("told besides: %q", <-told)
	}
}

// fillDisk writes a file until there is no room.
func fillDisk(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, size := range []int{1 << 20, 4096, 1} {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}
