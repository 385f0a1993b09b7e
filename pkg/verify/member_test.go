package verify_test

import (
	"errors"
	"testing"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/container/containertest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/verify"
)

// TestMembersOfAKindThatIsALine adds a kind of container to the table: its members are read
// again as those of all others, and those of a container that cannot be read are not there.
func TestMembersOfAKindThatIsALine(t *testing.T) {
	l := newLibrary(t)
	l.reader.Containers = append(l.reader.Containers, containertest.Kind())
	l.reader.Members = new(verify.Members)
	store := func(finalType model.FinalType, data []byte) model.Snapshot {
		s := model.Snapshot{SnapshotID: "snap_c", SourceID: "lake", ContentHash: digest.Content(data), FinalType: finalType, Filename: "b.zip"}
		key, err := blobstore.RawKey("lake", s.ContentHash)
		l.must(err)
		l.put(blobstore.Raw, key, data)
		return s
	}
	bundle := store(model.TypeZIP, containertest.Bundle([2]string{"a b.txt", "Un."}, [2]string{"https://example.org/", "Deux."}))
	for path, want := range map[string]string{"a%20b.txt": "Un.", "@1": "Deux."} {
		if got, err := l.reader.MemberDigest(t.Context(), bundle, path); err != nil || got != digest.Content([]byte(want)) {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
	for name, s := range map[string]model.Snapshot{
		"no such member": bundle, "no container": store(model.TypeZIP, []byte("a text")), "a type that is none": store(model.TypeHTML, []byte("<p>")),
		"no archive": store(model.TypeWARC, []byte("neither")), "a torn one": store(model.TypeZIP, []byte("PK\x03\x04 and no more")),
	} {
		if got, err := l.reader.MemberDigest(t.Context(), s, "b.txt"); !errors.Is(err, proof.ErrGone) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
