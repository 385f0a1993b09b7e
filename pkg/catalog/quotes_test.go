package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
)

// candidatesOf returns the contents that a question for candidates hands out.
func candidatesOf(t *testing.T, ask func(each func(catalog.QuoteCandidate) bool) error) (contents []string) {
	t.Helper()
	if err := ask(func(c catalog.QuoteCandidate) bool {
		contents = append(contents, c.Content)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return contents
}

func byWord(t *testing.T, db *catalog.DB, limit int, words ...string) []string {
	t.Helper()
	forms := make([]catalog.QuoteWord, len(words))
	for i, w := range words {
		forms[i] = catalog.QuoteWord{w}
	}
	return candidatesOf(t, func(each func(catalog.QuoteCandidate) bool) error {
		return db.QuoteCandidates(t.Context(), forms, catalog.QuoteFilter{}, limit, each)
	})
}

func withoutWords(t *testing.T, db *catalog.DB, f catalog.QuoteFilter) []string {
	t.Helper()
	return candidatesOf(t, func(each func(catalog.QuoteCandidate) bool) error {
		all, err := db.WordlessChunks(t.Context(), f, 100, each)
		if !all && err == nil {
			t.Error("not all are looked at")
		}
		return err
	})
}

func makeWords(t *testing.T, db *catalog.DB, most int) int {
	t.Helper()
	n, err := db.MakeQuoteWords(t.Context(), most)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestEachChunkIsFoundByWordsOrHasNone: from the transaction on in which it lands a chunk is
// among those without words, until they are made; then it is found by each of them.
func TestEachChunkIsFoundByWordsOrHasNone(t *testing.T) {
	db := openCatalog(t)
	a, b := snapshotOf("a", 1), snapshotOf("b", 2)
	addSnapshot(t, db, a)
	addSnapshot(t, db, b)
	said := []string{"The quorum is seven.", "The budget is twelve.", "…"}
	land(t, db, a, startRun(t, db, a, "x1", 1), generation{n: 1, texts: said})
	if got := withoutWords(t, db, catalog.QuoteFilter{}); !slices.Equal(got, said) {
		t.Errorf("without words: %q", got)
	}
	if got := byWord(t, db, 10, "quorum"); len(got) != 0 {
		t.Errorf("found before its words are made: %q", got)
	}
	if n := makeWords(t, db, 2); n != 2 {
		t.Errorf("%d made at once, want 2", n)
	}
	if n := makeWords(t, db, 2); n != 1 {
		t.Errorf("%d made of the one that is left", n)
	}
	if n := makeWords(t, db, 2); n != 0 { // one without any word is done, too
		t.Errorf("%d made again", n)
	}
	if got := withoutWords(t, db, catalog.QuoteFilter{}); len(got) != 0 {
		t.Errorf("without words: %q", got)
	}
	if got := byWord(t, db, 10, "the", "is"); !slices.Equal(got, said[:2]) {
		t.Errorf("found by words: %q", got)
	}
	if got := byWord(t, db, 1, "the"); !slices.Equal(got, said[:1]) {
		t.Errorf("the first by place: %q", got)
	}
	land(t, db, b, startRun(t, db, b, "x1", 1), generation{n: 1, texts: []string{"The quorum is eight."}})
	if got := withoutWords(t, db, catalog.QuoteFilter{DocumentID: b.DocumentID}); len(got) != 1 {
		t.Errorf("without words in b: %q", got)
	}
	if got := withoutWords(t, db, catalog.QuoteFilter{DocumentID: a.DocumentID}); a.DocumentID != b.DocumentID && len(got) != 0 {
		t.Errorf("without words in a: %q", got)
	}
	exec(t, db, `DELETE FROM chunk_state`)
	exec(t, db, `DELETE FROM chunks`)
	var left int
	if err := db.Tx(t.Context(), func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT count(*) FROM chunk_words`).Scan(&left)
	}); err != nil || left != 0 {
		t.Errorf("%d rows of words are left of chunks that went: %v", left, err)
	}
}

// TestOfManyWithoutWordsSomeAreLookedAt: as after an upgrade; and all of a document.
func TestOfManyWithoutWordsSomeAreLookedAt(t *testing.T) {
	db := openCatalog(t)
	s := snapshotOf("z", 1)
	addSnapshot(t, db, s)
	land(t, db, s, startRun(t, db, s, "x1", 1), generation{n: 1, texts: []string{"The quorum is seven."}})
	exec(t, db, `INSERT INTO chunk_words SELECT '0000000000' || n FROM generate_series(1, 5000) n`)
	look := func(f catalog.QuoteFilter) (n int, all bool) {
		t.Helper()
		all, err := db.WordlessChunks(t.Context(), f, 10, func(catalog.QuoteCandidate) bool {
			n++
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		return n, all
	}
	if n, all := look(catalog.QuoteFilter{}); n != 0 || all {
		t.Errorf("%d are looked at behind 5,000, all %t", n, all)
	}
	if n, all := look(catalog.QuoteFilter{DocumentID: s.DocumentID}); n != 1 || !all {
		t.Errorf("%d of the document, all %t", n, all)
	}
	exec(t, db, `DELETE FROM chunk_words WHERE chunk_ref = '00000000001'`)
	if n, all := look(catalog.QuoteFilter{}); n != 1 || !all {
		t.Errorf("%d of 5,000, all %t", n, all)
	}
	if n, err := db.MakeQuoteWords(t.Context(), 1); n != 1 || err != nil { // rows that no chunk has stand before it
		t.Errorf("words of %d chunks are made, %v", n, err)
	}
}

// TestSeveralMakeWords: each chunk's are made by one of them, and none waits for another.
func TestSeveralMakeWords(t *testing.T) {
	db := openCatalog(t)
	s := snapshotOf("a", 1)
	addSnapshot(t, db, s)
	var texts []string
	for i := range 60 {
		texts = append(texts, fmt.Sprintf("sentence %d is said", i))
	}
	land(t, db, s, startRun(t, db, s, "x1", 1), generation{n: 1, texts: texts})
	var all sync.WaitGroup
	made := make([]int, 4)
	for i := range made {
		all.Go(func() {
			for {
				n, err := db.MakeQuoteWords(t.Context(), 5)
				if err != nil {
					t.Error(err)
				}
				if made[i] += n; n == 0 {
					return
				}
			}
		})
	}
	all.Wait()
	if sum := made[0] + made[1] + made[2] + made[3]; sum != len(texts) {
		t.Errorf("%d made of %d: %v", sum, len(texts), made)
	}
	if got := byWord(t, db, 100, "said"); len(got) != len(texts) {
		t.Errorf("%d are found", len(got))
	}
}

// TestChunksOfBeforeGetTheirWords: an upgrade gives each chunk of before its row, and may be
// broken off and begun again.
func TestChunksOfBeforeGetTheirWords(t *testing.T) {
	db := openCatalog(t)
	a, b := snapshotOf("a", 1), snapshotOf("b", 2)
	addSnapshot(t, db, a)
	addSnapshot(t, db, b)
	land(t, db, a, startRun(t, db, a, "x1", 1), generation{n: 1, texts: []string{"The quorum is seven."}})
	makeWords(t, db, 10)
	exec(t, db, `DELETE FROM goose_db_version WHERE version_id >= 29`)
	exec(t, db, `DROP TRIGGER chunk_words_note ON chunks`) // broken off behind the tables
	land(t, db, b, startRun(t, db, b, "x1", 1), generation{n: 1, texts: []string{"The quorum is eight."}})
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := withoutWords(t, db, catalog.QuoteFilter{}); !slices.Equal(got, []string{"The quorum is eight."}) {
		t.Errorf("without words: %q", got)
	}
	if got := byWord(t, db, 10, "seven"); len(got) != 1 {
		t.Errorf("found by words that were made before: %q", got)
	}
}

// inDocument is how many chunks a document of the benchmarks has.
const inDocument = 50

// landMade lands a document of made-up chunks of some 2,100 letters and 250 words.
func landMade(b *testing.B, db *catalog.DB, document int, r *rand.Rand) {
	b.Helper()
	texts := make([]string, inDocument)
	for i := range texts {
		words := make([]string, 250)
		for j := range words { // few words are frequent, many are not
			words[j] = strconv.FormatInt(1e7+int64(40_000*r.Float64()*r.Float64()), 26)
		}
		texts[i] = strings.Join(words, " ")
	}
	exec(b, db, `INSERT INTO chunks (chunk_ref, point_id, doc_hash, generation, chunk_index, document_id, source_id, snapshot_id, text, content,
			text_hash, content_text_hash, source_type, provenance, record)
		SELECT $1 || ':' || i, gen_random_uuid(), $1, 1, i, $1, 's', $1, x, x, md5(x), md5(x), 'official', '[]', '{}'
		FROM unnest($2::text[]) WITH ORDINALITY AS u(x, i)`, fmt.Sprint("d", document), texts)
}

// BenchmarkLandChunks measures what a chunk costs when it lands: without a row for its words,
// with one, and, for comparison, in a table with an index of its words.
func BenchmarkLandChunks(b *testing.B) {
	for _, c := range []struct{ name, before string }{
		{"without row of words", `DROP TRIGGER chunk_words_note ON chunks`},
		{"with row of words", `SELECT 1`},
		{"with index of words", `DROP TRIGGER chunk_words_note ON chunks; CREATE INDEX chunks_words ON chunks USING gin (quote_words(content))`},
	} {
		b.Run(c.name, func(b *testing.B) {
			db, r, document := openCatalog(b), rand.New(rand.NewPCG(1, 2)), 0
			for statement := range strings.SplitSeq(c.before, ";") {
				exec(b, db, statement)
			}
			for b.Loop() {
				document++
				landMade(b, db, document, r)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N*inDocument), "ms/chunk")
		})
	}
}

// BenchmarkMakeQuoteWords measures what a chunk costs when its words are made.
func BenchmarkMakeQuoteWords(b *testing.B) {
	db, r, document := openCatalog(b), rand.New(rand.NewPCG(1, 2)), 0
	for b.Loop() {
		b.StopTimer()
		for range 4 {
			document++
			landMade(b, db, document, r)
		}
		b.StartTimer()
		if n, err := db.MakeQuoteWords(b.Context(), 4*inDocument); err != nil || n != 4*inDocument {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(4*b.N*inDocument), "ms/chunk")
}
