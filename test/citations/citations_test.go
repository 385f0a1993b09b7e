package citations_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/test/citations"
)

func tree(t *testing.T) citations.Tree {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	read, err := citations.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func report(t *testing.T, broken []string) {
	t.Helper()
	for _, b := range broken {
		t.Error(b)
	}
}

// Every citation of a rule has its anchor, and every anchor is the only one of its name.
// Without any one of the anchors that are cited the first no longer holds.
func TestCitationsResolve(t *testing.T) {
	read := tree(t)
	all := read.Cited()
	report(t, read.Unresolved(all))
	report(t, read.Ambiguous())
	anchors, inCode := map[string]bool{}, 0
	for _, c := range all {
		anchors[c.Page+"#"+c.Anchor] = true
		if filepath.Ext(c.File) != ".md" {
			inCode++
		}
	}
	for name := range anchors {
		page, id, _ := strings.Cut(name, "#")
		without := citations.Tree{page: strings.ReplaceAll(read[page], `<a id="`+id+`"></a>`, "")}
		for _, other := range []string{"docs/contracts.md", "docs/seeds.md"} {
			if other != page {
				without[other] = read[other]
			}
		}
		if len(without.Unresolved(all)) == 0 {
			t.Errorf("nobody misses %s", name)
		}
	}
	t.Logf("%d citations, %d of them in code, of %d anchors; docs/contracts.md sets %d, docs/seeds.md %d", len(all), inCode,
		len(anchors), len(read.Anchors("docs/contracts.md")), len(read.Anchors("docs/seeds.md")))
}

// No text is cited that the repository does not have, such as sections of a design by
// their numbers: whoever reads the code could not look them up.
func TestNothingElseIsCited(t *testing.T) {
	report(t, tree(t).Outdated())
}

// Every relative link between documents, and every document that code names, leads to a
// file, and to a heading or an anchor.
func TestLinksResolve(t *testing.T) {
	read := tree(t)
	links, named := read.Links(), read.Named()
	report(t, read.Broken(slices.Concat(links, named)))
	if len(links) < 100 || len(named) < 20 {
		t.Errorf("only %d links were found, and %d names", len(links), len(named))
	}
	t.Logf("%d links between documents, %d names of documents in code", len(links), len(named))
}

// What the checks find in a tree of two pages, and what they leave alone.
func TestWhatLeadsNowhereIsFound(t *testing.T) {
	const page = "contracts" // apart from what follows, so that this file cites nothing
	base := citations.Tree{
		"docs/contracts.md": "# Contracts\n<a id=\"order\"></a>\n**Order.** See [the seeds](seeds.md#capture) and [itself](#order).\n",
		"docs/seeds.md":     "| <a id=\"capture\"></a>seed " + "002 |\n",
		"pkg/a.go":          "// a keeps the order (" + page + "#order) of seeds#capture.\n",
	}
	for name, c := range map[string]struct {
		file, text string
		wrong      bool
	}{
		"as it is":              {"docs/seeds.md", "| <a id=\"capture\"></a>seed " + "002 |\n", false},
		"no such rule":          {"pkg/b.go", "// (" + page + "#orders)\n", true},
		"no rule at all":        {"pkg/b.go", "// (" + page + "#)\n", true},
		"no such document":      {"pkg/b.go", "// (seeds" + "#order)\n", true},
		"the slug of a heading": {"pkg/b.go", "// (" + page + "#contracts)\n", true},
		"an anchor removed":     {"docs/contracts.md", "# Contracts\nSee [the seeds](seeds.md#capture).\n", true},
		"an anchor twice":       {"docs/seeds.md", "<a id=\"capture\"></a> <a id=\"capture\"></a>\n", true},
		"a heading's name":      {"docs/seeds.md", "# Capture\n<a id=\"capture\"></a>\n", true},
		"a section":             {"pkg/b.go", "// (" + page + " 12)\n", true},
		"over two lines":        {"pkg/b.go", "\t// as told in (" + page + "\n\t// 13.3): so\n", true},
		"a founding document":   {"deploy/b.yaml", "# as seed " + "003 says\n", true},
		"the same, and a break": {"pkg/b.go", "// set, seed\n// " + "000's cell\n", true},
		"a text of before":      {"pkg/b.go", "// (system" + ".md, \"Guarantees\")\n", true},
		"a migration":           {"pkg/catalog/migrations/1.sql", "-- (" + page + " 5)\n", false},
		"a plain word":          {"b.md", "Minutes, contracts, orders; seeds of 5; of contracts,\n0.3.\n", false},
		"a call":                {"pkg/b.go", "id(facts, \"sha256:\"+name)\n", false},
		"a link to a file":      {"b.md", "[a](docs/" + page + ".md#order) [b](pkg) [c](https://example.org/x#y)\n", false},
		"no such file":          {"b.md", "[a](contract.md)\n", true},
		"no such heading":       {"b.md", "# B\n[a](#c)\n", true},
		"a heading":             {"b.md", "# B, and `c`: more\n[a](#b-and-c-more)\n", false},
		"the second heading":    {"b.md", "# B\n# B\n[a](#b-1)\n", false},
		"a document in code":    {"pkg/b.go", "// see docs/" + "other.md\n", true},
		"one that is there":     {"pkg/b.go", "// see docs/seeds.md#capture\n", false},
		"code":                  {"b.md", "```\n[a](none.md)\n```\n`[a](none.md)`\n", false},
	} {
		read := citations.Tree{c.file: c.text}
		for file, text := range base {
			if file != c.file {
				read[file] = text
			}
		}
		found := slices.Concat(read.Unresolved(read.Cited()), read.Ambiguous(), read.Broken(slices.Concat(read.Links(), read.Named())), read.Outdated())
		if (len(found) > 0) != c.wrong {
			t.Errorf("%s: %q, want wrong=%t", name, found, c.wrong)
		}
	}
}
