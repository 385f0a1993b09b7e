package event

import (
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

// SourceChange is what was done to a source.
type SourceChange string

// What can be done to a source.
const (
	SourceAdded    SourceChange = "added"
	SourceSet      SourceChange = "set" // fields of its record have other values
	SourceEnabled  SourceChange = "enabled"
	SourceDisabled SourceChange = "disabled"
	SourceRemoved  SourceChange = "removed" // nothing was captured for it
)

// SourceChanged says that the registry says something else of a source. What it says is
// asked for there: an event is a hint.
type SourceChanged struct {
	SourceID string            `json:"source_id"`
	Seq      int64             `json:"seq"`              // number of the entry in the audit: of two changes of a source the later one has the higher number
	Change   SourceChange      `json:"change"`           // added, set, enabled, disabled or removed
	Fields   []string          `json:"fields,omitempty"` // of set: the names of the fields that have other values
	State    model.SourceState `json:"state,omitempty"`  // enabled or disabled, as the registry says when this is told; none of a source that is not registered any more
	Who      string            `json:"who"`              // who did it, as cli/{account}
	Why      string            `json:"why,omitempty"`    // the reason that was given
	At       time.Time         `json:"at"`               // when it was done
}

// Type returns TypeSourceChanged.
func (SourceChanged) Type() string { return TypeSourceChanged }

// Source returns the source_id.
func (d SourceChanged) Source() string { return d.SourceID }

// About returns the source_id and the number of the change.
func (d SourceChanged) About() string { return fmt.Sprintf("%s/%d", d.SourceID, d.Seq) }
