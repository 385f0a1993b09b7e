package model

// AskedIdentity is what the rules make of the address or the record id of a document.
type AskedIdentity struct {
	Today  string // its identity under today's rules
	Before string // its identity under the rules before
	Trace  string // what today's rules make of it as the rules before have stored it
}

// DocumentIdentity is what identifies a document within its source.
type DocumentIdentity struct {
	ExternalID string
	MergedWith string // a document that older rules held for the same, "" for none
}
