package warc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
)

// readings counts what is read of an archive, in bytes.
type readings struct {
	io.ReaderAt
	bytes int
}

func (r *readings) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, at)
	r.bytes += n
	return n, err
}

// walked returns the members of an archive as "URL: bytes" or "URL: error".
func walked(t testing.TB, data []byte) (members []string, rest container.Rest, read int) {
	t.Helper()
	file := &readings{ReaderAt: strings.NewReader(string(data))}
	limits := container.Limits{Entries: 100_000, Total: 64 << 20, Member: 1 << 20}
	rest, err := container.Kinds{Kind()}.Each(t.Context(), container.File{ReaderAt: file, Size: int64(len(data)), Type: model.TypeWARC}, limits,
		func(m container.Member) error {
			members = append(members, m.Record.URL+": "+contentOf(m))
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return members, rest, file.bytes
}

func contentOf(m container.Member) string {
	r, err := m.Open()
	if err != nil {
		return err.Error()
	}
	body, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return err.Error()
	}
	return string(body)
}

// dated is a record of a URL at a time of its own.
func dated(kind, id, url, date, block string, more ...string) string {
	return strings.Replace(record(kind, id, url, block, more...), "WARC-Date: 2026-03-01T10:00:00Z", "WARC-Date: "+date, 1)
}

func TestRevisitsHaveThePayloadThatTheyReferTo(t *testing.T) {
	const http = "Content-Type: application/http"
	first, second := "2026-01-01T00:00:00Z", "2026-02-02T00:00:00Z"
	elsewhere := container.ErrElsewhere.Error()
	byDate := func(url, date string) []string {
		return []string{http, "WARC-Refers-To-Target-URI: " + url, "WARC-Refers-To-Date: " + date}
	}
	for name, c := range map[string]struct {
		records []string
		want    []string
	}{
		"of a record before it": {
			[]string{dated("response", "1", "http://a/", first, page("Un."), http), dated("revisit", "2", "http://b/", second, "", http, "WARC-Refers-To: <urn:uuid:1>")},
			[]string{"http://a/: Un.", "http://b/: Un."},
		},
		"of a record behind it": {
			[]string{dated("revisit", "2", "http://b/", second, "", http, "WARC-Refers-To: <urn:uuid:1>"), dated("response", "1", "http://a/", first, page("Un."), http)},
			[]string{"http://b/: Un.", "http://a/: Un."},
		},
		"by address and date": {
			[]string{dated("response", "1", "http://a/", first, page("Un."), http), dated("response", "3", "http://a/", second, page("Deux."), http),
				dated("revisit", "2", "http://b/", second, "", byDate("http://a/", second)...)},
			[]string{"http://a/: Un.", "http://a/: Deux.", "http://b/: Deux."},
		},
		"by address and date, and the request comes first": {
			[]string{dated("request", "0", "http://a/", first, "GET / HTTP/1.1\r\n\r\n", http), dated("response", "1", "http://a/", first, page("Un."), http),
				dated("revisit", "2", "http://b/", second, "", byDate("http://a/", first)...)},
			[]string{"http://a/: Un.", "http://b/: Un."},
		},
		"of the first of two with one name": {
			[]string{dated("response", "1", "http://a/", first, page("Un."), http), dated("revisit", "2", "http://b/", second, "", http, "WARC-Refers-To: <urn:uuid:1>"),
				dated("response", "1", "http://c/", second, page("Deux."), http), dated("revisit", "4", "http://d/", second, "", http, "WARC-Refers-To: <urn:uuid:9>"),
				dated("revisit", "5", "http://e/", second, "", http, "WARC-Refers-To: <urn:uuid:1>")},
			[]string{"http://a/: Un.", "http://b/: Un.", "http://c/: Deux.", "http://d/: " + elsewhere, "http://e/: Un."},
		},
		"of what is not there, of itself, of nothing": {
			[]string{dated("revisit", "2", "http://b/", second, "", http, "WARC-Refers-To: <urn:uuid:1>"),
				dated("revisit", "3", "http://c/", second, "", http, "WARC-Refers-To: <urn:uuid:3>"), dated("revisit", "4", "http://d/", second, "", http)},
			[]string{"http://b/: " + elsewhere, "http://c/: " + elsewhere, "http://d/: " + elsewhere},
		},
		"of what lies behind damage": {
			[]string{dated("revisit", "2", "http://b/", second, "", http, "WARC-Refers-To: <urn:uuid:1>"), "rubbish\r\n",
				dated("response", "1", "http://a/", first, page("Un."), http)},
			[]string{"http://b/: Un.", "http://a/: Un."},
		},
	} {
		for form, data := range map[string][]byte{
			"plain": []byte(strings.Join(c.records, "")), "compressed": zipped(t, c.records...), "as a whole": zipped(t, strings.Join(c.records, "")),
		} {
			if form == "as a whole" && strings.Contains(name, "damage") {
				continue // of such a file the rest is lost
			}
			if got, _, _ := walked(t, data); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s:\n got %q\nwant %q", name, form, got, c.want)
			}
		}
	}
}

// TestAnArchiveIsReadOnce counts the bytes: without revisits, and where these refer to what
// stands before them, an archive is read once and its payloads again; for others twice.
func TestAnArchiveIsReadOnce(t *testing.T) {
	const http, pages, size = "Content-Type: application/http", 50, 40_000
	var plain, before, beyond []string
	noise := rand.NewChaCha8([32]byte{}) // which gzip does not compress
	for i := range pages {
		body := make([]byte, size)
		_, _ = noise.Read(body)
		plain = append(plain, record("response", fmt.Sprint(i), fmt.Sprintf("http://a/%d", i), page(string(body)), http))
	}
	before = append(slices.Clone(plain), record("revisit", "x", "http://b/", "", http, "WARC-Refers-To: <urn:uuid:3>"))
	beyond = append([]string{record("revisit", "x", "http://b/", "", http, "WARC-Refers-To: <urn:uuid:elsewhere>"),
		record("revisit", "y", "http://c/", "", http, "WARC-Refers-To: <urn:uuid:elsewhere too>")}, plain...)
	for name, c := range map[string]struct {
		records []string
		times   float64
	}{"no revisit": {plain, 1}, "of what stands before": {before, 1}, "of another archive": {beyond, 2}} {
		data := zipped(t, c.records...)
		_, _, read := walked(t, data)
		once := float64(len(data)) + float64(len(c.records)*(8<<10)) // the readers read ahead
		if got := float64(read) / once; got > c.times+0.1 || got < c.times/2 {
			t.Errorf("%s: %d bytes of %d are read, %.2f times", name, read, len(data), got)
		}
	}
}

func TestAWalkThatWasEndedIsTakenUpAgain(t *testing.T) {
	data := []byte(record("resource", "1", "http://a/", "Un.") + record("revisit", "2", "http://b/", "", "WARC-Refers-To: <urn:uuid:3>") + record("resource", "3", "http://c/", "Trois."))
	whole, _, _ := walked(t, data)
	file := container.File{ReaderAt: strings.NewReader(string(data)), Size: int64(len(data)), Type: model.TypeWARC}
	limits := container.Limits{Entries: 10, Total: 1 << 20}
	turn := errors.New("its turn is over")
	for end := range whole {
		var first, again []string
		if _, err := (container.Kinds{Kind()}).Each(t.Context(), file, limits, func(m container.Member) error {
			if len(first) == end {
				return turn
			}
			first = append(first, m.Record.URL+": "+contentOf(m))
			return nil
		}); !errors.Is(err, turn) {
			t.Fatal(err)
		}
		if _, err := (container.Kinds{Kind()}).Each(t.Context(), file, limits, func(m container.Member) error {
			if again = append(again, m.Record.URL+": (passed over)"); len(again) > end {
				again[len(again)-1] = m.Record.URL + ": " + contentOf(m)
			}
			return nil
		}); err != nil || !slices.Equal(append(first, again[end:]...), whole) {
			t.Errorf("ended at %d: %q, then %q, %v, want %q", end, first, again, err, whole)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(turn)
	if _, err := (container.Kinds{Kind()}).Each(ctx, file, limits, func(container.Member) error { return nil }); !errors.Is(err, turn) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// TestWhatIsNoDocumentIsCounted has redirects, requests and what a crawler says of itself.
func TestWhatIsNoDocumentIsCounted(t *testing.T) {
	const http = "Content-Type: application/http"
	data := record("warcinfo", "0", "", "software: test") + record("request", "1", "http://a/", "GET / HTTP/1.1\r\n\r\n", http) +
		record("response", "2", "http://a/", "HTTP/1.1 302 Found\r\n\r\n", http) + record("response", "3", "dns:a", "a. 1 IN A 192.0.2.1") +
		record("resource", "4", "metadata://wget/log", "log") + "rubbish\r\n" + record("conversion", "5", "http://a/text", "Un.") +
		record("response", "6", "http://a/broken", "no HTTP", http)
	got, rest, _ := walked(t, []byte(data))
	want := []string{"http://a/text: Un.", `http://a/broken: the HTTP response: its header ends early: unexpected EOF`}
	if !slices.Equal(got, want) || rest.Passed != 5 || rest.Damaged != 1 || !strings.HasPrefix(rest.First, "record at byte ") {
		t.Errorf("%q, %+v", got, rest)
	}
}

// TestAClaimedLengthEndsNoArchive: a record that is no document may claim any length; what
// stands behind it is read, and only what was decompressed counts.
func TestAClaimedLengthEndsNoArchive(t *testing.T) {
	const http = "Content-Type: application/http"
	for _, lying := range []string{
		record("warcinfo", "0", "", "software: test"), record("request", "1", "http://a/", "GET / HTTP/1.1\r\n\r\n", http),
		record("response", "2", "http://a/", "HTTP/1.1 302 Found\r\n\r\n", http), record("response", "3", "dns:a", "a. 1 IN A 192.0.2.1"),
	} {
		at := strings.Index(lying, "Content-Length: ") + len("Content-Length: ")
		end := at + strings.IndexByte(lying[at:], '\r')
		lying = lying[:at] + "99999999999999" + lying[end:]
		want := []string{"http://a/text: Un."}
		for form, data := range map[string][]byte{
			"plain": []byte(lying + record("conversion", "5", "http://a/text", "Un.")), "compressed": zipped(t, lying, record("conversion", "5", "http://a/text", "Un.")),
		} {
			if got, rest, _ := walked(t, data); !slices.Equal(got, want) || rest.Damaged != 1 {
				t.Errorf("%s: %q, %+v of\n%s", form, got, rest, lying)
			}
		}
	}
	// A true length counts, before all of it has come out.
	long := zipped(t, record("request", "1", "http://a/", strings.Repeat("x", 3<<20), http), record("conversion", "5", "http://a/text", "Un."))
	file := &readings{ReaderAt: strings.NewReader(string(long))}
	_, err := container.Kinds{Kind()}.Each(t.Context(), container.File{ReaderAt: file, Size: int64(len(long)), Type: model.TypeWARC}, container.Limits{Entries: 10, Total: 1 << 20},
		func(container.Member) error { return nil })
	if !errors.Is(err, container.ErrLimit) {
		t.Errorf("3 MiB into 1: %v", err)
	}
}

// TestWhatWasReadBeforeTheEndStays has an archive of which too much is damaged behind its
// first records.
func TestWhatWasReadBeforeTheEndStays(t *testing.T) {
	data := record("resource", "1", "http://a/", "Un.") + record("revisit", "2", "http://b/", "", "WARC-Refers-To: <urn:uuid:9>")
	for range maxDamages + 1 {
		data += "WARC/1.0\r\nbroken\r\n\r\n"
	}
	var got []string
	file := container.File{ReaderAt: strings.NewReader(data), Size: int64(len(data)), Type: model.TypeWARC}
	rest, err := container.Kinds{Kind()}.Each(t.Context(), file, container.Limits{Entries: 10, Total: 1 << 20}, func(m container.Member) error {
		got = append(got, m.Record.URL)
		return nil
	})
	if !slices.Equal(got, []string{"http://a/", "http://b/"}) || !errors.Is(err, container.ErrDamaged) || rest.Damaged != maxDamages {
		t.Errorf("%q, %+v, %v", got, rest, err)
	}
}

// TestAFileThatCannotBeReadIsNoDamageOfARevisit: wherever reading fails, also where the
// payload of a revisit is looked for and read, the walk ends with that.
func TestAFileThatCannotBeReadIsNoDamageOfARevisit(t *testing.T) {
	const http = "Content-Type: application/http"
	one, two := record("response", "1", "http://a/", page("Un."), http), record("revisit", "2", "http://b/", "", http, "WARC-Refers-To: <urn:uuid:1>")
	for name, data := range map[string][]byte{"before": zipped(t, one, two), "behind": zipped(t, two, one), "as a whole": zipped(t, two+one)} {
		failures := 0
		for left := 0; ; left++ {
			file := container.File{ReaderAt: &failing{strings.NewReader(string(data)), left}, Size: int64(len(data)), Type: model.TypeWARC}
			var problem error
			rest, err := container.Kinds{Kind()}.Each(t.Context(), file, container.Limits{Entries: 10, Total: 1 << 20}, func(m container.Member) error {
				r, err := m.Open()
				if err == nil {
					_, err = io.Copy(io.Discard, r)
				}
				problem = errors.Join(problem, err)
				return nil
			})
			if err = errors.Join(err, problem); err == nil {
				break
			}
			if failures++; !scratch.Failed(err) || container.Known(err) || rest.Damaged > 0 {
				t.Fatalf("%s, read %d: %v, %+v", name, left, err, rest)
			}
		}
		if failures == 0 {
			t.Errorf("%s: no read has failed", name)
		}
	}
}

func FuzzWalk(f *testing.F) {
	const http = "Content-Type: application/http"
	one, two := record("response", "1", "http://a/", page("Un."), http), record("revisit", "2", "http://b/", "", http, "WARC-Refers-To: <urn:uuid:1>")
	f.Add([]byte(one + two))
	f.Add([]byte(two + one))
	f.Add(zipped(f, one, two))
	f.Add(zipped(f, two+one))
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := container.Limits{Entries: 50, Total: 1 << 20}
		walk := func() []string {
			var members []string
			seen := make(map[string]bool)
			limits.Spent = new(container.Spent)
			file := container.File{ReaderAt: strings.NewReader(string(data)), Size: int64(len(data)), Type: model.TypeWARC}
			_, err := container.Kinds{Kind()}.Each(t.Context(), file, limits, func(m container.Member) error {
				if seen[m.Path] {
					t.Fatalf("%s comes twice", m.Path)
				}
				seen[m.Path] = true
				members = append(members, m.Path+" "+contentOf(m))
				return nil
			})
			if err != nil && !container.Known(err) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return append(members, fmt.Sprint(err))
		}
		if first, second := walk(), walk(); !slices.Equal(first, second) || len(first) > limits.Entries+1 {
			t.Fatalf("%q, then %q", first, second)
		}
	})
}
