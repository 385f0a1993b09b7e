package model

import (
	"encoding/json"
	"time"
)

// Capture is one request and what became of it: a row of captures. A request
// is accepted when its row exists.
type Capture struct {
	SourceID      string
	RequestID     string
	RequestDigest string          // hex sha256 of the JCS of Request
	Request       json.RawMessage // redacted; inline content replaced by its raw object
	RequestedAt   Time            // ce-time of the first delivery
	URLCanonical  string          // of the URL that was asked for, "" without one
	Outcome       string          // "" while it is open; else one of event.Outcome
	Reason        string
	Message       string
	SnapshotID    string // what was stored, or what it is a duplicate of
	DocumentID    string
	RetryAfter    Time   // zero: the other server named none
	Announced     bool   // the outcome was published
	FetchStatus   string // seed 004: ok, redirected, blocked or error; "" of what we did not fetch
	Container     string // the request_id of the container that it is a member of, "" for one that was asked for
}

// FetchWindow is what is known of the last fetch of a URL (contracts 12).
type FetchWindow struct {
	URLCanonical string
	FinalType    FinalType
	SnapshotID   string // "" when it was never fetched
	DocumentID   string
	AgeSeconds   float64 // since the last fetch
}

// Politeness says how a host is asked.
type Politeness struct {
	Requests int           // at once
	Delay    time.Duration // from one request to the next
	Longest  time.Duration // that one may take: after it another takes the place of one whose process has died
	Poll     time.Duration // until one that waits for a place asks again
}

// Standing is the current snapshot of a document and how its last run ended:
// what decides whether equal bytes are processed again (contracts 12, Bytes).
type Standing struct {
	SnapshotID     string // "" when no snapshot is current yet
	ContentHash    string
	Later          bool // a later snapshot of the document is to be processed
	RunState       RunState
	ParserVersion  string
	RulesDigest    string
	ChunkerVersion string
	HeaderVersion  string
}
