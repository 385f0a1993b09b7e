package app

import (
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// holding is a world with a version that waits for what a model proposes.
type holding struct {
	*world
	run   model.Run
	first event.Event
	asked event.IREnrichRequested
}

func newHolding(t *testing.T) *holding {
	t.Helper()
	w := newWorld(t)
	v := version{doc: docA, day: 5, pages: []string{enrichable}}
	h := &holding{world: w, run: w.enrichedAs(v, model.EnrichWait)}
	h.first = w.extract(h.run, model.PageRange{From: 1, To: 1}, 0, v.pages)
	w.handle(h.first)
	said := w.Heard()
	if types(said) != "ir.enrich_requested" {
		t.Fatalf("%s of a version that waits", types(said))
	}
	h.asked = w.requested(said)
	if h.asked.Generation != 0 || h.asked.ChunkerVersion != model.ChunkerVersion || len(w.chunks("")) != 0 || w.Run(h.run).State.Terminal() {
		t.Fatalf("%+v, %d chunks", h.asked, len(w.chunks("")))
	}
	return h
}

// stuck returns how many runs are to be moved as such that stand still, and as such that are held, an hour from now.
func (h *holding) stuck() (still, held int) {
	h.Helper()
	page := catalog.Page{Limit: 10}
	a, err := h.DB.StuckRuns(h.Context(), time.Now().Add(time.Hour), false, page)
	if err != nil {
		h.Fatal(err)
	}
	b, err := h.DB.HeldRuns(h.Context(), time.Now().Add(time.Hour), page)
	if err != nil {
		h.Fatal(err)
	}
	return len(a), len(b)
}

func (h *holding) progress() catalog.Progress {
	h.Helper()
	p, err := h.DB.Progress(h.Context(), "", nil)
	if err != nil {
		h.Fatal(err)
	}
	return p
}

// TestAVersionWaits: it lands when the answer is there, once, with what of it stands; until then it is no version, being
// quiet waits for it, other sources land, and it is asked about again where that is lost.
func TestAVersionWaits(t *testing.T) {
	h := newHolding(t)
	if p := h.progress(); p.Held != 1 || p.OpenRuns != 1 || p.Quiet() {
		t.Errorf("%+v", p)
	}
	if still, held := h.stuck(); still != 0 || held != 1 {
		t.Errorf("%d stand still, %d are held", still, held)
	}
	other, _ := h.land(version{source: "other", doc: docB, day: 5, pages: []string{enrichable}})
	if said := types(h.Heard()); said != "chunk.created run.completed" {
		t.Errorf("%s of another source", said)
	}
	h.handle(h.first)
	if again := h.requested(h.Heard()); again != h.asked {
		t.Errorf("asked about %+v, then %+v", h.asked, again)
	}
	h.agrees()
	if _, err := h.pool().Exec(t.Context(), `UPDATE runs SET progress_at = now() - interval '1 day'`); err != nil {
		t.Fatal(err)
	}
	if age, err := h.DB.OldestAge(t.Context()); err != nil || age > time.Hour {
		t.Errorf("what waits counts as work that stands still for %s, %v", age, err)
	}
	answer := h.propose(h.asked, proposals())
	if age, err := h.DB.OldestAge(t.Context()); err != nil || age < time.Hour {
		t.Errorf("what is answered and has not landed stands still for %s, %v", age, err)
	}
	if still, held := h.stuck(); still != 1 || held != 0 {
		t.Errorf("answered: %d stand still, %d are held", still, held)
	}
	h.handle(answer)
	if said := types(h.Heard()); said != "chunk.created run.completed" {
		t.Error(said)
	}
	h.handle(answer)
	h.handle(h.first)
	if said := types(h.Heard()); said != "run.completed run.completed" {
		t.Error(said)
	}
	h.settled(h.run, other)
	manifests := h.manifests(h.run)
	if len(manifests) != 1 || manifests[0].Meta.Proposals == "" {
		t.Fatalf("%d manifests: %+v", len(manifests), manifests)
	}
	h.provedAgain(h.run, manifests)
	h.agrees()
	if p := h.progress(); p.Held != 0 {
		t.Errorf("%+v", p)
	}
	if left, err := h.DB.HeldContents(t.Context(), h.asked.SnapshotID, h.asked.ExtractionID, 0, h.asked.ChunkerVersion); err != nil || len(left) != 0 {
		t.Errorf("%d contents are held, %v", len(left), err)
	}
}

// TestAWaitIsOver: after its limit the version lands by the rules, and the answer makes the next generation.
func TestAWaitIsOver(t *testing.T) {
	h := newHolding(t)
	if _, err := h.pool().Exec(t.Context(), `UPDATE enrichment_waits SET until = now()`); err != nil {
		t.Fatal(err)
	}
	if still, held := h.stuck(); still != 1 || held != 0 {
		t.Errorf("%d stand still, %d are held", still, held)
	}
	h.handle(h.first)
	said := h.Heard()
	if types(said) != "chunk.created run.completed ir.enrich_requested" {
		t.Fatal(types(said))
	}
	asked := h.requested(said)
	if asked.Generation != 1 || h.Event(asked).MsgID == h.Event(h.asked).MsgID {
		t.Errorf("asked about %+v as before", asked)
	}
	h.handle(h.propose(asked, proposals()))
	h.settled(h.run)
	if m := h.manifests(h.run); len(m) != 2 || m[0].Meta.Proposals != "" || m[1].Meta.Proposals == "" {
		t.Errorf("%d manifests: %+v", len(m), m)
	}
}

// TestNobodyAnswersWhoWaits: where no model is set the version lands by the rules as soon as that is known; and at once where it is not to wait.
func TestNobodyAnswersWhoWaits(t *testing.T) {
	h := newHolding(t)
	if _, err := h.DB.PutEnrichment(t.Context(), model.Enrichment{SnapshotID: h.asked.SnapshotID, ExtractionID: h.asked.ExtractionID,
		ChunkerVersion: h.asked.ChunkerVersion, SourceID: h.asked.SourceID, DocumentID: h.run.DocumentID}); err != nil {
		t.Fatal(err)
	}
	h.handle(h.Event(event.IREnriched{SnapshotID: h.asked.SnapshotID, SourceID: h.asked.SourceID, ExtractionID: h.asked.ExtractionID, ChunkerVersion: h.asked.ChunkerVersion}))
	if m := h.manifests(h.run); len(m) != 1 || m[0].Meta.Proposals != "" || !h.Run(h.run).State.Terminal() {
		t.Errorf("%d manifests: %+v", len(m), m)
	}
	h.settled(h.run)

	w := newWorld(t)
	w.stage = Stage(w.DB, w.Blobs, slog.New(slog.DiscardHandler), config.Enrichment{})
	v := version{doc: docA, day: 5, pages: []string{enrichable}}
	run := w.enrichedAs(v, model.EnrichWait)
	w.handle(w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages))
	if said := types(w.Heard()); said != "chunk.created run.completed ir.enrich_requested" {
		t.Error(said)
	}
}

// TestAnotherChunkerHolds: what is asked about is what the chunker makes that lands, and the wait is not longer for it.
func TestAnotherChunkerHolds(t *testing.T) {
	h := newHolding(t)
	if _, err := h.pool().Exec(t.Context(), `UPDATE enrichment_waits SET chunker_version = '0', contents = '[]'`); err != nil {
		t.Fatal(err)
	}
	until := func() (at time.Time) {
		t.Helper()
		if err := h.DB.Tx(t.Context(), func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT until FROM enrichment_waits`).Scan(&at)
		}); err != nil {
			t.Fatal(err)
		}
		return at
	}
	before := until()
	h.handle(h.first)
	h.propose(h.requested(h.Heard()), proposals())
	if after := until(); !after.Equal(before) {
		t.Errorf("it waits until %s, before %s", after, before)
	}
	if _, err := h.pool().Exec(t.Context(), `DELETE FROM enrichments; UPDATE enrichment_waits SET chunker_version = '0', until = now()`); err != nil {
		t.Fatal(err)
	}
	h.handle(h.first)
	if m := h.manifests(h.run); len(m) != 1 {
		t.Errorf("%d manifests of a version whose wait is over", len(m))
	}
}

// TestADamagedAnswerIsNotWaitedFor: once it is given up, the version lands by the rules; what cannot be read of the pages themselves fails the run.
func TestADamagedAnswerIsNotWaitedFor(t *testing.T) {
	h := newHolding(t)
	answer := h.propose(h.asked, proposals())
	if _, err := h.pool().Exec(t.Context(), `UPDATE enrichments SET digest = repeat('0', 64)`); err != nil {
		t.Fatal(err)
	}
	if err := h.stage.Handle(t.Context(), answer, h.Emit); fault.KindOf(err) != fault.KindTransient {
		t.Fatal(err)
	}
	h.Heard()
	giveUp := func(h *holding, e event.Event) string {
		t.Helper()
		if err := h.stage.Fail(t.Context(), e, fault.Internal, "it is damaged", h.Emit); err != nil {
			t.Fatal(err)
		}
		return types(h.Heard())
	}
	if said := giveUp(h, answer); said != "chunk.created run.completed" {
		t.Error(said)
	}
	if m := h.manifests(h.run); len(m) != 1 || m[0].Meta.Proposals != "" || h.Run(h.run).State != model.RunDone {
		t.Errorf("%s, %d manifests: %+v", h.Run(h.run).State, len(m), m)
	}
	h.settled(h.run)

	h = newHolding(t)
	if _, err := h.pool().Exec(t.Context(), `UPDATE ir_segments SET digest = repeat('0', 64)`); err != nil {
		t.Fatal(err)
	}
	if said := giveUp(h, h.first); said != "run.completed" || h.Run(h.run).State != model.RunFailed {
		t.Errorf("%s, %s", said, h.Run(h.run).State)
	}
}
