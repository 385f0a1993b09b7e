package vectorstore

import (
	"context"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

// TestOperationsOfCalls: each call of the API that is used has a name of its own.
func TestOperationsOfCalls(t *testing.T) {
	known := instrument.Operations(instrument.StoreVectors)
	for method, want := range map[string]string{
		"/qdrant.Points/Upsert": "upsert", "/qdrant.Points/Query": "query", "/qdrant.Points/SetPayload": "set_payload",
		"/qdrant.Points/Delete": "delete", "/qdrant.Points/Scroll": "scroll", "/qdrant.Points/Count": "count", "/qdrant.Points/Get": "get",
		"/qdrant.Qdrant/HealthCheck": "health", "/qdrant.Collections/CollectionExists": "collection", "/qdrant.Collections/UpdateAliases": "alias",
	} {
		if got := operationOf(method); got != want || !slices.Contains(known, got) {
			t.Errorf("%s is %q, want %q", method, got, want)
		}
	}
}

func TestOutcomesOfCalls(t *testing.T) {
	for code, want := range map[codes.Code]instrument.Outcome{
		codes.OK: instrument.OutcomeOK, codes.NotFound: instrument.OutcomeNotFound, codes.Unavailable: instrument.OutcomeUnavailable,
		codes.DeadlineExceeded: instrument.OutcomeUnavailable, codes.PermissionDenied: instrument.OutcomeDenied, codes.InvalidArgument: instrument.OutcomeRefused,
		codes.ResourceExhausted: instrument.OutcomeFull, codes.Internal: instrument.OutcomeUnavailable, codes.Aborted: instrument.OutcomeConflict,
	} {
		if got := outcomeOf(context.Background(), status.Error(code, "x")); got != want {
			t.Errorf("%s is %s, want %s", code, got, want)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if got := outcomeOf(ended, status.Error(codes.Canceled, "x")); got != instrument.OutcomeCancelled {
		t.Errorf("a caller that has gone is %s", got)
	}
}
