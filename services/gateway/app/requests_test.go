package app

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
)

const requests = "/v1/requests/{source}/{id}"

// asked asks what became of a request whose id is percent-encoded as a whole.
func (r *rig) asked(source, id string) api.RequestAnswer {
	r.t.Helper()
	return into[api.RequestAnswer](r.t, r.get(requests, http.StatusOK, "/v1/requests/"+source+"/"+escaped(id)))
}

// escaped is an id in a path; dots alone would be taken for folders.
func escaped(id string) string { return strings.ReplaceAll(url.PathEscape(id), ".", "%2E") }

// accept writes the row of a request, as the capturer does when it takes it.
func (r *rig) accept(id string) model.Capture {
	r.t.Helper()
	body, err := json.Marshal(map[string]any{"request_id": id, "source_id": "town", "url": "https://town.example/" + id})
	r.must(err)
	c := model.Capture{SourceID: "town", RequestID: id, RequestDigest: "digest", Request: body, RequestedAt: time.Now()}
	row, held, err := r.app.db.AcceptCapture(r.ctx, c, "owner", time.Minute)
	r.must(err)
	if !held {
		r.t.Fatalf("%+v", row)
	}
	return row
}

// TestARequestIsAnsweredUntilAndAfterItsOutcome walks through what a crawler sees
// that asks.
func TestARequestIsAnsweredUntilAndAfterItsOutcome(t *testing.T) {
	r := newRig(t)
	began := time.Now().Add(-time.Minute)
	const id = "crawl-7/agenda"
	r.get(requests, http.StatusNotFound, "/v1/requests/town/"+id)
	row := r.accept(id)
	got := r.asked("town", id)
	if !got.Pending || got.Outcome != "" || got.DecidedAt != nil || got.RequestID != id || got.SourceID != "town" ||
		got.AcceptedAt.Before(began) || got.RequestedAt.Before(began) {
		t.Errorf("accepted: %+v", got)
	}
	if asked := got.Request.(map[string]any); asked["url"] != "https://town.example/"+id {
		t.Errorf("what was asked for is %v", asked)
	}
	row.Outcome, row.Reason, row.Message = string(event.OutcomeFailed), "fetch_failed", "the server answered 503"
	row, err := r.app.db.DecideCapture(r.ctx, row)
	r.must(err)
	if got := r.asked("town", id); !got.Pending || got.Outcome != "" || got.Reason != "" {
		t.Errorf("decided, and maybe not on the disk: %+v", got)
	}
	r.must(r.app.db.CaptureAnnounced(r.ctx, "town", id))
	got = r.asked("town", id)
	if got.Pending || got.Outcome != event.OutcomeFailed || got.Reason != "fetch_failed" || got.Message != row.Message ||
		got.DecidedAt == nil || got.DecidedAt.Before(began) || got.AnnouncedAt == nil {
		t.Errorf("announced: %+v", got)
	}
	for _, other := range []string{"/v1/requests/other/" + id, "/v1/requests/town/crawl-7", "/v1/requests/town/crawl-7/agenda/"} {
		r.get(requests, http.StatusNotFound, other)
	}
}

// TestMembersOfAContainerAreRequests: a container is answered with its counts, and
// each member by the id that its own outcome has.
func TestMembersOfAContainerAreRequests(t *testing.T) {
	r := newRig(t)
	container := r.accept("zip")
	for name, outcome := range map[string]event.Outcome{
		"a.txt": event.OutcomeRejected, "folder/b c.txt": event.OutcomeRejected, "../ü?#%2F.txt": event.OutcomeFailed, "//": event.OutcomeRejected,
	} {
		id := "zip!/" + name
		_, err := r.app.db.DecideMember(r.ctx, model.Capture{
			SourceID: "town", RequestID: id, RequestDigest: "d", Request: []byte(`{"request_id":"m"}`), RequestedAt: time.Now(),
			Container: "zip", Outcome: string(outcome), Reason: "too_large", Message: name,
		})
		r.must(err)
		if got := r.asked("town", id); got.Pending || got.Outcome != outcome || got.RequestID != id || got.Container != "zip" || got.Message != name || got.Members != nil {
			t.Errorf("%s: %+v", id, got)
		}
	}
	if got := r.asked("town", "zip"); !got.Pending || got.Members["rejected"] != 3 || got.Members["failed"] != 1 {
		t.Errorf("under way: %+v", got)
	}
	container.Outcome, container.SnapshotID, container.DocumentID = string(event.OutcomeStored), "snap_1", "doc_1"
	_, err := r.app.db.DecideCapture(r.ctx, container)
	r.must(err)
	r.must(r.app.db.CaptureAnnounced(r.ctx, "town", "zip"))
	if got := r.asked("town", "zip"); got.Pending || got.SnapshotID != "snap_1" || got.DocumentID != "doc_1" || got.Members["rejected"] != 3 {
		t.Errorf("done: %+v", got)
	}
}

// TestAnyRequestIDCanBeAskedFor: whatever a crawler may choose as its id.
func TestAnyRequestIDCanBeAskedFor(t *testing.T) {
	r := newRig(t)
	for _, id := range []string{
		"..", ".", "a/../b", "/", "a//b", "/a", "a/", "a b", "a+b", "a%2Fb", "100%", "a?b=c", "a#b", "ünï/çødé", "https://town.example/a?b=c#d",
		"a;b", `"`, `\`, "a&b", strings.Repeat("x", event.MaxRequestID), strings.Repeat("ü", event.MaxRequestID/2),
	} {
		r.accept(id)
		if got := r.asked("town", id); got.RequestID != id || !got.Pending {
			t.Errorf("%q: %+v", id, got)
		}
	}
	// As they are, where nothing in them means something in a path.
	r.accept("crawl/7/page")
	r.get(requests, http.StatusOK, "/v1/requests/town/crawl/7/page")
	for path, status := range map[string]int{
		"/v1/requests/town/a%00": 400, "/v1/requests/town/%FF": 400, "/v1/requests/town/a?q=1": 400, "/v1/requests/town/": 404,
		"/v1/requests/town": 404, "/v1/requests/": 404, "/v1/requests": 404, "/v1/requests/No%20Source/a": 404, "/v1/requests/town/a/../b": 404,
		"/v1/requests/town/" + strings.Repeat("x", 2401): 400,
	} {
		resp, body := r.request(http.MethodGet, path, nil)
		if resp.Request.Response != nil || resp.StatusCode != status || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%.40s: %s %s", path, resp.Status, body)
		}
	}
	resp, _ := r.request(http.MethodPost, "/v1/requests/town/a", nil)
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", resp.Status)
	}
}

// TestARequestThatIsNotRecorded: the answer does not tell its crawler to send it again
// and again, since a malformed one will never be recorded.
func TestARequestThatIsNotRecorded(t *testing.T) {
	r := newRig(t)
	var problem api.Problem
	r.must(json.Unmarshal(r.get(requests, http.StatusNotFound, "/v1/requests/town/lost"), &problem))
	for _, part := range []string{"town/lost", "queue", "never have come", "malformed", "capture.completed", "dlq list"} {
		if !strings.Contains(problem.Detail, part) {
			t.Errorf("%q does not say %q", problem.Detail, part)
		}
	}
}

// TestSourcesSayWhichIsDisabled: which no event of a chunk does.
func TestSourcesSayWhichIsDisabled(t *testing.T) {
	r := newRig(t)
	list := func() (states map[string]model.SourceState) {
		states = make(map[string]model.SourceState)
		for _, s := range into[api.SourcesAnswer](t, r.get("/v1/sources", http.StatusOK, "/v1/sources")).Sources {
			states[s.SourceID] = s.State
		}
		return states
	}
	before := len(list())
	named := model.DefaultSource("quarry")
	named.Name = "The quarry's board"
	r.must(r.app.db.PutSource(r.ctx, named))
	if got := list(); len(got) != before+1 || got["quarry"] != model.SourceEnabled {
		t.Errorf("registered: %v", got)
	}
	r.must(r.app.db.SetSourceState(r.ctx, "quarry", model.SourceDisabled))
	if got := list(); got["quarry"] != model.SourceDisabled {
		t.Errorf("disabled: %v", got)
	}
	for _, s := range into[api.SourcesAnswer](t, r.get("/v1/sources", http.StatusOK, "/v1/sources")).Sources {
		if s.SourceID == "quarry" && s.Name != named.Name {
			t.Errorf("its name is %q", s.Name)
		}
	}
	r.must(r.app.db.SetSourceState(r.ctx, "quarry", model.SourceEnabled))
	if got := list(); got["quarry"] != model.SourceEnabled {
		t.Errorf("enabled again: %v", got)
	}
	r.get("/v1/sources", http.StatusBadRequest, "/v1/sources?state=disabled")
}
