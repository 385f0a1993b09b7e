package xml

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/decoded"
)

func page(raw string) (block.Page, error) {
	return Page(decoded.Open(block.Input{Raw: []byte(raw)}))
}

const rss = `<?xml version="1.0"?>
<rss version="2.0"><channel><title>News of the town</title><link>https://example.org/</link>
<item><title>Road closed</title><link>https://example.org/1</link><pubDate>Mon, 2 Mar 2026</pubDate>
<description>&lt;p&gt;The road is &lt;b&gt;closed&lt;/b&gt; until May.&lt;/p&gt; It leads to the station, and all who want to go there must take the other way round, over the old bridge and along the river bank.</description></item>
</channel></rss>`

func TestBlocks(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"mixed", `<doc><p>One <b>two</b>, <i>three</i>.</p><p> </p><p>Four&amp;five<!-- no --><![CDATA[<6>]]></p></doc>`,
			"paragraph /doc/p[1] One two, three.\nparagraph /doc/p[3] Four&five<6>"},
		{"records", `<people><person><name>Ada</name><born at="London">1815</born></person><person><name>Bo</name><none/></person></people>`,
			"paragraph /people/person[1] name: Ada⏎born: 1815\nparagraph /people/person[2] name: Bo"},
		{"attributes", `<rows xmlns:x="u"><row a="1" x:b="two  words"/><sep/></rows>`, "paragraph /rows/row[1] a: 1⏎b: two words"},
		{"no space between", `<l>items: <i>a</i><i>b</i></l>`, "paragraph /l items: a b"},
		{"entities", `<!DOCTYPE a [<!ENTITY b "expanded">]><a>&b; &eacute;</a>`, "paragraph /a &b; é"},
		{"feed", rss, "heading /rss/channel[1]/title[1] News of the town\nparagraph /rss/channel[1]/link[1] https://example.org/\n" +
			"heading /rss/channel[1]/item[1]/title Road closed\n" +
			"paragraph /rss/channel[1]/item[1]/description The road is closed until May. It leads to the station, and all who want to go there must take the other way round, over the old bridge and along the river bank.\n" +
			"paragraph /rss/channel[1]/item[1] link: https://example.org/1⏎pubDate: Mon, 2 Mar 2026"},
		{"atom", `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><title>E</title><link href="https://example.org/e"/><updated>2026-03-02</updated></entry></feed>`,
			"heading /feed/title[1] T\nheading /feed/entry[1]/title E\nparagraph /feed/entry[1] link href: https://example.org/e⏎updated: 2026-03-02"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := page(tt.raw)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, b := range p.Blocks {
				out = append(out, fmt.Sprintf("%s %s %s", b.Type, strings.TrimPrefix(b.Notes, "XML element "), strings.ReplaceAll(b.Text, "\n", "⏎")))
			}
			if got := strings.Join(out, "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			sound(t, len(tt.raw), p)
		})
	}
}

func TestSpans(t *testing.T) {
	raw := "<?xml version='1.0' encoding='iso-8859-1'?>\n<d xml:lang='fr'><p xml:lang='en'>caf\xE9</p><q>\xE0 voir</q></d>"
	p, err := page(raw)
	if err != nil || len(p.Blocks) != 2 {
		t.Fatalf("%+v, %v", p.Blocks, err)
	}
	if p.Languages.HTMLLang != "fr" {
		t.Errorf("declared %+v", p.Languages)
	}
	for i, want := range []struct{ text, slice, lang string }{{"café", "<p xml:lang='en'>caf\xE9</p>", "en"}, {"à voir", "<q>\xE0 voir</q>", ""}} {
		b := p.Blocks[i]
		if e := b.Evidence[0].ByteSpan; b.Text != want.text || raw[e.Start:e.End] != want.slice || b.Lang != want.lang {
			t.Errorf("%q at %q in %q", b.Text, raw[e.Start:e.End], b.Lang)
		}
	}
}

func TestHostile(t *testing.T) {
	bomb := "<!DOCTYPE l [<!ENTITY a \"ha\">"
	for i := range 20 {
		bomb += fmt.Sprintf("<!ENTITY b%d \"&a;&a;&a;&a;\">", i)
	}
	p, err := page(bomb + "]><l>&b9;</l>")
	if err != nil || p.Blocks[0].Text != "&b9;" {
		t.Errorf("entities: %+v, %v", p.Blocks, err)
	}
	for name, raw := range map[string]string{
		"deep": strings.Repeat("<a>", 5000) + "x" + strings.Repeat("</a>", 5000), "cut": "<a><b>text", "no XML": "words", "empty": "",
		"file": "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><b></c>",
	} {
		if p, err := page(raw); err == nil && name != "file" {
			t.Errorf("%s: %+v", name, p.Blocks)
		}
	}
}

func sound(t testing.TB, size int, p block.Page) {
	t.Helper()
	covered := 0
	for _, b := range p.Blocks {
		if !utf8.ValidString(b.Text) {
			t.Fatalf("not UTF-8: %q", b.Text)
		}
		covered += coverage.Characters(b.Text)
		if e := b.Evidence[0].ByteSpan; e.Start < 0 || e.End <= e.Start || e.End > int64(size) {
			t.Fatalf("span %+v of %d bytes", e, size)
		}
	}
	if covered != p.Visible {
		t.Errorf("%d of %d visible characters are in blocks", covered, p.Visible)
	}
}

func FuzzPage(f *testing.F) {
	for _, seed := range []string{rss, "<a>b<c/>d</a>", "<a><b>1</b><b>2</b></a>", "<a x='1'/>", "x<a/>y", "<rss><item><title/><x>&lt;br/&gt;</x></item></rss>", "\xFF\xFE<\x00a\x00>\x001\x00<\x00/\x00a\x00>\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if p, err := page(string(raw)); err == nil {
			sound(t, len(raw), p)
		}
	})
}
