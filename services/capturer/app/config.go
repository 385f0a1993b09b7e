package app

import (
	"net/netip"
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/services/capturer/internal/dedup"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
	"github.com/colophon-dev/colophon/services/capturer/internal/typing"
)

// Config is what the capturer reads from the environment.
type Config struct {
	NATS      config.NATS
	Postgres  config.Postgres
	S3        config.S3
	Runner    config.Runner
	Capture   Capture
	Telemetry config.Telemetry
	Health    config.Health

	Types Types // what documents are taken for; nil: BuiltinTypes
}

// Types is the table of types of documents, of lines of Type (package typing).
type Types = typing.Types

// Type is a line of it.
type Type = typing.Type

// BuiltinTypes returns the table of the types that there are.
func BuiltinTypes() Types { return typing.Builtin() }

// Capture says how documents are fetched and accepted.
type Capture struct {
	AutoRegister bool          `env:"AUTO_REGISTER" envDefault:"false" help:"Whether a source that is not in the registry is added with defaults at its first request."`
	Seed004IDs   bool          `env:"SEED004_IDS" envDefault:"false" help:"Whether versions and points of what has a URL get the ids of the founding data model, of which the URL belongs to one document: one of another source, or with another record id, is refused as request_conflict."`
	SpoolBytes   int64         `env:"SPOOL_BYTES" envDefault:"8388608" allowed:"1024.." help:"A document above this many bytes passes through a temporary file."`
	Lease        time.Duration `env:"CAPTURE_LEASE" envDefault:"15s" allowed:"100ms.." help:"After a process has died, another one takes over its captures when this has passed."`
	Wait         time.Duration `env:"CAPTURE_WAIT" envDefault:"1s" allowed:"1ms.." help:"How long a request waits before it asks again whether another one has fetched its URL."`

	Networks     []netip.Prefix `env:"FETCH_NETWORKS" help:"Networks outside of the public internet that documents may be fetched from, as 10.1.0.0/16; none when not set. Ports are free there."`
	Ports        []uint16       `env:"FETCH_PORTS" envDefault:"80,443" allowed:"1.." help:"Ports that documents may be fetched from."`
	UserAgent    string         `env:"FETCH_USER_AGENT" envDefault:"colophon (+https://github.com/colophon-dev/colophon)" help:"What the capturer calls itself when it fetches."`
	Connect      time.Duration  `env:"FETCH_CONNECT_TIMEOUT" envDefault:"10s" allowed:"1ms.." help:"For a connection and its TLS handshake."`
	FirstByte    time.Duration  `env:"FETCH_HEADER_TIMEOUT" envDefault:"30s" allowed:"1ms.." help:"From a request to the end of the answer's headers."`
	Total        time.Duration  `env:"FETCH_TIMEOUT" envDefault:"2m" allowed:"1ms.." help:"For one document with all its redirects."`
	MaxRedirects int            `env:"FETCH_REDIRECTS" envDefault:"5" allowed:"1..20" help:"Redirects that are followed for one document."`
	MaxRetry     time.Duration  `env:"FETCH_MAX_RETRY_AFTER" envDefault:"10m" allowed:"0s.." help:"The longest wait that a server may ask for; a longer one is left to the crawler."`
}

// About is the block's text in the documentation.
func (Capture) About() string {
	return "The capturer. Limits on the size of documents and the windows in which a URL is not fetched again are data on their source."
}

func (c Capture) spooler(dir string) spool.Spooler {
	return spool.Spooler{Dir: dir, Memory: c.SpoolBytes}
}

func (c Capture) fetcher(dir string) *fetch.Client {
	return fetch.New(fetch.Options{
		Guard: fetch.Guard{Allow: c.Networks, Ports: c.Ports}, Spool: c.spooler(dir), UserAgent: c.UserAgent,
		Connect: c.Connect, FirstByte: c.FirstByte, Total: c.Total, MaxRedirects: c.MaxRedirects,
	})
}

// versions are those that this build extracts and writes headers with.
func versions() dedup.Versions {
	return dedup.Versions{Parser: extract.ParserVersion, Chunker: model.ChunkerVersion, Header: header.Version}
}
