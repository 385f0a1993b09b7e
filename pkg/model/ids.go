package model

import (
	"cmp"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// Ids as seeds#store has them, for installations where each URL belongs to one source
// (contracts#seed-ids): a snapshot whose rule_versions have IDs004 under RuleIDs has them,
// and so have its chunks, which copy its rule_versions.
const (
	RuleIDs = "ids"
	IDs004  = "seed004"
)

// memberURLSince is the first chunker_version whose chunks have the address of a member of
// a container.
const memberURLSince = "7"

// DocHash returns the doc_hash of a version that is made of the snapshot
// (contracts#doc-hash), under the snapshot's own rule for ids.
func (s Snapshot) DocHash() string {
	if s.RuleVersions[RuleIDs] == IDs004 {
		return digest.DocHash004(s.URLCanonical, digest.LastModified(s.LastModified), string(s.FinalType))
	}
	return digest.DocHash(s.SourceID, s.ExternalID, digest.LastModified(s.LastModified), string(s.FinalType))
}

// PointIDOf returns the id of the point of a chunk that has these rule_versions
// (contracts#point-id).
func PointIDOf(chunkRef string, rules map[string]string) string {
	if rules[RuleIDs] == IDs004 {
		return digest.PointUUID004(chunkRef)
	}
	return digest.PointID(chunkRef)
}

// PointIDsOf returns the ids that the point of a chunk may have of which nothing but its
// chunk_ref is known.
func PointIDsOf(chunkRef string) []string {
	return []string{digest.PointID(chunkRef), digest.PointUUID004(chunkRef)}
}

// ChunkURL returns the url of chunks that a chunker of this version makes of the snapshot:
// where it was captured, and of a member of a container its identity, which begins with the
// container's URL, where that has one.
func (s Snapshot) ChunkURL(chunkerVersion string) string {
	url := cmp.Or(s.URL, s.URLCanonical)
	if url != "" || s.ParentSnapshotID == "" || !strings.Contains(s.ExternalID, "://") || !atLeast(chunkerVersion, memberURLSince) {
		return url
	}
	return s.ExternalID
}

// atLeast compares versions, which are integers as text (contracts#version-numbers).
func atLeast(version, since string) bool {
	return len(version) > len(since) || len(version) == len(since) && version >= since
}
