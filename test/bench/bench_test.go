package bench

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

func TestDocumentsAreEqualEveryTime(t *testing.T) {
	one, again, other := PDF(3, 12), PDF(3, 12), PDF(4, 12)
	if !bytes.Equal(one, again) || bytes.Equal(one, other) {
		t.Error("a PDF is not a function of its seed")
	}
	if n := bytes.Count(one, []byte("/Type/Page/")); n != 12 {
		t.Errorf("%d pages", n)
	}
	page := HTML(5)
	if !bytes.Equal(page, HTML(5)) || len(page) < 19<<10 || len(page) > 24<<10 {
		t.Errorf("HTML of %d bytes", len(page))
	}
}

func TestStat(t *testing.T) {
	p, err := parseStat([]byte("42 (a) b ) S 7 42 42 0 -1 4194304 1 2 3 4 150 50 20 10 20 0 1 0 99"))
	if err != nil {
		t.Fatal(err)
	}
	want := proc{pid: 42, parent: 7, name: "a) b ", own: 2 * time.Second, reaped: 300 * time.Millisecond}
	if p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
	for _, bad := range []string{"", "42 (x", "42 (x) S", "42 (x) S a 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"} {
		if _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q is no stat", bad)
		}
	}
	if got := parseMemory([]byte("Name:\tx\nVmHWM:\t  2048 kB\nVmRSS:\t 1 kB\n"), "VmHWM:"); got != 2<<20 {
		t.Errorf("peak %d", got)
	}
}

func TestOwnProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc")
	}
	u, ok := usage(os.Getpid(), "self")["self"]
	if !ok || u.Peak <= 0 {
		t.Errorf("usage of this process: %+v", u)
	}
}

func TestPercentile(t *testing.T) {
	var all []time.Duration
	for i := range 200 {
		all = append(all, time.Duration(200-i))
	}
	for p, want := range map[int]time.Duration{50: 100, 99: 198, 100: 200} {
		if got := percentile(all, p); got != want {
			t.Errorf("p%d is %d, want %d", p, got, want)
		}
	}
	if got := median([]float64{3, 1, 2}); got != 2 {
		t.Errorf("median %g", got)
	}
}

func TestReportIsWrittenWithoutPoppler(t *testing.T) {
	r := Report{
		Machine: "m", Pages: 10, Rates: []float64{5}, Rate: 5, Parts: map[string]Usage{"new part": {CPU: time.Second, Peak: 3 << 20}},
		Extraction: Extraction{Pages: 10, Extract: time.Second},
		OCR:        OCR{Pages: 8, Rate: 1, CPU: 8 * time.Second, Strips: 500, Early: 100 << 20, Late: 105 << 20},
		Entities:   Entities{Pages: 10, CPU: 1500 * time.Microsecond, Found: 7},
		Search:     Search{Chunks: 100_000, Questions: 500, FirstP99: 25 * time.Millisecond, Boxes: 5000, CPU: 5 * time.Second, Crowd: 500, Answered: 490, Shed: 10},
		Growth:     []Growth{{Pages: 10, Took: time.Second, Work: Work{Transactions: 20}}},
	}
	var out strings.Builder
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"new part", "poppler-utils", "100.00 ms", "2.00", "1000.00 ms CPU a page", "105 MiB", "+5 %", "p99 25.0 ms; 10.00 ms of CPU time; ten hits with 10 boxes", "490 answered",
		"1.50 ms a page", "7 entities"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the report:\n%s", want, out.String())
		}
	}
}

func TestMadeDocuments(t *testing.T) {
	whole := make([]byte, 100)
	if n, err := (made{3, 100}).ReadAt(whole, 0); n != 100 || err != nil {
		t.Fatal(n, err)
	}
	for at := range int64(100) {
		piece := make([]byte, 7)
		n, err := (made{3, 100}).ReadAt(piece, at)
		if !bytes.Equal(piece[:n], whole[at:at+int64(n)]) || (n < 7) != (err == io.EOF) {
			t.Errorf("at %d: %x, %v", at, piece[:n], err)
		}
	}
	other := make([]byte, 100)
	if _, err := (made{4, 100}).ReadAt(other, 0); err != nil || bytes.Equal(other, whole) {
		t.Error("two seeds give one document")
	}
}

// TestServerTimingIsRead reads the header as the gateway writes it, and refuses others.
func TestServerTimingIsRead(t *testing.T) {
	got, err := parseTiming("embedding;dur=0.040, vectors;dur=2.500, boxes;dur=0.000")
	if err != nil || len(got) != 3 || got["embedding"] != 40*time.Microsecond || got["vectors"] != 2500*time.Microsecond {
		t.Errorf("%v, %v", got, err)
	}
	for _, wrong := range []string{"", "vectors", "vectors;dur=", "vectors;dur=x"} {
		if got, err := parseTiming(wrong); err == nil {
			t.Errorf("%q is read as %v", wrong, got)
		}
	}
	all := []asked{{took: 3, stages: got}, {took: 1, stages: got}, {took: 2, stages: map[string]time.Duration{"vectors": time.Millisecond}}}
	if s := stages(all); len(s) != 3 || s[2] != (Stage{"vectors", 2500 * time.Microsecond, 2500 * time.Microsecond}) || tookAt(all, 50) != 2 {
		t.Errorf("%+v, %v", s, tookAt(all, 50))
	}
}

// TestEntitiesAreMeasured: the rules find something on the page that is measured.
func TestEntitiesAreMeasured(t *testing.T) {
	x, err := Options{Rounds: 1, Progress: t.Logf}.entities(t.Context())
	if err != nil || x.Found < 8 || x.CPU <= 0 {
		t.Errorf("%+v, %v", x, err)
	}
}
