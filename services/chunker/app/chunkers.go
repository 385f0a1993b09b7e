package app

import (
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/dictionary"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/forum"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/general"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/lists"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/minutes"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/posts"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/recipes"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/regulations"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/tables"
)

// chunkers are all that there are: one line in Domains for each domain, in the order in
// which they are asked whether they take a document.
func chunkers() split.Table {
	return split.Table{
		Domains: []split.Domain{
			forum.Chunker{},
			recipes.Chunker{},
			regulations.Chunker{},
			minutes.Chunker{},
			dictionary.Chunker{},
			tables.Chunker{},
			lists.Chunker{},
			posts.Chunker{},
		},
		General: general.Chunker{},
	}
}
