package access

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// No right is without a reason, none is there twice, and none reaches beyond the names
// of its installation.
func TestRightsAreReasonedAndNarrow(t *testing.T) {
	n := Names{Subjects: "acc", Streams: "ACC_", Buckets: "acc-", Source: "council", Consumer: "reader"}
	var names []string
	for _, r := range Roles(n) {
		names = append(names, r.Name)
		if r.Is == "" || r.Kind == "" {
			t.Errorf("%s is not said what it is", r.Name)
		}
		seen := make(map[string]bool)
		for _, b := range r.Bus {
			key := b.Subject
			if b.Subscribe {
				key = "subscribe " + key
			}
			if b.Why == "" || seen[key] {
				t.Errorf("%s: %s has no reason, or is there twice", r.Name, key)
			}
			seen[key] = true
			inbox := b.Subscribe && b.Subject == Inbox(r.Name)+".>"
			if !inbox && b.Subject != "$JS.API.INFO" && !strings.HasPrefix(b.Subject, "acc.") && !strings.Contains(b.Subject, ".ACC_") {
				t.Errorf("%s: %s is not of this installation", r.Name, b.Subject)
			}
		}
		for _, o := range r.Objects {
			whole := o.Verb == Look || o.Verb == Make
			if o.Why == "" || whole != (len(o.Keys) == 0) || o.Verb.actions() == nil {
				t.Errorf("%s: %+v", r.Name, o)
			}
			if o.Verb == Delete && r.Name != Janitor {
				t.Errorf("%s may delete objects", r.Name)
			}
			if o.Verb == Put && o.Bucket == "raw" && r.Name != Capturer {
				t.Errorf("%s may write captured bytes", r.Name)
			}
		}
		tables := make(map[string]bool)
		for _, table := range r.Tables {
			if table.Why == "" || tables[table.Name] {
				t.Errorf("%s: table %s has no reason, or is there twice", r.Name, table.Name)
			}
			tables[table.Name] = true
		}
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(names))); len(sorted) != len(names) {
		t.Errorf("two roles have one name: %v", names)
	}
}

// Who verifies parses documents that may be hostile: a hole there must find nothing that
// it can write, tell or delete.
func TestWhoVerifiesMayOnlyRead(t *testing.T) {
	r, known := Find(Default(), Verify)
	if !known || r.Owner || len(r.Bus) > 0 || len(r.Tables) == 0 || len(r.Objects) == 0 {
		t.Fatalf("%+v", r)
	}
	for _, o := range r.Objects {
		if o.Verb != Look && o.Verb != Get {
			t.Errorf("it may %s %s", o.Verb, o.Bucket)
		}
	}
	for _, table := range r.Tables {
		if verbs := table.verbs(); !slices.Equal(verbs, []string{"SELECT"}) {
			t.Errorf("it may %v %s", verbs, table.Name)
		}
	}
}

// A policy is what S3 takes: each statement allows actions on resources of the
// installation's own buckets.
func TestPolicies(t *testing.T) {
	n := Names{Subjects: "acc", Buckets: "acc-", Source: "council", Consumer: "reader"}
	for _, r := range Roles(n) {
		text, needed, err := Policy(r, n)
		if err != nil || needed != (len(r.Objects) > 0) {
			t.Fatalf("%s: %v %v", r.Name, needed, err)
		}
		if !needed {
			continue
		}
		var p policy
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		sids := make(map[string]bool)
		for _, s := range p.Statement {
			if s.Effect != "Allow" || len(s.Action) == 0 || len(s.Resource) == 0 || sids[s.Sid] {
				t.Errorf("%s: %+v", r.Name, s)
			}
			sids[s.Sid] = true
			for _, resource := range s.Resource {
				if !strings.HasPrefix(resource, "arn:aws:s3:::acc-") {
					t.Errorf("%s: %s is not of this installation", r.Name, resource)
				}
			}
		}
	}
}

// Quotes in names do not end them.
func TestGrantsQuoteNames(t *testing.T) {
	for _, statement := range Grants(Role{Tables: []Table{{Name: "captures", Select: true, Update: []string{"state"}}}}, `a"b`, `c"; DROP TABLE x; --`) {
		if !strings.Contains(statement, `"a""b"`) || !strings.HasSuffix(statement, `TO "c""; DROP TABLE x; --"`) {
			t.Error(statement)
		}
	}
}

// What is left out of a configuration is a comment, and no user without a key is in it;
// a role with two keys has two users.
func TestUsersWithoutKeysAreComments(t *testing.T) {
	keys := map[string][]string{Capturer: {"UOLD", "UNEW"}}
	text := NATS(Roles(Default()), func(role string) []string { return keys[role] }, AccountForm{})
	users := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") && strings.Contains(line, "nkey:") {
			users++
		}
	}
	if users != len(keys[Capturer]) {
		t.Errorf("%d users:\n%s", users, text)
	}
}

// What a role stores it may look at, since something may be in its place already: left by
// a process that died before its row, or by one whose answer was lost. A key that may only
// put gets no answer then, and its message would wait for ever. Crawlers do not look.
func TestWhoStoresMayLookAtWhatIsInItsPlace(t *testing.T) {
	for _, r := range Roles(Default()) {
		if r.Kind == Template {
			continue
		}
		for _, o := range r.Objects {
			if o.Verb != Put {
				continue
			}
			for _, key := range o.Keys {
				if key != probe && !slices.ContainsFunc(r.Objects, func(other Object) bool {
					return other.Bucket == o.Bucket && other.Verb == Get && (slices.Contains(other.Keys, key) || slices.Contains(other.Keys, "*"))
				}) {
					t.Errorf("%s may put %s/%s, and not look at what is there", r.Name, o.Bucket, key)
				}
			}
		}
	}
}

// Whoever finds that a page of a run has been read names the engine in the run's row: the
// consumer ocr, and extract, which asks again after a process has died.
func TestWhoFindsAResultMayNameItsEngine(t *testing.T) {
	for _, name := range []string{Extract, OCR} {
		r, _ := Find(Default(), name)
		if !slices.ContainsFunc(r.Tables, func(table Table) bool { return table.Name == "runs" && slices.Contains(table.Update, "ocr") }) {
			t.Errorf("%s may not change runs.ocr", name)
		}
	}
}
