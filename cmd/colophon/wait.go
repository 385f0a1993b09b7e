package main

import (
	"context"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
)

const (
	pollEvery = 100 * time.Millisecond
	// resendAfter is how long a request may stand without a row in captures
	// before it is sent again: its stream may have been lost (contracts 3).
	resendAfter = 15 * time.Second
)

// follow waits until the requests are quiet (contracts 13.11), shows progress,
// and returns what became of each, in the order of the requests.
func (c *cli) follow(ctx context.Context, s *sender, requests []event.CaptureRequested, timeout time.Duration) ([]catalog.Result, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	bySource := make(map[string][]string)
	for _, r := range requests {
		bySource[r.SourceID] = append(bySource[r.SourceID], r.RequestID)
	}
	show := newProgressLine(c)
	defer show.end()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	resend, round := time.Now().Add(resendAfter), int64(0)
	for {
		total, err := s.progress(ctx, bySource)
		if err != nil {
			return nil, err
		}
		show.update(total)
		if total.Quiet() {
			break
		}
		if total.Open > 0 && time.Now().After(resend) {
			round++
			if err := s.resend(ctx, requests, round); err != nil {
				return nil, err
			}
			resend = time.Now().Add(resendAfter << min(round, 3))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("gave up waiting: %w", ctx.Err())
		case <-tick.C:
		}
	}
	return s.results(ctx, requests, bySource)
}

func (s *sender) progress(ctx context.Context, bySource map[string][]string) (catalog.Progress, error) {
	var total catalog.Progress
	for source, ids := range bySource {
		p, err := s.db.Progress(ctx, source, ids)
		if err != nil {
			return total, err
		}
		total = total.Plus(p)
	}
	return total, nil
}

func (s *sender) results(ctx context.Context, requests []event.CaptureRequested, bySource map[string][]string) ([]catalog.Result, error) {
	found := make(map[string]catalog.Result, len(requests))
	for source, ids := range bySource {
		results, err := s.db.Results(ctx, source, ids)
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			found[r.SourceID+"/"+r.RequestID] = r
		}
	}
	out := make([]catalog.Result, len(requests))
	for i, r := range requests {
		out[i] = found[r.SourceID+"/"+r.RequestID]
	}
	return out, nil
}

// resend publishes again what has no row in captures.
func (s *sender) resend(ctx context.Context, requests []event.CaptureRequested, round int64) error {
	for _, r := range requests {
		results, err := s.db.Results(ctx, r.SourceID, []string{r.RequestID})
		if err != nil {
			return err
		}
		if len(results) == 0 {
			if err := s.publish(ctx, r, round); err != nil {
				return err
			}
		}
	}
	return nil
}

// progressLine rewrites one line of a terminal, or writes a line a second
// elsewhere.
type progressLine struct {
	cli      *cli
	on       bool
	terminal bool
	began    time.Time
	shown    time.Time
	last     string
}

func newProgressLine(c *cli) *progressLine {
	return &progressLine{cli: c, on: c.progress || c.terminal(), terminal: c.terminal(), began: time.Now()}
}

func (l *progressLine) update(p catalog.Progress) {
	if !l.on {
		return
	}
	elapsed := time.Since(l.began).Seconds()
	line := fmt.Sprintf("captured %d/%d  pages %d/%d  runs %d/%d  chunks %d  vectors %d/%d",
		p.Requests-p.Open, p.Requests, p.DonePages, p.Pages, p.Runs-min(p.OpenRuns, p.Runs), p.Runs, p.Chunks,
		p.Chunks-p.Unpushed, p.Chunks)
	if elapsed > 0.5 && p.DonePages > 0 {
		rate := float64(p.DonePages) / elapsed
		line += fmt.Sprintf("  %.0f pages/s", rate)
		if left := p.Pages - p.DonePages; left > 0 {
			line += fmt.Sprintf("  ETA %.0f s", float64(left)/rate)
		}
	}
	l.show(line, p.Quiet())
}

// show writes a line; the last one is never passed over.
func (l *progressLine) show(line string, last bool) {
	if !l.on || line == l.last {
		return
	}
	switch {
	case l.terminal:
		fmt.Fprintf(l.cli.err, "\r\x1b[K%s", line)
	case time.Since(l.shown) < time.Second && !last:
		return // in a file or a log a line a second will do
	default:
		fmt.Fprintln(l.cli.err, line)
	}
	l.last, l.shown = line, time.Now()
}

func (l *progressLine) end() {
	if l.terminal && l.last != "" {
		fmt.Fprintln(l.cli.err)
	}
}
