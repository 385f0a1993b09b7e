package llm

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzEvents: events are lines of data, each without line ends and white space around, none of them the end.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{"data: {}\n\ndata: [DONE]\n\ndata: {}\n", "data:{}", ": beat\nevent: x\ndata: a\r\n\r\n", "\n\n", "data:", "no"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		n := 0
		err := readEvents(strings.NewReader(body), func(data []byte) error {
			n++
			if bytes.ContainsAny(data, "\n") || string(data) == "[DONE]" || !bytes.Equal(bytes.TrimSpace(data), data) {
				t.Errorf("%q is an event of %q", data, body)
			}
			return nil
		})
		if err != nil || n > strings.Count(body, "data:") {
			t.Errorf("%d events of %q: %v", n, body, err)
		}
	})
}
