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
	FetchStatus   string // seeds#store: ok, redirected, blocked or error; "" of what we did not fetch
	Container     string // the request_id of the container that it is a member of, "" for one that was asked for
}

// FetchWindow is what is known of the last fetch of a URL (contracts#fetch-window).
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

// Standing is what stands directly before a capture of a document, in the order of
// its snapshots, and how far that has come: what decides whether the capture is to
// be processed.
type Standing struct {
	Reads     string        // Snapshot.ReadsDigest of the snapshot directly before that is no container; "" without one
	Container bool          // the one directly before is a container
	Runs      []StandingRun // of the captures of that version, the newest first
}

// StandingRun is the last run of a snapshot that is to be processed.
type StandingRun struct {
	State          RunState // "" when it has not begun
	ParserVersion  string
	ChunkerVersion string // of its newest manifest; "" without one
	HeaderVersion  string // the same
}
