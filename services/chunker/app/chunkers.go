package app

import (
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/general"
)

// chunkers are all that there are: one line in Domains for each domain, in the order in
// which they are asked whether they take a document.
func chunkers() split.Table {
	return split.Table{
		Domains: nil,
		General: general.Chunker{},
	}
}
