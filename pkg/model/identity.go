package model

// AskedIdentity is what the rules make of the address or the record id of a document.
type AskedIdentity struct {
	Today string          // its identity under today's rules
	Older []OlderIdentity // under those before, the newest first
}

// OlderIdentity is what rules of before made of it.
type OlderIdentity struct {
	Policy   string // redaction_policy_id of what was captured under them
	Identity string
	Trace    string // how it is told from the other addresses that have this identity, by what was stored of each
}

// DocumentIdentity is what identifies a document within its source.
type DocumentIdentity struct {
	ExternalID string
	MergedWith string // a document that older rules held for the same, "" for none
}
