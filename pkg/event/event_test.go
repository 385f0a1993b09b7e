package event_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 800, time.UTC)

// everyType is one event of each type with its subject and what it is about.
func everyType() []struct {
	data           event.Data
	subject, about string
} {
	change := event.ChunkChange{Rev: 2, Cause: "version", ChunkRef: "h:0", SourceID: "town"}
	vectors := event.VectorChange{SourceID: "town", Collection: "c", Chunks: []event.VectorRef{{ChunkRef: "h:0", Rev: 1}}}
	return []struct {
		data           event.Data
		subject, about string
	}{
		{event.CaptureRequested{RequestID: "r", SourceID: "town", Inline: &event.Inline{ContentBase64: []byte("<p>")}}, "capture.requested", "town/r"},
		{event.CaptureCompleted{RequestID: "r", SourceID: "town", Outcome: event.OutcomeStored}, "capture.completed", "town/r/stored"},
		{event.SnapshotStored{SnapshotID: "s", SourceID: "town"}, "snapshot.stored", "s"},
		{event.RunRequested{SnapshotID: "s", SourceID: "town", Redo: 1}, "run.requested", "s//1"},
		{event.PageSplit{SnapshotID: "s", SourceID: "town", ExtractionID: "x", Pages: model.PageRange{From: 17, To: 20}}, "page.split", "s/x/17/0"},
		{event.IRExtracted{SnapshotID: "s", SourceID: "town", ExtractionID: "x", Pages: model.PageRange{From: 1, To: 16}}, "ir.extracted", "s/x/1/0"},
		{event.RunCompleted{SnapshotID: "s", SourceID: "town", ExtractionID: "x", Redo: 2, Generation: 3}, "run.completed", "s/x/2/3"},
		{event.ChunkCreated{Rev: 1, Chunk: model.Chunk{ChunkRef: "h:0", SourceID: "town"}}, "chunk.created", "h:0/1"},
		{event.ChunkSuperseded{ChunkChange: change}, "chunk.superseded", "h:0/2"},
		{event.ChunkRemoved{ChunkChange: change}, "chunk.removed", "h:0/2"},
		{event.VectorIndexed{VectorChange: vectors}, "vector.indexed", "c/7c6b1d9e9a3c4b52"},
		{event.VectorRemoved{VectorChange: vectors}, "vector.removed", "c/7c6b1d9e9a3c4b52"},
		{event.SourceChanged{SourceID: "town", Seq: 7, Change: event.SourceSet, Fields: []string{"name"}}, "source.changed", "town/7"},
	}
}

func TestEveryTypeGoesRound(t *testing.T) {
	for _, c := range everyType() {
		e, err := event.New("tester", c.data, at)
		if err != nil {
			t.Fatal(err)
		}
		e.Trace = map[string]string{event.HeaderTraceParent: "00-1-2-01"}
		subject, header, payload := e.Encode("pre.fix")
		if want := "pre.fix." + c.subject + ".town"; subject != want {
			t.Errorf("subject %s, want %s", subject, want)
		}
		got, err := event.Decode("pre.fix", subject, header, payload)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, e) {
			t.Errorf("%+v came back as %+v", e, got)
		}
		if want := "colophon." + c.subject + ".v1"; got.Type != want || event.Noun(got.Type) != strings.Split(c.subject, ".")[0] {
			t.Errorf("type %s, want %s", got.Type, want)
		}
		if c.data.Source() != "town" {
			t.Errorf("%s: source %q", got.Type, c.data.Source())
		}
		about := strings.TrimPrefix(got.ID, got.Type+":")
		if noun := event.Noun(got.Type); noun != "vector" && about != c.about || noun == "vector" && len(about) != len(c.about) {
			t.Errorf("%s is about %q, want %q", got.Type, about, c.about)
		}
		back := reflect.New(reflect.TypeOf(c.data))
		if err := json.Unmarshal(got.Payload, back.Interface()); err != nil || !reflect.DeepEqual(back.Elem().Interface(), c.data) {
			t.Errorf("%+v came back as %+v (%v)", c.data, back.Elem(), err)
		}
	}
}

func TestMessageIDs(t *testing.T) {
	e, err := event.New("crawler", event.CaptureRequested{RequestID: "r", SourceID: "town"}, at)
	if err != nil || e.MsgID != "town/r" || e.ID != event.TypeCaptureRequested+":town/r" {
		t.Errorf("%+v (%v)", e, err)
	}
	if again := e.Redrive(3); again.MsgID != "town/r;r3" || again.ID != e.ID {
		t.Errorf("redriven as %+v", again)
	}
}

func TestVectorEventsAreAboutTheirSet(t *testing.T) {
	a := event.VectorChange{Collection: "c", Chunks: []event.VectorRef{{ChunkRef: "h:0", Rev: 1}, {ChunkRef: "h:1", Rev: 1}}}
	b := event.VectorChange{Collection: "c", Chunks: []event.VectorRef{{ChunkRef: "h:1", Rev: 1}, {ChunkRef: "h:0", Rev: 1}}}
	c := event.VectorChange{Collection: "c", Chunks: []event.VectorRef{{ChunkRef: "h:0", Rev: 2}, {ChunkRef: "h:1", Rev: 1}}}
	if a.About() != b.About() || a.About() == c.About() {
		t.Errorf("%s, %s, %s", a.About(), b.About(), c.About())
	}
}

func TestTooLargeIsRefused(t *testing.T) {
	_, err := event.New("crawler", event.CaptureRequested{Inline: &event.Inline{ContentBase64: make([]byte, event.MaxEncoded)}}, at)
	if fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.LimitExceeded {
		t.Errorf("%v", err)
	}
}

func TestDecodeNamesWhatIsWrong(t *testing.T) {
	good := func() (string, map[string][]string) {
		e, err := event.New("capturer", event.SnapshotStored{SnapshotID: "s", SourceID: "town"}, at)
		if err != nil {
			t.Fatal(err)
		}
		subject, header, _ := e.Encode("colophon")
		return subject, header
	}
	for want, spoil := range map[string]func(subject *string, header map[string][]string){
		"ce-specversion":    func(_ *string, h map[string][]string) { h[event.HeaderSpecVersion] = []string{"0.3"} },
		"neither ce-id nor": func(_ *string, h map[string][]string) { delete(h, event.HeaderID); delete(h, event.HeaderMsgID) },
		"ce-time":           func(_ *string, h map[string][]string) { h[event.HeaderTime] = []string{"yesterday"} },
		"ce-type":           func(_ *string, h map[string][]string) { h[event.HeaderType] = []string{"colophon.v1"} },
		"does not fit type": func(s *string, _ map[string][]string) { *s = "colophon.page.split.town" },
		"subject":           func(s *string, _ map[string][]string) { *s = "colophon.snapshot.stored.Town" },
	} {
		subject, header := good()
		spoil(&subject, header)
		_, err := event.Decode("colophon", subject, header, nil)
		if fault.ReasonOf(err) != fault.Malformed || fault.KindOf(err) != fault.KindPermanent || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	subject, header := good()
	delete(header, event.HeaderID)
	header["NATS-MSG-ID"] = header[event.HeaderMsgID]
	delete(header, event.HeaderMsgID)
	if e, err := event.Decode("colophon", subject, header, nil); err != nil || e.ID != e.MsgID || e.ID == "" {
		t.Errorf("without ce-id: %+v (%v)", e, err)
	}
}

func TestAsIsStrictAboutTypeAndSource(t *testing.T) {
	e, err := event.New("capturer", event.SnapshotStored{SnapshotID: "s", SourceID: "town"}, at)
	if err != nil {
		t.Fatal(err)
	}
	e.Payload = bytes.Replace(e.Payload, []byte("{"), []byte(`{"unknown":1,`), 1)
	if d, err := event.As[event.SnapshotStored](e); err != nil || d.SnapshotID != "s" {
		t.Errorf("%+v (%v)", d, err)
	}
	if _, err := event.As[event.PageSplit](e); fault.ReasonOf(err) != fault.Malformed {
		t.Errorf("another type: %v", err)
	}
	other := e
	other.SourceID = "village"
	if _, err := event.As[event.SnapshotStored](other); fault.ReasonOf(err) != fault.Malformed {
		t.Errorf("another source: %v", err)
	}
	other = e
	other.Payload = []byte("{")
	if _, err := event.As[event.SnapshotStored](other); fault.ReasonOf(err) != fault.Malformed {
		t.Errorf("bad JSON: %v", err)
	}
}

func TestARequestSaysWhereItsBytesAre(t *testing.T) {
	inline, object := &event.Inline{}, &event.Object{Bucket: "inbox", Key: "k"}
	ok := event.CaptureRequested{RequestID: "r", SourceID: "town", URL: "https://a.example/"}
	for name, c := range map[string]struct {
		change func(*event.CaptureRequested)
		valid  bool
	}{
		"url":            {func(*event.CaptureRequested) {}, true},
		"inline and url": {func(r *event.CaptureRequested) { r.Inline = inline }, true},
		"record":         {func(r *event.CaptureRequested) { r.URL, r.Object, r.SourceRecordID = "", object, "7" }, true},
		"warc alone":     {func(r *event.CaptureRequested) { r.URL, r.WARC = "", object }, true},
		"nothing":        {func(r *event.CaptureRequested) { r.URL = "" }, false},
		"two":            {func(r *event.CaptureRequested) { r.Inline, r.Object = inline, object }, false},
		"no identity":    {func(r *event.CaptureRequested) { r.URL, r.Inline = "", inline }, false},
		"no request_id":  {func(r *event.CaptureRequested) { r.RequestID = "" }, false},
		"bad source":     {func(r *event.CaptureRequested) { r.SourceID = "a.b" }, false},
	} {
		r := ok
		c.change(&r)
		if err := r.Validate(); (err == nil) != c.valid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDecode: whatever a stranger publishes, Decode and As answer with an
// event whose parts are safe to use, or with a malformed fault.
func FuzzDecode(f *testing.F) {
	for _, c := range everyType() {
		e, err := event.New("tester", c.data, at)
		if err != nil {
			f.Fatal(err)
		}
		subject, header, payload := e.Encode("colophon")
		f.Add(subject, "1.0", header[event.HeaderID][0], header[event.HeaderType][0], header[event.HeaderTime][0], header[event.HeaderMsgID][0], payload)
	}
	f.Add("colophon.a.b.c", "", "", "....", "", "", []byte("null"))
	f.Fuzz(func(t *testing.T, subject, version, id, kind, when, msgID string, payload []byte) {
		header := map[string][]string{
			event.HeaderSpecVersion: {version}, event.HeaderID: {id}, event.HeaderType: {kind},
			event.HeaderTime: {when}, event.HeaderMsgID: {msgID}, "empty": {},
		}
		e, err := event.Decode("colophon", subject, header, payload)
		if err != nil {
			if fault.ReasonOf(err) != fault.Malformed {
				t.Fatalf("%v is not malformed", err)
			}
			return
		}
		if !model.ValidSourceID(e.SourceID) || e.ID == "" || e.MsgID == "" {
			t.Fatalf("accepted as %+v", e)
		}
		again, header, payload2 := e.Encode("colophon")
		if again != subject || !bytes.Equal(payload, payload2) {
			t.Fatalf("subject %q became %q", subject, again)
		}
		back, err := event.Decode("colophon", again, header, payload2)
		if err != nil || !reflect.DeepEqual(back, e) && !back.Time.Equal(e.Time) {
			t.Fatalf("%+v came back as %+v (%v)", e, back, err)
		}
		if d, err := event.As[event.CaptureRequested](e); err != nil {
			if fault.ReasonOf(err) != fault.Malformed {
				t.Fatalf("%v is not malformed", err)
			}
		} else if d.SourceID != e.SourceID {
			t.Fatalf("source %q in subject %q", d.SourceID, subject)
		}
	})
}
