package access

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/pkg/access"
)

// checkUse holds what was used against what may be: nothing was refused, and what was
// never used has its reason.
func (r *rig) checkUse() {
	t := r.t
	t.Helper()
	r.nothingIsRefused()
	bus, _ := r.bus.log.uses()
	tables, _ := r.catalogUses()
	uses := make(map[string]bool)
	for _, role := range access.Roles(names()) {
		for _, b := range role.Bus {
			verb := "publish"
			if b.Subscribe {
				verb = "subscribe"
			}
			for u := range bus {
				if u.role == role.Name && u.verb == verb && matches(b.Subject, u.subject) {
					uses[strings.Join([]string{role.Name, verb, b.Subject}, " ")] = true
				}
			}
		}
	}
	for u := range tables {
		uses[strings.Join([]string{u.role, u.verb, u.table}, " ")] = true
		if u.verb == "lock" {
			uses[strings.Join([]string{u.role, "update", u.table}, " ")] = true
		}
	}
	stored, _ := r.objects.uses()
	for _, o := range stored {
		uses[o] = true
	}
	for _, right := range r.allRights() {
		if reason := unused(right); !uses[right] && reason == "" {
			t.Errorf("%s: it was never used, and there is no reason for it", right)
		}
	}
}

// allRights are the rights of all roles as lines: role, verb, on what. Those on objects
// are known to be used only where the store enforces and tells them.
func (r *rig) allRights() []string {
	var all []string
	for name, one := range parsed(r.t) {
		for _, s := range one.publish {
			all = append(all, name+" publish "+s)
		}
		for _, s := range one.subscribe {
			all = append(all, name+" subscribe "+s)
		}
		for table, verbs := range one.tables {
			for _, v := range verbs {
				all = append(all, name+" "+map[rune]string{'r': "select", 'i': "insert", 'u': "update", 'd': "delete"}[v]+" "+table)
			}
		}
		for bucket, verbs := range one.objects {
			for _, verb := range verbs {
				if r.objects.enforced {
					all = append(all, name+" "+verb+" "+bucket)
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// universe are the subjects that are tried as every role: each that any role may publish
// to, its neighbours, and every request of JetStream about every stream and consumer.
func universe(all map[string]*rights) []string {
	tried := make(map[string]bool)
	for _, one := range all {
		for _, pattern := range slices.Concat(one.publish, one.deny) {
			subject := strings.ReplaceAll(strings.ReplaceAll(pattern, "*", "other"), ">", "a.b.c.d.e")
			tried[subject] = true
			tokens := strings.Split(subject, ".")
			tried[subject+".more"], tried[strings.Join(tokens[:len(tokens)-1], ".")] = true, true
			for i := range tokens { // another installation, another stream, another verb
				changed := slices.Clone(tokens)
				changed[i] += "x"
				tried[strings.Join(changed, ".")] = true
			}
		}
	}
	streams := []string{"REQUESTS", "SNAPSHOTS", "PAGES", "IR", "ENTITIES", "CHUNKS", "VECTORS", "OUTCOMES", "CONTROL", "DLQ"}
	for _, stream := range append(streams, "FOREIGN") {
		for _, verb := range []string{"CREATE", "UPDATE", "INFO", "DELETE", "PURGE", "MSG.GET", "MSG.DELETE", "SNAPSHOT", "RESTORE", "LEADER.STEPDOWN", "PEER.REMOVE"} {
			tried["$JS.API.STREAM."+verb+".ACC_"+stream] = true
		}
		tried["$JS.API.DIRECT.GET.ACC_"+stream] = true
		for _, verb := range []string{"NAMES", "LIST"} {
			tried["$JS.API.CONSUMER."+verb+".ACC_"+stream] = true
		}
		for _, consumer := range []string{"capture", "split", "extract", "ocr", "chunk", "index", "other"} {
			for _, verb := range []string{"CREATE", "DURABLE.CREATE", "INFO", "DELETE", "MSG.NEXT", "PAUSE", "UNPIN", "LEADER.STEPDOWN"} {
				tried["$JS.API.CONSUMER."+verb+".ACC_"+stream+"."+consumer] = true
			}
			tried["$JS.API.CONSUMER.CREATE.ACC_"+stream+"."+consumer+".acc.>"] = true
			tried["$JS.ACK.ACC_"+stream+"."+consumer+".1.1.1.1.1"] = true
		}
	}
	for _, subject := range []string{
		"$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST", "$JS.API.ACCOUNT.PURGE.COLOPHON", "$SYS.REQ.SERVER.PING",
		"_INBOX.capturer.x", "acc", "other.capture.requested.night", "acc.correction.decided.night", "acc.source.changed.night",
		"acc.entities.extracted.night",
	} {
		tried[subject] = true
	}
	return slices.Sorted(maps.Keys(tried))
}

// violation is what the server says of a right that is missing.
var violation = regexp.MustCompile(`permissions violation for (publish|subscription) to "[^"]*"`)

// refusedByBus tries every subject as every role.
func (r *rig) refusedByBus(t *testing.T) {
	all := parsed(t)
	subjects := universe(all)
	listens := []string{
		">", "*", "_INBOX.>", "_INBOX.*.>", "acc.>", "acc.capture.requested.*", "acc.capture.completed.*", "acc.capture.completed.night",
		"acc.chunk.created.*", "$JS.>", "$SYS.>", "$JS.EVENT.ADVISORY.>",
	}
	for name := range all {
		listens = append(listens, "_INBOX."+name+".x")
	}
	refused := 0
	for name, one := range all {
		if len(one.subscribe) == 0 { // it has no identity on the bus
			continue
		}
		var mu sync.Mutex
		heard := make(map[string]bool)
		nc := r.connect(name, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			mu.Lock()
			defer mu.Unlock()
			heard[violation.FindString(strings.ToLower(err.Error()))] = true
		}))
		want := make(map[string]bool)
		for _, subject := range subjects {
			if !one.mayPublish(subject) {
				want[strings.ToLower(fmt.Sprintf("permissions violation for publish to %q", subject))] = true
				if err := nc.Publish(subject, []byte("x")); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, subject := range listens {
			if !slices.ContainsFunc(one.subscribe, func(p string) bool { return matches(p, subject) }) {
				want[strings.ToLower(fmt.Sprintf("permissions violation for subscription to %q", subject))] = true
				if _, err := nc.SubscribeSync(subject); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		missing := func() (left []string) {
			mu.Lock()
			defer mu.Unlock()
			for violation := range want {
				if !heard[violation] {
					left = append(left, violation)
				}
			}
			return left
		}
		tries := 0
		await(t, "the server has answered "+name, func() bool { tries++; return len(missing()) == 0 || tries > 100 })
		for _, violation := range missing() {
			t.Errorf("%s was not refused: no %s", name, violation)
		}
		refused += len(want)
	}
	t.Logf("%d roles, %d subjects: %d refusals", len(all), len(subjects), refused)
}

// refusedByCatalog tries every verb on every table as every role.
func (r *rig) refusedByCatalog(t *testing.T) {
	all := parsed(t)
	columns := make(map[string][]string)
	rows, err := r.admin.Query(t.Context(), `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = $1`, schema)
	if err != nil {
		t.Fatal(err)
	}
	var table, column string
	if _, err := pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		columns[table] = append(columns[table], column)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	allowed := make(map[string]access.Table)
	for _, role := range access.Roles(names()) {
		for _, right := range role.Tables {
			allowed[role.Name+" "+right.Name] = right
		}
	}
	views := r.seedViews(t)
	cells := 0
	for name, one := range all {
		if len(one.tables) == 0 && len(one.views) == 0 {
			continue
		}
		conn, err := r.openAs(name)
		if err != nil {
			t.Fatal(err)
		}
		try := func(may bool, statement string) {
			cells++
			if denied := isDenied(t, conn, statement); denied == may {
				t.Errorf("%s: %s: refused %v, must be %v", name, statement, denied, !may)
			}
		}
		for table, all := range columns {
			right, full := one.tables[table], `"`+schema+`"."`+table+`"`
			try(strings.Contains(right, "r"), "SELECT * FROM "+full+" LIMIT 0")
			try(strings.Contains(right, "i"), "INSERT INTO "+full+" DEFAULT VALUES")
			try(strings.Contains(right, "d"), "DELETE FROM "+full+" WHERE false")
			for _, column := range all {
				try(slices.Contains(allowed[name+" "+table].Update, column), "UPDATE "+full+` SET "`+column+`" = DEFAULT WHERE false`)
			}
			try(false, "TRUNCATE "+full)
			try(strings.Contains(right, "d"), "LOCK TABLE "+full+" IN ACCESS EXCLUSIVE MODE NOWAIT") // who may delete may lock, says PostgreSQL
			try(false, "CREATE INDEX ON "+full+" ((1))")
			try(false, "DROP TABLE "+full)
		}
		for _, view := range views {
			try(one.views[view.seed] == "r", "SELECT * FROM "+view.name+" LIMIT 0")
			try(false, "DROP VIEW "+view.name)
			cells++
			var may bool // to write: a view that nobody can write through refuses that before it asks who comes
			if err := conn.QueryRow(t.Context(), `SELECT has_table_privilege($1, 'INSERT, UPDATE, DELETE, TRUNCATE')`, view.name).Scan(&may); may {
				t.Errorf("%s may write to %s (%v)", name, view.name, err)
			}
		}
		try(false, `CREATE TABLE "`+schema+`".mine (x int)`)
		try(false, "CREATE ROLE "+rolePrefix+"mine")
		try(false, "SET ROLE "+rolePrefix+access.Operator)
		try(false, "SELECT pg_read_file('PG_VERSION')")
		_ = conn.Close(t.Context())
	}
	t.Logf("%d cells of %d tables", cells, len(columns))
}

// seedView is a view of the founding documents.
type seedView struct{ seed, name string }

// seedViews returns the views that the catalog has.
func (r *rig) seedViews(t *testing.T) []seedView {
	t.Helper()
	var all []seedView
	for _, seed := range access.Seeds() {
		rows, err := r.admin.Query(t.Context(), `SELECT viewname::text FROM pg_views WHERE schemaname = $1`, access.SeedSchema(schema, seed))
		if err != nil {
			t.Fatal(err)
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(names) < 3 {
			t.Fatalf("views of %s: %v, %v", seed, names, err)
		}
		for _, name := range names {
			all = append(all, seedView{seed, pgx.Identifier{access.SeedSchema(schema, seed), name}.Sanitize()})
		}
	}
	return all
}

// isDenied tries a statement, undoes it, and reports whether a right was missing.
func isDenied(t *testing.T, conn *pgx.Conn, statement string) bool {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	_, err = tx.Exec(t.Context(), statement)
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "42501"
}
