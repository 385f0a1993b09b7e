package general

import (
	"github.com/tiktoken-go/tokenizer/codec"
)

// O200k returns the function that counts tokens of o200k_base. Its vocabulary
// is part of the program; the first call builds it. It is safe for concurrent
// use.
func O200k() func(string) (int, error) { return codec.NewO200kBase().Count }
