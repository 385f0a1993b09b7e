//go:build faultpoints

package faultpoint

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const childVariable = "FAULTPOINT_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	Reach("a.written")
	ReachFor("b.written", "me")
}

// dies reports whether a process that passes two points dies.
func dies(t *testing.T, path string) bool {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"=1", fileVariable+"="+path)
	return cmd.Run() != nil
}

func TestReach(t *testing.T) {
	for armed, want := range map[string]bool{
		"": false, "c.written": false, "a.written": true, "b.written": true, "b.written me": true, "b.written you": false,
		"a.written me": false,
	} {
		path := filepath.Join(t.TempDir(), "armed")
		if err := os.WriteFile(path, []byte(armed), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := dies(t, path); got != want {
			t.Errorf("armed %q: dies %v", armed, got)
		}
		if want && dies(t, path) {
			t.Errorf("armed %q: dies twice", armed)
		}
		if err := os.Rename(path, path+".always"); err == nil && want {
			t.Errorf("armed %q: the file is still there", armed)
		}
	}
}

func TestAlways(t *testing.T) {
	path := filepath.Join(t.TempDir(), "armed")
	if err := os.WriteFile(path+".always", []byte("b.written me"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if !dies(t, path) {
			t.Error("it lives")
		}
	}
}

func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "armed")
	if err := os.WriteFile(path+".hold", []byte("b.written me"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan bool)
	go func() { ended <- dies(t, path) }()
	deadline := time.After(time.Minute)
	for {
		if _, err := os.Stat(path + ".hold.reached"); err == nil {
			break
		}
		select {
		case <-ended:
			t.Fatal("it passed")
		case <-deadline:
			t.Fatal("it did not reach the point")
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := os.Remove(path + ".hold"); err != nil {
		t.Fatal(err)
	}
	if <-ended {
		t.Error("it died")
	}
}
