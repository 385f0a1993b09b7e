// Package payload keeps the payload of a stored point as bytes: one object for the garbage collector instead of some
// seventy, and half of the memory. What is looked for is read out of them, the other fields are passed over.
package payload

import (
	"fmt"
	"slices"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Packed is a payload in the wire form of a Struct. The zero value has no fields. It is never written to.
type Packed []byte

// The numbers of the fields in the wire form: a Struct is a list of entries, an entry a key and a value.
const (
	entryField = 1
	keyField   = 1
	valueField = 2
)

// Pack returns the bytes of a payload. The error is that a text is not UTF-8.
func Pack(fields map[string]*pb.Value) (Packed, error) {
	packed, err := proto.Marshal(&pb.Struct{Fields: fields})
	if err != nil {
		return nil, fmt.Errorf("pack a payload: %w", err)
	}
	return packed, nil
}

// All returns all fields, nil when there are none. The caller may keep and change them.
func (p Packed) All() map[string]*pb.Value {
	all := &pb.Struct{}
	mustRead(proto.Unmarshal(p, all))
	return all.GetFields()
}

// Some returns those of the named fields that there are.
func (p Packed) Some(keys []string) map[string]*pb.Value {
	some := make(map[string]*pb.Value, len(keys))
	for rest := []byte(p); len(rest) > 0 && len(some) < len(keys); {
		var entry []byte
		entry, rest = cutField(rest, entryField)
		key, value := cutField(entry, keyField)
		if !slices.Contains(keys, string(key)) {
			continue
		}
		value, _ = cutField(value, valueField)
		read := &pb.Value{}
		mustRead(proto.Unmarshal(value, read))
		some[string(key)] = read
	}
	return some
}

// cutField takes the bytes of a field from the front of a message. One that is not there is empty: an encoder may leave
// out what is.
func cutField(message []byte, number protowire.Number) (field, rest []byte) {
	found, kind, tag := protowire.ConsumeTag(message)
	if found != number || kind != protowire.BytesType {
		return nil, message
	}
	field, n := protowire.ConsumeBytes(message[tag:])
	mustRead(protowire.ParseError(min(n, 0)))
	return field, message[tag+n:]
}

// mustRead ends the program where bytes that Pack made cannot be read: then the memory is not what it was.
func mustRead(err error) {
	if err != nil {
		panic(fmt.Errorf("a stored payload: %w", err))
	}
}
