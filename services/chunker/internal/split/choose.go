package split

import (
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
)

// Source is where a document is from, as its snapshot has it: what the registry said of
// the source when the document was captured.
type Source struct {
	ID        string
	Name      string
	Type      string // source_type
	Domain    string
	Territory string
}

// SourceOf returns where a snapshot is from.
func SourceOf(s model.Snapshot) Source {
	return Source{ID: s.SourceID, Name: s.SourceName, Type: s.SourceType, Domain: s.Domain, Territory: s.Territory}
}

// Document is what a document looks like, as all of its pages show.
type Document struct {
	assemble.Looks

	Type     model.FinalType
	Title    string
	Language string // ISO 639-1
	Pages    int    // that were read
}

// Table are the chunkers.
type Table struct {
	Domains []Domain // asked in this order
	General Chunker  // of the documents that none of these takes
}

// Choice is the chunker of a document, and why it is that one.
type Choice struct {
	Chunker
	Name string // "" for the general one
	Why  string // a short sentence; "" for the general one
}

// Choose returns the chunker of a document: of the first domain that takes it, else the
// general one (contracts#chunker-choice). It depends on what is stored alone, so that a
// proof chooses again. Of versions with one text, which have their chunks in common, the
// first counts (contracts#same-as).
func (t Table) Choose(source Source, d Document) Choice {
	for _, domain := range t.Domains {
		if why, ok := domain.Takes(source, d); ok {
			return Choice{Chunker: domain, Name: domain.Name(), Why: why}
		}
	}
	return Choice{Chunker: t.General}
}
