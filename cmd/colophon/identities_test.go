package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/devtest"
)

// bare runs a command as on a laptop that has no servers, with these settings and no
// others, and returns its exit status and all that it says.
func bare(t *testing.T, settings map[string]string, args ...string) (code int, out, problems string) {
	t.Helper()
	for _, line := range os.Environ() {
		if name, _, _ := strings.Cut(line, "="); strings.HasPrefix(name, "COLOPHON_") {
			t.Setenv(name, "")
		}
	}
	for name, value := range settings {
		t.Setenv("COLOPHON_"+name, value)
	}
	t.Chdir(t.TempDir())
	var o, e bytes.Buffer
	code = run(t.Context(), args, &o, &e)
	return code, o.String(), e.String()
}

// What only writes who may what asks for no server, and is not stopped by a setting that
// it does not use; prefixes are taken from the environment.
func TestIdentitiesArePrintedWithoutServers(t *testing.T) {
	seeds, policies := filepath.Join(t.TempDir(), "seeds"), filepath.Join(t.TempDir(), "policies")
	for _, settings := range []map[string]string{
		{}, {"S3_BUCKET_PREFIX": "ours-", "STREAM_PREFIX": "OURS_", "SUBJECT_PREFIX": "ours"},
		{"ACK_WAIT": "never", "NATS_URL_FILE": "/nowhere"},
	} {
		code, out, problems := bare(t, settings, "provision", "--print-accounts", "--seeds", seeds, "--print-policies", policies)
		if code != 0 || !strings.Contains(out, "nkey: U") {
			t.Fatalf("%v: exit %d\n%s%s", settings, code, out, problems)
		}
		policy, err := os.ReadFile(filepath.Join(policies, "provision.json"))
		if err != nil || !strings.Contains(string(policy), `"arn:aws:s3:::`+settings["S3_BUCKET_PREFIX"]+`raw"`) {
			t.Errorf("%v: %v %s", settings, err, policy)
		}
		if want := "$JS.API.STREAM.CREATE." + settings["STREAM_PREFIX"] + "REQUESTS"; !strings.Contains(out, want) {
			t.Errorf("%v: there is no %s", settings, want)
		}
	}
}

// A user whose key is replaced is let in under both as long as the old one is kept.
func TestAccountsLetTheReplacedKeyIn(t *testing.T) {
	seeds := filepath.Join(t.TempDir(), "seeds")
	_, before, _ := bare(t, nil, "provision", "--print-accounts", "--seeds", seeds)
	if err := os.Rename(filepath.Join(seeds, "chunker.nk"), filepath.Join(seeds, "chunker.old.nk")); err != nil {
		t.Fatal(err)
	}
	_, both, problems := bare(t, nil, "provision", "--print-accounts", "--seeds", seeds)
	keys := func(accounts string) (found []string) {
		_, rest, _ := strings.Cut(accounts, "# chunker: ")
		for _, part := range append([]string{rest}, strings.SplitAfter(accounts, "# chunker (the key that is replaced): ")[1:]...) {
			_, key, _ := strings.Cut(part, "nkey: ")
			key, _, _ = strings.Cut(key, "\n")
			found = append(found, key)
		}
		return found
	}
	old, now := keys(before), keys(both)
	if len(old) != 1 || len(now) != 2 || now[1] != old[0] || now[0] == now[1] {
		t.Fatalf("before %v, now %v: %s\n%s", old, now, problems, both)
	}
	if allow := `"_INBOX.chunker.>"`; strings.Count(both, allow) != 2 {
		t.Errorf("%s is there %d times", allow, strings.Count(both, allow))
	}
	if err := os.Remove(filepath.Join(seeds, "chunker.old.nk")); err != nil {
		t.Fatal(err)
	}
	if _, last, _ := bare(t, nil, "provision", "--print-accounts", "--seeds", seeds); strings.Contains(last, old[0]) {
		t.Error("the replaced key is let in for ever")
	}
}

// migrate needs the catalog alone, and provision has no use for it.
func TestJobsNeedOnlyTheirStores(t *testing.T) {
	if code, _, problems := bare(t, map[string]string{"POSTGRES_URL": "postgres://nobody@127.0.0.1:1/none"}, "migrate"); code != exitUnreachable || strings.Contains(problems, "S3") {
		t.Errorf("migrate: exit %d: %s", code, problems)
	}
	if code, _, problems := bare(t, map[string]string{"NATS_URL": "nats://127.0.0.1:1", "S3_ACCESS_KEY": "a", "S3_SECRET_KEY": "b"}, "provision"); code != exitUnreachable || strings.Contains(problems, "POSTGRES") {
		t.Errorf("provision: exit %d: %s", code, problems)
	}
	for _, args := range [][]string{{"migrate", "--roles", "--grants"}, {"migrate", "--grants", "--passwords", "x"}} {
		if code, _, problems := bare(t, nil, args...); code != exitUsage {
			t.Errorf("%v: exit %d: %s", args, code, problems)
		}
	}
}

// migrate --grants is what a Job does after an upgrade: roles that are there have what this
// build's table says, also what was taken from them, and none is made.
func TestGrantsWithoutTheRightToMakeRoles(t *testing.T) {
	env := devtest.Start(t)
	admin, err := pgx.Connect(t.Context(), env.PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	prefix := env.Schema + "_"
	owner, chunker := prefix+"owner", prefix+"chunker"
	var database string
	if err := admin.QueryRow(t.Context(), "SELECT current_database()").Scan(&database); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"CREATE ROLE " + owner + " LOGIN", "GRANT CREATE ON DATABASE " + database + " TO " + owner, "CREATE ROLE " + chunker + " LOGIN",
	} {
		if _, err := admin.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	settings := map[string]string{"POSTGRES_URL": env.PostgresURL + "&user=" + owner, "POSTGRES_SCHEMA": env.Schema}
	grant := func() (granted struct{ Roles, Missing []string }) {
		t.Helper()
		code, out, problems := bare(t, settings, "migrate", "--grants", "--bind=false", "--role-prefix", prefix, "--json")
		if err := json.Unmarshal([]byte(out), &granted); code != 0 || err != nil {
			t.Fatalf("exit %d, %v: %s%s", code, err, out, problems)
		}
		return granted
	}
	may := func() (allowed bool) {
		t.Helper()
		if err := admin.QueryRow(t.Context(), fmt.Sprintf("SELECT has_table_privilege('%s', '%s.chunks', 'INSERT')", chunker, env.Schema)).Scan(&allowed); err != nil {
			t.Fatal(err)
		}
		return allowed
	}
	granted := grant()
	if len(granted.Roles) != 1 || granted.Roles[0] != chunker || len(granted.Missing) != 7 || !may() {
		t.Fatalf("%+v, may insert: %v", granted, may())
	}
	if _, err := admin.Exec(t.Context(), "REVOKE ALL ON "+env.Schema+".chunks FROM "+chunker); err != nil {
		t.Fatal(err)
	}
	if may() {
		t.Fatal("nothing was revoked")
	}
	if grant(); !may() {
		t.Error("what was revoked is not granted again")
	}
}
