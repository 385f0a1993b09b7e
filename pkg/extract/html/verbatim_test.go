package html

import (
	"strings"
	"testing"
)

// What, by seeds#conventions ("Verbatim Content Rules"), must never happen to content, one
// test each, over html, markdown and text of the blocks.

// verbatimPage has something of each kind that a tool might be tempted to mend.
const verbatimPage = `<html lang="fr"><body><h1>Decision No. 7 of teh council</h1>
<p>First sentence. Second  sentence, wich has a typo. Third sentence: Ceci est en français.</p>
<p><b>Bold words</b> and <i>italic words</i> stay, and 1 500,50 € too.</p>
<ul><li>zebra</li><li>apple</li><li>Mango</li></ul>
<p>A very long-winded and, to be quite honest, rather repetitive, repetitive sentence.</p>
<p>“Quoted” – it’s … <a href="/x?b=2&amp;a=1">a link</a>.</p></body></html>`

func verbatim(t *testing.T) (text, markdown, markup string) {
	t.Helper()
	var texts, marks, slices []string
	for _, b := range extract(t, verbatimPage).Blocks {
		texts, marks, slices = append(texts, b.Text), append(marks, b.Markdown), append(slices, b.HTML)
	}
	return strings.Join(texts, "\n"), strings.Join(marks, "\n"), strings.Join(slices, "\n")
}

func TestNothingIsParaphrasedOrShortened(t *testing.T) {
	text, markdown, _ := verbatim(t)
	const long = "A very long-winded and, to be quite honest, rather repetitive, repetitive sentence."
	if !strings.Contains(text, long) || !strings.Contains(markdown, long) {
		t.Errorf("text %q\nmarkdown %q", text, markdown)
	}
}

func TestNothingIsTranslated(t *testing.T) {
	text, markdown, _ := verbatim(t)
	if !strings.Contains(text, "Ceci est en français.") || !strings.Contains(markdown, "Ceci est en français.") {
		t.Errorf("text %q\nmarkdown %q", text, markdown)
	}
}

func TestNoTypoIsCorrected(t *testing.T) {
	text, markdown, _ := verbatim(t)
	for _, typo := range []string{"teh council", "wich has", "“Quoted” – it’s …"} {
		if !strings.Contains(text, typo) || !strings.Contains(markdown, typo) {
			t.Errorf("%q: text %q\nmarkdown %q", typo, text, markdown)
		}
	}
}

func TestNoFormattingIsConverted(t *testing.T) {
	_, markdown, markup := verbatim(t)
	if !strings.Contains(markdown, "**Bold words** and *italic words*") || !strings.Contains(markup, "<b>Bold words</b> and <i>italic words</i>") {
		t.Errorf("markdown %q\nhtml %q", markdown, markup)
	}
}

func TestNothingIsReordered(t *testing.T) {
	text, markdown, markup := verbatim(t)
	for _, form := range []string{text, markdown, markup} {
		last := -1
		for _, piece := range []string{"Decision", "First sentence", "Second", "Third", "Bold", "zebra", "apple", "Mango", "A very"} {
			at := strings.Index(form, piece)
			if at <= last {
				t.Errorf("%q is at %d, after %d: %q", piece, at, last, form)
			}
			last = at
		}
	}
}

// What is allowed: structure to Markdown, white space, absolute links. The
// markup itself stays as it was.
func TestAllowedTransformations(t *testing.T) {
	text, markdown, markup := verbatim(t)
	if !strings.Contains(text, "Second sentence, wich") || !strings.Contains(markup, "Second  sentence, wich") {
		t.Errorf("white space: text %q\nhtml %q", text, markup)
	}
	if !strings.Contains(markdown, "# Decision No. 7") || !strings.Contains(markdown, "- zebra") {
		t.Errorf("structure: %q", markdown)
	}
	if !strings.Contains(markdown, "](https://example.org/x?b=2&a=1)") || !strings.Contains(markup, `href="/x?b=2&amp;a=1"`) {
		t.Errorf("links: markdown %q\nhtml %q", markdown, markup)
	}
}
