// Package endpoint serves the /embeddings of an OpenAI-compatible endpoint to tests, with
// a made-up model whose vectors can be known beforehand, and can be told to misbehave.
package endpoint

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
)

// Request is a call as it came.
type Request struct {
	N          int      `json:"-"` // which call it is, from 1
	Key        string   `json:"-"` // the bearer token
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions"`
}

// Reply is what a call is answered. The zero value is the vectors of its texts.
type Reply struct {
	Status     int         // 0 is 200
	RetryAfter string      // a header
	Body       string      // instead of vectors
	Vectors    [][]float32 // instead of those of the texts
	Reversed   bool        // the vectors in another order, with right numbers
	Unnumbered bool        // without numbers
	Wait       time.Duration
	Hang       bool // no answer until the client gives up
}

// Server is an endpoint. Change Answer under Set alone.
type Server struct {
	URL        string // up to the version, as of a base URL
	Dimensions int    // of its vectors
	Senses     map[string]string

	mu       sync.Mutex
	answer   func(Request) Reply
	requests []Request
	paid     map[string]int
}

// Start serves until the test ends. Words that senses maps to one word have one meaning:
// their texts are near each other.
func Start(t testing.TB, dimensions int, senses map[string]string) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{URL: "http://" + listener.Addr().String() + "/v1", Dimensions: dimensions, Senses: senses, paid: make(map[string]int)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", s.embed)
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
	return s
}

// Set changes how calls are answered from now on; nil is as they should be.
func (s *Server) Set(answer func(Request) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// Requests returns the calls so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Paid returns how often each text was embedded by a call that was answered with vectors.
func (s *Server) Paid() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	paid := make(map[string]int, len(s.paid))
	for text, n := range s.paid {
		paid[text] = n
	}
	return paid
}

func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	var request Request
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, `{"error":{"message":"`+err.Error()+`"}}`, http.StatusBadRequest)
		return
	}
	request.Key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	request.N = len(s.requests) + 1
	s.requests = append(s.requests, request)
	answer := s.answer
	s.mu.Unlock()
	var reply Reply
	if answer != nil {
		reply = answer(request)
	}
	if reply.Hang {
		<-r.Context().Done()
		return
	}
	if reply.Wait > 0 {
		select {
		case <-r.Context().Done():
			return
		case <-time.After(reply.Wait):
		}
	}
	s.write(w, request, reply)
}

func (s *Server) write(w http.ResponseWriter, request Request, reply Reply) {
	w.Header().Set("Content-Type", "application/json")
	if reply.RetryAfter != "" {
		w.Header().Set("Retry-After", reply.RetryAfter)
	}
	if reply.Status != 0 || reply.Body != "" {
		w.WriteHeader(max(reply.Status, http.StatusOK))
		_, _ = w.Write([]byte(reply.Body))
		return
	}
	vectors := reply.Vectors
	if vectors == nil {
		s.mu.Lock()
		for _, text := range request.Input {
			vectors = append(vectors, s.Vector(text))
			s.paid[text]++
		}
		s.mu.Unlock()
	}
	type item struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	data := make([]item, len(vectors))
	for i, v := range vectors {
		data[i] = item{"embedding", i, v}
		if reply.Unnumbered {
			data[i].Index = 0
		}
	}
	if reply.Reversed {
		for i, j := 0, len(data)-1; i < j; i, j = i+1, j-1 {
			data[i], data[j] = data[j], data[i]
		}
	}
	var words int
	for _, text := range request.Input {
		words += len(strings.Fields(text))
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"object": "list", "model": request.Model, "data": data, "usage": map[string]int{"prompt_tokens": words, "total_tokens": words},
	})
}

// unknown is the weight of a word of which the model knows no sense.
const unknown = .02

// Vector is what the model makes of a text: the sum of a direction for each word's
// sense, not of length 1. Words without one of Senses hardly count.
func (s *Server) Vector(text string) []float32 {
	vector := make([]float32, s.Dimensions)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		weight := unknown
		if sense, ok := s.Senses[word]; ok {
			word, weight = sense, 1
		}
		for i := range vector {
			hash := fnv.New64a()
			_, _ = hash.Write([]byte(word))
			_, _ = hash.Write([]byte{byte(i), byte(i >> 8)})
			vector[i] += float32(weight * math.Sin(float64(hash.Sum64()%100003)))
		}
	}
	return vector
}
