package main

import (
	"bufio"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/devstack"
)

// mainVariable makes this test binary the command itself.
const mainVariable = "DEVSTACK_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(mainVariable) != "" || os.Getenv("COLOPHON_DEVSTACK_CHILD") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// launch runs the command; output is the file that it prints to, ended gets the result of its end.
func launch(t *testing.T, args ...string) (process *os.Process, output string, ended <-chan error) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(path, args...)
	command.Env = append(os.Environ(), mainVariable+"=1")
	command.Stderr = os.Stderr
	file, err := os.CreateTemp(t.TempDir(), "output")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	command.Stdout = file
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() { result <- command.Wait() }()
	t.Cleanup(func() { _ = command.Process.Kill() })
	return command.Process, file.Name(), result
}

// await asks until what it asks for is there, the process has ended, or a minute is over.
func await(t *testing.T, what string, ended <-chan error, ready func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ready(); {
		select {
		case err := <-ended:
			if os.Getenv("CI") != "true" {
				t.Skipf("the stack does not start here: %v", err)
			}
			t.Fatalf("waiting for %s: ended: %v", what, err)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited for %s in vain", what)
		}
	}
}

func awaitEnd(t *testing.T, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("did not end")
	}
}

func freeAddr(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func TestRunUntilTerminated(t *testing.T) {
	dir, nats, qdrant, s3 := t.TempDir(), freeAddr(t), freeAddr(t), freeAddr(t)
	process, output, ended := launch(t, "--dir", dir, "--nats", nats, "--qdrant", qdrant, "--s3", s3)
	var printed string
	await(t, "ready", ended, func() bool {
		content, err := os.ReadFile(output)
		printed = string(content)
		return err == nil && strings.HasSuffix(printed, "\nready\n")
	})
	for _, want := range []string{"COLOPHON_NATS_URL=nats://" + nats, "COLOPHON_QDRANT_ADDR=" + qdrant,
		"COLOPHON_S3_ENDPOINT=http://" + s3, "COLOPHON_S3_ACCESS_KEY=", "COLOPHON_S3_SECRET_KEY=",
		"COLOPHON_POSTGRES_URL=postgres://"} {
		if !strings.Contains("\n"+printed, "\n"+want) {
			t.Errorf("no line %s… in %s", want, printed)
		}
	}
	if err := process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, ended)
}

func TestServeEndsWithTheLastLease(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "stack")
	socket := filepath.Join(t.TempDir(), "lease")
	_, _, ended := launch(t, "--dir", dir, "--no-sync", "--serve", socket, "--idle", "500ms")
	var first net.Conn
	await(t, "a lease", ended, func() bool {
		var err error
		first, err = net.Dial("unix", socket)
		return err == nil
	})
	second, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	for _, lease := range []net.Conn{first, second} {
		lines := bufio.NewScanner(lease)
		count := 0
		for lines.Scan() && lines.Text() != "ready" {
			count++
		}
		if count != 6 {
			t.Errorf("a lease told %d endpoints", count)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		t.Fatalf("ended while a lease was held: %v", err)
	case <-time.After(time.Second):
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, ended)
	if _, err := os.Stat(dir); err == nil {
		t.Error("the stack left its folder behind")
	}
}

func TestServeRefusesAFolderThatHoldsSomething(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := serve(t.Context(), devstack.Options{Dir: dir}, filepath.Join(dir, "lease"), 0); err == nil {
		t.Error("a folder that holds something was taken, and removed")
	}
	if _, err := os.Stat(filepath.Join(dir, "mine")); err != nil {
		t.Error(err)
	}
}

func TestLeaseAtTheLastMoment(t *testing.T) {
	leases := &leaseCounter{idle: time.Hour, timer: time.AfterFunc(time.Hour, func() {})}
	if !leases.take() || !leases.take() {
		t.Fatal("no lease while there is time")
	}
	leases.give()
	leases.give()
	leases.timer.Stop()
	if leases.take() {
		t.Error("a lease after the time has run out")
	}
}

// TestAPartThatDiesIsStartedAgain kills the database server of a running command, and then takes away what it needs.
func TestAPartThatDiesIsStartedAgain(t *testing.T) {
	dir := t.TempDir()
	process, output, ended := launch(t, "--dir", dir, "--only", "postgres", "--no-sync")
	await(t, "ready", ended, func() bool {
		content, err := os.ReadFile(output)
		return err == nil && strings.HasSuffix(string(content), "\nready\n")
	})
	server := func() int {
		content, err := os.ReadFile(filepath.Join(dir, "postgres", "data", "postmaster.pid"))
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
	first := server()
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the next server", ended, func() bool { return server() != 0 && server() != first })
	if err := os.WriteFile(filepath.Join(dir, "postgres", "data", "PG_VERSION"), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(server(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Errorf("process %d goes on without its server", process.Pid)
	}
}
