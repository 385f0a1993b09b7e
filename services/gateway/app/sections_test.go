package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
)

// TestPagesAreServedInTheirSections: a page that is asked for alone begins in the sections
// that the pages before it leave open, as HTML and in the answer; its hashes are those of
// what is stored, and the page before the first heading has none.
func TestPagesAreServedInTheirSections(t *testing.T) {
	r := newRig(t)
	r.n++
	d := doc{content: "x"}
	defaults(&d, r.n)
	s := r.capture(d)
	const pages = 18
	var ids []string
	for no := range pages {
		ids = append(ids, digest.PageID(s.SnapshotID, no+1))
	}
	run, err := r.app.db.StartRun(r.ctx, model.Run{SnapshotID: s.SnapshotID, ExtractionID: digest.ExtractionID(extract.ParserVersion, "", ""),
		SourceID: s.SourceID, DocumentID: s.DocumentID, PageCount: pages, ParserVersion: extract.ParserVersion, Why: "capture"}, ids, "")
	r.must(err)
	headings := map[int]model.Fields{2: {Level: 1, Text: `Goals of "2030"`}, 3: {Level: 2, Text: "Monitoring"}, 17: {Level: 2, Text: "Costs"}}
	stored := map[int]model.Page{}
	for _, pr := range model.Ranges(pages) {
		var w segment.Writer
		row := model.SegmentRow{SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID, From: pr.From, To: pr.To, Processed: pr.To - pr.From + 1}
		var records []model.Page
		for no := pr.From; no <= pr.To; no++ {
			frame := madeUp(s, run, doc{content: fmt.Sprintf("Text %d", no)})
			if f, ok := headings[no]; ok {
				frame.Units = append(frame.Units, model.Unit{IRID: "ir_h", Type: model.UnitHeading, FieldsRaw: f})
			}
			frame.Page.PageID, frame.Page.PageNo = ids[no-1], no
			frame.Page.HTML, frame.Page.OpenSections = docxt.Build(no, frame.Units, nil)
			frame.Page.ContentHash = digest.PageContentHash([]byte(frame.Page.HTML))
			encoded, err := segment.EncodeFrame(frame)
			r.must(err)
			r.must(w.Add(no, encoded))
			records, stored[no] = append(records, frame.Page), frame.Page
		}
		data, sha, err := w.Bytes()
		r.must(err)
		row.Digest, row.ByteLength = sha, int64(len(data))
		row.ObjectKey, err = r.app.blobs.PutSegment(r.ctx, row, s.SourceID, data)
		r.must(err)
		_, err = r.app.db.PutSegment(r.ctx, row, records)
		r.must(err)
	}
	goals := `<!-- DOCXT:SECTION_START kind="goal" level=1 text="Goals of &quot;2030&quot;" -->` + "\n"
	monitoring := `<!-- DOCXT:SECTION_START kind="monitoring" level=2 text="Monitoring" -->` + "\n"
	costs := `<!-- DOCXT:SECTION_START kind="administrative" level=2 text="Costs" -->` + "\n"
	for no, want := range map[int]string{1: "", 2: "", 3: goals, 4: goals + monitoring, 16: goals + monitoring, 17: goals + monitoring, 18: goals + costs} {
		path := fmt.Sprintf("/v1/snapshots/%s/pages/%d", s.SnapshotID, no)
		html := string(r.get("/v1/snapshots/{id}/pages/{n}.html", http.StatusOK, path+".html"))
		_, body, _ := strings.Cut(html, "\n")
		if begins, _, _ := strings.Cut(body, "<p>"); begins != want {
			t.Errorf("page %d begins with\n%s\nwant\n%s", no, begins, want)
		}
		one := into[api.PageAnswer](t, r.get("/v1/snapshots/{id}/pages/{n}", http.StatusOK, path))
		if one.Page.HTML != html || one.Page.ContentHash != stored[no].ContentHash {
			t.Errorf("the answer for page %d is\n%s\nwith %s", no, one.Page.HTML, one.Page.ContentHash)
		}
		if starts, ends := strings.Count(html, "SECTION_START"), strings.Count(html, "SECTION_END"); starts != ends {
			t.Errorf("page %d opens %d sections and closes %d", no, starts, ends)
		}
	}
}
