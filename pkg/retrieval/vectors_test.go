package retrieval

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldenVector is one line of testdata/vectors.json: the sha256 of a text's
// vectors, their numbers as little-endian 32-bit words. Vectors in stores stay
// good only as long as these do.
type goldenVector struct {
	Text   string `json:"text"`
	Dense  string `json:"dense"`
	Sparse string `json:"sparse"` // indices, then values
	Query  string `json:"query"`
}

func goldenTexts() []string {
	return []string{
		"",
		"… — !",
		"a",
		"Art. 2º - Os prazos máximos para o atendimento integral das coberturas.",
		"Le conseil municipal se réunit à l’Hôtel de Ville ; le quorum est atteint.",
		"The quick brown fox. The quick brown fox. The quick brown fox!",
		"Tutti l’omi nascenu libari è pari in dignità è in diritti.",
		"İstanbul ΟΔΟΣ ﬁn Ⅳ 東京都庁 \u0065\u0301t\u00e9",
		"ab\xffcd",
		strings.Repeat("le quorum minimum de la séance ", 400),
	}
}

// TestVectorsGolden is also run with GOAMD64=v3, where the compiler may fuse
// multiplications and additions: the same file must hold.
func TestVectorsGolden(t *testing.T) {
	var got []goldenVector
	for _, text := range goldenTexts() {
		indices, values := Sparse(text)
		queryIndices, queryValues := SparseQuery(text)
		got = append(got, goldenVector{
			Text:   strings.ToValidUTF8(text[:min(len(text), 80)], "\\xff"),
			Dense:  sum(t, HashVector(text)),
			Sparse: sum(t, indices, values),
			Query:  sum(t, queryIndices, queryValues),
		})
	}
	data, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	path := filepath.Join("testdata", "vectors.json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatal("golden file written; run again without -update")
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, want) {
		t.Errorf("vectors differ from %s:\n%s", path, data)
	}
}

func sum(t *testing.T, parts ...any) string {
	t.Helper()
	hash := sha256.New()
	for _, part := range parts {
		if err := binary.Write(hash, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

func TestHashVectorOfOneGram(t *testing.T) {
	// FNV-1a 64 of "<a>" and its fmix64, computed apart.
	const hash = uint64(0xbbf0e7da612d9be5)
	vector := HashVector("a")
	for i, x := range vector {
		want := float32(0)
		if i == int(hash&1023) {
			want = 1
			if hash>>63 == 1 {
				want = -1
			}
		}
		if x != want {
			t.Errorf("vector[%d] = %v, want %v", i, x, want)
		}
	}
}

func TestHashEmbedder(t *testing.T) {
	embedder := HashEmbedder{}
	texts := []string{"Os prazos máximos", "", "os PRAZOS maximos"}
	vectors, err := embedder.Embed(context.Background(), texts, Passage)
	if err != nil || len(vectors) != len(texts) {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	for i, vector := range vectors {
		if len(vector) != embedder.Dimensions() {
			t.Errorf("vector %d has %d numbers", i, len(vector))
		}
	}
	if got := dot(vectors[0], vectors[2]); math.Abs(got-1) > 1e-6 {
		t.Errorf("cosine of a text and its folded form: %v", got)
	}
	if got := dot(vectors[1], vectors[1]); got != 0 {
		t.Errorf("the empty text has length² %v", got)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := embedder.Embed(ended, texts, Query); err == nil {
		t.Error("no error after the context ended")
	}
}

func TestGramWeights(t *testing.T) {
	for i, weight := range gramWeights {
		exact := (1 << 20) * (1 + math.Log(float64(i+1)))
		if math.Abs(float64(weight)-exact) > 0.5+1e-6 {
			t.Errorf("weight of tf %d is %d, want %v rounded", i+1, weight, exact)
		}
	}
}

func TestSparseIsBM25(t *testing.T) {
	indices, values := Sparse("lei lei ato")
	const norm = 1 - 0.75 + 0.75*3/500.0
	want := map[uint32]float64{
		fnv32a("<lei>"): 2 * 2.2 / (2 + 1.2*norm),
		fnv32a("<ato>"): 1 * 2.2 / (1 + 1.2*norm),
	}
	if len(indices) != len(want) {
		t.Fatalf("%d indices", len(indices))
	}
	for i, index := range indices {
		if math.Abs(float64(values[i])-want[index]) > 1e-6 {
			t.Errorf("weight %v, want %v", values[i], want[index])
		}
	}
	indices, values = SparseQuery("lei ato lei")
	if len(indices) != 2 || values[0] != 1 || values[1] != 1 {
		t.Errorf("query: %v %v", indices, values)
	}
}

func TestFNV(t *testing.T) {
	// The vectors of the FNV reference for "foobar".
	if got := fnv64a("foobar"); got != 0x85944171f73967e8 {
		t.Errorf("fnv64a = %x", got)
	}
	if got := fnv32a("foobar"); got != 0xbf9cf968 {
		t.Errorf("fnv32a = %x", got)
	}
}

func dot(a, b []float32) float64 {
	var total float64
	for i := range a {
		total += float64(a[i]) * float64(b[i])
	}
	return total
}

func benchmarkText() string {
	return strings.Repeat("Le conseil municipal se réunit à l’Hôtel de Ville ; le quorum est atteint. ", 20)
}

func BenchmarkHashVector(b *testing.B) {
	text := benchmarkText()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		HashVector(text)
	}
}

func BenchmarkSparse(b *testing.B) {
	text := benchmarkText()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Sparse(text)
	}
}
