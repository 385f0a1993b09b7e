package instrument

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// The stores that are asked, as their labels say.
const (
	StoreObjects = "s3"
	StoreCatalog = "postgres"
	StoreVectors = "qdrant"
	StoreBus     = "nats"
	StoreModels  = "model" // an endpoint that embeds, reranks or chats: no store, and asked like one
)

// Outcome is how a request to a store ended, the same words for all of them.
type Outcome string

// The outcomes of requests.
const (
	OutcomeOK          Outcome = "ok"
	OutcomeNotFound    Outcome = "not_found"   // which may be a good answer
	OutcomeExists      Outcome = "exists"      // what was to be made is there
	OutcomeDenied      Outcome = "denied"      // our credentials, or what they may do
	OutcomeRefused     Outcome = "refused"     // what is wrong is the request
	OutcomeFull        Outcome = "full"        // no room for more
	OutcomeUnavailable Outcome = "unavailable" // away, too slow, or failed by itself
	OutcomeConflict    Outcome = "conflict"    // with others who write: it is tried again
	OutcomeCancelled   Outcome = "cancelled"   // whoever asked has gone
)

// outcomes returns all of them.
func outcomes() []Outcome {
	return []Outcome{OutcomeOK, OutcomeNotFound, OutcomeExists, OutcomeDenied, OutcomeRefused, OutcomeFull,
		OutcomeUnavailable, OutcomeConflict, OutcomeCancelled}
}

// other is the operation that is in no list.
const other = "other"

// Operations returns what is asked of a store, other last.
func Operations(store string) []string {
	switch store {
	case StoreObjects:
		return []string{"put", "get", "stat", "list", "delete", other}
	case StoreCatalog:
		return []string{"select", "insert", "update", "delete", "with", "begin", "commit", "rollback", "batch", other}
	case StoreVectors:
		return []string{"upsert", "query", "set_payload", "delete", "scroll", "get", "count", "health", "collection", "alias", other}
	case StoreBus:
		return []string{"publish"}
	case StoreModels:
		return []string{"embed", "rerank", "chat"}
	}
	return nil
}

// Requests measures what is asked of one store. It is safe for concurrent use.
type Requests struct {
	store      string
	operations []string
	duration   metric.Float64Histogram

	sets Sets[answered]
}

// answered is what the labels of a request are made of.
type answered struct {
	operation string
	outcome   Outcome
}

// NewRequests returns what measures the requests to a store. A nil meter measures
// nothing.
func NewRequests(m metric.Meter, store string) *Requests {
	r := &Requests{store: store, operations: Operations(store), duration: Histogram(m, StoreRequestDuration)}
	r.sets.Labels = func(a answered) []attribute.KeyValue {
		return []attribute.KeyValue{
			attribute.String("store", store), attribute.String("operation", a.operation), attribute.String("outcome", string(a.outcome)),
		}
	}
	return r
}

// Done measures one request. An operation that is not in the list of its store is other.
func (r *Requests) Done(ctx context.Context, operation string, outcome Outcome, took time.Duration) {
	if !slices.Contains(r.operations, operation) {
		operation = other
	}
	r.duration.Record(ctx, took.Seconds(), r.sets.Of(answered{operation, outcome}))
}
