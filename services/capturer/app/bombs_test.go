package app

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// bombLimit is what a document of the source of bombs may have, in bytes.
const bombLimit = 1 << 20

func gzipOf(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// deep is a ZIP within a ZIP, depth times, around a text.
func deep(t *testing.T, depth int) []byte {
	data := []byte("Au fond.")
	for range depth {
		data = zipOf(t, entry{"inner.zip", string(data)})
	}
	return data
}

// times is a ZIP of n equal members.
func times(t *testing.T, n int, name string, data []byte) []byte {
	entries := make([]entry, n)
	for i := range entries {
		entries[i] = entry{fmt.Sprintf("%d-%s", i, name), string(data)}
	}
	return zipOf(t, entries...)
}

// repeated gives a ZIP of one member a directory that names it n times.
func repeated(data []byte, n int) []byte {
	directory, end := bytes.Index(data, []byte("PK\x01\x02")), bytes.Index(data, []byte("PK\x05\x06"))
	var b bytes.Buffer
	b.Write(data[:directory])
	b.Write(bytes.Repeat(data[directory:end], n))
	tail := bytes.Clone(data[end:])
	binary.LittleEndian.PutUint16(tail[8:], uint16(n))  //nolint:gosec // what does not fit is cut, as in real ones
	binary.LittleEndian.PutUint16(tail[10:], uint16(n)) //nolint:gosec // as above
	binary.LittleEndian.PutUint32(tail[12:], uint32((end-directory)*n))
	b.Write(tail)
	return b.Bytes()
}

// quoting is a ZIP whose first member reaches over the second.
func quoting(t *testing.T) []byte {
	data := zipOf(t, entry{"a", strings.Repeat("a", 1000)}, entry{"b", strings.Repeat("b", 1000)})
	first := bytes.Index(data, []byte("PK\x01\x02"))
	size := binary.LittleEndian.Uint32(data[first+20:])
	binary.LittleEndian.PutUint32(data[first+20:], size+60)
	return data
}

// tarHeader is a header of a tar with the fields that are given, and its
// checksum.
func tarHeader(kind byte, size string, more map[int]string) []byte {
	h := make([]byte, 512)
	copy(h, "data.txt")
	copy(h[100:], "0000644\x00")
	copy(h[124:], size)
	copy(h[136:], "00000000000\x00")
	copy(h[148:], "        ")
	h[156] = kind
	copy(h[257:], "ustar  \x00")
	for at, field := range more {
		copy(h[at:], field)
	}
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return h
}

// binarySize is a number of a tar in its binary form.
func binarySize(n uint64) string {
	b := make([]byte, 12)
	binary.BigEndian.PutUint64(b[4:], n)
	b[0] = 0x80
	if int64(n) < 0 { //nolint:gosec // that is what is asked
		b[0], b[1], b[2], b[3] = 0xff, 0xff, 0xff, 0xff
	}
	return string(b)
}

// bomb is a container that asks for more than it may have.
type bomb struct {
	name   string
	data   []byte
	warc   bool
	limit  int64          // of a document, in bytes; 0: bombLimit
	reason fault.Reason   // of the container; "" when it is read to its end
	want   map[string]int // its members by what became of them; "" any
}

func bombs(t *testing.T) []bomb {
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	var tarred bytes.Buffer
	w := tar.NewWriter(&tarred)
	if err := w.WriteHeader(&tar.Header{Name: "zeros", Size: 64 << 20, Mode: 0o600, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(w, strings.NewReader(zeros(64<<20)), 64<<20); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sparse := tarHeader('S', "00000001000\x00", map[int]string{386: "00000000000\x00", 398: "00000001000\x00", 410: binarySize(1 << 40), 422: "00000000000\x00", 483: binarySize(1 << 40)})
	block := strings.Repeat("x", 512)
	limit := string(fault.LimitExceeded)
	lying := func(length, block string) string {
		return "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: https://example.org/" + length + "\r\nWARC-Date: 2026-03-01T10:00:00Z\r\nContent-Length: " +
			length + "\r\n\r\n" + block + "\r\n\r\n"
	}
	good := lying("4", "Bon.")
	record := lying(fmt.Sprint(900<<10), zeros(900<<10))
	return []bomb{
		{"zip: 64 MB of zeros", zipOf(t, entry{"zeros", zeros(64 << 20)}, entry{"b.txt", "Bon."}), false, 0, "", map[string]int{"failed": 1, "stored": 1}},
		{"zip: 200 members of 900 KB", times(t, 200, "zeros", []byte(zeros(900<<10))), false, 0, fault.LimitExceeded, nil},
		{"zip: 20 levels within each other", deep(t, 20), false, 0, "", map[string]int{"failed": 1}},
		{"zip: 10 x 10 x 10 x 900 KB", times(t, 10, "z.zip", times(t, 10, "z.zip", times(t, 10, "zeros", []byte(zeros(900<<10))))), false, 0, fault.LimitExceeded, nil},
		{"zip: one member named 1,000 times", repeated(zipOf(t, entry{"zeros", zeros(900 << 10)}), 1000), false, 0, fault.LimitExceeded, map[string]int{}},
		{"zip: a member that reaches over the next", quoting(t), false, 0, fault.LimitExceeded, map[string]int{}},
		{"zip: a directory of 150,000 entries", repeated(zipOf(t, entry{"d", ""}), 150_000), false, 16 << 20, fault.LimitExceeded, map[string]int{}},
		{"tar: a negative size", tarHeader('0', binarySize(1<<64-512), nil), false, 0, fault.Malformed, map[string]int{}},
		{"tar: a size of 8 EB", append(tarHeader('0', binarySize(1<<63-1), nil), block...), false, 0, fault.Malformed, nil},
		{"tar: a sparse file of 1 TB", append(append(sparse, block...), zeros(1024)...), false, 0, "", map[string]int{limit: 1}},
		{"tar.gz: 64 MB of zeros", gzipOf(t, tarred.Bytes()), false, 0, fault.LimitExceeded, map[string]int{limit: 1}},
		{"gzip: 64 MB of zeros", gzipOf(t, []byte(zeros(64<<20))), false, 0, "", map[string]int{limit: 1}},
		{"gzip within gzip, 20 times", func() []byte {
			data := []byte("Au fond.")
			for range 20 {
				data = gzipOf(t, data)
			}
			return data
		}(), false, 0, "", map[string]int{"failed": 1}},
		{"warc: lengths that lie", []byte(good + lying("99999999999", "x") + lying("-1", "x") + lying("2", "more than two") + good), true, 0, "", map[string]int{"stored": 1, "unchanged": 1}}, // the second is the first again
		{"warc: 200 records of 900 KB", bytes.Repeat(gzipOf(t, []byte(record)), 200), true, 0, fault.LimitExceeded, nil},
		{"warc: 40 records of 4 MB that are no documents", bytes.Repeat(gzipOf(t, []byte(strings.Replace(lying(fmt.Sprint(4<<20), zeros(4<<20)), "resource", "metadata", 1))), 40),
			true, 0, fault.LimitExceeded, map[string]int{}},
		{"warc: 1,100 revisits of names of 60 KB", func() []byte {
			var all []byte
			for i := range 1100 {
				revisit := strings.Replace(lying("0", ""), "resource", fmt.Sprintf("revisit\r\nWARC-Refers-To: <urn:%d%s>", i, zeros(60<<10)), 1)
				all = append(all, gzipOf(t, []byte(revisit))...)
			}
			return all
		}(), true, 0, "", map[string]int{"unchanged": 1100}},
		{"warc: a record of 64 MB of zeros", append(gzipOf(t, []byte(lying(fmt.Sprint(64<<20), zeros(64<<20)))), gzipOf(t, []byte(good))...), true, 0, "", map[string]int{"unchanged": 1}}, // since the archive above
	}
}

// TestBombs hands over containers that are made to hurt. Each ends in one
// outcome, what may be kept of it is kept, and no more than the limits is made
// of it, in bytes, members and memory.
func TestBombs(t *testing.T) {
	b := fresh(t, nil)
	s := model.DefaultSource(source)
	all := bombs(t)
	held := 0
	for i, c := range all {
		s.MaxBytes = cmp.Or(c.limit, bombLimit)
		if err := b.db.PutSource(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		peak := watchHeap(t)
		id := fmt.Sprintf("bomb-%02d", i)
		r := b.put(id, id+".bin", c.data)
		if c.warc {
			r.WARC, r.Object = r.Object, nil
		}
		done, _ := b.unpacked(r)
		above := peak() - before.HeapAlloc
		d := done[id]
		ok := d.SnapshotID != "" && d.Reason == string(c.reason) && above < 64<<20
		got := make(map[string]int)
		for other, m := range done {
			if strings.HasPrefix(other, id+"!/") || strings.HasPrefix(other, id+"@") {
				got[string(m.Outcome)]++
				got[m.Reason]++
			}
		}
		for outcome, n := range c.want {
			ok = ok && got[outcome] == n
		}
		if c.want != nil && len(c.want) == 0 {
			ok = ok && len(done) == 1
		}
		var stored int64
		for other, m := range done {
			if other != id && m.Outcome == event.OutcomeStored {
				stored += b.snapshot(m.SnapshotID).ByteLength
			}
		}
		ok = ok && stored <= 16*s.MaxBytes+10*int64(len(c.data))
		if ok {
			held++
		} else {
			t.Errorf("%s: %+v, members %v, %d bytes of members, %d bytes of memory", c.name, d, got, stored, above)
		}
		t.Logf("%-42s %9d bytes  %4d members  %9d bytes of them stored  %3d MiB of memory  %s", c.name, len(c.data), len(done)-1, stored, above>>20, d.Reason)
	}
	t.Logf("%d archive bombs, limits held by %d", len(all), held)
}

// watchHeap looks at the heap until the function that it returns is called, which
// returns the largest size seen, in bytes.
func watchHeap(t *testing.T) func() uint64 {
	t.Helper()
	var largest atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	look := func() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		largest.Store(max(largest.Load(), m.HeapAlloc))
	}
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				look()
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-stopped
		look()
		return largest.Load()
	}
}
