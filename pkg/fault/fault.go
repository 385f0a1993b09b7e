// Package fault says what went wrong and whether to try again. A stage
// returns one of these errors; the runner in pkg/stream decides from its kind
// alone (contracts#decide), so that retry policy lives in one place.
package fault

import (
	"context"
	"errors"
	"time"
)

// Kind is the class of an error, which decides what the runner does with the
// message in hand (contracts#decide).
type Kind int

// The kinds, in the order in which KindOf looks for them.
const (
	// KindNone is the kind of a nil error.
	KindNone Kind = iota
	// KindContext: the work was told to stop; the server delivers again.
	KindContext
	// KindUnavailable: one of our own stores, the bus or a model endpoint is
	// away. It is not an attempt; the runner waits until a probe succeeds.
	KindUnavailable
	// KindDeferred: the work cannot be done now through nobody's fault
	// (another holds the lease, a newer version must do it). Not an attempt.
	KindDeferred
	// KindTransient: counted as an attempt and tried again after a delay.
	KindTransient
	// KindPermanent: never tried again.
	KindPermanent
)

// Reason is why something ended in failure: the closed list of contracts#reasons.
type Reason string

// The closed list (contracts#reasons).
const (
	FetchRefused      Reason = "fetch_refused"
	FetchFailed       Reason = "fetch_failed"
	TooLarge          Reason = "too_large"
	LimitExceeded     Reason = "limit_exceeded"
	UnsupportedType   Reason = "unsupported_type"
	Malformed         Reason = "malformed"
	Encrypted         Reason = "encrypted"
	EmptyContent      Reason = "empty_content"
	OCRFailed         Reason = "ocr_failed"
	ParserCrashed     Reason = "parser_crashed"
	Timeout           Reason = "timeout"
	InvalidJSON       Reason = "invalid_json"
	EvidenceNotFound  Reason = "evidence_not_found"
	SourceUnknown     Reason = "source_unknown"
	SourceDisabled    Reason = "source_disabled"
	RequestConflict   Reason = "request_conflict"
	AttemptsExhausted Reason = "attempts_exhausted"
	Internal          Reason = "internal"
)

// Reasons returns the closed list, in the order of contracts#reasons.
func Reasons() []Reason {
	return []Reason{
		FetchRefused, FetchFailed, TooLarge, LimitExceeded, UnsupportedType, Malformed,
		Encrypted, EmptyContent, OCRFailed, ParserCrashed, Timeout, InvalidJSON,
		EvidenceNotFound, SourceUnknown, SourceDisabled, RequestConflict,
		AttemptsExhausted, Internal,
	}
}

// Valid reports whether r is in the closed list.
func (r Reason) Valid() bool {
	for _, known := range Reasons() {
		if r == known {
			return true
		}
	}
	return false
}

// DeadLetter reports whether a failure for this reason leaves a dead letter:
// what is our fault or nobody's. A fault of the document itself is its row
// and its outcome, and nothing else (contracts#dead-letters).
func (r Reason) DeadLetter() bool {
	return r == Malformed || r == AttemptsExhausted || r == Internal
}

type fault struct {
	kind   Kind
	reason Reason
	after  time.Duration
	// document: the fault is the document's own.
	document bool
	err      error
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

func wrap(kind Kind, reason Reason, after time.Duration, err error) error {
	if err == nil {
		return nil
	}
	return &fault{kind: kind, reason: reason, after: after, err: err}
}

// Unavailable marks err as the absence of one of our own parts. A nil err
// stays nil, as in all constructors of this package.
func Unavailable(err error) error { return wrap(KindUnavailable, "", 0, err) }

// Transient marks err as worth another attempt. When the attempts are used
// up the reason is AttemptsExhausted.
func Transient(err error) error { return wrap(KindTransient, AttemptsExhausted, 0, err) }

// TransientFor is Transient for a fault of somebody else's document or
// server: when the attempts are used up the failure keeps this reason.
// retryAfter, when positive, is the least delay before the next attempt.
func TransientFor(reason Reason, retryAfter time.Duration, err error) error {
	return wrap(KindTransient, reason, retryAfter, err)
}

// Permanent marks err as final. Its message is the human sentence of
// contracts#sentence: it names the thing and the limit, never a path or a stack.
func Permanent(reason Reason, err error) error { return wrap(KindPermanent, reason, 0, err) }

// Document is Permanent for a fault of the document itself, which is its row
// and its outcome and never a dead letter, whatever the reason (contracts#dead-letters).
func Document(reason Reason, err error) error {
	if err == nil {
		return nil
	}
	return &fault{kind: KindPermanent, reason: reason, document: true, err: err}
}

// OfDocument reports whether err was made by Document.
func OfDocument(err error) bool {
	var f *fault
	return errors.As(err, &f) && f.document
}

// Defer asks to be handed the message again after the delay, without
// counting an attempt.
func Defer(after time.Duration, err error) error { return wrap(KindDeferred, "", after, err) }

// KindOf returns the kind of err: that of the outermost marked error in its
// chain, KindContext for an ended context, and KindTransient for an error that
// nobody marked, since one more try is the mild answer to the unknown.
func KindOf(err error) Kind {
	if err == nil {
		return KindNone
	}
	var f *fault
	if errors.As(err, &f) {
		return f.kind
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return KindContext
	}
	return KindTransient
}

// Marked reports whether some constructor of this package has given err its kind:
// KindOf calls transient also what nobody has marked.
func Marked(err error) bool {
	var f *fault
	return errors.As(err, &f)
}

// ReasonOf returns the reason that a failure by err is recorded with:
// AttemptsExhausted for an unmarked error, whose attempts are counted.
func ReasonOf(err error) Reason {
	var f *fault
	if errors.As(err, &f) && f.reason != "" {
		return f.reason
	}
	return AttemptsExhausted
}

// RetryAfter returns the delay that err asks for, or zero.
func RetryAfter(err error) time.Duration {
	var f *fault
	if errors.As(err, &f) {
		return f.after
	}
	return 0
}
