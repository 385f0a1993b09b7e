// Package child runs parts of the development stack in a process of their own, which is the running binary
// executed again. A child lives no longer than its parent: it ends when its standard input does, so also after
// the parent was killed.
package child

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// roleVariable marks a process as a child and names its role.
const roleVariable = "COLOPHON_DEVSTACK_CHILD"

// readyLine is what a child reports when it serves. Anything else that it reports is an error.
const readyLine = "ready"

const (
	// exitGrace is how long a child may take to end after its parent is gone.
	exitGrace = 20 * time.Second
	// reportDescriptor is the file descriptor on which a child reports.
	reportDescriptor = 3
	// lastWordsWait is how long the report of a child that has ended is read: what it wrote is there already.
	lastWordsWait = 100 * time.Millisecond
)

// Role is the work of a child. It calls ready with what the parent must know (one line) as soon as it serves, and
// returns soon after ctx has ended.
type Role func(ctx context.Context, config []byte, ready func(report string)) error

// Main runs the role that this process was started for and reports true; in a process that is not a child it does
// nothing and reports false. A main, or a TestMain, calls it first and returns when it reports true.
func Main(roles map[string]Role) bool {
	name, ok := os.LookupEnv(roleVariable)
	if !ok {
		return false
	}
	report := os.NewFile(reportDescriptor, "report")
	syscall.CloseOnExec(reportDescriptor) // what the child starts must not hold it open
	if err := runRole(roles, name, report); err != nil {
		fmt.Fprintln(os.Stderr, err)
		// The parent may have heard "ready" already and be gone: nobody is left to tell.
		_, _ = fmt.Fprintln(report, strings.ReplaceAll(err.Error(), "\n", " "))
	}
	return true
}

func runRole(roles map[string]Role, name string, report io.Writer) error {
	role, ok := roles[name]
	if !ok {
		return fmt.Errorf("no role %q in this binary", name)
	}
	if err := os.Unsetenv(roleVariable); err != nil {
		return fmt.Errorf("unset %s: %w", roleVariable, err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	input := bufio.NewReader(os.Stdin)
	config, err := input.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the settings of child %s: %w", name, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, input)
		cancel()
		time.Sleep(exitGrace)
		os.Exit(1)
	}()
	return role(ctx, config, func(text string) {
		_, _ = fmt.Fprintln(report, strings.TrimSpace(readyLine+" "+text))
	})
}

// Process is a running child.
type Process struct {
	cmd    *exec.Cmd
	input  io.Closer
	report *os.File // what the child says after it has reported that it serves
	ended  chan struct{}
	why    error // read after ended: how it ended
}

// Start executes the running binary again in the named role, hands it config as JSON over its standard input (so that
// secrets show in no process list) and waits until it reports that it serves. What the child prints is appended to
// logPath. It returns what the child reported.
func Start(ctx context.Context, role string, config any, logPath string) (*Process, string, error) {
	settings, err := json.Marshal(config)
	if err != nil {
		return nil, "", fmt.Errorf("encode the settings of child %s: %w", role, err)
	}
	logFile, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, "", fmt.Errorf("open the log of child %s: %w", role, err)
	}
	defer logFile.Close()
	reportOut, reportIn, err := os.Pipe()
	if err != nil {
		return nil, "", fmt.Errorf("pipe for child %s: %w", role, err)
	}
	path, err := executable()
	if err != nil {
		return nil, "", errors.Join(err, reportOut.Close(), reportIn.Close())
	}
	// It ends with its input, not with ctx, which is about the start alone.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), path)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.ExtraFiles = []*os.File{reportIn}
	// A Ctrl-C in the terminal goes to the parent alone, which ends its children in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("pipe for child %s: %w", role, err), reportOut.Close(), reportIn.Close())
	}
	err = cmd.Start()
	_ = reportIn.Close()
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("start child %s: %w", role, err), reportOut.Close())
	}
	process := &Process{cmd: cmd, input: input, report: reportOut, ended: make(chan struct{})}
	served := make(chan *bufio.Reader, 1)
	go process.wait(served)
	reports := bufio.NewReader(reportOut)
	report, err := process.await(ctx, settings, input, reports)
	if err != nil {
		served <- nil
		process.Kill()
		return nil, "", fmt.Errorf("child %s (log: %s): %w", role, logPath, err)
	}
	served <- reports
	return process, report, nil
}

// wait waits for the child's end and keeps how it came: in the child's own words, where it has said them.
func (p *Process) wait(served <-chan *bufio.Reader) {
	why := p.cmd.Wait()
	if why == nil {
		why = errors.New("it ended by itself")
	}
	if reports := <-served; reports != nil { // before it served, its report is the error of its start
		_ = p.report.SetReadDeadline(time.Now().Add(lastWordsWait))
		line, _ := reports.ReadString('\n') // nothing, when it was killed
		if line = strings.TrimSpace(line); line != "" {
			why = errors.New(line)
		}
	}
	_ = p.report.Close()
	p.why = why
	close(p.ended)
}

// Wait returns how the child ended, as soon as it has, or the error of ctx when that ends first.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.ended:
		return p.why
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Ended reports whether the child has ended, for whatever reason.
func (p *Process) Ended() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// await sends the settings and waits for the report or the end of ctx.
func (p *Process) await(ctx context.Context, settings []byte, input io.Writer, reports *bufio.Reader) (string, error) {
	stop := context.AfterFunc(ctx, func() { _ = p.report.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := input.Write(append(settings, '\n')); err != nil && !errors.Is(err, syscall.EPIPE) {
		return "", fmt.Errorf("send the settings: %w", err)
	}
	line, err := reports.ReadString('\n')
	if ctx.Err() != nil {
		return "", fmt.Errorf("wait until it serves: %w", ctx.Err())
	}
	if err != nil {
		return "", fmt.Errorf("it ended before it served: %w", err)
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(line), readyLine)
	if !ok {
		return "", errors.New(strings.TrimSpace(line))
	}
	return strings.TrimSpace(text), nil
}

// executable names the running binary, also when its file has been replaced or removed since.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the running binary: %w", err)
	}
	return path, nil
}

// Stop lets the child end by itself and waits for that; when ctx ends first the child is killed.
func (p *Process) Stop(ctx context.Context) error {
	_ = p.input.Close()
	select {
	case <-p.ended:
		return nil
	case <-ctx.Done():
		p.Kill()
		return fmt.Errorf("child %d did not end in time and was killed: %w", p.cmd.Process.Pid, ctx.Err())
	}
}

// Kill ends the child at once (SIGKILL) and waits until it is gone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
	_ = p.input.Close()
}

// Pid is the child's process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }
