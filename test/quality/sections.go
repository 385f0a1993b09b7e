package quality

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/model"
)

// SectionReport is how well the kinds of sections are told by their headings.
type SectionReport struct {
	Headings  int              `json:"headings"`
	Documents int              `json:"documents"`
	Total     PRF              `json:"total"` // of all kinds but generic
	Parts     []SectionPart    `json:"parts"` // by half and language
	Kinds     []SectionKind    `json:"kinds"`
	Mistakes  []SectionMistake `json:"mistakes,omitempty"`
}

// SectionPart is what one language of one half of the headings comes to, or the whole of
// a half, whose language is "all".
type SectionPart struct {
	Half      string `json:"half"`
	Lang      string `json:"lang"`
	Headings  int    `json:"headings"`
	Documents int    `json:"documents"`
	Total     PRF    `json:"total"`
}

// SectionKind counts the headings of one kind.
type SectionKind struct {
	Kind  string `json:"kind"`
	Truth int    `json:"truth"` // that are of it
	Found int    `json:"found"` // that are said to be
	Right int    `json:"right"` // of both
}

// SectionMistake is a heading that is said to be of another kind than it is.
type SectionMistake struct {
	Half     string `json:"half"`
	Document string `json:"document"`
	Heading  string `json:"heading"`
	Truth    string `json:"truth"`
	Found    string `json:"found"`
}

// labelledHeading is a heading whose kinds are known.
type labelledHeading struct {
	half, document, lang, heading string
	kinds                         []string // one, or those that the heading names together
}

// RunSections reads headings whose kinds are known, tables of tab-separated values with
// the columns document, lang (ISO 639-1, may be empty), kind and heading, and compares
// them with what docxt.KindOf says. Each file, by its name, is a half: one that rules
// were made with, one that nobody had seen. A heading that names several kinds has them
// divided by "|": each of them is right. Precision and recall are of the headings that
// are of a kind, or said to be: generic is none.
func RunSections(files []string) (SectionReport, error) {
	var all []labelledHeading
	for _, file := range files {
		some, err := readHeadings(file)
		if err != nil {
			return SectionReport{}, err
		}
		all = append(all, some...)
	}
	r := SectionReport{}
	kinds := map[string]*SectionKind{}
	of := func(kind string) *SectionKind {
		if kinds[kind] == nil {
			kinds[kind] = &SectionKind{Kind: kind}
		}
		return kinds[kind]
	}
	for _, l := range all {
		is, says := l.compare()
		of(is).Truth++
		of(says).Found++
		if is == says {
			of(is).Right++
		} else {
			r.Mistakes = append(r.Mistakes, SectionMistake{Half: l.half, Document: l.document, Heading: l.heading, Truth: is, Found: says})
		}
	}
	total := partOf(all, "", "")
	r.Headings, r.Documents, r.Total, r.Parts = total.Headings, total.Documents, total.Total, partsOf(all)
	for _, k := range kinds {
		r.Kinds = append(r.Kinds, *k)
	}
	slices.SortFunc(r.Kinds, func(a, b SectionKind) int { return strings.Compare(a.Kind, b.Kind) })
	return r, nil
}

// readHeadings reads one table of headings.
func readHeadings(file string) (all []labelledHeading, err error) {
	const columns = 4
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for n, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != columns {
			return nil, fmt.Errorf("%s: line %d has %d columns, want document, lang, kind and heading", file, n+1, len(f))
		}
		if n == 0 {
			continue // names of the columns
		}
		all = append(all, labelledHeading{half: file, document: f[0], lang: f[1], heading: f[3], kinds: strings.Split(f[2], "|")})
	}
	return all, nil
}

// compare returns the kind that the heading is of and the one that it is said to be of;
// of several kinds that it names, the one that is said.
func (l labelledHeading) compare() (is, says string) {
	var page *model.Language
	if l.lang != "" {
		page = &model.Language{Lang: l.lang, Confidence: 1}
	}
	says = docxt.KindOf(l.heading, page)
	if slices.Contains(l.kinds, says) {
		return says, says
	}
	return l.kinds[0], says
}

// allLanguages stands for the languages of a half together.
const allLanguages = "all"

// partsOf returns what each half comes to, as a whole and by language.
func partsOf(all []labelledHeading) (parts []SectionPart) {
	for _, l := range all {
		for _, lang := range []string{l.lang, allLanguages} {
			if !slices.ContainsFunc(parts, func(p SectionPart) bool { return p.Half == l.half && p.Lang == lang }) {
				parts = append(parts, partOf(all, l.half, lang))
			}
		}
	}
	slices.SortStableFunc(parts, func(a, b SectionPart) int {
		return cmp.Or(strings.Compare(a.Half, b.Half), strings.Compare(a.Lang, b.Lang))
	})
	return parts
}

// partOf counts the headings of a half and a language, of all where they are empty.
func partOf(all []labelledHeading, half, lang string) SectionPart {
	const generic = "generic"
	p := SectionPart{Half: half, Lang: lang}
	documents := map[string]bool{}
	right, truth, found := 0, 0, 0
	for _, l := range all {
		if half != "" && l.half != half || lang != "" && lang != allLanguages && l.lang != lang {
			continue
		}
		p.Headings++
		documents[l.half+"\t"+l.document] = true
		is, says := l.compare()
		if is != generic {
			truth++
		}
		if says != generic {
			found++
			if is == says {
				right++
			}
		}
	}
	p.Documents, p.Total = len(documents), newPRF(right, truth, found)
	return p
}

// Write prints the report for a person.
func (r SectionReport) Write(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "kind\theadings\tsaid to be\tright\t")
	for _, k := range r.Kinds {
		fmt.Fprintf(tab, "%s\t%d\t%d\t%d\t\n", k.Kind, k.Truth, k.Found, k.Right)
	}
	fmt.Fprintln(tab, "\t\t\t\t")
	fmt.Fprintln(tab, "language\theadings\tprecision\trecall\thalf")
	for _, p := range r.Parts {
		fmt.Fprintf(tab, "%s\t%d\t%.3f\t%.3f\t%s\n", p.Lang, p.Headings, p.Total.Precision, p.Total.Recall, p.Half)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, m := range r.Mistakes {
		fmt.Fprintf(w, "%s: %q is %s, said to be %s\n", m.Document, m.Heading, m.Truth, m.Found)
	}
	_, err := fmt.Fprintf(w, "%d headings of %d documents: precision %.3f, recall %.3f\n", r.Headings, r.Documents, r.Total.Precision, r.Total.Recall)
	return err
}
