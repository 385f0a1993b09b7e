package model

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// UnitRules are the parts of a source that shape its units, and what is found in them: what
// source_rules_digest is made of (contracts#source-rules-digest). They are copied to each
// snapshot at capture; a re-parse takes those of the source as it is then and
// keeps them on its run.
type UnitRules struct {
	Language  string     `json:"language,omitempty"`  // ISO 639-1
	Languages []string   `json:"languages,omitempty"` // ISO 639-1
	Entry     *EntryRule `json:"entry,omitempty"`     // which elements are records; none: none are
	Furniture *Furniture `json:"furniture,omitempty"` // what repeats on the source's pages
	// Entities are schemas of entities of one's own that are found in the units.
	Entities []EntitySchema `json:"entities,omitempty"`
	// Enrich says whether a model is asked what it proposes for the chunks of the units (contracts#enrichment).
	Enrich string `json:"enrich,omitempty"`
}

// UnitRules returns the rules of a source as it is now.
func (s Source) UnitRules() UnitRules {
	return UnitRules{Language: s.Language, Languages: s.Languages, Entry: s.Entry, Furniture: s.Furniture, Entities: s.Entities,
		Enrich: s.Enrich}
}

// UnitRules returns the rules that were copied to the snapshot.
func (s Snapshot) UnitRules() UnitRules {
	return UnitRules{Language: s.SourceLanguage, Languages: s.SourceLanguages, Entry: s.SourceEntry, Furniture: s.SourceFurniture,
		Entities: s.SourceEntities, Enrich: s.SourceEnrich}
}

// Under returns the snapshot with the rules of a run in place of its own, as it
// is extracted in that run. A run without rules has the snapshot's.
func (s Snapshot) Under(r Run) Snapshot {
	if r.Rules != nil {
		s.SourceLanguage, s.SourceLanguages = r.Rules.Language, r.Rules.Languages
		s.SourceEntry, s.SourceFurniture, s.SourceEntities = r.Rules.Entry, r.Rules.Furniture, r.Rules.Entities
		s.SourceEnrich = r.Rules.Enrich
	}
	return s
}

// EntryRule says which elements of a source's pages are records, one IR unit
// each, and what they hold (seeds#capture, example A). Selectors are CSS.
type EntryRule struct {
	Select   string       `json:"select"`              // the element with which a record begins
	Except   string       `json:"except,omitempty"`    // of these, what this selects is no record
	Through  string       `json:"through,omitempty"`   // following siblings that belong to the record, up to the next
	RecordID *EntryField  `json:"record_id,omitempty"` // the stable id that the source publishes; its name is not used
	Fields   []EntryField `json:"fields"`              // what a record holds
}

// EntryField says where in a record a field is found: each element that Select
// selects is one value. With parts, each is one group of values.
type EntryField struct {
	Name   string      `json:"name"`             // name of the field: a letter, then a-z, 0-9 and _
	Select string      `json:"select,omitempty"` // "": the record itself
	Attr   string      `json:"attr,omitempty"`   // the value is this attribute, not the text
	Parts  []EntryPart `json:"parts,omitempty"`  // the parts of each occurrence; none: its text is the value
}

// EntryPart is one value of a group: that of the first element that Select
// selects in it.
type EntryPart struct {
	Name   string `json:"name"`             // name of the part
	Select string `json:"select,omitempty"` // "": the group's element itself
	Attr   string `json:"attr,omitempty"`   // the value is this attribute, not the text
}

// maxEntryFields bounds the fields of a rule, and the parts of a field.
const maxEntryFields = 64

var fieldName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// Validate returns an error that names the first part of the rule that is
// wrong, as it stands in JSON. Whether selectors are CSS is asked elsewhere
// (package entry).
func (r EntryRule) Validate() error {
	switch {
	case r.Select == "":
		return errors.New("select: must not be empty")
	case r.RecordID != nil && len(r.RecordID.Parts) > 0:
		return errors.New("record_id.parts: an id has no parts")
	case len(r.Fields) == 0:
		return errors.New("fields: must not be empty")
	case len(r.Fields) > maxEntryFields:
		return fmt.Errorf("fields: %d, at most %d", len(r.Fields), maxEntryFields)
	}
	names := map[string]bool{}
	for i, f := range r.Fields {
		at := fmt.Sprintf("fields[%d]", i)
		if err := checkName(at, f.Name, names); err != nil {
			return err
		}
		if len(f.Parts) > 0 && f.Attr != "" {
			return fmt.Errorf("%s.attr: a field with parts has no attribute", at)
		}
		if len(f.Parts) > maxEntryFields {
			return fmt.Errorf("%s.parts: %d, at most %d", at, len(f.Parts), maxEntryFields)
		}
		parts := map[string]bool{}
		for k, p := range f.Parts {
			if err := checkName(fmt.Sprintf("%s.parts[%d]", at, k), p.Name, parts); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkName(at, name string, seen map[string]bool) error {
	if !fieldName.MatchString(name) {
		return fmt.Errorf("%s.name %q: a letter a-z, then at most 63 of a-z, 0-9 and _", at, name)
	}
	if seen[name] {
		return fmt.Errorf("%s.name %q: is there twice", at, name)
	}
	seen[name] = true
	return nil
}

// Furniture is what repeats on the pages of a source: learnt from its current
// documents, never from the order in which they came.
type Furniture struct {
	Version   int               `json:"version"`             // 1, 2, …: raised when the list changes
	Documents int               `json:"documents"`           // from how many it was learnt
	Selectors []FurnitureSelect `json:"selectors,omitempty"` // elements of which nearly all text repeats
	Blocks    []FurnitureBlock  `json:"blocks,omitempty"`    // single blocks that repeat
}

// FurnitureSelect is an element that is furniture with all that it holds.
type FurnitureSelect struct {
	Select string `json:"select"` // CSS
	Role   string `json:"role"`   // navigation, banner, cookie, footer, related or comments (contracts#furniture)
}

// FurnitureBlock is a block that is furniture wherever it stands.
type FurnitureBlock struct {
	Hash string `json:"hash"` // first 16 hex digits of the block hash (contracts#block-hash)
	Role string `json:"role"` // navigation, banner, cookie, footer, related or comments
}

// FurnitureRoles are the roles of furniture (contracts#furniture).
func FurnitureRoles() []string {
	return []string{"navigation", "banner", "cookie", "footer", "related", "comments"}
}

// Same reports whether two lists name the same furniture, whatever their version
// and from however many documents they were learnt.
func (f Furniture) Same(other Furniture) bool {
	return slices.Equal(f.Selectors, other.Selectors) && slices.Equal(f.Blocks, other.Blocks)
}

var hashPrefix = regexp.MustCompile(`^[0-9a-f]{16}$`)

// maxFurniture bounds the list, which every snapshot of the source carries.
const maxFurniture = 500

// Validate returns an error that names the first entry that is wrong.
func (f Furniture) Validate() error {
	if f.Version < 1 || f.Documents < 0 {
		return errors.New("version: must be positive, and documents not negative")
	}
	if n := len(f.Selectors) + len(f.Blocks); n > maxFurniture {
		return fmt.Errorf("%d entries, at most %d", n, maxFurniture)
	}
	for i, s := range f.Selectors {
		if s.Select == "" || !slices.Contains(FurnitureRoles(), s.Role) {
			return fmt.Errorf("selectors[%d] %+v: a selector and a role of %v", i, s, FurnitureRoles())
		}
	}
	for i, b := range f.Blocks {
		if !hashPrefix.MatchString(b.Hash) || !slices.Contains(FurnitureRoles(), b.Role) {
			return fmt.Errorf("blocks[%d] %+v: 16 hex digits and a role of %v", i, b, FurnitureRoles())
		}
	}
	return nil
}
