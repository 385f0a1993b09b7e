package quality

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/model"
)

// RetrievalOptions is what to ask.
type RetrievalOptions struct {
	Corpus   string // folder whose retrieval/ holds sets of documents and questions
	Colophon string // the binary
	Vectors  string // folder for the vectors of an endpoint's model; empty: they are not kept
}

// The rule by which rankings are made, one for all sets: so many hits are asked for, and
// a document counts by the first that it has.
const hitsAsked = 50

// retrievalLimit is how long embedding and indexing may take: a small model on a busy
// laptop embeds a passage a second.
const retrievalLimit = 4 * time.Hour

// askedAtOnce is how many questions wait for their answers at a time.
const askedAtOnce = 2

// RunRetrieval hands the documents of all sets to one system, through the whole chain, and
// asks its gateway. The settings COLOPHON_EMBED_… and COLOPHON_RERANK_… of this process
// are the system's.
func RunRetrieval(ctx context.Context, o RetrievalOptions) (r Retrieval, err error) {
	sets, err := readQuestionSets(o.Corpus)
	if err != nil {
		return r, err
	}
	if len(sets) == 0 {
		return r, nil
	}
	dir, err := os.MkdirTemp("", "colophon-quality-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o711); err != nil { // the database is another user's
		return r, err
	}
	folder, state := filepath.Join(dir, "documents"), filepath.Join(dir, "state")
	if err := errors.Join(os.Mkdir(folder, 0o755), os.Mkdir(state, 0o711)); err != nil {
		return r, err
	}
	of, err := writeDocuments(folder, sets)
	if err != nil {
		return r, err
	}
	settings := searchSettings(os.Environ())
	if at := settings.value("EMBED_URL"); at != "" && o.Vectors != "" {
		keeper, err := keepVectors(at, o.Vectors)
		if err != nil {
			return r, err
		}
		defer func() {
			r.Embedded, r.Kept = int(keeper.asked.Load()), int(keeper.kept.Load())
			err = errors.Join(err, keeper.close())
		}()
		settings = append(settings, "EMBED_URL="+keeper.url) // the later of two counts
	}
	s, err := startSystem(ctx, o.Colophon, state, runtime.NumCPU(), settings...)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	began := time.Now()
	results, err := s.capture(ctx, folder, retrievalLimit)
	if err != nil {
		return r, err
	}
	r.Seconds = time.Since(began).Seconds()
	for _, one := range results {
		if one.State != string(model.RunDone) {
			return r, fmt.Errorf("a document of the sets ended as %s: %s", one.State, one.URL)
		}
	}
	passages, documents, err := s.passages(ctx, filepath.Join(dir, "chunks.jsonl"), of)
	if err != nil {
		return r, err
	}
	r.Chunks = len(passages)
	return r, r.askAll(ctx, s, sets, newBest25(passages, documents), of)
}

// settings are lines NAME=value, without the prefix of all settings.
type settings []string

func (s settings) value(name string) string {
	found := ""
	for _, line := range s {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			found = value
		}
	}
	return found
}

// searchSettings are those of an environment that say how passages are embedded and hits
// are ranked.
func searchSettings(environment []string) (s settings) {
	for _, line := range environment {
		name, ours := strings.CutPrefix(line, config.Prefix)
		if ours && (strings.HasPrefix(name, "EMBED_") || strings.HasPrefix(name, "RERANK_") || strings.HasPrefix(name, "POSTGRES_FULLTEXT=")) {
			s = append(s, name)
		}
	}
	return s
}

// writeDocuments writes the documents of all sets as text files whose names tell nothing,
// and returns what is the name of which, as SET/ID.
func writeDocuments(folder string, sets []questionSet) (map[string]string, error) {
	of := make(map[string]string)
	for _, set := range sets {
		for _, d := range set.documents {
			name := fmt.Sprintf("%06d.txt", len(of))
			of[name] = set.name + "/" + d.ID
			if err := os.WriteFile(filepath.Join(folder, name), []byte(d.page()), 0o644); err != nil {
				return nil, err
			}
		}
	}
	return of, nil
}

// passages returns the content of all chunks, and the document of each.
func (s *system) passages(ctx context.Context, file string, of map[string]string) (contents, documents []string, err error) {
	if _, err := s.say(ctx, "export", "chunks", "-o", file); err != nil {
		return nil, nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := json.NewDecoder(bufio.NewReader(f))
	for lines.More() {
		var line catalog.ChunkWithState
		if err := lines.Decode(&line); err != nil {
			return nil, nil, fmt.Errorf("exported chunks: %w", err)
		}
		contents, documents = append(contents, line.Chunk.Content), append(documents, of[path.Base(line.Chunk.URL)])
	}
	return contents, documents, nil
}

// askAll asks the questions of all sets, ours and plain BM25.
func (r *Retrieval) askAll(ctx context.Context, s *system, sets []questionSet, plain *best25, of map[string]string) error {
	values, err := config.ReadFile(filepath.Join(s.dir, config.EndpointsFile))
	if err != nil {
		return err
	}
	at := values[config.Prefix+"GATEWAY_URL"]
	for _, set := range sets {
		row := SetScore{Set: set.name, Documents: len(set.documents), Questions: len(set.questions)}
		scores := make([][4]float64, len(set.questions))
		asking, askCtx := errgroup.WithContext(ctx)
		asking.SetLimit(askedAtOnce)
		for i, q := range set.questions {
			asking.Go(func() error {
				answer, err := askGateway(askCtx, at, q.Text)
				if err != nil {
					return fmt.Errorf("question %s of %s: %w", q.ID, set.name, err)
				}
				if answer.WordsOnly {
					return fmt.Errorf("question %s of %s was not embedded", q.ID, set.name)
				}
				answers := make(map[string]bool)
				for id := range set.relevant[q.ID] {
					answers[set.name+"/"+id] = true
				}
				scores[i][0], scores[i][1] = gain(answer.ranking(of), answers)
				scores[i][2], scores[i][3] = gain(plain.ranking(q.Text), answers)
				if i == 0 {
					r.Collection = answer.Collection
				}
				return nil
			})
		}
		if err := asking.Wait(); err != nil {
			return err
		}
		for _, one := range scores {
			for i, sum := range []*float64{&row.NDCG, &row.Recall, &row.PlainNDCG, &row.PlainRecall} {
				*sum += one[i] / float64(len(scores))
			}
		}
		r.Sets = append(r.Sets, row)
	}
	return nil
}

// searchAnswer is what is read of an answer of /v1/search.
type searchAnswer struct {
	Collection string `json:"collection"`
	WordsOnly  bool   `json:"words_only"`
	Hits       []struct {
		Sources []struct {
			URL string `json:"url"`
		} `json:"sources"` // all documents that say it, the best chunk's first
	} `json:"hits"`
}

// ranking returns the documents of an answer, each by its best chunk.
func (a searchAnswer) ranking(of map[string]string) (list []string) {
	for _, hit := range a.Hits {
		for _, source := range hit.Sources {
			if id := of[path.Base(source.URL)]; id != "" && !slices.Contains(list, id) {
				list = append(list, id)
			}
		}
	}
	return list
}

func askGateway(ctx context.Context, at, question string) (a searchAnswer, err error) {
	q := url.Values{"q": {question}, "limit": {fmt.Sprint(hitsAsked)}, "boxes": {"false"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/v1/search?"+q.Encode(), nil)
	if err != nil {
		return a, err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return a, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", answer.Status, body)
	}
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(body, &a)
}
