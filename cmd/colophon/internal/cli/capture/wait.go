package capture

import (
	"context"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/catalog"
)

// resendAfter is how long a request may stand without a row in captures before it is
// sent again: its stream may have been lost.
const resendAfter = 15 * time.Second

// Follow waits until the requests are quiet (contracts#quiet), shows progress,
// and returns what became of each, in the order of the requests.
func Follow(ctx context.Context, c *cli.Tool, s *Sender, requests []Handover, timeout time.Duration) ([]catalog.Result, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	bySource := bySource(requests)
	show := cli.NewProgressLine(c)
	defer show.End()
	tick := time.NewTimer(0)
	defer tick.Stop()
	resend, round := time.Now().Add(resendAfter), int64(0)
	for {
		select {
		case <-ctx.Done():
			return nil, cli.GaveUp(ctx, timeout)
		case <-tick.C:
		}
		asked := time.Now()
		total, err := s.progress(ctx, bySource)
		if err != nil {
			return nil, cli.Standing(ctx, err, timeout)
		}
		if show.Due() || total.Quiet() {
			if show.Failed, err = s.failures(ctx, bySource); err != nil {
				return nil, cli.Standing(ctx, err, timeout)
			}
		}
		show.Update(total)
		if total.Quiet() {
			break
		}
		tick.Reset(max(cli.PollEvery, 10*time.Since(asked))) // of many requests it is asked less often
		if total.Open > 0 && time.Now().After(resend) {
			round++
			if err := s.resend(ctx, requests, bySource); err != nil {
				return nil, cli.Standing(ctx, err, timeout)
			}
			resend = time.Now().Add(resendAfter << min(round, 3))
		}
	}
	return s.results(ctx, requests, bySource)
}

func (s *Sender) progress(ctx context.Context, bySource map[string][]string) (catalog.Progress, error) {
	var total catalog.Progress
	for source, ids := range bySource {
		p, err := s.DB.Progress(ctx, source, ids)
		if err != nil {
			return total, err
		}
		total = total.Plus(p)
	}
	return total, nil
}

// failures counts what has failed by its reason.
func (s *Sender) failures(ctx context.Context, bySource map[string][]string) (map[string]int, error) {
	total := make(map[string]int)
	for source, ids := range bySource {
		counts, err := s.DB.Failures(ctx, source, ids)
		if err != nil {
			return nil, err
		}
		for reason, n := range counts {
			total[reason] += n
		}
	}
	return total, nil
}

// results returns what became of the requests, in their order, each followed by
// its members when it is a container.
func (s *Sender) results(ctx context.Context, requests []Handover, bySource map[string][]string) ([]catalog.Result, error) {
	asked := make(map[string]bool, len(requests))
	for _, r := range requests {
		asked[r.SourceID+"/"+r.RequestID] = true
	}
	found := make(map[string][]catalog.Result, len(requests))
	for source, ids := range bySource {
		results, err := s.DB.Results(ctx, source, ids)
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			of := containerOf(r.SourceID+"/"+r.RequestID, asked)
			found[of] = append(found[of], r)
		}
	}
	var out []catalog.Result
	for _, r := range requests {
		name := r.SourceID + "/" + r.RequestID
		// Sorted by their ids: the container's own is first.
		out = append(out, found[name]...)
		delete(found, name) // asked for twice, it is one
	}
	return out, nil
}

// containerOf returns which of the requests that were asked for a request is, or
// is a member of (contracts#member-request-id: {request_id}!/{path} and {request_id}@{offset}).
func containerOf(name string, asked map[string]bool) string {
	for i := len(name); i > 0; i = strings.LastIndexAny(name[:i], "!@") {
		if asked[name[:i]] {
			return name[:i]
		}
	}
	return name
}

// resend publishes again what has no row in captures.
func (s *Sender) resend(ctx context.Context, requests []Handover, bySource map[string][]string) error {
	known := make(map[string]bool, len(requests))
	for source, ids := range bySource {
		results, err := s.DB.Results(ctx, source, ids)
		if err != nil {
			return err
		}
		for _, r := range results {
			known[r.SourceID+"/"+r.RequestID] = true
		}
	}
	for i, r := range requests {
		if known[r.SourceID+"/"+r.RequestID] {
			continue
		}
		if err := s.publish(ctx, &requests[i], true); err != nil {
			return err
		}
	}
	return nil
}
