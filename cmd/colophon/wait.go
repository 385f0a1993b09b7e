package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
)

const (
	pollEvery = 100 * time.Millisecond
	// resendAfter is how long a request may stand without a row in captures
	// before it is sent again: its stream may have been lost (contracts 3).
	resendAfter = 15 * time.Second
)

// follow waits until the requests are quiet (contracts 13.11), shows progress,
// and returns what became of each, in the order of the requests.
func (c *cli) follow(ctx context.Context, s *sender, requests []handover, timeout time.Duration) ([]catalog.Result, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	bySource := bySource(requests)
	show := newProgressLine(c)
	defer show.end()
	tick := time.NewTimer(0)
	defer tick.Stop()
	resend, round := time.Now().Add(resendAfter), int64(0)
	for {
		select {
		case <-ctx.Done():
			return nil, gaveUp(ctx, timeout)
		case <-tick.C:
		}
		asked := time.Now()
		total, err := s.progress(ctx, bySource)
		if err != nil {
			return nil, standing(ctx, err, timeout)
		}
		if show.due() || total.Quiet() {
			if show.failed, err = s.failures(ctx, bySource); err != nil {
				return nil, standing(ctx, err, timeout)
			}
		}
		show.update(total)
		if total.Quiet() {
			break
		}
		tick.Reset(max(pollEvery, 10*time.Since(asked))) // of many requests it is asked less often
		if total.Open > 0 && time.Now().After(resend) {
			round++
			if err := s.resend(ctx, requests, bySource); err != nil {
				return nil, standing(ctx, err, timeout)
			}
			resend = time.Now().Add(resendAfter << min(round, 3))
		}
	}
	return s.results(ctx, requests, bySource)
}

// checkTimeout refuses a --timeout that has ended before it begins.
func checkTimeout(timeout time.Duration) error {
	if timeout < 0 {
		return usagef("--timeout %s: must not be negative", timeout)
	}
	return nil
}

// goesOn is true of everything that was sent.
const goesOn = "what was sent stands and goes on without this command; the same command follows it again"

// gaveUp says why one no longer waits.
func gaveUp(ctx context.Context, timeout time.Duration) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return failedf("gave up waiting after %s, as --timeout says: %s", timeout, goesOn)
	}
	return failedf("interrupted: %s", goesOn)
}

// standing adds to an error of waiting what became of the requests.
func standing(ctx context.Context, err error, timeout time.Duration) error {
	switch {
	case ctx.Err() != nil:
		return gaveUp(ctx, timeout)
	case fault.KindOf(err) == fault.KindUnavailable:
		return fmt.Errorf("%w\n%s", err, goesOn)
	default:
		return err
	}
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

// failures counts what has failed by its reason.
func (s *sender) failures(ctx context.Context, bySource map[string][]string) (map[string]int, error) {
	total := make(map[string]int)
	for source, ids := range bySource {
		counts, err := s.db.Failures(ctx, source, ids)
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
func (s *sender) results(ctx context.Context, requests []handover, bySource map[string][]string) ([]catalog.Result, error) {
	asked := make(map[string]bool, len(requests))
	for _, r := range requests {
		asked[r.SourceID+"/"+r.RequestID] = true
	}
	found := make(map[string][]catalog.Result, len(requests))
	for source, ids := range bySource {
		results, err := s.db.Results(ctx, source, ids)
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
// is a member of (contracts 1: {request_id}!/{path} and {request_id}@{offset}).
func containerOf(name string, asked map[string]bool) string {
	for i := len(name); i > 0; i = strings.LastIndexAny(name[:i], "!@") {
		if asked[name[:i]] {
			return name[:i]
		}
	}
	return name
}

// resend publishes again what has no row in captures.
func (s *sender) resend(ctx context.Context, requests []handover, bySource map[string][]string) error {
	known := make(map[string]bool, len(requests))
	for source, ids := range bySource {
		results, err := s.db.Results(ctx, source, ids)
		if err != nil {
			return err
		}
		for _, r := range results {
			known[r.SourceID+"/"+r.RequestID] = true
		}
	}
	for _, r := range requests {
		if known[r.SourceID+"/"+r.RequestID] {
			continue
		}
		if err := s.publish(ctx, r, true); err != nil {
			return err
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
	failed   map[string]int // by reason
}

// due reports whether a line may be written, for which more is asked.
func (l *progressLine) due() bool { return l.on && time.Since(l.shown) > time.Second }

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
	if captured := p.Requests - p.Open; elapsed > 0.5 && p.Open > 0 && captured > 0 {
		line += remaining("documents", float64(captured)/elapsed, p.Open)
	} else if elapsed > 0.5 && p.DonePages > 0 {
		line += remaining("pages", float64(p.DonePages)/elapsed, p.Pages-p.DonePages)
	}
	for n, reason := range slices.Sorted(maps.Keys(l.failed)) {
		if n == 0 {
			line += "  failed:"
		}
		line += fmt.Sprintf(" %d %s", l.failed[reason], reason)
	}
	l.show(line, p.Quiet())
}

// remaining says how fast it goes and how long the rest will take.
func remaining(what string, rate float64, left int) string {
	text := fmt.Sprintf("  %.0f %s/s", rate, what)
	if left > 0 {
		text += fmt.Sprintf("  ETA %.0f s", float64(left)/rate)
	}
	return text
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
