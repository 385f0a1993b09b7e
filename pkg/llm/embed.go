package llm

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// DenseWeight is the weight of an endpoint's model in [retrieval.Fuse]: with more, questions
// in the words of their passage find it less often, with less those in other words
// (figures for a small model in docs/quality.md).
const DenseWeight = 0.3

// embedding is the endpoint's name in errors and log lines.
const embedding = "the embedding endpoint"

// shortText is how many tokens, by estimate, a text has at most that is not halved any
// more when the endpoint does not take it.
const shortText = 64

// probeText is what is asked for to learn whether it is the text or the endpoint that is
// wrong.
const probeText = "colophon"

// Embedder makes vectors by asking an OpenAI-compatible endpoint. It is safe for
// concurrent use, and bounds the calls of all who use it together.
type Embedder struct {
	config Config
	conn   *connection
	rest   *rest

	underWay atomic.Int64 // tokens of calls that have no answer yet, by estimate

	slots chan struct{} // one for each call at once
	meter meter
}

var _ retrieval.Embedder = (*Embedder)(nil)

// Open returns the embedder of an endpoint. The endpoint is not asked: whether it is there
// is seen when it is used. Settings that cannot be used are an error.
func Open(c Config) (*Embedder, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	conn, err := connect(c.address())
	if err != nil {
		return nil, err
	}
	return &Embedder{
		config: c, conn: conn, rest: &rest{name: embedding, now: time.Now, log: c.Logger},
		slots: make(chan struct{}, c.Calls), meter: newMeter(c.Meter),
	}, nil
}

// Model implements retrieval.Embedder: the model's name, and where questions have
// another model or there are prefixes a mark of these (contracts#model-name).
func (e *Embedder) Model() string { return e.config.name() }

// Dimensions implements retrieval.Embedder.
func (e *Embedder) Dimensions() int { return e.config.Dimensions }

// DenseWeight implements retrieval.Embedder.
func (e *Embedder) DenseWeight() float64 { return DenseWeight }

// Ready is nil when the endpoint may be asked. After a failure it is ErrAway, Unavailable,
// until the endpoint has had its rest. Nothing is asked.
func (e *Embedder) Ready(context.Context) error { return e.rest.Ready() }

// Close ends idle connections. Calls that are under way are not touched.
func (e *Embedder) Close() { e.conn.close() }

// Embed implements retrieval.Embedder. A text is cleaned first; one that says nothing has
// the zero vector, and so has one that the endpoint takes neither whole nor in parts. A
// text that is too long is split, and its vector is the mean of its parts', by their
// length. With an error, which is Unavailable or that of ctx, vectors that were made all
// the same are returned too, and nil stands for the others.
func (e *Embedder) Embed(ctx context.Context, texts []string, kind retrieval.Kind) ([][]float32, error) {
	vectors, _, err := e.EmbedCounted(ctx, texts, kind)
	return vectors, err
}

// EmbedCounted is Embed, and says how many tokens it cost, as the endpoint says or else by
// estimate. Calls that failed count as nothing.
func (e *Embedder) EmbedCounted(ctx context.Context, texts []string, kind retrieval.Kind) (vectors [][]float32, tokens int64, err error) {
	w := &work{kind: kind}
	sums := make([]sum, len(texts))
	var pieces []piece
	for i, text := range texts {
		sums[i].vector = make([]float64, e.config.Dimensions)
		for _, part := range split(clean(text), e.config.TextTokens) {
			pieces = append(pieces, piece{text: part, of: i})
			sums[i].missing++
		}
	}
	made := make([][]float32, len(pieces))
	err = e.embedAll(ctx, w, pieces, made)
	for i, p := range pieces {
		if made[i] != nil {
			sums[p.of].add(made[i], len(p.text))
		}
	}
	vectors = make([][]float32, len(texts))
	for i := range sums {
		if sums[i].missing == 0 {
			vectors[i] = sums[i].mean()
		}
	}
	return vectors, w.tokens.Load(), err
}

// work is what the calls for one question have in common.
type work struct {
	kind   retrieval.Kind
	tokens atomic.Int64 // that were embedded so far
}

// piece is a text, or a part of one, that goes into one call as one.
type piece struct {
	text string
	of   int // which text it is of
}

// sum adds the vectors of a text's parts.
type sum struct {
	vector  []float64
	missing int // parts without a vector so far
}

func (s *sum) add(v []float32, weight int) {
	for i, x := range v {
		s.vector[i] += float64(x) * float64(weight)
	}
	s.missing--
}

// mean is the sum at length 1.
func (s *sum) mean() []float32 {
	plain := make([]float32, len(s.vector))
	var most float64
	for _, x := range s.vector {
		most = max(most, x, -x)
	}
	for i, x := range s.vector {
		if most > 0 {
			plain[i] = float32(x / most) // into the range of float32 first
		}
	}
	unit, err := normalized(plain)
	if err != nil {
		return make([]float32, len(plain)) // never: all numbers are within [-1, 1]
	}
	return unit
}

// embedAll fills made with the vectors of pieces, in calls of bounded size, some at once.
func (e *Embedder) embedAll(ctx context.Context, w *work, pieces []piece, made [][]float32) error {
	var calls errgroup.Group // a failure does not cancel the others: what they ask for is paid
	calls.SetLimit(e.config.Calls)
	for len(pieces) > 0 {
		n := e.fit(pieces)
		some, vectors := pieces[:n], made[:n]
		calls.Go(func() error { return e.embedSome(ctx, w, some, vectors) })
		pieces, made = pieces[n:], made[n:]
	}
	return calls.Wait()
}

// fit returns how many of the pieces go into the next call.
func (e *Embedder) fit(pieces []piece) int {
	room := e.config.BatchTokens
	for i, p := range pieces[:min(e.config.BatchTexts, len(pieces))] {
		if room -= estimate(p.text); room < 0 {
			return max(i, 1)
		}
	}
	return min(e.config.BatchTexts, len(pieces))
}

// embedSome fills made with the vectors of pieces. Where the endpoint does not take them
// it is asked for less at once, so that one text harms no other.
func (e *Embedder) embedSome(ctx context.Context, w *work, pieces []piece, made [][]float32) error {
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		texts[i] = p.text
	}
	vectors, err := e.ask(ctx, w, texts)
	if err == nil {
		copy(made, vectors)
		return nil
	}
	if !errors.Is(err, errText) {
		return err
	}
	if half := len(pieces) / 2; half > 0 {
		if err := e.embedSome(ctx, w, pieces[:half], made[:half]); err != nil {
			return err
		}
		return e.embedSome(ctx, w, pieces[half:], made[half:])
	}
	made[0], err = e.embedHalves(ctx, w, texts[0], err)
	return err
}

// embedHalves returns the vector of a text that the endpoint does not take, from its
// halves. A short one is refused for what it says: it has the zero vector, if the endpoint
// takes another text.
func (e *Embedder) embedHalves(ctx context.Context, w *work, text string, why error) ([]float32, error) {
	if tokens := estimate(text); tokens > shortText {
		halves := split(text, (tokens+1)/2)
		total := sum{vector: make([]float64, e.config.Dimensions)}
		for _, half := range halves {
			one := make([][]float32, 1)
			if err := e.embedSome(ctx, w, []piece{{text: half}}, one); err != nil {
				return nil, err
			}
			total.add(one[0], len(half))
		}
		return total.mean(), nil
	}
	if _, err := e.ask(ctx, w, []string{probeText}); err != nil {
		if errors.Is(err, errText) {
			err = e.rest.failed(ctx, 0, fmt.Errorf("it takes no text at all: %w", why))
		}
		return nil, err
	}
	e.meter.refuse(ctx)
	if e.config.Logger != nil {
		e.config.Logger.WarnContext(ctx, "the embedding endpoint does not take a text, which is found by its words alone", "bytes", len(text), "error", why)
	}
	return make([]float32, e.config.Dimensions), nil
}

// ask makes one call. Its errors are errText, or Unavailable, or that of ctx.
func (e *Embedder) ask(ctx context.Context, w *work, texts []string) ([][]float32, error) {
	if err := e.rest.Ready(); err != nil {
		return nil, err
	}
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := e.rest.Ready(); err != nil { // it failed while others were asking
		return nil, err
	}
	one, key, err := e.conn.call(len(texts) * e.config.Dimensions)
	if err != nil {
		return nil, err // of files: it is Unavailable as it is
	}
	settings := openai.DefaultConfig(key)
	settings.BaseURL, settings.HTTPClient = e.config.BaseURL, one
	request, tokens := e.requestOf(texts, w.kind)
	limited, cancel := context.WithTimeout(ctx, e.limit(e.underWay.Add(int64(tokens))))
	defer cancel()
	defer e.underWay.Add(-int64(tokens))
	began := time.Now()
	answer, err := openai.NewClientWithConfig(settings).CreateEmbeddings(limited, request)
	took := time.Since(began)
	e.rest.noteTime(ctx, limited)
	var vectors [][]float32
	if err != nil {
		err = explain(ctx, embedding, err, took)
	} else {
		vectors, err = vectorsOf(answer, len(texts), e.config.Dimensions)
	}
	if answer.Usage.PromptTokens > 0 {
		tokens = answer.Usage.PromptTokens
	}
	e.meter.called(ctx, w.kind, tokens, err, took)
	if err == nil {
		w.tokens.Add(int64(tokens))
	}
	return vectors, e.judge(ctx, began, one.retryAfter, err)
}

// limit returns how long a call may take while so many tokens are under way, its own among
// them: an endpoint may do one thing at a time. What took too long last may take longer next
// time, since a call that is always given up is never paid for in vectors.
func (e *Embedder) limit(tokens int64) time.Duration {
	return (e.config.Timeout + time.Duration(tokens)*e.config.TokenTime) << e.rest.late()
}

// judge decides what the error of a call, which began at a time, means for the endpoint.
func (e *Embedder) judge(ctx context.Context, began time.Time, retryAfter time.Duration, err error) error {
	switch _ = e.conn.note(ctx, err); {
	case err == nil:
		e.rest.answered(ctx, began)
		return nil
	case ctx.Err() != nil || errors.Is(err, errText):
		return err
	default:
		return e.rest.failed(ctx, retryAfter, err)
	}
}

// requestOf returns the request for texts, and how many tokens they have, by estimate.
func (e *Embedder) requestOf(texts []string, kind retrieval.Kind) (openai.EmbeddingRequestStrings, int) {
	model, prefix := e.config.Model, e.config.PassagePrefix
	if kind == retrieval.Query {
		model, prefix = e.config.QueryModel, e.config.QueryPrefix
	}
	r := openai.EmbeddingRequestStrings{Input: make([]string, len(texts)), Model: openai.EmbeddingModel(model), EncodingFormat: openai.EmbeddingEncodingFormatFloat}
	if e.config.Shorten {
		r.Dimensions = e.config.Dimensions
	}
	var tokens int
	for i, text := range texts {
		r.Input[i] = prefix + text
		tokens += estimate(r.Input[i])
	}
	return r, tokens
}
