package sandbox

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

func TestFrameRoundTrip(t *testing.T) {
	for _, size := range []int{0, 1, trusted - 1, trusted, trusted + 1, 3*trusted + 7} {
		payload := bytes.Repeat([]byte("frame"), size/5+1)[:size]
		var stream bytes.Buffer
		if err := writeFrame(&stream, kindRequest, payload); err != nil {
			t.Fatal(err)
		}
		kind, got, err := readFrame(iotest.HalfReader(&stream), int64(size))
		if err != nil || kind != kindRequest || !bytes.Equal(got, payload) {
			t.Errorf("%d bytes: kind %q, %d bytes, %v", size, kind, len(got), err)
		}
	}
}

func TestBrokenFrames(t *testing.T) {
	for name, test := range map[string]struct {
		stream string
		want   error
	}{
		"nothing":       {"", io.EOF},
		"half a header": {"q\x00\x00", io.ErrUnexpectedEOF},
		"no payload":    {"q\x00\x00\x00\x05", io.ErrUnexpectedEOF},
		"half payload":  {"q\x00\x00\x00\x05abc", io.ErrUnexpectedEOF},
		"kind":          {"x\x00\x00\x00\x01a", errFrame},
		"too large":     {"q\x00\x00\x00\x65", errFrameSize},
		"huge":          {"q\xff\xff\xff\xff", errFrameSize},
	} {
		if _, _, err := readFrame(bytes.NewReader([]byte(test.stream)), 100); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("q\x00\x00\x00\x05hello"))
	f.Add([]byte("r\x00\x00\x00\x00"))
	f.Add([]byte("f\xff\xff\xff\xffboo"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		kind, payload, err := readFrame(bytes.NewReader(stream), 1<<32-1)
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := writeFrame(&again, kind, payload); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(stream, again.Bytes()) {
			t.Errorf("%q read as %q", stream, again.Bytes())
		}
	})
}
