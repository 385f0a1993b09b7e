package vectorstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/colophon-dev/colophon/pkg/fault"
)

func TestServerAway(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()

	// One that accepts and never answers is too slow, which is as good as away.
	_, err = Open(t.Context(), Config{Addr: listener.Addr().String(), Timeout: 50 * time.Millisecond})
	if fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("silent server: %v is of kind %v", err, fault.KindOf(err))
	}
	addr := listener.Addr().String()
	listener.Close()
	_, err = Open(t.Context(), Config{Addr: addr})
	if fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("no server: %v is of kind %v", err, fault.KindOf(err))
	}
	// The caller's own deadline is the caller's.
	short, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	_, err = Open(short, Config{Addr: addr})
	if fault.KindOf(err) != fault.KindContext {
		t.Errorf("own deadline: %v is of kind %v", err, fault.KindOf(err))
	}
}

func TestClassify(t *testing.T) {
	coded := func(code codes.Code) error { return fmt.Errorf("call: %w", status.Error(code, "so it is")) }
	for _, test := range []struct {
		err  error
		want fault.Kind
	}{
		{coded(codes.Unavailable), fault.KindUnavailable},
		{coded(codes.DeadlineExceeded), fault.KindUnavailable},
		{coded(codes.Unauthenticated), fault.KindUnavailable},
		{context.DeadlineExceeded, fault.KindUnavailable},
		{coded(codes.ResourceExhausted), fault.KindTransient},
		{&qdrant.QdrantResourceExhaustedError{Reason: "slow down", RetryAfterS: 1}, fault.KindTransient},
		{coded(codes.Aborted), fault.KindTransient},
		{coded(codes.Internal), fault.KindTransient},
		{coded(codes.InvalidArgument), fault.KindPermanent},
		{coded(codes.Unimplemented), fault.KindPermanent},
		{completed(&qdrant.UpdateResult{Status: qdrant.UpdateStatus_WaitTimeout}, nil), fault.KindUnavailable},
		{completed(&qdrant.UpdateResult{Status: qdrant.UpdateStatus_ClockRejected}, nil), fault.KindUnavailable},
		{completed(nil, nil), fault.KindUnavailable},
	} {
		if got := fault.KindOf(classify(t.Context(), test.err)); got != test.want {
			t.Errorf("%v is of kind %v, want %v", test.err, got, test.want)
		}
	}
	if err := classify(t.Context(), coded(codes.NotFound)); !errors.Is(err, ErrNotFound) {
		t.Errorf("not found: %v", err)
	}
	if err := completed(&qdrant.UpdateResult{Status: qdrant.UpdateStatus_Completed}, nil); err != nil {
		t.Errorf("completed: %v", err)
	}
}

// FuzzPayload reads payloads from arbitrary bytes: what is read comes back the
// same when written.
func FuzzPayload(f *testing.F) {
	payload := point(3).Payload
	seed, err := proto.Marshal(&qdrant.Struct{Fields: payload.values()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	wrong, err := proto.Marshal(&qdrant.Struct{Fields: map[string]*qdrant.Value{"tokens": qdrant.NewValueString("9")}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(wrong)
	f.Fuzz(func(t *testing.T, data []byte) {
		var fields qdrant.Struct
		if proto.Unmarshal(data, &fields) != nil {
			return
		}
		payload, wrong := readPayload(fields.GetFields())
		ref, err := textOf(fields.GetFields(), refField)
		if err == nil && ref != payload.PointIDReadable || err != nil && wrong == "" {
			t.Fatalf("the chunk_ref of %+v is %q, %v", payload, ref, err)
		}
		if again, wrong := readPayload(payload.values()); wrong != "" || again != payload {
			t.Fatalf("%+v became %+v, %s", payload, again, wrong)
		}
	})
}
