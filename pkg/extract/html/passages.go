package html

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// passage is the smallest part of a page about which it is asked whether it is
// main matter: an element that holds no block, a table of data, or a run of
// texts and inline elements beside blocks.
type passage struct {
	owner   *node   // the element, or the one around the run
	run     []*node // nil: owner itself
	role    string  // that the rules gave it, "" for none
	ruled   *node   // the element that the role was given to, nil
	letters int32
	linked  int32
	text    textSigns
	read    bool // text is counted
	spot    *spot
	path    *group // passages with the same names of elements around
	alike   *group // and those with its classes, too
}

// textSigns are what is counted in the text of a passage.
type textSigns struct {
	sentences, commas, digits, upper int32
	last                             rune // its last character, 0
	first                            rune
	words                            []string // of a short text, lower case
}

// prose returns the characters outside of links.
func (p *passage) prose() int32 { return p.letters - p.linked }

// collectPassages returns the passages below n in the order of the page.
func (j *judgement) collectPassages(n *node, ruled *node, out []passage) []passage {
	if n.hidden || n.letters == 0 {
		return out
	}
	if _, ok := j.roles[n]; ok {
		ruled = n
	}
	if n.Type == html.ElementNode && isPassage(n) {
		return append(out, j.newPassage(n, nil, ruled))
	}
	begin := -1
	for i, k := range n.kids {
		if !breaksRun(k) {
			if begin < 0 && k.letters > 0 && !k.hidden {
				begin = i
			}
			continue
		}
		if begin >= 0 {
			out = append(out, j.newPassage(n, n.kids[begin:i], ruled))
			begin = -1
		}
		out = j.collectPassages(k, ruled, out)
	}
	if begin >= 0 {
		out = append(out, j.newPassage(n, n.kids[begin:], ruled))
	}
	return out
}

// isPassage reports whether an element is judged as a whole.
func isPassage(n *node) bool {
	switch n.Data {
	case "pre", "select", "textarea":
		return true
	case "table":
		return !n.sections && n.long == 0 && n.fields == 0
	}
	return !n.holds
}

func (j *judgement) newPassage(owner *node, run []*node, ruled *node) passage {
	p := passage{owner: owner, run: run, ruled: ruled, letters: owner.letters, linked: owner.linked}
	if ruled != nil {
		p.role = j.roles[ruled]
	}
	if run != nil {
		p.letters, p.linked = 0, 0
		for _, k := range run {
			p.letters += k.letters
			p.linked += k.linked
		}
	}
	return p
}

// shortText is how many characters a text has at most whose words are looked at.
const shortText = 80

// readText counts the signs of the passage's text.
func (p *passage) readText() {
	if p.read {
		return
	}
	p.read = true
	var short strings.Builder
	ended := false
	var read func(n *node)
	read = func(n *node) {
		if n.hidden {
			return
		}
		if n.Type != html.TextNode {
			for _, k := range n.kids {
				read(k)
			}
			return
		}
		if p.letters <= shortText {
			short.WriteString(n.Data)
			short.WriteByte(' ')
		}
		for _, r := range n.Data {
			ended = p.text.count(r, ended)
		}
	}
	if p.run == nil {
		read(p.owner)
	}
	for _, k := range p.run {
		read(k)
	}
	if ended {
		p.text.sentences++
	}
	if p.letters <= shortText {
		p.text.words = strings.FieldsFunc(strings.ToLower(short.String()), func(r rune) bool { return !unicode.IsLetter(r) })
	}
}

// count takes in a character; ended says that the one before ended a sentence.
func (t *textSigns) count(r rune, ended bool) bool {
	switch {
	case r < 0x80 && (r|0x20) >= 'a' && (r|0x20) <= 'z':
		if r < 'a' {
			t.upper++
		}
	case r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == 0xA0:
		if ended {
			t.sentences++
		}
		return false
	case r == '.' || r == '!' || r == '?' || r == '。' || r == '؟' || r == '।':
		ended = true
	case r == ',' || r == '،' || r == '、' || r == ';':
		t.commas++
		ended = false
	case r >= '0' && r <= '9':
		t.digits++
		ended = false
	case r == '"' || r == '”' || r == '“' || r == ')' || r == '»' || r == '\'' || r == '’':
	default:
		if r >= 0x80 && unicode.IsUpper(r) {
			t.upper++
		}
		ended = false
	}
	if r < 0x80 && (r|0x20) >= 'a' && (r|0x20) <= 'z' {
		ended = false
	}
	if t.first == 0 {
		t.first = r
	}
	t.last = r
	return ended
}
