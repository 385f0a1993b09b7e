package html

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/model"
)

var (
	marks  = regexp.MustCompile(` data-(?:want|unwanted)\b`)
	filler = regexp.MustCompile(`\{([a-z]{2}:)?(\d+)\}`)
)

// syllables are what filler is made of, by script.
var syllables = map[string][]string{
	"":    strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu"),
	"ru:": strings.Fields("ба ве ги до жу за ке ли мо ну па ре си то фу ха це чи шо ю"),
	"ja:": strings.Fields("あ き す て の は み ゆ れ ん 山 川 町 橋 市 水 木 日 月 年"),
	"ar:": strings.Fields("با تو ثي جا حو خي دا رو سي شا صو طي عا فو قي كا لو مي نا هو"),
}

// fill replaces {120} by 120 characters of words that stand nowhere else,
// {ru:120} by such ones in another script.
func fill(template string) string {
	seed := uint32(1)
	return filler.ReplaceAllStringFunc(template, func(s string) string {
		m := filler.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[2])
		var b strings.Builder
		for letters, word := 0, 0; letters < n; {
			seed = seed*1664525 + 1013904223
			part := syllables[m[1]][seed>>16%20]
			b.WriteString(part)
			letters += len([]rune(part))
			if word++; m[1] != "ja:" && word > int(seed>>24%3)+1 && letters < n {
				b.WriteByte(' ')
				letters, word = letters+1, 0
			}
		}
		return b.String()
	})
}

// truth returns the texts of a page that are marked as wanted and as unwanted.
func truth(t *testing.T, page string) (want, unwanted []string) {
	t.Helper()
	root, err := xhtml.ParseWithOptions(strings.NewReader(page), xhtml.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n *xhtml.Node, mark string)
	walk = func(n *xhtml.Node, mark string) {
		for _, a := range n.Attr {
			if a.Key == "data-want" || a.Key == "data-unwanted" {
				mark = a.Key
			}
		}
		if text := strings.Join(strings.Fields(n.Data), " "); n.Type == xhtml.TextNode && text != "" {
			switch mark {
			case "data-want":
				want = append(want, text)
			case "data-unwanted":
				unwanted = append(unwanted, text)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, mark)
		}
	}
	walk(root, "")
	return want, unwanted
}

// TestKinds holds pages of many kinds, in the forms that sites give them,
// against what is marked in them: what is in an element with data-want is main
// matter, what is in one with data-unwanted is furniture; the nearest mark
// counts. The marks are taken off before the page is read.
func TestKinds(t *testing.T) {
	files, err := filepath.Glob("testdata/kinds/*.html")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".html"), func(t *testing.T) {
			template, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			marked := fill(string(template))
			want, unwanted := truth(t, marked)
			if len(want) == 0 || len(unwanted) == 0 {
				t.Fatal("nothing is marked")
			}
			page := marks.ReplaceAllString(marked, "")
			check(t, page)
			var kept, beside []string
			for _, b := range extract(t, page).Blocks {
				text := strings.Join(strings.Fields(b.Text), " ")
				if b.Type == model.UnitFurniture {
					beside = append(beside, fmt.Sprintf("%s %s", text, b.Role))
				} else {
					kept = append(kept, text)
				}
			}
			holds := func(texts []string, text string) bool {
				return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, text) })
			}
			for _, text := range want {
				if !holds(kept, text) {
					t.Errorf("lost: %.80s", text)
				}
			}
			for _, text := range unwanted {
				if !holds(beside, text) {
					t.Errorf("kept: %.80s", text)
				}
			}
		})
	}
}
