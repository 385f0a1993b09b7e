package devstack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/devstack"
	"github.com/colophon-dev/colophon/devstack/supervisor"
)

// childOf returns the process of this one that was started for a role.
func childOf(t *testing.T, role string) int {
	t.Helper()
	links, err := filepath.Glob("/proc/[1-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		environ, err := os.ReadFile(link)
		if err != nil || !slices.Contains(strings.Split(string(environ), "\x00"), "COLOPHON_DEVSTACK_CHILD="+role) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err != nil {
			t.Fatal(err)
		}
		if parentOf(pid) == os.Getpid() {
			return pid
		}
	}
	return 0
}

// parentOf returns the parent of a process, 0 where the process is gone or only waits to be forgotten.
func parentOf(pid int) int {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0
	}
	_, fields, _ := bytes.Cut(stat, []byte(") "))
	parts := strings.Fields(string(fields))
	if len(parts) < 2 || parts[0] == "Z" {
		return 0
	}
	parent, err := strconv.Atoi(parts[1])
	if err != nil {
		return 0
	}
	return parent
}

// postmasterOf returns the process of the database server of a stack.
func postmasterOf(dir string) int {
	content, err := os.ReadFile(filepath.Join(dir, "postgres", "data", "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return 0
	}
	return pid
}

// until asks until what it asks for is so.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); !so(); {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// kill ends a process as nobody can prevent.
func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

// supervised is a stack that is supervised until the test ends.
func supervised(t *testing.T, options devstack.Options) (stack *devstack.Stack, told chan string, result chan error) {
	t.Helper()
	stack, err := devstack.Start(contextOf(t), options)
	if err != nil {
		if os.Getenv("CI") != "true" && strings.Contains(err.Error(), "not installed") {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	told, result = make(chan string, 100), make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		result <- stack.Supervise(ctx, func(line string) { told <- line })
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		if err := stack.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return stack, told, result
}

// TestSupervisionMendsKills kills the database server, the process above it, and the object store, three times each
// after one another: each time what was acknowledged is there, at the same address.
func TestSupervisionMendsKills(t *testing.T) {
	dir := t.TempDir()
	stack, told, _ := supervised(t, devstack.Options{Dir: dir})
	before := stack.Endpoints()
	connect(t, before).put(t)
	for round := range 3 {
		victims := map[string]func() int{
			"s3": func() int { return childOf(t, "s3") },
			"postgres": func() int {
				if round == 1 {
					return childOf(t, "postgres") // which leaves the server without anybody who would end it
				}
				return postmasterOf(dir)
			},
		}
		for part, find := range victims {
			victim := find()
			if victim == 0 {
				t.Fatalf("no process of %s is found", part)
			}
			kill(t, victim)
			select {
			case line := <-told:
				if want := fmt.Sprintf("try %d of 4", round+1); !strings.HasPrefix(line, part+" ended: ") ||
					!strings.Contains(line, "signal: killed") || !strings.Contains(line, want) {
					t.Errorf("told %q; killed was %s, want %q", line, part, want)
				}
			case <-time.After(time.Minute):
				t.Fatalf("nothing is said of the end of %s", part)
			}
			until(t, part+" runs again", func() bool { return stack.Down() == nil && find() != 0 && find() != victim })
		}
		if after := stack.Endpoints(); after != before {
			t.Errorf("the endpoints are %+v, were %+v", after, before)
		}
		connect(t, before).check(t)
	}
}

// TestABusyBackendDoesNotHoldUpTheRestart kills the database server while one of its processes works and would not
// notice for a minute.
func TestABusyBackendDoesNotHoldUpTheRestart(t *testing.T) {
	dir := t.TempDir()
	stack, told, _ := supervised(t, devstack.Options{Dir: dir, NoSync: true, Only: []string{"postgres"}})
	url := stack.Endpoints().PostgresURL
	busy, err := pgx.Connect(contextOf(t), url)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close(context.Background())
	cut := make(chan error, 1)
	go func() {
		_, err := busy.Exec(context.Background(), `DO $$ DECLARE until timestamptz := clock_timestamp() + interval '1 minute';
			BEGIN WHILE clock_timestamp() < until LOOP END LOOP; END $$`)
		cut <- err
	}()
	other, err := pgx.Connect(contextOf(t), url)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	until(t, "the other works", func() bool {
		var n int
		err := other.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()`).Scan(&n)
		return err == nil && n == 1
	})
	begin := time.Now()
	kill(t, postmasterOf(dir))
	<-told
	until(t, "it runs again", func() bool { return stack.Down() == nil })
	if took := time.Since(begin); took > 8*time.Second {
		t.Errorf("it took %v", took)
	}
	if err := <-cut; err == nil {
		t.Error("the work of the old server ended well")
	}
	connection, err := pgx.Connect(contextOf(t), url)
	if err != nil {
		t.Fatal(err)
	}
	_ = connection.Close(t.Context())
}

// TestAPartThatCannotBeKeptEndsTheSupervision takes away what the object store needs to start.
func TestAPartThatCannotBeKeptEndsTheSupervision(t *testing.T) {
	dir := t.TempDir()
	_, _, result := supervised(t, devstack.Options{Dir: dir, NoSync: true, Only: []string{"s3", "nats"}})
	victim := childOf(t, "s3")
	if err := os.Rename(filepath.Join(dir, "s3"), filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "s3"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	kill(t, victim)
	select {
	case err := <-result:
		var gaveUp *supervisor.GaveUpError
		if !errors.As(err, &gaveUp) || gaveUp.Name != "s3" {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it goes on without the object store")
	}
}

// TestStoppedPartsAreNotDead stops parts by hand: nobody starts them again.
func TestStoppedPartsAreNotDead(t *testing.T) {
	stack, told, _ := supervised(t, devstack.Options{Dir: t.TempDir(), NoSync: true})
	if err := errors.Join(stack.S3.Stop(t.Context()), stack.Postgres.Stop(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := stack.S3.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	stack.S3.Kill()
	if len(told) > 0 || stack.Down() != nil {
		t.Errorf("told %d lines, down: %v", len(told), stack.Down())
	}
}

// TestNoOrphanOfTwoKills kills the owner and the process above the database server, which can do nothing about it:
// nobody is left who would end the server, but the kernel.
func TestNoOrphanOfTwoKills(t *testing.T) {
	dir := t.TempDir()
	_, killOwner := startProcess(t, dir)
	server := postmasterOf(dir)
	above := parentOf(server)
	if server == 0 || above <= 1 {
		t.Fatalf("server %d, above it %d", server, above)
	}
	if err := syscall.Kill(above, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	killOwner()
	kill(t, above)
	until(t, "the server is gone", func() bool { return parentOf(server) == 0 })
}
