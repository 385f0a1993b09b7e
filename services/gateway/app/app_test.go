package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

func TestMain(m *testing.M) {
	if sandbox.Child(map[string]sandbox.Role{child.RoleName: child.Builtin().Role, child.DrawRoleName: child.Builtin().DrawRole}) {
		return
	}
	os.Exit(m.Run())
}

// rig is a running gateway over stores of its own.
type rig struct {
	t          testing.TB
	ctx        context.Context
	app        *App
	collection model.Collection
	schemas    *jsonschema.Compiler
	paths      map[string]map[string]any
	n          int
}

func newRig(t testing.TB, settings ...string) *rig {
	t.Helper()
	env := devtest.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
	t.Cleanup(cancel)
	values := map[string]string{
		"COLOPHON_HTTP_ADDR": "127.0.0.1:0", "COLOPHON_NATS_URL": env.NATSURL, "COLOPHON_SUBJECT_PREFIX": env.Prefix,
		"COLOPHON_STREAM_PREFIX": env.StreamPrefix, "COLOPHON_POSTGRES_URL": env.PostgresURL,
		"COLOPHON_POSTGRES_SCHEMA": env.Schema, "COLOPHON_S3_ENDPOINT": env.S3Endpoint,
		"COLOPHON_S3_ACCESS_KEY": env.S3AccessKey, "COLOPHON_S3_SECRET_KEY": env.S3SecretKey,
		"COLOPHON_S3_BUCKET_PREFIX": env.BucketPrefix, "COLOPHON_QDRANT_ADDR": env.QdrantAddr,
		"COLOPHON_QDRANT_COLLECTION": env.Collection, "COLOPHON_EXTRACT_CHILDREN": "1", "COLOPHON_HTTP_DRAIN": "0s",
	}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		values[name] = value
	}
	c, err := config.LoadFrom[Config](values)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, ctx: ctx}
	r.app, err = New(ctx, c, telemetry.Nop(), nil)
	r.must(err)
	t.Cleanup(func() {
		if err := r.app.Close(); err != nil {
			t.Error(err)
		}
	})
	r.must(r.app.db.Migrate(ctx))
	r.must(r.app.blobs.EnsureBuckets(ctx))
	r.must(stream.Provision(ctx, r.app.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}))
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- r.app.Run(running) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	r.readDocument()
	return r
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// readDocument takes the OpenAPI document, with which every answer is compared.
func (r *rig) readDocument() {
	r.t.Helper()
	_, body := r.request(http.MethodGet, "/openapi.json", nil)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	r.must(err)
	r.schemas = jsonschema.NewCompiler()
	r.must(r.schemas.AddResource("openapi.json", doc))
	r.paths = make(map[string]map[string]any)
	for path, item := range doc.(map[string]any)["paths"].(map[string]any) {
		for _, operation := range item.(map[string]any) { // each path has one
			r.paths[path] = operation.(map[string]any)["responses"].(map[string]any)
		}
	}
}

func (r *rig) request(method, path string, header http.Header) (*http.Response, []byte) {
	r.t.Helper()
	return r.requestWith(method, path, header, "")
}

// requestWith is request with a body.
func (r *rig) requestWith(method, path string, header http.Header, content string) (*http.Response, []byte) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.ctx, method, "http://"+r.app.Addr()+path, strings.NewReader(content))
	r.must(err)
	for name, values := range header {
		req.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	resp, err := http.DefaultClient.Do(req)
	r.must(err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	r.must(err)
	if got := resp.Header.Get("X-Content-Type-Options"); got != "nosniff" {
		r.t.Errorf("%s: X-Content-Type-Options is %q", path, got)
	}
	if got := resp.Header.Get("Content-Security-Policy"); !strings.Contains(got, "sandbox") {
		r.t.Errorf("%s: Content-Security-Policy is %q", path, got)
	}
	return resp, body
}

// get asks for a path of the template and wants the status; the answer must be
// one that the OpenAPI document describes.
func (r *rig) get(template string, status int, path string) []byte {
	r.t.Helper()
	resp, body := r.request(http.MethodGet, path, nil)
	return r.described(template, "get", status, path, resp, body)
}

// post is get with a body of JSON.
func (r *rig) post(template string, status int, content string) []byte {
	r.t.Helper()
	resp, body := r.requestWith(http.MethodPost, template, http.Header{"Content-Type": {"application/json"}}, content)
	return r.described(template, "post", status, template, resp, body)
}

func (r *rig) described(template, method string, status int, path string, resp *http.Response, body []byte) []byte {
	r.t.Helper()
	if resp.StatusCode != status {
		r.t.Fatalf("%s %s: %s: %s", method, path, resp.Status, body)
	}
	code := fmt.Sprint(status)
	response, ok := r.paths[template][code]
	if !ok {
		code, response = "default", r.paths[template]["default"]
	}
	if response == nil {
		r.t.Fatalf("%s is not described", template)
	}
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	content := response.(map[string]any)["content"].(map[string]any)
	if content[kind] == nil {
		if content["*/*"] == nil {
			r.t.Fatalf("GET %s: the media type %q is not described", path, kind)
		}
		return body
	}
	if !strings.HasSuffix(kind, "json") {
		return body
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	schema, err := r.schemas.Compile(fmt.Sprintf("openapi.json#/paths/%s/%s/responses/%s/content/%s/schema",
		escape.Replace(template), method, code, escape.Replace(kind)))
	r.must(err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	r.must(err)
	if err := schema.Validate(value); err != nil {
		r.t.Errorf("GET %s: %v\n%s", path, err, body)
	}
	return body
}

func into[T any](t testing.TB, body []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// doc is a document with one chunk.
type doc struct {
	source, url, title, content, date string
	language, territory               string
	name, sourceType                  string          // of its source
	said                              model.ChunkType // a fact when it is empty
	twinOf                            string          // chunk_ref of the one that stands for its text
	pushed                            string          // when its point was written, RFC 3339
	unindexed                         bool            // it has no point yet
	repeats                           string          // chunk_ref of the version before that says it; it has no point then
	shape                             func(*model.Chunk)
	kind                              model.FinalType
	status                            model.ChunkStatus
	layer                             model.Layer
	box                               *model.BBox
	unit                              model.UnitType // of one that is made up; else a paragraph
	more                              int            // units that are made up behind that one
	html                              string         // captured, extracted for real; else a unit of content is made up
}

// add brings a document through all stores: captured, extracted, chunked and
// indexed.
func (r *rig) add(d doc) (model.Snapshot, model.Chunk) {
	r.t.Helper()
	r.n++
	defaults(&d, r.n)
	s := r.capture(d)
	rules, err := digest.SourceRulesDigest(s.UnitRules())
	r.must(err)
	run := model.Run{SnapshotID: s.SnapshotID, ExtractionID: digest.ExtractionID(extract.ParserVersion, rules, ""),
		SourceID: s.SourceID, DocumentID: s.DocumentID, PageCount: 1, ParserVersion: extract.ParserVersion, RulesDigest: rules, Why: "capture"}
	run, err = r.app.db.StartRun(r.ctx, run, []string{digest.PageID(s.SnapshotID, 1)}, "")
	r.must(err)
	unit := r.extract(s, run, d)
	c := r.chunk(s, run, d, unit)
	if d.repeats == "" && !d.unindexed {
		r.index(c, d.twinOf, d.pushed)
	}
	return s, c
}

func defaults(d *doc, n int) {
	set := func(to *string, value string) {
		if *to == "" {
			*to = value
		}
	}
	set(&d.source, "mairie")
	set(&d.url, fmt.Sprintf("https://example.org/%d", n))
	set(&d.title, "A title")
	set(&d.date, "2026-03-01")
	set(&d.language, "fr")
	set(&d.territory, "Valdoro")
	set(&d.name, "Mairie")
	set(&d.sourceType, "official")
	if d.said == "" {
		d.said = model.ChunkFact
	}
	if d.kind == "" {
		d.kind = model.TypeHTML
	}
	if d.status == "" {
		d.status = model.StatusUnderReview
	}
	if d.layer == "" {
		d.layer = model.LayerHot
	}
	if d.html == "" {
		d.html = d.content
	}
}

func (r *rig) capture(d doc) model.Snapshot {
	r.t.Helper()
	id := fmt.Sprintf("r%d", r.n)
	date, err := time.Parse(time.DateOnly, d.date)
	r.must(err)
	s := model.Snapshot{
		DocumentID: digest.DocumentID(d.source, d.url), RequestID: id, SourceID: d.source, SourceName: d.name,
		SnapshotKind: model.SnapshotKind(d.kind), FinalType: d.kind, URL: d.url, URLCanonical: d.url, ExternalID: d.url,
		RetrievedAt: date, LastModified: date, LastModifiedOrigin: "http_header", ContentType: "text/html; charset=utf-8",
		ContentHash: digest.Content([]byte(d.html)), ByteLength: int64(len(d.html)), SourceType: d.sourceType, Domain: "civics",
		Territory: d.territory, Layer: model.LayerHot, RuleVersions: map[string]string{"urlcanon": "urlcanon_v2"}, Filename: "procès\n1.html",
	}
	s.SnapshotID = digest.SnapshotID(s.SourceID, id, s.ContentHash)
	key, err := blobstore.RawKey(s.SourceID, s.ContentHash)
	r.must(err)
	_, err = r.app.blobs.PutOnce(r.ctx, blobstore.Raw, key, []byte(d.html), "text/html")
	r.must(err)
	c, _, err := r.app.db.AcceptCapture(r.ctx, model.Capture{SourceID: d.source, RequestID: id, RequestDigest: "d", Request: []byte(`{}`)}, "w", time.Minute)
	r.must(err)
	_, err = r.app.db.RecordCapture(r.ctx, c, s, nil, func(model.Standing) bool { return false })
	r.must(err)
	s, err = r.app.db.Snapshot(r.ctx, s.SnapshotID)
	r.must(err)
	return s
}

// extract stores a segment of one page and returns the unit that holds the
// document's content.
func (r *rig) extract(s model.Snapshot, run model.Run, d doc) model.Unit {
	r.t.Helper()
	var frame segment.Frame
	var encoded []byte
	if d.kind == model.TypeHTML {
		results, err := r.app.children.Extract(r.ctx, s, run, nil, model.PageRange{From: 1, To: 1})
		r.must(err)
		encoded = results[0].Frame
		frame, err = segment.DecodeFrame(encoded)
		r.must(err)
	} else {
		frame = madeUp(s, run, d)
		var err error
		encoded, err = segment.EncodeFrame(frame)
		r.must(err)
	}
	var w segment.Writer
	r.must(w.Add(1, encoded))
	data, sha, err := w.Bytes()
	r.must(err)
	row := model.SegmentRow{SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID, From: 1, To: 1, Digest: sha,
		ByteLength: int64(len(data)), Processed: 1}
	row.ObjectKey, err = r.app.blobs.PutSegment(r.ctx, row, s.SourceID, data)
	r.must(err)
	_, err = r.app.db.PutSegment(r.ctx, row, []model.Page{frame.Page})
	r.must(err)
	i := slices.IndexFunc(frame.Units, func(u model.Unit) bool { return u.FieldsRaw.Text == d.content })
	if i < 0 {
		r.t.Fatalf("no unit has the text %q", d.content)
	}
	return frame.Units[i]
}

func madeUp(s model.Snapshot, run model.Run, d doc) segment.Frame {
	page := model.Page{PageID: digest.PageID(s.SnapshotID, 1), SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID,
		ParserVersion: run.ParserVersion, PageNo: 1, Width: 595, Height: 842, Status: model.PageProcessed, UnitCount: 1, Coverage: 1,
		HTML: "<!-- DOCXT:PAGE index=1 id=\"\" slug=\"\" -->\n<p>…</p>\n"}
	unit := model.Unit{IRID: "ir_made_up", SourceID: s.SourceID, SourceName: s.SourceName, SnapshotID: s.SnapshotID,
		RetrievedAt: s.RetrievedAt, Type: cmp.Or(d.unit, model.UnitParagraph), FieldsRaw: model.Fields{BlockID: "p_1", Text: d.content, Verbatim: true},
		RecordLocator: model.Locator{Kind: model.LocatorBlock, PageNumber: 1}, ParserVersion: run.ParserVersion,
		Evidence: []model.Evidence{{SourceID: s.SourceID, SnapshotID: s.SnapshotID, PageNumber: 1, BBox: d.box,
			RepresentationKind: model.RepresentationLocator, FragmentHash: "sha256:0"}}}
	frame := segment.Frame{Page: page, Units: []model.Unit{unit}}
	if d.unit == model.UnitFigure {
		frame.Page.HTML, _ = docxt.Build(page.PageNo, frame.Units, nil)
	}
	for i := range d.more {
		unit.IRID = fmt.Sprintf("ir_made_up_%d", i)
		unit.FieldsRaw.Text = fmt.Sprintf("Unit %d", i)
		frame.Units = append(frame.Units, unit)
	}
	return frame
}

func (r *rig) chunk(s model.Snapshot, run model.Run, d doc, unit model.Unit) model.Chunk {
	r.t.Helper()
	c := model.Chunk{
		DocHash: digest.DocHash(s.SourceID, s.ExternalID, digest.LastModified(s.LastModified), string(s.FinalType)),
		ChunkID: digest.ChunkID(0, 1), Generation: 1, DocumentID: s.DocumentID, SourceID: s.SourceID, SnapshotID: s.SnapshotID,
		ExtractionID: run.ExtractionID, Content: d.content, ContentTextHash: digest.Text(d.content), Type: d.said,
		Status: d.status, InfoDate: d.date, InfoDateOrigin: "http_header", Source: s.SourceName, SourceType: s.SourceType,
		DocType: string(s.FinalType), Domain: s.Domain, Territory: s.Territory, Layer: d.layer, Language: d.language,
		URL: d.url, Title: d.title, PageHint: 1, Tokens: 3, ParserVersion: run.ParserVersion, ChunkerVersion: "1",
		HeaderVersion: header.Version, RuleVersions: map[string]string{},
	}
	if d.shape != nil {
		d.shape(&c)
	}
	head := header.Of(s, c)
	c.Text = head + d.content
	c.TextHash = digest.Text(c.Text)
	c.ChunkRef = digest.ChunkRef(c.DocHash, c.ChunkID)
	c.PointID = digest.PointID(c.ChunkRef)
	c.Provenance = model.Provenance{
		Source: model.ProvenanceSource{SourceID: s.SourceID,
			RecordPointer: model.RecordPointer{Kind: "snapshot", SnapshotID: s.SnapshotID, RetrievedAt: s.RetrievedAt}},
		Segments: []model.Segment{
			{Start: 0, End: len(head), Synthetic: model.SyntheticHeader},
			{Start: len(head), End: len(c.Text), IRID: unit.IRID, To: len(d.content), Page: 1},
		},
	}
	run.State = model.RunDone
	r.must(r.app.db.LockDocument(r.ctx, s.DocumentID, time.Second, func(t *catalog.DocumentTx) error {
		if err := t.AddChunks(r.ctx, []model.Chunk{c}); err != nil {
			return err
		}
		if err := t.AddStates(r.ctx, run, "capture", []model.ChunkState{{ChunkRef: c.ChunkRef, Layer: d.layer, Since: d.date, DuplicateOf: d.twinOf, Repeats: d.repeats}}); err != nil {
			return err
		}
		v := model.Version{DocHash: c.DocHash, Generation: 1, SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID,
			Chunks: model.ChunkSet{DocHash: c.DocHash, Generation: 1}}
		m := model.Manifest{DocHash: c.DocHash, Generation: 1, DocumentID: s.DocumentID, SourceID: s.SourceID,
			SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID, DocType: c.DocType, ChunkCount: 1, Status: "done",
			ChunkerVersion: "1", HeaderVersion: header.Version, VectorStatus: model.VectorNone,
			SegmentsDigest: r.segmentsDigest(s, run)}
		if err := t.AddManifest(r.ctx, m, v); err != nil {
			return err
		}
		if err := t.SetCurrent(r.ctx, v, model.DocumentMeta{URL: d.url, Title: d.title}, d.language); err != nil {
			return err
		}
		if err := t.FinishRun(r.ctx, run); err != nil {
			return err
		}
		return t.SetIngestStatus(r.ctx)
	}))
	return c
}

func (r *rig) segmentsDigest(s model.Snapshot, run model.Run) string {
	r.t.Helper()
	rows, err := r.app.db.SegmentsAt(r.ctx, s.SnapshotID, run.ExtractionID, 0)
	r.must(err)
	digests := make([]string, len(rows))
	for i, row := range rows {
		digests[i] = row.Digest
	}
	return digest.HexParts(digests...)
}

func (r *rig) index(c model.Chunk, twinOf, pushed string) {
	r.t.Helper()
	client, err := r.app.vectors.Client(r.ctx)
	r.must(err)
	alias := r.app.config.Qdrant.Collection
	if r.collection.Name == "" {
		name := alias + "_" + retrieval.HashModel + "_1024"
		r.collection, err = r.app.db.RegisterCollection(r.ctx, model.Collection{Name: name, Alias: alias,
			Model: retrieval.HashModel, Dimensions: retrieval.HashDimensions})
		r.must(err)
		r.must(client.Collection(name).Ensure(r.ctx, retrieval.HashDimensions))
		r.must(client.SetAlias(r.ctx, alias, name))
	}
	dense, err := retrieval.HashEmbedder{}.Embed(r.ctx, []string{c.Content}, retrieval.Passage)
	r.must(err)
	indices, values := retrieval.Sparse(c.Text)
	payload := vectorstore.PayloadOf(c, model.ChunkState{Layer: c.Layer, DuplicateOf: twinOf}, r.collection.Name)
	payload.PushedAt = cmp.Or(pushed, "2026-03-02T00:00:00Z")
	r.must(client.Collection(r.collection.Name).Upsert(r.ctx, []vectorstore.Point{{ID: c.PointID, Dense: dense[0],
		Sparse: vectorstore.Sparse{Indices: indices, Values: values}, Payload: payload}}))
	r.exec(`INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present, pushed_at) VALUES ($1, $2, $3, 1, true, $4::text::timestamptz)
		ON CONFLICT DO NOTHING`, c.ChunkRef, r.collection.Name, c.PointID, payload.PushedAt)
}
