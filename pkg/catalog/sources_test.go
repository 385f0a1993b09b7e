package catalog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestTheAuditOfSources: who did what to a source and why, what changed nothing
// left out, and what failed too.
func TestTheAuditOfSources(t *testing.T) {
	db := openCatalog(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := catalog.Acting(t.Context(), "ada", "agreed with the clerk")
	s := model.DefaultSource("town")
	must(db.PutSource(ctx, s))
	must(db.PutSource(ctx, s))
	s.Name, s.HostDelay = "The town", 1500
	must(db.PutSource(ctx, s))
	must(db.SetSourceState(t.Context(), "town", model.SourceDisabled))
	must(db.SetSourceState(t.Context(), "town", model.SourceDisabled))
	s.MaxBytes = -1
	if err := db.PutSource(ctx, s); err == nil || !strings.Contains(err.Error(), "max_bytes") {
		t.Errorf("a limit below zero: %v", err)
	}
	for range 2 {
		if _, err := db.RegisterSource(ctx, model.DefaultSource("village")); err != nil {
			t.Fatal(err)
		}
	}
	must(db.RemoveSource(ctx, "town"))
	for name, err := range map[string]error{"removed": db.RemoveSource(ctx, "town"), "enabled": db.SetSourceState(ctx, "town", model.SourceEnabled)} {
		if !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("one that is not there, %s: %v", name, err)
		}
	}
	for id, want := range map[string]string{
		"town": "ada: source add (agreed with the clerk)\nada: source set host_delay_ms, name (agreed with the clerk)\ncolophon: source disabled ()\n" +
			"ada: source remove (agreed with the clerk)\n",
		"village": "capturer: source add (its first request)\n", "nowhere": "",
	} {
		entries, err := db.SourceAudit(t.Context(), id)
		must(err)
		got := ""
		for _, e := range entries {
			got += fmt.Sprintf("%s: %s (%s)\n", e.Who, e.Action, e.Why)
			if e.At.IsZero() || e.Target != id {
				t.Errorf("%+v", e)
			}
		}
		if got != want {
			t.Errorf("%s:\n%swant\n%s", id, got, want)
		}
	}
}

// TestReopenRefused: only what was refused for the state of its source.
func TestReopenRefused(t *testing.T) {
	db := openCatalog(t)
	for id, reason := range map[string]string{"disabled": "source_disabled", "unknown": "source_unknown", "large": "too_large", "other": "source_disabled"} {
		c := captureOf(id, "x")
		accept(t, db, c, "a")
		c.Outcome, c.Reason = "rejected", reason
		if _, err := db.DecideCapture(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.ReopenRefused(t.Context(), "s", []string{"disabled", "unknown", "large", "none"}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"disabled": "", "unknown": "", "large": "rejected", "other": "rejected"} {
		if row, err := db.Capture(t.Context(), "s", id); err != nil || row.Outcome != want || want == "" && row.Reason != "" {
			t.Errorf("%s: %+v, %v", id, row, err)
		}
	}
}

// TestChangesOfASourceDoNotUndoEachOther: whoever changes one field of a source
// leaves what others change at the same time alone.
func TestChangesOfASourceDoNotUndoEachOther(t *testing.T) {
	db := openCatalog(t)
	const hands = 8
	var changing sync.WaitGroup
	for hand := range hands {
		changing.Go(func() {
			_, err := db.ChangeSource(t.Context(), "town", func(s model.Source, missing error) (model.Source, error) {
				if missing != nil {
					s = model.DefaultSource("town")
				}
				s.RobotsNotes += fmt.Sprint(hand)
				return s, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	changing.Wait()
	s, err := db.Source(t.Context(), "town")
	if err != nil || len(s.RobotsNotes) != hands {
		t.Errorf("of %d changes there are %q, %v", hands, s.RobotsNotes, err)
	}
	no := errors.New("no")
	if _, err := db.ChangeSource(t.Context(), "none", func(_ model.Source, missing error) (model.Source, error) {
		if !errors.Is(missing, catalog.ErrNotFound) {
			t.Errorf("of a source that is not registered: %v", missing)
		}
		return model.Source{}, no
	}); err != no {
		t.Errorf("refused: %v", err)
	}
}

// TestNotesOfSourcesHoldNoSecret: what an operator writes of a permission and as his
// reason is kept as the text of a request is.
func TestNotesOfSourcesHoldNoSecret(t *testing.T) {
	db := openCatalog(t)
	const note = "login https://clerk:OpSecond7341@town.example/ password=OpPwSecond8842"
	s := model.DefaultSource("noted")
	s.RobotsNotes = note
	if err := db.PutSource(catalog.Acting(t.Context(), "ada", note), s); err != nil {
		t.Fatal(err)
	}
	kept, err := db.Source(t.Context(), "noted")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := db.SourceAudit(t.Context(), "noted")
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	for _, got := range []string{kept.RobotsNotes, entries[0].Why} {
		if want := "login https://town.example/ password=REDACTED"; got != want {
			t.Errorf("%q is kept, want %q", got, want)
		}
	}
}

// TestSourcesAndAuditThatHoldSecretsAreListed: status counts and names the rows of older
// versions, and tells nothing of them; what is written today is not among them, in
// whichever words of a source a secret stands.
func TestSourcesAndAuditThatHoldSecretsAreListed(t *testing.T) {
	db := openCatalog(t)
	const note, secret = "login https://clerk:OpSecond7341@town.example/ password=OpSecond7341", "OpSecond7341"
	fields := map[string]func(s *model.Source){
		"name": func(s *model.Source) { s.Name = note }, "domain": func(s *model.Source) { s.Domain = note }, "territory": func(s *model.Source) { s.Territory = note },
		"licence": func(s *model.Source) { s.Licence = note }, "notes": func(s *model.Source) { s.RobotsNotes = note },
		"label": func(s *model.Source) {
			s.HeaderLabels = &model.Labels{Type: "password=" + secret, Status: "S", Date: "D", Source: "W"}
		},
	}
	write := func(id string, record any, sql string) {
		t.Helper()
		raw, err := json.Marshal(record)
		if err == nil {
			err = db.Tx(t.Context(), func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), sql, id, string(raw)); return err })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for id, set := range fields {
		s := model.DefaultSource(id)
		set(&s)
		if err := db.PutSource(catalog.Acting(t.Context(), note, note), s); err != nil {
			t.Fatal(err)
		}
	}
	if held, err := db.HeldSecrets(t.Context()); err != nil || len(held) != 0 {
		t.Fatalf("written today: %+v, %v", held, err)
	}
	for id, set := range fields { // as older versions wrote them
		s := model.DefaultSource("old_" + id)
		set(&s)
		write(s.SourceID, s, `INSERT INTO sources (source_id, state, record) VALUES ($1, 'enabled', $2::jsonb)`)
	}
	write("who", note, `INSERT INTO audit (who, action, target, why) VALUES ($2, 'source set name', $1, '')`)
	write("why", note, `INSERT INTO audit (who, action, target, why) VALUES ('ada', 'source set name', $1, $2)`)
	held, err := db.HeldSecrets(t.Context())
	if err != nil || len(held) != 2 || held[0].What != "source" || held[0].N != len(fields) || held[1].What != "audit row" || held[1].N != 2 {
		t.Fatalf("%+v, %v", held, err)
	}
	if ids := fmt.Sprint(held[0].IDs); strings.Count(ids, "old_") != len(fields) || strings.Contains(fmt.Sprint(held), secret) {
		t.Errorf("%+v", held)
	}
}
