package request

import (
	"bytes"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
)

func requested(payload []byte) event.Event {
	return event.Event{
		ID: "x", MsgID: "demo/m1;r2", Type: event.TypeCaptureRequested, SourceID: "demo", Time: time.Unix(1e9, 0), Payload: payload,
	}
}

func TestRequestIDOfAMessage(t *testing.T) {
	for msgID, want := range map[string]string{
		"demo/a": "a", "demo/a;r1": "a", "demo/a;r1;r22": "a", "a": "a", "other/a": "other/a", "a;r": "a;r", "": "",
	} {
		if got := OfMessage(msgID, "demo"); got != want {
			t.Errorf("%q: %q, want %q", msgID, got, want)
		}
	}
}

// A request that is handled again from its row is the same request: what is
// stored has the digest of what came, and can be kept by Postgres.
func FuzzRead(f *testing.F) {
	for _, payload := range []string{
		`{"request_id":"r","source_id":"demo","url":"https://u:p@x.org/?token=s#a=b"}`,
		`{"source_id":"demo","source_record_id":"a","inline":{"content_base64":"QQ=="},"filename":"a\u0000b","metadata":{"a\u0001":"1","a\u0002":"2"}}`,
		`{"source_id":"demo","source_record_id":"a","inline":{"content_base64":""},"headers":{"etag":["1"],"ETag":["\ud800"],"location":["//u@x"]}}`,
		`{"source_id":"demo","url":"file:///a","object":{"bucket":"the-inbox","key":"demo/a"},"retrieved_at":"2026-01-02T03:04:05.123456789+05:00"}`,
		`{"source_id":"demo","warc":{"bucket":"","key":"demo/a"},"redirect_chain":["http://a@b/","\u0000"],"http_status":200}`,
		`{"source_id":"demo","url":"file://a","retrieved_at":"0001-01-01T00:00:00+01:00"}`,
	} {
		f.Add([]byte(payload))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		r, err := Read(requested(payload), "the-inbox")
		if err != nil {
			if fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.Malformed {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		if bytes.Contains(r.stored, []byte(`\u0000`)) && !bytes.Contains(r.stored, []byte(`\\u0000`)) {
			t.Fatalf("stored with U+0000: %s", r.stored)
		}
		again, err := Read(requested(r.stored), "the-inbox")
		if err != nil {
			t.Fatalf("the stored request is malformed: %v\n%s", err, r.stored)
		}
		if again.digest != r.digest || again.Canonical != r.Canonical {
			t.Fatalf("came  %s\nagain %s", r.stored, again.stored)
		}
	})
}
