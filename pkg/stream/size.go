package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Size is what one stream holds.
type Size struct {
	Stream   string // as in the table: without an installation's prefix
	Messages uint64
	Bytes    uint64
	Limit    int64 // bytes that it may hold; 0: no limit
}

// Sizes returns what each stream holds. Streams that are missing are left out: Verify
// says so.
func (c *Conn) Sizes(ctx context.Context) ([]Size, error) {
	var sizes []Size
	for _, s := range table() {
		found, err := c.js.Stream(ctx, c.streamName(s.name))
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("asking for the size of stream %s: %w", s.name, unavailable(ctx, err))
		}
		info := found.CachedInfo()
		sizes = append(sizes, Size{
			Stream: s.name, Messages: info.State.Msgs, Bytes: info.State.Bytes, Limit: max(info.Config.MaxBytes, 0),
		})
	}
	return sizes, nil
}

// Storage returns the bytes that the account's streams take on the server's disks, and
// how many they may take; 0 is no limit.
func (c *Conn) Storage(ctx context.Context) (used uint64, limit int64, err error) {
	account, err := c.js.AccountInfo(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("asking for the account's storage: %w", unavailable(ctx, err))
	}
	return account.Store, max(account.Limits.MaxStore, 0), nil
}

// CountDead returns how many dead letters wait, by consumer, with 0 for consumers that
// have none.
func (c *Conn) CountDead(ctx context.Context) (map[string]uint64, error) {
	counts := make(map[string]uint64)
	for _, s := range table() {
		for _, consumer := range s.consumers {
			counts[consumer.name] = 0
		}
	}
	letters, err := c.js.Stream(ctx, c.streamName(dlqStream))
	if err != nil {
		return nil, fmt.Errorf("counting dead letters: %w", unavailable(ctx, err))
	}
	before := c.cfg.Prefix + "." + strings.ToLower(dlqStream) + "."
	info, err := letters.Info(ctx, jetstream.WithSubjectFilter(before+">"))
	if err != nil {
		return nil, fmt.Errorf("counting dead letters: %w", unavailable(ctx, err))
	}
	for subject, n := range info.State.Subjects {
		consumer, _, _ := strings.Cut(strings.TrimPrefix(subject, before), ".")
		if _, known := counts[consumer]; known {
			counts[consumer] += n
		}
	}
	return counts, nil
}
