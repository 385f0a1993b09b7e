package app

import (
	"errors"
	"testing"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

func TestReadAhead(t *testing.T) {
	w := newWorld(t)
	s := w.Capture(page, model.KindHTML, nil)
	a := newPrefetcher(w.Blobs)
	forget := a.startReading(t.Context(), s.SourceID, s.ContentHash)
	early := a.read[s.SourceID+"/"+s.ContentHash]
	for range 2 { // what was taken is read again
		if data, err := a.ReadRaw(t.Context(), s); err != nil || string(data) != page {
			t.Errorf("%q, %v", data, err)
		}
	}
	if string(early.data) != page {
		t.Errorf("ahead: %q", early.data)
	}
	forget()

	forget = a.startReading(t.Context(), s.SourceID, s.ContentHash)
	forget() // nobody has asked
	other := s
	other.ContentHash = digest.Content([]byte("nobody has stored this"))
	defer a.startReading(t.Context(), other.SourceID, other.ContentHash)()
	if _, err := a.ReadRaw(t.Context(), other); !errors.Is(err, blobstore.ErrNotFound) {
		t.Errorf("lost: %v", err)
	}
	if len(a.read) != 0 {
		t.Errorf("%d are kept", len(a.read))
	}
}
