package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/local"
	"github.com/colophon-dev/colophon/devstack/postgres"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/model"
)

// installation is `colophon dev` as a process of its own.
type installation struct {
	*testing.T
	dir     string
	process *os.Process
	ended   chan struct{}
	err     error // of the end
	output  string
	sent    []string // what was captured, by URL
}

// install starts `colophon dev` from a copy of this binary, beside which the services
// lie under their names.
func install(t *testing.T, flags ...string) *installation {
	t.Helper()
	return installAt(t, filepath.Join(t.TempDir(), "dev"), flags...)
}

// installAt is install with a folder of one's own.
func installAt(t *testing.T, dir string, flags ...string) *installation {
	t.Helper()
	if _, err := postgres.New(postgres.Options{Dir: t.TempDir()}); errors.Is(err, postgres.ErrNotInstalled) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	command := filepath.Join(bin, "colophon")
	if err := os.Link(self, command); err != nil {
		data, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(command, data, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name := range services() {
		if err := os.Symlink(command, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	i := &installation{T: t, dir: dir, ended: make(chan struct{})}
	file, err := os.Create(filepath.Join(bin, "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	i.output = file.Name()
	cmd := exec.Command(command, append([]string{"--dir", i.dir, "dev", "--http", "127.0.0.1:0"}, flags...)...)
	cmd.Env = append([]string{"COLOPHON_HEALTH_ADDR=127.0.0.1:0"}, append(os.Environ(), asCommand+"=1")...) // a test may set another
	cmd.Stdout, cmd.Stderr = file, file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	i.process = cmd.Process
	go func() {
		defer close(i.ended)
		i.err = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = i.process.Signal(syscall.SIGTERM)
		select {
		case <-i.ended:
		case <-time.After(time.Minute):
			_ = i.process.Kill()
			t.Error("dev does not end")
		}
		if t.Failed() {
			t.Logf("dev said:\n%s", i.said())
		}
	})
	i.until("it is ready", func() bool {
		_, err := os.Stat(filepath.Join(i.dir, config.EndpointsFile))
		return err == nil
	})
	i.must("source", "add", "council", "--name", "The council", "--language", "en")
	return i
}

func (i *installation) said() string {
	i.Helper()
	text, err := os.ReadFile(i.output)
	if err != nil {
		i.Error(err)
	}
	return string(text)
}

// until asks until what it asks for is so; dev must not end meanwhile.
func (i *installation) until(what string, so func() bool) {
	i.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for over := time.After(2 * time.Minute); !so(); {
		select {
		case <-tick.C:
		case <-i.ended:
			i.Fatalf("while waiting until %s, dev ended with %v:\n%s", what, i.err, i.said())
		case <-over:
			i.Fatalf("waited in vain until %s", what)
		}
	}
}

// must gives a command, again where something it needs is away at the moment.
func (i *installation) must(args ...string) string {
	i.Helper()
	var out, problems bytes.Buffer
	i.until(strings.Join(args, " "), func() bool {
		out.Reset()
		problems.Reset()
		return run(i.Context(), append([]string{"--dir", i.dir}, args...), &out, &problems) == cli.ExitDone
	})
	return out.String()
}

// capture sends some new documents, and does not wait for them.
func (i *installation) capture(n int) {
	i.Helper()
	folder := i.TempDir()
	for range n {
		name := fmt.Sprintf("page-%d.txt", len(i.sent))
		text := fmt.Sprintf("%s\nThis is decision number %d of the council.\n", english, len(i.sent))
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			i.Fatal(err)
		}
		i.sent = append(i.sent, name)
	}
	i.must("capture", "--source", "council", folder)
}

// allArrived waits until each document that was sent is done and has its chunks, and
// verifies all of it.
func (i *installation) allArrived() {
	i.Helper()
	values, err := config.ReadFile(filepath.Join(i.dir, config.EndpointsFile))
	if err != nil {
		i.Fatal(err)
	}
	db, err := catalog.Open(i.Context(), catalog.Config{URL: values["COLOPHON_POSTGRES_URL"]})
	if err != nil {
		i.Fatal(err)
	}
	defer db.Close()
	i.until("all documents have arrived", func() bool {
		results, err := db.Results(i.Context(), "", nil)
		done := 0
		for _, r := range results {
			if r.InError() {
				i.Fatalf("%s failed: %s %s", r.URL, r.Reason, r.Message)
			}
			if model.RunState(r.State).Terminal() && slices.ContainsFunc(i.sent, func(name string) bool { return strings.HasSuffix(r.URL, "/"+name) }) {
				done++
			}
		}
		return err == nil && done == len(i.sent)
	})
	i.until("every chunk verifies", func() bool {
		var out, problems bytes.Buffer
		return run(i.Context(), []string{"--dir", i.dir, "verify", "--all"}, &out, &problems) == cli.ExitDone
	})
}

// child returns the process below dev that a condition holds of, 0 when there is none.
func (i *installation) child(is func(proc string) bool) int {
	i.Helper()
	folders, err := filepath.Glob("/proc/[1-9]*")
	if err != nil {
		i.Fatal(err)
	}
	for _, proc := range folders {
		stat, err := os.ReadFile(filepath.Join(proc, "stat"))
		if err != nil {
			continue
		}
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		if fields := strings.Fields(string(rest)); len(fields) < 2 || fields[0] == "Z" || fields[1] != strconv.Itoa(i.process.Pid) || !is(proc) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(proc)); err == nil {
			return pid
		}
	}
	return 0
}

// objectStore and service find children of dev.
func (i *installation) objectStore() int {
	return i.child(func(proc string) bool {
		environ, err := os.ReadFile(filepath.Join(proc, "environ"))
		return err == nil && bytes.Contains(environ, []byte("COLOPHON_DEVSTACK_CHILD=s3\x00"))
	})
}

func (i *installation) service(name string) int {
	return i.child(func(proc string) bool {
		line, err := os.ReadFile(filepath.Join(proc, "cmdline"))
		program, _, _ := bytes.Cut(line, []byte{0})
		return err == nil && filepath.Base(string(program)) == name
	})
}

// database is the process of the database server.
func (i *installation) database() int {
	content, err := os.ReadFile(filepath.Join(local.ServersDir(i.dir), "postgres", "data", "postmaster.pid"))
	if err != nil {
		return 0
	}
	lines := strings.Split(string(content), "\n")
	pid, err := strconv.Atoi(lines[0])
	if err != nil || len(lines) < 8 || strings.TrimSpace(lines[7]) != "ready" {
		return 0
	}
	return pid
}

// kill ends a process at once, and waits until another is in its place.
func (i *installation) kill(what string, find func() int) {
	i.Helper()
	victim := 0
	i.until(what+" is found", func() bool { victim = find(); return victim != 0 })
	if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
		i.Fatalf("killing %s, %d: %v", what, victim, err)
	}
	i.until(what+" is there again", func() bool { now := find(); return now != 0 && now != victim })
}

// TestDevOutlivesItsServers kills the database server and the object store three times
// each while documents go through: dev goes on at the same addresses, and nothing is lost.
func TestDevOutlivesItsServers(t *testing.T) {
	i := install(t)
	before, err := config.ReadFile(filepath.Join(i.dir, config.EndpointsFile))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		i.capture(6)
		i.kill("the database server", i.database)
		i.capture(6)
		i.kill("the object store", i.objectStore)
	}
	i.allArrived()
	after, err := config.ReadFile(filepath.Join(i.dir, config.EndpointsFile))
	if err != nil || fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the endpoints are %v, were %v: %v", after, before, err)
	}
	for _, part := range []string{"postgres", "s3"} {
		if n := strings.Count(i.said(), "colophon: "+part+" ended: "); n != 3 {
			t.Errorf("%d deaths of %s are told", n, part)
		}
	}
	i.healsItsStreams(before)
	// A deliberate end is no death.
	if err := i.process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	select {
	case <-i.ended:
		if i.err != nil || strings.Count(i.said(), " ended: ") != 6 {
			t.Errorf("it ended with %v", i.err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
}

// healsItsStreams deletes streams and the collection: the gateway says so, and is ready
// again by itself.
func (i *installation) healsItsStreams(values map[string]string) {
	i.Helper()
	bus, err := nats.Connect(values["COLOPHON_NATS_URL"])
	if err != nil {
		i.Fatal(err)
	}
	defer bus.Close()
	js, err := jetstream.New(bus)
	if err != nil {
		i.Fatal(err)
	}
	ready := func() int {
		resp, err := http.Get(values["COLOPHON_GATEWAY_URL"] + "/readyz")
		if err != nil {
			return 0
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	i.until("the gateway is ready", func() bool { return ready() == http.StatusOK })
	for _, name := range []string{"REQUESTS", "SNAPSHOTS", "PAGES", "IR", "CHUNKS", "VECTORS", "OUTCOMES"} {
		if err := js.DeleteStream(i.Context(), name); err != nil {
			i.Fatal(err)
		}
	}
	i.until("it is told", func() bool {
		return strings.Contains(i.said(), "the streams are made again: stream REQUESTS does not exist")
	})
	i.until("the gateway is ready again", func() bool { return ready() == http.StatusOK })
	i.capture(2)
	i.allArrived()
}

// TestServicesOfTheirOwnAreStartedAgain kills each service of `dev --separate` while
// documents go through, and at last dev itself: nothing is lost, and nobody is left.
func TestServicesOfTheirOwnAreStartedAgain(t *testing.T) {
	i := install(t, "--separate")
	for name := range services() {
		i.capture(3)
		i.kill(name, func() int { return i.service(name) })
	}
	for range 2 {
		i.capture(3)
		i.kill("extractor", func() int { return i.service("extractor") })
	}
	i.allArrived()
	left := []int{i.database(), i.objectStore()}
	for name := range services() {
		left = append(left, i.service(name))
	}
	if err := i.process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-i.ended
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	over := time.After(time.Minute)
	for _, pid := range left {
		for pid == 0 || !gone(pid) {
			select {
			case <-tick.C:
			case <-over:
				t.Fatalf("of %v, %d outlives dev", left, pid)
			}
		}
	}
}

// gone reports whether a process has ended, also when nobody has asked how.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	return err != nil || bytes.HasPrefix(rest, []byte("Z"))
}
