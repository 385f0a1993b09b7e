package deliver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// searchServer answers as OpenSearch documents it, as far as the sink asks: no registry of ours
// carries the server. Documents are read by id as they are, searches see what was there at
// the last refresh, versions are external or counted, and a bulk is as many single writes. It
// dies in the middle of them.
type searchServer struct {
	*testing.T
	user, password string
	random         *rand.Rand
	broken         atomic.Int64 // so many of the next requests are not answered
	dying          atomic.Bool  // the next bulk is broken off

	mu      sync.Mutex
	indexes map[string]*searchIndex
	seq     int
	deaths  int // in the middle of writing
}

type searchIndex struct {
	documents map[string]searchDocument
	seen      map[string]searchDocument // by searches
}

type searchDocument struct {
	source  json.RawMessage
	version int64
	seq     int
}

// bulkAction is the line in front of a document.
type bulkAction struct {
	Index *struct {
		Index       string `json:"_index"`
		ID          string `json:"_id"`
		Version     int64  `json:"version"`
		VersionType string `json:"version_type"`
	} `json:"index"`
}

func (s *searchServer) ServeHTTP(out http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	if user, password, ok := req.BasicAuth(); !ok || user != s.user || password != s.password {
		s.say(out, http.StatusUnauthorized, map[string]any{"error": "who are you"})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	dies := s.broken.Add(-1) >= 0
	if dies && s.random.IntN(3) == 0 {
		panic(http.ErrAbortHandler) // before anything was done
	}
	path := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	if path[0] == "_bulk" {
		s.bulk(out, body)
		if dies {
			panic(http.ErrAbortHandler)
		}
		return
	}
	index := s.indexes[path[0]]
	switch {
	case len(path) == 1 && req.Method == http.MethodHead && index != nil:
	case len(path) == 1 && req.Method == http.MethodPut && index == nil:
		s.indexes[path[0]] = &searchIndex{documents: map[string]searchDocument{}, seen: map[string]searchDocument{}}
		s.say(out, http.StatusOK, map[string]any{"acknowledged": true, "index": path[0]})
	case len(path) == 1 && req.Method == http.MethodDelete && index != nil:
		delete(s.indexes, path[0])
		s.say(out, http.StatusOK, map[string]any{"acknowledged": true})
	case index == nil:
		s.say(out, http.StatusNotFound, failure(http.StatusNotFound, "index_not_found_exception"))
	case len(path) == 2 && path[1] == "_refresh":
		index.seen = maps.Clone(index.documents)
		s.say(out, http.StatusOK, map[string]any{"_shards": map[string]int{"total": 1, "successful": 1}})
	case len(path) == 2 && path[1] == "_mget":
		s.many(out, index, body)
	case len(path) == 2 && path[1] == "_search":
		s.search(out, index, body)
	case len(path) == 3 && path[1] == "_doc" && req.Method == http.MethodPut:
		s.put(out, req, index, path[2], body)
	default:
		s.Errorf("%s %s is not asked of OpenSearch", req.Method, req.URL)
	}
	if dies {
		panic(http.ErrAbortHandler) // it was done, and nobody knows
	}
}

func failure(status int, kind string) map[string]any {
	return map[string]any{"status": status, "error": map[string]any{"type": kind, "reason": kind, "root_cause": []any{}}}
}

func (s *searchServer) say(out http.ResponseWriter, status int, answer any) {
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(status)
	_ = json.NewEncoder(out).Encode(answer)
}

func (s *searchServer) bulk(out http.ResponseWriter, body []byte) {
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, 16<<20)
	items := []any{}
	written, dies, after := 0, s.dying.Swap(false), s.random.IntN(10)
	for ; lines.Scan(); written++ {
		var action bulkAction
		if err := json.Unmarshal(lines.Bytes(), &action); err != nil || action.Index == nil || action.Index.VersionType != "external_gte" || !lines.Scan() {
			s.Errorf("%v: not an action of _bulk: %s", err, lines.Bytes())
			return
		}
		if dies && written == after {
			s.deaths++
			panic(http.ErrAbortHandler)
		}
		a := action.Index
		if len(a.ID) > 512 {
			s.Errorf("the id %s is too long", a.ID)
		}
		index := s.indexes[a.Index]
		is, there := index.documents[a.ID]
		status := http.StatusOK
		if there && a.Version < is.version {
			status = http.StatusConflict
		} else {
			s.seq++
			index.documents[a.ID] = searchDocument{source: slices.Clone(lines.Bytes()), version: a.Version, seq: s.seq}
		}
		items = append(items, map[string]any{"index": map[string]any{"_index": a.Index, "_id": a.ID, "status": status, "_version": a.Version}})
	}
	s.say(out, http.StatusOK, map[string]any{"took": 1, "errors": false, "items": items})
}

func (s *searchServer) many(out http.ResponseWriter, index *searchIndex, body []byte) {
	var asked struct {
		IDs []string `json:"ids"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		s.Error(err)
	}
	docs := []any{}
	for _, id := range asked.IDs {
		d, there := index.documents[id]
		doc := map[string]any{"_id": id, "found": there}
		if there {
			doc["_source"], doc["_version"], doc["_seq_no"], doc["_primary_term"] = d.source, d.version, d.seq, 1
		}
		docs = append(docs, doc)
	}
	s.say(out, http.StatusOK, map[string]any{"docs": docs})
}

func (s *searchServer) put(out http.ResponseWriter, req *http.Request, index *searchIndex, id string, body []byte) {
	is, there := index.documents[id]
	query := req.URL.Query()
	conflict := query.Get("op_type") == "create" && there
	if expected := query.Get("if_seq_no"); expected != "" {
		seq, err := strconv.Atoi(expected)
		conflict = err != nil || !there || is.seq != seq || query.Get("if_primary_term") != "1"
	}
	if conflict {
		s.say(out, http.StatusConflict, failure(http.StatusConflict, "version_conflict_engine_exception"))
		return
	}
	s.seq++
	index.documents[id] = searchDocument{source: body, version: is.version + 1, seq: s.seq}
	s.say(out, http.StatusOK, map[string]any{"_id": id, "_seq_no": s.seq, "_primary_term": 1, "_version": is.version + 1, "result": "updated"})
}

// search finds documents of which a field is one of some values, ordered by chunk_ref.
func (s *searchServer) search(out http.ResponseWriter, index *searchIndex, body []byte) {
	var asked struct {
		Size  int `json:"size"`
		Query struct {
			Term  map[string]any   `json:"term"`
			Terms map[string][]any `json:"terms"`
		} `json:"query"`
		Sort        []map[string]string `json:"sort"`
		SearchAfter []string            `json:"search_after"`
	}
	if err := json.Unmarshal(body, &asked); err != nil || len(asked.Sort) != 1 || asked.Sort[0]["chunk_ref"] != "asc" || asked.Size < 1 || asked.Size > 10000 {
		s.Errorf("%v: not a search: %s", err, body)
		return
	}
	for field, value := range asked.Query.Term {
		asked.Query.Terms = map[string][]any{field: {value}}
	}
	hits := []any{}
	for _, id := range slices.Sorted(maps.Keys(index.seen)) {
		var fields map[string]any
		if err := json.Unmarshal(index.seen[id].source, &fields); err != nil {
			s.Error(err)
		}
		matches := len(asked.SearchAfter) == 0 || id > asked.SearchAfter[0]
		for field, values := range asked.Query.Terms {
			matches = matches && slices.Contains(values, fields[field])
		}
		if matches && len(hits) < asked.Size {
			hits = append(hits, map[string]any{"_id": id, "_source": index.seen[id].source, "sort": []any{id}})
		}
	}
	s.say(out, http.StatusOK, map[string]any{"took": 1, "timed_out": false, "_shards": map[string]int{"total": 1, "successful": 1}, "hits": map[string]any{"hits": hits}})
}

func TestOpenSearchSurvivesKills(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 13)
	s := &searchServer{T: t, user: "colophon", password: "a password of the tests", random: rand.New(rand.NewPCG(13, 7)), indexes: map[string]*searchIndex{}}
	server := httptest.NewServer(s)
	defer server.Close()
	password := filepath.Join(t.TempDir(), "password")
	w.must(os.WriteFile(password, []byte(s.password+"\n"), 0o600))
	of := target{
		args: []string{"--to", "opensearch"},
		env:  []string{"COLOPHON_SINK_URL=" + server.URL, "COLOPHON_SINK_USER=" + s.user, "COLOPHON_SINK_PASSWORD_FILE=" + password},
		kill: func() { s.dying.Store(true); s.broken.Store(3); server.CloseClientConnections() },
	}
	of.dump = w.readBack(of)
	w.survive(of)
	if s.deaths == 0 {
		t.Error("the server has not died in the middle of writing")
	}
	// Each chunk that is known is there, once, at its revision.
	s.mu.Lock()
	defer s.mu.Unlock()
	var wrong []error
	for ref, state := range w.states {
		var d struct {
			Rev     int64 `json:"rev"`
			Removed bool  `json:"removed"`
		}
		err := json.Unmarshal(s.indexes["colophon-chunks"].documents[ref].source, &d)
		if _, there := w.chunks[ref]; err != nil || d.Rev != state.Rev || d.Removed == there {
			wrong = append(wrong, errors.New(ref+" is at another revision"), err)
		}
	}
	if len(wrong) > 0 {
		t.Error(errors.Join(wrong...))
	}
}
