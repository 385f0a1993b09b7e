package sdk

import (
	"context"

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
