package follow

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Why a passage is furniture is told from the captured bytes, and a selector that
// `source apply` gave the source by its capture is told by its element.
func TestWhy(t *testing.T) {
	snapshots := map[string]model.Snapshot{
		"snap_a": {SnapshotID: "snap_a", SnapshotKind: model.KindHTML, URL: "https://example.org/a"},
		"snap_b": {SnapshotID: "snap_b", SnapshotKind: model.KindHTML, URL: "https://example.org/a", SourceFurniture: &model.Furniture{Version: 1, Selectors: []model.FurnitureSelect{{Select: ".stall", Role: "related"}}}},
		"snap_c": {SnapshotID: "snap_c", SnapshotKind: model.KindPDF},
	}
	sentence := strings.Repeat("The council met on Monday and decided about the bridge. ", 6)
	raw := `<body><nav><a href="/x">Home</a> <a href="/y">News</a></nav><h1>Bridge decided upon</h1><p>` + sentence + `</p><div class="stall"><p>The harbour has a market on all Saturdays of the summer, with music.</p></div><p>` + sentence + `</p></body>`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/snapshots/"), "/")
		if rest == "raw" {
			_, _ = w.Write([]byte(raw))
			return
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"snapshot": snapshots[id]}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("COLOPHON_GATEWAY_URL", server.URL)
	why := func(id string) (passages map[string]html.Reason, err error) {
		var out strings.Builder
		c := commands{&cli.Tool{Out: &out, Dir: t.TempDir()}}
		command := c.showCommand()
		command.SetContext(t.Context())
		if err := c.show(command, "why", id); err != nil {
			return nil, err
		}
		var answer struct {
			Passages []html.Reason `json:"passages"`
		}
		if err := json.Unmarshal([]byte(out.String()), &answer); err != nil {
			return nil, err
		}
		passages = map[string]html.Reason{}
		for _, r := range answer.Passages {
			passages[strings.Fields(r.Text)[0]+strings.Fields(r.Text)[1]] = r
		}
		return passages, nil
	}
	before, err := why("snap_a/1")
	if err != nil {
		t.Fatal(err)
	}
	if r := before["HomeNews"]; r.Kept || r.Role != "navigation" || r.Element != "nav" {
		t.Errorf("%+v", r)
	}
	if r := before["Theharbour"]; !r.Kept || r.Score == nil || len(r.Signs) == 0 {
		t.Errorf("%+v", r)
	}
	after, err := why("snap_b/1")
	if err != nil {
		t.Fatal(err)
	}
	if r := after["Theharbour"]; r.Kept || r.Element != "div.stall" || !strings.Contains(r.Because, "source") {
		t.Errorf("%+v", r)
	}
	for _, id := range []string{"snap_c/1", "snap_a/2", "snap_a"} {
		if _, err := why(id); cli.ExitCode(err) != cli.ExitUsage {
			t.Errorf("%s: %v", id, err)
		}
	}
}
