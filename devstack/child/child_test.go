package child_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/devstack/child"
)

func TestMain(m *testing.M) {
	roles := map[string]child.Role{
		"echo": func(ctx context.Context, config []byte, ready func(string)) error {
			fmt.Println("secret" + strings.Join(os.Args[1:], " "))
			ready(strings.TrimSpace(string(config)))
			<-ctx.Done()
			return nil
		},
		"fails": func(context.Context, []byte, func(string)) error { return errors.New("no such luck") },
		"waits": func(ctx context.Context, _ []byte, _ func(string)) error {
			<-ctx.Done()
			return ctx.Err()
		},
	}
	if child.Main(roles) {
		return
	}
	os.Exit(m.Run())
}

func logPath(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "log")
}

func TestConfigAndReport(t *testing.T) {
	log := logPath(t)
	process, report, err := child.Start(t.Context(), "echo", map[string]int{"n": 7}, log)
	if err != nil {
		t.Fatal(err)
	}
	if report != `{"n":7}` {
		t.Errorf("reported %q", report)
	}
	if err := process.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if printed, err := os.ReadFile(log); err != nil || string(printed) != "secret\n" {
		t.Errorf("log: %q, %v", printed, err)
	}
}

func TestFailureIsTold(t *testing.T) {
	for role, want := range map[string]string{"fails": "no such luck", "unknown": "no role"} {
		if _, _, err := child.Start(t.Context(), role, nil, logPath(t)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", role, err)
		}
	}
}

func TestStartGivesUpWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, _, err := child.Start(ctx, "waits", nil, logPath(t)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("started with %v", err)
	}
}

func TestKill(t *testing.T) {
	process, _, err := child.Start(t.Context(), "echo", nil, logPath(t))
	if err != nil {
		t.Fatal(err)
	}
	process.Kill()
	if err := process.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	held, err := child.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := child.Lock(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("locked twice: %v", err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := child.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = again.Close()
}
