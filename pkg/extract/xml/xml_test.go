package xml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode"
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
	for _, seed := range []string{
		rss, "<a>b<c/>d</a>", "<a><b>1</b><b>2</b></a>", "<a x='1'/>", "x<a/>y", "<rss><item><title/><x>&lt;br/&gt;</x></item></rss>", "\xFF\xFE<\x00a\x00>\x001\x00<\x00/\x00a\x00>\x00",
		`<feed xml:lang="fr"><entry><title type="html">&lt;b&gt;a&lt;/b&gt;</title><link href="u"/><content><div>x<p>y</p></div></content></entry></feed>`, "<a><b>1<c>2</d>3</a>4<e>5",
		"<?xml version='1.0' encoding='iso-8859-1'?><a>\xE9</a>", "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;&nbsp;&#65;&nope;</a>", "<r><i><n>1</n><v w='2'/></i><i><n>3</n></i></r>", "<a><![CDATA[<b>]]>]]&gt;</a><!-- c -->",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := page(string(raw))
		if err != nil {
			return
		}
		sound(t, len(raw), p)
		if again, err := page(string(raw)); err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("two runs differ, %v", err)
		}
		allText(t, raw, p)
	})
}

// allText: whatever is no mark is in a block, but in feeds, where text may be
// markup in its turn.
func allText(t *testing.T, raw []byte, p block.Page) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(decoded.Open(block.Input{Raw: raw}).Bytes))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	left := map[rune]int{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			if isFeed(&element{name: x.Name.Local}) {
				return
			}
		case xml.CharData:
			for _, r := range string(x) {
				left[r]++
			}
		}
	}
	for _, b := range p.Blocks {
		for _, r := range b.Text {
			left[r]--
		}
	}
	for r, n := range left {
		if n > 0 && !unicode.IsSpace(r) {
			t.Fatalf("%q is left out %d times of %q", r, n, raw)
		}
	}
}

// A name of any length is not said again with each element within.
func TestLongPaths(t *testing.T) {
	name := strings.Repeat("n", 5000)
	p, err := page("<a><" + name + "><b><c>x</c></b></" + name + "><d>y<e/></d></a>")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"XML element /a/…/b[1]/c[1]", "XML element /a/d[1]"} {
		if got := p.Blocks[i].Notes; got != want {
			t.Errorf("%.100q, want %q", got, want)
		}
	}
}
