// Package stream is delivery: JetStream's streams and consumers (contracts#streams),
// publishing, the one runner that decides what becomes of a message, dead
// letters, and following events. It is the only importer of nats.go.
//
// JetStream is delivery, never the record: everything here may be lost and is
// rebuilt from the catalog.
package stream
