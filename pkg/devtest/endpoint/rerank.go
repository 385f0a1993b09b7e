package endpoint

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
)

// RerankRequest is a call as it came.
type RerankRequest struct {
	N         int      `json:"-"` // which call it is, from 1
	Key       string   `json:"-"` // the bearer token
	Model     string   `json:"model"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
}

// RerankReply is what a call is answered. The zero value is a result for each document.
type RerankReply struct {
	Status     int    // 0 is 200
	RetryAfter string // a header
	Body       string // instead of results
	Wait       time.Duration
	Hang       bool // no answer until the client gives up
}

// Reranker serves the /rerank of the common form. Change its answers under Set alone.
type Reranker struct {
	URL    string // up to the version, as of a base URL
	Senses map[string]string

	mu       sync.Mutex
	answer   func(RerankRequest) RerankReply
	requests []RerankRequest
}

// StartReranker serves until the test ends. Words that senses maps to one word have one
// meaning: a document's relevance is the share of the question's senses that it has.
func StartReranker(t testing.TB, senses map[string]string) *Reranker {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Reranker{URL: "http://" + listener.Addr().String() + "/v1", Senses: senses}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/rerank", r.rerank)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
	})
	return r
}

// Set changes how calls are answered from now on; nil is as they should be.
func (r *Reranker) Set(answer func(RerankRequest) RerankReply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// Requests returns the calls so far.
func (r *Reranker) Requests() []RerankRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]RerankRequest(nil), r.requests...)
}

func (r *Reranker) rerank(w http.ResponseWriter, req *http.Request) {
	var request RerankRequest
	if err := json.NewDecoder(req.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request.Key = strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	r.mu.Lock()
	request.N = len(r.requests) + 1
	r.requests = append(r.requests, request)
	answer := r.answer
	r.mu.Unlock()
	var reply RerankReply
	if answer != nil {
		reply = answer(request)
	}
	wait := time.After(reply.Wait)
	if reply.Hang {
		wait = nil
	}
	if reply.Hang || reply.Wait > 0 {
		select {
		case <-req.Context().Done():
			return
		case <-wait:
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if reply.RetryAfter != "" {
		w.Header().Set("Retry-After", reply.RetryAfter)
	}
	if reply.Status != 0 || reply.Body != "" {
		w.WriteHeader(max(reply.Status, http.StatusOK))
		_, _ = w.Write([]byte(reply.Body))
		return
	}
	type result struct {
		Index int     `json:"index"`
		Score float64 `json:"relevance_score"`
	}
	results := make([]result, len(request.Documents))
	for i, document := range request.Documents { // in any order: the last one first
		results[len(results)-1-i] = result{i, r.Relevance(request.Query, document)}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"model": request.Model, "results": results})
}

// Relevance is what the model makes of a document beside a question, from 0 to 1.
func (r *Reranker) Relevance(question, document string) float64 {
	senses := func(text string) map[string]bool {
		all := make(map[string]bool)
		for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if sense, ok := r.Senses[word]; ok {
				word = sense
			}
			all[word] = true
		}
		return all
	}
	asked, there := senses(question), senses(document)
	found := 0
	for sense := range asked {
		if there[sense] {
			found++
		}
	}
	return float64(found) / float64(max(1, len(asked)))
}
