package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/colophon-dev/colophon/devstack/child"
	"github.com/colophon-dev/colophon/devstack/supervisor"
	"github.com/colophon-dev/colophon/pkg/process"
)

// services returns the names of the services, in the order in which they start.
func services() []string {
	return []string{"janitor", "gateway", "indexer", "annotator", "chunker", "extractor", "splitter", "capturer"}
}

// processes returns the services as processes, from the binaries beside this
// one.
func (l *System) processes(gateway string, stderr io.Writer) ([]process.Service, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var parts []process.Service
	for _, name := range services() {
		p := &serviceProcess{name: name, path: filepath.Join(filepath.Dir(self), name), output: stderr}
		p.supervisor.Tell = l.tell
		if _, err := os.Stat(p.path); err != nil {
			return nil, fmt.Errorf("%s: run `make build` first: %w", name, err)
		}
		for k, v := range l.Values {
			p.settings = append(p.settings, k+"="+v)
		}
		if name == "gateway" {
			p.settings = append(p.settings, "COLOPHON_HTTP_ADDR="+gateway)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// serviceProcess is a service that runs as a process of its own, and is started
// again when that dies. Its methods Run, Start and Wait are for one goroutine.
type serviceProcess struct {
	name       string
	path       string
	settings   []string // KEY=VALUE, above those of the environment
	output     io.Writer
	supervisor supervisor.Supervisor

	running *os.Process
	ended   <-chan error // of running
	leave   func()       // when running has ended
}

// Name implements process.Service and supervisor.Subject.
func (p *serviceProcess) Name() string { return p.name }

// Log implements supervisor.Logged.
func (p *serviceProcess) Log() string { return "what it wrote on standard error" }

// Ready implements process.Service: the process answers for more by itself.
func (p *serviceProcess) Ready(context.Context) error { return p.supervisor.Down() }

// Run keeps the process running, and asks it to stop when ctx ends.
func (p *serviceProcess) Run(ctx context.Context) error {
	err := p.supervisor.Keep(ctx, p)
	var gaveUp *supervisor.GaveUpError
	if errors.As(err, &gaveUp) {
		gaveUp.Name = "" // process.Run names the service
	}
	if p.running == nil {
		return err
	}
	defer p.forget()
	if err := p.running.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return errors.Join(err, <-p.ended)
}

// Start implements supervisor.Subject. The process does not outlive this one, also
// when this one is killed.
func (p *serviceProcess) Start(context.Context) error {
	cmd := exec.Command(p.path)
	cmd.Env = append(cmd.Environ(), p.settings...)
	cmd.Stdout, cmd.Stderr = p.output, p.output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal's interrupt is ours to pass on
	p.leave = child.DieWith(cmd.SysProcAttr, syscall.SIGTERM)
	if err := cmd.Start(); err != nil {
		p.leave()
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	p.running, p.ended = cmd.Process, ended
	return nil
}

// Wait implements supervisor.Subject.
func (p *serviceProcess) Wait(ctx context.Context) error {
	select {
	case err := <-p.ended:
		p.forget()
		if err == nil {
			err = errors.New("it ended by itself")
		}
		return err
	case <-ctx.Done():
		return nil
	}
}

func (p *serviceProcess) forget() {
	p.leave()
	p.running = nil
}
