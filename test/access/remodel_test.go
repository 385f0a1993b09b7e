package access

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/devtest/endpoint"
)

// remodel lets another embedding model take the place of the built-in one, as the runbook
// has it: the indexer and the gateway are started with it, the collection is filled and
// searched by a Job that works as the janitor, and the operator drops the one of before.
func (r *rig) remodel() {
	t := r.t
	t.Helper()
	const size = 64
	model := endpoint.Start(t, size, nil)
	r.settings = map[string][]string{}
	for _, role := range []string{access.Gateway, access.Indexer} {
		r.settings[role] = []string{
			"COLOPHON_EMBED_URL=" + model.URL, "COLOPHON_EMBED_MODEL=made-up", fmt.Sprint("COLOPHON_EMBED_DIMENSIONS=", size),
			"COLOPHON_EMBED_DAILY_TOKENS=1000000",
		}
		r.stop(role)
		r.start(role)
	}
	r.colophon(access.Janitor, []int{0}, "index", "rebuild", "--model", "made-up")
	var all []struct{ Name, Model, State string }
	if err := json.Unmarshal([]byte(r.operator("index", "list", "--json")), &all); err != nil {
		t.Fatal(err)
	}
	retired := ""
	for _, one := range all {
		switch {
		case one.State == "retired":
			retired = one.Name
		case one.Model != "made-up" || one.State != "active":
			t.Errorf("%+v", one)
		}
	}
	if len(all) != 2 || retired == "" {
		t.Fatalf("collections: %+v", all)
	}
	r.operator("index", "drop", retired)
	if left := r.operator("index", "list"); strings.Contains(left, retired) {
		t.Errorf("%s is still there: %s", retired, left)
	}
	if len(model.Requests()) == 0 || r.hit("water").Ref == "" {
		t.Error("the model was not asked")
	}
	r.prove()
}
