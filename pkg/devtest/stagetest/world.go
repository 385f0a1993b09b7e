// Package stagetest is the one beginning of the tests of stages: a catalog and an object
// store of a test's own, documents in them as far as the stages before have come, and
// an ear for what the stage says. A stage's package adds its stage and its words.
package stagetest

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/devtest/stagetest/base"
)

// Door stands between a test and a server.
type Door = base.Door

// World is a catalog, migrated, and an object store with its buckets, which are a
// test's own, with an ear for a stage over them.
type World struct {
	*base.World
	Blobs *blobstore.Store
}

// New returns a world in which nothing has happened.
func New(t *testing.T) *World {
	t.Helper()
	return over(base.New(t))
}

// NewBehindDoors returns a world whose stores can be made unavailable. The doors are
// open.
func NewBehindDoors(t *testing.T) *World {
	t.Helper()
	return over(base.NewBehindDoors(t))
}

// over makes the object store.
func over(under *base.World) *World {
	under.Helper()
	blobs, err := blobstore.Open(under.Context(), blobstore.Config{Endpoint: under.Env.S3Endpoint, AccessKey: under.Env.S3AccessKey,
		SecretKey: under.Env.S3SecretKey, BucketPrefix: under.Env.BucketPrefix})
	if err != nil {
		under.Fatal(err)
	}
	if err := blobs.EnsureBuckets(under.Context()); err != nil {
		under.Fatal(err)
	}
	return &World{World: under, Blobs: blobs}
}
