package quality

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// page is the label of a page of minutes with a head, a number and a table that
// goes on.
var page = headPage{
	Heads:  []string{"Minutes of the council", "Page 3 of 7", "3"},
	Body:   []string{"Art. 3", "The motion is carried unani-", "mously.", "Total 1250", "ﬁve of 3"},
	Either: []string{"Article", "EUR"},
}

func TestPerfectOutputOfAPage(t *testing.T) {
	body := []string{"Art. 3", "The motion is carried unani- mously.", "Total 1250", "five of 3"}
	for name, text := range map[string]pageText{
		"one unit a head":     {kept: append(body, "Article EUR"), left: []string{"Minutes of the council", "Page 3 of 7", "3"}},
		"heads in one unit":   {kept: append(body, "Article", "EUR"), left: []string{"Minutes of the council  Page 3 of 7", "3"}},
		"a head in two units": {kept: body, left: []string{"3", "Minutes of", "the council", "Page 3", "of 7", "Article EUR"}},
	} {
		if s := scorePage(page, text); s.found != 3 || len(s.lost) > 0 || len(s.unread) > 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestLostBodyIsSeen(t *testing.T) {
	heads := []string{"Minutes of the council", "Page 3 of 7", "3"}
	for _, c := range []struct {
		left []string
		want []string
	}{
		{[]string{"Art. 3"}, []string{"art 3"}},
		{[]string{"mously."}, []string{"mously"}},
		{[]string{"Total 1250", "Art. 3"}, []string{"total 1250", "art 3"}},
		{[]string{"The motion is carried unani- mously. Total 1250"}, []string{"the motion is carried unani mously total 1250"}},
	} {
		s := scorePage(page, pageText{left: slices.Concat(c.left, heads)})
		if s.found != 3 || !slices.Equal(s.lost, c.want) {
			t.Errorf("%v: %+v", c.left, s)
		}
	}
	// in one unit with the head
	s := scorePage(page, pageText{left: []string{"Minutes of the council Art. 3"}, kept: []string{"Page 3 of 7", "3"}})
	if s.found != 1 || !slices.Equal(s.lost, []string{"art 3"}) {
		t.Errorf("%+v", s)
	}
}

func TestKeptHeadIsSeen(t *testing.T) {
	s := scorePage(page, pageText{kept: append([]string{"Minutes of the council", "3"}, page.Body...), left: []string{"Page 3 of 7"}})
	if s.found != 1 || len(s.lost) > 0 {
		t.Errorf("%+v", s)
	}
	// part of a head alone is none
	if s := scorePage(page, pageText{left: []string{"Minutes of the"}}); s.found != 0 || len(s.lost) > 0 {
		t.Errorf("%+v", s)
	}
}

func TestKeptPageNumberDoesNotExplainALostFigure(t *testing.T) {
	s := scorePage(page, pageText{kept: []string{"3", "Total 1250"}, left: []string{"Minutes of the council", "Page 3 of 7", "Art. 3"}})
	if s.found != 2 || !slices.Equal(s.lost, []string{"art 3"}) {
		t.Errorf("%+v", s)
	}
}

func TestTextInNoUnitIsSeen(t *testing.T) {
	s := scorePage(page, pageText{kept: []string{"Art. 3", "Total", "five of 3", "The motion is carried unani- mously."},
		left: []string{"Minutes of the council", "Page 3 of 7", "3", "Article EUR"}})
	if !slices.Equal(s.unread, []string{"1250"}) || len(s.lost) > 0 {
		t.Errorf("%+v", s)
	}
}

func TestScanIsScoredInSpiteOfErrorsOfOCR(t *testing.T) {
	label := headPage{Heads: []string{"Alder Creek 2026", "4"}, Body: []string{"The concentration of nitrate was measured", "Art. 12"}}
	read := []string{"The concentratlon of nitrate vvas measured", "Art. 12"}
	for name, c := range map[string]struct {
		text  pageText
		found int
		lost  []string
	}{
		"perfect":        {pageText{kept: read, left: []string{"A1der Creek 2026", "4"}}, 2, nil},
		"heads are kept": {pageText{kept: append([]string{"A1der Creek 2026"}, read[0], "4 Art. 12")}, 0, nil},
		"a line is lost": {pageText{kept: read[1:], left: append(read[:1:1], "Alder Creek 2026", "4")}, 2, label.Body[:1]},
		"the number of a page that is a paragraph's too": {pageText{kept: []string{read[0], "4 Art. 12"}, left: []string{"A1der Creek 2026", "4"}}, 2, nil},
		"short and lost": {pageText{kept: read[:1], left: []string{"Art. 12", "4"}}, 2, label.Body[1:]},
	} {
		if s := scoreScan(label, c.text); s.found != c.found || !slices.Equal(s.lost, c.lost) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

const irOfTwoPages = `{"page_id":"a","page_no":1}
{"ir_id":"ir_1","type":"page_header","fields_raw":{"text":"Head"}}
{"ir_id":"ir_2","type":"paragraph","fields_raw":{"text":"One two. Three."}}
{"ir_id":"ir_3","type":"link","fields_raw":{"text":"https://example.org/"}}
{"page_id":"b","page_no":2}
{"ir_id":"ir_4","type":"paragraph","fields_raw":{"text":"Four."}}
`

func TestWhatNoChunkCoversIsLeftOut(t *testing.T) {
	chunks := `{"provenance":{"segments":[{"synthetic":"header","from":0,"to":0},{"ir_id":"ir_2","from":0,"to":8}]}}
{"provenance":{"segments":[{"ir_id":"ir_2","from":4,"to":9}]}}
`
	inIR, inChunks, err := readPageTexts(2, []byte(irOfTwoPages), []byte(chunks))
	if err != nil {
		t.Fatal(err)
	}
	if got := inIR[0]; !slices.Equal(got.kept, []string{"One two. Three."}) || !slices.Equal(got.left, []string{"Head"}) {
		t.Errorf("IR: %q", got)
	}
	if got := strings.Join(inChunks[0].kept, ""); got != "One two. " {
		t.Errorf("chunks keep %q", got)
	}
	if got := inChunks[0].left; !slices.Equal(got, []string{"Head", "Three."}) {
		t.Errorf("chunks leave out %q", got)
	}
	if got := inChunks[1].left; !slices.Equal(got, []string{"Four."}) {
		t.Errorf("chunks leave out %q", got)
	}
	if _, _, err := readPageTexts(1, []byte(irOfTwoPages), nil); err == nil {
		t.Error("a unit on a page that was not drawn must be an error")
	}
}

func TestReportTellsOfTheUnseenHalfInSumsOnly(t *testing.T) {
	var r HeadReport
	for i, half := range []string{halfLookedAt, halfUnseen} {
		for _, name := range []string{"a", "b"} {
			label := headLabel{Half: half, Kind: "letter", Producer: "typst", Tagged: name == "b", Pages: []headPage{
				{Heads: []string{"Head"}, Body: []string{"secretive words"}}, {Heads: []string{"Head"}, Body: []string{"more words"}}}}
			texts := []pageText{{left: []string{"Head", "secretive words"}}, {kept: []string{"more words"}, left: []string{"Head"}}}
			if name == "b" || i == 0 {
				texts[0] = pageText{kept: []string{"Head", "secretive words"}}
			}
			r.add(half+"-"+name+".pdf", label, texts, texts)
		}
	}
	var text bytes.Buffer
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), string(asJSON)} {
		if strings.Contains(out, "unseen-a") || strings.Contains(out, "secretive") || !strings.Contains(out, "looked-at-a.pdf") {
			t.Errorf("%s", out)
		}
	}
	for _, want := range []string{"looked-at: characters of the body lost: 0, goal 0: reached", "looked-at: recall of heads and feet: 0.500, goal 0.95: not reached",
		"unseen: characters of the body lost: 14, goal 0: not reached", "unseen: recall of heads and feet: 0.750", "producer typst, tagged (0 of 1 documents lose)",
		"kind letter (1 of 2 documents lose)", "all (1 of 2 documents lose)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func TestHeadOfOnePageDoesNotCount(t *testing.T) {
	label := headLabel{Half: halfLookedAt, Pages: []headPage{{Heads: []string{"Head"}, Body: []string{"text"}}}}
	row := scoreHeads("a.pdf", label, []pageText{{kept: []string{"Head", "text"}}}, []pageText{{kept: []string{"Head", "text"}}})
	if row.IR.Heads != 0 || row.IR.Recall() != 1 || row.Chunks.Lost != 0 {
		t.Errorf("%+v", row)
	}
}

func TestFailedDocumentLosesAllOfItsBody(t *testing.T) {
	label := headLabel{Half: halfLookedAt, Pages: []headPage{{Heads: []string{"Head"}, Body: []string{"text"}}, {Body: []string{"more text"}}}}
	for _, scan := range []bool{false, true} {
		label.Scan = scan
		row := scoreHeads("a.pdf", label, leaveOut(label), leaveOut(label))
		if row.Chunks.Lost != len("textmoretext") || row.Chunks.Losers != 1 {
			t.Errorf("scan %v: %+v", scan, row)
		}
	}
}

func TestReadHeadset(t *testing.T) {
	folder := t.TempDir()
	if _, _, err := readHeadset(folder); err == nil {
		t.Error("an empty set must be an error")
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.pdf", "")
	if _, _, err := readHeadset(folder); err == nil {
		t.Error("a document without a label must be an error")
	}
	write("a.json", `{"half":"neither","pages":[{}]}`)
	if _, _, err := readHeadset(folder); err == nil {
		t.Error("a document of no half must be an error")
	}
	write("a.json", `{"half":"unseen","kind":"letter","pages":[{"heads":["Head"],"body":["text"]}]}`)
	names, labels, err := readHeadset(folder)
	if err != nil || !slices.Equal(names, []string{"a.pdf"}) || labels[0].Pages[0].Heads[0] != "Head" {
		t.Errorf("%v, %+v, %v", names, labels, err)
	}
}
