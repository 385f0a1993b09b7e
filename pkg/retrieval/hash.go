package retrieval

import (
	"context"
	"math"
)

const (
	// HashModel is the name of the built-in embedder (contracts#hash-embedder).
	HashModel = "hash-char4-1024"
	// HashDimensions is the length of its vectors.
	HashDimensions = 1024
	// HashDenseWeight is its weight in Fuse. Its vectors hold what the sparse
	// ones hold, with collisions: they help where words are misspelt, and given
	// more than this they do harm (figures in docs/quality.md).
	HashDenseWeight = 0.1

	indexMask = HashDimensions - 1
)

// HashEmbedder is the embedder that needs no model and no network: signed
// feature hashing of character 4-grams (contracts#hash-embedder). Each gram adds or
// subtracts the weight of its frequency at one of 1,024 places; all sums are
// integers, so their order cannot show, and only then is the vector brought to
// length 1. Both sides of a search are embedded alike.
type HashEmbedder struct{}

var _ Embedder = HashEmbedder{}

// Embed returns the vectors of texts. A text without letters and digits gives
// the zero vector, whose cosine with every other vector is 0. The error is
// that of a context which ended.
func (HashEmbedder) Embed(ctx context.Context, texts []string, _ Kind) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors[i] = HashVector(text)
	}
	return vectors, nil
}

// Model returns HashModel.
func (HashEmbedder) Model() string { return HashModel }

// Dimensions returns HashDimensions.
func (HashEmbedder) Dimensions() int { return HashDimensions }

// DenseWeight returns HashDenseWeight.
func (HashEmbedder) DenseWeight() float64 { return HashDenseWeight }

// HashVector returns the vector of one text, of HashDimensions numbers.
func HashVector(text string) []float32 {
	frequencies := make(map[uint64]int, len(text))
	for word := range markedWords(text) {
		for gram := range grams(word) {
			frequencies[fmix64(fnv64a(gram))]++
		}
	}
	var sums [HashDimensions]int64
	for hash, tf := range frequencies {
		weight := int64(gramWeights[min(tf, len(gramWeights))-1])
		if hash>>63 == 1 {
			weight = -weight
		}
		sums[hash&indexMask] += weight
	}
	return normalized(&sums)
}

// normalized scales sums to length 1. The squares are rounded before they are
// added, which keeps a compiler from fusing the two (contracts#pure-functions).
func normalized(sums *[HashDimensions]int64) []float32 {
	var squares float64
	for _, sum := range sums {
		value := float64(sum)
		squares += float64(value * value)
	}
	vector := make([]float32, HashDimensions)
	if squares == 0 {
		return vector
	}
	length := math.Sqrt(squares)
	for i, sum := range sums {
		vector[i] = float32(float64(sum) / length)
	}
	return vector
}

// fnv64a is FNV-1a of 64 bits.
func fnv64a(s string) uint64 {
	hash := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		hash ^= uint64(s[i])
		hash *= 0x100000001b3
	}
	return hash
}

// fnv32a is FNV-1a of 32 bits.
func fnv32a(s string) uint32 {
	hash := uint32(0x811c9dc5)
	for i := range len(s) {
		hash ^= uint32(s[i])
		hash *= 0x01000193
	}
	return hash
}

// fmix64 is the finalizer of MurmurHash3: FNV-1a alone leaves the top bit of
// short strings unbalanced.
func fmix64(hash uint64) uint64 {
	hash ^= hash >> 33
	hash *= 0xff51afd7ed558ccd
	hash ^= hash >> 33
	hash *= 0xc4ceb9fe1a85ec53
	hash ^= hash >> 33
	return hash
}
