package blobstore

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/minio/minio-go/v7"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/fault"
)

var (
	// ErrNotFound says that there is no object under the key.
	ErrNotFound = errors.New("no such object")
	// ErrDamaged says that an object's bytes are not those of its digest.
	ErrDamaged = errors.New("the object does not have the digest that is recorded for it")
	// ErrTooLarge says that there is more to read than the caller allows.
	ErrTooLarge = errors.New("the object is larger than allowed")
	// ErrDenied says that the store refuses the operation. Outside of the inbox
	// it is also Unavailable: our own role lacks a permission.
	ErrDenied = errors.New("the object store refuses the operation")
)

// classify gives an error of the driver its kind. ctx is the caller's: when
// that has ended the error is its end, while an end of our own timeout means
// that the store is too slow, which is a way to be away.
func classify(ctx context.Context, b Bucket, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w (%v)", ctx.Err(), err)
	}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		if credential.OfCertificate(err) {
			return credential.Refused(store, err)
		}
		return fault.Unavailable(err) // refused, reset, timed out, cut off
	}
	switch {
	case ofKeys(answer):
		return credential.Refused(store, fmt.Errorf("%w: %w", ErrDenied, err))
	case answer.Code == minio.NoSuchKey:
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case answer.Code == minio.NoSuchBucket:
		return fault.Unavailable(err)
	case answer.StatusCode == http.StatusForbidden && b == Inbox && answer.Code == minio.AccessDenied:
		return fmt.Errorf("%w: %w", ErrDenied, err) // one crawler's object, not our store
	case answer.StatusCode == http.StatusForbidden, answer.StatusCode == http.StatusUnauthorized:
		return fault.Unavailable(fmt.Errorf("%w: %w", ErrDenied, err))
	case answer.StatusCode == http.StatusConflict:
		return fault.Defer(0, err) // another request for the key is in progress
	case refused(answer):
		return fault.Permanent(fault.Internal, err)
	default:
		return fault.Unavailable(err)
	}
}

// ofKeys reports whether the store's word is about the keys of a request, and not about
// what it asks for.
func ofKeys(answer minio.ErrorResponse) bool {
	switch answer.Code {
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "ExpiredTokenException", "InvalidToken", "InvalidTokenId",
		"XAdminUserNotFound", "TokenRefreshRequired", "InvalidSecurity", "NotSignedUp", "UnrecognizedClientException":
		return true
	}
	return false
}

// Lost is the error of an object that the catalog names, under what it is of. One
// that is not there or damaged is tried again, since also a store that is being
// restored, or a door before it, says so, and is Internal in the end.
func Lost(err error, what string) error {
	gone := errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged)
	if err != nil {
		err = fmt.Errorf("%s: %w", what, err)
	}
	if gone {
		return fault.TransientFor(fault.Internal, 0, err)
	}
	return err
}

// refused reports whether the store would give the same answer every time: what
// is wrong is the request. Of all other answers, also those of status 400, it is
// the store or the way there: a body that did not arrive whole, a key that has
// expired, a quota that is used up.
func refused(answer minio.ErrorResponse) bool {
	switch answer.StatusCode {
	case http.StatusMethodNotAllowed, http.StatusLengthRequired, http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong, http.StatusNotImplemented:
		return true
	}
	switch answer.Code {
	case "KeyTooLongError", "EntityTooLarge", "EntityTooSmall", "InvalidArgument", "InvalidRequest", "InvalidURI", "MalformedXML",
		"XMinioInvalidObjectName", "InvalidBucketName", "InvalidRange":
		return true
	}
	return false
}

// is reports whether err is an answer of the store with the HTTP status.
func is(err error, status int) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && answer.StatusCode == status
}
