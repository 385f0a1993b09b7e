package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/blobstore"
)

// Report says what a pass found and did; of a dry run, what it would have done.
type Report struct {
	DryRun bool     `json:"dry_run"`
	Busy   bool     `json:"busy"` // another pass runs: nothing was done
	Counts []*Count `json:"counts"`
	// Missing says in a sentence each what is not there that all work needs: streams,
	// consumers, the collection, the vector store.
	Missing []string `json:"missing,omitempty"`
}

// Count is what was found of one kind.
type Count struct {
	What     string `json:"what"` // lost sources, source changes, captures, order of versions, snapshots, ranges, runs, documents, collections, points, chunks, raw objects, derived objects
	Found    int    `json:"found"`
	Redriven int    `json:"redriven"` // published again
	GivenUp  int    `json:"given_up"` // failed as internal, with a dead letter
	Deleted  int    `json:"deleted"`  // objects without a row, points without a chunk
	Reset    int    `json:"reset"`    // collections that have lost their points, chunks that have lost theirs: they are due again
	Repaired int    `json:"repaired"` // documents whose rows did not follow the order of versions, or its layers
}

func (r *Report) count(what string) *Count {
	c := &Count{What: what}
	r.Counts = append(r.Counts, c)
	return c
}

// SawObjects reports whether a pass that ended well has looked at all objects: it was
// asked to, no other pass ran, and the streams were there.
func (r Report) SawObjects() bool {
	return slices.ContainsFunc(r.Counts, func(c *Count) bool { return c.What == objectsOf(blobstore.Derived) })
}

// objectsOf names the objects of a bucket in a report.
func objectsOf(b blobstore.Bucket) string { return string(b) + " objects" }

// Found counts all that was found.
func (r Report) Found() int {
	n := 0
	for _, c := range r.Counts {
		n += c.Found
	}
	return n
}

// String returns the report for people: a line for each kind, or one when there
// is nothing to say.
func (r Report) String() string {
	var b strings.Builder
	would := ""
	if r.DryRun {
		would = " (dry run: nothing was done)"
	}
	switch {
	case r.Busy:
		return "another reconcile runs\n"
	case r.Found() == 0 && len(r.Missing) == 0:
		return "nothing stands still\n"
	}
	for _, m := range r.Missing {
		fmt.Fprintf(&b, "%s\n", m)
	}
	for _, c := range r.Counts {
		if c.Found == 0 {
			continue
		}
		fmt.Fprintf(&b, "%-16s %6d found", c.What, c.Found)
		for _, n := range []struct {
			count int
			what  string
		}{{c.Redriven, "published again"}, {c.GivenUp, "given up"}, {c.Deleted, "deleted"}, {c.Reset, "reset"}, {c.Repaired, "repaired"}} {
			if n.count > 0 {
				fmt.Fprintf(&b, ", %d %s", n.count, n.what)
			}
		}
		fmt.Fprintf(&b, "%s\n", would)
	}
	return b.String()
}
