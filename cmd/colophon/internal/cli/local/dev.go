package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

func (c commands) devCommand() *cobra.Command {
	var (
		o        Options
		only     string
		separate bool
		profile  string
	)
	cmd := &cobra.Command{
		Use: "dev", Short: "Run all servers and services on this machine",
		Long: "Runs NATS, an object store, PostgreSQL, a Qdrant-compatible store and all services,\nuntil interrupted. What was accepted is kept in --dir, also over a kill.\n" +
			"PostgreSQL and the object store are processes of their own, with --separate the services\nas well: one that dies is started again, and the command ends when it dies five times\nwithin a minute.",
		Example: "  colophon dev\n  colophon dev --only servers\n  colophon dev --separate", Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if only != "" && only != "servers" {
				return cli.Usagef("--only %q: servers is the one that there is", only)
			}
			o.Dir, o.Services = c.Dir, only == "" && !separate
			if only == "servers" {
				o.HTTP = ""
			}
			if err := checkAddresses(o, separate); err != nil {
				return err
			}
			return profiled(profile, func() error { return c.dev(cmd.Context(), o, separate) })
		},
	}
	cmd.Flags().StringVar(&o.HTTP, "http", "127.0.0.1:8080", "host:port of the gateway; port 0 is any free one")
	cmd.Flags().StringVar(&o.NATS, "nats", "", "host:port of NATS; any free port when not set")
	cmd.Flags().StringVar(&only, "only", "", "servers: start the servers alone")
	cmd.Flags().BoolVar(&separate, "separate", false, "run each service as a process of its own")
	cmd.Flags().StringVar(&profile, "cpu-profile", "", "file for a profile of this process's CPU time, written when it ends")
	return cmd
}

// checkAddresses refuses addresses that cannot be taken, before anything starts.
func checkAddresses(o Options, separate bool) error {
	for _, given := range [][2]string{{"http", o.HTTP}, {"nats", o.NATS}} {
		flag, addr := given[0], given[1]
		if addr == "" {
			continue
		}
		_, err := FreeAddress(addr)
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			return cli.Usagef("--%s %s: the port is in use, maybe by another system; `--%s 127.0.0.1:0` takes a free one", flag, addr, flag)
		case err != nil:
			return cli.Usagef("--%s %q: must be host:port of this machine, such as 127.0.0.1:8080: %w", flag, addr, err)
		}
	}
	if separate {
		return checkHealth(cmp.Or(config.Environ()[config.Prefix+"HEALTH_ADDR"], ownHealth))
	}
	return nil
}

// checkHealth refuses a health address that services in processes of their own cannot
// have.
func checkHealth(address string) error {
	host, port, err := net.SplitHostPort(address)
	switch {
	case err != nil || port == "0": // off, or what each service refuses for itself
		return nil
	case !process.OwnHealth(address):
		return cli.Usagef("COLOPHON_HEALTH_ADDR is %s: with --separate several processes run, and cannot share it; set port 0, or unset it", address)
	}
	for _, name := range services() {
		at := net.JoinHostPort(host, strconv.Itoa(process.HealthPort(name)))
		if _, err := FreeAddress(at); errors.Is(err, syscall.EADDRINUSE) {
			return cli.Usagef("%s, the health address of the %s, is in use, maybe by another system; COLOPHON_HEALTH_ADDR=127.0.0.1:0 takes free ports", at, name)
		} else if err != nil {
			return cli.Usagef("COLOPHON_HEALTH_ADDR is %s: %w", address, err)
		}
	}
	return nil
}

// profiled writes a profile of the CPU time that f takes to a file, if one is
// named.
func profiled(path string, f func() error) error {
	if path == "" {
		return f()
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return errors.Join(err, file.Close())
	}
	err = f()
	pprof.StopCPUProfile()
	return errors.Join(err, file.Close())
}

func (c commands) dev(ctx context.Context, o Options, separate bool) error {
	if err := os.MkdirAll(o.Dir, 0o711); err != nil { // PostgreSQL may run as another user
		return cli.Usagef("--dir: %w", err)
	}
	o.Place, o.Tables, o.tell = "--dir", c.Tables, tellOn(c.Err)
	l, err := Start(ctx, o)
	if err != nil {
		return err
	}
	services := l.Services
	if separate {
		if o.HTTP, err = FreeAddress(o.HTTP); err != nil {
			return errors.Join(err, l.Close())
		}
		if services, err = l.processes(o.HTTP, c.Err); err != nil {
			return errors.Join(err, l.Close())
		}
		l.Gateway = "http://" + o.HTTP
	}
	parts := append(l.Parts(services...), &announcer{local: l, out: c.Err})
	health, err := config.LoadFrom[struct{ Health config.Health }](l.Values)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	err = process.Run(ctx, process.Options{Health: health.Health, Metrics: telemetry.MetricsHandler(l.tels...)}, parts...)
	return errors.Join(err, l.Close())
}

// FreeAddress returns addr with a port that is free now in place of port 0: a
// process of its own cannot tell which one it took.
func FreeAddress(addr string) (string, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// announcer is the last part to start: it writes endpoints.env and tells a
// person where things are.
type announcer struct {
	local *System
	out   io.Writer
}

func (a *announcer) Name() string { return "endpoints" }

func (a *announcer) Ready(context.Context) error { return nil }

func (a *announcer) Run(ctx context.Context) error {
	if a.local.Gateway != "" {
		if err := awaitGateway(ctx, a.local.Gateway); err != nil {
			return err
		}
	}
	if err := a.local.Announce(); err != nil {
		return err
	}
	e := a.local.stack.Endpoints()
	fmt.Fprintf(a.out, "NATS      %s\nS3        %s\nPostgres  %s\nQdrant    %s\n", e.NATSURL, e.S3Endpoint, e.PostgresURL, e.QdrantAddr)
	if a.local.Gateway != "" {
		fmt.Fprintf(a.out, "gateway   %s\n", a.local.Gateway)
	}
	fmt.Fprintf(a.out, "ready: the endpoints are in %s\n", filepath.Join(a.local.dir, config.EndpointsFile))
	<-ctx.Done()
	return nil
}

// awaitGateway returns when a gateway that is a process of its own answers, or
// ctx ends.
func awaitGateway(ctx context.Context, address string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/healthz", nil)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			return resp.Body.Close()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
