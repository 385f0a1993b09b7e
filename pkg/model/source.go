// Package model holds the records of the system: what is stored in the
// catalog and in IR segments and what events carry. It does nothing but
// validate. Field names are those of the five founding documents (docs/seeds.md); where two
// differ, docs/contracts.md decides.
package model

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
)

// SourceState is whether captures for a source are accepted.
type SourceState string

// The states of a source.
const (
	SourceEnabled  SourceState = "enabled"
	SourceDisabled SourceState = "disabled"
)

// Source is one row of the Source Registry (contracts#source). What a document
// gets of it (name, types, territory, labels) is copied onto the snapshot at
// capture; nothing later reads the registry.
type Source struct {
	SourceID     string     `json:"source_id"`
	Name         string     `json:"name"`                   // display name, in every chunk's header
	SourceType   string     `json:"source_type"`            // official, wiki, history, proposal, comment or forum (seeds#knowledge)
	Domain       string     `json:"domain"`                 // domain of knowledge, such as civics, history or budget (seeds#knowledge)
	Territory    string     `json:"territory"`              // what its documents are about or valid in
	Layer        Layer      `json:"layer"`                  // where its chunks begin: hot, summary or archive
	Language     string     `json:"language"`               // default, ISO 639-1
	Languages    []string   `json:"languages"`              // those that detection chooses among; empty means all
	Region       string     `json:"region"`                 // ISO 3166-1
	Licence      string     `json:"licence"`                // free text or SPDX id
	RobotsPolicy string     `json:"robots_policy"`          // respect or ignore
	RobotsNotes  string     `json:"robots_notes"`           // operator's belief, copied to snapshots
	HeaderLabels *Labels    `json:"header_labels"`          // nil: by language (contracts#header)
	ContextLine  bool       `json:"context_line,omitempty"` // chunks say their title, section, date and source in a line (contracts#context-line)
	DedupHTML    int        `json:"dedup_html_seconds"`     // dedup window for web pages
	DedupOther   int        `json:"dedup_document_seconds"` // dedup window for all else
	MaxBytes     int64      `json:"max_bytes"`              // of one captured document
	MaxPages     int        `json:"max_pages"`              // most pages of a document
	MaxDepth     int        `json:"max_depth"`              // of containers within containers; 0: none is unpacked
	HostRequests int        `json:"host_requests"`          // to one host at once, of all that we fetch
	HostDelay    int        `json:"host_delay_ms"`          // from one request to a host to the next, in milliseconds
	Entry        *EntryRule `json:"entry_rule,omitempty"`   // which elements are records; nil: none are
	Furniture    *Furniture `json:"furniture,omitempty"`    // what repeats on its pages
	// Entities are schemas of entities of one's own that are found on its pages (contracts#entity-schema).
	Entities []EntitySchema `json:"entities,omitempty"`
	// Enrich is later or wait where a model is asked what it proposes for each chunk, after or before they land
	// (contracts#enrichment); empty: by rules alone.
	Enrich string      `json:"enrich,omitempty"`
	State  SourceState `json:"state"` // enabled or disabled: what is sent for a disabled source is rejected
}

// SourceTypes returns what a source may be: who speaks in its documents.
func SourceTypes() []string {
	return []string{"official", "wiki", "history", "proposal", "comment", "forum"}
}

// Labels are the words of a chunk header's four lines (contracts#header).
type Labels struct {
	Type   string `json:"type"`   // word of the first line, such as TYPE
	Status string `json:"status"` // word of the second line, such as STATUS
	Date   string `json:"date"`   // word of the third line, such as DATE
	Source string `json:"source"` // word of the fourth line, such as SOURCE
}

// The robots policies: whether robots.txt is asked before we fetch.
const (
	RobotsRespect = "respect"
	RobotsIgnore  = "ignore"
)

// The bounds of what a source may say, far above what is of use: a tebibyte, ten
// years, the delay an hour.
const (
	maxMaxBytes     = 1 << 40
	maxWindow       = 10 * 365 * 24 * 3600
	maxDepth        = 16
	maxHostRequests = 1000
	maxHostDelay    = 3_600_000
)

var languageForm = regexp.MustCompile(`^[a-z]{2}$`)

// ValidLanguage reports whether code is a language of ISO 639-1 as sources and
// requests name it: two lower case letters.
func ValidLanguage(code string) bool {
	_, err := language.ParseBase(code)
	return languageForm.MatchString(code) && err == nil
}

// LanguageISO3 returns the three letters of ISO 639-2/T for a language code, by
// which OCR engines name their data; empty when there is no such language.
func LanguageISO3(code string) string {
	base, err := language.ParseBase(code)
	if err != nil {
		return ""
	}
	return base.ISO3()
}

var sourceIDForm = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

// ValidSourceID reports whether id is one subject token (contracts#source-id).
func ValidSourceID(id string) bool { return sourceIDForm.MatchString(id) }

// DefaultSource returns a source with the defaults (contracts#fetch-window): the
// robots policy respected, windows of 24 hours and 7 days, 256 MiB and 20,000
// pages a document, containers four deep, four requests to a host at once.
func DefaultSource(id string) Source {
	return Source{
		SourceID: id, Name: id, SourceType: "official", Domain: "civics", Layer: LayerHot,
		RobotsPolicy: RobotsRespect, DedupHTML: 24 * 3600, DedupOther: 7 * 24 * 3600,
		MaxBytes: 256 << 20, MaxPages: 20_000, MaxDepth: 4, HostRequests: 4, State: SourceEnabled,
	}
}

// Validate returns an error that names the first field that is wrong.
func (s Source) Validate() error {
	switch {
	case !ValidSourceID(s.SourceID):
		return fmt.Errorf("source_id %q: 1 to 64 of a-z, 0-9, _ and -", s.SourceID)
	case s.Name == "":
		return errors.New("name: must not be empty")
	case !slices.Contains(SourceTypes(), s.SourceType):
		return fmt.Errorf("source_type %q: official, wiki, history, proposal, comment or forum", s.SourceType)
	case s.Language != "" && !ValidLanguage(s.Language):
		return fmt.Errorf("language %q: two letters of ISO 639-1", s.Language)
	case slices.ContainsFunc(s.Languages, func(l string) bool { return !ValidLanguage(l) }):
		return fmt.Errorf("languages %q: each two letters of ISO 639-1", s.Languages)
	case !s.Layer.Valid():
		return fmt.Errorf("layer %q: hot, summary or archive", s.Layer)
	case s.RobotsPolicy != RobotsRespect && s.RobotsPolicy != RobotsIgnore:
		return fmt.Errorf("robots_policy %q: respect or ignore", s.RobotsPolicy)
	case s.DedupHTML < 0 || s.DedupHTML > maxWindow:
		return fmt.Errorf("dedup_html_seconds %d: 0 to %d", s.DedupHTML, maxWindow)
	case s.DedupOther < 0 || s.DedupOther > maxWindow:
		return fmt.Errorf("dedup_document_seconds %d: 0 to %d", s.DedupOther, maxWindow)
	case s.MaxBytes <= 0 || s.MaxBytes > maxMaxBytes:
		return fmt.Errorf("max_bytes %d: 1 to %d", s.MaxBytes, int64(maxMaxBytes))
	case s.MaxPages <= 0:
		return errors.New("max_pages: must be positive")
	case s.MaxDepth < 0 || s.MaxDepth > maxDepth:
		return fmt.Errorf("max_depth %d: 0 to %d", s.MaxDepth, maxDepth)
	case s.HostRequests < 1 || s.HostRequests > maxHostRequests:
		return fmt.Errorf("host_requests %d: 1 to %d", s.HostRequests, maxHostRequests)
	case s.HostDelay < 0 || s.HostDelay > maxHostDelay:
		return fmt.Errorf("host_delay_ms %d: 0 to %d", s.HostDelay, maxHostDelay)
	case s.State != SourceEnabled && s.State != SourceDisabled:
		return fmt.Errorf("state %q: enabled or disabled", s.State)
	}
	if s.Enrich != EnrichNever && s.Enrich != EnrichLater && s.Enrich != EnrichWait {
		return fmt.Errorf("enrich %q: later, wait, or nothing for rules alone", s.Enrich)
	}
	if err := s.checkTexts(); err != nil {
		return err
	}
	if s.Entry != nil {
		if err := s.Entry.Validate(); err != nil {
			return fmt.Errorf("entry_rule.%w", err)
		}
	}
	if s.Furniture != nil {
		if err := s.Furniture.Validate(); err != nil {
			return fmt.Errorf("furniture.%w", err)
		}
	}
	return s.checkEntities()
}

// maxSchemas bounds how many schemas of entities a source has: each page is read for each.
const maxSchemas = 8

func (s Source) checkEntities() error {
	if len(s.Entities) > maxSchemas {
		return fmt.Errorf("entities: %d schemas, limit %d", len(s.Entities), maxSchemas)
	}
	seen := make(map[string]bool)
	for i, e := range s.Entities {
		if err := e.Validate(); err != nil {
			return fmt.Errorf("entities[%d].%w", i, err)
		}
		if seen[e.Name] {
			return fmt.Errorf("entities[%d].name: %s is described before", i, e.Name)
		}
		seen[e.Name] = true
	}
	return nil
}

// maxText bounds each text that people write of a source, in bytes.
const maxText = 1000

// checkTexts refuses texts that cannot stand on one line of a chunk's header, a
// list or a log.
func (s Source) checkTexts() error {
	texts := [][2]string{
		{"name", s.Name}, {"domain", s.Domain}, {"territory", s.Territory}, {"region", s.Region}, {"licence", s.Licence},
		{"robots_notes", strings.ReplaceAll(s.RobotsNotes, "\n", " ")}, // which may have lines
	}
	if l := s.HeaderLabels; l != nil {
		for _, word := range [][2]string{{"type", l.Type}, {"status", l.Status}, {"date", l.Date}, {"source", l.Source}} {
			if word[1] == "" {
				return fmt.Errorf("header_labels.%s: must not be empty", word[0])
			}
			texts = append(texts, [2]string{"header_labels." + word[0], word[1]})
		}
	}
	for _, t := range texts {
		switch field, text := t[0], t[1]; {
		case len(text) > maxText:
			return fmt.Errorf("%s: %d bytes, limit %d", field, len(text), maxText)
		case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
			return fmt.Errorf("%s %q: one line of UTF-8, without control characters", field, text)
		}
	}
	return nil
}

// Time is an instant as docs/contracts.md writes it: RFC 3339, UTC. Derived data
// only ever holds times that were given, never the clock's.
type Time = time.Time

// Layer is where a chunk lives (seeds#knowledge).
type Layer string

// The layers (contracts#chunk-fields).
const (
	LayerHot     Layer = "hot"
	LayerSummary Layer = "summary"
	LayerArchive Layer = "archive"
)

// Valid reports whether l is one of the three layers.
func (l Layer) Valid() bool { return l == LayerHot || l == LayerSummary || l == LayerArchive }
