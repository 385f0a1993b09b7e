package html

import (
	"slices"
	"strings"
	"sync"
	"testing"

	xhtml "golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/charset"
	"github.com/colophon-dev/colophon/pkg/model"
)

// runsOf calls f with each run of inline nodes of a page.
func runsOf(t *testing.T, raw string, f func(b *builder, run []*node)) {
	t.Helper()
	root, marks, err := parse(charset.Open([]byte(raw), charset.Choose([]byte(raw), charset.Declared{HTTP: "utf-8"})), false)
	if err != nil {
		return
	}
	mark(root, false, false, false)
	b := &builder{x: marks, base: baseURL(model.Snapshot{URL: "https://example.org/d/"}, ""), markdown: sync.OnceValue(newConverter)}
	var walk func(n *node)
	walk = func(n *node) {
		var run []*node
		end := func() {
			if slices.ContainsFunc(run, func(k *node) bool { return !k.hidden }) {
				f(b, run)
			}
			run = nil
		}
		for _, k := range n.kids {
			if breaksRun(k) {
				end()
				walk(k)
			} else {
				run = append(run, k)
			}
		}
		end()
	}
	walk(root)
}

// sameMarkdown expects of each run that is not left to the library what the
// library makes of it, and returns how many there are.
func sameMarkdown(t *testing.T, raw string) (written int) {
	t.Helper()
	runsOf(t, raw, func(b *builder, run []*node) {
		got, ok := b.formattedRun(run)
		if !ok {
			return
		}
		written++
		if want := b.converted(run, "the library failed"); got != want {
			t.Errorf("%q: %q, the library makes %q", raw, got, want)
		}
	})
	return written
}

func TestFormattedRun(t *testing.T) {
	for _, markup := range []string{
		"Some <b>bold</b>, <i>slanted</i> and <b>both: <i>of  them</i> </b>.", "<em> between <strong>signs </strong></em>end",
		"<code>a_b *c* [d]</code> is <code>`code`</code>: <code  >  two\n\tlines</code >", "<code>a<span>b</span> c</code>",
		"First line <br> second line<br>\u00a0third <b>over <br> two</b>", "<br>x<br>", "Trailing <i>space </i> <br>next",
		"<a href='/a_b(c)?d=e/f&amp;g=h+i&amp;j&amp;k='>Link_s [1]</a>!<a href=x title='say \"so\"'>more</a>", "<a name=z>place</a> <a href='#'>top</a><a href=y> </a>",
		"<b><a href=x>whole</a></b> <i> <a href=x>link</a>\n</i>", "<b><i><a href=x>in both</a></i></b>", "<a href=x title=\"a 'b' &quot;c&quot;\">q</a>",
		"<img src=a_b.png alt='a [picture] \\[ of\nit'>", "<a href=x><img src='data:image/png;base64,aa' data-src=y alt=y title='the title'> words</a>", "<img alt=none> text",
		"footnote[<a href='#1'>1</a>] and [2], snake_case_word * star *star*, back\\slash, wow![x] &amp; more | bars", "[open", "a_ b_<b>c</b> d_", "wow!<img src=x>",
		"In 2024 was <b>5. good</b>", "see <sup>1</sup><sub>2</sub> <q>this</q> <x-y>own</x-y> <label>L<input value=v></label>", "<span>a</span>st",
		"http://a.b/c%zz <a href='http://a.b/c%zz[d]'>bad</a> <a href='mailto:a@b.c?subject=a b'>mail</a>", "<i>a</i><u> b</u> <small>c</small>d",
	} {
		if sameMarkdown(t, "<p>"+markup) != 1 {
			t.Errorf("left to the library: %s", markup)
		}
	}
	for _, markup := range []string{"- x <b>y</b>", "<b>1</b> <br>2. <b>x</b>", "<span>1</span>. <b>x</b>", "<b>a</b><i>b</i>", "<b>a<code>b</code></b>", "a &lt; <b>b</b>", "<kbd>x</kbd>", "<code> </code>", "<b></b>x", "y<i> </i>"} {
		runsOf(t, "<p>"+markup, func(b *builder, run []*node) {
			if got, ok := b.formattedRun(run); ok {
				t.Errorf("%s: %q is written by ourselves", markup, got)
			}
		})
	}
}

// FuzzFormattedRun makes runs of elements, texts and attributes, one for each
// byte, and holds their Markdown to that of the library.
func FuzzFormattedRun(f *testing.F) {
	f.Add([]byte("any elements and texts in any order, and as they come"))
	for first := range 256 / 16 {
		data := []byte{byte(first)}
		for i := range 16 {
			data = append(data, byte(16*first+i), 'b', byte(3*first+i))
		}
		f.Add(data)
	}
	parts := strings.Fields("<b> </b> <strong> </strong> <i> </i> <em> </em> </a> <code> </code> <span> </span> <sup> </sup> <q> </q> <br> <br> <x-y> </x-y> <svg> </svg> <kbd> </kbd> <input> <button> </button> <label> <font> </font> <wbr>")
	parts = append(parts, "<a href=x>", "<a href='/a_b?c=d/e&amp;f'>", "<a name=x>", "<a href=x title='a \"b\"'>", "<a href='http://h/%zz (x)'>", "<img src=x>", "<img src='y_z' alt='a [b]'>", "<img alt=no>", "<b hidden>", "<span hidden>x</span>",
		" ", "  ", "\n", "\t ", "\u00a0", "word", "two words", " lead", "trail ", "é", "_", "*", "[", "]", "!", "\\", "|", "&amp;", "&lt;", "~", "`", "#", "-", "+", "=", ":", ".", ")", "1", "12. ", "3) x", "(", "\"", "'", "$", "\u2003", "\ufffd", "\f", "\uf002", "\a",
		"snake_case", "a*b", "[1]", "![x]", "``", "&nbsp;", "&#10;")
	f.Fuzz(func(t *testing.T, data []byte) {
		var b strings.Builder
		b.WriteString("<p>")
		for _, c := range data[:min(len(data), 60)] {
			b.WriteString(parts[int(c)%len(parts)])
		}
		sameMarkdown(t, b.String())
	})
}

func BenchmarkFormattedRun(b *testing.B) {
	raw := "<p>A paragraph with <b>bold</b> and <i>slanted</i> words, <a href='/a_b'>a link</a> and some <code>code</code>, as most have."
	root, marks, err := parse(charset.Open([]byte(raw), charset.Choose([]byte(raw), charset.Declared{})), false)
	if err != nil {
		b.Fatal(err)
	}
	mark(root, false, false, false)
	own := &builder{x: marks, base: baseURL(model.Snapshot{}, ""), markdown: sync.OnceValue(newConverter)}
	run := find(root, "p").kids
	if run[0].Type != xhtml.TextNode {
		b.Fatal("no run")
	}
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			own.formattedRun(run)
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			own.converted(run, "")
		}
	})
}
