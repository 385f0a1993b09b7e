package reconcile

import (
	"context"
	"errors"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// order records which snapshots are versions in documents that were captured before
// that was recorded, one document a transaction. What it finds to be processed, or to
// be current, is moved by the steps after it.
func (p *pass) order(ctx context.Context) error {
	c := p.report.count("order of versions")
	for after := ""; ; {
		documents, err := p.catalog.UnorderedDocuments(ctx, after, pageSize)
		if err != nil {
			return err
		}
		c.Found += len(documents)
		for _, id := range documents {
			after = id
			if p.options.DryRun {
				continue
			}
			changed, err := p.catalog.OrderDocument(ctx, id, lockWait)
			switch {
			case fault.KindOf(err) == fault.KindDeferred: // another works on it: the next pass takes it
				c.Found--
				continue
			case err != nil:
				return err
			case changed:
				c.Repaired++
			}
		}
		if len(documents) < pageSize {
			return errors.Join(p.statuses(ctx, c), p.layers(ctx, c))
		}
	}
}

// statuses sets what rules of before have left wrong in the ingest status of documents.
func (p *pass) statuses(ctx context.Context, c *Count) error {
	for after := ""; ; {
		documents, err := p.catalog.MisjudgedDocuments(ctx, after, pageSize)
		if err != nil {
			return err
		}
		for _, id := range documents {
			after = id
			c.Found++
			if p.options.DryRun {
				continue
			}
			switch err := p.catalog.JudgeDocument(ctx, id, lockWait); {
			case fault.KindOf(err) == fault.KindDeferred: // whoever works on it sets it
				c.Found--
			case err != nil:
				return err
			default:
				c.Repaired++
			}
		}
		if len(documents) < pageSize {
			return nil
		}
	}
}

// layers finds the chunks that rules of before have left in the wrong layer, or to stand
// for a text in the archive, where no search finds it: their documents are decided anew
// by the step of documents. What only rules of before have made, and takes long to find, is
// looked for as often as the objects.
func (p *pass) layers(ctx context.Context, c *Count) error {
	seen := make(map[string]bool)
	for after := ""; ; {
		documents, last, err := p.catalog.MisplacedDocuments(ctx, after, chunkWindow, !p.options.SkipObjects)
		if err != nil {
			return err
		}
		for _, id := range documents {
			if seen[id] {
				continue
			}
			seen[id] = true
			c.Found++
			if p.options.DryRun {
				continue
			}
			if err := p.catalog.UnsettleDocument(ctx, id); err != nil {
				return err
			}
			c.Repaired++
		}
		if last == "" {
			return nil
		}
		after = last
	}
}

// documents lets the chunker decide what is current where a capture has changed the
// order of versions, and nobody has: the event that asked for it was lost.
func (p *pass) documents(ctx context.Context) error {
	before := p.since(stream.ConsumerCapture, stream.ConsumerChunk)
	return each(ctx, p, p.report.count("documents"),
		func(page catalog.Page) ([]catalog.StuckDocument, error) {
			return p.catalog.UnsettledDocuments(ctx, before, page)
		},
		func(d catalog.StuckDocument) (stuck, error) {
			run, segments, _, err := p.catalog.RunParts(ctx, d.SnapshotID, d.ExtractionID)
			if err != nil {
				return stuck{}, err
			}
			return stuck{
				redrives: d.Redrives, consumer: stream.ConsumerChunk, event: event.OfRun(run, segments),
				moved:  func(ctx context.Context) error { return p.catalog.DocumentRedriven(ctx, d.Unsettled) },
				giveUp: func(ctx context.Context, _ string) error { return p.catalog.DocumentGivenUp(ctx, d.DocumentID) },
			}, nil
		})
}
