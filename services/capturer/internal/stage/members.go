package stage

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/container/archive"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/capturer/internal/modified"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// What a container that is handed over may hold, with all containers within it;
// the size of a member is bounded as that of any document of its source.
const (
	maxEntries = 100_000
	maxTotal   = 16 // times the size that one document of the source may have,
	maxGrowth  = 10 // and this many times its own size, since archives are compressed
)

// unpacking is the work on one container: each of its members is a request of
// its own, with a snapshot that names the container's (contracts#member-request-id).
//
// Members are recorded and announced one by one, between the container's
// snapshot and its outcome, so that a death in between leaves nothing half done:
// what is recorded is found decided when the container is taken up again.
type unpacking struct {
	*Stage
	req    *request // the container's
	source model.Source
	snap   model.Snapshot // the container's
	depth  int            // 0 for the container that was handed over
	limits archive.Limits // shared by all containers within that one, as the next two are
	turn   *turn
	again  bool // members may have been decided by an earlier handling
	emit   stream.Emit
	counts counts
}

// turn is the time that a container has before others get the worker.
type turn struct {
	ends  time.Time
	added bool // a member was recorded in it
}

// over asks for another turn when this one has ended and was of use.
func (u *unpacking) over(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if u.turn.added && u.Turn > 0 && time.Now().After(u.turn.ends) {
		return fault.Defer(u.Wait, fmt.Errorf("%s has more members than can be recorded in %s", u.req.RequestID, u.Turn))
	}
	return nil
}

// counts say what became of a container's members.
type counts struct {
	stored, unchanged, failed int
	passed                    int    // records that are no documents
	stopped                   error  // why the rest was not read
	damaged                   int    // places of an archive that cannot be read
	first                     string // of them
}

// String returns the sentence that the container's outcome carries.
func (c counts) String() string {
	members, noun := c.stored+c.unchanged+c.failed, "members"
	if members == 1 {
		noun = "member"
	}
	parts := []string{fmt.Sprintf("%d %s: %d stored, %d unchanged, %d failed", members, noun, c.stored, c.unchanged, c.failed)}
	if c.passed > 0 {
		parts = append(parts, fmt.Sprintf("%d records that are no documents", c.passed))
	}
	if c.damaged > 0 {
		parts = append(parts, fmt.Sprintf("%d places that cannot be read, the first: %s", c.damaged, c.first))
	}
	if c.stopped != nil {
		parts = append(parts, "the rest is not read: "+c.stopped.Error())
	}
	return strings.Join(parts, "; ")
}

// unpacked reads the members of a container that was handed over and returns the
// container's row with what became of them. An error is one of the system or of
// the context, never the container's fault: that is the row's reason.
func (s *Stage) unpacked(ctx context.Context, req *request, row model.Capture, source model.Source, snap model.Snapshot, body *spool.Content,
	emit stream.Emit) (model.Capture, error) {
	limits := archive.Limits{
		Entries: maxEntries, Total: maxTotal*source.MaxBytes + maxGrowth*body.Size, Member: source.MaxBytes, Spent: new(archive.Spent),
	}
	u := &unpacking{
		Stage: s, req: req, source: source, snap: snap, limits: limits, turn: &turn{ends: time.Now().Add(s.Turn)},
		again: req.begun != "", emit: emit,
	}
	if source.MaxDepth == 0 {
		row.Message = "not unpacked: containers of this source are kept as they are"
		return row, nil
	}
	return u.all(ctx, row, body)
}

// all reads the members of one container.
func (u *unpacking) all(ctx context.Context, row model.Capture, file *spool.Content) (model.Capture, error) {
	err := fmt.Errorf("%w: %d containers within each other", archive.ErrLimit, u.source.MaxDepth)
	if u.depth < u.source.MaxDepth {
		err = u.walk(ctx, file)
	}
	if err != nil {
		reason, ok := reasonOf(err)
		if !ok {
			return row, err
		}
		u.counts.stopped = err
		row.Outcome, row.Reason = string(event.OutcomeFailed), string(reason)
	}
	row.Message = redact.Sentence(u.counts.String())
	return row, nil
}

func (u *unpacking) walk(ctx context.Context, file *spool.Content) error {
	if u.snap.FinalType == model.TypeWARC {
		return u.records(ctx, file)
	}
	kind, err := archive.Sniff(file.Open(), file.Size)
	switch {
	case err != nil:
		return err
	case kind == "": // its name says that it is one
		return fmt.Errorf("%w: it does not begin as a container does", archive.ErrDamaged)
	}
	return archive.Walk(kind, file.Open(), file.Size, u.snap.Filename, u.limits, func(m archive.Member) error { return u.member(ctx, m) })
}

// reasonOf returns the reason for which a container or a member cannot be read;
// ok is false for an error that is not its fault.
func reasonOf(err error) (reason fault.Reason, ok bool) {
	switch {
	case scratch.Failed(err):
		return "", false
	case errors.Is(err, spool.ErrTooLarge):
		return fault.TooLarge, true
	case errors.Is(err, archive.ErrLimit):
		return fault.LimitExceeded, true
	case errors.Is(err, archive.ErrEncrypted):
		return fault.Encrypted, true
	case errors.Is(err, archive.ErrMethod), errors.Is(err, archive.ErrNoFile):
		return fault.UnsupportedType, true
	case errors.Is(err, archive.ErrDamaged):
		return fault.Malformed, true
	}
	return "", false
}

// member captures one member of a ZIP, tar or gzip file.
func (u *unpacking) member(ctx context.Context, m archive.Member) error {
	if err := u.over(ctx); err != nil {
		return err
	}
	data := event.CaptureRequested{
		RequestID: digest.MemberRequestID(u.req.RequestID, m.Path), SourceRecordID: u.snap.ExternalID + "!/" + m.Path,
		Filename: path.Base(strings.ReplaceAll(m.Name, `\`, "/")),
	}
	if at := m.Modified.UTC().Truncate(time.Second); !at.IsZero() && at.Year() > 0 && at.Year() < 10000 {
		data.LastModified, data.LastModifiedOrigin = &at, modified.FromMember
	}
	body, err := u.read(m)
	if err != nil {
		reason, ok := reasonOf(err)
		if !ok {
			return err
		}
		return u.refuse(ctx, data, reason, fmt.Errorf("%s: %w", m.Name, err))
	}
	return u.record(ctx, data, m.Path, &captured{body: body, tool: u.req.FetchToolVersion})
}

func (u *unpacking) read(m archive.Member) (*spool.Content, error) {
	r, err := m.Open()
	if err != nil {
		return nil, err
	}
	body, err := u.Spool.Read(r, u.source.MaxBytes)
	if closed := r.Close(); err == nil && closed != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", archive.ErrDamaged, closed), body.Close())
	}
	return body, err
}

// complete fills in what a member has of its container, and cleans it. hash is
// that of the member's bytes, or of the container's when there are none.
func (u *unpacking) complete(data event.CaptureRequested, hash string) (*request, error) {
	sum, err := digest.ContentHex(hash)
	if err != nil {
		return nil, err
	}
	of := u.req.CaptureRequested
	data.SourceID, data.Object = of.SourceID, &event.Object{Bucket: bucketRaw, Key: sum}
	data.FetchToolVersion, data.RobotsPolicyNotes = of.FetchToolVersion, of.RobotsPolicyNotes
	data.SnapshotGroupID, data.Language, data.Region, data.Force = of.SnapshotGroupID, of.Language, of.Region, of.Force
	if data.RetrievedAt == nil {
		at := u.snap.RetrievedAt
		data.RetrievedAt = &at
	}
	member := &request{CaptureRequested: data, at: u.req.at}
	return member, member.clean(u.InboxBucket)
}

// rowOf returns the row of a member.
func (u *unpacking) rowOf(member *request) model.Capture {
	row := member.row()
	row.Container = u.req.RequestID
	return row
}

// refuse records a member that has no bytes to keep, and what failed about it.
// What failed of this machine is no member's fault and comes back.
func (u *unpacking) refuse(ctx context.Context, data event.CaptureRequested, reason fault.Reason, problem error) error {
	if scratch.Failed(problem) {
		return problem
	}
	member, err := u.complete(data, u.snap.ContentHash)
	if err != nil {
		return u.unnamed(ctx, data, err)
	}
	u.counts.failed++
	return u.decideFailed(ctx, member, reason, problem)
}

func (u *unpacking) decideFailed(ctx context.Context, member *request, reason fault.Reason, problem error) error {
	return u.decide(ctx, member, func(row *model.Capture) {
		row.Outcome, row.Reason, row.Message = string(outcomeOf(reason)), string(reason), redact.Sentence(problem.Error())
	})
}

// unnamed records a member whose name, address or times break the rules for
// requests, under what can be kept of its request_id.
func (u *unpacking) unnamed(ctx context.Context, data event.CaptureRequested, problem error) error {
	id := addressable(data.RequestID)
	member, err := u.complete(event.CaptureRequested{RequestID: id, SourceRecordID: id}, u.snap.ContentHash)
	if err != nil {
		return err
	}
	u.counts.failed++
	return u.decideFailed(ctx, member, fault.Malformed, problem)
}

func (c *counts) damage(what string) {
	if c.damaged++; c.damaged == 1 {
		c.first = what
	}
}

// own does the work on a member's row, which returns the row as it stands. A
// request_id may be of any form, so the row can be that of another request, or of
// a member of another container: then the member is worked on again under its
// request_id, "!/" and the snapshot_id of its container, until the row is its own.
func (u *unpacking) own(member *request, work func() (model.Capture, error)) (model.Capture, error) {
	for {
		row, err := work()
		if err != nil || row.Container == u.req.RequestID {
			return row, err
		}
		member.RequestID = addressable(digest.MemberRequestID(member.RequestID, u.snap.SnapshotID))
		if err := member.clean(u.InboxBucket); err != nil {
			return row, err
		}
	}
}

// decide gives a member that has no snapshot its row, with the outcome that fill
// writes into it.
func (u *unpacking) decide(ctx context.Context, member *request, fill func(*model.Capture)) error {
	row, err := u.own(member, func() (model.Capture, error) {
		row := u.rowOf(member)
		fill(&row)
		row, err := u.before(ctx, row, u.again)
		if err != nil || row.Announced || row.Container != u.req.RequestID {
			return row, err
		}
		return u.Requests.DecideMember(ctx, row)
	})
	if err != nil || row.Announced {
		return err
	}
	u.turn.added = true
	faultpoint.Reach("capture.member.decided")
	return u.announceOnce(ctx, row, nil)
}

// announceOnce announces a member unless that was done at an earlier reading of
// its container.
func (u *unpacking) announceOnce(ctx context.Context, row model.Capture, snap *model.Snapshot) error {
	if row.Announced {
		return nil
	}
	return u.announce(ctx, row, snap, u.emit)
}

// record stores a member's bytes and records its snapshot, with its own members
// when it is a container too.
func (u *unpacking) record(ctx context.Context, data event.CaptureRequested, place string, c *captured) error {
	defer c.Close()
	member, err := u.complete(data, c.body.Hash)
	if err != nil {
		return u.unnamed(ctx, data, err)
	}
	c.raw = member.fetchURL
	c.url, c.canonical, c.chain, c.status, c.header = member.URL, member.canonical, member.RedirectChain, member.HTTPStatus, member.Headers
	var snap model.Snapshot
	var unfit error
	row, err := u.own(member, func() (model.Capture, error) {
		if snap, unfit = u.snapshot(ctx, member, u.source, c); unfit != nil {
			return model.Capture{}, unfit
		}
		snap.ParentSnapshotID, snap.MemberPath, snap.SourceRecordID = u.snap.SnapshotID, place, ""
		return u.recordRow(ctx, member, snap, c)
	})
	switch {
	case fault.KindOf(unfit) == fault.KindPermanent:
		return u.refuse(ctx, data, fault.ReasonOf(unfit), unfit)
	case err != nil:
		return err
	}
	switch event.Outcome(row.Outcome) {
	case event.OutcomeStored:
		u.counts.stored++
	case event.OutcomeUnchanged:
		u.counts.unchanged++
	default:
		u.counts.failed++
	}
	return u.announceOnce(ctx, row, &snap)
}

// recordRow records a member whose snapshot is made, unless its row was decided
// before or is another's.
func (u *unpacking) recordRow(ctx context.Context, member *request, snap model.Snapshot, c *captured) (model.Capture, error) {
	container := snap.SnapshotKind == model.KindContainer
	row, err := u.before(ctx, u.rowOf(member), u.again || container)
	if err != nil || row.Container != u.req.RequestID {
		return row, err
	}
	known := row.Outcome != ""
	if !known {
		if err := u.put(ctx, member.SourceID, c); err != nil {
			return row, err
		}
	}
	if container {
		if row, err = u.inner(ctx, member, row, snap, c.body); err != nil {
			return row, err
		}
	}
	if known {
		return row, nil
	}
	unchanged, err := u.unchanged(member, snap)
	if err != nil {
		return row, err
	}
	row, err = u.Requests.RecordMember(ctx, row, snap, unchanged)
	if err == nil && row.Container == u.req.RequestID {
		u.turn.added = true
		faultpoint.Reach("capture.member.recorded")
	}
	return row, err
}

// before returns the row of a member as it stands, when there is one and it is
// looked for, else as it is given.
func (u *unpacking) before(ctx context.Context, row model.Capture, look bool) (model.Capture, error) {
	if !look {
		return row, nil
	}
	stands, err := u.Requests.Capture(ctx, row.SourceID, row.RequestID)
	if err != nil && u.Missing(err) {
		return row, nil
	}
	return stands, err
}

// put stores the bytes of a member.
func (u *unpacking) put(ctx context.Context, sourceID string, c *captured) error {
	for _, content := range []*spool.Content{c.body, c.wire} {
		if content == nil {
			continue
		}
		if err := u.Objects.PutRaw(ctx, sourceID, content); err != nil {
			return err
		}
		faultpoint.Reach("capture.member.put")
	}
	return nil
}

// inner reads the members of a member that is a container, also when all of them
// are decided: what they take of the limits must not depend on that. It returns
// the row as given when that has its outcome.
func (u *unpacking) inner(ctx context.Context, member *request, row model.Capture, snap model.Snapshot, body *spool.Content) (model.Capture, error) {
	if row.Outcome == "" {
		if err := u.Requests.BeginContainer(ctx, row, snap); err != nil {
			return row, err
		}
	}
	in := &unpacking{
		Stage: u.Stage, req: member, source: u.source, snap: snap, depth: u.depth + 1, limits: u.limits, turn: u.turn,
		again: u.again, emit: u.emit,
	}
	filled, err := in.all(ctx, row, body)
	if err != nil || row.Outcome != "" {
		return row, err
	}
	return filled, nil
}
