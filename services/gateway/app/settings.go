package app

import (
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// Config is what the gateway reads from the environment.
type Config struct {
	HTTP       HTTP
	Watch      Watch
	NATS       config.NATS
	Postgres   config.Postgres
	S3         config.S3
	Qdrant     config.Qdrant
	Embedding  config.Embedding
	Reranking  config.Reranking
	Runner     config.Runner
	Extraction config.Extraction
	Telemetry  config.Telemetry
	Health     config.Health

	Kinds  child.Kinds          // of files; nil: child.Builtin
	Models []retrieval.Embedder // questions are embedded with; nil: retrieval.Models
}

// HTTP says where the API is served.
type HTTP struct {
	Addr   string        `env:"HTTP_ADDR" envDefault:"127.0.0.1:8080" help:"host:port of the HTTP API, which asks for no credentials; port 0 is any free one."`
	Cert   string        `env:"HTTP_CERT_FILE" help:"File of the API's certificate, in PEM, with what leads to its authority; the API is served with TLS when it is set. Read again when it changes."`
	Key    string        `env:"HTTP_KEY_FILE" help:"File of the certificate's key, in PEM."`
	Conns  int           `env:"HTTP_CONNS" envDefault:"2048" allowed:"1..65536" help:"Connections that are served at once, of about 30 KB each; more wait."`
	Memory int64         `env:"HTTP_MEMORY" envDefault:"268435456" allowed:"16777216.." help:"Bytes of memory that the pages of answers may take together while they are made, a quarter of them those of searches; one that needs more is made alone."`
	Disk   int64         `env:"HTTP_DISK" envDefault:"1073741824" allowed:"16777216.." help:"Bytes of captured documents that may lie in the folder of temporary files together, until those who asked for them have read them; a larger one is sent alone."`
	Drain  time.Duration `env:"HTTP_DRAIN" envDefault:"3s" allowed:"0s.." help:"How long requests are still taken after the process was told to stop: as long as a load balancer takes to notice that it is not ready."`
	Grace  time.Duration `env:"HTTP_GRACE" envDefault:"10s" allowed:"0s.." help:"How long answers under way may take after that."`
}

// About is the block's text in the documentation.
func (HTTP) About() string { return "The gateway's HTTP API." }

// Watch says how often the gateway asks what waits in the whole system.
type Watch struct {
	Every time.Duration `env:"WATCH_EVERY" envDefault:"15s" allowed:"0s.." help:"Between two questions how much waits in the queues, how large streams and catalog are, and whether the stores answer, which are served as metrics; 0 is never."`
}

// About is the block's text in the documentation.
func (Watch) About() string {
	return "What the gateway tells of the whole system, for dashboards, alerts and scaling. Several gateways tell the same."
}
