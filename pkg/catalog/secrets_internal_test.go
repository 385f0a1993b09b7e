package catalog

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// TestWhatIsStoredTodayIsNoFalseAlarm: of each address of the list the raw request holds
// a secret, and the stored one none.
func TestWhatIsStoredTodayIsNoFalseAlarm(t *testing.T) {
	list, err := os.ReadFile("../redact/testdata/masked.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(list)) {
		url := strings.NewReplacer("«", "", "»", "").Replace(strings.TrimSpace(line))
		if url == "" || url[0] == '#' {
			continue
		}
		n++
		for want, r := range map[bool]event.CaptureRequested{
			true: {URL: url},
			false: {
				URL: redact.URL(url, redact.Stored), Metadata: map[string]string{"see": redact.Value("see", url, redact.Stored)},
				Headers:           map[string][]string{"Location": {redact.Header("Location", url)}, "Link": {redact.Header("Link", "<"+url+">; rel=next")}},
				RobotsPolicyNotes: redact.Text("see "+url, redact.Stored), SourceRecordID: redact.RecordID(url),
			},
		} {
			stored, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := requestHolds(string(stored)); err != nil || got != want {
				t.Errorf("%s: %v, %v", stored, got, err)
			}
		}
	}
	if n < 200 {
		t.Errorf("%d addresses", n)
	}
}
