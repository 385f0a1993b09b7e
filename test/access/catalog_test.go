package access

import (
	"crypto/rand"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/devstack/postgres"
	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/secrets"
)

// startPostgres starts the database server: its superuser comes over a socket, the roles
// over TCP with a certificate and a password, by SCRAM, and nobody else.
func (r *rig) startPostgres() {
	r.t.Helper()
	r.remote = postgres.Remote{Addr: devtest.FreeAddress(r.t), Rules: "hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-full\n"}
	r.openPostgres(r.first, r.first)
	var err error
	r.postgres, err = postgres.New(postgres.Options{Dir: filepath.Join(r.dir, "postgres"), NoSync: true, Remote: &r.remote})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(r.postgres.Kill)
	if err := r.postgres.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// openPostgres says by whom the server's certificate is, and those of its clients.
func (r *rig) openPostgres(own *secrets.Authority, clients ...*secrets.Authority) {
	r.remote.Cert, r.remote.Key = own.Issue("server", secrets.InAnHour())
	r.remote.ClientCA = ""
	for _, one := range clients {
		r.remote.ClientCA += one.PEM
	}
}

// startCatalog makes the operator, and lets him make the schema and the other roles.
// explained lets the server log each statement's plan with the role that has sent it.
func (r *rig) startCatalog(explained bool) {
	r.t.Helper()
	admin, err := pgx.Connect(r.t.Context(), r.postgres.URL())
	if err != nil {
		r.t.Fatal(err)
	}
	r.admin = admin
	owner, password := rolePrefix+access.Operator, rand.Text()
	statements := []string{
		"CREATE ROLE " + owner + " LOGIN CREATEROLE PASSWORD '" + password + "'", "GRANT CREATE ON DATABASE postgres TO " + owner,
		"ALTER SYSTEM SET log_line_prefix = '%u|'",
	}
	if explained {
		statements = append(statements, "LOAD 'auto_explain'", "ALTER SYSTEM SET session_preload_libraries = 'auto_explain'",
			"ALTER SYSTEM SET auto_explain.log_min_duration = 0", "ALTER SYSTEM SET auto_explain.log_verbose = on",
			"ALTER SYSTEM SET auto_explain.log_format = 'json'")
	}
	for _, statement := range append(statements, "SELECT pg_reload_conf()") {
		if _, err := admin.Exec(r.t.Context(), statement); err != nil {
			r.t.Fatalf("%s: %v", statement, err)
		}
	}
	r.showPassword(access.Operator, password)
	for range 2 { // it may be repeated
		r.makeRoles("passwords")
	}
	r.showPasswords("passwords")
}

// makeRoles has the operator make the roles with the passwords in a folder.
func (r *rig) makeRoles(folder string) {
	r.t.Helper()
	r.operator("migrate", "--roles", "--role-prefix", rolePrefix, "--passwords", filepath.Join(r.dir, folder))
}

// showPasswords gives each role but the operator the password that a folder has for it.
func (r *rig) showPasswords(folder string) {
	r.t.Helper()
	for _, role := range access.Roles(names()) {
		if !role.OfCatalog() {
			continue
		}
		password, err := os.ReadFile(filepath.Join(r.dir, folder, rolePrefix+role.Name))
		if err != nil {
			r.t.Fatal(err)
		}
		r.showPassword(role.Name, strings.TrimSpace(string(password)))
	}
}

// showPassword gives a role the password with which it connects.
func (r *rig) showPassword(role, password string) {
	r.t.Helper()
	u := url.URL{Scheme: "postgres", User: url.UserPassword(rolePrefix+role, password), Host: r.remote.Addr, Path: "/postgres"}
	r.mount(role).Change(map[string]string{"url": u.String()})
}

// openAs connects to the database server with what the role's files hold.
func (r *rig) openAs(role string) (*pgx.Conn, error) {
	m := r.mount(role)
	query := url.Values{"sslmode": {"verify-full"}, "sslrootcert": {m.Path("ca.crt")}, "sslcert": {m.Path("tls.crt")}, "sslkey": {m.Path("tls.key")}}
	return pgx.Connect(r.t.Context(), m.Now()["url"]+"?"+query.Encode())
}

// touched is what a statement did: by whom, to which table, with which verb.
type touched struct{ role, table, verb string }

// plan is what auto_explain says of a statement, as far as it is read.
type plan struct {
	Query string `json:"Query Text"`
	Plan  node   `json:"Plan"`
}

type node struct {
	Type      string   `json:"Node Type"`
	Operation string   `json:"Operation"`
	Relation  string   `json:"Relation Name"`
	Schema    string   `json:"Schema"`
	Conflict  string   `json:"Conflict Resolution"`
	Arbiters  []string `json:"Conflict Arbiter Indexes"`
	Output    []string `json:"Output"`
	Plans     []node   `json:"Plans"`
}

// catalogUses reads the server's log: what each role has done to which table, and what
// it was refused.
func (r *rig) catalogUses() (map[touched]bool, []string) {
	r.t.Helper()
	text, err := os.ReadFile(r.postgres.Log())
	if err != nil {
		r.t.Fatal(err)
	}
	uses := make(map[touched]bool)
	var refusals []string
	for _, entry := range logEntries(string(text)) {
		role, rest, found := strings.Cut(entry, "|")
		if !found || !strings.HasPrefix(role, rolePrefix) {
			continue
		}
		role = strings.TrimPrefix(role, rolePrefix)
		if strings.Contains(rest, "permission denied") {
			refusals = append(refusals, entry)
		}
		_, explained, found := strings.Cut(rest, "plan:\n")
		if !found {
			continue
		}
		var p plan
		if err := json.Unmarshal([]byte(strings.ReplaceAll(explained, "\n\t", "\n")), &p); err != nil {
			r.t.Errorf("a plan in the log cannot be read: %v\n%.300s", err, explained)
			continue
		}
		p.Plan.read(func(table, verb string) { uses[touched{role, table, verb}] = true }, false)
		for _, c := range updatedColumns(p.Query) {
			uses[touched{role, c.table, "update " + c.column}] = true
		}
	}
	return uses, refusals
}

// logEntries returns the entries of a log, whose further lines begin with a tab.
func logEntries(text string) []string {
	var entries []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") && len(entries) > 0 {
			entries[len(entries)-1] += line
		} else {
			entries = append(entries, line)
		}
	}
	return entries
}

// read tells what a plan does. locks says that rows which are read are locked as well.
func (n node) read(tell func(table, verb string), locks bool) {
	locks = locks || n.Type == "LockRows"
	if n.Relation != "" && n.Schema == schema {
		if n.Type == "ModifyTable" {
			tell(n.Relation, strings.ToLower(n.Operation))
			if n.Conflict == "UPDATE" {
				tell(n.Relation, "update")
			}
			if len(n.Output) > 0 || len(n.Arbiters) > 0 {
				tell(n.Relation, "select")
			}
		} else {
			tell(n.Relation, "select")
			for _, column := range n.Output {
				if locks && strings.HasSuffix(column, "ctid") {
					tell(n.Relation, "lock")
				}
			}
		}
	}
	for _, below := range n.Plans {
		below.read(tell, locks)
	}
}

type updatedColumn struct{ table, column string }

var (
	updateForm   = regexp.MustCompile(`(?is)\bUPDATE\s+([a-z_]+)(?:\s+(?:AS\s+)?[a-z]+)?\s+SET\s+(.*)`)
	conflictForm = regexp.MustCompile(`(?is)\bINSERT\s+INTO\s+([a-z_]+)\b.*?\bDO\s+UPDATE\s+SET\s+(.*)`)
	assignForm   = regexp.MustCompile(`(?is)^\s*\(?([a-z_, \t\n]+)\)?\s*=`)
)

// updatedColumns returns the columns that a statement writes after SET.
func updatedColumns(query string) []updatedColumn {
	var all []updatedColumn
	for _, form := range []*regexp.Regexp{updateForm, conflictForm} {
		for _, at := range form.FindAllStringSubmatchIndex(query, -1) {
			table, rest := query[at[2]:at[3]], query[at[4]:at[5]]
			for _, column := range assigned(rest) {
				all = append(all, updatedColumn{table, column})
			}
		}
	}
	return all
}

// assigned returns the columns before the "=" of a list of assignments, up to its end.
func assigned(list string) []string {
	var columns []string
	for {
		m := assignForm.FindStringSubmatchIndex(list)
		if m == nil {
			return columns
		}
		for _, c := range strings.Split(list[m[2]:m[3]], ",") {
			columns = append(columns, strings.TrimSpace(c))
		}
		depth, i := 0, m[1]
		for ; i < len(list); i++ {
			if list[i] == '(' {
				depth++
			} else if list[i] == ')' {
				if depth--; depth < 0 {
					return columns
				}
			} else if list[i] == ',' && depth == 0 {
				break
			}
		}
		if i >= len(list) {
			return columns
		}
		list = list[i+1:]
	}
}
