package local

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// serverKeeper is the part of a local system that starts its servers again when
// they die. Those that run inside of this process live as long as it does.
type serverKeeper struct {
	local *System
}

func (k *serverKeeper) Name() string { return "servers" }

// Ready implements process.Service: it names a server that has died.
func (k *serverKeeper) Ready(context.Context) error { return k.local.stack.Down() }

// Run implements process.Service. A server that dies too often is an error.
func (k *serverKeeper) Run(ctx context.Context) error {
	return k.local.stack.Supervise(ctx, k.local.tell)
}

// streamsLook is how often a local system looks whether its streams are there: 16
// questions to the bus, some milliseconds together.
const streamsLook = 2 * time.Second

// streamKeeper is the part of a local system that makes its streams and consumers
// again when somebody has deleted them: what `colophon provision` is in an
// installation whose bus is shared. What waited in them is moved by reconcile.
type streamKeeper struct {
	local *System
}

func (k *streamKeeper) Name() string { return "streams" }

// Ready implements process.Service: the gateway and the services ask for the streams.
func (k *streamKeeper) Ready(context.Context) error { return nil }

// Run implements process.Service.
func (k *streamKeeper) Run(ctx context.Context) error {
	s, err := config.LoadFrom[cli.Settings](k.local.Values)
	if err != nil {
		return err
	}
	conn, err := stream.Connect(ctx, stream.ConfigOf("colophon-dev", s.NATS, s.Runner))
	if err != nil {
		return err
	}
	defer conn.Close()
	ticker := time.NewTicker(streamsLook)
	defer ticker.Stop()
	told := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		differs := conn.Verify(ctx)
		if differs == nil {
			told = ""
			continue
		}
		if ctx.Err() != nil || fault.KindOf(differs) == fault.KindUnavailable {
			continue // the bus is away, which its users say
		}
		line := fmt.Sprintf("the streams are made again: %s", oneLine(differs))
		if err := stream.Provision(ctx, conn, stream.ProvisionOptionsOf(s.Streams)); err != nil {
			line = fmt.Sprintf("the streams cannot be made again: %s: %s", oneLine(differs), oneLine(err))
		}
		if line != told && ctx.Err() == nil {
			k.local.tell(line)
			told = line
		}
	}
}

// oneLine is an error of several lines as one.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// tellOn returns what says lines to a person.
func tellOn(out io.Writer) func(line string) {
	return func(line string) { fmt.Fprintf(out, "colophon: %s\n", cli.Shown(line)) }
}
