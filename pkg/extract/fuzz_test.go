package extract

import (
	"bytes"
	"os"
	"testing"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// FuzzFrame: whatever a file holds, of each kind, its frame is sound, is read back
// as it was written, and a second extraction gives the same bytes.
func FuzzFrame(f *testing.F) {
	names := []string{"a.html", "a.txt", "a.md", "a.csv", "a.json", "a.xml"}
	for i, d := range documents {
		raw, err := os.ReadFile(d.file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw[:min(len(raw), 2<<10)], byte(i))
	}
	f.Add([]byte("a,b\n1,\"2.500,5\"\n3 %,2024-01-02\n"), byte(3))
	f.Add([]byte(",\n,\x00\x00\x01\x00"), byte(3))
	f.Add([]byte("|a|b\x00|\n|---|---|\n|c|\x00d|"), byte(2))
	f.Add([]byte("<table><tr><th>a<th>b<tr><td rowspan=2>1,5<td>x\x00<tr><td><a href=b>l</a></table>\u202Ea"), byte(0))
	f.Add([]byte(`{"a":"\u0000\u2028"}`), byte(4))
	f.Fuzz(func(t *testing.T, raw []byte, kind byte) {
		name := names[int(kind)%len(names)]
		in := input(model.KindTextFile, raw)
		if name == "a.html" {
			in.Snapshot.SnapshotKind = model.KindHTML
		}
		in.Snapshot.Filename = name
		frame := frameOf(t, in)
		if frame.Page.Status == model.PageProcessed {
			checkFrame(t, in, frame)
		}
		if c := frame.Page.Coverage; c < 0 || c > 1 || !utf8.ValidString(frame.Page.HTML) {
			t.Fatalf("coverage %v, html %q", c, frame.Page.HTML)
		}
		written, err := segment.EncodeFrame(frame)
		if err != nil {
			t.Fatal(err)
		}
		read, err := segment.DecodeFrame(written)
		if err != nil {
			t.Fatal(err)
		}
		for what, other := range map[string]segment.Frame{"as it was read": read, "extracted again": frameOf(t, in)} {
			if again, err := segment.EncodeFrame(other); err != nil || !bytes.Equal(again, written) {
				t.Fatalf("the frame, %s, is another: %v", what, err)
			}
		}
	})
}
