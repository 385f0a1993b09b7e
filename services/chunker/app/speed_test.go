package app

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// speedPages returns pages of a law: a chapter, four articles with their paragraphs, some
// three thousand characters on each.
func speedPages(n int) []segment.Frame {
	sentence := "The board keeps in good order the gates and the keys of the weirs that it has, and says so in writing. "
	frames := make([]segment.Frame, n)
	for p := range frames {
		f := segment.Frame{Page: model.Page{PageNo: p + 1, Status: model.PageProcessed}}
		add := func(text string) {
			f.Units = append(f.Units, model.Unit{IRID: fmt.Sprintf("ir_%d_%d", p, len(f.Units)), Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: text}})
		}
		add(fmt.Sprintf("CHAPTER %d: OF GATES", p+1))
		for a := range 4 {
			add(fmt.Sprintf("Article %d. %s", 4*p+a+1, strings.Repeat(sentence, 3)))
			for i := range 4 {
				add(fmt.Sprintf("(%d) %s", i+1, sentence))
			}
		}
		frames[p] = f
	}
	return frames
}

// cpuTime is what this process has used so far: other programs do not show in it.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPage is what survey, choice and cut of a page cost, by the chunker that is
// chosen and by the general one alone: go test ./app -bench Page -run XXX
func BenchmarkPage(b *testing.B) {
	frames := speedPages(200)
	for _, general := range []bool{false, true} {
		b.Run(map[bool]string{false: "domains", true: "general"}[general], func(b *testing.B) {
			maker := NewMaker()
			began := cpuTime(b)
			for b.Loop() {
				if m, err := maker.Make(model.Snapshot{}, model.Run{}, frames, general); err != nil || len(m.Chunks) < len(frames) {
					b.Fatal(len(m.Chunks), err)
				}
			}
			b.ReportMetric(float64((cpuTime(b)-began).Microseconds())/1000/float64(b.N*len(frames)), "cpu-ms/page")
		})
	}
}
