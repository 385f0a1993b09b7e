// Package split says what a chunker is: what cuts a document into chunks. Each has a folder
// below this one and one line in the table of the service's app, and is chosen by Table.Choose.
package split

import (
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
)

// A Chunker cuts documents of one sort into chunks.
//
// It gets blocks: the units of a document in reading order, with their ids and pages,
// joined where a page ends within one, running heads and furniture left out. It says where
// a chunk begins and ends, and what is repeated in it (the headings above, the head of a
// table). All else is made for all chunkers alike: the header, ids, hashes, type, status,
// dates, and what a chunk repeats of an earlier version.
//
// It must keep these rules. The stage fails a run that breaks the first (model.Chunk.Validate);
// verify finds what breaks those up to the last two (contracts#proof):
//
//   - Segments tile Text: every byte is a unit's, or was written by a rule that its segment
//     names (contracts#provenance). Text is valid UTF-8 of at most model.MaxChunkText bytes,
//     and Content is not empty.
//   - Text is Options.Header, named model.SyntheticHeader, where there is one the line of Options.ContextLine
//     with an empty line, named model.SyntheticContext, and Content. The slice of a unit
//     is equal to the text that it came from. What other rules write (model.SyntheticHeadingContext
//     and its neighbours) is written as pkg/proof/header writes it: a proof writes it again.
//   - PageHint is the page of the first unit: a chunk holds more than what is repeated.
//   - Every byte of every block is in a chunk, but for white space.
//   - Equal blocks and options give equal chunks, on every machine and in every order of
//     documents: no clock, no random number, no order of a map. A proof cuts the document again.
//   - Text has at most Options.Budget tokens, header included (contracts#cutting). A
//     header that leaves nothing of that gets some room beside it. Above it, and below
//     model.MaxChunkText, are only a row of a table, a post, a record: what is one thing.
//   - Chunks are in the order of the blocks, and a splitter holds what is open and no more:
//     documents have thousands of pages.
//
// Its version is that of the table. chunker_version (Version) is one number for all chunkers
// and for the choice between them, as parser_version is for all kinds of files: it is
// raised, in model.ChunkerVersion, with any change after which some document would be
// cut otherwise (contracts#version-numbers). What was made under another number is not cut
// again by a proof; a re-chunk makes the next generation of it.
type Chunker interface {
	// New returns a Splitter for one document, which hands each chunk to out, in order. It is
	// called from several goroutines. An error is one of counting tokens.
	New(o Options, out func(Draft) error) (Splitter, error)
}

// A Domain is a chunker for documents of one domain.
type Domain interface {
	Chunker
	// Name is one lower-case word. It is stored in manifests: it is not changed, and not
	// given to another chunker later.
	Name() string
	// Takes reports whether the chunker is made for a document, and why, in a short
	// sentence, which is stored in its manifest. It depends on its arguments alone.
	Takes(source Source, d Document) (why string, ok bool)
}

// A Splitter takes one document's blocks in order. An error of out, and one of its own,
// ends the document: it is returned as it is, and nothing is called after it.
type Splitter interface {
	Add(b assemble.Block) error
	// Close hands on what is still open.
	Close() error
}

// Version is the chunker_version.
const Version = model.ChunkerVersion

// DefaultBudget is how many tokens of o200k_base a chunk's text has at most,
// header included (contracts#cutting).
const DefaultBudget = 512

// Options are what a document's chunks have in common.
type Options struct {
	Header   string   // rendered, with its empty line
	Budget   int      // tokens; 0 is DefaultBudget
	Language string   // ISO 639-1, for the words that anchors are known by
	Document Document // that is cut: what it looks like as a whole
	Count    func(string) (int, error)

	// ContextLine returns the context line of a chunk with this section path, and is nil where chunks have
	// none (contracts#context-line).
	ContextLine func(sectionPath []string) string
}

// Draft is a chunk without its ids.
type Draft struct {
	Text        string
	Content     string // Text without the header and the context line
	Tokens      int    // of Text
	SectionPath []string
	Anchors     []model.Anchor
	PageHint    int // the page of its first unit, from 1
	Segments    []model.Segment
}
