// Package llm asks models behind OpenAI-compatible endpoints. It is the only importer of
// go-openai.
//
// An endpoint is a part of the installation like a store: while it is away, refuses our
// key, asks for patience or answers nonsense, work waits for it and nothing is lost
// ([fault.Unavailable]). What an endpoint answers is never trusted: its size is bounded,
// and vectors are counted, measured and checked before they are used (contracts#endpoint).
package llm
