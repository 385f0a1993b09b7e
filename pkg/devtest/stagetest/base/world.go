// Package base is what the tests of all stages have in common: a catalog of a test's
// own, doors before the servers, and an ear for what a stage says. Stages that use the
// object store begin with package stagetest, which adds it.
package base

import (
	"bytes"
	"net/url"
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
)

// World is a catalog, migrated, which is a test's own, with an ear for a stage over it.
type World struct {
	*testing.T
	Ear
	Env *devtest.Env
	DB  *catalog.DB

	// What DB and who uses Env's addresses go through, so that a test can close it: nil
	// in a world without doors.
	CatalogDoor, ObjectsDoor, VectorsDoor *Door
}

// New returns a world in which nothing has happened.
func New(t *testing.T) *World {
	t.Helper()
	w := &World{T: t, Env: devtest.Start(t)}
	w.open()
	return w
}

// NewBehindDoors returns a world whose stores can be made unavailable. The doors are
// open.
func NewBehindDoors(t *testing.T) *World {
	t.Helper()
	w := &World{T: t, Env: devtest.Start(t)}
	catalogAt, err := url.Parse(w.Env.PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	query := catalogAt.Query()
	w.CatalogDoor = openDoor(t, "unix", query.Get("host")+"/.s.PGSQL.5432")
	query.Del("host")
	catalogAt.Host, catalogAt.RawQuery = w.CatalogDoor.Address(), query.Encode()
	w.Env.PostgresURL = catalogAt.String()
	objectsAt, err := url.Parse(w.Env.S3Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	w.ObjectsDoor = openDoor(t, "tcp", objectsAt.Host)
	objectsAt.Host = w.ObjectsDoor.Address()
	w.Env.S3Endpoint = objectsAt.String()
	w.VectorsDoor = openDoor(t, "tcp", w.Env.QdrantAddr)
	w.Env.QdrantAddr = w.VectorsDoor.Address()
	w.open()
	return w
}

// open makes the catalog.
func (w *World) open() {
	w.Helper()
	var err error
	if w.DB, err = catalog.Open(w.Context(), catalog.Config{URL: w.Env.PostgresURL, Schema: w.Env.Schema}); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(w.DB.Close)
	if err := w.DB.Migrate(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// Dump returns the catalog's rows as `colophon dump` prints them: equal dumps mean that
// nothing was written but times and counts.
func (w *World) Dump() string {
	w.Helper()
	var b bytes.Buffer
	if err := w.DB.Dump(w.Context(), &b, false); err != nil {
		w.Fatal(err)
	}
	return b.String()
}
