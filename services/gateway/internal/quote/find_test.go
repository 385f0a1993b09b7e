package quote

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// ofCommonWords is a memory in which each word of a quotation is in more than n chunks, and
// one document has the quotation, each of its words in a chunk of its own.
func ofCommonWords(t *testing.T, quotation string, n int) *memory {
	t.Helper()
	m := &memory{}
	words := strings.Fields(quotation)
	for _, w := range words {
		for range n {
			m.add(w + " alone")
		}
	}
	text := strings.Join(words, " ")
	var cuts []int
	for i, r := range text {
		if r == ' ' {
			cuts = append(cuts, i)
		}
	}
	m.add(text, cuts...)
	return m
}

// TestWhatWasNotReadIsUndecided: where no word is rare, a quotation is found over however many
// chunks, or it is said that not all were read; never that it is nowhere.
func TestWhatWasNotReadIsUndecided(t *testing.T) {
	const quotation, altered = "amber basil cedar daisy elder fennel", "amber basil daisy cedar elder fennel"
	for _, c := range []struct {
		chunks         int
		quote, altered Verdict
	}{{rareEnough + 1, Exact, NotFound}, {readable + 1, Undecided, Undecided}} {
		m := ofCommonWords(t, quotation, c.chunks)
		for q, want := range map[string]Verdict{quotation: c.quote, altered: c.altered} {
			if a, err := m.check(q); err != nil || a.Verdict != want {
				t.Errorf("of %d chunks each, %q: %s, %v; want %s", c.chunks, q, a.Verdict, err, want)
			}
		}
	}
}

// TestAContextLineIsNotQuoted: what a rule wrote before the content is no word of the document, by itself and
// with the words after it.
func TestAContextLineIsNotQuoted(t *testing.T) {
	m := &memory{}
	m.add("the fee of the pool is three florins a day", len("the fee of the pool"))
	const head, line = "TYPE: fact\n\n", "amber basil cedar daisy › 2026-01-02 › elder"
	for i := range m.chunks[0] {
		c := &m.chunks[0][i].Chunk
		seg := c.Provenance.Segments[0]
		start := len(head) + len(line)
		c.Text = head + line + "\n\n" + c.Content
		seg.Start, seg.End = start+2, len(c.Text)
		c.Provenance.Segments = []model.Segment{{End: len(head), Synthetic: model.SyntheticHeader},
			{Start: len(head), End: start, Synthetic: model.SyntheticContext}, {Start: start, End: start + 2, Synthetic: model.SyntheticSeparator}, seg}
	}
	for q, want := range map[string]Verdict{
		"amber basil cedar daisy": NotFound, "2026-01-02 › elder the fee of the pool": NotFound,
		"the fee of the pool is three florins a day": Exact,
	} {
		if a, err := m.check(q); err != nil || a.Verdict != want {
			t.Errorf("%q: %s, %v; want %s", q, a.Verdict, err, want)
		}
	}
}

// TestCommonWordsInParts: of a quotation with omissions the version is found that has all
// parts, though others have the first of them in one chunk.
func TestCommonWordsInParts(t *testing.T) {
	m := ofCommonWords(t, "amber basil cedar daisy", rareEnough+1)
	m.add("amber basil cedar daisy stands here")
	m.add("then amber basil cedar daisy goes on to the elder tree", len("then amber basil"))
	if a, err := m.check("amber basil cedar daisy … on to the elder tree"); err != nil || a.Verdict != InParts {
		t.Errorf("%s, %v", a.Verdict, err)
	}
	if a, err := m.check("amber basil cedar daisy"); err != nil || a.Verdict != Exact || !a.More {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestEndsOverChunks: what goes on in the next chunk is looked at before a place counts that
// ends where its chunk ends, or begins where it begins.
func TestEndsOverChunks(t *testing.T) {
	for _, c := range []struct {
		chunks    []string
		quotation string
		want      bool
	}{
		{[]string{"the budget of the town was 1 250", " 000 euros in all"}, "the budget of the town was 1 250", false},
		{[]string{"the budget of the town was 1 250", " 000 euros in all"}, "the budget of the town was 1 250 000 euros", true},
		{[]string{"the budget of the town was 12", "50 euros and no more"}, "50 euros and no more", false},
		{[]string{"the mayor of the town is un", "lawfully absent from it"}, "lawfully absent from it", false},
		{[]string{"the council said that they won", "’t pay for the protest"}, "the council said that they won", false},
		{[]string{"a protest that was non-", "violent in all of the town"}, "violent in all of the town", false},
		{[]string{"it rose by as much as -", "5 percent in the year"}, "5 percent in the year", false},
		{[]string{"it rose by as much as 30", " % in the year"}, "rose by as much as 30", false},
		{[]string{"it rose by as much as 30", " boats in the year"}, "rose by as much as 30", true},
		{[]string{"市长签署了这个预算方", "案并且不", "同意道路工程的合同"}, "签署了这个预算方案并且不同意道路", true},
		{[]string{"市长签署了这个预算方", "案并且不", "同意道路工程的合同"}, "同意道路工程的合同", false},
		{[]string{"市长签署了三百", "五十份道路工程的合同文件"}, "五十份道路工程的合同文件", false},
		{[]string{"นายกเทศมนตรีไม่ลง", "นามในสัญญาก่อสร้าง"}, "เทศมนตรีไม่ลงนามในสัญญา", true},
	} {
		m := &memory{}
		var cuts []int
		at := 0
		for _, chunk := range c.chunks[:len(c.chunks)-1] {
			at += len(chunk)
			cuts = append(cuts, at)
		}
		m.add(strings.Join(c.chunks, ""), cuts...)
		if a, err := m.check(c.quotation); err != nil || confirmed(a) != c.want {
			t.Errorf("%q in %q: %s, %v", c.quotation, c.chunks, a.Verdict, err)
		}
	}
}
