package app

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestAURLBelongsToOneDocument: with the ids of the founding data model a URL of another
// source is refused, and so is one under another record id; captured again it is taken.
func TestAURLBelongsToOneDocument(t *testing.T) {
	b := fresh(t, func(c *Config) { c.Capture.Seed004IDs = true })
	if err := b.db.PutSource(t.Context(), model.DefaultSource("other")); err != nil {
		t.Fatal(err)
	}
	const address = "https://town.example/agenda"
	ask := func(source, request, record, text string) event.CaptureCompleted {
		t.Helper()
		return b.outcome(event.CaptureRequested{
			SourceID: source, RequestID: request, URL: address, SourceRecordID: record, Inline: &event.Inline{ContentBase64: []byte(text)},
		})
	}
	first := ask(source, "a", "", "first")
	if first.Outcome != event.OutcomeStored {
		t.Fatalf("%+v", first)
	}
	snap, err := b.db.Snapshot(t.Context(), first.SnapshotID)
	if err != nil {
		t.Fatal(err)
	}
	if snap.RuleVersions[model.RuleIDs] != model.IDs004 {
		t.Errorf("rule_versions %v", snap.RuleVersions)
	}
	for name, done := range map[string]event.CaptureCompleted{
		"another source": ask("other", "b", "", "second"), "a record of its own": ask(source, "c", "42", "third"),
	} {
		if done.Outcome != event.OutcomeRejected || done.Reason != string(fault.RequestConflict) {
			t.Errorf("%s: %+v", name, done)
		}
	}
	if again := ask(source, "d", "", "fourth"); again.Outcome != event.OutcomeStored || again.DocumentID != first.DocumentID {
		t.Errorf("captured again: %+v", again)
	}
}
