// Package opensearch keeps chunks in an index of OpenSearch.
package opensearch

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"time"

	osclient "github.com/opensearch-project/opensearch-go/v4"
	"github.com/opensearch-project/opensearch-go/v4/opensearchapi"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

//go:embed mapping.json
var mapping string

const (
	// stateSuffix names the index beside that of chunks which holds the position, and what
	// is current of each document.
	stateSuffix = "-state"
	stateIndex  = `{"mappings":{"dynamic":false,"properties":{}}}`
	positionID  = "position"
	// pageHits is how many chunks are read at once.
	pageHits = 200
	// callTime is how long one call may take.
	callTime = time.Minute
)

// Index is an index that holds every chunk that was told, those of the archive too, by its
// chunk_ref; current says of each whether it is of its document's current version. Chunks
// are written under external versions, their revisions, so that an old state never takes
// the place of a newer one; the position is written when all of a batch is in.
type Index struct {
	client   *opensearchapi.Client
	index    string
	position string // as this process has read or written it last
	seq      int    // of the position's document, and its term
	term     int
}

// Options name an index.
type Options struct {
	URL       string // https://host:port, or http://
	User      string
	Password  string
	Index     string
	Transport http.RoundTripper
}

var indexName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,200}$`)

// document is a chunk in the index.
type document struct {
	ChunkRef    string `json:"chunk_ref"`
	DocumentID  string `json:"document_id"`
	DocHash     string `json:"doc_hash"`
	Generation  int    `json:"generation"`
	ChunkIndex  int    `json:"chunk_index"`
	SourceID    string `json:"source_id"`
	Rev         int64  `json:"rev"`
	Current     bool   `json:"current"`
	Removed     bool   `json:"removed"`
	Layer       string `json:"layer,omitempty"`
	Since       string `json:"since,omitempty"`
	Repeats     string `json:"repeats,omitempty"`
	DuplicateOf string `json:"duplicate_of,omitempty"`
	Type        string `json:"type,omitempty"`
	Status      string `json:"status,omitempty"`
	InfoDate    string `json:"info_date,omitempty"`
	Language    string `json:"language,omitempty"`
	URL         string `json:"url,omitempty"`
	Title       string `json:"title,omitempty"`
	Content     string `json:"content,omitempty"`
	Record      string `json:"record,omitempty"` // the chunk as JSON; it is kept, and not indexed
}

// Open connects, and makes the indexes where they are missing.
func Open(ctx context.Context, o Options) (*Index, error) {
	if !indexName.MatchString(o.Index) {
		return nil, fmt.Errorf("%w: index %q: a-z, 0-9, _ and -, at most 201", sink.ErrUnfit, o.Index)
	}
	client, err := opensearchapi.NewClient(opensearchapi.Config{Client: osclient.Config{
		Addresses: []string{o.URL}, Username: o.User, Password: o.Password, Transport: o.Transport, DisableRetry: true, RequestTimeout: callTime,
	}})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sink.ErrUnfit, err)
	}
	x := &Index{client: client, index: o.Index}
	return x, x.makeBoth(ctx)
}

// makeBoth makes the indexes that are missing.
func (x *Index) makeBoth(ctx context.Context) error {
	for name, body := range map[string]string{x.index: mapping, x.index + stateSuffix: stateIndex} {
		if err := x.make(ctx, name, body); err != nil {
			return fmt.Errorf("index %s: %w", name, err)
		}
	}
	return nil
}

// Forget is sink.Target's. The indexes are made again, since the versions of documents
// outlive these; that of the position goes last, so that what is broken off is done again.
func (x *Index) Forget(ctx context.Context, _ *sdk.Restored) error {
	was := x.position
	if _, err := x.Position(ctx); err != nil {
		return err
	}
	if x.position != was {
		return fmt.Errorf("%w: it is at %s, and was at %s", sink.ErrOther, x.position, was)
	}
	for _, name := range []string{x.index, x.index + stateSuffix} {
		resp, err := x.client.Indices.Delete(ctx, opensearchapi.IndicesDeleteReq{Indices: []string{name}})
		if said := resp; err != nil && (said == nil || said.Inspect().Response == nil || said.Inspect().Response.StatusCode != http.StatusNotFound) {
			return fmt.Errorf("index %s: %w", name, err)
		}
	}
	return x.makeBoth(ctx)
}

func (x *Index) make(ctx context.Context, name, body string) error {
	resp, err := x.client.Indices.Exists(ctx, opensearchapi.IndicesExistsReq{Indices: []string{name}})
	switch {
	case resp != nil && resp.StatusCode == http.StatusOK:
		return nil
	case resp == nil || resp.StatusCode != http.StatusNotFound:
		return errors.Join(err, errors.New("it does not answer whether it is there"))
	}
	_, err = x.client.Indices.Create(ctx, opensearchapi.IndicesCreateReq{Index: name, Body: bytes.NewReader([]byte(body))})
	return err
}

// Position is sink.Target's.
func (x *Index) Position(ctx context.Context) (p sdk.Position, err error) {
	found, err := x.many(ctx, x.index+stateSuffix, []string{positionID})
	if err != nil {
		return p, err
	}
	at, there := found[positionID]
	if !there {
		x.position, x.seq, x.term = "", -1, 0
		return p, nil
	}
	x.position, x.seq, x.term = string(at.source), at.seq, at.term
	return p, json.Unmarshal(at.source, &p)
}

// kept is a document as it is stored.
type kept struct {
	source    json.RawMessage
	seq, term int
}

// many reads documents by their ids, as they are now.
func (x *Index) many(ctx context.Context, index string, ids []string) (map[string]kept, error) {
	found := make(map[string]kept, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	body, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		return nil, err
	}
	answer, err := x.client.MGet(ctx, opensearchapi.MGetReq{Index: index, Body: bytes.NewReader(body)})
	if err != nil {
		return nil, err
	}
	for _, d := range answer.Docs {
		switch {
		case d.Error != nil:
			return nil, fmt.Errorf("reading %s of %s: %+v", d.ID, index, *d.Error)
		case d.Found:
			found[d.ID] = kept{d.Source, d.SeqNo, d.PrimaryTerm}
		}
	}
	return found, nil
}

func (x *Index) chunks(ctx context.Context, refs []string) (map[string]document, error) {
	found, err := x.many(ctx, x.index, refs)
	if err != nil {
		return nil, err
	}
	out := make(map[string]document, len(found))
	for ref, k := range found {
		var d document
		if err := json.Unmarshal(k.source, &d); err != nil {
			return nil, fmt.Errorf("%w: chunk %s: %w", sink.ErrUnfit, ref, err)
		}
		out[ref] = d
	}
	return out, nil
}

// Texts is sink.Target's.
func (x *Index) Texts(ctx context.Context, refs []string) (map[string]bool, error) {
	found, err := x.chunks(ctx, refs)
	has := make(map[string]bool, len(found))
	for ref, d := range found {
		has[ref] = d.Record != ""
	}
	return has, err
}

// Apply is sink.Target's.
func (x *Index) Apply(ctx context.Context, changes []sdk.Change, behind sdk.Position) error {
	refs := make([]string, len(changes))
	for i, ch := range changes {
		refs[i] = ch.ChunkRef
	}
	documents, err := x.chunks(ctx, refs)
	if err != nil {
		return err
	}
	currents, risen, err := x.currents(ctx, changes)
	if err != nil {
		return err
	}
	if err := x.others(ctx, risen, documents); err != nil { // before the changes: these count
		return err
	}
	for _, ch := range changes {
		d, err := merged(documents[ch.ChunkRef], ch)
		if err != nil {
			return err
		}
		documents[ch.ChunkRef] = d
	}
	var rows []row
	for _, ref := range slices.Sorted(maps.Keys(documents)) {
		d := documents[ref]
		d.Current = !d.Removed && currents[d.DocumentID].Has(d.DocHash, d.Generation)
		rows = append(rows, row{ref, d.Rev, d})
	}
	if err := x.bulk(ctx, x.index, rows); err != nil {
		return err
	}
	rows = nil
	for _, id := range risen {
		rows = append(rows, row{id, currents[id].Rev, currents[id]})
	}
	if err := x.bulk(ctx, x.index+stateSuffix, rows); err != nil {
		return err
	}
	return x.keep(ctx, behind)
}

// currents returns what is current of the documents of changes, and of which of them that
// is newer than what the index says.
func (x *Index) currents(ctx context.Context, changes []sdk.Change) (all map[string]sdk.Current, risen []string, err error) {
	all = make(map[string]sdk.Current)
	for _, ch := range changes {
		if c := ch.Current; c.DocumentID != "" && c.Rev >= all[c.DocumentID].Rev {
			all[c.DocumentID] = c
		}
	}
	found, err := x.many(ctx, x.index+stateSuffix, slices.Sorted(maps.Keys(all)))
	if err != nil {
		return nil, nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		var was sdk.Current
		if k, there := found[id]; there {
			if err := json.Unmarshal(k.source, &was); err != nil {
				return nil, nil, fmt.Errorf("%w: document %s: %w", sink.ErrUnfit, id, err)
			}
			if was.Rev >= all[id].Rev {
				all[id] = was
				continue
			}
		}
		risen = append(risen, id)
	}
	return all, risen, nil
}

// others adds the stored chunks of documents of which others are current now.
func (x *Index) others(ctx context.Context, ids []string, documents map[string]document) error {
	if len(ids) == 0 {
		return nil
	}
	if _, err := x.client.Indices.Refresh(ctx, &opensearchapi.IndicesRefreshReq{Index: []string{x.index}}); err != nil {
		return err
	}
	for d, err := range x.search(ctx, map[string]any{"terms": map[string]any{"document_id": ids}}) {
		if err != nil {
			return err
		}
		if _, known := documents[d.ChunkRef]; !known {
			documents[d.ChunkRef] = d
		}
	}
	return nil
}

// merged is what to keep of a chunk of which d is stored, or nothing.
func merged(d document, ch sdk.Change) (document, error) {
	if c := ch.Chunk; c != nil && d.Record == "" && ch.Rev >= d.Rev && ch.Type != event.TypeChunkRemoved {
		record, err := json.Marshal(c)
		if err != nil {
			return d, err
		}
		d = document{
			ChunkRef: ch.ChunkRef, DocumentID: c.DocumentID, DocHash: c.DocHash, Generation: c.Generation, ChunkIndex: c.ChunkIndex, SourceID: c.SourceID,
			Type: string(c.Type), Status: string(c.Status), InfoDate: c.InfoDate, Language: c.Language, URL: c.URL, Title: c.Title, Content: c.Content,
			Record: string(record),
		}
	}
	if ch.Rev <= d.Rev {
		return d, nil
	}
	if ch.Type == event.TypeChunkRemoved {
		return document{ChunkRef: ch.ChunkRef, DocumentID: d.DocumentID, DocHash: d.DocHash, Generation: d.Generation, SourceID: d.SourceID, Rev: ch.Rev, Removed: true}, nil
	}
	d.Rev, d.Removed, d.Layer, d.Since, d.Repeats, d.DuplicateOf = ch.Rev, false, ch.Layer, ch.Since, ch.Repeats, ch.DuplicateOf
	return d, nil
}

// row is a document to be written under an external version.
type row struct {
	id      string
	version int64
	source  any
}

// bulkBytes is about how much is written at once: servers refuse bodies of more than 100 MB,
// and all chunks of a document are written when others of them become current.
const bulkBytes = 8 << 20

// bulk writes rows, each unless a newer version of it is there.
func (x *Index) bulk(ctx context.Context, index string, rows []row) error {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	for i, r := range rows {
		action := map[string]any{"index": map[string]any{"_index": index, "_id": r.id, "version": r.version, "version_type": "external_gte"}}
		if err := errors.Join(enc.Encode(action), enc.Encode(r.source)); err != nil {
			return err
		}
		if body.Len() < bulkBytes && i < len(rows)-1 {
			continue
		}
		if err := x.writeBulk(ctx, index, &body); err != nil {
			return err
		}
		body.Reset()
	}
	return nil
}

func (x *Index) writeBulk(ctx context.Context, index string, body io.Reader) error {
	answer, err := x.client.Bulk(ctx, opensearchapi.BulkReq{Body: body})
	if err != nil {
		return err
	}
	for _, item := range answer.Items {
		for _, done := range item {
			if done.Status/100 != 2 && done.Status != http.StatusConflict { // which says that a newer one is there
				said := ""
				if done.Error != nil {
					said = done.Error.Type + ": " + done.Error.Reason
				}
				return fmt.Errorf("writing %s to %s: %d %s", done.ID, index, done.Status, said)
			}
		}
	}
	return nil
}

// keep writes the position, unless another process has.
func (x *Index) keep(ctx context.Context, behind sdk.Position) error {
	position, err := json.Marshal(behind)
	if err != nil {
		return err
	}
	req := opensearchapi.IndexReq{Index: x.index + stateSuffix, DocumentID: positionID, Body: bytes.NewReader(position)}
	if x.seq < 0 {
		req.Params.OpType = "create"
	} else {
		req.Params.IfSeqNo, req.Params.IfPrimaryTerm = &x.seq, &x.term
	}
	answer, err := x.client.Index(ctx, req)
	var refused *osclient.StructError
	if errors.As(err, &refused) && refused.Status == http.StatusConflict {
		return fmt.Errorf("%w: %w", sink.ErrOther, err)
	}
	if err != nil {
		return err
	}
	x.position, x.seq, x.term = string(position), answer.SeqNo, answer.PrimaryTerm
	return nil
}

// search yields what a query finds, in the order of ids.
func (x *Index) search(ctx context.Context, query map[string]any) iter.Seq2[document, error] {
	return func(yield func(document, error) bool) {
		for after := []any(nil); ; {
			ask := map[string]any{"size": pageHits, "query": query, "sort": []any{map[string]any{"chunk_ref": "asc"}}}
			if after != nil {
				ask["search_after"] = after
			}
			body, err := json.Marshal(ask)
			if err != nil {
				yield(document{}, err)
				return
			}
			found, err := x.client.Search(ctx, &opensearchapi.SearchReq{Indices: []string{x.index}, Body: bytes.NewReader(body)})
			if err == nil && (found.Timeout || found.Shards.Failed > 0) {
				err = errors.New("a part of the index did not answer")
			}
			if err != nil {
				yield(document{}, err)
				return
			}
			for _, hit := range found.Hits.Hits {
				var d document
				err := json.Unmarshal(hit.Source, &d)
				if !yield(d, err) || err != nil {
					return
				}
				after = hit.Sort
			}
			if len(found.Hits.Hits) < pageHits {
				return
			}
		}
	}
}

// Current is sink.Target's.
func (x *Index) Current(ctx context.Context) iter.Seq2[sdk.Change, error] {
	return func(yield func(sdk.Change, error) bool) {
		if _, err := x.client.Indices.Refresh(ctx, &opensearchapi.IndicesRefreshReq{Index: []string{x.index}}); err != nil {
			yield(sdk.Change{}, err)
			return
		}
		for d, err := range x.search(ctx, map[string]any{"term": map[string]any{"current": true}}) {
			ch := sdk.Change{
				Type: event.TypeChunkCreated, ChunkRef: d.ChunkRef, Rev: d.Rev, SourceID: d.SourceID, Chunk: new(sdk.Chunk),
				Layer: d.Layer, Since: d.Since, Repeats: d.Repeats, DuplicateOf: d.DuplicateOf,
			}
			if err == nil {
				err = json.Unmarshal([]byte(d.Record), ch.Chunk)
			}
			if !yield(ch, err) || err != nil {
				return
			}
		}
	}
}

// Close does nothing: connections end by themselves.
func (x *Index) Close() error { return nil }

var _ io.Closer = (*Index)(nil)
