package stream

import (
	"context"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// Failer records that an event's work has failed for good.
type Failer interface {
	// Fail does steps 1 to 3 of the order of writes (ARCHITECTURE.md)
	// for the failure: rows, then the events that tell of it. It is called
	// when Handle's error is permanent or the attempts are used up, and again
	// when it returned an error or the process ended half-way: it MUST be
	// idempotent.
	Fail(ctx context.Context, e event.Event, reason fault.Reason, sentence string, emit Emit) error
}

// Handler is a stage that works on one event at a time.
type Handler interface {
	// Handle does steps 1 to 3: objects, rows, events. It MUST be idempotent
	// and MUST emit also when it finds its work done; it never touches the
	// message. What becomes of the message is decided by the kind of the error
	// (contracts#decide), see Runner.
	Handle(ctx context.Context, e event.Event, emit Emit) error
	Failer
}

// BatchHandler is a stage that works on several events at once.
type BatchHandler interface {
	// HandleBatch is Handle for several events of any order; the i-th error is
	// the result of the i-th event. A batch that panics, exceeds its deadline
	// or returns another number of errors is handled again one by one.
	HandleBatch(ctx context.Context, events []event.Event, emit Emit) []error
	Failer
}

// Malformer is a handler that wants to tell of messages that are no events
// before they go to the dead letters: a crawler hears of its malformed
// requests, where they can be addressed (contracts#rejected).
type Malformer interface {
	// Malformed is called with the message as it came and what is wrong.
	Malformed(ctx context.Context, subject string, header map[string][]string, payload []byte, problem error, emit Emit) error
}

// Attempts is where failures are counted: the catalog. It is asked nothing for
// a message that succeeds at its first delivery.
type Attempts interface {
	// AttemptFailed counts a failure of the work and returns how many there
	// are now. An open start ends with it.
	AttemptFailed(ctx context.Context, consumer, messageID, text string) (failures int, err error)
	// AttemptReturned records that a handling has ended without a failure
	// and without the work being done. An open start ends with it.
	AttemptReturned(ctx context.Context, consumer, messageID, text string) error
	// AttemptSeen returns the starts that have not ended, and whether any
	// handling of the message is known to have ended.
	AttemptSeen(ctx context.Context, consumer, messageID string) (starts int, returned bool, err error)
	// AttemptStarted commits that a handling starts and returns how many
	// starts, this one among them, have not ended.
	AttemptStarted(ctx context.Context, consumer, messageID string) (starts int, err error)
	// ClearAttempts forgets the message.
	ClearAttempts(ctx context.Context, consumer, messageID string) error
}
