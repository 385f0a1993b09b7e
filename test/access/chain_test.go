package access

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/sdk"
	"github.com/colophon-dev/colophon/pkg/sdk/inbox"
)

// chain are the roles of the services, the last of the chain first.
func chain() []string {
	return []string{access.Gateway, access.Indexer, access.Annotator, access.Chunker, access.OCR, access.Extract, access.Splitter, access.Capturer}
}

// TestLeastPrivilege runs the chain and its faults as the identities of the table, on
// servers that enforce and log what each does. Nothing may be refused, every right must
// be used or have a reason, and whatever else a role tries is refused.
func TestLeastPrivilege(t *testing.T) {
	r := startRig(t, true)
	r.explain()
	r.colophon(access.Provision, []int{0}, "provision")
	r.checkLists()
	gone := r.orphans()
	for _, role := range chain() {
		r.start(role)
	}
	r.work()
	r.faults(gone)
	r.remodel()
	r.checkUse()
	for _, role := range chain() {
		r.stop(role)
	}
	t.Run("bus", r.refusedByBus)
	t.Run("catalog", r.refusedByCatalog)
	t.Run("objects", r.refusedByObjects)
}

func warnings(log string) string {
	var kept []string
	for line := range strings.Lines(log) {
		if !strings.Contains(line, "level=INFO") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// work lets every stage do all that it does.
func (r *rig) work() {
	r.t.Helper()
	documents, err := filepath.Abs(filepath.Join(root, "test", "documents"))
	if err != nil {
		r.t.Fatal(err)
	}
	r.operator("source", "add", source, "--name", "Council", "--language", "en")
	r.operator("source", "add", "night", "--name", "Night", "--language", "en")
	r.colophon(access.Operator, []int{3}, "capture", "--wait", "--source", "night", documents) // three are bad on purpose
	r.fetch()
	r.outside()
	r.versions()
	r.serve()
	r.letters()
	r.readSeeds()
	r.tail()
	r.operator("verify", "--all")
	r.prove()
	r.operator("status", "--json")
	r.operator("dump")
}

// prove verifies everything as the role that may change nothing. What the catalog has can
// be read without the tables that it has no right on, and is not taken for missing.
func (r *rig) prove() {
	r.t.Helper()
	r.colophon(access.Verify, []int{0}, "verify", "--all")
}

// fetch lets the capturer fetch a page from a server of this machine, twice.
func (r *rig) fetch() {
	for range 2 {
		r.operator("capture", "--wait", "--source", "night", r.web+"/page.html")
	}
}

// crawler is a program outside that hands documents over for its source.
func (r *rig) crawler() *sdk.Client {
	r.t.Helper()
	n, m := names(), r.mount(access.Crawler+"-"+source)
	files, err := inbox.Open(r.t.Context(), blobstore.Config{
		Endpoint: r.objects.endpoint, AccessKeyFile: m.Path("access"), SecretKeyFile: m.Path("secret"), CAFile: m.Path("ca.crt"), BucketPrefix: n.Buckets,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	client, err := sdk.Connect(r.t.Context(), sdk.Config{
		URL: "tls://" + r.bus.address, NkeyFile: m.Path("seed"), CAFile: m.Path("ca.crt"), CertFile: m.Path("tls.crt"), KeyFile: m.Path("tls.key"),
		Prefix: n.Subjects, StreamPrefix: n.Streams, Source: source, Inbox: files, ResendAfter: 3 * time.Second,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return client
}

// readSeeds reads what the chain has made by the founding documents' statements, as the
// role that may do that and nothing else.
func (r *rig) readSeeds() {
	t := r.t
	conn, err := r.openAs(access.Reader)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	ask := func(seed, sql string, args ...any) [][]any {
		t.Helper()
		if _, err := conn.Exec(t.Context(), "SET search_path TO "+pgx.Identifier{access.SeedSchema(schema, seed)}.Sanitize()); err != nil {
			t.Fatal(err)
		}
		rows, err := conn.Query(t.Context(), sql, args...)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
		if err != nil || len(all) == 0 {
			t.Fatalf("%s: %d rows, %v", sql, len(all), err)
		}
		return all
	}
	known := ask("seed003", `SELECT text_hash, source_type, id FROM knowledge_chunks`)
	for _, row := range known {
		// As the seed has it, word for word.
		found := ask("seed003", `SELECT id FROM knowledge_chunks WHERE text_hash = $1 AND source_type = $2`, row[0], row[1])
		if len(found) != 1 || found[0][0] != row[2] {
			t.Errorf("%v of %v is known as %v", row[0], row[1], found)
		}
	}
	last := ""
	for _, row := range ask("seed003", `SELECT coalesce(info_date::text, '') FROM knowledge_chunks k JOIN sources s ON s.id = k.source_id
		WHERE k.type = 'fact' AND k.layer <> 'archive' ORDER BY k.status = 'confirmed' DESC, info_date DESC NULLS LAST`) {
		if date := row[0].(string); last != "" && date > last {
			t.Errorf("%s comes after %s", date, last)
		} else {
			last = date
		}
	}
	ask("seed003", `SELECT synced_at FROM staging i JOIN sources s ON s.id = i.source_id WHERE synced_at IS NOT NULL`)
	for _, row := range ask("seed004", `SELECT m.doc_hash, m.chunk_count, count(c.id) FROM document_catalog d JOIN chunk_manifest m USING (canonical_url)
		LEFT JOIN chunk_store c USING (doc_hash) WHERE m.status = 'done' GROUP BY m.doc_hash, m.chunk_count, d.id`) {
		if fmt.Sprint(row[1]) != fmt.Sprint(row[2]) {
			t.Errorf("the manifest of %v counts %v chunks, there are %v", row[0], row[1], row[2])
		}
	}
	ask("seed004", `SELECT error_message FROM chunk_manifest WHERE status = 'error' AND error_message <> ''`)
	t.Logf("the reader sees %d pieces of knowledge", len(known))
}

// reader is a program outside that follows chunks.
func (r *rig) reader() *sdk.Client {
	r.t.Helper()
	name := access.Consumer + "-" + consumer
	n, m := names(), r.mount(name)
	client, err := sdk.Connect(r.t.Context(), sdk.Config{
		URL: "tls://" + r.bus.address, NkeyFile: m.Path("seed"), CAFile: m.Path("ca.crt"), CertFile: m.Path("tls.crt"), KeyFile: m.Path("tls.key"),
		Prefix: n.Subjects, StreamPrefix: n.Streams, Identity: name, Name: name,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return client
}

// outside hands documents over as a crawler, and follows chunks as a consumer.
func (r *rig) outside() {
	t := r.t
	hands, reads := r.crawler(), r.reader()
	defer hands.Close()
	defer reads.Close()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	path := filepath.Join(t.TempDir(), "minutes.txt")
	text := bytes.Repeat([]byte("The council has met and agreed on the budget of the water works.\n"), sdk.MaxInline/60)
	for _, size := range []int{2000, len(text)} { // inside the request, and through the inbox
		if err := os.WriteFile(path, text[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		pending, err := hands.CaptureFile(ctx, path, sdk.Request{})
		if err != nil {
			t.Fatal(err)
		}
		outcome, err := pending.Wait(ctx)
		if err != nil || outcome.Outcome != sdk.Stored {
			t.Fatalf("%+v %v", outcome, err)
		}
	}
	for change, err := range reads.Chunks(ctx, sdk.From{}) {
		if err != nil {
			t.Fatal(err)
		}
		if change.Chunk != nil && change.Chunk.SourceID == source {
			break
		}
	}
	r.sink(ctx)
	for change, err := range reads.Durable(ctx, consumer, source) { // twice: the second is acknowledged by its end
		if err != nil {
			t.Fatal(err)
		}
		if change.Chunk != nil {
			break
		}
	}
}

// sink brings chunks into a file by the command, as a sink of its own: the log of the
// gateway, and then what the bus brings.
func (r *rig) sink(ctx context.Context) {
	r.t.Helper()
	role := access.Sink + "-" + consumer
	file := filepath.Join(r.t.TempDir(), "chunks.sqlite")
	args := []string{"sink", "--to", "sqlite", "--out", file, "--name", consumer, "--source", source}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(r.bin, "colophon"), args...)
	cmd.Env, cmd.Dir = r.environment(role), r.dir
	var log lockedBuffer
	cmd.Stderr = &log
	ended := r.run(cmd)
	defer func() {
		cancel()
		<-ended
	}()
	await(r.t, "the sink has chunks", func() bool {
		select {
		case <-ended:
			r.t.Fatalf("the sink has ended: %s", log.String())
		default:
		}
		return r.colophon(role, []int{0, 2, 4}, append(args, "--dump")...) != ""
	})
}

// versions lets a document change and be made again, its pages be read again, and a
// source go out of use and come back.
func (r *rig) versions() {
	path := filepath.Join(r.t.TempDir(), "rules.txt")
	for _, text := range []string{
		"The first rule is that water is free.\n\nThe second rule is that it is clean.\n",
		"The first rule is that water has a price.\n\nThe second rule is that it is clean.\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
		r.operator("capture", "--wait", "--source", "night", path)
	}
	r.colophon(access.Operator, []int{0, 3}, "reparse", "--source", "night", "--wait")
	r.operator("retry", r.hit("water").Snapshot)
	r.settle()
}

// settle waits until nothing is under way.
func (r *rig) settle() {
	await(r.t, "the chain is quiet", func() bool {
		var status struct{ Quiet bool }
		if err := json.Unmarshal([]byte(r.operator("status", "--json")), &status); err != nil {
			r.t.Fatal(err)
		}
		return status.Quiet
	})
}

// hit is what a search finds first.
type hit struct {
	Ref      string `json:"chunk_ref"`
	Document string `json:"document_id"`
	Snapshot string `json:"snapshot_id"`
}

func (r *rig) hit(query string) hit {
	r.t.Helper()
	var found struct{ Hits []hit }
	await(r.t, query+" is found", func() bool {
		code, body := ask("http://" + r.gateway + "/v1/search?q=" + query)
		return code == http.StatusOK && json.Unmarshal([]byte(body), &found) == nil && len(found.Hits) > 0
	})
	return found.Hits[0]
}

// serve asks the gateway for everything that it serves.
func (r *rig) serve() {
	text, paged := r.hit("water"), r.hit("watershed+report")
	for _, path := range []string{
		"/v1/chunks/" + text.Ref, "/v1/chunks/" + text.Ref + "/proof", "/v1/snapshots/" + text.Snapshot, "/v1/snapshots/" + text.Snapshot + "/raw",
		"/v1/snapshots/" + text.Snapshot + "/pages/1", "/v1/snapshots/" + paged.Snapshot + "/pages/1.html",
		"/v1/snapshots/" + paged.Snapshot + "/pages/1.png", "/v1/chunks/" + paged.Ref + "/proof", "/v1/changes", "/v1/sources", "/v1/status", "/readyz",
	} {
		if code, body := ask("http://" + r.gateway + path); code != http.StatusOK {
			r.t.Errorf("%s: %d %s", path, code, body)
		}
	}
	answer, err := http.Post("http://"+r.gateway+"/v1/ask", "application/json", strings.NewReader(`{"q":"water"}`))
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var said struct {
		Outcome string `json:"outcome"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil || said.Outcome != "no_model" { // it is the annotator who says so
		r.t.Errorf("a question: %s %+v %v", answer.Status, said, err)
	}
	if code, _ := ask("http://" + r.gateway + "/v1/requests/night/unknown"); code != http.StatusNotFound {
		r.t.Errorf("an unknown request: %d", code)
	}
}

// letters lets each consumer have a message that is no event, and the operator read,
// retry and drop what becomes of it.
func (r *rig) letters() {
	nc := r.connect(chaos)
	for _, subject := range []string{"capture.requested", "snapshot.stored", "page.split", "page.ocr_requested", "ir.extracted", "chunk.created"} {
		m := &nats.Msg{Subject: names().Subjects + "." + subject + ".night", Data: []byte("no event")}
		if err := nc.PublishMsg(m); err != nil {
			r.t.Fatal(err)
		}
	}
	type letter struct {
		Seq      uint64
		Consumer string
	}
	var all []letter
	await(r.t, "each consumer has buried one", func() bool {
		all = nil
		for line := range strings.Lines(r.operator("dlq", "list", "--json")) {
			var l letter
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				r.t.Fatalf("%v: %s", err, line)
			}
			all = append(all, l)
		}
		return len(all) >= 6
	})
	for _, l := range all {
		number := fmt.Sprint(l.Seq)
		r.operator("dlq", "show", number)
		if l.Consumer == "capture" { // nothing is kept of a request that is no event
			r.operator("dlq", "drop", number)
		} else {
			r.operator("dlq", "retry", number)
		}
	}
}

// tail follows events until some have come, all of them and one kind.
func (r *rig) tail() {
	for _, nouns := range [][]string{nil, {"chunk"}} {
		cmd := exec.Command(filepath.Join(r.bin, "colophon"), append([]string{"tail", "--since", "2020-01-01T00:00:00Z"}, nouns...)...)
		cmd.Env, cmd.Dir = r.environment(access.Operator), r.dir
		out := new(lockedBuffer)
		cmd.Stdout, cmd.Stderr = out, out
		ended := r.run(cmd)
		await(r.t, "tail tells events", func() bool { return strings.Count(out.String(), "\n") > 3 })
		_ = cmd.Process.Signal(syscall.SIGINT)
		<-ended
	}
}

// faults lets messages get lost between each two stages, processes die and start
// again, and objects lie about that no row names: the janitor heals all of it.
func (r *rig) faults(gone func() bool) {
	js, err := jetstream.New(r.connect(chaos))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, loss := range []struct{ role, stream, consumer, text string }{
		{access.Splitter, "SNAPSHOTS", "split", "The bridge is closed in winter.\n"},
		{access.Extract, "PAGES", "extract", "The bridge is open in spring.\n"},
		{access.Chunker, "IR", "chunk", "The bridge is painted in summer.\n"},
		{access.Indexer, "CHUNKS", "index", "The bridge is inspected in autumn.\n"},
	} {
		r.kill(loss.role)
		path := filepath.Join(r.t.TempDir(), loss.stream+".txt")
		if err := os.WriteFile(path, []byte(loss.text), 0o600); err != nil {
			r.t.Fatal(err)
		}
		r.operator("capture", "--source", "night", path)
		stream := names().Streams + loss.stream
		await(r.t, loss.consumer+" has something to do", func() bool {
			c, err := js.Consumer(r.t.Context(), stream, loss.consumer)
			return err == nil && c.CachedInfo().NumPending > 0
		})
		s, err := js.Stream(r.t.Context(), stream)
		if err == nil {
			err = s.Purge(r.t.Context())
		}
		if err != nil {
			r.t.Fatal(err)
		}
		r.start(loss.role)
		r.start(access.Janitor)
		r.settle()
		r.stop(access.Janitor)
	}
	r.colophon(access.Janitor, []int{0}, "reconcile", "--age", "0s")
	if r.objects.enforced { // else there is no right to be tried, and it takes a minute
		r.start(access.Janitor)
		await(r.t, "what no row names is deleted", gone)
		r.stop(access.Janitor)
	}
}
