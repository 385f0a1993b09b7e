package reference

import (
	_ "embed"
	"strings"
)

//go:embed kinds.tsv
var kindsTSV string

//go:embed laws.tsv
var lawsTSV string

//go:embed aliases.tsv
var aliasesTSV string

//go:embed ordinals.tsv
var ordinalsTSV string

//go:embed links.tsv
var linksTSV string

// NewGrammar returns the grammar of the built-in data.
func NewGrammar() *Grammar {
	g := &Grammar{
		kinds: byWord(kindsTSV), laws: byWord(lawsTSV), ordinals: byWord(ordinalsTSV), aliases: make(map[string][]string),
		join: make(map[string]bool), through: make(map[string]bool), of: make(map[string]bool), own: make(map[string]bool), short: make(map[string]bool),
	}
	for name, words := range rows(aliasesTSV) {
		g.aliases[name] = words
	}
	for name, words := range rows(linksTSV) {
		for _, w := range words {
			map[string]map[string]bool{"join": g.join, "range": g.through, "of": g.of, "own": g.own, "short": g.short}[name][w] = true
		}
	}
	return g
}

// rows reads a table of a name and its words.
func rows(table string) map[string][]string {
	all := make(map[string][]string)
	for line := range strings.Lines(table) {
		name, words, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[name] = strings.Fields(words)
	}
	return all
}

func byWord(table string) map[string]string {
	all := make(map[string]string)
	for name, words := range rows(table) {
		for _, w := range words {
			all[w] = name
		}
	}
	return all
}
