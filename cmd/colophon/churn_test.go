package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/convert"
)

// TestVerifyBesideChurn verifies everything again and again while new versions of a few
// pages come, so that chunks change their layer, appear and go: nothing of that is a
// break. COLOPHON_CHURN says how often, 4 times by default.
func TestVerifyBesideChurn(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a system")
	}
	want := 4
	if given := os.Getenv("COLOPHON_CHURN"); given != "" {
		var err error
		if want, err = strconv.Atoi(given); err != nil {
			t.Fatal(err)
		}
	}
	newLibraryOf(t, func(l *library, tmp *convert.Temporary) {
		pages := filepath.Join(l.samples, "pages")
		l.must(os.Mkdir(pages, 0o700))
		versions := 0
		version := func() {
			at := time.Date(2026, 3, 1, 8, 0, versions, 0, time.UTC).Format(time.RFC3339)
			for page := range 8 { // two of them say the same, which is another at each time
				l.put(filepath.Join("pages", fmt.Sprintf("page-%d.html", page)), minutes(fmt.Sprintf("adopted in version %d by vote %d", versions/(1+page%3), page/2)))
			}
			l.capture(tmp, "council", at, pages)
			versions++
		}
		version()
		alarms := l.watched(func(looks func() int) {
			for looks() < want && !l.Failed() {
				version()
			}
		})
		if len(alarms) > 0 {
			l.Errorf("false alarms beside %d versions of each page:\n%s", versions, strings.Join(alarms, "\n"))
		}
		l.Logf("%d versions of each page meanwhile", versions)
	})
}
