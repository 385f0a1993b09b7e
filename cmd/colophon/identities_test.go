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

// A user whose key is replaced is let in under both as long as the old one is named.
func TestAccountsLetTheReplacedKeyIn(t *testing.T) {
	before, seeds := filepath.Join(t.TempDir(), "before"), filepath.Join(t.TempDir(), "seeds")
	keys := func(folders ...string) map[string]bool {
		args := []string{"provision", "--print-accounts"}
		for _, folder := range folders {
			args = append(args, "--seeds", folder)
		}
		code, out, problems := bare(t, nil, args...)
		if code != 0 {
			t.Fatalf("exit %d: %s", code, problems)
		}
		found := make(map[string]bool)
		for _, part := range strings.Split(out, "nkey: ")[1:] {
			if key, _, _ := strings.Cut(part, "\n"); key != "U…" { // a template has none
				found[key] = true
			}
		}
		return found
	}
	old, both, now := keys(before), keys(seeds, before), keys(seeds)
	if len(old) == 0 || len(now) != len(old) || len(both) != len(old)+len(now) {
		t.Fatalf("%d keys before, %d beside each other, %d now", len(old), len(both), len(now))
	}
	for key := range old {
		if !both[key] || now[key] {
			t.Errorf("%s of before: beside the new ones %t, without its folder %t", key, both[key], now[key])
		}
	}
}

// migrate needs the catalog alone, and provision has no use for it.
func TestJobsNeedOnlyTheirStores(t *testing.T) {
	if code, _, problems := bare(t, map[string]string{"POSTGRES_URL": "postgres://nobody@127.0.0.1:1/none"}, "migrate"); code != 4 || strings.Contains(problems, "S3") {
		t.Errorf("migrate: exit %d: %s", code, problems)
	}
	if code, _, problems := bare(t, map[string]string{"NATS_URL": "nats://127.0.0.1:1", "S3_ACCESS_KEY": "a", "S3_SECRET_KEY": "b"}, "provision"); code != 4 || strings.Contains(problems, "POSTGRES") {
		t.Errorf("provision: exit %d: %s", code, problems)
	}
	for _, args := range [][]string{{"migrate", "--roles", "--grants"}, {"migrate", "--grants", "--passwords", "x"}} {
		if code, _, problems := bare(t, nil, args...); code != 2 {
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
	if len(granted.Roles) != 1 || granted.Roles[0] != chunker || len(granted.Missing) != 10 || !may() {
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
