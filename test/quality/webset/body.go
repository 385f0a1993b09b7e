package webset

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Body returns the text of the page in so many blocks or some more: paragraphs, headings,
// lists, tables, quotations, figures, code. Between them stand the insets of the theme, where
// it defines any.
func (d *Draft) Body(least, most int) (string, error) {
	var b strings.Builder
	blocks := d.Number(least, most)
	inset := d.theme.Lookup("inset")
	for i := range blocks {
		if i > 0 && i < blocks-1 && inset != nil && d.Maybe(12) {
			var in bytes.Buffer
			if err := inset.Execute(&in, d); err != nil {
				return "", err
			}
			b.Write(in.Bytes())
		}
		if i > 0 && d.Maybe(18) {
			fmt.Fprintf(&b, "<h2>%s</h2>\n", d.Words(d.Number(2, 6)))
		}
		d.block(&b)
	}
	return b.String(), nil
}

// block writes one block.
func (d *Draft) block(b *strings.Builder) {
	switch n := d.rand.IntN(100); {
	case n < 74:
		fmt.Fprintf(b, "<p>%s</p>\n", d.Marked())
	case n < 84:
		d.list(b)
	case n < 88:
		d.table(b)
	case n < 93:
		fmt.Fprintf(b, "<blockquote><p>%s</p></blockquote>\n", d.Lead())
	case n < 97:
		fmt.Fprintf(b, `<figure><img src="/i/%s.jpg" alt=""><figcaption>%s</figcaption></figure>`+"\n", d.made(), d.either(d.sentence()))
	default:
		fmt.Fprintf(b, "<pre><code>%s</code></pre>\n", d.want(d.made()+" --"+d.made()+" "+d.made()+".txt"))
	}
}

func (d *Draft) list(b *strings.Builder) {
	tag := d.Pick("ul", "ul", "ol")
	fmt.Fprintf(b, "<%s>\n", tag)
	linked := d.Maybe(25)
	for range d.N(2, 7) {
		text := d.Words(d.Number(3, 14))
		if linked {
			text = fmt.Sprintf(`<a href="%s">%s</a>`, d.Link(), text)
		}
		fmt.Fprintf(b, "<li>%s</li>\n", text)
	}
	fmt.Fprintf(b, "</%s>\n", tag)
}

func (d *Draft) table(b *strings.Builder) {
	columns := d.Number(2, 4)
	b.WriteString("<table>\n")
	for row := range d.N(3, 8) {
		b.WriteString("<tr>")
		for range columns {
			tag := "td"
			if row == 0 {
				tag = "th"
			}
			fmt.Fprintf(b, "<%s>%s</%s>", tag, d.Words(d.Number(1, 3)), tag)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
}

// Marked returns a paragraph of the text with links and words that stand out in it. Some of
// its words have soft hyphens, which are not in the text that is noted.
func (d *Draft) Marked() string {
	text := d.want(d.prose(2 + d.rand.IntN(5)))
	words := strings.Fields(text)
	if d.Maybe(45) {
		at := d.rand.IntN(max(1, len(words)-4))
		words[at] = fmt.Sprintf(`<a href="%s">%s`, d.Link(), words[at])
		end := min(len(words)-1, at+d.rand.IntN(3))
		words[end] += "</a>"
	}
	if d.Maybe(20) {
		at := d.rand.IntN(len(words))
		if !strings.Contains(words[at], "<") {
			words[at] = "<em>" + words[at] + "</em>"
		}
	}
	if d.Maybe(8) {
		for i, w := range words {
			if len(w) > 7 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" {
				words[i] = w[:4] + "&shy;" + w[4:]
			}
		}
	}
	return strings.Join(words, " ")
}

// made returns a word that stands nowhere else on the page.
func (d *Draft) made() string {
	const onsets, vowels = "bdfgklmnprstvz", "aeiou"
	d.names++
	var b strings.Builder
	for n := d.names*7 + d.rand.IntN(7); b.Len() < 6; n = n/3 + 5 {
		b.WriteByte(onsets[(n+d.rand.IntN(3))%len(onsets)])
		b.WriteByte(vowels[(n/7+d.rand.IntN(5))%len(vowels)])
	}
	return b.String() + string(rune('a'+d.names%26)) + string(rune('a'+d.names/26%26))
}

func (d *Draft) one(of []string) string { return of[d.rand.IntN(len(of))] }

// prose returns sentences.
func (d *Draft) prose(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = d.sentence()
	}
	return strings.Join(out, " ")
}

// sentence fills a pattern of the language, in which N is a noun, A an adjective, V a verb, P
// a place, and each other letter itself.
func (d *Draft) sentence() string {
	words := strings.Fields(d.one(d.words.patterns))
	for i, w := range words {
		rest := strings.TrimLeft(w, "NAVPX")
		switch strings.TrimSuffix(w, rest) {
		case "N":
			words[i] = d.one(d.words.nouns) + rest
		case "A":
			words[i] = d.one(d.words.adjectives) + rest
		case "V":
			words[i] = d.one(d.words.verbs) + rest
		case "P":
			words[i] = sentenceCase(d.made()) + rest
		case "X":
			words[i] = fmt.Sprint(d.Number(2, 990)) + rest
		}
	}
	return sentenceCase(strings.Join(words, " "))
}

// phrase returns words without a verb's order, as of headlines; one of them stands nowhere else.
func (d *Draft) phrase(n int) string {
	out := make([]string, max(1, n))
	for i := range out {
		switch d.rand.IntN(4) {
		case 0:
			out[i] = d.one(d.words.adjectives)
		case 1:
			out[i] = d.one(d.words.small)
		default:
			out[i] = d.one(d.words.nouns)
		}
	}
	out[d.rand.IntN(len(out))] = d.made()
	return strings.Join(out, " ")
}

func sentenceCase(s string) string {
	if s == "" {
		return s
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}
