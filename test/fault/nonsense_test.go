package fault

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// handled are the events that some consumer takes.
func handled() []string {
	return []string{
		event.TypeCaptureRequested, event.TypeSnapshotStored, event.TypeRunRequested, event.TypePageSplit,
		event.TypePageOCRRequested, event.TypePageOCRCompleted, event.TypeIRExtracted,
		event.TypeChunkCreated, event.TypeChunkSuperseded, event.TypeChunkRemoved,
	}
}

// silly is one message that nobody should send. What it is called is its message id.
type silly struct {
	name    string
	header  map[string]string // beside or in place of those of a good one; "" is none
	payload string
	passes  bool // of chunk events: what names no chunk of the catalog leaves nothing to do
}

func sillies() []silly {
	const known = `{"source_id":"town","request_id":"x","snapshot_id":"snap_aaaaaaaaaaaaaaaaaaaaaaaaaa","extraction_id":"0123456789abcdef",` +
		`"document_id":"doc_aaaaaaaaaaaaaaaaaaaaaaaaaa","parser_version":%s,"pages":{"from":%s,"to":%s},"page_count":%s,"redo":%s,` +
		`"why":"retry","chunk_ref":"a:0","rev":%s,"chunk":{"source_id":"town","chunk_ref":"a:0"},"tasks":[],"ocr":null}`
	of := func(version, from, to, count, redo, rev string) string {
		return fmt.Sprintf(known, version, from, to, count, redo, rev)
	}
	fine := of(`"1"`, "1", "1", "1", "0", "1")
	return []silly{
		{name: "no-json", payload: "{"},
		{name: "nothing", payload: ""},
		{name: "null", payload: "null"},
		{name: "list", payload: "[]"},
		{name: "empty", payload: "{}"},
		{name: "bytes", payload: "\x00\xff\xfe\x80{}"},
		{name: "deep", payload: strings.Repeat("[", 200_000)},
		{name: "deep-within", payload: `{"x":` + strings.Repeat(`{"x":`, 100_000) + "1" + strings.Repeat("}", 100_001)},
		{name: "large", payload: `{"source_id":"town","x":"` + strings.Repeat("x", 800<<10) + `"}`},
		{name: "other-version", header: map[string]string{event.HeaderSpecVersion: "0.3"}, payload: fine},
		{name: "other-type", header: map[string]string{event.HeaderType: "colophon.source.changed.v1"}, payload: fine},
		{name: "type-of-tomorrow", header: map[string]string{event.HeaderType: "colophon.page.split.v9"}, payload: fine},
		{name: "no-type", header: map[string]string{event.HeaderType: ""}, payload: fine},
		{name: "no-time", header: map[string]string{event.HeaderTime: "yesterday"}, payload: fine},
		{name: "other-source", payload: strings.ReplaceAll(fine, `"town"`, `"village"`)},
		{name: "no-source", payload: strings.ReplaceAll(fine, `"town"`, `""`)},
		{name: "wrong-types", payload: `{"source_id":7,"snapshot_id":[],"pages":"all","chunk":"x","url":{},"chunk_ref":{}}`},
		{name: "unknown", payload: fine, passes: true},
		{name: "zero-byte", payload: strings.ReplaceAll(strings.ReplaceAll(fine, "snap_aaaa", `snap_\u0000aa`), `"a:0"`, `"a\u0000:0"`), passes: true},
		{name: "half-a-character", payload: strings.ReplaceAll(strings.ReplaceAll(fine, "snap_aaaa", `snap_\ud800aa`), `"a:0"`, `"a\ud800:0"`), passes: true},
		{name: "long-names", payload: strings.ReplaceAll(strings.ReplaceAll(fine, "snap_aaaa", strings.Repeat("a", 100_000)), `"a:0"`, `"`+strings.Repeat("a", 100_000)+`"`), passes: true},
		{name: "negative", payload: of(`"1"`, "-5", "-1", "-1", "-1", "-1"), passes: true},
		{name: "backwards", payload: of(`"1"`, "7", "3", "2", "0", "0"), passes: true},
		{name: "too-many", payload: of(`"1"`, "1", "9000000000000000000", "9000000000000000000", "9000000000000000000", "9000000000000000000"), passes: true},
		{name: "beyond-numbers", payload: of(`"1"`, "1e400", "1", "1", "1e400", "1e400")},
		{name: "no-number", payload: of(`"first"`, "1", "1", "1", "0", "1"), passes: true},
		{name: "long-id", header: map[string]string{event.HeaderID: strings.Repeat("i", 60_000)}, payload: "{"},
	}
}

// nonsense sends messages that are no events, and events about nothing, to every
// consumer, between good ones. Each ends among the dead letters, as malformed, and
// holds up nobody.
func nonsense(r *rig, items []*item) int {
	r.startServices()
	sent := map[string]silly{}
	r.spread(items, 3, func(n int) {
		for _, kind := range handled() {
			for _, s := range sillies() {
				if n < 2 {
					r.babble(kind, s, n)
					sent[s.id(kind, n)] = s
				}
			}
			r.speechless(kind)
		}
	})
	r.quietOrElse("with nonsense between")
	// It is not in the record, so that being quiet says nothing of it.
	missing := func() []string {
		left := maps.Clone(sent)
		wrong := map[string]string{}
		err := r.conn.ListDead(r.t.Context(), "", "", func(d stream.Dead) error {
			if _, known := sent[d.MsgID]; known && d.Reason != fault.Malformed {
				wrong[d.MsgID] = fmt.Sprintf("%s is dead as %s: %s", d.MsgID, d.Reason, d.Message)
			}
			delete(left, d.MsgID)
			return nil
		})
		if err != nil {
			return []string{err.Error()}
		}
		for id, s := range left {
			if !s.passes || !strings.Contains(id, "chunk.") {
				wrong[id] = id + " is not among the dead letters"
			}
		}
		return slices.Sorted(maps.Values(wrong))
	}
	if !r.await(pick(devtest.Patience, devtest.Patience, time.Hour), "all nonsense is among the dead letters", func() bool { return len(missing()) == 0 }) {
		for _, what := range missing() {
			r.t.Error(what)
		}
	}
	return len(sent)
}

// id is what the message is called when it is sent for the n-th time.
func (s silly) id(kind string, n int) string {
	return fmt.Sprintf("malformed-%s-%s-%d", s.name, strings.TrimPrefix(kind, "colophon."), n)
}

func (r *rig) babble(kind string, s silly, n int) {
	r.t.Helper()
	header := nats.Header{}
	for key, value := range map[string]string{
		event.HeaderSpecVersion: "1.0", event.HeaderType: kind, event.HeaderID: s.id(kind, n), event.HeaderMsgID: s.id(kind, n),
		event.HeaderTime: "2026-03-10T09:00:00Z", event.HeaderSource: "/nobody",
	} {
		header.Set(key, value)
	}
	for key, value := range s.header {
		if header.Set(key, value); value == "" {
			header.Del(key)
		}
	}
	r.say(&nats.Msg{Subject: event.Subject(r.values["COLOPHON_SUBJECT_PREFIX"], kind, source), Header: header, Data: []byte(s.payload)})
}

// speechless sends a message with nothing but a payload, on the subject of a source
// whose name none can have.
func (r *rig) speechless(kind string) {
	r.t.Helper()
	r.say(&nats.Msg{Subject: event.Subject(r.values["COLOPHON_SUBJECT_PREFIX"], kind, "No-Source"), Data: []byte("malformed-")})
}

func (r *rig) say(m *nats.Msg) {
	r.t.Helper()
	if _, err := r.js.PublishMsg(r.t.Context(), m); err != nil {
		r.t.Errorf("saying nonsense on %s: %v", m.Subject, err)
	}
}
