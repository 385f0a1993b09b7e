package segment_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/segment"
)

// withIndex makes a segment of some frames and an index as it is given.
func withIndex(t *testing.T, frames []byte, index string) []byte {
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

func FuzzDecodeFrame(f *testing.F) {
	raw, err := segment.EncodeFrame(frame(1, 2))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = segment.DecodeFrame(data) })
}
