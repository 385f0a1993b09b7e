package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Verify compares retention, discard, subjects and duplicate window of every
// stream with what Provision makes, and asks for every consumer. The error joins all
// differences, one sentence each; it is Unavailable when the bus is away, and ErrDenied
// when our user may not ask: then what is left is not asked, since each would run out of time.
func (c *Conn) Verify(ctx context.Context) error {
	var differs []error
	for _, s := range table() {
		if err := c.verify(ctx, s, s.consumers...); err != nil {
			differs = append(differs, err)
			if errors.Is(err, ErrDenied) {
				break
			}
		}
	}
	return errors.Join(differs...)
}

// verify compares one stream, and asks for these of its consumers.
func (c *Conn) verify(ctx context.Context, s spec, consumers ...consumerSpec) error {
	want := c.wanted(s)
	since := time.Now()
	found, err := c.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("stream %s does not exist", want.Name)
	}
	if err != nil {
		return fmt.Errorf("asking for stream %s: %w", want.Name, c.unanswered(ctx, want.Name, since, err))
	}
	got := found.CachedInfo().Config
	slices.Sort(got.Subjects)
	var differs []error
	differ := func(what string, is, must any) {
		differs = append(differs, fmt.Errorf("stream %s: %s is %v, must be %v", want.Name, what, is, must))
	}
	if got.Retention != want.Retention {
		differ("retention", got.Retention, want.Retention)
	}
	if got.Discard != want.Discard {
		differ("discard", got.Discard, want.Discard)
	}
	if !slices.Equal(got.Subjects, want.Subjects) {
		differ("subjects", strings.Join(got.Subjects, " "), strings.Join(want.Subjects, " "))
	}
	if got.Duplicates != want.Duplicates {
		differ("duplicate window", got.Duplicates, want.Duplicates)
	}
	for _, consumer := range consumers {
		since = time.Now()
		_, err := found.Consumer(ctx, consumer.name)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			differs = append(differs, fmt.Errorf("consumer %s of stream %s does not exist", consumer.name, want.Name))
		} else if err != nil {
			differs = append(differs, fmt.Errorf("asking for consumer %s: %w", consumer.name, c.unanswered(ctx, want.Name, since, err)))
		}
	}
	return errors.Join(differs...)
}
