package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	"github.com/colophon-dev/colophon/pkg/container/warc"
	"github.com/colophon-dev/colophon/test/programs"
)

// control is a name that is no secret: what does not find it finds nothing.
const control = "this-one-is-found"

// canaries are secrets by where they were put.
type canaries struct {
	mu      sync.Mutex // a server plants while it answers
	secrets map[string]string
	found   map[string]int // how often control was, by place
	forms   [][2]string    // what to look for, and where it was put
}

// plant returns a new secret.
func (c *canaries) plant(format string, args ...any) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Letters and digits in turn, so that it looks like a credential under any name.
	secret, text := "zq", strings.NewReplacer("2", "b", "3", "d", "4", "f", "5", "h", "6", "k", "7", "n").Replace(strings.ToLower(rand.Text()))
	for i := range 8 {
		secret += fmt.Sprint(2+i) + text[2*i:2*i+2]
	}
	where := fmt.Sprintf(format, args...)
	c.secrets[secret] = where
	c.forms = append(c.forms, [2]string{secret, where}, [2]string{hex.EncodeToString([]byte(secret)), where + " (hex)"})
	return secret
}

// look returns where the secrets come from that data holds.
func (c *canaries) look(data []byte) (found []string) {
	lower := bytes.ToLower(data)
	for _, f := range c.forms {
		if bytes.Contains(lower, []byte(f[0])) {
			found = append(found, f[1])
		}
	}
	return found
}

// address is a URL with secrets in each place that one can be in.
func (c *canaries) address(where, base string) string {
	scheme, rest, _ := strings.Cut(base, "://")
	address := scheme + "://" + c.plant("%s: user", where) + ":" + c.plant("%s: password", where) + "@" + rest + "?page=1"
	for _, name := range []string{"X-Amz-Signature", "x-goog-credential", "sig", "token", "access_token", "api_key", "PHPSESSID", "refresh_token", "user.password", "x-api-key"} {
		address += "&" + name + "=" + c.plant("%s: parameter %s", where, name)
	}
	address += "&a=b;token=" + c.plant("%s: parameter behind a semicolon", where) +
		"&u=http%3A%2F%2Fuser%3A" + c.plant("%s: password in a value", where) + "%40example.org%2F%3Ftoken%3D" + c.plant("%s: parameter in a value", where)
	return address + "#access_token=" + c.plant("%s: fragment", where)
}

// headers are HTTP fields with secrets.
func (c *canaries) headers(where string) map[string][]string {
	h := map[string][]string{
		"Content-Type":        {"text/html; charset=utf-8"},
		"Location":            {c.address(where+" Location", "https://next.example/")},
		"Link":                {"<" + c.address(where+" Link", "https://canonical.example/") + ">; rel=canonical"},
		"Content-Disposition": {`inline; filename="notes.html?token=` + c.plant("%s: Content-Disposition", where) + `"`},
		"Server":              {"proxy password=" + c.plant("%s: Server", where)},
	}
	for _, name := range []string{"Set-Cookie", "Cookie", "Authorization", "Proxy-Authorization", "X-Api-Key", "X-Auth-Token", "WWW-Authenticate", "X-Session"} {
		h[name] = []string{"a=" + c.plant("%s: %s", where, name)}
	}
	return h
}

// request is one with secrets in every field that is no name.
func (c *canaries) request(where, id, source string) map[string]any {
	text := func(field, format string) string { return fmt.Sprintf(format, c.plant("%s: %s", where, field)) }
	return map[string]any{
		"request_id": id, "source_id": source, "url": c.address(where+" url", "https://town.example/"+id),
		"inline":         map[string]any{"content_base64": base64.StdEncoding.EncodeToString([]byte("<h1>Page " + id + "</h1>"))},
		"headers":        c.headers(where + " headers"),
		"redirect_chain": []string{c.address(where+" redirect_chain", "https://before.example/")},
		"content_type":   text("content_type", "text/html; token=%s"), "encoding": text("encoding", "utf-8; token=%s"),
		"fetch_tool_version":  text("fetch_tool_version", "crawler/1 (https://me:%s@crawler.example)"),
		"robots_policy_notes": text("robots_policy_notes", "asked with Authorization: Bearer %s"),
		"snapshot_group_id":   text("snapshot_group_id", "crawl?access_token=%s"),
		"filename":            text("filename", "page.html?token=%s"), "last_modified_origin": text("last_modified_origin", "password=%s"),
		"region": text("region", "secret: %s"), "http_status": 200,
		"metadata": map[string]string{
			"password": c.plant("%s: metadata password", where), "Set-Cookie": c.plant("%s: metadata Set-Cookie", where),
			"seen": c.address(where+" metadata", "https://from.example/"), "note": text("metadata note", `{"api_key": "%s"}`),
			"pwd": c.plant("%s: metadata pwd", where), "private-key": c.plant("%s: metadata private-key", where),
			"session_token": c.plant("%s: metadata session_token", where), "curl": text("metadata curl", "curl -u bob:%s https://town.example"),
			"proxy": text("metadata proxy", "through bob:%s@proxy.example:8080"), "leaning": text("metadata leaning", `https:\\bob:%s@town.example\a`),
			"trace": text("metadata trace", "curl -H 'Cookie: session=%s'"),
		},
	}
}

// spanSink keeps all that is exported of traces.
type spanSink struct {
	collector.UnimplementedTraceServiceServer
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *spanSink) Export(_ context.Context, req *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.WriteString(req.String())
	return &collector.ExportTraceServiceResponse{}, nil
}

// TestCanaries puts secrets into every field that a crawler or a server can send
// and then searches everything that is stored, logged or exported for them.
func TestCanaries(t *testing.T) {
	programs.NeedServers(t)
	c := &canaries{secrets: map[string]string{}, found: map[string]int{}}
	sink := &spanSink{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, sink)
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()
	w := startDev(t, t.TempDir(), []string{
		"COLOPHON_FETCH_NETWORKS=127.0.0.1/32", "COLOPHON_LOG_LEVEL=debug", "COLOPHON_RETRY_DELAYS=20ms,20ms,20ms",
		"COLOPHON_OTLP_ENDPOINT=http://" + listener.Addr().String(), "COLOPHON_METRIC_INTERVAL=1h",
	})
	w.must(0, "source", "add", "demo", "--name", "Demo", "--robots", "ignore")
	requests, deadLetters, archive := c.send(t, w)

	places := map[string]int{}
	c.searchCatalog(t, w, requests, places)
	if letters := strings.Count(w.must(0, "dlq", "list", "--json").out, "\n"); letters < deadLetters {
		t.Errorf("%d dead letters, %d were provoked", letters, deadLetters)
	}
	w.stop()
	c.searchFiles(t, filepath.Join(w.dir, "data"), archive, places)
	c.judge(t, "logs", w.log.Bytes(), places)
	sink.mu.Lock()
	defer sink.mu.Unlock()
	c.judge(t, "traces", sink.text.Bytes(), places)
	for _, place := range []string{"catalog", "nats"} {
		if c.found[place] == 0 {
			t.Errorf("%s: not even the name of a request is found", place)
		}
	}
	if places["logs"] == 0 || places["traces"] == 0 {
		t.Error("no logs or traces were searched")
	}
	t.Logf("%d secrets in %d requests, searched in bytes: %v", len(c.secrets), requests, places)
}

// judge fails for each secret in data.
func (c *canaries) judge(t *testing.T, place string, data []byte, places map[string]int) {
	t.Helper()
	kind, _, _ := strings.Cut(place, " ")
	places[kind] += len(data)
	c.found[kind] += bytes.Count(data, []byte(control))
	for _, where := range c.look(data) {
		t.Errorf("%s: the secret of %s", place, where)
	}
}

// send hands everything over and returns when each request has its outcome.
func (c *canaries) send(t *testing.T, w *world) (requests, deadLetters int, archive string) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		for name, values := range c.headers("server " + r.URL.Path) {
			out.Header()[name] = values
		}
		switch r.URL.Path {
		case "/moved":
			out.Header().Set("Location", "/page?sig="+c.plant("server: redirect"))
			out.WriteHeader(http.StatusFound)
		case "/page":
			out.Header().Set("Refresh", "9; url=/next?token="+c.plant("server: Refresh"))
			_, _ = out.Write([]byte("<h1>Fetched</h1>"))
		default:
			http.Error(out, "gone", http.StatusGone)
		}
	}))
	defer site.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()

	bus, err := nats.Connect(endpoint(t, w.dir, "COLOPHON_NATS_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	told, err := bus.SubscribeSync("colophon.capture.completed.demo")
	if err != nil {
		t.Fatal(err)
	}
	publish := func(id string, body []byte) {
		m := &nats.Msg{Subject: "colophon.capture.requested.demo", Data: body, Header: nats.Header{
			"ce-specversion": {"1.0"}, "ce-id": {"colophon.capture.requested.v1:demo/" + id}, "ce-type": {"colophon.capture.requested.v1"},
			"ce-time": {"2026-03-12T09:00:00Z"}, "ce-source": {"/crawler?token=" + c.plant("%s: ce-source", id)}, "Nats-Msg-Id": {"demo/" + id},
			"X-Api-Key": {c.plant("%s: message header", id)}, "Authorization": {"Bearer " + c.plant("%s: message header Authorization", id)},
		}}
		if answer, err := bus.RequestMsg(m, limit); err != nil || strings.Contains(string(answer.Data), "error") {
			t.Fatalf("%v %s", err, answer.Data)
		}
		requests++
	}
	send := func(id string, change func(r map[string]any)) {
		r := c.request(id, id, "demo")
		change(r)
		body, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		publish(id, body)
	}
	byURL := func(address string) func(map[string]any) {
		return func(r map[string]any) { delete(r, "inline"); r["url"] = c.address("fetched", address) }
	}
	send("given", func(map[string]any) {})
	send("fetched", byURL(site.URL+"/page"))
	send("redirected", byURL(site.URL+"/moved"))
	send("gone", byURL(site.URL+"/gone"))
	send("refused-address", byURL("http://10.0.0.1/x"))
	send("no-server", byURL(closed.URL+"/x"))
	send("no-object", func(r map[string]any) {
		delete(r, "inline")
		r["object"] = map[string]string{"bucket": "inbox", "key": "demo/none"}
	})
	wrong := []func(r map[string]any){
		func(r map[string]any) { r["source_id"] = "other" },
		func(r map[string]any) { r["object"] = map[string]string{"bucket": "inbox", "key": "demo/x"} },
		func(r map[string]any) {
			r["url"] = "http://" + c.plant("bad url: user") + ":" + c.plant("bad url: password") + "@bad host/"
		},
		func(r map[string]any) { r["url"] = map[string]string{"password": c.plant("url as an object")} },
		func(r map[string]any) {
			r["metadata"] = map[string]any{"a": map[string]string{"password": c.plant("nested metadata")}}
		},
		func(r map[string]any) { r["retrieved_at"] = c.plant("retrieved_at") },
		func(r map[string]any) { r["http_status"] = c.plant("http_status") },
		func(r map[string]any) { r["headers"] = "Cookie: " + c.plant("headers as a text") },
		func(r map[string]any) {
			r["unknown"] = "https://u:" + c.plant("an unknown field") + "@a.example"
			r["http_status"] = -1
		},
	}
	for n, change := range wrong {
		send(fmt.Sprintf("wrong%d", n), change)
	}
	send(control, func(map[string]any) {})
	publish("cut", []byte(`{"request_id":"cut","url":"https://u:`+c.plant("a cut message")+`@a.exam`))
	deadLetters = len(wrong) + 1
	archive = c.archive(t)
	requests++
	w.run("capture", "--wait", "--source", "demo", archive)

	outcomes := map[string]bool{}
	for len(outcomes) < requests {
		m, err := told.NextMsg(time.Minute)
		if err != nil {
			t.Fatalf("%d outcomes of %d: %v: %v", len(outcomes), requests, outcomes, err)
		}
		var o struct {
			RequestID string `json:"request_id"`
		}
		if json.Unmarshal(m.Data, &o) == nil && !strings.Contains(o.RequestID, "@") {
			outcomes[o.RequestID] = true
		}
	}
	await(t, "all is quiet", func() bool { return strings.Contains(w.must(0, "status", "--json").out, `"quiet":true`) })
	return requests, deadLetters, archive
}

// archive writes a web archive with secrets in addresses and HTTP headers.
func (c *canaries) archive(t *testing.T) string {
	t.Helper()
	var data bytes.Buffer
	out := warc.NewWriter(&data)
	for n, kind := range []string{"response", "request", "metadata"} {
		block := "HTTP/1.1 200 OK\r\n"
		if kind == "request" {
			block = "GET / HTTP/1.1\r\n"
		}
		for name, values := range c.headers("archive " + kind) {
			block += name + ": " + values[0] + "\r\n"
		}
		block += "\r\n<h1>Archived</h1><p>The ferry leaves at noon.</p>"
		err := out.Write(warc.Fields{
			{Name: "WARC-Type", Value: kind}, {Name: "WARC-Record-ID", Value: fmt.Sprintf("<urn:uuid:0000000%d-0000-4000-8000-000000000000>", n)},
			{Name: "WARC-Date", Value: "2026-03-12T09:00:00Z"}, {Name: "WARC-Target-URI", Value: c.address("archive "+kind, "https://town.example/archived")},
			{Name: "Content-Type", Value: "application/http;msgtype=" + kind},
		}, strings.NewReader(block), int64(len(block)))
		if err != nil {
			t.Fatal(err)
		}
	}
	return writeFile(t, t.TempDir(), "secrets.warc.gz", data.String())
}

// searchCatalog reads every column of every row.
func (c *canaries) searchCatalog(t *testing.T, w *world, requests int, places map[string]int) {
	t.Helper()
	ctx := t.Context()
	pg, err := pgx.Connect(ctx, endpoint(t, w.dir, "COLOPHON_POSTGRES_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pg.Close(ctx) }()
	rows, err := pg.Query(ctx, `SELECT tablename FROM pg_tables WHERE schemaname = 'colophon'`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatal(tables, err)
	}
	captures := 0
	for _, table := range tables {
		rows, err := pg.Query(ctx, `SELECT t::text FROM colophon.`+pgx.Identifier{table}.Sanitize()+` t`)
		if err != nil {
			t.Fatal(err)
		}
		texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if table == "captures" {
			captures = len(texts)
		}
		for _, text := range texts {
			c.judge(t, "catalog "+table, []byte(text), places)
		}
	}
	if captures < 8 {
		t.Errorf("only %d of %d requests have a row", captures, requests)
	}
}

// searchFiles reads every file of the servers, compressed objects unpacked; what
// is left out is the captured archive, which is kept as it is.
func (c *canaries) searchFiles(t *testing.T, dir, archive string, places map[string]int) {
	t.Helper()
	raw, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || bytes.Equal(data, raw) {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		name = strings.Replace(filepath.ToSlash(name), "/", " ", 1) // by server
		if plain, err := decoder.DecodeAll(data, nil); err == nil {
			data = append(data, plain...)
		}
		c.judge(t, name, append(data, name...), places)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{"nats", "s3"} {
		if places[server] == 0 {
			t.Errorf("no file of %s was searched", server)
		}
	}
}
