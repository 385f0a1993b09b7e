package stream

import (
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The names of the durable consumers (contracts#stream-table).
const (
	ConsumerCapture = "capture"
	ConsumerSplit   = "split"
	ConsumerExtract = "extract"
	ConsumerOCR     = "ocr"
	ConsumerChunk   = "chunk"
	ConsumerIndex   = "index"

	ConsumerEntities = "entities"
	ConsumerEnrich   = "enrich"
)

const (
	week  = 7 * 24 * time.Hour
	month = 30 * 24 * time.Hour
)

// spec is one row of contracts#stream-table.
type spec struct {
	name      string
	subjects  []string // noun.verb, without prefix and source
	queue     bool     // WorkQueue with DiscardNew and a byte limit; else Limits with DiscardOld
	maxAge    time.Duration
	consumers []consumerSpec
}

type consumerSpec struct {
	name    string
	filters []string // noun.verb; what of its stream it handles
}

const dlqStream = "DLQ"

// chunkStream holds the changes of chunks.
const chunkStream = "CHUNKS"

// table returns the streams (contracts#stream-table) and their consumers.
func table() []spec {
	return []spec{
		{name: "REQUESTS", subjects: []string{"capture.requested"}, queue: true,
			consumers: []consumerSpec{{ConsumerCapture, []string{"capture.requested"}}}},
		{name: "SNAPSHOTS", subjects: []string{"snapshot.stored", "run.requested"}, maxAge: week,
			consumers: []consumerSpec{{ConsumerSplit, []string{"snapshot.stored", "run.requested"}}}},
		{name: "PAGES", subjects: []string{"page.*"}, maxAge: week,
			consumers: []consumerSpec{{ConsumerExtract, []string{"page.split", "page.ocr_completed"}},
				{ConsumerOCR, []string{"page.ocr_requested"}}}},
		{name: "IR", subjects: []string{"ir.*"}, maxAge: week,
			consumers: []consumerSpec{{ConsumerChunk, []string{"ir.extracted", "ir.enriched"}}, {ConsumerEntities, []string{"ir.extracted"}},
				{ConsumerEnrich, []string{"ir.enrich_requested"}}}},
		{name: "ENTITIES", subjects: []string{"entities.*"}, maxAge: week},
		{name: chunkStream, subjects: []string{"chunk.*"}, maxAge: month,
			consumers: []consumerSpec{{ConsumerIndex, []string{"chunk.*"}}}},
		{name: "VECTORS", subjects: []string{"vector.*"}, maxAge: week},
		{name: "OUTCOMES", subjects: []string{"capture.completed", "run.completed"}, maxAge: week},
		{name: "CONTROL", subjects: []string{"source.*", "correction.*"}, maxAge: week},
		{name: dlqStream, subjects: []string{"dlq.*"}, maxAge: month},
	}
}

// findConsumer returns the stream on which a consumer listens.
func findConsumer(name string) (spec, consumerSpec, bool) {
	for _, s := range table() {
		for _, c := range s.consumers {
			if c.name == name {
				return s, c, true
			}
		}
	}
	return spec{}, consumerSpec{}, false
}

// streamName returns the name that a stream has on the server.
func (c *Conn) streamName(name string) string { return c.cfg.StreamPrefix + name }

// subjects returns the subjects of a pattern list for one source, "*" for all.
func (c *Conn) subjects(patterns []string, source string) []string {
	full := make([]string, len(patterns))
	for i, p := range patterns {
		full[i] = c.cfg.Prefix + "." + p + "." + source
	}
	slices.Sort(full)
	return full
}

// wanted returns what a stream must be; Provision adds what may differ between
// installations (replicas, byte limit).
func (c *Conn) wanted(s spec) jetstream.StreamConfig {
	cfg := jetstream.StreamConfig{
		Name:       c.streamName(s.name),
		Subjects:   c.subjects(s.subjects, "*"),
		Retention:  jetstream.LimitsPolicy,
		Discard:    jetstream.DiscardOld,
		MaxAge:     s.maxAge,
		Storage:    jetstream.FileStorage,
		Duplicates: c.cfg.DuplicateWindow,
	}
	if s.queue {
		cfg.Retention, cfg.Discard = jetstream.WorkQueuePolicy, jetstream.DiscardNew
	}
	return cfg
}

func (c *Conn) wantedConsumer(s consumerSpec) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:        s.name,
		AckPolicy:      jetstream.AckExplicitPolicy,
		AckWait:        c.cfg.AckWait,
		MaxAckPending:  c.cfg.MaxAckPending,
		MaxDeliver:     -1,
		FilterSubjects: c.subjects(s.filters, "*"),
	}
}
