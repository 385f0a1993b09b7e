package quality

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// vectorKeeper is an endpoint that embeds which asks another one, and keeps each vector in
// a folder, so that measuring again costs nothing: one file for each model and text, its
// numbers as float32, little-endian.
type vectorKeeper struct {
	upstream string // address of the other one, up to its version
	dir      string
	server   *http.Server
	url      string // its own address, up to its version
	asked    atomic.Int64
	kept     atomic.Int64
}

// keepVectors serves on a free port of loopback until close is called.
func keepVectors(upstream, dir string) (*vectorKeeper, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	k := &vectorKeeper{upstream: strings.TrimSuffix(upstream, "/"), dir: dir, url: "http://" + listener.Addr().String() + "/v1"}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", k.embed)
	k.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = k.server.Serve(listener) }()
	return k, nil
}

func (k *vectorKeeper) close() error { return k.server.Close() }

// embedding is a request of the common form.
type embedding struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitempty"`
}

// embedded is an answer to it.
type embedded struct {
	Data  []oneVector `json:"data"`
	Usage struct {
		PromptTokens int `json:"prompt_tokens"`
		TotalTokens  int `json:"total_tokens"`
	} `json:"usage"`
	Object string `json:"object"`
	Model  string `json:"model"`
}

type oneVector struct {
	Object    string    `json:"object"`
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}

func (k *vectorKeeper) embed(w http.ResponseWriter, r *http.Request) {
	var asked embedding
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	vectors := make([][]float32, len(asked.Input))
	var missing []string
	var at []int
	for i, text := range asked.Input {
		vector, err := k.read(asked.of(text))
		switch {
		case err == nil:
			vectors[i] = vector
		case errors.Is(err, os.ErrNotExist):
			missing, at = append(missing, text), append(at, i)
		default:
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	k.asked.Add(int64(len(missing)))
	k.kept.Add(int64(len(vectors) - len(missing)))
	answer := embedded{Object: "list", Model: asked.Model}
	if len(missing) > 0 {
		status, body, err := k.forward(r.Context(), r.Header.Get("Authorization"), embedding{asked.Model, missing, asked.Dimensions})
		if err == nil && status == http.StatusOK {
			err = json.Unmarshal(body, &answer)
		}
		if err == nil && status == http.StatusOK && len(answer.Data) != len(missing) {
			err = fmt.Errorf("%d vectors for %d texts", len(answer.Data), len(missing))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		if status != http.StatusOK { // as the other one says it
			w.WriteHeader(status)
			_, _ = w.Write(body)
			return
		}
		for _, one := range answer.Data {
			if one.Index < 0 || one.Index >= len(missing) {
				http.Error(w, "a vector of another text", http.StatusBadGateway)
				return
			}
			vectors[at[one.Index]] = one.Embedding
			if err := k.write(asked.of(missing[one.Index]), one.Embedding); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
	}
	answer.Data = nil
	for i, vector := range vectors {
		answer.Data = append(answer.Data, oneVector{"embedding", i, vector})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// of names the vector of a text: by model, the size where one is asked for, and the text.
func (e embedding) of(text string) string {
	key := e.Model
	if e.Dimensions > 0 {
		key += "\x00" + strconv.Itoa(e.Dimensions)
	}
	sum := sha256.Sum256([]byte(key + "\x00" + text))
	return hex.EncodeToString(sum[:]) + ".f32"
}

func (k *vectorKeeper) read(name string) ([]float32, error) {
	data, err := os.ReadFile(filepath.Join(k.dir, name))
	if err != nil {
		return nil, err
	}
	vector := make([]float32, len(data)/4)
	return vector, binary.Read(bytes.NewReader(data), binary.LittleEndian, vector)
}

func (k *vectorKeeper) write(name string, vector []float32) error {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, vector); err != nil {
		return err
	}
	path := filepath.Join(k.dir, name)
	if err := os.WriteFile(path+".new", b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func (k *vectorKeeper) forward(ctx context.Context, key string, e embedding) (status int, body []byte, err error) {
	data, err := json.Marshal(e)
	if err != nil {
		return 0, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, k.upstream+"/embeddings", bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", key)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err = io.ReadAll(answer.Body)
	return answer.StatusCode, body, err
}
