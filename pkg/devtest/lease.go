package devtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// startLimit is how long a stack may take to start.
	startLimit = Patience
	// idle is how long a stack stays without a lease: long enough for the next test binary of a run to be built.
	idle = 15 * time.Second
	// dialPause is the time between two looks for a stack that is starting.
	dialPause = 5 * time.Millisecond
)

// shared is this process's lease on the stack: one for all of its tests, held until the process ends.
var shared lease

// lease is a connection to a running stack, which ends when nobody has one.
type lease struct {
	mu     sync.Mutex
	values map[string]string
	lost   chan struct{} // closed when the stack has gone
}

// endpoints returns where the parts are. The first call joins the running stack or starts one, and so does a call after
// the stack has gone.
func (l *lease) endpoints() (map[string]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.values != nil {
		select {
		case <-l.lost:
		default:
			return l.values, nil
		}
	}
	values, connection, err := join()
	if err != nil {
		return nil, err
	}
	l.values, l.lost = values, make(chan struct{})
	go func(lost chan struct{}) {
		_, _ = io.Copy(io.Discard, connection)
		close(lost)
	}(l.lost)
	return values, nil
}

// join connects to the stack of the present sources and starts it when it does not run. A lock lets one process at a
// time do so.
func join() (map[string]string, net.Conn, error) {
	root, err := findRoot()
	if err != nil {
		return nil, nil, err
	}
	key, err := sourceKey(filepath.Join(root, "devstack"))
	if err != nil {
		return nil, nil, err
	}
	dir, err := runDir(key)
	if err != nil {
		return nil, nil, err
	}
	socket := filepath.Join(dir, "lease")
	if values, connection, err := dial(socket); err == nil {
		return values, connection, nil
	}
	cache, err := cacheDir()
	if err != nil {
		return nil, nil, err
	}
	lock, err := lockFile(filepath.Join(cache, "lock"))
	if err != nil {
		return nil, nil, err
	}
	defer lock.Close()
	if values, connection, err := dial(socket); err == nil {
		return values, connection, nil
	}
	binary, err := build(root, cache, key)
	if err != nil {
		return nil, nil, err
	}
	return launch(binary, dir, socket)
}

func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the test stack: %w", err)
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("lock the test stack: %w", err)
	}
	return file, nil
}

// launch starts a stack in a session of its own, so that it outlives this process and its terminal, and joins it.
func launch(binary, dir, socket string) (map[string]string, net.Conn, error) {
	// What a stack that was killed has left behind.
	left, err := filepath.Glob(filepath.Join(dir, "run-*"))
	if err != nil {
		return nil, nil, fmt.Errorf("look for earlier stacks: %w", err)
	}
	for _, old := range left {
		if err := os.RemoveAll(old); err != nil {
			return nil, nil, fmt.Errorf("remove what a killed stack has left: %w", err)
		}
	}
	data, err := os.MkdirTemp(dir, "run-")
	if err != nil {
		return nil, nil, fmt.Errorf("make the folder of the stack: %w", err)
	}
	if err := os.Chmod(data, 0o711); err != nil {
		return nil, nil, fmt.Errorf("open the folder of the stack: %w", err)
	}
	logPath := filepath.Join(dir, "log")
	logFile, err := os.Create(logPath)
	if err != nil {
		return nil, nil, fmt.Errorf("make the log of the stack: %w", err)
	}
	defer logFile.Close()
	command := exec.CommandContext(context.Background(), binary,
		"--dir", data, "--no-sync", "--serve", socket, "--idle", idle.String())
	command.Stdout, command.Stderr = logFile, logFile
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return nil, nil, fmt.Errorf("start the test stack: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	limit := time.After(startLimit)
	for {
		select {
		case err := <-ended:
			said, _ := os.ReadFile(logPath)
			_ = os.RemoveAll(data)
			return nil, nil, fmt.Errorf("the test stack ended: %w: %s", err, strings.TrimSpace(string(said)))
		case <-limit:
			_ = command.Process.Kill()
			return nil, nil, fmt.Errorf("the test stack did not start in %v: see %s", startLimit, logPath)
		case <-time.After(dialPause):
		}
		if values, connection, err := dial(socket); err == nil {
			return values, connection, nil
		}
	}
}

// dial takes a lease and reads the endpoints, which end with the line "ready".
func dial(socket string) (map[string]string, net.Conn, error) {
	var dialer net.Dialer
	connection, err := dialer.DialContext(context.Background(), "unix", socket)
	if err != nil {
		return nil, nil, fmt.Errorf("no test stack: %w", err)
	}
	values := map[string]string{}
	lines := bufio.NewScanner(connection)
	for lines.Scan() {
		if lines.Text() == "ready" {
			return values, connection, nil
		}
		key, value, _ := strings.Cut(lines.Text(), "=")
		values[key] = value
	}
	_ = connection.Close()
	return nil, nil, errors.New("the test stack is ending")
}
