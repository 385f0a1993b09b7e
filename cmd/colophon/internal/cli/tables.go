package cli

import (
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	capturer "github.com/colophon-dev/colophon/services/capturer/app"
)

// Tables are what a system is made of that can be added to, a line each. A table that is
// nil is the one of what there is. The program's children must have the same kinds.
type Tables struct {
	Types  capturer.Types       // what documents are taken for
	Kinds  child.Kinds          // how kinds of files are read
	Models []retrieval.Embedder // passages and questions are embedded with; the first makes the collection
}
