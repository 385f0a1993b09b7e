package stage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/services/capturer/internal/members"
	"github.com/colophon-dev/colophon/services/capturer/internal/obtain"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/request"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// What a container that is handed over may hold, with all containers within it;
// the size of a member is bounded as that of any document of its source.
const (
	maxEntries = 100_000
	maxTotal   = obtain.MaxArchive // times the size that one document of the source may have,
	maxGrowth  = 10                // and this many times its own size, since archives are compressed
)

// unpacking is the work on one container: each of its members is a request of
// its own, with a snapshot that names the container's (contracts#member-request-id).
//
// Members are recorded and announced one by one, between the container's
// snapshot and its outcome, so that a death in between leaves nothing half done:
// what is recorded is found decided when the container is taken up again.
type unpacking struct {
	*Stage
	job                   // the container's
	snap   model.Snapshot // the container's
	depth  int            // 0 for the container that was handed over
	limits container.Limits
	turn   *turn // shared by all containers within the first one, as what is spent of the limits is
}

// turn is the time that a container has before others get the worker.
type turn struct {
	ends     time.Time
	recorded bool // a member was recorded in it
}

// checkTurn asks for another turn when this one has ended and was of use.
func (u *unpacking) checkTurn() error {
	if u.turn.recorded && u.Turn > 0 && time.Now().After(u.turn.ends) {
		return fault.Defer(u.Wait, fmt.Errorf("%s has more members than can be recorded in %s", u.req.RequestID, u.Turn))
	}
	return nil
}

// tally says what became of a container's members.
type tally struct{ stored, unchanged, failed int }

func (t *tally) countOutcome(outcome string) {
	switch event.Outcome(outcome) {
	case event.OutcomeStored:
		t.stored++
	case event.OutcomeUnchanged:
		t.unchanged++
	default:
		t.failed++
	}
}

// describeMembers returns what the container's outcome says of its members; stopped is why the
// rest was not read.
func (t tally) describeMembers(rest container.Rest, stopped error) string {
	sum, noun := t.stored+t.unchanged+t.failed, "members"
	if sum == 1 {
		noun = "member"
	}
	parts := []string{fmt.Sprintf("%d %s: %d stored, %d unchanged, %d failed", sum, noun, t.stored, t.unchanged, t.failed)}
	if rest.Passed > 0 {
		parts = append(parts, fmt.Sprintf("%d records that are no documents", rest.Passed))
	}
	if rest.Damaged > 0 {
		parts = append(parts, fmt.Sprintf("%d places that cannot be read, the first: %s", rest.Damaged, rest.First))
	}
	if stopped != nil {
		parts = append(parts, "the rest is not read: "+stopped.Error())
	}
	return strings.Join(parts, "; ")
}

// unpackContainer records the members of a container that was handed over and returns the
// container's row with what became of them. An error is one of the system or of
// the context, never the container's fault: that is the row's reason.
func (s *Stage) unpackContainer(ctx context.Context, j job, row model.Capture, snap model.Snapshot, body *spool.Content) (model.Capture, error) {
	if j.source.MaxDepth == 0 {
		row.Message = "not unpacked: containers of this source are kept as they are"
		return row, nil
	}
	u := &unpacking{Stage: s, job: j, snap: snap, turn: &turn{ends: time.Now().Add(s.Turn)}, limits: container.Limits{
		Entries: maxEntries, Total: maxTotal*j.source.MaxBytes + maxGrowth*body.Size, Member: j.source.MaxBytes, Spent: new(container.Spent),
	}}
	return u.recordAll(ctx, row, body)
}

// recordAll records the members of one container.
func (u *unpacking) recordAll(ctx context.Context, row model.Capture, body *spool.Content) (model.Capture, error) {
	var sum tally
	var rest container.Rest
	err := fmt.Errorf("%w: %d containers within each other", container.ErrLimit, u.source.MaxDepth)
	if u.depth < u.source.MaxDepth {
		sum, rest, err = u.walkMembers(ctx, body)
	}
	if err != nil {
		reason, ok := members.ReasonOf(err)
		if !ok {
			return row, err
		}
		row.Outcome, row.Reason = string(event.OutcomeFailed), string(reason)
	}
	row.Message = redact.Sentence(sum.describeMembers(rest, err))
	return row, nil
}

func (u *unpacking) walkMembers(ctx context.Context, body *spool.Content) (sum tally, rest container.Rest, err error) {
	reader := &members.Reader{
		Obtain: u.Obtain, RequestID: u.req.RequestID, Identity: u.snap.ExternalID, Limits: u.limits, MaxBytes: u.source.MaxBytes,
	}
	file := container.File{ReaderAt: body.Open(), Size: body.Size, Type: u.snap.FinalType, Name: u.snap.Filename}
	rest, err = u.Containers.Each(ctx, file, u.limits, func(m container.Member) error {
		if err := u.checkTurn(); err != nil {
			return err
		}
		found, err := reader.Read(ctx, m)
		if err != nil {
			return err
		}
		defer found.Content.Close()
		row, err := u.recordFound(ctx, found, m.Path)
		if err == nil {
			sum.countOutcome(row.Outcome)
		}
		return err
	})
	return sum, rest, err
}

// recordFound gives a member its row, and tells what became of it.
func (u *unpacking) recordFound(ctx context.Context, found members.Found, path string) (model.Capture, error) {
	hash := u.snap.ContentHash
	if found.Problem == nil {
		hash = found.Content.Body.Hash
	}
	member, err := u.req.Member(found.Asked, u.snap, hash)
	if err != nil {
		return u.refuseUnnamed(ctx, found, err)
	}
	switch {
	case found.Problem == nil:
		return u.recordMember(ctx, member, found, path)
	case errors.Is(found.Problem, container.ErrElsewhere):
		return u.recordSeen(ctx, member, found)
	default:
		return u.refuseMember(ctx, member, found.Reason, found.Problem)
	}
}

// refuseMember records a member that has no bytes to keep, and what failed about it.
func (u *unpacking) refuseMember(ctx context.Context, member *request.Request, reason fault.Reason, problem error) (model.Capture, error) {
	return u.decideMember(ctx, member, func(row *model.Capture) {
		row.Outcome, row.Reason, row.Message = string(outcomeOf(reason)), string(reason), redact.Sentence(problem.Error())
	})
}

// refuseUnnamed records a member whose name, address or times break the rules for
// requests, under what can be kept of its request_id.
func (u *unpacking) refuseUnnamed(ctx context.Context, found members.Found, problem error) (model.Capture, error) {
	member, err := u.req.Unnamed(found.Asked.RequestID, u.snap)
	if err != nil {
		return model.Capture{}, err
	}
	return u.refuseMember(ctx, member, fault.Malformed, problem)
}

// recordSeen records a revisit whose payload is not in the archive: it was stored
// when it was first seen, and the document is there still, and unchanged.
func (u *unpacking) recordSeen(ctx context.Context, member *request.Request, found members.Found) (model.Capture, error) {
	identity, err := u.identifyDocument(ctx, member, member.FetchURL, member.Canonical)
	switch {
	case fault.KindOf(err) == fault.KindPermanent:
		return u.refuseUnnamed(ctx, found, err)
	case err != nil:
		return model.Capture{}, err
	}
	return u.decideMember(ctx, member, func(row *model.Capture) {
		row.Outcome, row.DocumentID = string(event.OutcomeUnchanged), digest.DocumentID(member.SourceID, identity.ExternalID)
		row.Message = "a revisit whose payload is not in the archive"
	})
}

// decideMember gives a member that has no snapshot its row, with the outcome that fill
// writes into it.
func (u *unpacking) decideMember(ctx context.Context, member *request.Request, fill func(*model.Capture)) (model.Capture, error) {
	row, err := u.writeOwn(member, func(member *request.Request) (model.Capture, error) {
		row := member.Row()
		fill(&row)
		row, err := u.findStanding(ctx, row, false)
		if err != nil || row.Announced || !member.Owns(row) {
			return row, err
		}
		return u.Requests.DecideMember(ctx, row)
	})
	if err != nil || row.Announced {
		return row, err
	}
	u.turn.recorded = true
	faultpoint.Reach("capture.member.decided")
	return row, u.announce(ctx, done{row: row}, u.emit)
}

// writeOwn writes a member's row under the first of its request_ids whose row is its own:
// where one stands that is another's, write leaves it alone and returns it.
func (u *unpacking) writeOwn(member *request.Request, write func(*request.Request) (model.Capture, error)) (model.Capture, error) {
	for {
		row, err := write(member)
		if err != nil || member.Owns(row) {
			return row, err
		}
		if member, err = member.Renamed(u.snap); err != nil {
			return row, err
		}
	}
}

// findStanding returns the row of a member as it stands, when there is one, else as it is
// given. Only for a member that was begun, or of a container that was, there can be one.
func (u *unpacking) findStanding(ctx context.Context, row model.Capture, begun bool) (model.Capture, error) {
	if u.begunSnapshot == "" && !begun {
		return row, nil
	}
	stands, err := u.Requests.Capture(ctx, row.SourceID, row.RequestID)
	if errors.Is(err, fault.ErrNoRow) {
		return row, nil
	}
	return stands, err
}

// recordMember stores a member's bytes and records its snapshot, with its own members
// when it is a container too.
func (u *unpacking) recordMember(ctx context.Context, member *request.Request, found members.Found, path string) (model.Capture, error) {
	doc := obtain.NewDocument(member, found.Content)
	var snap model.Snapshot
	var unfit error
	row, err := u.writeOwn(member, func(member *request.Request) (model.Capture, error) {
		if snap, _, unfit = u.makeSnapshot(ctx, member, u.source, doc); unfit != nil {
			return model.Capture{}, unfit
		}
		snap.ParentSnapshotID, snap.MemberPath, snap.SourceRecordID = u.snap.SnapshotID, path, ""
		return u.recordSnapshot(ctx, member, snap, found.Content)
	})
	if errors.Is(err, fault.ErrURLTaken) {
		unfit = err
	}
	switch {
	case fault.KindOf(unfit) == fault.KindPermanent && !scratch.Failed(unfit): // no snapshot can be made of the bytes
		found.Problem, found.Reason = unfit, fault.ReasonOf(unfit)
		return u.recordFound(ctx, found, path)
	case err != nil || row.Announced: // at an earlier reading of its container
		return row, err
	}
	return row, u.announce(ctx, done{row, &snap}, u.emit)
}

// recordSnapshot records a member whose snapshot is made, unless its row was decided
// before or is another's.
func (u *unpacking) recordSnapshot(ctx context.Context, member *request.Request, snap model.Snapshot, content obtain.Content) (model.Capture, error) {
	holds := snap.SnapshotKind == model.KindContainer
	row, err := u.findStanding(ctx, member.Row(), holds)
	if err != nil || !member.Owns(row) {
		return row, err
	}
	decided := row.Outcome != ""
	if !decided {
		if err := u.Obtain.Put(ctx, content, member.SourceID, "", func() { faultpoint.Reach("capture.member.put") }); err != nil {
			return row, err
		}
	}
	if holds {
		// Its members are read also when all of them are decided: what they take of the
		// limits must not depend on that.
		unpacked, err := u.unpackMember(ctx, member, row, snap, content.Body)
		if err != nil {
			return row, err
		}
		if !decided {
			row = unpacked
		}
	}
	if decided {
		return row, nil
	}
	unchanged, err := u.decideUnchanged(member, snap)
	if err != nil {
		return row, err
	}
	row, err = u.Requests.RecordMember(ctx, row, snap, unchanged)
	if err == nil && member.Owns(row) {
		u.turn.recorded = true
		faultpoint.Reach("capture.member.recorded")
	}
	return row, err
}

// unpackMember records the members of a member that is a container, and returns its row
// with what became of them.
func (u *unpacking) unpackMember(ctx context.Context, member *request.Request, row model.Capture, snap model.Snapshot, body *spool.Content) (model.Capture, error) {
	if row.Outcome == "" {
		if err := u.Requests.BeginContainer(ctx, row, snap); err != nil {
			return row, err
		}
	}
	inner := &unpacking{
		Stage: u.Stage, job: job{req: member, source: u.source, begunSnapshot: u.begunSnapshot, emit: u.emit},
		snap: snap, depth: u.depth + 1, limits: u.limits, turn: u.turn,
	}
	return inner.recordAll(ctx, row, body)
}
