package qdrant

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
)

// invalid refuses a request that breaks a rule of the API.
func invalid(format string, values ...any) error {
	return status.Errorf(codes.InvalidArgument, format, values...)
}

// unserved refuses what Qdrant has and this server does not.
func unserved(what string) error {
	return status.Errorf(codes.Unimplemented, "%s %v.", what, filter.ErrUnserved)
}

// refused gives an error of the filter package its code.
func refused(err error) error {
	if errors.Is(err, filter.ErrUnserved) {
		return status.Error(codes.Unimplemented, err.Error()+".")
	}
	return status.Error(codes.InvalidArgument, err.Error())
}

func noCollection(name string) error {
	return status.Errorf(codes.NotFound, "Not found: Collection `%s` doesn't exist!", name)
}
