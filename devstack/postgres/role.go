package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/colophon-dev/colophon/devstack/child"
)

const (
	// handover is how long a child waits for one before it whose parent was killed.
	handover = 20 * time.Second
	// fastGrace is how long a server may take for its last checkpoint.
	fastGrace = 10 * time.Second
	// statusPoll is how often postmaster.pid is read while the server starts.
	statusPoll = 3 * time.Millisecond
	// socketName is the longest name of the server's socket, which ends with its port; its lock file has ".lock" behind it.
	socketName = ".s.PGSQL.65535"
	// socketLocks are these lock files.
	socketLocks = ".s.PGSQL.*.lock"
	// pidName is the file in which a server tells its process id and its state.
	pidName = "postmaster.pid"
	// pidStatusLine is the line of that file, from 0, that holds the state.
	pidStatusLine = 7
)

// roleConfig is what the supervisor gets from its parent.
type roleConfig struct {
	Options Options
	Socket  string
}

// Role supervises one PostgreSQL server inside a child process until ctx ends.
func Role(ctx context.Context, config []byte, ready func(report string)) error {
	var settings roleConfig
	if err := json.Unmarshal(config, &settings); err != nil {
		return fmt.Errorf("postgres settings: %w", err)
	}
	options := settings.Options
	waiting, cancel := context.WithTimeout(ctx, handover)
	defer cancel()
	lock, err := child.Lock(waiting, filepath.Join(options.Dir, "lock"))
	if err != nil {
		return err
	}
	defer lock.Close()
	account, err := findOwner()
	if err != nil {
		return err
	}
	data, err := account.dataDir(options.Dir)
	if err != nil {
		return err
	}
	if err := account.makePrivate(settings.Socket); err != nil {
		return fmt.Errorf("folder of the socket: %w", err)
	}
	defer func() { _ = os.Remove(settings.Socket) }() // only when the server has left it empty
	if err := initialise(ctx, options, account, data); err != nil {
		return err
	}
	if err := endOrphan(data, settings.Socket); err != nil {
		return err
	}
	if options.Remote != nil {
		if err := account.writeRemote(data, *options.Remote); err != nil {
			return err
		}
	}
	return supervise(ctx, options, account, data, settings.Socket, ready)
}

// initialise makes the cluster when there is none. It is made under another name first, so that a kill half-way leaves
// nothing that looks like a cluster.
func initialise(ctx context.Context, options Options, account owner, data string) error {
	if made, err := exists(filepath.Join(data, "PG_VERSION")); made || err != nil {
		return err
	}
	fresh := data + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("clear %s: %w", fresh, err)
	}
	if err := account.makePrivate(fresh); err != nil {
		return err
	}
	flags := []string{"-D", fresh, "-U", superuser, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-instructions"}
	if options.NoSync {
		flags = append(flags, "--no-sync")
	}
	initdb := account.command(ctx, filepath.Join(options.BinDir, "initdb"), flags...)
	if output, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, strings.TrimSpace(string(output)))
	}
	if err := os.Rename(fresh, data); err != nil {
		return fmt.Errorf("put the new database in place: %w", err)
	}
	return nil
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err == nil, nil
	}
	return false, fmt.Errorf("look for %s: %w", path, err)
}

// command runs a PostgreSQL program as the owner, with nothing of our environment that could change what it does.
func (o owner) command(ctx context.Context, path string, flags ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, flags...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: o.credential, Setpgid: true}
	return cmd
}

// supervise runs the server until ctx ends, and then ends it in order.
func supervise(
	ctx context.Context, options Options, account owner, data, socket string, ready func(report string),
) error {
	remote, err := remoteFlags(options.Remote)
	if err != nil {
		return err
	}
	flags := append(remote, "-D", data, "-k", socket,
		"-c", "max_connections="+strconv.Itoa(options.MaxConnections),
		"-c", "synchronous_commit=on", "-c", "jit=off", "-c", "timezone=UTC", "-c", "log_timezone=UTC")
	if options.NoSync {
		flags = append(flags, "-c", "fsync=off", "-c", "full_page_writes=off")
	}
	flags = append(flags, walFlags(data)...)
	// The server must outlive ctx for its last checkpoint.
	server := account.command(context.WithoutCancel(ctx), filepath.Join(options.BinDir, "postgres"), flags...)
	server.Stdout, server.Stderr = os.Stdout, os.Stderr
	// A supervisor that is killed together with its own parent leaves nobody to end the server.
	leave := child.DieWith(server.SysProcAttr, syscall.SIGQUIT)
	defer leave()
	if err := server.Start(); err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	poll := time.NewTicker(statusPoll)
	defer poll.Stop()
	for {
		select {
		case err := <-ended:
			if err == nil { // somebody else has told it to stop
				err = errors.New("it was stopped by somebody else")
			}
			return fmt.Errorf("the server: %w", err)
		case <-ctx.Done():
			return shutDown(server.Process, ended)
		case <-poll.C:
			if isReady(data, server.Process.Pid) {
				ready("")
				poll.Stop()
			}
		}
	}
}

// shutDown asks for a fast shutdown (open transactions are rolled back) and insists when that takes too long.
func shutDown(server *os.Process, ended <-chan error) error {
	for _, step := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		if err := server.Signal(step); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("end postgres: %w", err)
		}
		select {
		case <-ended:
			return nil
		case <-time.After(fastGrace):
		}
	}
	return errors.New("postgres cannot be ended")
}

// readPid returns the lines of postmaster.pid and the process id in it.
func readPid(data string) (lines []string, pid int, ok bool) {
	content, err := os.ReadFile(filepath.Join(data, pidName))
	if err != nil {
		return nil, 0, false
	}
	lines = strings.Split(string(content), "\n")
	pid, err = strconv.Atoi(strings.TrimSpace(lines[0]))
	return lines, pid, err == nil && pid > 1
}

func isReady(data string, pid int) bool {
	lines, found, ok := readPid(data)
	return ok && found == pid && len(lines) > pidStatusLine && strings.TrimSpace(lines[pidStatusLine]) == "ready"
}

// endOrphan ends a server that an earlier supervisor left behind on the same data, and removes the files in which one
// that is gone claims its data and its socket: their process id may belong to another process by now, or to a zombie,
// and would keep a new server from starting. Where there is no /proc this is left to PostgreSQL's own checks.
func endOrphan(data, socket string) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	if _, pid, ok := readPid(data); ok {
		if err := endServer(data, pid); err != nil {
			return err
		}
	}
	claims, err := filepath.Glob(filepath.Join(socket, socketLocks))
	if err != nil {
		return fmt.Errorf("look for stale claims: %w", err)
	}
	for _, claim := range append(claims, filepath.Join(data, pidName)) {
		if err := os.Remove(claim); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a stale claim: %w", err)
		}
	}
	return nil
}

// endServer ends server pid and all of its processes, first in the way that leaves recovery to the next start. Where the
// server itself is gone its processes are not asked: one that is busy does not notice for as long as it works.
func endServer(data string, pid int) error {
	steps := []syscall.Signal{syscall.SIGQUIT, syscall.SIGKILL}
	if !slices.Contains(processesIn(data), pid) {
		steps = steps[1:]
	}
	for _, step := range steps {
		signalAll(processesIn(data), pid, step)
		for deadline := time.Now().Add(fastGrace); time.Now().Before(deadline); time.Sleep(statusPoll) {
			if len(processesIn(data)) == 0 {
				return nil
			}
		}
	}
	return fmt.Errorf("the postgres server %d that was left behind does not end", pid)
}

// signalAll sends a gentle signal to the server alone, which passes it on, and SIGKILL to all of its processes.
func signalAll(processes []int, server int, step syscall.Signal) {
	for _, process := range processes {
		if process == server || step == syscall.SIGKILL {
			_ = syscall.Kill(process, step)
		}
	}
}

// processesIn lists the processes that work inside the data folder, as all processes of a PostgreSQL server do.
func processesIn(data string) []int {
	folder, err := os.Stat(data)
	if err != nil {
		return nil
	}
	links, err := filepath.Glob("/proc/[1-9]*/cwd")
	if err != nil {
		return nil
	}
	var found []int
	for _, link := range links {
		working, err := os.Stat(link)
		if err != nil || !os.SameFile(folder, working) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
			found = append(found, pid)
		}
	}
	return found
}
