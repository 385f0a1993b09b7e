package stream

import (
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/metric"
)

// Config says where the bus is and how long things may take. Every zero value
// means the default that contracts#streams gives; all are settings so that tests run
// fast and side by side (contracts#test-settings).
type Config struct {
	URL          string // nats:// or tls://, several separated by commas
	Name         string // of the connection, shown by the server
	Role         string // whose identity it is (pkg/access): answers come to that role's inbox; default Name
	URLFile      string // file that holds the URL in its place; empty: none
	CredsFile    string // NATS credentials file: a user's JWT and seed; empty: none
	NkeyFile     string // file with the seed of a user's nkey; empty: none
	CAFile       string // authorities of the servers' certificates, PEM; empty: those of the system
	CertFile     string // our own certificate, PEM; empty: none
	KeyFile      string // its key, PEM
	Prefix       string // first part of every subject, default "colophon"
	StreamPrefix string // put before every stream's name, default none

	AckWait         time.Duration // default 30 s; InProgress is sent at a third of it
	MaxAckPending   int           // of each consumer, default 5,000
	DuplicateWindow time.Duration // of every stream, default 10 min
	PublishWait     time.Duration // for one publish's ack, default 2 s
	PublishFor      time.Duration // a publish is retried at least this long, default 10 s
	ReconnectWait   time.Duration // between attempts to connect, default 500 ms

	RetryDelays      []time.Duration // after the first, second, third failure; default 5 s, 30 s, 2 min
	DeferDelay       time.Duration   // when a deferred error names none, default 5 s
	ProbeEvery       time.Duration   // between probes of what is away, default 1 s
	PullWait         time.Duration   // of one pull request, and so of a stop that waits for it, default 3 s
	BatchSize        int             // of a batch worker's pull, default 50
	BatchWait        time.Duration   // to fill a batch, default 5 ms
	QuarantineAfter  int             // deliveries without a recorded failure, default 4
	QuarantineStarts int             // the start in quarantine that becomes a failure, default 4
	Grace            time.Duration   // for handlers in flight when the context ends, default 25 s

	CheckEvery time.Duration // between two looks at the files, default 5 s

	Logger *slog.Logger // of the connection's own errors; nil: quiet
	Meter  metric.Meter // nil: nothing is measured
}

func (c Config) withDefaults() Config {
	def(&c.Name, "colophon")
	def(&c.Role, c.Name)
	def(&c.Prefix, "colophon")
	def(&c.AckWait, 30*time.Second)
	def(&c.MaxAckPending, 5000)
	def(&c.DuplicateWindow, 10*time.Minute)
	def(&c.PublishWait, 2*time.Second)
	def(&c.PublishFor, 10*time.Second)
	def(&c.ReconnectWait, 500*time.Millisecond)
	def(&c.DeferDelay, 5*time.Second)
	def(&c.ProbeEvery, time.Second)
	def(&c.PullWait, 3*time.Second)
	def(&c.BatchSize, 50)
	def(&c.BatchWait, 5*time.Millisecond)
	def(&c.QuarantineAfter, 4)
	def(&c.QuarantineStarts, 4)
	def(&c.Grace, 25*time.Second)
	if len(c.RetryDelays) == 0 {
		c.RetryDelays = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

func def[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

// attempts is how many times a message is tried: once, and once after each delay.
func (c Config) attempts() int { return len(c.RetryDelays) + 1 }
