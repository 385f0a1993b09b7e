package access

import (
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/access"
)

// expected is what each role may, written by hand: whoever changes pkg/access has to say
// here too what he means. Subjects are without the prefix; "api" are requests of JetStream
// about a stream, and what follows in it; "but" are those among them that are refused.
// Of a table, r reads, i inserts, u updates (some columns), d deletes; of all views of a
// schema, r reads.
const expected = `
capturer
  publish capture.completed.* snapshot.stored.* ir.extracted.* dlq.capture.*
  api STREAM.INFO:REQUESTS STREAM.PURGE:REQUESTS CONSUMER.INFO:REQUESTS.capture CONSUMER.MSG.NEXT:REQUESTS.capture
  ack REQUESTS.capture
  objects raw=look,get,put inbox=look,get
  tables attempts=riud bindings=riud sources=ri captures=riu fetch_windows=riu fetch_hosts=riu fetch_turns=riud documents=riu
  tables document_identities=ri snapshots=riu runs=r run_ranges=r ir_segments=r chunk_manifests=r adopted_objects=riu goose_db_version=r
splitter
  publish page.split.* dlq.split.*
  api STREAM.INFO:SNAPSHOTS CONSUMER.INFO:SNAPSHOTS.split CONSUMER.MSG.NEXT:SNAPSHOTS.split
  ack SNAPSHOTS.split
  objects raw=look,get derived=look,get,put
  tables attempts=riud bindings=riud sources=r snapshots=ru runs=riu pages=ri run_ranges=ri
  tables adopted_objects=riu ir_segments=r stored_results=r llm_answers=r goose_db_version=r
extract
  publish ir.extracted.* page.ocr_requested.* page.split.* dlq.extract.*
  api STREAM.INFO:PAGES CONSUMER.INFO:PAGES.extract CONSUMER.MSG.NEXT:PAGES.extract
  ack PAGES.extract
  objects raw=look,get derived=look,get,put
  tables attempts=riud bindings=riu snapshots=ru runs=riu pages=riu ir_segments=ri ocr_tasks=riu stored_results=r
  tables adopted_objects=riu llm_answers=r goose_db_version=r
ocr
  publish page.ocr_completed.* dlq.ocr.*
  api STREAM.INFO:PAGES CONSUMER.INFO:PAGES.ocr CONSUMER.MSG.NEXT:PAGES.ocr
  ack PAGES.ocr
  objects raw=look,get derived=look,get,put
  tables attempts=riud snapshots=r runs=ru ocr_tasks=ru stored_results=ri adopted_objects=riu ir_segments=r llm_answers=r goose_db_version=r
chunker
  publish chunk.created.* chunk.superseded.* chunk.removed.* run.completed.* ir.enrich_requested.* dlq.chunk.*
  api STREAM.INFO:IR CONSUMER.INFO:IR.chunk CONSUMER.MSG.NEXT:IR.chunk
  ack IR.chunk
  objects derived=look,get
  tables attempts=riud bindings=riu snapshots=r captures=r documents=ru staged_items=riu runs=ru run_ranges=r pages=ru ir_segments=r
  tables chunk_manifests=riu chunks=ri chunk_words=i chunk_state=riu knowledge=riud chunk_log=riu epochs=r enrichments=ru enrichment_waits=riud goose_db_version=r
annotator
  publish entities.extracted.* ir.enriched.* dlq.entities.* dlq.enrich.* ask.answered.*
  subscribe ask.requested
  api STREAM.INFO:IR CONSUMER.INFO:IR.entities CONSUMER.MSG.NEXT:IR.entities CONSUMER.INFO:IR.enrich CONSUMER.MSG.NEXT:IR.enrich
  ack IR.entities IR.enrich
  objects derived=look,get,put
  tables attempts=riud bindings=riu snapshots=r runs=ru run_ranges=r pages=r ir_segments=r entity_pages=riu entities=riu goose_db_version=r
  tables adopted_objects=riu stored_results=r llm_answers=ri llm_use=riu chunks=r enrichments=riu enrichment_waits=r
indexer
  publish vector.indexed.* vector.removed.* dlq.index.*
  api STREAM.INFO:CHUNKS CONSUMER.INFO:CHUNKS.index CONSUMER.MSG.NEXT:CHUNKS.index
  ack CHUNKS.index
  tables attempts=riud collections=riu chunk_vectors=riud chunks=r chunk_state=r chunk_log=r chunk_manifests=ru staged_items=ru
  tables embedding_cache=ri embedding_use=riu
  tables documents=ru goose_db_version=r
gateway
  whole $JS.API.INFO
  publish ask.requested
  subscribe ask.answered.*
  api STREAM.INFO:REQUESTS STREAM.INFO:SNAPSHOTS STREAM.INFO:PAGES STREAM.INFO:IR STREAM.INFO:ENTITIES STREAM.INFO:CHUNKS
  api STREAM.INFO:VECTORS STREAM.INFO:OUTCOMES STREAM.INFO:CONTROL STREAM.INFO:DLQ
  api CONSUMER.INFO:REQUESTS.capture CONSUMER.INFO:SNAPSHOTS.split CONSUMER.INFO:PAGES.extract CONSUMER.INFO:PAGES.ocr
  api CONSUMER.INFO:IR.chunk CONSUMER.INFO:IR.entities CONSUMER.INFO:IR.enrich CONSUMER.INFO:CHUNKS.index
  api STREAM.MSG.GET:SNAPSHOTS STREAM.MSG.GET:PAGES STREAM.MSG.GET:IR STREAM.MSG.GET:CHUNKS
  objects raw=look,get derived=look,get,put
  tables captures=r chunk_log=r chunk_manifests=r chunk_state=r chunk_vectors=r chunk_words=r chunks=r collections=r documents=r epochs=r ir_segments=r
  tables ocr_tasks=r pages=r runs=r snapshots=r sources=r entities=r entity_pages=r enrichments=r enrichment_waits=r goose_db_version=r
janitor
  publish capture.requested.* snapshot.stored.* page.split.* ir.extracted.* chunk.created.* chunk.superseded.* chunk.removed.* source.changed.*
  publish capture.completed.* run.completed.* dlq.capture.* dlq.split.* dlq.extract.* dlq.ocr.* dlq.chunk.* dlq.entities.* dlq.enrich.* dlq.index.*
  api STREAM.INFO:REQUESTS STREAM.INFO:SNAPSHOTS STREAM.INFO:PAGES STREAM.INFO:IR STREAM.INFO:ENTITIES STREAM.INFO:CHUNKS
  api STREAM.INFO:VECTORS STREAM.INFO:OUTCOMES STREAM.INFO:CONTROL STREAM.INFO:DLQ
  api CONSUMER.INFO:REQUESTS.capture CONSUMER.INFO:SNAPSHOTS.split CONSUMER.INFO:PAGES.extract CONSUMER.INFO:PAGES.ocr
  api CONSUMER.INFO:IR.chunk CONSUMER.INFO:IR.entities CONSUMER.INFO:IR.enrich CONSUMER.INFO:CHUNKS.index
  api STREAM.MSG.GET:SNAPSHOTS STREAM.MSG.GET:PAGES STREAM.MSG.GET:IR STREAM.MSG.GET:CHUNKS
  objects raw=look,delete derived=look,delete
  tables bindings=riu audit=riu sources=r adopted_objects=rd captures=ru snapshots=ru runs=riu pages=riu documents=ru run_ranges=r ir_segments=r
  tables enrichments=r enrichment_waits=r llm_answers=r stored_results=r chunk_manifests=ru chunks=r chunk_words=ru chunk_state=r knowledge=r chunk_log=r epochs=r chunk_vectors=riud collections=ru goose_db_version=r
provision
  whole $JS.API.INFO
  api STREAM.CREATE:REQUESTS STREAM.UPDATE:REQUESTS STREAM.INFO:REQUESTS STREAM.CREATE:SNAPSHOTS STREAM.UPDATE:SNAPSHOTS STREAM.INFO:SNAPSHOTS
  api STREAM.CREATE:PAGES STREAM.UPDATE:PAGES STREAM.INFO:PAGES STREAM.CREATE:IR STREAM.UPDATE:IR STREAM.INFO:IR
  api STREAM.CREATE:ENTITIES STREAM.UPDATE:ENTITIES STREAM.INFO:ENTITIES STREAM.CREATE:CHUNKS STREAM.UPDATE:CHUNKS STREAM.INFO:CHUNKS
  api STREAM.CREATE:VECTORS STREAM.UPDATE:VECTORS STREAM.INFO:VECTORS STREAM.CREATE:OUTCOMES STREAM.UPDATE:OUTCOMES STREAM.INFO:OUTCOMES
  api STREAM.CREATE:CONTROL STREAM.UPDATE:CONTROL STREAM.INFO:CONTROL STREAM.CREATE:DLQ STREAM.UPDATE:DLQ STREAM.INFO:DLQ
  api CONSUMER.CREATE:REQUESTS.capture CONSUMER.CREATE:SNAPSHOTS.split CONSUMER.CREATE:PAGES.extract CONSUMER.CREATE:PAGES.ocr CONSUMER.CREATE:IR.chunk CONSUMER.CREATE:IR.entities CONSUMER.CREATE:IR.enrich CONSUMER.CREATE:CHUNKS.index
  api CONSUMER.INFO:REQUESTS.capture CONSUMER.INFO:SNAPSHOTS.split CONSUMER.INFO:PAGES.extract CONSUMER.INFO:PAGES.ocr CONSUMER.INFO:IR.chunk CONSUMER.INFO:IR.entities CONSUMER.INFO:IR.enrich CONSUMER.INFO:CHUNKS.index
  objects raw=make,look derived=make,look inbox=make,look bundles=make,look
operator
  publish capture.requested.* snapshot.stored.* run.requested.* page.split.* page.ocr_requested.* page.ocr_completed.* ir.extracted.*
  publish chunk.created.* chunk.superseded.* chunk.removed.* source.changed.*
  api STREAM.INFO:REQUESTS STREAM.INFO:SNAPSHOTS STREAM.INFO:PAGES STREAM.INFO:IR STREAM.INFO:ENTITIES STREAM.INFO:CHUNKS
  api STREAM.INFO:VECTORS STREAM.INFO:OUTCOMES STREAM.INFO:CONTROL STREAM.INFO:DLQ
  api CONSUMER.INFO:REQUESTS.capture CONSUMER.INFO:SNAPSHOTS.split CONSUMER.INFO:PAGES.extract CONSUMER.INFO:PAGES.ocr CONSUMER.INFO:IR.chunk CONSUMER.INFO:IR.entities CONSUMER.INFO:IR.enrich CONSUMER.INFO:CHUNKS.index
  api CONSUMER.CREATE:SNAPSHOTS.* CONSUMER.CREATE:SNAPSHOTS.*.> CONSUMER.MSG.NEXT:SNAPSHOTS.* CONSUMER.DELETE:SNAPSHOTS.*
  api CONSUMER.CREATE:PAGES.* CONSUMER.CREATE:PAGES.*.> CONSUMER.MSG.NEXT:PAGES.* CONSUMER.DELETE:PAGES.*
  api CONSUMER.CREATE:IR.* CONSUMER.CREATE:IR.*.> CONSUMER.MSG.NEXT:IR.* CONSUMER.DELETE:IR.*
  api CONSUMER.CREATE:ENTITIES.* CONSUMER.CREATE:ENTITIES.*.> CONSUMER.MSG.NEXT:ENTITIES.* CONSUMER.DELETE:ENTITIES.*
  api CONSUMER.CREATE:CHUNKS.* CONSUMER.CREATE:CHUNKS.*.> CONSUMER.MSG.NEXT:CHUNKS.* CONSUMER.DELETE:CHUNKS.*
  api CONSUMER.CREATE:VECTORS.* CONSUMER.CREATE:VECTORS.*.> CONSUMER.MSG.NEXT:VECTORS.* CONSUMER.DELETE:VECTORS.*
  api CONSUMER.CREATE:OUTCOMES.* CONSUMER.CREATE:OUTCOMES.*.> CONSUMER.MSG.NEXT:OUTCOMES.* CONSUMER.DELETE:OUTCOMES.*
  api CONSUMER.CREATE:CONTROL.* CONSUMER.CREATE:CONTROL.*.> CONSUMER.MSG.NEXT:CONTROL.* CONSUMER.DELETE:CONTROL.*
  but CONSUMER.CREATE:SNAPSHOTS.split CONSUMER.CREATE:SNAPSHOTS.split.> CONSUMER.MSG.NEXT:SNAPSHOTS.split CONSUMER.DELETE:SNAPSHOTS.split
  but CONSUMER.CREATE:PAGES.extract CONSUMER.CREATE:PAGES.extract.> CONSUMER.MSG.NEXT:PAGES.extract CONSUMER.DELETE:PAGES.extract
  but CONSUMER.CREATE:PAGES.ocr CONSUMER.CREATE:PAGES.ocr.> CONSUMER.MSG.NEXT:PAGES.ocr CONSUMER.DELETE:PAGES.ocr
  but CONSUMER.CREATE:IR.chunk CONSUMER.CREATE:IR.chunk.> CONSUMER.MSG.NEXT:IR.chunk CONSUMER.DELETE:IR.chunk
  but CONSUMER.CREATE:IR.entities CONSUMER.CREATE:IR.entities.> CONSUMER.MSG.NEXT:IR.entities CONSUMER.DELETE:IR.entities
  but CONSUMER.CREATE:IR.enrich CONSUMER.CREATE:IR.enrich.> CONSUMER.MSG.NEXT:IR.enrich CONSUMER.DELETE:IR.enrich
  but CONSUMER.CREATE:CHUNKS.index CONSUMER.CREATE:CHUNKS.index.> CONSUMER.MSG.NEXT:CHUNKS.index CONSUMER.DELETE:CHUNKS.index
  api STREAM.MSG.GET:SNAPSHOTS STREAM.MSG.GET:PAGES STREAM.MSG.GET:IR STREAM.MSG.GET:CHUNKS STREAM.MSG.GET:DLQ STREAM.MSG.DELETE:DLQ
  objects raw=look,get derived=look,get inbox=look,get,put
verify
  objects raw=look,get derived=look,get
  tables bindings=r captures=r chunk_log=r chunk_manifests=r chunk_state=r chunk_vectors=r chunks=r collections=r document_identities=r
  tables documents=r fetch_windows=r ir_segments=r knowledge=r ocr_tasks=r pages=r run_ranges=r runs=r snapshots=r sources=r
  tables staged_items=r stored_results=r entities=r entity_pages=r enrichments=r enrichment_waits=r llm_answers=r goose_db_version=r
reader
  views seed003=r seed004=r
crawler-council
  publish capture.requested.council
  subscribe capture.completed.council
  api STREAM.INFO:OUTCOMES CONSUMER.CREATE:OUTCOMES.*.acc.capture.completed.council CONSUMER.MSG.NEXT:OUTCOMES.* CONSUMER.DELETE:OUTCOMES.*
  objects inbox=put
consumer-reader
  ack CHUNKS.reader
  api CONSUMER.INFO:CHUNKS.reader STREAM.INFO:CHUNKS CONSUMER.CREATE:CHUNKS.*.acc.chunk.> CONSUMER.MSG.NEXT:CHUNKS.* CONSUMER.DELETE:CHUNKS.*
  api STREAM.INFO:VECTORS CONSUMER.CREATE:VECTORS.*.acc.vector.> CONSUMER.MSG.NEXT:VECTORS.* CONSUMER.DELETE:VECTORS.*
  api STREAM.INFO:CONTROL CONSUMER.CREATE:CONTROL.*.acc.source.changed.* CONSUMER.MSG.NEXT:CONTROL.* CONSUMER.DELETE:CONTROL.*
  but CONSUMER.CREATE:CHUNKS.index.acc.chunk.> CONSUMER.MSG.NEXT:CHUNKS.index CONSUMER.DELETE:CHUNKS.index
sink-reader
  api STREAM.INFO:CHUNKS CONSUMER.CREATE:CHUNKS.*.acc.chunk.> CONSUMER.MSG.NEXT:CHUNKS.* CONSUMER.DELETE:CHUNKS.*
  but CONSUMER.CREATE:CHUNKS.index.acc.chunk.> CONSUMER.MSG.NEXT:CHUNKS.index CONSUMER.DELETE:CHUNKS.index
`

// rights are those of one role, as sorted lines of one form.
type rights struct {
	publish, deny, subscribe []string
	objects                  map[string][]string // bucket: verbs
	tables                   map[string]string   // table: r, i, u, d
	views                    map[string]string   // schema of views: r
}

// parsed reads the table above.
func parsed(t *testing.T) map[string]*rights {
	t.Helper()
	all := make(map[string]*rights)
	var one *rights
	for line := range strings.Lines(expected) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) == 1 && !strings.HasPrefix(line, " ") {
			one = &rights{objects: make(map[string][]string), tables: make(map[string]string), views: make(map[string]string)}
			all[words[0]] = one
			if words[0] != access.Reader && words[0] != access.Verify { // these have nothing to do with the bus
				one.subscribe = []string{"_INBOX." + words[0] + ".>"}
			}
			continue
		}
		for _, word := range words[1:] {
			one.add(t, words[0], word)
		}
	}
	for _, r := range all {
		slices.Sort(r.publish)
		slices.Sort(r.deny)
		slices.Sort(r.subscribe)
	}
	return all
}

func (r *rights) add(t *testing.T, kind, word string) {
	t.Helper()
	verb, rest, _ := strings.Cut(word, ":")
	name, what, _ := strings.Cut(word, "=")
	switch kind {
	case "publish":
		r.publish = append(r.publish, "acc."+word)
	case "subscribe":
		r.subscribe = append(r.subscribe, "acc."+word)
	case "whole":
		r.publish = append(r.publish, word)
	case "api":
		r.publish = append(r.publish, "$JS.API."+verb+".ACC_"+rest)
	case "but":
		r.deny = append(r.deny, "$JS.API."+verb+".ACC_"+rest)
	case "ack":
		r.publish = append(r.publish, "$JS.ACK.ACC_"+word+".>")
	case "objects":
		r.objects[name] = strings.Split(what, ",")
	case "tables":
		r.tables[name] = what
	case "views":
		r.views[name] = what
	default:
		t.Fatalf("%q is no kind of right", kind)
	}
}

// TestTablesAreEqual: what pkg/access says is what is written here by hand.
func TestTablesAreEqual(t *testing.T) {
	want := parsed(t)
	for _, role := range access.Roles(names()) {
		one, known := want[role.Name]
		if !known {
			t.Errorf("nothing is said of role %s here", role.Name)
			continue
		}
		delete(want, role.Name)
		publish, deny := role.Subjects(false)
		subscribe, _ := role.Subjects(true)
		differ(t, role.Name+" publishes", publish, one.publish)
		differ(t, role.Name+" may not publish", deny, one.deny)
		differ(t, role.Name+" subscribes", subscribe, one.subscribe)
		objects, wantObjects := []string{}, []string{}
		for _, o := range role.Objects {
			objects = append(objects, o.Bucket+" "+string(o.Verb))
		}
		for bucket, verbs := range one.objects {
			for _, verb := range verbs {
				wantObjects = append(wantObjects, bucket+" "+verb)
			}
		}
		differ(t, role.Name+" on objects", objects, wantObjects)
		tables, wantTables := []string{}, []string{}
		for _, table := range role.Tables {
			tables = append(tables, table.Name+"="+verbsOf(table))
		}
		for table, verbs := range one.tables {
			wantTables = append(wantTables, table+"="+verbs)
		}
		differ(t, role.Name+" on tables", tables, wantTables)
		views, wantViews := []string{}, []string{}
		for _, v := range role.Views {
			views = append(views, v.Seed+"=r")
		}
		for seed, verbs := range one.views {
			wantViews = append(wantViews, seed+"="+verbs)
		}
		differ(t, role.Name+" on views", views, wantViews)
	}
	for name := range want {
		t.Errorf("there is no role %s", name)
	}
}

func verbsOf(t access.Table) string {
	var verbs string
	for _, v := range []struct {
		has  bool
		verb string
	}{{t.Select, "r"}, {t.Insert, "i"}, {len(t.Update) > 0, "u"}, {t.Delete, "d"}} {
		if v.has {
			verbs += v.verb
		}
	}
	return verbs
}

// differ compares two lists as sets.
func differ(t *testing.T, what string, is, must []string) {
	t.Helper()
	is, must = slices.Compact(slices.Sorted(slices.Values(is))), slices.Compact(slices.Sorted(slices.Values(must)))
	for _, s := range is {
		if !slices.Contains(must, s) {
			t.Errorf("%s: %s is too much", what, s)
		}
	}
	for _, s := range must {
		if !slices.Contains(is, s) {
			t.Errorf("%s: %s is missing", what, s)
		}
	}
}

// matches reports whether a subject, in which * and > are plain text, is one of a
// pattern.
func matches(pattern, subject string) bool {
	p, s := strings.Split(pattern, "."), strings.Split(subject, ".")
	for i, token := range p {
		switch {
		case token == ">":
			return len(s) > i
		case i >= len(s), token != "*" && token != s[i]:
			return false
		}
	}
	return len(p) == len(s)
}

// mayPublish says what the table above says.
func (r *rights) mayPublish(subject string) bool {
	allowed := slices.ContainsFunc(r.publish, func(p string) bool { return matches(p, subject) })
	return allowed && !slices.ContainsFunc(r.deny, func(p string) bool { return matches(p, subject) })
}
