// Package webset makes web pages whose main content is known, from invented text and
// themes of our own: news, blogs, documentation, forums, shops, town halls, with menus,
// teasers, share bars, consent texts, author boxes, pagers, comments and related links
// around and within the text. It has two halves with other themes: one that weights are
// learnt from, and one that they are judged by. Equal seeds give equal pages.
package webset

import (
	"bytes"
	"embed"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"text/template"
)

// The halves.
const (
	Learnt = "learnt" // weights are learnt from its pages
	Judged = "judged"
)

// Page is a page and what is known of its text.
type Page struct {
	Half  string
	Theme string // its file below themes, without the ending
	Lang  string // ISO 639-1
	HTML  []byte
	// Title is its headline. It counts neither way.
	Title string
	// Want are the texts of its main content, in order; each is a block.
	Want []string
	// Unwanted are texts of furniture; each is a block, or a line of one.
	Unwanted []string
	// Either are texts that may be kept or not: dates, names of authors, words of buttons in the body.
	Either []string
}

//go:embed themes/*.html
var files embed.FS

// Themes returns the names of the themes of a half, in order.
func Themes(half string) ([]string, error) {
	found, err := files.ReadDir("themes")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range found {
		if name := strings.TrimSuffix(f.Name(), ".html"); strings.HasPrefix(name, half) {
			names = append(names, name)
		}
	}
	return names, nil
}

// Make returns so many pages of each theme of a half.
func Make(seed uint64, half string, each int) ([]Page, error) {
	themes, err := Themes(half)
	if err != nil {
		return nil, err
	}
	var pages []Page
	for number, theme := range themes {
		text, err := files.ReadFile(path.Join("themes", theme+".html"))
		if err != nil {
			return nil, err
		}
		made, err := template.New(theme).Parse(string(text))
		if err != nil {
			return nil, err
		}
		for i := range each {
			stream := uint64(number)<<32 | uint64(i)
			if half == Judged {
				stream |= 1 << 63
			}
			d := &Draft{rand: rand.New(rand.NewPCG(seed, stream)), theme: made} //nolint:gosec // nothing secret is drawn
			d.page = Page{Half: half, Theme: theme}
			if err := d.write(made); err != nil {
				return nil, fmt.Errorf("%s: %w", theme, err)
			}
			pages = append(pages, d.page)
		}
	}
	return pages, nil
}

// Draft is a page that is being written: what themes call.
type Draft struct {
	rand  *rand.Rand
	theme *template.Template
	page  Page
	words *tongue
	style int    // how classes are written
	site  string // the name of the site
	names int    // words that were made up
}

func (d *Draft) write(theme *template.Template) error {
	langs := []string{"en", "fr", "de", "pt", "it"}
	d.page.Lang = langs[d.rand.IntN(len(langs))]
	d.words = tongues[d.page.Lang]
	d.style = d.rand.IntN(4)
	d.site = d.made() + " " + d.one(d.words.nouns)
	d.page.Title = sentenceCase(d.phrase(4 + d.rand.IntN(5)))
	var b bytes.Buffer
	if err := theme.Execute(&b, d); err != nil {
		return err
	}
	d.page.HTML = b.Bytes()
	return nil
}

// Lang returns the language of the page.
func (d *Draft) Lang() string { return d.page.Lang }

// Site returns the name of the site.
func (d *Draft) Site() string { return d.site }

// Title returns the headline.
func (d *Draft) Title() string { return d.page.Title }

// Maybe is true in so many of a hundred calls.
func (d *Draft) Maybe(percent int) bool { return d.rand.IntN(100) < percent }

// N returns the numbers from 0, of which there are least to most.
func (d *Draft) N(least, most int) []int {
	out := make([]int, least+d.rand.IntN(most-least+1))
	for i := range out {
		out[i] = i
	}
	return out
}

// Pick returns one of some strings.
func (d *Draft) Pick(of ...string) string { return of[d.rand.IntN(len(of))] }

// Class returns the classes of an element that is called so: the words, words with those of
// a layout, the words after the name of the site, or letters of a program that made them.
func (d *Draft) Class(words string) string {
	switch d.style {
	case 1:
		return d.Pick("row", "col-md-8", "clearfix", "wrap", "grid", "u-mt2", "flex") + " " + words
	case 2:
		return strings.ToLower(d.site[:2]) + "-" + strings.ReplaceAll(words, " ", "__")
	case 3:
		sum := uint32(2166136261)
		for _, c := range []byte(d.site + words) {
			sum = (sum ^ uint32(c)) * 16777619
		}
		return fmt.Sprintf("css-%x", sum&0xffffff)
	}
	return words
}

// Link returns the address of another page.
func (d *Draft) Link() string {
	return d.Pick("/", "/news/", "https://example.org/", "../", "/a/2024/") + d.made() + d.Pick("", ".html", "/", "-"+fmt.Sprint(d.rand.IntN(90000)))
}

// Say returns a phrase of buttons, labels and the like, in the language of the page.
func (d *Draft) Say(what string) (string, error) {
	of := d.words.phrases[what]
	if len(of) == 0 {
		return "", fmt.Errorf("no phrase %q in %s", what, d.page.Lang)
	}
	text := d.one(of)
	d.page.Either = append(d.page.Either, text)
	return text, nil
}

// want notes a text of the main content.
func (d *Draft) want(text string) string {
	d.page.Want = append(d.page.Want, text)
	return text
}

func (d *Draft) unwanted(text string) string {
	d.page.Unwanted = append(d.page.Unwanted, text)
	return text
}

func (d *Draft) either(text string) string {
	d.page.Either = append(d.page.Either, text)
	return text
}

// Menu returns a word or two of a menu.
func (d *Draft) Menu() string { return d.unwanted(sentenceCase(d.one(d.words.nouns) + " " + d.made())) }

// Tag returns a keyword.
func (d *Draft) Tag() string { return d.either(d.one(d.words.nouns)) }

// Teaser returns the headline of another page.
func (d *Draft) Teaser() string { return d.unwanted(sentenceCase(d.phrase(4 + d.rand.IntN(6)))) }

// Blurb returns a line or some about something else.
func (d *Draft) Blurb() string { return d.unwanted(d.prose(1 + d.rand.IntN(2))) }

// Remark returns what a reader says below.
func (d *Draft) Remark() string { return d.unwanted(d.prose(1 + d.rand.IntN(4))) }

// Small returns a line in small print.
func (d *Draft) Small() string { return d.unwanted(d.sentence()) }

// Name returns the name of a person, Date a day.
func (d *Draft) Name() string { return d.either(d.one(firstNames) + " " + sentenceCase(d.made())) }

// Date returns a day.
func (d *Draft) Date() string {
	return d.either(fmt.Sprintf("%d. %s %d", 1+d.rand.IntN(28), d.one(d.words.months), 2008+d.rand.IntN(17)))
}

// Number returns a number from least to most.
func (d *Draft) Number(least, most int) int { return least + d.rand.IntN(most-least+1) }

// Lead returns the first lines of the text.
func (d *Draft) Lead() string { return d.want(d.prose(1 + d.rand.IntN(2))) }

// Line returns a sentence of the text, Words some words of it.
func (d *Draft) Line() string { return d.want(d.sentence()) }

// Words returns some words of the text, as of a cell or a short item.
func (d *Draft) Words(n int) string { return d.want(sentenceCase(d.phrase(n))) }
