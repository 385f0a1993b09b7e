package model

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// SourceRef says where a unit or a chunk stands in words that people cite by
// (seeds#conventions, source reference). It is made of the evidence of units and of their
// snapshot whenever one is shown, and stored nowhere (contracts#source-ref).
type SourceRef struct {
	Kind string `json:"kind"` // webpage or document
	// URL is the address of a web page, redacted; of a file that has none its identity.
	URL        string `json:"url,omitempty"`
	Selector   string `json:"selector,omitempty"`    // CSS selector of the unit's element on a web page; of a chunk that of the nearest element around its units
	CapturedAt Time   `json:"captured_at,omitzero"`  // when a web page was fetched
	Filename   string `json:"filename,omitempty"`    // of a document; of a member of an archive its path there
	PageNumber int    `json:"page_number,omitempty"` // page of a document that has pages, from 1; of a chunk that it begins on
	Section    string `json:"section,omitempty"`     // nearest heading of a document at or above the unit; of a chunk the innermost heading that it stands under
	TextRegion string `json:"text_region,omitempty"` // lines of a text file, as in lines 3-5; else the unit's place among those of its type on the page, as in paragraph 2; of a chunk those of all its units, as in heading 3, paragraphs 2-4
}

// The kinds of source references (seeds#conventions).
const (
	SourceWebpage  = "webpage"
	SourceDocument = "document"
)

// SourceRef says where a unit of page pageNo stands, in the section whose heading is
// given (contracts#source-ref).
func (s *Snapshot) SourceRef(section string, pageNo int, u *Unit) SourceRef {
	ref := s.sourceRef(section, pageNo)
	if ref.Kind == SourceWebpage {
		if len(u.Evidence) > 0 {
			ref.Selector = u.Evidence[0].CSSSelector
		}
		return ref
	}
	if ref.TextRegion = lines(u.Evidence); ref.TextRegion == "" {
		if n, ok := u.Position(); ok {
			ref.TextRegion = typeName(u.Type) + " " + strconv.Itoa(n)
		}
	}
	return ref
}

// sourceRef is what all units of a page have in common.
func (s *Snapshot) sourceRef(section string, pageNo int) SourceRef {
	if s.SnapshotKind == KindHTML {
		return SourceRef{Kind: SourceWebpage, URL: cmp.Or(s.URL, s.ExternalID), CapturedAt: s.RetrievedAt, Filename: memberOf(s)}
	}
	ref := SourceRef{Kind: SourceDocument, Filename: fileOf(s), Section: section}
	if s.SnapshotKind == KindPDF || s.SnapshotKind == KindImageScan {
		ref.PageNumber = pageNo
	}
	return ref
}

func typeName(t UnitType) string { return strings.ReplaceAll(string(t), "_", " ") }

// fileOf returns the name of a document's file: of a member of an archive its path
// there, else the name that came with it, else the last part of its address.
func fileOf(s *Snapshot) string {
	if name := cmp.Or(memberOf(s), s.Filename); name != "" {
		return name
	}
	address := cmp.Or(s.URL, s.ExternalID)
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if name := path.Base(u.Path); name != "." && name != "/" {
		return name
	}
	return cmp.Or(u.Host, address)
}

// memberOf returns the path of a member in its archive, "" for what is none; records of
// web archives have addresses of their own.
func memberOf(s *Snapshot) string {
	if s.ParentSnapshotID == "" || strings.HasPrefix(s.MemberPath, "@") {
		return ""
	}
	return s.MemberPath
}

// lines returns the lines of a text file that the evidence touches, "" when it has none.
func lines(evidence []Evidence) string {
	first, last := 0, 0
	for _, e := range evidence {
		if e.Lines == nil {
			continue
		}
		if first == 0 || e.Lines.First < first {
			first = e.Lines.First
		}
		last = max(last, e.Lines.Last)
	}
	switch {
	case first == 0:
		return ""
	case first == last:
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, last)
}

// Position returns the place of a unit among those of its type on its page, from 1, as
// its block_id has it; an error unit has none.
func (u *Unit) Position() (int, bool) {
	rest, ok := strings.CutPrefix(u.FieldsRaw.BlockID, string(u.Type)+"_")
	digits, _, _ := strings.Cut(rest, "_")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil
}
