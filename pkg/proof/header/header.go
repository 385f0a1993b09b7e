// Package header writes what a chunk's text has beside its content, and what a
// proof must be able to write again: the header lines of seeds#knowledge, the line of
// headings that a later chunk of a section starts with, and the rows of a
// table (contracts#header, contracts#cutting). It is pure.
package header

import (
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Version is the header_version: an integer as text, raised whenever Render,
// labelsFor, Context or TableHead would write other bytes.
//
//	1: the four lines of seeds#knowledge, labels in fr, en, pt and it
const Version = "1"

// labelsFor returns the labels for a language (ISO 639-1): those of French
// where the language is unknown or has none of its own (contracts#header).
func labelsFor(language string) model.Labels {
	switch language {
	case "en":
		return model.Labels{Type: "TYPE", Status: "STATUS", Date: "DATE", Source: "SOURCE"}
	case "pt":
		return model.Labels{Type: "TIPO", Status: "STATUS", Date: "DATA", Source: "FONTE"}
	case "it":
		return model.Labels{Type: "TIPO", Status: "STATO", Date: "DATA", Source: "FONTE"}
	default:
		return model.Labels{Type: "TYPE", Status: "STATUT", Date: "DATE", Source: "SOURCE"}
	}
}

// Labels returns the labels that a chunk's header has: those that its source
// asks for, copied to the snapshot at capture, else those of its language.
func Labels(s model.Snapshot, language string) model.Labels {
	if s.HeaderLabels != nil {
		return *s.HeaderLabels
	}
	return labelsFor(language)
}

// renderHeader returns a chunk's header: four lines, each ended by "\n", and the
// empty line; the content follows at once. The values of type and status are
// never translated; control characters, which could forge a line, become
// spaces.
func renderHeader(labels model.Labels, typ, status, date, source string) string {
	var b strings.Builder
	for _, line := range [...][2]string{
		{labels.Type, typ}, {labels.Status, status}, {labels.Date, date}, {labels.Source, source},
	} {
		b.WriteString(oneLine(line[0]))
		b.WriteString(": ")
		b.WriteString(oneLine(line[1]))
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.String()
}

// Of returns the header of a chunk of the snapshot, from the chunk's own
// fields: what a proof compares with the first bytes of its text.
func Of(s model.Snapshot, c model.Chunk) string {
	return renderHeader(Labels(s, c.Language), string(c.Type), string(c.Status), c.InfoDate, c.Source)
}

func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
