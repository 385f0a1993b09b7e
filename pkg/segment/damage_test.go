package segment_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/segment"
)

// withIndex makes a segment of some frames and an index as it is given.
func withIndex(t testing.TB, frames []byte, index string) []byte {
	t.Helper()
	packed, err := segment.Compress([]byte(index))
	if err != nil {
		t.Fatal(err)
	}
	out := append(bytes.Clone(frames), packed...)
	out = binary.LittleEndian.AppendUint32(out, 0x184D2A50)
	out = binary.LittleEndian.AppendUint32(out, 8)
	return binary.LittleEndian.AppendUint64(out, uint64(len(frames)))
}

func TestIndexesThatLie(t *testing.T) {
	frames := []byte("abcdef")
	for name, c := range map[string]struct{ index, want string }{
		"good":         {`{"pages":[{"page_no":1,"offset":0,"length":2},{"page_no":2,"offset":2,"length":4}]}`, ""},
		"no JSON":      {`{"pages"`, "index"},
		"a gap":        {`{"pages":[{"page_no":1,"offset":1,"length":5}]}`, "does not follow"},
		"an overlap":   {`{"pages":[{"page_no":1,"offset":0,"length":4},{"page_no":2,"offset":2,"length":4}]}`, "does not follow"},
		"too long":     {`{"pages":[{"page_no":1,"offset":0,"length":9223372036854775807}]}`, "does not follow"},
		"negative":     {`{"pages":[{"page_no":1,"offset":0,"length":-6}]}`, "does not follow"},
		"too short":    {`{"pages":[{"page_no":1,"offset":0,"length":5}]}`, "covers 5 of 6"},
		"wrong order":  {`{"pages":[{"page_no":2,"offset":0,"length":2},{"page_no":1,"offset":2,"length":4}]}`, "page 1 after page 2"},
		"a page twice": {`{"pages":[{"page_no":2,"offset":0,"length":2},{"page_no":2,"offset":2,"length":4}]}`, "page 2 after page 2"},
	} {
		data := withIndex(t, frames, c.index)
		_, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTrailersThatLie(t *testing.T) {
	good := build(t, 2)
	beyond := bytes.Clone(good)
	binary.LittleEndian.PutUint64(beyond[len(beyond)-8:], uint64(len(beyond)))
	negative := bytes.Clone(good)
	binary.LittleEndian.PutUint64(negative[len(negative)-8:], 1<<63)
	for name, data := range map[string][]byte{
		"nothing": nil, "short": good[:9], "cut": good[:len(good)-1], "beyond": beyond, "negative": negative,
	} {
		if err := readAll(data); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	// A size that is not that of the source is found as well.
	if _, err := segment.NewReader(bytes.NewReader(good), int64(len(good))+1); err == nil {
		t.Error("another size is read")
	}
}

func TestFramesThatLie(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "no JSON": "page", "a unit that is none": "{\"page_no\":1}\n[]\n", "a page that is none": "3\n",
		"a name twice": "{\"page_no\":1,\"page_no\":2}\n", "bytes that are no text": "{\"page_no\":1}\n{\"source_id\":\"\xff\"}\n",
	} {
		frame, err := segment.Compress([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if f, err := segment.DecodeFrame(frame); err == nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if _, err := segment.DecodeFrame([]byte("no zstd")); err == nil {
		t.Error("what is not compressed is read")
	}
}

// TestABombIsRefused: some bytes that would be more than a reader takes.
func TestABombIsRefused(t *testing.T) {
	bomb, err := segment.Compress(make([]byte, segment.MaxFrame+1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := segment.Decompress(bomb); err == nil {
		t.Errorf("%d bytes came out of %d", segment.MaxFrame+1, len(bomb))
	}
}

// FuzzDecodeFrame: what is read of a frame is written as a frame that is read as
// the same; packed says whether the bytes are a frame or what one holds.
func FuzzDecodeFrame(f *testing.F) {
	raw, err := segment.EncodeFrame(frame(1, 2))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw, true)
	lines, err := segment.Decompress(raw)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(lines, false)
	for _, unit := range []string{
		`{"fields_raw":{"table":{"columns":["a"],"rows":[["x",{"type":"number","value":"1.5","formatted":"1,5"},{"type":"link","url":"u","text":"t"}]],"cell_ranges":[{"row":1,"col":2,"start":3,"end":4}]}}}`,
		`{"fields_raw":{"values":{"a":["b"]},"groups":{"g":[{"x":"y"}]},"error":{"error_type":"e"},"language":{"lang":"fr","confidence":0.75}},"evidence":[{"byte_span":{"start":1,"end":2}}]}`,
		`{"record_locator":{"kind":"page+bbox+block_index","page_number":1,"bbox":[0.1,0.2,0.3,0.4],"block_index":0},"retrieved_at":"2024-02-30T00:00:00Z"}`,
		`{"fields_raw":{"text":"\u0000\ud800\u2028<&>","level":1e3,"confidence":1e-7}} {} null`,
	} {
		f.Add([]byte(`{"page_no":1,"ledger":{},"facts":[{"name":"a"}],"ocr":[{}]}`+"\n"+unit), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, packed bool) {
		if !packed {
			var err error
			if data, err = segment.Compress(data); err != nil {
				t.Fatal(err)
			}
		}
		read, err := segment.DecodeFrame(data)
		if err != nil {
			return
		}
		written, err := segment.EncodeFrame(read)
		if err != nil {
			return // a number that no two languages write alike
		}
		again, err := segment.DecodeFrame(written)
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		if twice, err := segment.EncodeFrame(again); err != nil || !bytes.Equal(twice, written) {
			t.Fatalf("%+v is read as %+v, %v", read, again, err)
		}
	})
}

// FuzzIndex: whatever an index says, the pages that a reader has lie side by side
// and are all there is, and each that it gives out has the sha256 of the index.
func FuzzIndex(f *testing.F) {
	good := build(f, 3)
	r, err := segment.NewReader(bytes.NewReader(good), int64(len(good)))
	if err != nil {
		f.Fatal(err)
	}
	index, err := json.Marshal(map[string]any{"pages": r.Index()})
	if err != nil {
		f.Fatal(err)
	}
	end := r.Index()[2].Offset + r.Index()[2].Length
	f.Add(good[:end], string(index))
	f.Add([]byte("abcdef"), `{"pages":[{"page_no":1,"offset":0,"length":2},{"page_no":2,"offset":2,"length":4}]}`)
	f.Add([]byte("abcdef"), `{"pages":[{"page_no":1,"offset":0,"length":9223372036854775807},{"page_no":2,"offset":-2,"length":-4}]}`)
	f.Fuzz(func(t *testing.T, frames []byte, index string) {
		data := withIndex(t, frames, index)
		r, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		at := int64(0)
		for i, e := range r.Index() {
			if e.Offset != at || e.Length <= 0 || e.Offset+e.Length > int64(len(frames)) {
				t.Fatalf("page %d: bytes %d and %d more, after %d of %d", e.PageNo, e.Offset, e.Length, at, len(frames))
			}
			at += e.Length
			if size, err := r.Size(i); err == nil && (size < 0 || size > segment.MaxFrame) {
				t.Fatalf("page %d: %d bytes", e.PageNo, size)
			}
			raw, err := r.Raw(i)
			if err == nil && fmt.Sprintf("%x", sha256.Sum256(raw)) != e.SHA256 {
				t.Fatalf("page %d is not what the index says", e.PageNo)
			}
			if page, err := r.Frame(i); err == nil && raw == nil {
				t.Fatalf("page %d: %+v of nothing", e.PageNo, page)
			}
		}
		if at != int64(len(frames)) {
			t.Fatalf("%d of %d bytes", at, len(frames))
		}
	})
}
