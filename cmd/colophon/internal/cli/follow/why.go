package follow

import (
	"context"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/model"
)

// why prints for each passage of a web page what made it main content or furniture: from the
// captured bytes, by the rules and weights of this program, and what was known of the
// source at capture.
func (c commands) why(ctx context.Context, snapshot, page string) error {
	var answer struct {
		Snapshot model.Snapshot `json:"snapshot"`
	}
	if err := c.Get(ctx, "/v1/snapshots/"+snapshot, nil, &answer); err != nil {
		return err
	}
	if answer.Snapshot.SnapshotKind != model.KindHTML {
		return cli.Usagef("%s is no web page: which of its text is furniture is decided by what repeats on its pages", snapshot)
	}
	if page != "1" {
		return cli.Usagef("%s has one page, as each web page", snapshot)
	}
	var raw []byte
	if err := c.Get(ctx, "/v1/snapshots/"+snapshot+"/raw", nil, &raw); err != nil {
		return err
	}
	reasons, err := html.Explain(ctx, block.Input{Raw: raw, Snapshot: answer.Snapshot})
	if err != nil {
		return err
	}
	return c.Record(map[string]any{"snapshot_id": snapshot, "passages": reasons})
}
