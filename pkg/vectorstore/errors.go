package vectorstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// What the vector store finds that is no failure of a call by itself, in the words that
// stages have for it.
var (
	ErrNotFound = fault.ErrNoCollection // the collection, the alias, or a point whose payload was to be changed
	ErrTrouble  = fault.ErrVectorStore
	ErrMismatch = fault.ErrOtherVectors
)

// classify gives an error of the driver its kind. parent is the context of the
// caller: when that has ended the error is its end, while an end of our own
// timeout means that the server is too slow, which is a way to be away.
func classify(parent context.Context, err error) error {
	if parent.Err() != nil {
		return fmt.Errorf("%w (%v)", parent.Err(), err)
	}
	if errors.Is(err, ErrNotFound) || errors.Is(err, credential.ErrFile) || fault.KindOf(err) == fault.KindPermanent {
		return err
	}
	var exhausted *qdrant.QdrantResourceExhaustedError
	if errors.As(err, &exhausted) {
		return fault.Transient(fmt.Errorf("%w: %w", ErrTrouble, err))
	}
	switch codeOf(err) {
	case codes.Unauthenticated, codes.PermissionDenied:
		return credential.Refused(store, err)
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		if ofCertificate(err) {
			return credential.Refused(store, err)
		}
		return fault.Unavailable(err)
	case codes.NotFound:
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case codes.InvalidArgument, codes.FailedPrecondition, codes.OutOfRange, codes.Unimplemented, codes.AlreadyExists:
		return fault.Permanent(fault.Internal, err)
	default: // ResourceExhausted, Aborted, Internal, Unknown, DataLoss: the server's trouble, not the points'
		return fault.Transient(fmt.Errorf("%w: %w", ErrTrouble, err))
	}
}

// ofCertificate reports whether the server has ended a connection for want of a
// certificate that it takes. gRPC keeps of such an error the text alone.
func ofCertificate(err error) bool {
	text := err.Error()
	return strings.Contains(text, "remote error: tls:") && strings.Contains(text, "certificate")
}

// codeOf returns the gRPC code of err, however it is wrapped, also when our own
// timeout ended the call before the driver could say so.
func codeOf(err error) codes.Code {
	if errors.Is(err, context.DeadlineExceeded) {
		return codes.DeadlineExceeded
	}
	return status.Code(err)
}

// completed is nil when the write was applied. The server says "wait timeout"
// and "clock rejected" without an error (contracts#point-writes): both mean that the
// write must be sent again.
func completed(result *qdrant.UpdateResult, err error) error {
	if err != nil {
		return err
	}
	if result.GetStatus() != qdrant.UpdateStatus_Completed {
		return status.Errorf(codes.Unavailable, "write not completed: %s", result.GetStatus())
	}
	return nil
}
