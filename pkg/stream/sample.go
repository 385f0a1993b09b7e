package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/event"
)

// sampleStep is how much further back each event of a sample is than the one before: by an
// eighth. So of a million there are some 100, and of what lies so far back that n events came
// after it, n/8 in a row are enough for one of them to be in the sample.
const sampleStep = 8

// SampleChunks returns events of chunks, the newest first: the last ones each, and the
// further back the fewer. What is no event is left out.
func (c *Conn) SampleChunks(ctx context.Context) (sample []event.Event, err error) {
	s, err := c.js.Stream(ctx, c.streamName(chunkStream))
	if err != nil {
		return nil, fmt.Errorf("a sample of the events of chunks: %w", unavailable(ctx, err))
	}
	state := s.CachedInfo().State
	if state.Msgs == 0 {
		return nil, nil
	}
	for back := uint64(0); back <= state.LastSeq-state.FirstSeq; back += max(1, back/sampleStep) {
		m, err := s.GetMsg(ctx, state.LastSeq-back)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("a sample of the events of chunks: %w", unavailable(ctx, err))
		}
		if e, err := event.Decode(c.cfg.Prefix, m.Subject, m.Header, m.Data); err == nil { // anybody may have written it
			sample = append(sample, e)
		}
	}
	return sample, nil
}

// ChunkSources returns the sources of which the stream has events of chunks, sorted.
func (c *Conn) ChunkSources(ctx context.Context) ([]string, error) {
	subjects, err := c.chunkSubjects(ctx, "*")
	if err != nil {
		return nil, err
	}
	sources := make(map[string]bool, len(subjects))
	for _, subject := range subjects {
		sources[subject[strings.LastIndexByte(subject, '.')+1:]] = true
	}
	return slices.Sorted(maps.Keys(sources)), nil
}

// NewestChunks returns the newest event of chunks of a source, of each type. What is no event is
// left out.
func (c *Conn) NewestChunks(ctx context.Context, source string) (newest []event.Event, err error) {
	subjects, err := c.chunkSubjects(ctx, source)
	if err != nil || len(subjects) == 0 {
		return nil, err
	}
	s, err := c.js.Stream(ctx, c.streamName(chunkStream))
	if err != nil {
		return nil, fmt.Errorf("events of chunks of %s: %w", source, unavailable(ctx, err))
	}
	for _, subject := range subjects {
		m, err := s.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("events of chunks of %s: %w", source, unavailable(ctx, err))
		}
		if e, err := event.Decode(c.cfg.Prefix, m.Subject, m.Header, m.Data); err == nil { // anybody may have written it
			newest = append(newest, e)
		}
	}
	return newest, nil
}

// chunkSubjects returns the subjects of a source, or of all ("*"), under which the stream of
// chunks has messages, sorted.
func (c *Conn) chunkSubjects(ctx context.Context, source string) ([]string, error) {
	s, err := c.js.Stream(ctx, c.streamName(chunkStream))
	if err != nil {
		return nil, fmt.Errorf("sources of chunks: %w", unavailable(ctx, err))
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(c.cfg.Prefix+".chunk.*."+source))
	if err != nil {
		return nil, fmt.Errorf("sources of chunks: %w", unavailable(ctx, err))
	}
	return slices.Sorted(maps.Keys(info.State.Subjects)), nil
}
