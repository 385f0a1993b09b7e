package access

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/test/programs"
)

// checkLists lists what there is, in the tree and on the servers, and wants a line of the
// table for each service, event, stream, consumer, table and bucket.
func (r *rig) checkLists() {
	t := r.t
	t.Helper()
	all := parsed(t)
	some := func(what string, has func(name string, one *rights) bool) {
		t.Helper()
		for name, one := range all {
			if has(name, one) {
				return
			}
		}
		t.Errorf("no role has a line for %s", what)
	}
	services, err := os.ReadDir(filepath.Join(root, "services"))
	if err != nil || len(services) != len(programs.Services()) {
		t.Errorf("%d services: %v", len(services), err)
	}
	for _, s := range services {
		roles := []string{s.Name()}
		if s.Name() == "extractor" { // its consumers have one each
			roles = []string{"extract", "ocr"}
		}
		for _, role := range roles {
			some("service "+role, func(name string, _ *rights) bool { return name == role })
		}
	}
	events, err := filepath.Glob(filepath.Join(root, "pkg", "event", "schemas", "*.json"))
	if err != nil || len(events) == 0 {
		t.Fatal(events, err)
	}
	for _, file := range events {
		event := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(filepath.Base(file), ".json"), "colophon."), ".v1")
		some("event "+event, func(_ string, one *rights) bool { return one.mayPublish("acc." + event + "." + source) })
	}
	r.checkStreams(some)
	rows, err := r.admin.Query(t.Context(), `SELECT table_name::text FROM information_schema.tables WHERE table_schema = $1`, schema)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	for _, table := range tables {
		some("table "+table, func(_ string, one *rights) bool { return one.tables[table] != "" })
	}
	for _, bucket := range blobstore.Buckets() {
		some("bucket "+string(bucket), func(_ string, one *rights) bool { return len(one.objects[string(bucket)]) > 0 })
	}
}

func (r *rig) checkStreams(some func(string, func(string, *rights) bool)) {
	t := r.t
	t.Helper()
	js, err := jetstream.New(r.connect(chaos))
	if err != nil {
		t.Fatal(err)
	}
	streams := js.ListStreams(t.Context())
	count := 0
	for info := range streams.Info() {
		count++
		name := info.Config.Name
		some("stream "+name, func(_ string, one *rights) bool { return slices.Contains(one.publish, "$JS.API.STREAM.INFO."+name) })
		for _, subject := range info.Config.Subjects {
			if noun := strings.Split(subject, ".")[1]; noun != "entities" && noun != "source" && noun != "correction" { // nobody tells them yet
				some("subject "+subject, func(_ string, one *rights) bool {
					return slices.ContainsFunc(one.publish, func(p string) bool { return strings.HasPrefix(p, "acc."+noun+".") })
				})
			}
		}
		stream, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for consumer := range stream.ListConsumers(t.Context()).Info() {
			var takers []string
			for role, one := range parsed(t) {
				if one.mayPublish("$JS.API.CONSUMER.MSG.NEXT." + name + "." + consumer.Name) {
					takers = append(takers, role)
				}
			}
			if len(takers) != 1 {
				t.Errorf("consumer %s of %s is that of %v, must be one role's", consumer.Name, name, takers)
			}
		}
	}
	if streams.Err() != nil || count == 0 {
		t.Fatal(count, streams.Err())
	}
}
