package fault

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
)

// send hands an item over. Said again, it has another message id, which the
// duplicate window does not swallow.
func (r *rig) send(items ...*item) {
	r.t.Helper()
	for _, i := range items {
		if err := r.trySend(i); err != nil {
			r.t.Logf("%s %s is not sent yet: %v", i.kind, i.request.RequestID, err)
		}
		r.sent[i], r.handed[i] = time.Now(), true
	}
}

func (r *rig) trySend(i *item) error {
	limit := 5 * time.Second
	if i.kind == kindDamage {
		limit = deathLimit() // until it is extracted, behind what was asked for before
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), limit)
	defer cancel()
	_, again := r.sent[i]
	switch i.kind {
	case kindMalformed:
		_, err := r.js.PublishMsg(ctx, &nats.Msg{
			Subject: r.values["COLOPHON_SUBJECT_PREFIX"] + ".capture.requested." + source,
			Header:  nats.Header{event.HeaderMsgID: {i.request.RequestID}}, Data: []byte("{"),
		})
		return err
	case kindRedo:
		id, err := r.extractionOf(ctx, i.of)
		if err != nil {
			return err
		}
		return r.publish(ctx, event.RunRequested{
			SnapshotID: i.of.snapshotID(), SourceID: source, ExtractionID: id, Why: "retry", Redo: 1,
		}, again)
	case kindTakeover:
		return r.takeOver(ctx, i.of, again)
	case kindDamage:
		return r.damage(ctx, i, again)
	default:
		if i.object != nil {
			if _, err := r.blobs.PutOnce(ctx, blobstore.Inbox, i.request.Object.Key, i.object, "application/octet-stream"); err != nil {
				return err
			}
		}
		return r.publish(ctx, i.request, again)
	}
}

func (r *rig) publish(ctx context.Context, data event.Data, again bool) error {
	e, err := event.New("fault", data, time.Now())
	if err != nil {
		return err
	}
	if again {
		r.redrive++
		e = e.Redrive(resentFrom + r.redrive)
	}
	return r.conn.Publisher("fault").Publish(ctx, e)
}

// resentFrom is above all numbers by which the system itself tells something again.
const resentFrom = 1_000_000

// wasSentAgain reports whether a message follows from one that the rig has sent again.
func wasSentAgain(messageID string) bool {
	for part := range strings.SplitSeq(messageID, ";r") {
		if n, err := strconv.ParseInt(part, 10, 64); err == nil && n >= resentFrom {
			return true
		}
	}
	return false
}

// extractionOf returns today's extraction of an item's snapshot.
func (r *rig) extractionOf(ctx context.Context, i *item) (string, error) {
	snap, err := r.db.Snapshot(ctx, i.snapshotID())
	if err != nil {
		return "", err
	}
	rules, err := digest.SourceRulesDigest(snap.UnitRules())
	return digest.ExtractionID(extract.ParserVersion, rules, ""), err
}

// takeOver records a run of an older parser and publishes its range, as one
// that was under way at an upgrade.
func (r *rig) takeOver(ctx context.Context, of *item, again bool) error {
	snap, err := r.db.Snapshot(ctx, of.snapshotID())
	if err != nil {
		return err
	}
	rules, err := digest.SourceRulesDigest(snap.UnitRules())
	if err != nil {
		return err
	}
	run, err := r.db.StartRun(ctx, model.Run{
		SnapshotID: snap.SnapshotID, ExtractionID: digest.ExtractionID("0", rules, ""), SourceID: source,
		DocumentID: snap.DocumentID, ParserVersion: "0", RulesDigest: rules, Why: "capture", PageCount: 1,
	}, []string{digest.PageID(snap.SnapshotID, 1)}, "")
	if err != nil {
		return err
	}
	return r.publish(ctx, event.PageSplit{
		SnapshotID: run.SnapshotID, SourceID: source, ExtractionID: run.ExtractionID, ParserVersion: "0",
		Pages: model.PageRange{From: 1, To: 1}, PageCount: 1,
	}, again)
}

// damage hands a document over, and loses its segment before anybody reads it.
func (r *rig) damage(ctx context.Context, i *item, again bool) error {
	for _, name := range []string{"chunker", "annotator"} { // who reads segments
		reader := r.services[name]
		reader.stop(syscall.SIGTERM)
		defer func() { _ = reader.start() }()
	}
	if err := r.publish(ctx, i.request, again); err != nil {
		return err
	}
	for ctx.Err() == nil {
		id, err := r.extractionOf(ctx, i)
		if err == nil {
			var row model.SegmentRow
			if row, err = r.db.Segment(ctx, i.snapshotID(), id, 1, 0); err == nil {
				return r.blobs.Delete(ctx, blobstore.Derived, row.ObjectKey)
			}
		}
		r.linger(20 * time.Millisecond)
	}
	return ctx.Err()
}

// settled reports whether what an item asks for has begun: from then on the
// system answers for it.
func (r *rig) settled(ctx context.Context, i *item) bool {
	switch i.kind {
	case kindMalformed:
		return true
	case kindRedo:
		id, err := r.extractionOf(ctx, i.of)
		if err != nil {
			return false
		}
		run, err := r.db.Run(ctx, i.of.snapshotID(), id)
		return err == nil && run.Redo >= 1
	case kindTakeover:
		snap, err := r.db.Snapshot(ctx, i.of.snapshotID())
		if err != nil {
			return false
		}
		rules, err := digest.SourceRulesDigest(snap.UnitRules())
		if err != nil {
			return false
		}
		run, err := r.db.Run(ctx, snap.SnapshotID, digest.ExtractionID("0", rules, ""))
		return err == nil && run.State == model.RunSuperseded
	default:
		_, err := r.db.Capture(ctx, i.request.SourceID, i.request.RequestID)
		return err == nil
	}
}

// resendAfter is how long a crawler waits for a sign that it was heard.
const resendAfter = 5 * time.Second

// quiet waits until everything that was sent is terminal and the vectors are
// those of the catalog; what no row knows of is sent again. It returns how long
// that took and what does not move.
func (r *rig) quiet(limit time.Duration) (took time.Duration, stuck []string) {
	r.t.Helper()
	began, said := time.Now(), 0
	for {
		stuck = r.left()
		if n := int(time.Since(began).Seconds()) / 5; n > said && len(stuck) > 0 {
			said = n
			r.t.Logf("after %d s: %.300s", 5*n, strings.TrimRight(strings.Join(stuck, "; "), "; "))
		}
		if len(stuck) == 0 || time.Since(began) > limit {
			return time.Since(began), stuck
		}
		r.linger(100 * time.Millisecond)
	}
}

// left says what is not done yet.
func (r *rig) left() []string {
	ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Second)
	defer cancel()
	var open []string
	for _, i := range slices.SortedFunc(maps.Keys(r.sent), func(a, b *item) int { return r.sent[a].Compare(r.sent[b]) }) {
		if r.settled(ctx, i) {
			if i.kind != kindMalformed {
				r.done(i)
			}
			continue
		}
		open = append(open, fmt.Sprintf("%s %s is not known", i.kind, i.request.RequestID))
		if time.Since(r.sent[i]) > resendAfter {
			r.send(i)
		}
	}
	if len(open) > 0 {
		return open
	}
	p, err := r.db.Progress(ctx, "", nil)
	if err != nil {
		return []string{err.Error()}
	}
	if !p.Quiet() {
		// One entry for each thing that is open, the first of which says it all.
		open = append(open, fmt.Sprintf("%+v", p))
		for n := 1; n < p.Open+p.Unannounced+p.OpenRuns+p.Unpushed; n++ {
			open = append(open, "")
		}
		return open
	}
	if waiting := r.unenriched(); waiting != "" { // which being quiet does not wait for
		return []string{waiting}
	}
	if wrong := r.vectorsDiffer(ctx); wrong != "" {
		return []string{wrong}
	}
	return nil
}

// done forgets that an item was sent: what is known to the catalog is not asked
// for again.
func (r *rig) done(i *item) { delete(r.sent, i) }

// arm lets the next process that reaches a point die there.
func (r *rig) arm(point string) { r.write(r.armed, point) }

func (r *rig) write(path, text string) {
	r.t.Helper()
	// In one step: a process may look at any time.
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		r.t.Fatal(err)
	}
}

// fired reports whether the armed point was reached.
func (r *rig) fired() bool {
	_, err := os.Stat(r.armed)
	return err != nil
}
