// Package citations reads what the tree cites, the rules of docs/contracts.md and the
// founding documents of docs/seeds.md, and the links between its documents, and says
// what leads nowhere.
package citations

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tree is the text of a repository's files by their paths from the root, with forward
// slashes.
type Tree map[string]string

// largest is the size in bytes of the largest file that is read: what is larger is
// written by programs, and cites nothing.
const largest = 4 << 20

// Read returns the text files below root. Hidden folders but .ci, built binaries and the
// data of tests are left out.
func Read(root string) (Tree, error) {
	tree := make(Tree)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != root && (base == "testdata" || base == "bin" || strings.HasPrefix(base, ".") && base != ".ci") {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > largest {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil || bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		tree[filepath.ToSlash(rel)] = string(data)
		return nil
	})
	return tree, err
}

// holding returns the paths of the files that hold one of the words, in order: to look for
// these is faster than to search all text for what is built of them.
func (t Tree) holding(words ...string) []string {
	var files []string
	for file, text := range t {
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) }) {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files
}

// Citation is one place that cites a rule or a founding document.
type Citation struct {
	File   string
	Line   int    // from 1
	Page   string // docs/contracts.md or docs/seeds.md
	Anchor string
}

// cited is a citation: contracts#run-order, seeds#capture, and the same in a link. What
// follows the sign is taken as far as an anchor could be meant, so that one that is
// misspelt is seen.
var cited = regexp.MustCompile(`\b(contracts|seeds)(?:\.md)?#([\pL\pN_-]*)`)

// Cited returns all citations, by file and line.
func (t Tree) Cited() []Citation {
	var all []Citation
	for _, file := range t.holding("contracts", "seeds") {
		number := 0
		for line := range strings.Lines(t[file]) {
			number++
			for _, m := range cited.FindAllStringSubmatch(line, -1) {
				all = append(all, Citation{File: file, Line: number, Page: "docs/" + m[1] + ".md", Anchor: m[2]})
			}
		}
	}
	return all
}

// Unresolved says which of the citations name an anchor that their page does not set
// itself. The slug of a heading is none: it changes with the words.
func (t Tree) Unresolved(all []Citation) []string {
	set := map[string]map[string]bool{}
	for _, page := range []string{"docs/contracts.md", "docs/seeds.md"} {
		set[page] = map[string]bool{}
		for _, id := range t.Anchors(page) {
			set[page][id] = true
		}
	}
	var broken []string
	for _, c := range all {
		if !set[c.Page][c.Anchor] {
			broken = append(broken, fmt.Sprintf("%s:%d cites %q of %s, which has no such anchor", c.File, c.Line, c.Anchor, c.Page))
		}
	}
	return broken
}

var anchor = regexp.MustCompile(`<a id="([^"]*)"></a>`)

// Anchors returns the anchors that a page sets itself, in their order, as often as it
// sets them.
func (t Tree) Anchors(page string) []string {
	var ids []string
	for _, m := range anchor.FindAllStringSubmatch(t[page], -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// Ambiguous says which anchors of documents stand twice in their page, or are the slug of
// one of its headings as well.
func (t Tree) Ambiguous() []string {
	var broken []string
	for _, page := range t.documents() {
		ids := t.Anchors(page)
		slices.Sort(ids)
		for i, id := range ids {
			if i > 0 && ids[i-1] == id || slices.Contains(slugs(t[page]), id) {
				broken = append(broken, fmt.Sprintf("%s: the anchor %q is not the only one of its name", page, id))
			}
		}
	}
	return broken
}

// documents are the paths of the pages for people, in order.
func (t Tree) documents() []string {
	var pages []string
	for file := range t {
		if path.Ext(file) == ".md" {
			pages = append(pages, file)
		}
	}
	slices.Sort(pages)
	return pages
}

var (
	fence  = regexp.MustCompile("(?ms)^ *(```|~~~).*?^ *(```|~~~)")
	code   = regexp.MustCompile("`[^`\n]*`")
	link   = regexp.MustCompile(`\]\(([^()\s]*)\)`)
	scheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)
)

// Link is a link from a file to another of the tree.
type Link struct {
	From   string
	Target string // as it is written; one that begins with a slash is from the root
}

// Links returns the relative links of all documents, those in examples of code left out.
func (t Tree) Links() []Link {
	var all []Link
	for _, page := range t.documents() {
		text := code.ReplaceAllString(fence.ReplaceAllString(t[page], ""), "`")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if !scheme.MatchString(m[1]) {
				all = append(all, Link{From: page, Target: m[1]})
			}
		}
	}
	return all
}

// named is a document as code and settings name it.
var named = regexp.MustCompile(`\bdocs/[\w/.-]+\.(?:md|json|yaml|py)\b(?:#[a-z0-9-]+)?`)

// Named returns the files below docs that other files than documents name.
func (t Tree) Named() []Link {
	var all []Link
	for _, file := range t.holding("docs/") {
		if path.Ext(file) != ".md" {
			for _, name := range named.FindAllString(t[file], -1) {
				all = append(all, Link{From: file, Target: "/" + name})
			}
		}
	}
	return all
}

// Broken says which links lead to no file or folder of the tree, or to no anchor or
// heading of their page.
func (t Tree) Broken(links []Link) []string {
	folders := make(map[string]bool)
	for file := range t {
		for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
			folders[folder] = true
		}
	}
	headings := make(map[string][]string)
	var broken []string
	for _, l := range links {
		target, at, anchored := strings.Cut(l.Target, "#")
		file := l.From
		switch {
		case strings.HasPrefix(target, "/"):
			file = path.Clean(target[1:])
		case target != "":
			file = path.Join(path.Dir(l.From), target)
		}
		text, there := t[file]
		if _, known := headings[file]; anchored && there && !known {
			headings[file] = append(slugs(text), t.Anchors(file)...)
		}
		switch {
		case !there && !folders[file]:
			broken = append(broken, fmt.Sprintf("%s: %s leads to no file", l.From, l.Target))
		case anchored && !slices.Contains(headings[file], at):
			broken = append(broken, fmt.Sprintf("%s: %s leads to no anchor", l.From, l.Target))
		}
	}
	return broken
}

var (
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.*?)[ #]*$`)
	linked  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// slugs returns the anchors that forges give to the headings of a page: its words in
// lower case, joined by hyphens, without other signs; of equal ones the later get -1, -2.
func slugs(text string) []string {
	var out []string
	seen := make(map[string]int)
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		var b strings.Builder
		for _, r := range strings.ToLower(linked.ReplaceAllString(anchor.ReplaceAllString(m[1], ""), "$1")) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				b.WriteRune(r)
			}
		}
		slug := b.String()
		if n := seen[slug]; n > 0 {
			seen[slug]++
			slug = fmt.Sprintf("%s-%d", slug, n)
		} else {
			seen[slug] = 1
		}
		out = append(out, slug)
	}
	return out
}

// outdated are citations of texts that are not in the repository: by the number of a
// section, or of a founding document, also where it stands on the next line of a comment.
var outdated = regexp.MustCompile(`(?i)\b(?:contracts` + gap + `§?|seeds?` + gap + `00)[0-9]|\bsystem\.md\b|(?-i:\(facts?, "[A-Z])`)

// gap is what stands between a text's name and its number: a space, or the end of a line of
// a comment and what the next one begins with.
const gap = `(?: |\n[ \t]*(?://|#|--|\*)[ \t]*)`

// Outdated says where texts are cited that the repository does not have. Migrations are
// history, and stay as they were applied; docs/seeds.md names the founding documents.
func (t Tree) Outdated() []string {
	var broken []string
	for _, file := range t.holding("ontracts", "eed", "system.", "(facts") {
		if strings.HasPrefix(file, "pkg/catalog/migrations/") || file == "docs/seeds.md" {
			continue
		}
		for _, at := range outdated.FindAllStringIndex(t[file], -1) {
			line := 1 + strings.Count(t[file][:at[0]], "\n")
			broken = append(broken, fmt.Sprintf("%s:%d cites %q, which is not in the repository", file, line, t[file][at[0]:at[1]]))
		}
	}
	return broken
}
