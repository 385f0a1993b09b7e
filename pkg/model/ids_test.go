package model_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestIDsOfTheFoundingDataModel: doc_hash is the hash of URL, date and type one after the
// other, and a point the first 64 bits of that of its chunk_ref, as seeds#store writes
// both.
func TestIDsOfTheFoundingDataModel(t *testing.T) {
	s := model.Snapshot{
		SourceID: "ans", ExternalID: "https://www.ans.example/rn-259.pdf", URLCanonical: "https://www.ans.example/rn-259.pdf",
		LastModified: time.Date(2011, 6, 17, 9, 30, 0, 5, time.UTC), FinalType: model.TypePDF,
		RuleVersions: map[string]string{model.RuleIDs: model.IDs004},
	}
	sum := sha256.Sum256([]byte("https://www.ans.example/rn-259.pdf" + "2011-06-17T09:30:00Z" + "pdf"))
	if want := hex.EncodeToString(sum[:]); s.DocHash() != want {
		t.Errorf("doc_hash %s, want %s", s.DocHash(), want)
	}
	for _, id := range []string{"0", "17", "0@2"} {
		ref := s.DocHash() + ":" + id
		sum := sha256.Sum256([]byte(ref))
		if n, ok := digest.UUIDNumber(model.PointIDOf(ref, s.RuleVersions)); !ok || n != binary.BigEndian.Uint64(sum[:8]) {
			t.Errorf("point of %s: %d, %t", ref, n, ok)
		}
	}
	s.RuleVersions = nil
	if s.DocHash() != digest.DocHash("ans", s.ExternalID, "2011-06-17T09:30:00Z", "pdf") {
		t.Error("without the rule the doc_hash is another one")
	}
	if _, number := digest.UUIDNumber(model.PointIDOf("a:0", nil)); number {
		t.Error("without the rule a point is a number")
	}
}

// TestChunkURL: a member of a container has an address where its container has one.
func TestChunkURL(t *testing.T) {
	for _, c := range []struct {
		name, version string
		s             model.Snapshot
		want          string
	}{
		{"a page", "7", model.Snapshot{URL: "https://a.example/x", ExternalID: "https://a.example/"}, "https://a.example/x"},
		{"a file", "7", model.Snapshot{URLCanonical: "file:///x", ExternalID: "file:///x"}, "file:///x"},
		{"a member", "7", model.Snapshot{ParentSnapshotID: "snap_a", ExternalID: "https://a.example/b.zip!/c.txt"}, "https://a.example/b.zip!/c.txt"},
		{"a member, later", "12", model.Snapshot{ParentSnapshotID: "snap_a", ExternalID: "https://a.example/b.zip!/c.txt"}, "https://a.example/b.zip!/c.txt"},
		{"a member, of before", "6", model.Snapshot{ParentSnapshotID: "snap_a", ExternalID: "https://a.example/b.zip!/c.txt"}, ""},
		{"a member of a record", "7", model.Snapshot{ParentSnapshotID: "snap_a", ExternalID: "42!/c.txt"}, ""},
		{"a record", "7", model.Snapshot{ExternalID: "https://a.example/42"}, ""},
	} {
		if got := c.s.ChunkURL(c.version); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
