package stream

import (
	"context"
	"fmt"
)

// ProvisionOptions is what may differ between installations.
type ProvisionOptions struct {
	Replicas     int   // of every stream, default 1; 3 in production (contracts 3)
	RequestBytes int64 // limit of REQUESTS, default 256 MiB; a full one pushes back
}

// Provision makes the streams and durable consumers of contracts 3, or changes
// those that are there. It may be repeated and may stop half-way: what is made
// stays. A change that the server refuses (another retention) is an error.
func Provision(ctx context.Context, c *Conn, o ProvisionOptions) error {
	def(&o.Replicas, 1)
	def(&o.RequestBytes, 256<<20)
	for _, s := range table() {
		cfg := c.wanted(s)
		cfg.Replicas = o.Replicas
		if s.queue {
			cfg.MaxBytes = o.RequestBytes
		}
		made, err := c.js.CreateOrUpdateStream(ctx, cfg)
		if err != nil {
			return fmt.Errorf("providing stream %s: %w", cfg.Name, unavailable(ctx, err))
		}
		for _, consumer := range s.consumers {
			if _, err := made.CreateOrUpdateConsumer(ctx, c.wantedConsumer(consumer)); err != nil {
				return fmt.Errorf("providing consumer %s of %s: %w", consumer.name, cfg.Name, unavailable(ctx, err))
			}
		}
	}
	return nil
}
