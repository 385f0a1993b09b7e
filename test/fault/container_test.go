package fault

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/programs"
)

// containerMembers is how many members each container has.
const containerMembers = 150

// manyPages is a ZIP file of pages.
func manyPages(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for n := range containerMembers {
		member, err := w.Create(fmt.Sprintf("folder/page-%d.html", n))
		if err == nil {
			_, err = member.Write(page(4000+n%140, 0)) // some of them are equal
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAContainerUnderBlackouts: every process is killed at once while containers are
// unpacked. What is left is what a run without faults leaves.
func TestAContainerUnderBlackouts(t *testing.T) {
	if asked.form < wide {
		t.Skip("in the wide form")
	}
	programs.NeedServers(t)
	r := startRig(t)
	var site bytes.Buffer
	for n := range containerMembers / 3 { // of three records each
		site.Write(webArchive(4500 + n))
	}
	run := func(number int, kill bool) (dump string) {
		t.Run(fmt.Sprintf("kill %v", kill), func(t *testing.T) {
			r.begin(t, number)
			r.startServices()
			r.send(&item{kind: kindMembers, request: inline("zip", "many.zip", manyPages(t), 10)},
				&item{kind: kindMembers, request: inline("warc", "many.warc", site.Bytes(), 10)})
			random := rand.New(rand.NewPCG(asked.seed, 25))
			for _, at := range []int{20, 110} {
				if !kill {
					break
				}
				r.await(devtest.Patience, fmt.Sprintf("%d requests are decided", at), func() bool {
					return len(r.strings(`SELECT 'x' FROM captures WHERE outcome IS NOT NULL`)) >= at
				})
				if len(r.strings(`SELECT 'x' FROM captures WHERE request_id IN ('zip', 'warc') AND outcome IS NULL`)) == 0 {
					t.Error("the blackout comes when all is unpacked")
				}
				r.blackout(random)
			}
			r.mustBeQuiet(&row{})
			if n := len(r.strings(`SELECT 'x' FROM captures WHERE outcome = 'stored'`)); n < containerMembers {
				t.Errorf("%d captures are stored", n)
			}
			dump = r.dump()
		})
		return dump
	}
	want, got := run(960, false), run(961, true)
	if missing, extra := compare(want, got); len(missing)+len(extra) > 0 {
		t.Errorf("%d lines are missing: %.1000s\n%d are too many: %.1000s", len(missing), missing, len(extra), extra)
	}
}
