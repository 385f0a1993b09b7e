package payload_test

import (
	"testing"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	"github.com/colophon-dev/colophon/devstack/qdrant/payload"
)

func sample() map[string]*pb.Value {
	return pb.NewValueMap(map[string]any{
		"": "a field without a name", "text": "Zwölf Boxkämpfer", "empty": "", "number": int64(-3), "flag": false, "none": nil,
		"list": []any{"a", int64(1), []any{}}, "deep": map[string]any{"text": "not this one", "of": map[string]any{"x": 0.5}},
	})
}

// equal compares the fields that both may have.
func equal(t *testing.T, what string, got, want map[string]*pb.Value) {
	t.Helper()
	if !proto.Equal(&pb.Struct{Fields: got}, &pb.Struct{Fields: want}) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestWhatWasPackedComesBack(t *testing.T) {
	for what, fields := range map[string]map[string]*pb.Value{"nothing": nil, "a sample": sample(), "one empty value": {"x": {}}} {
		packed, err := payload.Pack(fields)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, what, packed.All(), fields)
		for key := range fields {
			equal(t, what+", "+key, packed.Some([]string{"not there", key}), map[string]*pb.Value{key: fields[key]})
		}
		equal(t, what+", nothing of it", packed.Some(nil), nil)
		equal(t, what+", what is not there", packed.Some([]string{"not there"}), nil)
	}
	if _, err := payload.Pack(map[string]*pb.Value{"x": pb.NewValueString("\xff")}); err == nil {
		t.Error("bytes that are no text were packed")
	}
}

// FuzzPacked packs payloads as they come in requests, and reads each field alone and all together.
func FuzzPacked(f *testing.F) {
	seed, err := proto.Marshal(&pb.Struct{Fields: sample()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		request := &pb.Struct{}
		if proto.Unmarshal(data, request) != nil {
			t.Skip()
		}
		packed, err := payload.Pack(request.GetFields())
		if err != nil {
			t.Skip()
		}
		equal(t, "all", packed.All(), request.GetFields())
		for key, value := range request.GetFields() {
			equal(t, key, packed.Some([]string{key}), map[string]*pb.Value{key: value})
		}
	})
}
