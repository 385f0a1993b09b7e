package reconcile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/reconcile"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

const source = "mairie"

// rig is a whole set of stores with nothing that works on them.
type rig struct {
	t       *testing.T
	ctx     context.Context
	env     *devtest.Env
	db      *catalog.DB
	conn    *stream.Conn
	blobs   *blobstore.Store
	objects blobstore.Config // of blobs
	engine  *vectorstore.Client
	alias   string
	n       int
	seen    *stream.Subscription
}

func newRig(t *testing.T) *rig {
	t.Helper()
	env := devtest.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
	t.Cleanup(cancel)
	r := &rig{t: t, ctx: ctx, env: env, alias: env.Collection}
	var err error
	if r.db, err = catalog.Open(ctx, catalog.Config{URL: env.PostgresURL, Schema: env.Schema, MaxConns: 4}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.db.Close)
	r.must(r.db.Migrate(ctx))
	r.conn, err = stream.Connect(ctx, stream.Config{URL: env.NATSURL, Prefix: env.Prefix, StreamPrefix: env.StreamPrefix})
	r.must(err)
	t.Cleanup(r.conn.Close)
	r.must(stream.Provision(ctx, r.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}))
	r.objects = blobstore.Config{
		Endpoint: env.S3Endpoint, AccessKey: env.S3AccessKey, SecretKey: env.S3SecretKey, BucketPrefix: env.BucketPrefix,
	}
	r.blobs, err = blobstore.Open(ctx, r.objects)
	r.must(err)
	r.must(r.blobs.EnsureBuckets(ctx))
	r.engine, err = vectorstore.Open(ctx, vectorstore.Config{Addr: env.QdrantAddr})
	r.must(err)
	t.Cleanup(func() { _ = r.engine.Close() })
	r.seen, err = r.conn.Subscribe(ctx, stream.FollowOptions{})
	r.must(err)
	t.Cleanup(r.seen.Close)
	return r
}

// vectors is a reconcile.Vectors.
func (r *rig) vectors(context.Context) (*vectorstore.Client, error) { return r.engine, nil }

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// next returns the next event that was published, whichever it is.
func (r *rig) next() event.Event {
	r.t.Helper()
	got, err := r.seen.Next(r.ctx)
	r.must(err)
	return got.Event
}

// pass runs one pass and wants these counts, like "runs 1/1/0" for found,
// redriven and given up.
func (r *rig) pass(want ...string) reconcile.Report {
	r.t.Helper()
	return r.passWith(reconcile.Options{SkipObjects: true}, want...)
}

func (r *rig) passWith(o reconcile.Options, want ...string) reconcile.Report {
	r.t.Helper()
	report, err := reconcile.New(r.db, r.conn, r.blobs, r.vectors, r.alias).Run(r.ctx, o)
	r.must(err)
	var got []string
	for _, c := range report.Counts {
		if c.Found > 0 {
			got = append(got, fmt.Sprintf("%s %d/%d/%d", c.What, c.Found, c.Redriven+c.Deleted, c.GivenUp))
		}
	}
	if !slices.Equal(got, want) {
		r.t.Fatalf("the pass counted %q, want %q", got, want)
	}
	return report
}

// drain takes what waits for a consumer, as its service would, and returns it.
func (r *rig) drain(consumer string, n int) []event.Event {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	taken := make(chan event.Event, n)
	runner, err := stream.NewRunner(r.conn, take(taken), stream.Options{
		Consumer: consumer, Service: "test", Workers: 1, Deadline: time.Minute, Attempts: r.db,
		Quarantine: stream.NewQuarantine(), Probe: func(context.Context) error { return nil },
	})
	r.must(err)
	ended := make(chan error, 1)
	go func() { ended <- runner.Run(ctx) }()
	var got []event.Event
	for range n {
		select {
		case e := <-taken:
			got = append(got, e)
		case <-r.ctx.Done():
			r.t.Fatalf("%s: %d of %d events came", consumer, len(got), n)
		}
	}
	for { // until the last one is acknowledged
		queues, err := r.conn.Queues(r.ctx)
		r.must(err)
		i := slices.IndexFunc(queues, func(q stream.Queue) bool { return q.Consumer == consumer })
		if queues[i].Pending == 0 && queues[i].AckPending == 0 {
			break
		}
	}
	cancel()
	r.must(<-ended)
	return got
}

type take chan event.Event

func (c take) Handle(_ context.Context, e event.Event, _ stream.Emit) error { c <- e; return nil }

func (c take) Fail(context.Context, event.Event, fault.Reason, string, stream.Emit) error { return nil }

func (r *rig) dead() []stream.Dead {
	r.t.Helper()
	var all []stream.Dead
	r.must(r.conn.ListDead(r.ctx, "", "", func(d stream.Dead) error { all = append(all, d); return nil }))
	return all
}

// accept records a request, as the capturer does first.
func (r *rig) accept() model.Capture {
	r.t.Helper()
	r.n++
	id := fmt.Sprintf("r%d", r.n)
	request, err := json.Marshal(event.CaptureRequested{RequestID: id, SourceID: source, URL: "https://example.org/" + id,
		Object: &event.Object{Bucket: "raw", Key: strings.TrimPrefix(digest.Content([]byte(id)), "sha256:")}})
	r.must(err)
	c, held, err := r.db.AcceptCapture(r.ctx, model.Capture{SourceID: source, RequestID: id, RequestDigest: "d",
		Request: request}, "worker", time.Hour)
	r.must(err)
	if !held {
		r.t.Fatal("the lease was not given")
	}
	r.must(r.db.ReleaseCapture(r.ctx, source, id, "worker", 0, ""))
	return c
}

// store records a snapshot, changed as asked, and, with announced, that its outcome was told.
func (r *rig) store(announced bool, changes ...func(*model.Snapshot)) model.Snapshot {
	r.t.Helper()
	c := r.accept()
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	url := "https://example.org/" + c.RequestID
	s := model.Snapshot{
		DocumentID: digest.DocumentID(source, url), RequestID: c.RequestID, SourceID: source, SourceName: "Mairie",
		SnapshotKind: model.KindHTML, FinalType: model.TypeHTML, URL: url, URLCanonical: url, ExternalID: url,
		RetrievedAt: day, LastModified: day, LastModifiedOrigin: "http_header", ContentHash: digest.Content([]byte(c.RequestID)),
		ByteLength: 2, SourceType: "official", Domain: "civics", Layer: model.LayerHot, RuleVersions: map[string]string{},
	}
	s.SnapshotID = digest.SnapshotID(source, c.RequestID, s.ContentHash)
	for _, change := range changes {
		change(&s)
	}
	_, err := r.db.RecordCapture(r.ctx, c, s, nil, func(model.Standing) bool { return false })
	r.must(err)
	if announced {
		r.must(r.db.CaptureAnnounced(r.ctx, source, c.RequestID))
	}
	return s
}

func (r *rig) run(s model.Snapshot, pages int) model.Run {
	r.t.Helper()
	ids := make([]string, pages)
	for i := range ids {
		ids[i] = digest.PageID(s.SnapshotID, i+1)
	}
	run, err := r.db.StartRun(r.ctx, model.Run{SnapshotID: s.SnapshotID, ExtractionID: "x1", SourceID: source,
		DocumentID: s.DocumentID, PageCount: pages, ParserVersion: "1", RulesDigest: "rules"}, ids, "")
	r.must(err)
	return run
}

func (r *rig) segment(run model.Run, pages model.PageRange) model.SegmentRow {
	r.t.Helper()
	row := model.SegmentRow{SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID, From: pages.From, To: pages.To,
		Redo: run.Redo, Digest: strings.Repeat("a", 64), ByteLength: 1, Processed: pages.To - pages.From + 1}
	row.ObjectKey = blobstore.SegmentKey(source, run.ExtractionID, run.SnapshotID, pages.From, pages.To, row.Digest)
	row, err := r.db.PutSegment(r.ctx, row, nil)
	r.must(err)
	return row
}

// chunk lands one chunk of the run and ends it; its event is not published.
func (r *rig) chunk(s model.Snapshot, run model.Run) model.Chunk {
	r.t.Helper()
	c := model.Chunk{DocHash: digest.HexParts(s.SnapshotID), ChunkID: "0", Generation: 1, DocumentID: s.DocumentID,
		SourceID: source, SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID, Text: "HEAD\n\nBody", Content: "Body",
		TextHash: digest.Text("HEAD\n\nBody"), ContentTextHash: digest.Text("Body"), Type: model.ChunkFact,
		Status: model.StatusUnderReview, Layer: model.LayerHot, SourceType: "official", InfoDate: "2026-03-01"}
	c.ChunkRef = digest.ChunkRef(c.DocHash, c.ChunkID)
	c.PointID = digest.PointID(c.ChunkRef)
	run.State = model.RunDone
	r.must(r.db.LockDocument(r.ctx, s.DocumentID, time.Second, func(t *catalog.DocumentTx) error {
		if err := t.AddChunks(r.ctx, []model.Chunk{c}); err != nil {
			return err
		}
		states := []model.ChunkState{{ChunkRef: c.ChunkRef, Layer: c.Layer, Since: c.InfoDate}}
		if err := t.AddStates(r.ctx, run, "capture", states); err != nil {
			return err
		}
		m := model.Manifest{DocHash: c.DocHash, Generation: 1, DocumentID: s.DocumentID, SourceID: source,
			SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID, Redo: run.Redo, ChunkCount: 1, Status: "done",
			ChunkerVersion: "1", HeaderVersion: "1", VectorStatus: model.VectorNone}
		if err := t.AddManifest(r.ctx, m, model.Version{DocHash: c.DocHash, Generation: 1}); err != nil {
			return err
		}
		return t.FinishRun(r.ctx, run)
	}))
	return c
}

func (r *rig) publishLog(run model.Run) {
	r.t.Helper()
	log, err := r.db.UnpublishedLog(r.ctx, run.SnapshotID, run.ExtractionID, 100)
	r.must(err)
	for _, e := range log {
		r.must(r.db.MarkPublished(r.ctx, e.Epoch, []int64{e.Seq}))
	}
	r.must(r.db.MarkRunAnnounced(r.ctx, run.SnapshotID, run.ExtractionID, run.Redo))
	r.must(r.db.MarkRunAnnotated(r.ctx, run))
}

func as[T event.Data](t *testing.T, e event.Event) T {
	t.Helper()
	data, err := event.As[T](e)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestNothingToDo(t *testing.T) {
	r := newRig(t)
	if got := r.pass().String(); got != "nothing stands still\n" {
		t.Errorf("the report says %q", got)
	}
	r.accept() // fresh: it has made progress
	r.passWith(reconcile.Options{SkipObjects: true, Age: reconcile.DefaultAge})
}

func TestCaptures(t *testing.T) {
	r := newRig(t)
	c := r.accept()
	dry := r.passWith(reconcile.Options{SkipObjects: true, DryRun: true}, "captures 1/1/0")
	if !strings.Contains(dry.String(), "dry run") {
		t.Errorf("a dry run says %q", dry)
	}
	ids := make(map[string]bool)
	for range catalog.MaxRedrives {
		r.pass("captures 1/1/0")
		e := r.drain(stream.ConsumerCapture, 1)[0]
		d := as[event.CaptureRequested](t, e)
		if d.RequestID != c.RequestID || d.Object == nil || d.Object.Bucket != "raw" {
			t.Fatalf("the request came again as %+v", d)
		}
		if ids[e.MsgID] || !strings.HasPrefix(e.MsgID, source+"/"+c.RequestID+";r") {
			t.Errorf("message id %q", e.MsgID)
		}
		ids[e.MsgID] = true
	}
	r.pass("captures 1/0/1")
	r.pass()
	done := as[event.CaptureCompleted](t, r.next())
	if done.Outcome != event.OutcomeFailed || done.Reason != string(fault.Internal) {
		t.Errorf("the outcome is %+v", done)
	}
	if dead := r.dead(); len(dead) != 1 || dead[0].Consumer != stream.ConsumerCapture || dead[0].Reason != fault.Internal {
		t.Errorf("dead letters %+v", dead)
	}
}

func TestUnannouncedCaptureKeepsItsOutcome(t *testing.T) {
	r := newRig(t)
	s := r.store(false)
	r.run(s, 1)
	for range catalog.MaxRedrives {
		r.pass("captures 1/1/0", "ranges 1/1/0")
		r.drain(stream.ConsumerCapture, 1)
		r.drain(stream.ConsumerExtract, 1)
		r.next() // page.split
	}
	r.pass("captures 1/0/1", "ranges 1/0/1")
	if done := as[event.CaptureCompleted](t, r.next()); done.Outcome != event.OutcomeStored || done.SnapshotID != s.SnapshotID {
		t.Errorf("the outcome is %+v", done)
	}
}

func TestWhatWaitsIsLeftAlone(t *testing.T) {
	r := newRig(t)
	r.accept()
	r.pass("captures 1/1/0")
	r.pass() // its event waits in its stream
	r.drain(stream.ConsumerCapture, 1)
	r.pass("captures 1/1/0")
}

// ahead is a bus whose server's clock is an hour ahead of the catalog's.
type ahead struct{ *stream.Conn }

func (a ahead) Queues(ctx context.Context) ([]stream.Queue, error) {
	queues, err := a.Conn.Queues(ctx)
	for _, q := range queues {
		if q.Oldest != nil {
			*q.Oldest = q.Oldest.Add(time.Hour)
		}
	}
	return queues, err
}

func TestWhatWaitsIsLeftAloneWhenClocksDiffer(t *testing.T) {
	r := newRig(t)
	r.accept()
	r.pass("captures 1/1/0")
	report, err := reconcile.New(r.db, ahead{r.conn}, r.blobs, r.vectors, r.alias).Run(r.ctx, reconcile.Options{SkipObjects: true})
	r.must(err)
	for _, c := range report.Counts {
		if c.Found > 0 {
			t.Errorf("%+v, while its event waits in its stream", c)
		}
	}
}

func TestSnapshots(t *testing.T) {
	r := newRig(t)
	s := r.store(true)
	for range catalog.MaxRedrives {
		r.pass("snapshots 1/1/0")
		e := r.drain(stream.ConsumerSplit, 1)[0]
		if d := as[event.SnapshotStored](t, e); d.SnapshotID != s.SnapshotID || d.DocumentID != s.DocumentID {
			t.Fatalf("published %+v", d)
		}
		r.next()
	}
	r.pass("snapshots 1/0/1")
	r.pass()
	done := as[event.RunCompleted](t, r.next())
	if done.State != model.RunFailed || done.Reason != string(fault.Internal) || done.Failed != 1 {
		t.Errorf("the run ended as %+v", done)
	}
	document, err := r.db.Document(r.ctx, s.DocumentID)
	r.must(err)
	if document.IngestStatus != model.IngestError {
		t.Errorf("the document is %s", document.IngestStatus)
	}
	pages, err := r.db.FailedPages(r.ctx, s.SnapshotID, done.ExtractionID)
	r.must(err)
	if len(pages) != 1 {
		t.Errorf("failed pages %v", pages)
	}
}

func TestMissingRanges(t *testing.T) {
	r := newRig(t)
	run := r.run(r.store(true), 40)
	r.segment(run, model.PageRange{From: 17, To: 32})
	r.pass("ranges 1/1/0")
	var froms []int
	for _, e := range r.drain(stream.ConsumerExtract, 2) {
		froms = append(froms, as[event.PageSplit](t, e).Pages.From)
	}
	if !slices.Equal(froms, []int{1, 33}) {
		t.Errorf("ranges from %v were published", froms)
	}
}

// TestOCRRequests: a range waits while its pages do; when their requests are lost,
// the range is asked for again, and each answer is progress.
func TestOCRRequests(t *testing.T) {
	r := newRig(t)
	const pages = 2 * catalog.MaxRedrives
	run := r.run(r.store(true), pages)
	all := model.PageRange{From: 1, To: pages}
	var tasks []model.OCRTask
	for no := 1; no <= pages; no++ {
		tasks = append(tasks, model.OCRTask{SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID, PageNo: no,
			Picture: fmt.Sprint(no), OCR: model.PageOCR{Why: "no_text"}})
	}
	tasks, err := r.db.PlanOCR(r.ctx, run, all, 0, tasks)
	r.must(err)
	asked := event.PageOCRRequested{SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID,
		ParserVersion: run.ParserVersion, Pages: model.PageRange{From: 1, To: 1}, PageCount: pages}
	r.must(r.conn.Publisher("test").Emit(r.ctx, asked))
	r.next()
	r.pass() // a request waits in its stream
	r.drain(stream.ConsumerOCR, 1)
	for _, task := range tasks {
		r.pass("ranges 1/1/0")
		if d := as[event.PageSplit](t, r.drain(stream.ConsumerExtract, 1)[0]); d.Pages != all {
			t.Fatalf("published %+v", d)
		}
		r.next()
		task.OCR.Reason = "timeout"
		r.must(r.db.FailOCR(r.ctx, task))
	}
}

func TestMissingRangesOfARedo(t *testing.T) {
	r := newRig(t)
	s := r.store(true)
	run := r.run(s, 20)
	r.segment(run, model.PageRange{From: 1, To: 16})
	r.segment(run, model.PageRange{From: 17, To: 20})
	r.chunk(s, run)
	r.publishLog(run)
	run, err := r.db.StartRedo(r.ctx, run.SnapshotID, run.ExtractionID, 1, []model.PageRange{{From: 17, To: 20}})
	r.must(err)
	r.pass("ranges 1/1/0")
	d := as[event.PageSplit](t, r.drain(stream.ConsumerExtract, 1)[0])
	if d.Pages.From != 17 || d.Redo != 1 {
		t.Errorf("published %+v", d)
	}
	r.segment(run, model.PageRange{From: 17, To: 20})
	r.pass("runs 1/1/0")
}

// TestEntitiesThatWereNotTold: the annotator is told again of runs that are told otherwise, and
// given up with a dead letter of its own.
func TestEntitiesThatWereNotTold(t *testing.T) {
	r := newRig(t)
	s := r.store(true)
	run := r.run(s, 1)
	r.segment(run, model.PageRange{From: 1, To: 1})
	r.chunk(s, run)
	r.publishLog(run)
	if n, err := r.db.RequeueEntities(t.Context(), run, nil); err != nil || n != 0 { // nothing was read yet
		t.Fatalf("%d, %v", n, err)
	}
	for range catalog.MaxRedrives {
		r.pass("entities 1/1/0")
		r.drain(stream.ConsumerEntities, 1)
		r.next()
	}
	r.pass("entities 1/0/1")
	r.pass()
	if dead := r.dead(); len(dead) != 1 || dead[0].Consumer != stream.ConsumerEntities {
		t.Errorf("dead letters %+v", dead)
	}
}

// TestProposalsThatAreMissing: the chunker is told again of a run of whose chunks a model was to be
// asked, until it is known that none is set; and of one whose chunks are without what a model has
// proposed since, until it is given up and its chunks stay as the rules have them.
func TestProposalsThatAreMissing(t *testing.T) {
	r := newRig(t)
	s := r.store(true, func(s *model.Snapshot) { s.SourceEnrich = model.EnrichLater })
	run := model.Run{}
	for _, s := range []model.Snapshot{r.store(true), s} { // the first one's source asks no model
		run = r.run(s, 1)
		r.segment(run, model.PageRange{From: 1, To: 1})
		r.chunk(s, run)
		r.publishLog(run)
	}
	again := func() {
		t.Helper()
		r.pass("enrichments 1/1/0")
		if d := as[event.IRExtracted](t, r.drain(stream.ConsumerChunk, 1)[0]); d.SnapshotID != s.SnapshotID {
			t.Errorf("told of %+v", d)
		}
		r.next()
	}
	again()
	answer := model.Enrichment{SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID, ChunkerVersion: "1", SourceID: source, DocumentID: s.DocumentID}
	if _, err := r.db.PutEnrichment(r.ctx, answer); err != nil {
		t.Fatal(err)
	}
	r.pass() // no model is set: nothing is missing
	answer.Model, answer.ObjectKey, answer.Digest = "m", "llm/x", strings.Repeat("b", 64)
	if counts, err := r.db.PutEnrichment(r.ctx, answer); err != nil || counts != answer {
		t.Fatalf("%+v, %v", counts, err)
	}
	for range catalog.MaxRedrives - 1 {
		again()
	}
	r.pass("enrichments 1/0/1")
	r.pass()
	if dead := r.dead(); len(dead) != 1 || dead[0].Consumer != stream.ConsumerChunk {
		t.Errorf("dead letters %+v", dead)
	}
}

func TestCompleteRuns(t *testing.T) {
	r := newRig(t)
	s := r.store(true)
	run := r.run(s, 1)
	row := r.segment(run, model.PageRange{From: 1, To: 1})
	r.pass("runs 1/1/0")
	if d := as[event.IRExtracted](t, r.drain(stream.ConsumerChunk, 1)[0]); d.ObjectKey != row.ObjectKey || d.Redo != 0 {
		t.Errorf("published %+v", d)
	}
	r.next()
	r.chunk(s, run) // ended, neither published nor announced
	for range catalog.MaxRedrives {
		r.pass("runs 1/1/0")
		r.drain(stream.ConsumerChunk, 1)
		r.next()
	}
	r.pass("runs 1/0/1")
	r.pass()
	if stands, err := r.db.Run(r.ctx, run.SnapshotID, run.ExtractionID); err != nil || stands.State != model.RunDone {
		t.Errorf("the run is %s (%v)", stands.State, err)
	}
	if dead := r.dead(); len(dead) != 1 || dead[0].Consumer != stream.ConsumerChunk {
		t.Errorf("dead letters %+v", dead)
	}
}

func TestChunks(t *testing.T) {
	r := newRig(t)
	s := r.store(true)
	run := r.run(s, 1)
	r.segment(run, model.PageRange{From: 1, To: 1})
	c := r.chunk(s, run)
	r.publishLog(run)
	r.pass() // no collection yet
	collection, err := r.db.RegisterCollection(r.ctx, model.Collection{Name: r.alias + "_x_4", Alias: r.alias, Model: "x", Dimensions: 4})
	r.must(err)
	r.must(r.engine.Collection(collection.Name).Ensure(r.ctx, 4))
	r.must(r.engine.SetAlias(r.ctx, r.alias, collection.Name))
	for range catalog.MaxRedrives {
		r.pass("chunks 1/1/0")
		d := as[event.ChunkCreated](t, r.drain(stream.ConsumerIndex, 1)[0])
		if d.Chunk.ChunkRef != c.ChunkRef || d.Chunk.Text != c.Text || d.Rev != 1 {
			t.Fatalf("published %+v", d)
		}
		r.next()
	}
	r.pass("chunks 1/0/1")
	r.pass()
	m, err := r.db.Manifest(r.ctx, c.DocHash, 1)
	r.must(err)
	if m.VectorStatus != model.VectorError {
		t.Errorf("vector_status is %s", m.VectorStatus)
	}
	// A push that lost nothing is no reason to say it again; a lost collection is.
	_, err = r.db.PushVectors(r.ctx, r.alias, []string{c.ChunkRef},
		func(ctx context.Context, _ []model.Collection, _ []model.IndexItem) ([]model.VectorRow, error) {
			r.must(r.engine.Collection(collection.Name).Upsert(ctx, []vectorstore.Point{{ID: c.PointID, Dense: []float32{1, 0, 0, 0}}}))
			return []model.VectorRow{{ChunkRef: c.ChunkRef, Collection: collection.Name, PointID: c.PointID,
				Pushed: model.Pushed{Rev: 1, Present: true}}}, nil
		})
	r.must(err)
	r.pass()
	// In one pass: what was recorded of it is forgotten, and the chunk is due.
	r.must(r.engine.Collection(collection.Name).Drop(r.ctx))
	dry := r.passWith(reconcile.Options{SkipObjects: true, DryRun: true}, "collections 1/0/0")
	report := r.pass("collections 1/0/0", "chunks 1/1/0")
	for _, said := range []reconcile.Report{dry, report} {
		text := said.String()
		if len(said.Missing) != 1 || !strings.Contains(text, collection.Name) || !strings.Contains(text, "an indexer makes it again") ||
			!strings.Contains(text, "collections           1 found, 1 reset") {
			t.Errorf("it says %q", text)
		}
	}
	r.pass("collections 1/0/0") // the chunk waits in its stream
	r.must(r.engine.Collection(collection.Name).Ensure(r.ctx, 4))
	// The alias went with the collection.
	if report := r.pass("collections 1/0/0"); len(report.Missing) != 1 || !strings.Contains(report.Missing[0], r.alias) {
		t.Errorf("it says %q", report)
	}
}

// TestACollectionThatNobodyFillsHoldsUpNothing: one of a model that was tried and taken away
// stays building, and no chunk is told or given up for it; while it is filled its chunks
// are asked for, however often, and never given up.
func TestACollectionThatNobodyFillsHoldsUpNothing(t *testing.T) {
	r := newRig(t)
	s := r.store(true)
	run := r.run(s, 1)
	r.segment(run, model.PageRange{From: 1, To: 1})
	c := r.chunk(s, run)
	r.publishLog(run)
	r.must(r.db.MarkRunAnnounced(r.ctx, run.SnapshotID, run.ExtractionID, run.Redo))
	var names []string
	for _, suffix := range []string{"_x_4", "_y_4"} {
		k, err := r.db.RegisterCollection(r.ctx, model.Collection{Name: r.alias + suffix, Alias: r.alias, Model: suffix[1:2], Dimensions: 4})
		r.must(err)
		r.must(r.engine.Collection(k.Name).Ensure(r.ctx, 4))
		names = append(names, k.Name)
	}
	r.must(r.engine.SetAlias(r.ctx, r.alias, names[0]))
	push := func(name string) {
		_, err := r.db.PushVectors(r.ctx, r.alias, []string{c.ChunkRef},
			func(ctx context.Context, _ []model.Collection, _ []model.IndexItem) ([]model.VectorRow, error) {
				r.must(r.engine.Collection(name).Upsert(ctx, []vectorstore.Point{{ID: c.PointID, Dense: []float32{1, 0, 0, 0}}}))
				return []model.VectorRow{{ChunkRef: c.ChunkRef, Collection: name, PointID: c.PointID, Pushed: model.Pushed{Rev: 1, Present: true}}}, nil
			})
		r.must(err)
	}
	push(names[0])
	wantStands := func() {
		t.Helper()
		m, err := r.db.Manifest(r.ctx, c.DocHash, 1)
		r.must(err)
		p, err := r.db.Progress(r.ctx, source, nil)
		r.must(err)
		lag, err := r.db.VectorBacklog(r.ctx, r.alias)
		r.must(err)
		if m.VectorStatus != model.VectorPresent || p.Unpushed != 0 || lag != 0 || len(r.dead()) != 0 {
			t.Errorf("vector_status %s, %d unpushed, a backlog of %d, dead letters %+v", m.VectorStatus, p.Unpushed, lag, r.dead())
		}
	}
	for range catalog.MaxRedrives + 2 {
		r.pass()
	}
	wantStands()
	fill := reconcile.Options{SkipObjects: true, Fill: names[1]}
	for range catalog.MaxRedrives + 2 {
		r.passWith(fill, "chunks 1/1/0")
		r.drain(stream.ConsumerIndex, 1)
		r.next()
	}
	wantStands()
	// Its vector cannot be made: that is said of it alone, and it is asked for again when it is filled again.
	r.must(r.db.FailVectors(r.ctx, r.alias, c.ChunkRef, "the text is refused"))
	wantStands()
	r.pass()
	r.passWith(fill, "chunks 1/1/0")
	r.drain(stream.ConsumerIndex, 1)
	push(names[1])
	r.passWith(fill)
	wantStands()
	if behind, err := r.db.ActivateCollection(r.ctx, r.alias, names[1]); err != nil || behind != 0 {
		t.Errorf("%d behind, %v", behind, err)
	}
}

// TestMissingStreamsAreSaid deletes a stream, and a consumer: nothing stands still in
// them, but nothing can move either.
func TestMissingStreamsAreSaid(t *testing.T) {
	r := newRig(t)
	r.accept()
	bus, err := nats.Connect(r.env.NATSURL)
	r.must(err)
	defer bus.Close()
	js, err := jetstream.New(bus)
	r.must(err)
	r.must(js.DeleteStream(r.ctx, r.env.StreamPrefix+"IR"))
	r.must(js.DeleteConsumer(r.ctx, r.env.StreamPrefix+"SNAPSHOTS", stream.ConsumerSplit))
	said := r.pass().String()
	for _, want := range []string{"stream " + r.env.StreamPrefix + "IR does not exist\n", "consumer split of stream ", "`colophon provision`"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
	r.must(stream.Provision(r.ctx, r.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}))
	if report := r.pass("captures 1/1/0"); len(report.Missing) > 0 {
		t.Errorf("it says %q", report)
	}
}

// TestAVectorStoreThatIsAwayHoldsUpNothing moves a request while the vectors cannot be asked for.
func TestAVectorStoreThatIsAwayHoldsUpNothing(t *testing.T) {
	r := newRig(t)
	r.accept()
	_, err := r.db.RegisterCollection(r.ctx, model.Collection{Name: r.alias + "_x_4", Alias: r.alias, Model: "x", Dimensions: 4})
	r.must(err)
	away := func(ctx context.Context) (*vectorstore.Client, error) {
		return vectorstore.Open(ctx, vectorstore.Config{Addr: "127.0.0.1:1", Timeout: time.Second})
	}
	report, err := reconcile.New(r.db, r.conn, r.blobs, away, r.alias).Run(r.ctx, reconcile.Options{SkipObjects: true})
	r.must(err)
	if report.Found() != 1 || len(report.Missing) != 1 || !strings.HasPrefix(report.Missing[0], "the vector store does not answer: ") {
		t.Errorf("it says %q", report)
	}
}

func TestOnePassAtATime(t *testing.T) {
	r := newRig(t)
	r.accept()
	held, err := r.db.Exclusive(r.ctx, "reconcile", func(context.Context, time.Time) error {
		report := r.pass()
		if !report.Busy || !strings.Contains(report.String(), "another") {
			t.Errorf("the report says %q", report)
		}
		return nil
	})
	if err != nil || !held {
		t.Fatalf("held %v: %v", held, err)
	}
	r.pass("captures 1/1/0")
}
