// Command devstack runs the development stack until SIGINT or SIGTERM. It prints the endpoints as KEY=VALUE lines and
// then "ready". A part that dies is started again, which is said on standard error. With --serve it runs for the tests of a machine: see serve.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/colophon-dev/colophon/devstack"
)

func main() {
	if devstack.ChildMain() {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "devstack:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var options devstack.Options
	flags := flag.NewFlagSet("devstack", flag.ExitOnError)
	flags.StringVar(&options.Dir, "dir", ".colophon", "folder that holds everything")
	flags.StringVar(&options.NATSAddr, "nats", "", "host:port of NATS (default: 127.0.0.1 and a free port)")
	flags.StringVar(&options.S3Addr, "s3", "", "host:port of the object store")
	flags.StringVar(&options.QdrantAddr, "qdrant", "", "host:port of the vector store")
	flags.StringVar(&options.PGBin, "pg-bin", "", "folder of initdb and postgres")
	only := flags.String("only", "", "parts that are wanted, separated by commas: nats, s3, postgres, qdrant (default: all)")
	flags.BoolVar(&options.NoSync, "no-sync", false, "no fsync: for tests")
	leases := flags.String("serve", "", "unix socket on which to hand out leases: for tests")
	idle := flags.Duration("idle", 15*time.Second, "with --serve: how long to stay without a lease")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *only != "" {
		options.Only = strings.Split(*only, ",")
	}
	if *leases != "" {
		return serve(ctx, options, *leases, *idle)
	}
	stack, err := devstack.Start(ctx, options)
	if err != nil {
		return err
	}
	fmt.Println(announcement(stack))
	return errors.Join(stack.Supervise(ctx, tell), stack.Close())
}

// tell says on standard error what becomes of a part.
func tell(line string) { fmt.Fprintln(os.Stderr, "devstack:", line) }

func announcement(stack *devstack.Stack) string {
	return strings.Join(append(stack.Endpoints().Environ(), "ready"), "\n")
}
