package app

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// TestAStoreThatIsUnavailable: the stage says so and has decided nothing, in Handle and in
// Fail, and does all of it when the store is back.
func TestAStoreThatIsUnavailable(t *testing.T) {
	for name, door := range map[string]func(*stagetest.World) *stagetest.Door{
		"catalog":      func(w *stagetest.World) *stagetest.Door { return w.CatalogDoor },
		"object store": func(w *stagetest.World) *stagetest.Door { return w.ObjectsDoor },
	} {
		t.Run(name, func(t *testing.T) {
			b := over(stagetest.NewBehindDoors(t), nil)
			e := b.event(inline("one", "<!DOCTYPE html><title>T</title><p>Text.</p>"))
			b.world.Unavailable(door(b.world), func() error { return b.stage.Handle(t.Context(), e, b.emit) })
			var said []string
			for _, d := range b.drain() {
				said = append(said, d.Type())
				if done, ok := d.(event.CaptureCompleted); ok && (done.Outcome != event.OutcomeStored || done.SnapshotID == "") {
					t.Errorf("%+v", done)
				}
			}
			if got := strings.Join(said, " "); got != event.TypeSnapshotStored+" "+event.TypeCaptureCompleted {
				t.Errorf("said %s", got)
			}
		})
	}
	b := over(stagetest.NewBehindDoors(t), nil)
	e := b.event(inline("two", "text"))
	b.world.Unavailable(b.world.CatalogDoor, func() error {
		return b.stage.Fail(t.Context(), e, fault.AttemptsExhausted, "four attempts", b.emit)
	})
	if done := b.told(); done.Outcome != event.OutcomeFailed || done.Message != "four attempts" {
		t.Errorf("%+v", done)
	}
}
