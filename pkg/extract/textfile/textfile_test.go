package textfile

import (
	"context"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
)

func TestFormats(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    model.Snapshot
		want string
	}{
		{"by name", model.Snapshot{Filename: "A.CSV", DetectedMIME: "text/plain; charset=utf-8"}, "CSV"},
		{"by URL", model.Snapshot{URLExt: "rss", ContentType: "text/plain"}, "XML"},
		{"plain by name", model.Snapshot{Filename: "a.txt", DetectedMIME: "application/json"}, ""},
		{"by header", model.Snapshot{HTTPContentType: "application/feed+json; charset=utf-8", DetectedMIME: "text/plain"}, "JSON"},
		{"by header of the capture", model.Snapshot{ContentType: "text/tab-separated-values"}, "CSV"},
		{"by bytes", model.Snapshot{Filename: "data", ContentType: "text/plain", DetectedMIME: "text/xml; charset=utf-8"}, "XML"},
		{"Markdown by name", model.Snapshot{Filename: "README.md"}, "Markdown"},
		{"Markdown by header", model.Snapshot{ContentType: "text/markdown"}, "Markdown"},
		{"nothing", model.Snapshot{}, ""},
	} {
		got := ""
		if f, isMarkdown := formatOf(tt.s, Builtin()); isMarkdown {
			got = "Markdown"
		} else if f != nil {
			got = f.Name
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What a parser does not understand is plain text, and it says why.
func TestFallBack(t *testing.T) {
	in := block.Input{Raw: []byte("{ it is broken }"), Snapshot: model.Snapshot{Filename: "a.json"}}
	page, err := Extractor{Formats: Builtin()}.Page(context.Background(), in, 1)
	if err != nil || len(page.Blocks) != 1 || page.Blocks[0].Text != "{ it is broken }" {
		t.Fatalf("%+v, %v", page, err)
	}
	if len(page.Warnings) != 1 || !strings.Contains(page.Warnings[0], "not JSON") {
		t.Errorf("warnings %q", page.Warnings)
	}
	if _, err := (Extractor{Formats: Builtin()}).Page(context.Background(), in, 2); err == nil {
		t.Error("page 2 of a text file")
	}
}
