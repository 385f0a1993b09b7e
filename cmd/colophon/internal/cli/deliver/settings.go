package deliver

import (
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/config"
)

// Settings are what `colophon sink` reads.
type Settings struct {
	NATS      config.NATS
	Embedding config.Embedding
	Telemetry config.Telemetry
	Gateway   cli.GatewayAddress
	Target    target
}

// target says where chunks are delivered to. What may hold a secret is no flag: arguments
// are shown to all who share a machine.
type target struct {
	URL          config.Secret `env:"SINK_URL" help:"Where the chunks go: postgres://… for pgvector, https://host:9200 for opensearch, the address of a webhook."`
	URLFile      string        `fileOf:"URL"`
	User         string        `env:"SINK_USER" help:"User of OpenSearch."`
	Password     config.Secret `env:"SINK_PASSWORD" help:"Password of OpenSearch's user, and of PostgreSQL's where SINK_URL names none."`
	PasswordFile string        `fileOf:"Password"`
	Secret       config.Secret `env:"SINK_SECRET" help:"Secret by which a webhook's bodies are signed."`
	SecretFile   string        `fileOf:"Secret"`
	CAFile       string        `env:"SINK_CA_FILE" help:"File of the authorities, in PEM, of which one must have signed the certificate of OpenSearch or of the webhook; those of the system when not set. For PostgreSQL name sslrootcert in SINK_URL."`
}

// About is the block's text in the documentation.
func (target) About() string {
	return "Where `colophon sink` delivers chunks to ([consumers.md](consumers.md#sinks))."
}
