package quality

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/colophon-dev/colophon/pkg/llm"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	chunker "github.com/colophon-dev/colophon/services/chunker/app"
	"github.com/colophon-dev/colophon/test/questions"
)

// How many hits are looked at, how many tokens a window has, and how many of these are the
// end of the one before: what splitters without knowledge of documents have by default.
const (
	cutHits       = 10
	windowTokens  = 512
	windowOverlap = 64
	cutBudget     = 2048 // tokens that a short prompt has room for: four windows
)

// CutsReport compares ways of cutting, by the questions that each answers. Header,
// embedder and budget are the same for all: only the cuts differ.
type CutsReport struct {
	Ways []CutsRow `json:"ways"`
}

// CutsRow is what one way comes to.
type CutsRow struct {
	Way     string             `json:"way"`
	Context bool               `json:"context"` // the context line is part of what is embedded and searched by words
	Chunks  int                `json:"chunks"`
	NDCG    map[string]float64 `json:"ndcg"`    // nDCG@10 by what a question shares, of the documents that a domain takes, and of all
	Read    map[string]float64 `json:"read"`    // the same of as many tokens: a hit stands as far down as there is to read before it, in windows of 512
	Answers map[string]float64 `json:"answers"` // share of the questions whose answer is within the first cutBudget tokens, to its chunk's end
	Asked   map[string]int     `json:"asked"`
}

// The columns of a row.
const (
	cutAll     = "all"
	cutDomain  = "domains" // questions to documents that a chunker of a domain takes
	cutOther   = "others"
	cutLetters = "letters"
	cutMeaning = "meaning"
)

// passageOf is a chunk, or a window, as it is searched.
type passageOf struct {
	context string // its context line
	text    string // with its header
	content string
	tokens  int // of text
}

// CutsOptions say what is compared.
type CutsOptions struct {
	Kinds   []string // of documents; none: all
	Vectors string   // folder that keeps the vectors of an endpoint's model

	Progress func(CutsRow) // told of each row when it is known; nil: nobody
}

// cutsEmbedder returns the embedder that the settings name, else the built-in one, and
// what gives it back.
func cutsEmbedder(vectors string) (retrieval.Embedder, func(), error) {
	settings := searchSettings(os.Environ())
	at := settings.value("EMBED_URL")
	if at == "" {
		return retrieval.HashEmbedder{}, func() {}, nil
	}
	closing := func() {}
	if vectors != "" {
		keeper, err := keepVectors(at, vectors)
		if err != nil {
			return nil, nil, err
		}
		at, closing = keeper.url, func() { _ = keeper.close() }
	}
	dimensions, err := strconv.Atoi(settings.value("EMBED_DIMENSIONS"))
	if err != nil {
		closing()
		return nil, nil, fmt.Errorf("COLOPHON_EMBED_DIMENSIONS: %w", err)
	}
	embedder, err := llm.Open(llm.Config{
		BaseURL: at, Key: settings.value("EMBED_API_KEY"), Model: settings.value("EMBED_MODEL"), QueryModel: settings.value("EMBED_QUERY_MODEL"),
		Dimensions: dimensions, TextTokens: 2000, BatchTexts: 4, BatchTokens: 8000, Calls: 1, Timeout: 10 * time.Minute,
	})
	if err != nil {
		closing()
		return nil, nil, err
	}
	return embedder, func() { embedder.Close(); closing() }, nil
}

// RunCuts asks the questions of test/questions of their documents, cut in each way, with
// the embedder of the settings.
func RunCuts(ctx context.Context, o CutsOptions) (CutsReport, error) {
	var report CutsReport
	set, err := questions.Read()
	if err != nil {
		return report, err
	}
	embedder, done, err := cutsEmbedder(o.Vectors)
	if err != nil {
		return report, err
	}
	defer done()
	set.Documents = slices.DeleteFunc(set.Documents, func(d questions.Document) bool { return len(o.Kinds) > 0 && !slices.Contains(o.Kinds, d.Kind) })
	asked := slices.DeleteFunc(slices.Concat(set.Questions, set.Unasked), func(q questions.Question) bool {
		_, there := set.Document(q.Document)
		return !there
	})
	maker := chunker.NewMaker()
	taken := make(map[string]bool) // documents, by a domain
	ways := []struct {
		name     string
		cut      func(domain, general chunker.Made) []passageOf
		passages []passageOf
	}{
		{name: "domains", cut: func(domain, _ chunker.Made) []passageOf { return passagesOf(domain.Chunks) }},
		{name: "general", cut: func(_, general chunker.Made) []passageOf { return passagesOf(general.Chunks) }},
		{name: "windows", cut: func(_, general chunker.Made) []passageOf { return windowsOf(general.Chunks) }},
	}
	for _, d := range set.Documents {
		s := snapshotOf("Questions", d.File, d.URL, d.Content, d.Date)
		domain, err := made(ctx, maker, s, d.Content, false)
		if err != nil {
			return report, err
		}
		general, err := made(ctx, maker, s, d.Content, true)
		if err != nil {
			return report, err
		}
		taken[d.ID] = domain.Meta.Chunker != ""
		for i, way := range ways {
			ways[i].passages = append(way.passages, way.cut(domain, general)...)
		}
	}
	for _, context := range []bool{false, true} {
		for _, way := range ways {
			row, err := askCuts(ctx, embedder, asked, way.passages, context, taken)
			if err != nil {
				return report, err
			}
			row.Way = way.name
			report.Ways = append(report.Ways, row)
			if o.Progress != nil {
				o.Progress(row)
			}
		}
	}
	return report, nil
}

// contextLine is the line of a chunk, or of a window of its document that begins in a section.
func contextLine(c model.Chunk, section []string) string {
	return header.ContextLine(c.Title, section, c.InfoDate, c.Source)
}

func passagesOf(chunks []model.Chunk) []passageOf {
	var all []passageOf
	for _, c := range chunks {
		all = append(all, passageOf{context: contextLine(c, c.SectionPath), text: c.Text, content: c.Content, tokens: c.Tokens})
	}
	return all
}

// windowsOf cuts what a document says, without what is repeated in it, into windows of
// words that overlap, under the header of its chunks.
func windowsOf(chunks []model.Chunk) []passageOf {
	if len(chunks) == 0 {
		return nil
	}
	type word struct {
		text    string
		tokens  int
		section []string
	}
	var words []word
	for _, c := range chunks {
		for _, s := range c.Provenance.Segments {
			if s.Synthetic != "" {
				continue
			}
			for _, w := range strings.Fields(c.Text[s.Start:s.End]) {
				// About the tokens of o200k_base: a word has one, and one more for each five letters.
				words = append(words, word{w, 1 + len(w)/6, c.SectionPath})
			}
		}
	}
	first := chunks[0]
	head := first.Text[:len(first.Text)-len(first.Content)]
	room := windowTokens - len(strings.Fields(head))*2
	var all []passageOf
	for from := 0; from < len(words); {
		tokens, to := 0, from
		var content []string
		for ; to < len(words) && tokens+words[to].tokens <= room; to++ {
			tokens += words[to].tokens
			content = append(content, words[to].text)
		}
		text := strings.Join(content, " ")
		all = append(all, passageOf{context: contextLine(first, words[from].section), text: head + text, content: text, tokens: windowTokens})
		if to == len(words) {
			break
		}
		for back := 0; back < windowOverlap; to-- {
			back += words[to-1].tokens
		}
		from = to
	}
	return all
}

// askCuts asks all questions of passages, as the gateway searches: both sides, fused.
func askCuts(ctx context.Context, embedder retrieval.Embedder, asked []questions.Question, passages []passageOf, withContext bool, taken map[string]bool) (CutsRow, error) {
	row := CutsRow{Context: withContext, Chunks: len(passages), NDCG: make(map[string]float64), Read: make(map[string]float64), Answers: make(map[string]float64), Asked: make(map[string]int)}
	texts, words := make([]string, len(passages)), make([]map[uint32]float64, len(passages))
	holding := make(map[uint32]int)
	for i, p := range passages {
		texts[i] = p.content
		searched := p.text
		if withContext {
			texts[i], searched = p.context+"\n\n"+p.content, p.context+"\n"+p.text
		}
		indices, values := retrieval.Sparse(searched)
		words[i] = make(map[uint32]float64, len(indices))
		for j, index := range indices {
			words[i][index] = float64(values[j])
			holding[index]++
		}
	}
	vectors, err := embedder.Embed(ctx, texts, retrieval.Passage)
	if err != nil {
		return row, err
	}
	for _, q := range asked {
		of, err := embedder.Embed(ctx, []string{q.Text}, retrieval.Query)
		if err != nil {
			return row, err
		}
		terms, _ := retrieval.SparseQuery(q.Text)
		dense, sparse := make([]retrieval.Scored, len(passages)), make([]retrieval.Scored, 0, len(passages))
		for i := range passages {
			id := fmt.Sprintf("%06d", i)
			dense[i] = retrieval.Scored{ID: id, Score: dot(of[0], vectors[i])}
			score := 0.0
			for _, t := range terms {
				if v, ok := words[i][t]; ok {
					df, n := float64(holding[t]), float64(len(passages))
					score += v * math.Log(1+(n-df+0.5)/(df+0.5))
				}
			}
			if score > 0 {
				sparse = append(sparse, retrieval.Scored{ID: id, Score: score})
			}
		}
		gain, read, answers := gainOf(retrieval.Fuse(best(dense), best(sparse), embedder.DenseWeight(), retrieval.FullScore(len(terms), len(passages))), passages, q.Passage)
		place := cutOther
		if taken[q.Document] {
			place = cutDomain
		}
		for _, column := range []string{cutAll, place, q.Shares} {
			row.NDCG[column] += gain
			row.Read[column] += read
			row.Answers[column] += answers
			row.Asked[column]++
		}
	}
	for column, n := range row.Asked {
		row.NDCG[column] /= float64(n)
		row.Read[column] /= float64(n)
		row.Answers[column] /= float64(n)
	}
	return row, nil
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// best returns the first hundred, best first, as the gateway asks for them.
func best(list []retrieval.Scored) []retrieval.Scored {
	slices.SortFunc(list, func(a, b retrieval.Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(len(list), retrieval.FusionDepth)]
}

// gainOf is the nDCG of a question that one passage answers, by the place of the first hit
// that has more than half of it, and by how much there is to read before that; answers is 1
// where that hit ends within cutBudget.
func gainOf(hits []retrieval.Scored, passages []passageOf, answer string) (gain, read, answers float64) {
	tokens := 0
	for i, hit := range hits {
		n, err := strconv.Atoi(hit.ID)
		if err != nil || i >= cutHits && tokens >= cutHits*windowTokens {
			break
		}
		if questions.Share(passages[n].content, answer) > 0.5 {
			if i < cutHits {
				gain = 1 / math.Log2(float64(i)+2)
			}
			if tokens < cutHits*windowTokens {
				read = 1 / math.Log2(float64(tokens)/windowTokens+2)
			}
			if tokens+passages[n].tokens <= cutBudget {
				answers = 1
			}
			return gain, read, answers
		}
		tokens += passages[n].tokens
	}
	return 0, 0, 0
}

// Write prints the report for people.
func (r CutsReport) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	columns := []string{cutAll, cutDomain, cutOther, cutLetters, cutMeaning}
	for _, measure := range []struct {
		name string
		of   func(CutsRow) map[string]float64
	}{
		{fmt.Sprintf("nDCG@%d", cutHits), func(r CutsRow) map[string]float64 { return r.NDCG }},
		{fmt.Sprintf("nDCG of %d tokens", cutHits*windowTokens), func(r CutsRow) map[string]float64 { return r.Read }},
		{fmt.Sprintf("answered in %d tokens", cutBudget), func(r CutsRow) map[string]float64 { return r.Answers }},
	} {
		_, _ = fmt.Fprintf(t, "%s\tcontext\tchunks\t%s\n", measure.name, strings.Join(columns, "\t"))
		for _, row := range r.Ways {
			_, _ = fmt.Fprintf(t, "%s\t%t\t%d", row.Way, row.Context, row.Chunks)
			for _, c := range columns {
				_, _ = fmt.Fprintf(t, "\t%.3f (%d)", measure.of(row)[c], row.Asked[c])
			}
			_, _ = fmt.Fprintln(t)
		}
	}
	return t.Flush()
}
