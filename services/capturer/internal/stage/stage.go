// Package stage is the capturer's stage: a request comes in, the bytes that it
// names are stored as they are with all that is known about them, and the
// crawler is told what became of it (contracts#outcomes, contracts#current).
package stage

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/capturer/internal/dedup"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// Requests is the record of what was asked for and what became of it.
type Requests interface {
	AcceptCapture(ctx context.Context, c model.Capture, owner string, lease time.Duration) (stands model.Capture, held bool, err error)
	RenewCapture(ctx context.Context, sourceID, requestID, owner string, lease time.Duration) (bool, error)
	ReleaseCapture(ctx context.Context, sourceID, requestID, owner string, retryAfter time.Duration, fetchStatus string) error
	DecideCapture(ctx context.Context, c model.Capture) (model.Capture, error)
	RecordCapture(ctx context.Context, c model.Capture, s model.Snapshot, windows []string,
		unchanged func(model.Standing) bool) (model.Capture, error)
	CaptureAtOnce(ctx context.Context, c model.Capture, s model.Snapshot, unchanged func(model.Standing) bool,
		put func(ctx context.Context) error) (row model.Capture, first bool, err error)
	BeginContainer(ctx context.Context, c model.Capture, s model.Snapshot) error
	Capture(ctx context.Context, sourceID, requestID string) (model.Capture, error)
	RecordMember(ctx context.Context, c model.Capture, s model.Snapshot, unchanged func(model.Standing) bool) (model.Capture, error)
	DecideMember(ctx context.Context, c model.Capture) (model.Capture, error)
	Members(ctx context.Context, sourceID, requestID string) (map[string]int, error)
	// KeepCapture waits until a decided request, and what was recorded for it, is on
	// the disk.
	KeepCapture(ctx context.Context, sourceID, requestID string) error
	CaptureAnnounced(ctx context.Context, sourceID, requestID string) error
}

// Windows is the record of what was fetched when.
type Windows interface {
	LeaseWindow(ctx context.Context, sourceID, urlCanonical, owner string, lease time.Duration) (w model.FetchWindow, held bool, err error)
	RenewWindow(ctx context.Context, sourceID, urlCanonical, owner string, lease time.Duration) (bool, error)
	ReleaseWindow(ctx context.Context, sourceID, urlCanonical, owner string) error
}

// Turns say when a host may be asked. A wait that is positive says that it is
// not the owner's turn, and when to ask for it again; a turn that was given is
// given back, with how long the host's server asked not to be asked.
type Turns interface {
	TakeTurn(ctx context.Context, host, owner string, polite model.Politeness) (wait time.Duration, err error)
	ReleaseTurn(ctx context.Context, host, owner string, closed time.Duration) error
}

// Robots says what a host's robots.txt forbids: a *fetch.Refused for good, any
// other error but the context's for now.
type Robots interface {
	Allowed(ctx context.Context, target *url.URL) error
}

// Registry is what the stage reads of sources and snapshots.
type Registry interface {
	Source(ctx context.Context, sourceID string) (model.Source, error)
	RegisterSource(ctx context.Context, s model.Source) (model.Source, error)
	Snapshot(ctx context.Context, snapshotID string) (model.Snapshot, error)
	// Woken returns the snapshot after one that is to be processed since that came, if
	// there is one, and whether what is current of the document is to be decided anew.
	Woken(ctx context.Context, s model.Snapshot) (next *model.Snapshot, unsettled bool, err error)
	// Unsettled returns a run of a document of which what is current is to be decided
	// anew; nil for any other.
	Unsettled(ctx context.Context, documentID string) (*model.Unsettled, error)
	RunParts(ctx context.Context, snapshotID, extractionID string) (model.Run, []model.SegmentRow, []int, error)
	Standing(ctx context.Context, documentID string) (model.Standing, error)
}

// Objects is where bytes come from and go to. An object that is not there is
// ErrNoObject, one above the limit spool.ErrTooLarge, a key outside of the
// source's own prefix of the inbox ErrForeignKey. Putting is idempotent.
type Objects interface {
	PutRaw(ctx context.Context, sourceID string, c *spool.Content) error
	Raw(ctx context.Context, sourceID, contentHash string, limit int64) (*spool.Content, error)
	Inbox(ctx context.Context, sourceID, key string, limit int64) (*spool.Content, error)
}

// Fetcher fetches a URL; its errors are those of fetch.Client.
type Fetcher interface {
	Get(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// The errors of Objects that are the request's fault.
var (
	ErrNoObject   = errors.New("there is no such object")
	ErrForeignKey = errors.New("the key is not below the source's own prefix of the inbox")
)

// Stage holds the capturer's parts.
type Stage struct {
	Requests     Requests
	Windows      Windows
	Registry     Registry
	Identities   Identities
	Objects      Objects
	Fetcher      Fetcher
	Robots       Robots
	Turns        Turns
	Spool        spool.Spooler
	Today        dedup.Versions
	ToolVersion  string           // recorded as fetch_tool_version of own fetches
	InboxBucket  string           // the inbox's name in the object store
	AutoRegister bool             // an unknown source is registered with defaults
	Lease        time.Duration    // of a request and of a URL; renewed at a third of it
	Wait         time.Duration    // until a request that another one holds up is tried again
	MaxRetry     time.Duration    // the longest Retry-After that is waited for
	MaxFetch     time.Duration    // the longest that a fetch takes
	Turn         time.Duration    // how long a container keeps a worker, before it goes back to its queue
	Missing      func(error) bool // whether an error of the catalog says that there is no such row
}

var errLeaseLost = errors.New("another delivery of this request works on it")

// Handle takes capture.requested. A request that was decided before is answered
// with its stored outcome again: its announcement may be what was lost.
func (s *Stage) Handle(ctx context.Context, e event.Event, emit stream.Emit) error {
	err := s.handle(ctx, e, emit)
	switch {
	case !scratch.Failed(err):
		return err
	case s.Spool.Room() != nil: // all have to wait until there is room again
		return fault.Unavailable(err)
	default: // there was none for this one, beside others
		return fault.Transient(err)
	}
}

func (s *Stage) handle(ctx context.Context, e event.Event, emit stream.Emit) error {
	req, err := s.read(e)
	if err != nil {
		return err
	}
	if err := s.again(ctx, req); err != nil {
		return err
	}
	source, refused, err := s.source(ctx, req.SourceID)
	if err != nil {
		return err
	}
	if refused == nil && req.inline != nil && len(req.inline) <= event.MaxInline {
		row, done, err := s.atOnce(ctx, req, source)
		switch {
		case err != nil:
			return err
		case done:
			return s.recorded(ctx, req, row, emit)
		}
		// Before the row, so that the row alone is enough to do it all again.
		if err := s.putInline(ctx, req); err != nil {
			return err
		}
	}
	owner := rand.Text()
	row, held, err := s.Requests.AcceptCapture(ctx, req.row(), owner, s.Lease)
	switch {
	case err != nil:
		return err
	case req.underOlderRules(row, s.InboxBucket): // before this version: under what its row has
		if req.digest = row.RequestDigest; !held {
			row, held, err = s.Requests.AcceptCapture(ctx, req.row(), owner, s.Lease)
		}
	}
	switch {
	case err != nil:
		return err
	case row.RequestDigest != req.digest:
		return fault.Permanent(fault.RequestConflict, fmt.Errorf("request_id %q was used for another request", req.RequestID))
	case row.Outcome != "":
		return s.announce(ctx, row, nil, emit)
	case !held:
		return fault.Defer(s.Wait, errLeaseLost)
	}
	faultpoint.Reach("capture.accepted")
	req.at, req.begun = row.RequestedAt, row.SnapshotID
	renew := func(ctx context.Context) (bool, error) {
		return s.Requests.RenewCapture(ctx, req.SourceID, req.RequestID, owner, s.Lease)
	}
	err = s.hold(ctx, renew, func(ctx context.Context) (failed error) {
		if refused != nil {
			return refused
		}
		row, failed = s.capture(ctx, req, source, emit)
		return failed
	})
	if err != nil {
		var failed fetchError
		errors.As(err, &failed)
		return s.release(ctx, err, func(ctx context.Context) error {
			return s.Requests.ReleaseCapture(ctx, req.SourceID, req.RequestID, owner, failed.retryAfter, failed.status)
		})
	}
	return s.recorded(ctx, req, row, emit)
}

// recorded announces a request that was just recorded.
func (s *Stage) recorded(ctx context.Context, req *request, row model.Capture, emit stream.Emit) error {
	faultpoint.Reach("capture.recorded")
	return s.announce(ctx, row, req.recorded, emit)
}

// putInline stores the bytes that came with a request.
func (s *Stage) putInline(ctx context.Context, req *request) error {
	err := s.Objects.PutRaw(ctx, req.SourceID, spool.Bytes(req.inline))
	faultpoint.Reach("capture.inline.put")
	return err
}

// source returns the source of a request, or as refused why nothing is captured
// for it.
func (s *Stage) source(ctx context.Context, id string) (source model.Source, refused, err error) {
	source, err = s.Registry.Source(ctx, id)
	if err != nil && s.Missing(err) && s.AutoRegister {
		source, err = s.Registry.RegisterSource(ctx, model.DefaultSource(id))
		faultpoint.Reach("capture.source.registered")
	}
	switch {
	case err != nil && s.Missing(err):
		return source, fault.Permanent(fault.SourceUnknown, fmt.Errorf("source %s is not registered", id)), nil
	case err != nil:
		return source, nil, err
	case source.State != model.SourceEnabled:
		return source, fault.Permanent(fault.SourceDisabled, fmt.Errorf("source %s is disabled", id)), nil
	}
	return source, nil, nil
}

// hold runs work while it renews a lease. When the lease is lost, the work's
// context ends and the request is handed back.
func (s *Stage) hold(ctx context.Context, renew func(context.Context) (bool, error), work func(context.Context) error) error {
	working, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(s.Lease / 3)
		defer ticker.Stop()
		for {
			select {
			case <-working.Done():
				return
			case <-ticker.C:
			}
			// A catalog that is away takes no lease from anybody.
			if held, err := renew(working); err == nil && !held {
				cancel(errLeaseLost)
			}
		}
	}()
	err := work(working)
	lost := err != nil && errors.Is(context.Cause(working), errLeaseLost)
	cancel(nil)
	<-done
	if lost {
		return fault.Defer(s.Wait, errLeaseLost)
	}
	return err
}

// release gives a lease back after work that failed with cause, which it
// returns: what cannot be given back ends by itself.
func (s *Stage) release(ctx context.Context, cause error, give func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := give(ctx); err != nil && fault.KindOf(err) == fault.KindUnavailable && fault.KindOf(cause) != fault.KindPermanent {
		return fault.Unavailable(errors.Join(cause, err))
	}
	faultpoint.Reach("capture.released")
	return cause
}

// Fail gives a request its outcome: rejected or failed (contracts#rejected). A
// request that cannot be read has no row, only an outcome where its sender can
// be addressed; one whose id another request has leaves that one's row alone.
func (s *Stage) Fail(ctx context.Context, e event.Event, reason fault.Reason, sentence string, emit stream.Emit) error {
	req, err := s.read(e)
	if err != nil {
		return s.tell(ctx, e.SourceID, requestIDIn(e.Payload, e.MsgID, e.SourceID), reason, sentence, emit)
	}
	switch err := s.again(ctx, req); {
	case fault.KindOf(err) == fault.KindPermanent:
		return s.tell(ctx, req.SourceID, req.RequestID, reason, sentence, emit)
	case err != nil:
		return err
	}
	row, _, err := s.Requests.AcceptCapture(ctx, req.row(), rand.Text(), s.Lease)
	if err != nil {
		return err
	}
	if row.RequestDigest != req.digest && !req.underOlderRules(row, s.InboxBucket) {
		return s.tell(ctx, req.SourceID, req.RequestID, reason, sentence, emit)
	}
	row.Outcome, row.Reason, row.Message = string(outcomeOf(reason)), string(reason), redact.Sentence(sentence)
	if row, err = s.Requests.DecideCapture(ctx, row); err != nil {
		return err
	}
	faultpoint.Reach("capture.failure.decided")
	if fetches(req) {
		if err := s.Windows.ReleaseWindow(ctx, req.SourceID, req.canonical, req.RequestID); err != nil {
			return err
		}
		faultpoint.Reach("capture.failure.window.released")
	}
	return s.announce(ctx, row, nil, emit)
}

// Malformed tells the sender of a message that is no event, where it can be
// addressed (contracts#rejected).
func (s *Stage) Malformed(ctx context.Context, subject string, header map[string][]string, payload []byte, problem error, emit stream.Emit) error {
	var msgID string
	for _, name := range []string{event.HeaderMsgID, event.HeaderID} {
		for k, v := range header {
			if msgID == "" && len(v) > 0 && strings.EqualFold(k, name) {
				msgID = v[0]
			}
		}
	}
	sourceID := subject[strings.LastIndexByte(subject, '.')+1:]
	return s.tell(ctx, sourceID, requestIDIn(payload, msgID, sourceID), fault.Malformed, problem.Error(), emit)
}

// tell publishes an outcome for which there is no row, if there is an address.
func (s *Stage) tell(ctx context.Context, sourceID, requestID string, reason fault.Reason, sentence string, emit stream.Emit) error {
	if !model.ValidSourceID(sourceID) || requestID == "" {
		return nil
	}
	return emit(ctx, event.CaptureCompleted{
		RequestID: addressable(requestID), SourceID: sourceID, Outcome: outcomeOf(reason), Reason: string(reason), Message: redact.Sentence(sentence),
	})
}

// requestIDIn returns the request_id of a payload that may be anything, else
// the one that its message id stands for.
func requestIDIn(payload []byte, msgID, sourceID string) string {
	var named struct {
		RequestID string `json:"request_id"`
	}
	if json.Unmarshal(payload, &named) == nil && named.RequestID != "" {
		return named.RequestID
	}
	return requestIDOf(msgID, sourceID)
}

func outcomeOf(reason fault.Reason) event.Outcome {
	switch reason {
	case fault.Malformed, fault.SourceUnknown, fault.SourceDisabled, fault.RequestConflict, fault.FetchRefused, fault.TooLarge:
		return event.OutcomeRejected
	default:
		return event.OutcomeFailed
	}
}

// complete publishes a request's outcome, for a container with those of its
// members in numbers.
func (s *Stage) complete(ctx context.Context, row model.Capture, container bool, emit stream.Emit) error {
	done := event.CaptureCompleted{
		RequestID: row.RequestID, SourceID: row.SourceID, Outcome: event.Outcome(row.Outcome),
		SnapshotID: row.SnapshotID, DocumentID: row.DocumentID, Reason: row.Reason, Message: row.Message, FetchStatus: row.FetchStatus,
	}
	if !row.RetryAfter.IsZero() {
		done.RetryAfter = &row.RetryAfter
	}
	if container {
		var err error
		if done.Members, err = s.Requests.Members(ctx, row.SourceID, row.RequestID); err != nil {
			return err
		}
	}
	if row.Container == "" { // members are kept when they are recorded
		if err := s.Requests.KeepCapture(ctx, row.SourceID, row.RequestID); err != nil {
			return err
		}
	}
	if err := emit(ctx, done); err != nil {
		return err
	}
	faultpoint.Reach("capture.outcome.published")
	return s.Requests.CaptureAnnounced(ctx, row.SourceID, row.RequestID)
}

func storedOf(s model.Snapshot, force bool) event.SnapshotStored {
	return event.SnapshotStored{
		SnapshotID: s.SnapshotID, SourceID: s.SourceID, DocumentID: s.DocumentID, ContentHash: s.ContentHash,
		ByteLength: s.ByteLength, SnapshotKind: s.SnapshotKind, FinalType: s.FinalType, Force: force,
	}
}

// unchanged returns what RecordCapture asks of what stands before a snapshot.
func (s *Stage) unchanged(req *request, snap model.Snapshot) (func(model.Standing) bool, error) {
	return s.judge(req, snap, dedup.Unchanged)
}

func (s *Stage) judge(req *request, snap model.Snapshot, by func(model.Standing, string, dedup.Versions) bool) (func(model.Standing) bool, error) {
	reads, err := snap.ReadsDigest()
	if err != nil {
		return nil, err
	}
	return func(before model.Standing) bool { return !req.Force && by(before, reads, s.Today) }, nil
}
