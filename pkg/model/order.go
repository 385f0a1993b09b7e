package model

import (
	"slices"
	"strconv"
	"strings"
)

// Captured is what the order of a document's versions asks of a snapshot.
type Captured struct {
	SnapshotID  string
	RetrievedAt Time
	Reads       string // Snapshot.ReadsDigest
	Container   bool   // its members are documents of their own: it is no version
}

// CapturedOf returns what is asked of a snapshot. It fails as ReadsDigest does.
func CapturedOf(s Snapshot) (Captured, error) {
	reads, err := s.ReadsDigest()
	return Captured{
		SnapshotID: s.SnapshotID, RetrievedAt: s.RetrievedAt, Reads: reads, Container: s.SnapshotKind == KindContainer,
	}, err
}

// Compare orders the snapshots of a document by (retrieved_at, snapshot_id),
// never by arrival.
func (c Captured) Compare(o Captured) int {
	if by := c.RetrievedAt.Compare(o.RetrievedAt); by != 0 {
		return by
	}
	return strings.Compare(c.SnapshotID, o.SnapshotID)
}

// IsVersion reports whether a snapshot is a version of its document, given the
// one directly before it that is no container, nil for none: it is one unless
// the same is read of both.
func (c Captured) IsVersion(before *Captured) bool {
	return !c.Container && (before == nil || before.Reads != c.Reads)
}

// Arrival is what the arrival of a snapshot decides.
type Arrival struct {
	Version      bool // it is a version of its document
	AfterVersion bool // the one directly after it is one now
	Divides      bool // it stands between two captures of one version, which are two versions now
}

// Arrive decides a snapshot that comes to those of its document, and the one directly
// after it anew: no other can be a version, or be none any more, by it. before and
// after are the ones around it that are no containers, nil for none. A container
// decides nothing.
func Arrive(before, after *Captured, c Captured) Arrival {
	if c.Container {
		return Arrival{AfterVersion: after != nil && after.IsVersion(before)}
	}
	return Arrival{
		Version:      c.IsVersion(before),
		AfterVersion: after != nil && after.IsVersion(&c),
		Divides:      before != nil && after != nil && before.Reads == after.Reads && c.Reads != before.Reads,
	}
}

// Ordered is a snapshot in the order of its document's.
type Ordered struct {
	Captured
	Version string // the snapshot_id of the version that it is a capture of, its own for a version; "" for a container
}

// OrderVersions says of each snapshot of a document which version it is a capture
// of. Containers are left out; of neighbours of which the same is read the first
// is the version. The result is sorted, and does not depend on the order of
// captured.
func OrderVersions(captured []Captured) []Ordered {
	sorted := slices.SortedFunc(slices.Values(captured), Captured.Compare)
	out := make([]Ordered, len(sorted))
	var before *Ordered // that is no container
	for i, c := range sorted {
		out[i].Captured = c
		switch {
		case c.Container:
			continue
		case before == nil || c.IsVersion(&before.Captured):
			out[i].Version = c.SnapshotID
		default:
			out[i].Version = before.Version
		}
		before = &out[i]
	}
	return out
}

// CurrentVersion returns, of the versions that have landed, the one that is
// current: of the newest version of the document, in the order of its snapshots,
// of which a capture was made into chunks. ok is false when there is none, and
// when a container was captured after all of it: then the document's URL is that
// of a container now, and what it said before is in the archive.
//
// Where several captures of a version have landed, as when one was processed
// before an earlier one came, or was asked for again by force or because the first
// had failed pages, the one counts that better does (see outranks).
func CurrentVersion(captured []Ordered, landed []Version) (current Version, ok bool) {
	bySnapshot := make(map[string]Version, len(landed))
	for _, v := range landed { // of a snapshot its last run, and of that its last generation
		if last, there := bySnapshot[v.SnapshotID]; !there || last.Compare(v) < 0 {
			bySnapshot[v.SnapshotID] = v
		}
	}
	best := make(map[string]Version, len(landed)) // of each version
	for _, c := range captured {
		v, there := bySnapshot[c.SnapshotID]
		if other, taken := best[c.Version]; there && (!taken || v.outranks(other)) {
			best[c.Version] = v
		}
	}
	for _, c := range slices.Backward(captured) {
		if c.Container {
			return Version{}, false
		}
		if current, ok = best[c.Version]; ok {
			return current, true
		}
	}
	return Version{}, false
}

// outranks reports whether of two captures of one version this one, which is the
// later one, counts: it was made by newer programs, or by the same ones and more
// of its pages could be read.
func (v Version) outranks(earlier Version) bool {
	for _, by := range []int{
		compareNumbers(v.ParserVersion, earlier.ParserVersion), compareNumbers(v.ChunkerVersion, earlier.ChunkerVersion),
		compareNumbers(v.HeaderVersion, earlier.HeaderVersion), earlier.FailedPages - v.FailedPages,
	} {
		if by != 0 {
			return by > 0
		}
	}
	return false
}

// compareNumbers orders versions of programs, which are integers as text; what is
// none comes first.
func compareNumbers(a, b string) int {
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			return -1
		}
		return n
	}
	return number(a) - number(b)
}

// Recorded is what the row of a document says that is current.
type Recorded struct {
	SnapshotID   string // "" when nothing is
	ExtractionID string
	Chunks       ChunkSet // the zero value when nothing is
	Unsettled    bool     // it is to be decided anew
	Undescribed  bool     // the row's meta is not that of its version: an older build has written it
}

// Is reports whether the row names this version, or none for the zero value.
func (r Recorded) Is(v Version) bool {
	return r.SnapshotID == v.SnapshotID && r.ExtractionID == v.ExtractionID && r.Chunks == v.Chunks
}

// History is what the versions of a document are decided by.
type History struct {
	Landed   []Version  // made into chunks, in their order
	Captured []Captured // its snapshots as far as their order depends on them, in any order
	Recorded Recorded
	Next     int // the generation that the next manifest of a doc_hash has
}

// HeldRun is a run that nobody else changes meanwhile, nor its document, with all that it is made
// into chunks by.
type HeldRun struct {
	Run      Run
	Segments []SegmentRow // that count: of each range the one with the highest redo, by first page
	Redone   []int        // the first pages of the ranges that its redo asked for again
	History  History      // of its document
}

// Unsettled is a document whose current version may be another than its row says,
// with a run of it that was made into chunks, by which the chunker finds it.
type Unsettled struct {
	DocumentID   string
	SnapshotID   string // of the run
	ExtractionID string
}
