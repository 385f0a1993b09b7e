package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/programs"
)

// How many quotations are drawn, and by which seed.
const (
	drawnQuotes = 500
	quoteSeed   = 20261123
)

// quoteAnswer is what the gateway says of a quotation, as far as it is looked at.
type quoteAnswer struct {
	Verdict  string       `json:"verdict"`
	Exact    bool         `json:"exact"`
	Standing string       `json:"standing"`
	Places   []quotePlace `json:"places"`
}

// quotePlace is a place of a quotation.
type quotePlace struct {
	ChunkRef string `json:"chunk_ref"`
	URL      string `json:"url"`
	Page     int    `json:"page"`
	Text     string `json:"text"`
	Ranges   []struct {
		ChunkRef string `json:"chunk_ref"`
		Start    int    `json:"start"`
		End      int    `json:"end"`
		Proof    string `json:"proof"`
		Units    []struct {
			IRID string `json:"ir_id"`
			BBox any    `json:"bbox"`
		} `json:"units"`
	} `json:"ranges"`
	Successor *cameAfter `json:"came_after"`
}

type cameAfter struct {
	Reason string `json:"reason"`
	Chunks []struct {
		Content string `json:"content"`
	} `json:"successors"`
}

// gatewayOf returns the address of a world's gateway.
func gatewayOf(t *testing.T, w *world) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, "endpoints.env"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if at, ok := strings.CutPrefix(strings.TrimSpace(line), "COLOPHON_GATEWAY_URL="); ok {
			return strings.Trim(at, `"'`)
		}
	}
	t.Fatalf("no gateway in %s", data)
	return ""
}

func askQuote(t *testing.T, gateway, quotation string) (a quoteAnswer) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"quote": quotation, "limit": 50})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(gateway+"/v1/check-quote", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	decode(t, resp, &a)
	return a
}

func askRecord(t *testing.T, address string, into any) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, resp, into)
}

func decode(t *testing.T, resp *http.Response, into any) {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", resp.Request.URL, body, err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatal(err)
	}
}

// TestQuotations draws 500 quotations from documents of all sorts, as their authors wrote
// them, prints each in another way, and finds each with its place; and none of 500 that are
// altered is confirmed.
func TestQuotations(t *testing.T) {
	programs.NeedServers(t)
	files := t.TempDir()
	draw := rand.New(rand.NewPCG(quoteSeed, 1))
	works := writeWorks(t, files, draw)
	dir := t.TempDir()
	w := startDev(t, dir, nil)
	w.must(0, "capture", "--wait", files)
	gateway := gatewayOf(t, w)

	var wrong, proofs int
	kinds := map[string]int{}
	for i := range drawnQuotes {
		q := drawQuote(works[i%len(works)], draw)
		kinds[q.kind]++
		a := askQuote(t, gateway, q.printed)
		if !a.Exact || a.Standing != "current" || len(a.Places) == 0 {
			wrong++
			t.Errorf("%s of %s: %s: %q (written %q)", q.kind, q.of.name, a.Verdict, q.printed, q.written)
			continue
		}
		if !slices.ContainsFunc(a.Places, func(p quotePlace) bool {
			return strings.HasSuffix(p.URL, "/"+q.of.name) && (q.page == 0 || p.Page == q.page)
		}) {
			wrong++
			t.Errorf("%s of %s, page %d: found in %+v: %q", q.kind, q.of.name, q.page, a.Places[0], q.printed)
		}
		if i%25 == 0 {
			proofs += checkQuotePlace(t, gateway, a)
		}
	}
	t.Logf("of %d quotations %d wrong; by kind %v; %d proofs", drawnQuotes, wrong, kinds, proofs)
	confirmed := 0
	altered := map[string]int{}
	for i := range drawnQuotes {
		kind, text := alterQuote(works, i, draw)
		altered[kind]++
		if a := askQuote(t, gateway, text); a.Verdict != "not_found" {
			confirmed++
			t.Errorf("%s: %s: %q", kind, a.Verdict, text)
		}
	}
	t.Logf("of %d altered quotations %d confirmed; %v", drawnQuotes, confirmed, altered)
	if len(kinds) < 6 || len(altered) < 5 {
		t.Errorf("kinds drawn: %v, %v", slices.Sorted(maps.Keys(kinds)), slices.Sorted(maps.Keys(altered)))
	}
	checkSuperseded(t, w, gateway)
}

// checkQuotePlace holds the place of a quotation against the chunks that it names, and
// returns how many of their proofs were made.
func checkQuotePlace(t *testing.T, gateway string, a quoteAnswer) (proofs int) {
	t.Helper()
	place := a.Places[0]
	var text strings.Builder
	for _, r := range place.Ranges {
		var chunk struct {
			Chunk struct {
				Text string `json:"text"`
			} `json:"chunk"`
		}
		askRecord(t, gateway+"/v1/chunks/"+url.PathEscape(r.ChunkRef), &chunk)
		text.WriteString(chunk.Chunk.Text[r.Start:r.End])
		var proved struct {
			Verdict string `json:"verdict"`
		}
		askRecord(t, gateway+r.Proof, &proved)
		if proved.Verdict != "verified" || len(r.Units) == 0 {
			t.Errorf("%s: %s, %d units", r.ChunkRef, proved.Verdict, len(r.Units))
		}
		if strings.HasSuffix(place.URL, ".pdf") && r.Units[0].BBox == nil {
			t.Errorf("%s: no box", r.ChunkRef)
		}
		proofs++
	}
	if got, want := strings.Join(strings.Fields(text.String()), ""), strings.Join(strings.Fields(place.Text), ""); got != want {
		t.Errorf("the ranges are %q, the place %q", got, want)
	}
	return proofs
}

// checkSuperseded: what an earlier version said is told as such, with what came after it.
func checkSuperseded(t *testing.T, w *world, gateway string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rules.html")
	write := func(fee string) {
		page := "<html lang=en><body><h1>Harbour rules</h1><h2>Opening</h2><p>The harbour opens at six and closes at nine.</p>" +
			"<h2>Fees</h2><p>" + fee + "</p><h2>Boats</h2><p>No boat may stay for more than thirty days.</p></body></html>"
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("Each boat pays a fee of forty crowns a day.")
	w.must(0, "capture", "--wait", file)
	before := askQuote(t, gateway, "pays a fee of forty crowns")
	if !before.Exact || before.Standing != "current" {
		t.Fatalf("%+v", before)
	}
	write("Each boat pays a fee of fifty crowns a week.")
	w.must(0, "capture", "--wait", file)
	after := askQuote(t, gateway, "pays a fee of forty crowns")
	if !after.Exact || after.Standing != "superseded" || len(after.Places) != 1 || !cameWith(after.Places[0].Successor, "fifty crowns") {
		t.Errorf("what was replaced: %+v", after)
	}
	var chunk struct {
		Successor *cameAfter `json:"came_after"`
	}
	askRecord(t, gateway+"/v1/chunks/"+url.PathEscape(before.Places[0].ChunkRef), &chunk)
	if !cameWith(chunk.Successor, "fifty crowns") {
		t.Errorf("the chunk that was replaced: %+v", chunk)
	}
	if still := askQuote(t, gateway, "harbour opens at six and closes"); !still.Exact || still.Standing != "current" || len(still.Places) != 1 {
		t.Errorf("what is said in both versions: %+v", still)
	}
	if r := w.must(3, "check-quote", "pays a fee of forty crowns"); !strings.Contains(r.out, "superseded") || !strings.Contains(r.out, "fifty crowns") {
		t.Errorf("the command says %s", r.out)
	}
	w.must(0, "check-quote", "--proof", "pays a fee of fifty crowns")
}

func cameWith(a *cameAfter, text string) bool {
	return a != nil && a.Reason == "replaced" && len(a.Chunks) == 1 && strings.Contains(a.Chunks[0].Content, text)
}

// passage is text of a work that stands together: a paragraph, a row of a table, a caption.
type passage struct {
	words []string
	pages []int // of each word, of works with pages
	kind  string
}

// work is a document that is made up here.
type work struct {
	name     string
	passages []passage
}

// vocabulary is what sentences are made of, with names and negations that can be altered.
var (
	quoteNouns = strings.Fields("council harbour budget bridge garden school market library festival railway quarry orchard lantern archive parish meadow tower mill chapel fountain reservoir causeway granary viaduct nursery")
	quoteVerbs = strings.Fields("approved repaired measured painted restored inspected postponed reopened enlarged surveyed registered debated insulated relocated documented")
	quoteNames = strings.Fields("Abernathy Bellacosta Castellani Duarte Eisenhart Ferreira Grimaldi Hollister Iversen Jankowski Kowalczyk Lindqvist Montague Novakova Oyelaran")
	quoteWhens = strings.Fields("yesterday quietly publicly carefully eventually reluctantly unanimously promptly provisionally formally")
)

func pick(draw *rand.Rand, from []string) string { return from[draw.IntN(len(from))] }

// sentence makes one of fourteen words or so.
func sentence(draw *rand.Rand) []string {
	did := "was"
	if draw.IntN(3) == 0 {
		did = "was not"
	}
	text := fmt.Sprintf("The %s of %s %s %s by %s in %d, for %d,%03d euros, and the %s was %s %s.", pick(draw, quoteNouns), pick(draw, quoteNames), did,
		pick(draw, quoteVerbs), pick(draw, quoteNames), 1900+draw.IntN(120), 1+draw.IntN(98), draw.IntN(1000), pick(draw, quoteNouns),
		pick(draw, quoteVerbs), pick(draw, quoteWhens))
	if draw.IntN(3) == 0 {
		text = strings.Replace(text, "by ", "“"+pick(draw, quoteWhens)+"” – so the town’s record – by ", 1)
	}
	return strings.Fields(text)
}

func paragraph(draw *rand.Rand, sentences int, kind string) passage {
	p := passage{kind: kind}
	for range sentences {
		p.words = append(p.words, sentence(draw)...)
	}
	return p
}

// writeWorks writes documents of all sorts and returns what they say.
func writeWorks(t *testing.T, dir string, draw *rand.Rand) (works []work) {
	t.Helper()
	save := func(w work, content string) {
		if err := os.WriteFile(filepath.Join(dir, w.name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		works = append(works, w)
	}
	for i := range 8 {
		save(webWork(fmt.Sprintf("web%d.html", i), draw))
		save(textWork(fmt.Sprintf("lines%d.txt", i), draw))
		save(pagedWork(fmt.Sprintf("paged%d.pdf", i), draw))
	}
	return works
}

// webWork is a web page with long paragraphs, a table and a caption.
func webWork(name string, draw *rand.Rand) (work, string) {
	w := work{name: name}
	var out strings.Builder
	out.WriteString("<!doctype html><html lang=en><head><meta charset=utf-8><title>Annals</title></head><body><main><h1>Annals of the town</h1>")
	for i := range 8 {
		p := paragraph(draw, 3+draw.IntN(30), "paragraph") // the longest are more than a chunk
		fmt.Fprintf(&out, "<h2>Year %d</h2><p>%s</p>", i, strings.Join(p.words, " "))
		w.passages = append(w.passages, p)
	}
	out.WriteString("<table><caption>Works of the town</caption><tr><th>Work</th><th>Director</th><th>Cost in crowns</th></tr>")
	for range 60 {
		row := []string{pick(draw, quoteNouns) + " " + pick(draw, quoteNouns), pick(draw, quoteNames), fmt.Sprintf("%d.%03d,%02d", 1+draw.IntN(900), draw.IntN(1000), draw.IntN(100))}
		fmt.Fprintf(&out, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>", row[0], row[1], row[2])
		w.passages = append(w.passages, passage{words: row, kind: "row"})
	}
	p := paragraph(draw, 2, "caption")
	fmt.Fprintf(&out, "</table><figure><img src=a.png alt=Harbour><figcaption>%s</figcaption></figure></main></body></html>", strings.Join(p.words, " "))
	w.passages = append(w.passages, p)
	return w, out.String()
}

// setLines sets words in lines of a width, with hyphens where a long word does not fit. It
// returns on which line each word begins.
func setLines(words []string, width int, draw *rand.Rand) (lines []string, of []int) {
	line := ""
	for _, word := range words {
		if line != "" && len(line)+1+len(word) > width && word != "-" && word != "–" { // a dash begins no line
			plain := !strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' })
			if room := width - len(line) - 2; plain && len(word) > 6 && room >= 3 && draw.IntN(2) == 0 {
				cut := min(room, len(word)-3)
				of = append(of, len(lines))
				lines = append(lines, line+" "+word[:cut]+"-")
				line = word[cut:]
				continue
			}
			lines, line = append(lines, line), ""
		}
		of = append(of, len(lines))
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line), of
}

// textWork is a text file in short lines.
func textWork(name string, draw *rand.Rand) (work, string) {
	w := work{name: name}
	var out strings.Builder
	for range 12 {
		p := paragraph(draw, 2+draw.IntN(8), "lines")
		lines, _ := setLines(p.words, 60, draw)
		out.WriteString(strings.Join(lines, "\n") + "\n\n")
		w.passages = append(w.passages, p)
	}
	return w, out.String()
}

// pagedWork is a PDF file whose text goes on over pages, with hyphens at the ends of lines.
func pagedWork(name string, draw *rand.Rand) (work, string) {
	const linesOfPage, width = 30, 58
	p := paragraph(draw, 60, "pages")
	for i, word := range p.words { // its font has no others
		p.words[i] = strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "–", "-").Replace(word)
	}
	lines, of := setLines(p.words, width, draw)
	for _, line := range of {
		p.pages = append(p.pages, 1+line/linesOfPage)
	}
	var pages []string
	for page := range slices.Chunk(lines, linesOfPage) {
		var out strings.Builder
		out.WriteString("BT /F 9 Tf 11 TL 20 360 Td ")
		for _, line := range page {
			fmt.Fprintf(&out, "(%s) Tj T* ", strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(line))
		}
		out.WriteString("ET")
		pages = append(pages, out.String())
	}
	return work{name: name, passages: []passage{p}}, devtest.PDFOf(pages...)
}

// drawn is a quotation, as its author wrote it and as it is printed somewhere else.
type drawn struct {
	of               work
	written, printed string
	kind             string
	page             int
}

// drawQuote takes words out of a passage: of every other work with pages those at a page's
// end, of long paragraphs so many that they may go over the end of a chunk.
func drawQuote(w work, draw *rand.Rand) drawn {
	p := w.passages[draw.IntN(len(w.passages))]
	from, to := 0, len(p.words)
	kind := p.kind
	if p.kind != "row" {
		n := 9 + draw.IntN(40)
		from = draw.IntN(max(1, len(p.words)-n))
		if len(p.pages) > 0 && draw.IntN(2) == 0 {
			page := 2 + draw.IntN(p.pages[len(p.pages)-1]-1)
			from, kind = max(0, slices.Index(p.pages, page)-1-draw.IntN(n-1)), "over pages"
		}
		to = min(len(p.words), from+n)
		for len(strings.Join(p.words[from:to], "")) < 20 {
			from--
		}
	}
	q := drawn{of: w, written: strings.Join(p.words[from:to], " "), kind: kind}
	if len(p.pages) > 0 {
		first := slices.IndexFunc(p.words[from:to], func(w string) bool {
			return strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
		})
		q.page = p.pages[from+first]
	}
	q.printed = reprint(q.written, p.kind == "row", draw)
	return q
}

// reprint prints words in another way that says the same.
func reprint(text string, row bool, draw *rand.Rand) string {
	switch draw.IntN(6) {
	case 0:
		return text
	case 1:
		return strings.NewReplacer("“", "«\u00a0", "”", "\u00a0»", "’", "'", "–", "—").Replace(text)
	case 2:
		return strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "–", "-", "fi", "ﬁ", "fl", "ﬂ").Replace(text)
	case 3: // set in other lines
		lines, _ := setLines(strings.Fields(text), 30, draw)
		return strings.Join(lines, "\n")
	case 4:
		return "“" + strings.ReplaceAll(text, " ", "  ") + "”"
	default:
		if row {
			return strings.ReplaceAll(text, " ", "\t")
		}
		return strings.ReplaceAll(text, "proved", "pro\u00adved")
	}
}

// alterQuote takes a quotation and makes it say something else.
func alterQuote(works []work, i int, draw *rand.Rand) (kind, text string) {
	for {
		w := works[draw.IntN(len(works))]
		p := w.passages[draw.IntN(len(w.passages))]
		if len(p.words) < 12 {
			continue
		}
		n := 10 + draw.IntN(30)
		from := draw.IntN(max(1, len(p.words)-n))
		words := slices.Clone(p.words[from:min(len(p.words), from+n)])
		kind = []string{"a digit", "a name", "a negation", "stitched", "a word"}[i%5]
		if alterWords(kind, words, works, draw) && !written(works, words) {
			return kind, strings.Join(words, " ")
		}
	}
}

// written reports whether some work has the words: what is altered may be true of another.
func written(works []work, words []string) bool {
	plain := strings.NewReplacer("“", "", "”", "", `"`, "", "’", "", "'", "", "–", "-").Replace
	text := strings.TrimSpace(plain(strings.Join(words, " ")))
	return slices.ContainsFunc(works, func(w work) bool {
		return slices.ContainsFunc(w.passages, func(p passage) bool { return strings.Contains(plain(strings.Join(p.words, " ")), text) })
	})
}

// alterWords alters words in place; it reports whether they had what is to be altered.
func alterWords(kind string, words []string, works []work, draw *rand.Rand) bool {
	of := func(test func(string) bool) int {
		return slices.IndexFunc(words[1:len(words)-1], test) + 1
	}
	switch kind {
	case "a digit":
		i := of(func(w string) bool { return strings.ContainsAny(w, "0123456789") })
		if i == 0 {
			return false
		}
		at := strings.IndexAny(words[i], "0123456789")
		words[i] = words[i][:at] + string('0'+(words[i][at]-'0'+1+byte(draw.IntN(9)))%10) + words[i][at+1:]
	case "a name":
		i := of(func(w string) bool { return slices.Contains(quoteNames, w) })
		if i == 0 {
			return false
		}
		was := words[i]
		for words[i] == was {
			words[i] = pick(draw, quoteNames)
		}
	case "a negation":
		if i := of(func(w string) bool { return w == "not" }); i > 0 {
			copy(words[i:], words[i+1:])
			words[len(words)-1] = "" // the last word goes with it
			return true
		}
		i := of(func(w string) bool { return w == "was" })
		if i == 0 {
			return false
		}
		words[i] = "was not"
	case "stitched":
		other := works[draw.IntN(len(works))].passages[0].words
		copy(words[len(words)/2:], other[len(other)/2:])
	default:
		i := of(func(w string) bool { return slices.Contains(quoteNouns, w) })
		if i == 0 {
			return false
		}
		was := words[i]
		for words[i] == was {
			words[i] = pick(draw, quoteNouns)
		}
	}
	return true
}
