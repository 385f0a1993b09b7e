package rules

import (
	_ "embed" // confidence.tsv
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

//go:embed confidence.tsv
var confidenceTSV string

// measuredKind is how often entities of one kind of finding were right on labelled pages.
type measuredKind struct {
	FoundBy      string
	Right, Wrong int
}

// Confidence is the share that is to be expected to be right: one of each is added to what was counted, so that what
// was seen ten times is less sure than what was seen a hundred times. Two digits.
func (m measuredKind) Confidence() float64 {
	return math.Round(float64(m.Right+1)/float64(m.Right+m.Wrong+2)*100) / 100
}

// parseMeasured reads lines of a kind of finding, how many were right, and how many wrong, divided by tabs.
func parseMeasured(text string) (out []measuredKind, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 3 {
			return nil, fmt.Errorf("confidence.tsv: %q has %d columns, must be 3", line, len(cells))
		}
		m := measuredKind{FoundBy: cells[0]}
		for i, n := range []*int{&m.Right, &m.Wrong} {
			if *n, err = strconv.Atoi(cells[i+1]); err != nil || *n < 0 {
				return nil, fmt.Errorf("confidence.tsv: %q is no count", cells[i+1])
			}
		}
		out = append(out, m)
	}
	return out, nil
}

var confidences = sync.OnceValue(func() map[string]float64 {
	all, err := parseMeasured(confidenceTSV)
	if err != nil {
		panic(err) // the file is part of the build: its test parses it
	}
	out := make(map[string]float64)
	for _, m := range all {
		out[m.FoundBy] = m.Confidence()
	}
	return out
})

// confidenceOf is the measured confidence of a kind of finding; of one that was never measured it is that of no case.
func confidenceOf(how string) float64 {
	if c, ok := confidences()[how]; ok {
		return c
	}
	return measuredKind{}.Confidence()
}
