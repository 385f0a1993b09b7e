package split_test

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
)

// plain is a chunker that can be told from others.
type plain struct{ label string }

func (plain) New(split.Options, func(split.Draft) error) (split.Splitter, error) { return nil, nil }

// domain takes what it is told to take.
type domain struct {
	plain
	takes func(split.Source, split.Document) bool
}

func (d domain) Name() string { return d.label }

func (d domain) Takes(s split.Source, doc split.Document) (string, bool) {
	return "it is one of " + d.label, d.takes(s, doc)
}

// TestChoose: the first domain that takes a document cuts it, by its source or by what it
// looks like; the general one cuts the rest, and gives no reason.
func TestChoose(t *testing.T) {
	t.Parallel()
	table := split.Table{
		Domains: []split.Domain{
			domain{plain{"laws"}, func(s split.Source, _ split.Document) bool { return s.Domain == "law" }},
			domain{plain{"registers"}, func(_ split.Source, d split.Document) bool { return d.Units[model.UnitTable] > 0 }},
		},
		General: plain{"general"},
	}
	tables := map[model.UnitType]int{model.UnitTable: 1}
	for _, c := range []struct {
		source          split.Source
		document        split.Document
		label, name, by string
	}{
		{split.SourceOf(model.Snapshot{Domain: "law"}), split.Document{}, "laws", "laws", "it is one of laws"},
		{split.Source{}, split.Document{Looks: assemble.Looks{Units: tables}}, "registers", "registers", "it is one of registers"},
		{split.Source{Domain: "law"}, split.Document{Looks: assemble.Looks{Units: tables}}, "laws", "laws", "it is one of laws"},
		{split.Source{Domain: "sports"}, split.Document{Type: model.TypePDF}, "general", "", ""},
	} {
		choice := table.Choose(c.source, c.document)
		label := ""
		switch chunker := choice.Chunker.(type) {
		case domain:
			label = chunker.label
		case plain:
			label = chunker.label
		}
		if label != c.label || choice.Name != c.name || choice.Why != c.by {
			t.Errorf("%+v, %+v: %s, named %q, since %q", c.source, c.document, label, choice.Name, choice.Why)
		}
	}
}
