// Package retrieval says how text becomes something to search by: its words
// and character 4-grams, a sparse vector, the built-in dense vector, and how
// two lists of hits become one. The indexer uses it for passages and the
// gateway for questions, so that both sides always see a text in the same way.
//
// Everything here is a pure function of the text: the same on every machine,
// under every GOAMD64 level, in any order of calls (contracts#pure-functions, contracts#hash-embedder).
package retrieval
