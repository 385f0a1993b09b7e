package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrNoRoom says that the NATS server has less disk for streams than REQUESTS may
// take. The sentence around it names the setting.
var ErrNoRoom = errors.New("the NATS server has not enough disk for its streams")

// codeNoRoom is JetStream's code for a stream whose limit is more than the server,
// or the account, may still set aside.
const codeNoRoom jetstream.ErrorCode = 10047

// ProvisionOptions is what may differ between installations.
type ProvisionOptions struct {
	Replicas     int   // of every stream, default 1; 3 in production (contracts#stream-table)
	RequestBytes int64 // limit of REQUESTS, default 256 MiB; a full one pushes back
}

// Provision makes the streams and durable consumers (contracts#stream-table), or changes
// those that are there. It may be repeated and may stop half-way: what is made
// stays. A change that the server refuses (another retention) is an error, and so is a user
// that may not make them (ErrDenied).
func Provision(ctx context.Context, c *Conn, o ProvisionOptions) error {
	def(&o.Replicas, 1)
	def(&o.RequestBytes, 256<<20)
	for _, s := range table() {
		cfg := c.wanted(s)
		cfg.Replicas = o.Replicas
		if s.queue {
			cfg.MaxBytes = o.RequestBytes
		}
		since := time.Now()
		made, err := c.js.CreateOrUpdateStream(ctx, cfg)
		var refused *jetstream.APIError
		if errors.As(err, &refused) && refused.ErrorCode == codeNoRoom {
			return fmt.Errorf("%w: stream %s sets aside up to %d MiB (COLOPHON_REQUEST_BYTES), %s; "+
				"give the server more disk, or set COLOPHON_REQUEST_BYTES to fewer bytes", ErrNoRoom, cfg.Name, cfg.MaxBytes>>20, c.roomText(ctx))
		}
		if err != nil {
			return fmt.Errorf("providing stream %s: %w", cfg.Name, c.unanswered(ctx, cfg.Name, since, err))
		}
		for _, consumer := range s.consumers {
			since = time.Now()
			if _, err := made.CreateOrUpdateConsumer(ctx, c.wantedConsumer(consumer)); err != nil {
				return fmt.Errorf("providing consumer %s of %s: %w", consumer.name, cfg.Name, c.unanswered(ctx, cfg.Name, since, err))
			}
		}
	}
	return nil
}

// roomText says what the streams of the account have of the server's disk.
func (c *Conn) roomText(ctx context.Context) string {
	account, err := c.js.AccountInfo(ctx)
	if err != nil {
		return "which is more than the server has left"
	}
	text := fmt.Sprintf("all streams hold %d MiB now and have set aside %d MiB", account.Store>>20, account.ReservedStore>>20)
	if limit := account.Limits.MaxStore; limit >= 0 {
		text += fmt.Sprintf(", the account may have %d MiB", limit>>20)
	}
	return text
}
