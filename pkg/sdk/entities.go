package sdk

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// ExtractedDocument is what the pages of a document's current version say of goals, practices and the like.
type ExtractedDocument = model.ExtractedDocument

// ExtractedPage are the entities of one of its pages. An entity is JSON with the fields of its type (docs/entities.md).
type ExtractedPage = model.ExtractedPage

// EntitiesExtracted says what became of the entities of a page; the entities are asked for with Entities.
type EntitiesExtracted = event.EntitiesExtracted

// ErrNoDocument says that the gateway knows no document of this id.
var ErrNoDocument = errors.New("there is no such document")

// Entities asks the gateway for the entities of a document. It needs Config.Gateway.
func (c *Client) Entities(ctx context.Context, documentID string) (d ExtractedDocument, err error) {
	err = c.get(ctx, "/v1/documents/"+url.PathEscape(documentID)+"/entities", &d)
	if errors.Is(err, errNotThere) {
		err = errors.Join(ErrNoDocument, err)
	}
	return d, err
}

// EntityPages follows what becomes of the entities of pages, of one source or, where that is empty, of all, from a
// time on that the stream reaches back to (7 days), or from now on when it is zero. A page may come more than once:
// the last event of it counts. It ends with ctx, whose end is no error.
func (c *Client) EntityPages(ctx context.Context, source string, since time.Time) iter.Seq2[EntitiesExtracted, error] {
	return follow[EntitiesExtracted](ctx, c, event.TypeEntitiesExtracted, source, since)
}
