package deliver

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink/files"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink/opensearch"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink/pgvector"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink/sqlite"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink/webhook"
	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/llm"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/sdk"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// kinds are what a sink can deliver to.
func kinds() []string {
	return []string{"jsonl", "parquet", "sqlite", "opensearch", "pgvector", "webhook"}
}

// sinkFlags are what is given to the command.
type sinkFlags struct {
	to, out, schema, index, source, name, health string
	once, dump                                   bool
	every                                        time.Duration
}

const (
	defaultEvery  = 30 * time.Second
	defaultSchema = "colophon_chunks"
	defaultIndex  = "colophon-chunks"
	noHealth      = "off"
)

func (c commands) sinkCommand() *cobra.Command {
	var f sinkFlags
	cmd := &cobra.Command{
		Use: "sink", Short: "Keep another store equal to the chunks",
		Long:    "Keeps a store of your own equal to what Colophon knows of chunks, until it is\ninterrupted. How far it has come is kept in the store, so that it goes on where it\nwas; a batch is in the store whole, once. It needs the bus and the gateway.\n\nWhere the store is, and its secrets, are settings: COLOPHON_SINK_URL and others, each\nwith a …_FILE. --dump prints the chunks that are current in the store as the chunk\nlines of `colophon dump --current`.",
		Example: "  colophon sink --to sqlite --out chunks.sqlite\n  colophon sink --to parquet --out folder --once\n  COLOPHON_SINK_URL_FILE=db.url colophon sink --to pgvector --source valdoro",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.runSink(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.to, "to", "", "what to deliver to: "+strings.Join(kinds(), ", "))
	flags.StringVarP(&f.out, "out", "o", "", "file of sqlite, folder of jsonl and parquet, file for the position of a webhook")
	flags.StringVar(&f.schema, "schema", defaultSchema, "schema of pgvector's tables")
	flags.StringVar(&f.index, "index", defaultIndex, "index of opensearch")
	flags.StringVar(&f.source, "source", "", "only chunks of this source")
	flags.StringVar(&f.name, "name", "", "NAME of the identity sink-NAME that it has on the bus (default what --to says)")
	flags.StringVar(&f.health, "health", noHealth, "host:port of /healthz, /readyz and /metrics while it runs, :8089 in deploy/k8s; off is none")
	flags.BoolVar(&f.once, "once", false, "end when the store has all that the gateway's log says")
	flags.BoolVar(&f.dump, "dump", false, "print what is current in the store, and deliver nothing")
	flags.DurationVar(&f.every, "every", defaultEvery, "least time between two writings of the file of jsonl and parquet")
	return cmd
}

// check refuses flags that cannot be meant.
func (f sinkFlags) check() error {
	needsOut := !slices.Contains([]string{"pgvector", "opensearch"}, f.to)
	switch {
	case !slices.Contains(kinds(), f.to):
		return cli.Usagef("--to %q: one of %s", f.to, strings.Join(kinds(), ", "))
	case needsOut && f.out == "":
		return cli.Usagef("name the file or folder of %s with --out", f.to)
	case !needsOut && f.out != "":
		return cli.Usagef("--out is not for %s: COLOPHON_SINK_URL says where it is", f.to)
	case f.source != "" && !model.ValidSourceID(f.source):
		return cli.Usagef("--source %q: 1 to 64 of a-z, 0-9, _ and -", f.source)
	case f.every < 0:
		return cli.Usagef("--every %s: not below 0", f.every)
	case f.health != noHealth && !isAddress(f.health):
		return cli.Usagef("--health %q: host:port, or off", f.health)
	case f.name != "" && !model.ValidSourceID(f.name):
		return cli.Usagef("--name %q: 1 to 64 of a-z, 0-9, _ and -", f.name)
	case f.dump && f.once:
		return cli.Usagef("--dump delivers nothing: leave --once out")
	}
	return nil
}

func isAddress(s string) bool {
	_, _, err := net.SplitHostPort(s)
	return err == nil
}

func (c commands) runSink(ctx context.Context, f sinkFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	s, _, err := cli.Load[Settings](c.Tool)
	if err != nil {
		return err
	}
	logger := telemetry.NewLogger(c.Err, service, s.Telemetry)
	embedder, closeEmbedder, err := embedderOf(f, s)
	if err != nil {
		return err
	}
	defer closeEmbedder()
	open := func(ctx context.Context) (sink.Target, error) { return openTarget(ctx, f, s, embedder, logger) }
	if f.dump {
		return c.dump(ctx, open)
	}
	address, asks, err := s.Gateway.Client()
	if err != nil {
		return err
	}
	n := s.NATS
	client, err := sdk.Connect(ctx, sdk.Config{
		URL: n.URL.Value(), CredsFile: n.CredsFile, NkeyFile: n.NkeyFile, CAFile: n.TLS.CAFile, CertFile: n.TLS.CertFile, KeyFile: n.TLS.KeyFile,
		Prefix: n.Prefix, StreamPrefix: n.StreamPrefix, Name: "colophon-sink", Identity: access.Sink + "-" + cmp.Or(f.name, f.to),
		Gateway: address, GatewayClient: asks, Logger: logger,
	})
	if err != nil {
		return err
	}
	defer client.Close()
	return told(f.run(ctx, s.Telemetry, func(ctx context.Context, progress *sink.Progress) error {
		return sink.Run(ctx, client, open, sink.Options{Source: f.source, Once: f.once, Every: f.every, Logger: logger, Progress: progress})
	}))
}

// told gives an error of a target its exit status.
func told(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sink.ErrUnfit):
		return cli.Usage(err)
	case errors.Is(err, sink.ErrOther):
		return cli.Failed(err)
	default:
		return fault.Unavailable(err)
	}
}

func (c commands) dump(ctx context.Context, open func(context.Context) (sink.Target, error)) error {
	t, err := open(ctx)
	if err != nil {
		return told(err)
	}
	defer func() { _ = t.Close() }()
	w := bufio.NewWriterSize(c.Out, 1<<20)
	if err := sink.Dump(ctx, t, w); err != nil {
		return told(err)
	}
	return w.Flush()
}

// embedderOf returns what makes vectors for pgvector: the model that the indexer has.
func embedderOf(f sinkFlags, s Settings) (embedder retrieval.Embedder, done func(), err error) {
	done = func() {}
	if f.to != "pgvector" {
		return nil, done, nil
	}
	all, replaced := llm.ConfigsOf(s.Embedding)
	if len(all) == 0 || replaced {
		return retrieval.Models()[0], done, nil
	}
	endpoint, err := llm.Open(all[0])
	if err != nil {
		return nil, done, fmt.Errorf("embedding model: %w", err)
	}
	return endpoint, endpoint.Close, nil
}

func openTarget(ctx context.Context, f sinkFlags, s Settings, embedder retrieval.Embedder, logger *slog.Logger) (sink.Target, error) {
	address := s.Target.URL.Value()
	if address == "" && slices.Contains([]string{"pgvector", "opensearch", "webhook"}, f.to) {
		return nil, fmt.Errorf("%w: COLOPHON_SINK_URL, or COLOPHON_SINK_URL_FILE, says where it is", sink.ErrUnfit)
	}
	transport, err := transportOf(s.Target, address)
	if err != nil {
		return nil, err
	}
	switch f.to {
	case "jsonl":
		return files.OpenLines(ctx, f.out)
	case "parquet":
		return files.OpenParquet(ctx, f.out)
	case "sqlite":
		return sqlite.Open(ctx, f.out)
	case "pgvector":
		return pgvector.Open(ctx, pgvector.Options{URL: address, Password: s.Target.Password.Value(), Schema: f.schema, Embedder: embedder})
	case "opensearch":
		return opensearch.Open(ctx, opensearch.Options{
			URL: address, User: s.Target.User, Password: s.Target.Password.Value(), Index: f.index, Transport: transport,
		})
	default:
		return webhook.Open(webhook.Options{
			URL: address, Secret: s.Target.Secret.Value(), File: f.out, Client: &http.Client{Transport: transport}, Logger: logger,
		})
	}
}

// transportOf connects to a server of HTTP, whose certificate must come from an authority of
// the file, where one is named.
func transportOf(t target, address string) (*http.Transport, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 8}
	if u, err := url.Parse(address); err != nil || u.Scheme != "https" || t.CAFile == "" {
		return transport, nil //nolint:nilerr // an address that is none is told by who uses it
	}
	trusted, err := credential.Watch(credential.Options{Store: "the target"}, credential.TLSFiles{CA: t.CAFile}.Client).Now()
	if err != nil {
		return nil, fmt.Errorf("COLOPHON_SINK_CA_FILE: %w", err)
	}
	transport.TLSClientConfig = trusted
	return transport, nil
}
