package opensearch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// server answers what these tests ask, and notes what was written.
type server struct {
	*testing.T
	position sdk.Position
	written  []string // ids
	largest  int      // bytes of a bulk
	deleted  int
}

func (s *server) ServeHTTP(out http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		s.Error(err)
	}
	var answer any
	switch {
	case req.Method == http.MethodHead:
		return
	case req.Method == http.MethodDelete:
		s.deleted++
		answer = map[string]any{"acknowledged": true}
	case req.URL.Path == "/_bulk":
		s.largest = max(s.largest, len(body))
		items := []any{}
		for i, line := range bytes.Split(bytes.TrimSpace(body), []byte("\n")) {
			if i%2 == 1 {
				continue
			}
			var action struct {
				Index struct {
					ID string `json:"_id"`
				} `json:"index"`
			}
			if err := json.Unmarshal(line, &action); err != nil {
				s.Error(err)
			}
			s.written = append(s.written, action.Index.ID)
			items = append(items, map[string]any{"index": map[string]any{"_id": action.Index.ID, "status": http.StatusOK}})
		}
		answer = map[string]any{"items": items}
	default: // _mget of the position
		answer = map[string]any{"docs": []any{map[string]any{"_id": positionID, "found": true, "_source": s.position, "_seq_no": s.position.Log, "_primary_term": 1}}}
	}
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(answer)
}

func open(t *testing.T) (*server, *Index) {
	t.Helper()
	s := &server{T: t}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	x, err := Open(t.Context(), Options{URL: web.URL, User: "colophon", Password: "of the tests", Index: "chunks", Transport: http.DefaultTransport})
	if err != nil {
		t.Fatal(err)
	}
	return s, x
}

// TestALargeDocumentIsWrittenInParts: a server takes no body of 100 MB, and would refuse it for ever.
func TestALargeDocumentIsWrittenInParts(t *testing.T) {
	t.Parallel()
	s, x := open(t)
	const many, size = 40, 1 << 20
	var rows []row
	var want []string
	for n := range many {
		rows = append(rows, row{fmt.Sprint("c", n), 1, document{Content: strings.Repeat("x", size)}})
		want = append(want, fmt.Sprint("c", n))
	}
	if err := x.bulk(t.Context(), "chunks", rows); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.written, " "); got != strings.Join(want, " ") {
		t.Errorf("written are %s", got)
	}
	if s.largest > bulkBytes+2*size {
		t.Errorf("a bulk has %d bytes", s.largest)
	}
}

// TestWhatAnotherHasFilledIsNotEmptied: of two sinks that hear of a restored catalog the second
// one leaves alone what the first one has done since.
func TestWhatAnotherHasFilledIsNotEmptied(t *testing.T) {
	t.Parallel()
	s, x := open(t)
	s.position = sdk.Position{Log: 7, Epoch: "1"}
	if _, err := x.Position(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.position = sdk.Position{Log: 1, Epoch: "2"}
	if err := x.Forget(t.Context(), &sdk.Restored{Position: sdk.Position{Epoch: "2"}}); !errors.Is(err, sink.ErrOther) || s.deleted > 0 {
		t.Errorf("%v, %d indexes are deleted", err, s.deleted)
	}
	if err := x.Forget(t.Context(), &sdk.Restored{Position: sdk.Position{Epoch: "3"}}); err != nil || s.deleted != 2 {
		t.Errorf("its own: %v, %d indexes are deleted", err, s.deleted)
	}
}
