package telemetry_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// TestLogLinesHoldNoSecrets: what a line quotes of an address is redacted, in its
// message, in texts, in errors and in what all lines of a logger have.
func TestLogLinesHoldNoSecrets(t *testing.T) {
	const address = "https://bob:hunter2@town.example/x?refresh_token=hunter2&page=3"
	for _, format := range []string{"json", "text"} {
		var out bytes.Buffer
		logger := telemetry.NewLogger(&out, "capturer", telemetry.Config{LogFormat: format})
		logger.With("from", address).WithGroup("g").Info("asking "+address, "url", address, "error", errors.New("asking "+address), "code", 503)
		if text := out.String(); strings.Contains(text, "hunter2") || strings.Count(text, "page=3") != 4 || !strings.Contains(text, "503") {
			t.Error(text)
		}
	}
}
