package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// The metrics of a process that are read: what all of its services sent to the
// catalog, and the allocations of its heap, which every service tells alike.
const (
	metricStatements  = "colophon_catalog_statements_total"
	metricAllocations = "go_memstats_mallocs_total"
)

// metrics asks the process for its counts so far.
func (s *system) metrics(ctx context.Context) (statements, allocations int64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.health+"/metrics", nil)
	if err != nil {
		return 0, 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	return readMetrics(resp.Body)
}

// readMetrics reads Prometheus's text format.
func readMetrics(r io.Reader) (statements, allocations int64, err error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		name, _, _ := strings.Cut(line, "{")
		if name != metricStatements && name != metricAllocations {
			continue
		}
		value, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
		if err != nil {
			return 0, 0, fmt.Errorf("metric %s: %w", name, err)
		}
		if name == metricStatements {
			statements += int64(value)
		} else {
			allocations = max(allocations, int64(value))
		}
	}
	return statements, allocations, lines.Err()
}
