package sources

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/model"
)

// sourceFlags are the flags that describe a source.
type sourceFlags struct {
	flags                           *pflag.FlagSet
	given                           model.Source
	layer, entryRule                string
	labels                          []string
	dedupHTML, dedupOther, hostWait time.Duration
}

func newSourceFlags(f *pflag.FlagSet) *sourceFlags {
	s := &sourceFlags{flags: f, given: model.DefaultSource("")}
	d := s.given
	f.StringVar(&s.given.Name, "name", "", "display name, in every chunk's header")
	f.StringVar(&s.given.SourceType, "type", d.SourceType, "official, wiki, history, proposal, comment or forum")
	f.StringVar(&s.given.Domain, "domain", d.Domain, "domain of knowledge")
	f.StringVar(&s.given.Territory, "territory", "", "territory")
	f.StringVar(&s.layer, "layer", string(d.Layer), "hot, summary or archive")
	f.StringVar(&s.given.Language, "language", "", "default language, ISO 639-1")
	f.StringSliceVar(&s.given.Languages, "languages", nil, "languages that detection chooses among, ISO 639-1")
	f.StringVar(&s.given.Region, "region", "", "region, ISO 3166-1")
	f.StringVar(&s.given.Licence, "licence", "", "licence")
	f.StringVar(&s.given.RobotsPolicy, "robots", d.RobotsPolicy, "respect or ignore robots.txt when we fetch")
	f.StringVar(&s.given.RobotsNotes, "robots-notes", "", "what is believed about the permission, kept with every snapshot")
	f.DurationVar(&s.dedupHTML, "dedup-html", time.Duration(d.DedupHTML)*time.Second, "window in which a web page is not fetched again")
	f.DurationVar(&s.dedupOther, "dedup-documents", time.Duration(d.DedupOther)*time.Second, "the same for all else")
	f.IntVar(&s.given.HostRequests, "host-requests", d.HostRequests, "requests to one host at once")
	f.DurationVar(&s.hostWait, "host-delay", 0, "from one request to a host to the next")
	f.Int64Var(&s.given.MaxBytes, "max-bytes", d.MaxBytes, "largest document in bytes")
	f.IntVar(&s.given.MaxPages, "max-pages", d.MaxPages, "most pages of a document")
	f.IntVar(&s.given.MaxDepth, "max-depth", d.MaxDepth, "how deep containers in containers are unpacked")
	f.StringVar(&s.entryRule, "entry-rule", "", "JSON file with the rule by which its pages hold records; empty: they hold none")
	f.StringSliceVar(&s.labels, "header-labels", nil, "the four words of a chunk's header: type,status,date,source; empty: by language (French, and English, Portuguese, Italian of their own)")
	f.BoolVar(&s.given.ContextLine, "context-line", false, "chunks begin with a line of title, section, date and source, which is searched and embedded with them")
	return s
}

// apply copies the fields whose flags were given, and no others.
func (f *sourceFlags) apply(s *model.Source) error {
	given := f.given
	if f.entryRule != "" {
		rule, err := readEntryRule(f.entryRule)
		if err != nil {
			return err
		}
		given.Entry = rule
	}
	switch len(f.labels) {
	case 0:
	case 4:
		given.HeaderLabels = &model.Labels{Type: f.labels[0], Status: f.labels[1], Date: f.labels[2], Source: f.labels[3]}
	default:
		return cli.Usagef("--header-labels: %d words, want four", len(f.labels))
	}
	for flag, set := range map[string]func(){
		"name": func() { s.Name = given.Name }, "type": func() { s.SourceType = given.SourceType },
		"domain": func() { s.Domain = given.Domain }, "territory": func() { s.Territory = given.Territory },
		"layer": func() { s.Layer = model.Layer(f.layer) }, "language": func() { s.Language = given.Language },
		"languages": func() { s.Languages = given.Languages }, "region": func() { s.Region = given.Region },
		"licence": func() { s.Licence = given.Licence }, "robots": func() { s.RobotsPolicy = given.RobotsPolicy },
		"robots-notes": func() { s.RobotsNotes = given.RobotsNotes },
		"dedup-html":   func() { s.DedupHTML = int(f.dedupHTML / time.Second) }, "dedup-documents": func() { s.DedupOther = int(f.dedupOther / time.Second) },
		"host-requests": func() { s.HostRequests = given.HostRequests }, "host-delay": func() { s.HostDelay = int(f.hostWait / time.Millisecond) },
		"max-bytes": func() { s.MaxBytes = given.MaxBytes }, "max-pages": func() { s.MaxPages = given.MaxPages },
		"max-depth": func() { s.MaxDepth = given.MaxDepth }, "entry-rule": func() { s.Entry = given.Entry },
		"header-labels": func() { s.HeaderLabels = given.HeaderLabels }, "context-line": func() { s.ContextLine = given.ContextLine },
	} {
		if f.flags.Changed(flag) {
			set()
		}
	}
	return nil
}
