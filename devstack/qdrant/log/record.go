package log

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// header begins every log; its last byte is the version of the format.
const header = "colophon-vectors\x00\x01"

// recordLimit bounds a record: a request of 64 MiB and some room.
const recordLimit = 65 << 20

// frameSize is the length (4 bytes), the checksum (4 bytes) and the kind (1 byte) before a record's data. The length
// counts the data; the checksum (CRC-32C) covers the length, the kind and the data. Numbers are little-endian.
const frameSize = 9

// ErrTorn says that a log ends in something that is not a whole record.
var ErrTorn = errors.New("torn record")

// Record is one entry: what kind it is of, and its data. Neither means anything to this package.
type Record struct {
	Kind byte
	Data []byte
}

// Encode appends the frame and the data of a record to dst.
func Encode(dst []byte, record Record) ([]byte, error) {
	if len(record.Data) > recordLimit {
		return dst, fmt.Errorf("a log record of %d bytes is above the limit of %d", len(record.Data), recordLimit)
	}
	var frame [frameSize]byte
	binary.LittleEndian.PutUint32(frame[0:], uint32(len(record.Data)))
	frame[8] = record.Kind
	binary.LittleEndian.PutUint32(frame[4:], checksum(frame, record.Data))
	return append(append(dst, frame[:]...), record.Data...), nil
}

// Decode calls each with every record of a log, in order. It returns the number of bytes up to the end of the last
// whole record, and ErrTorn when something else follows, or what each returned. An empty input is an empty log of 0
// bytes. The data of a record is each's to keep.
func Decode(r io.Reader, each func(Record) error) (int64, error) {
	start := make([]byte, len(header))
	n, err := io.ReadFull(r, start)
	if n == 0 && errors.Is(err, io.EOF) {
		return 0, nil
	}
	if err != nil || string(start) != header {
		if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, headerError(start[:n])
		}
		return 0, fmt.Errorf("read the log: %w", err)
	}
	good := int64(len(header))
	for {
		record, err := next(r)
		if errors.Is(err, io.EOF) {
			return good, nil
		}
		if err != nil {
			return good, err
		}
		if err := each(record); err != nil {
			return good, err
		}
		good += int64(frameSize + len(record.Data))
	}
}

// headerError tells a log whose very first write was cut short from a file that is something else.
func headerError(start []byte) error {
	if bytes.HasPrefix([]byte(header), start) {
		return ErrTorn
	}
	return errors.New("this is not a vector log of a known version")
}

// next reads one record: io.EOF at a clean end, ErrTorn at anything that is not a whole record.
func next(r io.Reader) (Record, error) {
	var frame [frameSize]byte
	if _, err := io.ReadFull(r, frame[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return Record{}, ErrTorn
		}
		return Record{}, err
	}
	length := int64(binary.LittleEndian.Uint32(frame[0:]))
	if length > recordLimit {
		return Record{}, ErrTorn
	}
	// The length is not yet proven: the buffer grows with what is really there.
	var data bytes.Buffer
	if _, err := io.CopyN(&data, r, length); err != nil {
		if errors.Is(err, io.EOF) {
			return Record{}, ErrTorn
		}
		return Record{}, fmt.Errorf("read the log: %w", err)
	}
	if checksum(frame, data.Bytes()) != binary.LittleEndian.Uint32(frame[4:]) {
		return Record{}, ErrTorn
	}
	return Record{Kind: frame[8], Data: data.Bytes()}, nil
}

func checksum(frame [frameSize]byte, data []byte) uint32 {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(0, castagnoli, frame[0:4])
	sum = crc32.Update(sum, castagnoli, frame[8:])
	return crc32.Update(sum, castagnoli, data)
}
