// Package vectorstore keeps chunks' vectors in Qdrant (contracts#vectors) and is the
// only importer of its client. It speaks to a Qdrant server and to the
// embedded subset of devstack in the same way, over gRPC.
//
// Writes wait until they are applied and are errors unless the server says
// Completed. Every write may be sent again: a write that failed may be half
// applied, and repeating it gives the state that it asked for.
//
// Errors carry their kind (pkg/fault): a server that is away, too slow or
// refuses the key is unavailable, one that is overloaded, in trouble (ErrTrouble) or
// lost a race is transient, and what it would refuse every time is permanent. ErrNotFound is
// left to the caller to judge.
package vectorstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/pkg/credential"
)

const (
	// messageLimit bounds an answer. The client's own default of 4 MB is less
	// than a page of large chunks.
	messageLimit = 64 << 20

	defaultTimeout = 30 * time.Second

	// A server that is busy with a large batch may answer a ping late: a short
	// timeout would cut the connection under the call.
	keepAliveSeconds        = 20
	keepAliveTimeoutSeconds = 10
)

// Config says where the server is.
type Config struct {
	Addr    string        // host:port of the gRPC door; an IPv6 host in brackets
	APIKey  string        // sent with each call when not empty; use TLS with it
	TLS     bool          // whether the connection is encrypted (TLS 1.3); it is also when a file below is named
	Timeout time.Duration // of one call; 0 means 30 seconds

	APIKeyFile string // file that holds the key in its place; empty: none
	CAFile     string // authorities of the server's certificate, PEM; empty: those of the system
	CertFile   string // our own certificate, PEM; empty: none
	KeyFile    string // its key, PEM

	CheckEvery time.Duration // how old what was read of the files may be, default 5 s
	Logger     *slog.Logger  // told of credentials that change or are refused; nil: quiet

	watched *watched  // see Logged; nil: each Client's own
	observe *observer // see Traced; nil: nothing is measured
}

// Client is a connection to one server, good for use by many goroutines.
type Client struct {
	links   *links
	timeout time.Duration
}

// Open connects to the server and asks it for a sign of life. It returns an
// unavailable error when there is none, when a file of credentials is not there, and
// when the server refuses them.
//
// The files are read again when they change, and when the server refuses what they
// held. With another certificate calls go over new connections; those under way end on
// the old ones.
func Open(ctx context.Context, config Config) (*Client, error) {
	links, err := newLinks(config)
	if err != nil {
		return nil, err
	}
	client := &Client{links: links, timeout: config.Timeout}
	if client.timeout <= 0 {
		client.timeout = defaultTimeout
	}
	if _, err := client.Ping(ctx); err != nil {
		_ = links.close()
		return nil, fmt.Errorf("open vector store at %s: %w", config.Addr, err)
	}
	return client, nil
}

// Close ends the connections. Calls under way fail.
func (c *Client) Close() error { return c.links.close() }

// Ping returns the server's version, for readiness and for the curious.
func (c *Client) Ping(ctx context.Context) (version string, err error) {
	err = c.call(ctx, "ask for health", func(ctx context.Context, driver *qdrant.Client) error {
		reply, err := driver.HealthCheck(ctx)
		version = reply.GetVersion()
		return err
	})
	return version, c.links.standing.Note(ctx, store, err)
}

// Collection names a collection, or an alias of one. It asks the server
// nothing.
func (c *Client) Collection(name string) *Collection {
	return &Collection{client: c, name: name}
}

// Alias returns the collection behind an alias, or ErrNotFound.
func (c *Client) Alias(ctx context.Context, alias string) (collection string, err error) {
	err = c.call(ctx, "read alias "+alias, func(ctx context.Context, driver *qdrant.Client) error {
		aliases, err := driver.ListAliases(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(aliases, func(a *qdrant.AliasDescription) bool { return a.GetAliasName() == alias })
		if i < 0 {
			return ErrNotFound
		}
		collection = aliases[i].GetCollectionName()
		return nil
	})
	return collection, err
}

// SetAlias makes alias stand for collection, in one step: a reader sees the
// collection before or the new one, and never none. Setting it again changes
// nothing. When the collection is not there (ErrNotFound) the alias stays as it
// was: that is asked first, since a server that refuses the second of two
// operations has done the first.
func (c *Client) SetAlias(ctx context.Context, alias, collection string) error {
	return c.call(ctx, "set alias "+alias, func(ctx context.Context, driver *qdrant.Client) error {
		exists, err := driver.CollectionExists(ctx, collection)
		if err != nil {
			return err
		}
		if !exists {
			return fmt.Errorf("collection %s: %w", collection, ErrNotFound)
		}
		return driver.UpdateAliases(ctx, []*qdrant.AliasOperations{
			qdrant.NewAliasDelete(alias),
			qdrant.NewAliasCreate(alias, collection),
		})
	})
}

// Stands asks whether alias stands for a collection, and whether that is there with
// vectors of so many dimensions. The error says what is not so; it is ErrNotFound when
// the alias or the collection is missing, or the alias stands for another one, and
// ErrMismatch when the vectors are others.
func (c *Client) Stands(ctx context.Context, alias, collection string, dimensions int) error {
	if err := c.Collection(collection).Check(ctx, dimensions); err != nil {
		return err
	}
	stands, err := c.Alias(ctx, alias)
	if err != nil {
		return err
	}
	if stands != collection {
		return fmt.Errorf("vector store: alias %s stands for %s, not for %s: %w", alias, stands, collection, ErrNotFound)
	}
	return nil
}

// RemoveAlias removes an alias; the collection behind it stays. An alias that
// is not there is no error.
func (c *Client) RemoveAlias(ctx context.Context, alias string) error {
	return c.call(ctx, "remove alias "+alias, func(ctx context.Context, driver *qdrant.Client) error {
		return driver.DeleteAlias(ctx, alias)
	})
}

// call runs f under the client's timeout and gives its error a kind.
func (c *Client) call(ctx context.Context, what string, f func(context.Context, *qdrant.Client) error) error {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	link, err := c.links.take()
	if err == nil {
		err = f(limited, link.driver)
		link.end()
	}
	if err == nil {
		return nil
	}
	err = classify(ctx, err)
	if errors.Is(err, credential.ErrRefused) {
		c.links.doubt()
	}
	return fmt.Errorf("vector store: %s: %w", what, err)
}
