package cli

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
)

// ProgressLine rewrites one line of a terminal, or writes a line a second
// elsewhere.
type ProgressLine struct {
	cli      *Tool
	on       bool
	terminal bool
	Began    time.Time
	shown    time.Time
	last     string
	Failed   map[string]int // by reason
}

// Due reports whether a line may be written, for which more is asked.
func (l *ProgressLine) Due() bool { return l.on && time.Since(l.shown) > time.Second }

// NewProgressLine returns a line that is shown on a terminal, or where --progress asks for it.
func NewProgressLine(c *Tool) *ProgressLine {
	return &ProgressLine{cli: c, on: c.Progress || c.terminal(), terminal: c.terminal(), Began: time.Now()}
}

// Update shows how far captured documents have come.
func (l *ProgressLine) Update(p catalog.Progress) {
	if !l.on {
		return
	}
	elapsed := time.Since(l.Began).Seconds()
	line := fmt.Sprintf("captured %d/%d  pages %d/%d  runs %d/%d  chunks %d  vectors %d/%d",
		p.Requests-p.Open, p.Requests, p.DonePages, p.Pages, p.Runs-min(p.OpenRuns, p.Runs), p.Runs, p.Chunks,
		p.Chunks-p.Unpushed, p.Chunks)
	if p.Held > 0 {
		line += fmt.Sprintf("  waiting for a model %d", p.Held)
	}
	if captured := p.Requests - p.Open; elapsed > 0.5 && p.Open > 0 && captured > 0 {
		line += remaining("documents", float64(captured)/elapsed, p.Open)
	} else if elapsed > 0.5 && p.DonePages > 0 {
		line += remaining("pages", float64(p.DonePages)/elapsed, p.Pages-p.DonePages)
	}
	for n, reason := range slices.Sorted(maps.Keys(l.Failed)) {
		if n == 0 {
			line += "  failed:"
		}
		line += fmt.Sprintf(" %d %s", l.Failed[reason], reason)
	}
	l.Show(line, p.Quiet())
}

// remaining says how fast it goes and how long the rest will take.
func remaining(what string, rate float64, left int) string {
	text := fmt.Sprintf("  %.0f %s/s", rate, what)
	if left > 0 {
		text += fmt.Sprintf("  ETA %.0f s", float64(left)/rate)
	}
	return text
}

// Show writes a line; the last one is never passed over.
func (l *ProgressLine) Show(line string, last bool) {
	if !l.on || line == l.last {
		return
	}
	switch {
	case l.terminal:
		fmt.Fprintf(l.cli.Err, "\r\x1b[K%s", line)
	case time.Since(l.shown) < time.Second && !last:
		return // in a file or a log a line a second will do
	default:
		fmt.Fprintln(l.cli.Err, line)
	}
	l.last, l.shown = line, time.Now()
}

// End leaves the line as it is, for what is printed next.
func (l *ProgressLine) End() {
	if l.terminal && l.last != "" {
		fmt.Fprintln(l.cli.Err)
	}
}
