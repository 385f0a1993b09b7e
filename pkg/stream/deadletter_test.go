package stream_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

func TestADeadLetterHoldsItsMessageAndCanBeRetried(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	var mended atomic.Bool
	s := &stage{handle: func(context.Context, string, stream.Emit) error {
		if mended.Load() {
			return nil
		}
		return fault.Permanent(fault.Internal, errors.New("two pages 3\nin one range"))
	}}
	e, err := event.New("capturer", snapshot("snap"), time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	e.Trace = map[string]string{event.HeaderTraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	if err := r.conn.Publisher("capturer").Publish(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	r.run(s)
	eventually(t, "a dead letter", func() bool { return len(r.dead()) == 1 })
	r.settled(stream.ConsumerSplit)
	d := r.dead()[0]
	want := stream.Dead{
		Seq: 1, At: d.At, Consumer: "split", SourceID: "town", Reason: fault.Internal,
		Message: "two pages 3 in one range", Subject: r.env.Prefix + ".snapshot.stored.town",
		MsgID: msgID("snap"), Type: event.TypeSnapshotStored, Deliveries: 1,
	}
	got := d
	got.Header, got.Payload = nil, nil
	if got.Seq != want.Seq || got.Consumer != want.Consumer || got.SourceID != want.SourceID || got.Reason != want.Reason ||
		got.Message != want.Message || got.Subject != want.Subject || got.MsgID != want.MsgID ||
		got.Type != want.Type || got.Deliveries != want.Deliveries || got.Lost != "" {
		t.Errorf("%+v, want %+v", got, want)
	}
	if string(d.Payload) != string(e.Payload) {
		t.Errorf("payload %s", d.Payload)
	}
	for name, want := range map[string]string{
		event.HeaderID: e.ID, event.HeaderTime: "2026-03-04T05:06:07Z",
		event.HeaderTraceParent: e.Trace[event.HeaderTraceParent],
	} {
		if got := nats.Header(d.Header).Get(name); got != want {
			t.Errorf("header %s is %q, want %q", name, got, want)
		}
	}

	mended.Store(true)
	if err := r.conn.RetryDead(t.Context(), d.Seq); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is handled again", func() bool { return s.handled.Load() == 2 })
	r.settled(stream.ConsumerSplit)
	again := s.events[1]
	if !strings.HasPrefix(again.MsgID, msgID("snap")+";r") || again.ID != e.ID || string(again.Payload) != string(e.Payload) ||
		again.Trace[event.HeaderTraceParent] != e.Trace[event.HeaderTraceParent] {
		t.Errorf("retried as %+v", again)
	}
	if len(r.dead()) != 0 {
		t.Errorf("the letter is still there: %v", r.dead())
	}
	for _, err := range []error{r.conn.RetryDead(t.Context(), d.Seq), r.conn.DropDead(t.Context(), d.Seq)} {
		if !errors.Is(err, stream.ErrNoDead) {
			t.Errorf("%v, want ErrNoDead", err)
		}
	}
}

func TestDeadLettersAreListedByConsumerAndSourceAndDropped(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := &stage{handle: func(context.Context, string, stream.Emit) error {
		return fault.Permanent(fault.Internal, errors.New("a bug"))
	}}
	r.run(s)
	r.say("a", "b")
	other := snapshot("c")
	other.SourceID = "village"
	if err := r.conn.Publisher("capturer").Emit(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	eventually(t, "three dead letters", func() bool { return len(r.dead()) == 3 })
	count := func(consumer, source string) (n int) {
		err := r.conn.ListDead(t.Context(), consumer, source, func(stream.Dead) error { n++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if a, b, c := count("split", "town"), count("", "village"), count("chunk", ""); a != 2 || b != 1 || c != 0 {
		t.Errorf("%d of town, %d of village, %d of chunk", a, b, c)
	}
	if err := r.conn.DropDead(t.Context(), r.dead()[0].Seq); err != nil {
		t.Fatal(err)
	}
	if n := count("", ""); n != 2 {
		t.Errorf("%d left, want 2", n)
	}
}

// speaking is a stage that tells of malformed messages.
type speaking struct {
	stage
	told atomic.Int64
}

func (s *speaking) Malformed(ctx context.Context, subject string, header map[string][]string, payload []byte, problem error, emit stream.Emit) error {
	if s.told.Add(1) == 1 {
		return fault.Unavailable(errors.New("the catalog is away"))
	}
	return emit(ctx, event.CaptureCompleted{RequestID: "r1", SourceID: "town", Outcome: event.OutcomeRejected, Reason: "malformed", Message: problem.Error()})
}

func TestAMalformedRequestIsToldOfRedactedAndBuried(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := &speaking{}
	r.start(stream.NewRunner(r.conn, s, r.options(func(o *stream.Options) { o.Consumer, o.Service = stream.ConsumerCapture, "capturer" })))
	subject := r.env.Prefix + ".capture.requested.town"
	m := &nats.Msg{Subject: subject, Header: nats.Header{
		event.HeaderMsgID: {"town/r1"}, "X-Api-Key": {"secret"}, event.HeaderContentType: {"application/json"}, "Nats-Expected-Stream": {r.env.StreamPrefix + "REQUESTS"},
	}, Data: []byte(`{"request_id":"r1","inline":{"content_base64":"c2VjcmV0"},"url":"http://u:pw@a.example/?access_token=1","headers":{"Cookie":["c"],"ETag":["e"]}}`)}
	if _, err := r.js.PublishMsg(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a dead letter", func() bool { return len(r.dead()) == 1 })
	r.settled(stream.ConsumerCapture)
	d := r.dead()[0]
	if d.Reason != fault.Malformed || d.Message != `ce-specversion is "", must be 1.0` || d.SourceID != "town" || d.MsgID != "town/r1" {
		t.Errorf("dead letter %+v", d)
	}
	if d.Lost != "headers, inline, url" || d.Header["X-Api-Key"] != nil || d.Header[event.HeaderContentType] == nil {
		t.Errorf("lost %q, headers %v", d.Lost, d.Header)
	}
	for _, secret := range []string{"c2VjcmV0", "pw", "access_token=1", "Cookie"} {
		if strings.Contains(string(d.Payload), secret) {
			t.Errorf("%q is kept: %s", secret, d.Payload)
		}
	}
	if err := r.conn.RetryDead(t.Context(), d.Seq); err == nil || !strings.Contains(err.Error(), "inline") {
		t.Errorf("retry of what is not kept: %v", err)
	}
	if s.told.Load() != 2 || s.handled.Load() != 0 || len(s.failed()) != 0 || r.stored("OUTCOMES") != 1 || r.stored("REQUESTS") != 0 {
		t.Errorf("told %d, handled %d, failed %v, outcomes %d, requests %d", s.told.Load(), s.handled.Load(), s.failed(), r.stored("OUTCOMES"), r.stored("REQUESTS"))
	}
}

func TestAMessageThatIsNoEventIsBuriedWithoutAWord(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := &stage{}
	r.run(s)
	for _, subject := range []string{"snapshot.stored.TOWN", "run.requested.town"} {
		if _, err := r.js.Publish(t.Context(), r.env.Prefix+"."+subject, []byte("\xff\x00")); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "two dead letters", func() bool { return len(r.dead()) == 2 })
	r.settled(stream.ConsumerSplit)
	sources := map[string]bool{}
	for _, d := range r.dead() {
		sources[d.SourceID] = true
		if d.Reason != fault.Malformed || string(d.Payload) != "\xff\x00" {
			t.Errorf("dead letter %+v", d)
		}
	}
	if !sources["UNKNOWN"] || !sources["town"] || s.handled.Load() != 0 || len(s.failed()) != 0 {
		t.Errorf("sources %v, handled %d, failed %v", sources, s.handled.Load(), s.failed())
	}
}

func TestAMessageTooLargeForALetterLeavesItsHeaders(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := &stage{}
	r.run(s)
	limit := int(r.raw.MaxPayload())
	if _, err := r.js.Publish(t.Context(), r.env.Prefix+".snapshot.stored.town", make([]byte, limit-50)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a dead letter", func() bool { return len(r.dead()) == 1 })
	if d := r.dead()[0]; len(d.Payload) != 0 || !strings.HasPrefix(d.Lost, "payload of ") {
		t.Errorf("payload of %d bytes, lost %q", len(d.Payload), d.Lost)
	}
}
