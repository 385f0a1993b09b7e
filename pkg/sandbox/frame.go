package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A frame is one kind byte, the length of the payload as four bytes big endian,
// and the payload.
const frameHeader = 5

// Kinds of frame. The parent sends a setup and then requests, one at a time;
// the child answers each with a result or a failure.
const (
	kindSetup   = 's'
	kindRequest = 'q'
	kindResult  = 'r'
	kindFailure = 'f'
)

// errFrame: the other side does not speak the protocol.
var errFrame = errors.New("broken frame")

// errFrameSize: a frame is larger than the reader allows.
var errFrameSize = errors.New("frame too large")

func writeFrame(w io.Writer, kind byte, payload []byte) error {
	if uint64(len(payload)) > 1<<32-1 {
		return fmt.Errorf("%w: %d bytes", errFrameSize, len(payload))
	}
	var header [frameHeader]byte
	header[0] = kind
	binary.BigEndian.PutUint32(header[1:], uint32(len(payload)))
	if _, err := w.Write(header[:]); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// readFrame reads one frame with a payload of at most limit bytes. It returns
// io.EOF when the stream ends between frames, io.ErrUnexpectedEOF within one.
// It never takes more memory than the bytes that came, twice over.
func readFrame(r io.Reader, limit int64) (kind byte, payload []byte, err error) {
	var header [frameHeader]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return 0, nil, err
	}
	switch header[0] {
	case kindSetup, kindRequest, kindResult, kindFailure:
	default:
		return 0, nil, fmt.Errorf("%w: kind %#x", errFrame, header[0])
	}
	size := int64(binary.BigEndian.Uint32(header[1:]))
	if size > limit {
		return 0, nil, fmt.Errorf("%w: %d bytes, limit %d", errFrameSize, size, limit)
	}
	payload, err = readPayload(r, size)
	return header[0], payload, err
}

// trusted is how much is allocated on the word of a header alone.
const trusted = 1 << 20

func readPayload(r io.Reader, size int64) ([]byte, error) {
	payload := make([]byte, 0, min(size, trusted))
	for int64(len(payload)) < size {
		if len(payload) == cap(payload) {
			grown := make([]byte, len(payload), min(size, 2*int64(cap(payload))))
			copy(grown, payload)
			payload = grown
		}
		n, err := io.ReadFull(r, payload[len(payload):cap(payload)])
		payload = payload[:len(payload)+n]
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
	return payload, nil
}
