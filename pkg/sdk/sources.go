package sdk

import (
	"context"
	"iter"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Source is a source of the registry, as far as a consumer needs it.
type Source struct {
	SourceID string `json:"source_id"`
	Name     string `json:"name"`  // display name
	State    string `json:"state"` // enabled or disabled
}

// Disabled reports whether no search finds what is stored of the source. Its chunks
// stay as they are, and no change of them says so.
func (s Source) Disabled() bool { return s.State == string(model.SourceDisabled) }

// Sources asks the gateway for the sources that are registered now, by source_id. The
// errors are ErrNoGateway, a gateway that does not answer, and ctx's.
func (c *Client) Sources(ctx context.Context) ([]Source, error) {
	if c.cfg.Gateway == "" {
		return nil, ErrNoGateway
	}
	var answer struct {
		Sources []Source `json:"sources"`
	}
	if err := c.get(ctx, "/v1/sources", &answer); err != nil {
		return nil, err
	}
	return answer.Sources, nil
}

// SourceChanges follows the changes of the registry, of one source or of all where source
// is empty, from a time on that the stream reaches back to (7 days), or from now on when it
// is zero. A change may come more than once, and of those of one source the highest Seq
// counts, whatever the order; what is so now, Sources says. It ends with ctx, whose end is
// no error.
func (c *Client) SourceChanges(ctx context.Context, source string, since time.Time) iter.Seq2[SourceChanged, error] {
	return follow[SourceChanged](ctx, c, event.TypeSourceChanged, source, since)
}
