package child

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

func TestWire(t *testing.T) {
	t.Parallel()
	raw, err := encodeRequest(request{Op: opPages, From: 1, To: 2}, []byte("{\"a\": 1}"))
	if err != nil {
		t.Fatal(err)
	}
	if req, document, err := decodeRequest(raw); err != nil || req.To != 2 || string(document) != "{\"a\": 1}" {
		t.Errorf("%+v, %q, %v", req, document, err)
	}
	resp := response{PageCount: 2, Pages: []Result{{Page: model.Page{PageNo: 1}, Frame: []byte("one")}, {Page: model.Page{PageNo: 2}, Frame: []byte{}}}}
	if raw, err = encodeResponse(resp); err != nil {
		t.Fatal(err)
	}
	if got, err := decodeResponse(raw); err != nil || !reflect.DeepEqual(got, resp) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, broken := range []string{"", "{", `{"pages":[{}]}`, `{"lengths":[1]}`, string(raw[:len(raw)-1]), `{"pages":[{}],"lengths":[-1]}`} {
		if got, err := decodeResponse([]byte(broken)); err == nil {
			t.Errorf("%q: %+v", broken, got)
		}
	}
}

func FuzzResponse(f *testing.F) {
	for _, seed := range []string{`{}`, `{"pages":[{}],"lengths":[2]}ab`, `{"pages":[{},{}],"lengths":[1,9]}ab`, `{"lengths":[-1]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		resp, err := decodeResponse(raw)
		if err != nil {
			return
		}
		again, err := encodeResponse(resp)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeResponse(again)
		if err != nil {
			t.Fatal(err)
		}
		for i := range resp.Pages {
			if !bytes.Equal(got.Pages[i].Frame, resp.Pages[i].Frame) {
				t.Errorf("frame %d: %q, before %q", i, got.Pages[i].Frame, resp.Pages[i].Frame)
			}
		}
	})
}
