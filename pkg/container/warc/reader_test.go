package warc

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/container"
)

// record returns one record of an archive.
func record(kind, id, target, block string, more ...string) string {
	fields := append([]string{
		"WARC-Type: " + kind, "WARC-Record-ID: <urn:uuid:" + id + ">", "WARC-Target-URI: " + target,
		"WARC-Date: 2026-03-01T10:00:00Z",
	}, more...)
	return "WARC/1.0\r\n" + strings.Join(fields, "\r\n") + fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
}

func page(body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=b\r\n\r\n" + body
}

// zipped compresses each text as a gzip member of its own.
func zipped(t testing.TB, texts ...string) []byte {
	var b bytes.Buffer
	for _, text := range texts {
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// all reads an archive to its end: its records as "type id place: block", and
// its damages.
func all(t testing.TB, data []byte) (records, damages []string) {
	r, err := NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for {
		rec, err := r.Next()
		var damage *recordDamage
		switch {
		case errors.Is(err, io.EOF):
			return records, damages
		case errors.As(err, &damage):
			damages = append(damages, err.Error())
			continue
		case err != nil:
			t.Fatal(err)
		}
		block, err := io.ReadAll(rec.Block)
		if err != nil {
			damages = append(damages, err.Error())
			continue
		}
		records = append(records, fmt.Sprintf("%s %s %s: %s", rec.Type(), rec.ID(), rec.Place, block))
	}
}

func TestRecords(t *testing.T) {
	one, two, three := record("warcinfo", "1", "", "software: x\r\n"), record("response", "2", "http://a.test/", page("hello")), record("metadata", "3", "<http://a.test/>", "")
	want := func(offsets ...int) []string {
		return []string{
			fmt.Sprintf("warcinfo urn:uuid:1 %d: software: x\r\n", offsets[0]),
			fmt.Sprintf("response urn:uuid:2 %d: %s", offsets[1], page("hello")),
			fmt.Sprintf("metadata urn:uuid:3 %d: ", offsets[2]),
		}
	}
	plain := []byte(one + two + three)
	z1, z2 := len(zipped(t, one)), len(zipped(t, one, two))
	for name, c := range map[string]struct {
		data []byte
		want []string
	}{
		"plain":               {plain, want(0, len(one), len(one)+len(two))},
		"gzip by the record":  {zipped(t, one, two, three), want(0, z1, z2)},
		"without a last end":  {bytes.TrimSuffix(plain, []byte("\r\n\r\n")), want(0, len(one), len(one)+len(two))},
		"bare line feeds":     {bytes.ReplaceAll(plain, []byte("\r\n\r\nWARC"), []byte("\n\nWARC")), want(0, len(one)-2, len(one)+len(two)-4)},
		"too many line ends":  {bytes.ReplaceAll(plain, []byte("\r\n\r\nWARC"), []byte("\r\n\r\n\r\n\r\nWARC")), want(0, len(one)+4, len(one)+len(two)+8)},
		"an empty member too": {append(zipped(t, one, ""), zipped(t, two, three)...), want(0, len(zipped(t, one, "")), len(zipped(t, one, "", two)))},
	} {
		records, damages := all(t, c.data)
		if fmt.Sprint(records) != fmt.Sprint(c.want) || len(damages) > 0 {
			t.Errorf("%s:\n got %q, damages %q\nwant %q", name, records, damages, c.want)
		}
	}
}

func TestSeveralRecordsInOneMember(t *testing.T) {
	one, two := record("response", "1", "http://a.test/", page("a")), record("response", "2", "http://b.test/", page("b"))
	records, damages := all(t, zipped(t, one+two))
	want := []string{"response urn:uuid:1 0: " + page("a"), fmt.Sprintf("response urn:uuid:2 0+%d: %s", len(one), page("b"))}
	if fmt.Sprint(records) != fmt.Sprint(want) || len(damages) > 0 {
		t.Errorf("got %q, damages %q, want %q", records, damages, want)
	}
}

func TestDamage(t *testing.T) {
	good, last := record("response", "1", "http://a.test/", page("first")), record("response", "9", "http://z.test/", page("last"))
	lying := strings.Replace(record("response", "2", "http://b.test/", page("b")), "Content-Length: ", "Content-Length: 9", 1)
	short := strings.Replace(record("response", "2", "http://b.test/", page("body")), "Content-Length: ", "Content-Length: -", 1)
	torn := zipped(t, record("response", "2", "http://b.test/", page(strings.Repeat("body", 99))))
	flipped := bytes.Clone(torn)
	flipped[len(flipped)/2] ^= 0xff
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"a length that is too large":    {[]byte(good + lying + last), "claims"},
		"a length that is negative":     {[]byte(good + short + last), "Content-Length"},
		"a length that is too small":    {[]byte(good + strings.Replace(record("response", "2", "http://b.test/", page("0123456789")), "Content-Length: 7", "Content-Length: 2", 1) + last), "do not end"},
		"rubbish between records":       {[]byte(good + "rubbish\nWARC stands here\n" + last), "neither"},
		"no type":                       {[]byte(good + "WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n" + last), "no WARC-Type"},
		"an endless header":             {[]byte(good + "WARC/1.0\r\n" + strings.Repeat("X: y\r\n", 70000) + "\r\n" + last), "header has more"},
		"a gzip member that is torn":    {append(append(zipped(t, good), torn[:len(torn)/2]...), zipped(t, last)...), ""},
		"a gzip member that is flipped": {append(append(zipped(t, good), flipped...), zipped(t, last)...), ""},
	} {
		records, damages := all(t, c.data)
		if len(records) < 2 || !strings.HasSuffix(records[0], "first") || !strings.HasSuffix(records[len(records)-1], "last") {
			t.Errorf("%s: got %q", name, records)
		}
		if len(damages) == 0 || !strings.Contains(damages[0], c.says) {
			t.Errorf("%s: damages %q, want one with %q", name, damages, c.says)
		}
	}
}

func TestHostileArchivesEnd(t *testing.T) {
	bomb := zipped(t, record("response", "1", "http://a.test/", strings.Repeat("0", 32<<20)))
	if _, damages := all(t, bomb); len(damages) == 0 || !strings.Contains(damages[0], container.ErrBomb.Error()) {
		t.Errorf("a bomb: %q", damages)
	}
	for name, data := range map[string][]byte{
		"only line ends":    append([]byte("WARC/"), bytes.Repeat([]byte("\r\n"), 1<<20)...),
		"empty members":     bytes.Repeat(zipped(t, ""), 20000),
		"gzip's magic":      bytes.Repeat([]byte{0x1f, 0x8b, 0x08}, 1<<18),
		"versions all over": bytes.Repeat([]byte("WARC/1.0\n"), 1<<17),
	} {
		r, err := NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(name, err)
		}
		steps := 0
		for ; ; steps++ {
			_, err := r.Next()
			var damage *recordDamage
			if err != nil && !errors.As(err, &damage) {
				if !errors.Is(err, io.EOF) && !errors.Is(err, ErrDamaged) {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
		}
		if steps > maxDamages {
			t.Errorf("%s: %d steps", name, steps)
		}
	}
	if _, err := NewReader(strings.NewReader("no archive"), 10); !errors.Is(err, ErrNoArchive) {
		t.Errorf("no archive: %v", err)
	}
}

func TestReadResponse(t *testing.T) {
	for name, c := range map[string]struct {
		block, want string
	}{
		"plain":             {page("body"), "200 text/html body"},
		"chunked":           {"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", "200 a/b body"},
		"chunked in name":   {"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n<p>not a size</p>", "200 a/b <p>not a size</p>"},
		"bare line feeds":   {"HTTP/1.0 404 Not Found\nContent-Type: a/b\n\ngone", "404 a/b gone"},
		"no reason":         {"HTTP/1.1 204\r\nContent-Type: a/b\r\n\r\n", "204 a/b "},
		"a bad header line": {"HTTP/1.1 200 OK\r\nthis is none\r\nContent-Type: a/b\r\n\r\nx", "200 a/b x"},
		"an interim answer": {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + page("body"), "200 text/html body"},
		"nothing but one":   {"HTTP/1.1 100 Continue\r\nContent-Type: a/b\r\n\r\nHTML", "100 a/b HTML"},
		"headers only":      {"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n", "200 a/b "},
	} {
		r, err := readResponse(strings.NewReader(c.block))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		body, err := io.ReadAll(r.Body)
		if got := fmt.Sprintf("%d %s %s", r.Status, r.Header.Get("Content-Type"), body); got != c.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
	}
	if _, err := readResponse(strings.NewReader("GET / HTTP/1.1\r\n\r\n")); err == nil {
		t.Error("a request is no response")
	}
}

func TestWriterRoundTrip(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	fields := Fields{{"WARC-Type", TypeResource}, {"WARC-Record-ID", "<urn:uuid:5>"}, {"WARC-Target-URI", "http://a.test/ä"}, {"WARC-Date", "2026-03-01T10:00:00.5Z"}}
	for range 2 {
		if err := w.Write(fields, strings.NewReader("block"), 5); err != nil {
			t.Fatal(err)
		}
	}
	records, damages := all(t, b.Bytes())
	if len(records) != 2 || len(damages) > 0 || !strings.HasPrefix(records[1], "resource urn:uuid:5 ") || !strings.HasSuffix(records[1], ": block") {
		t.Errorf("got %q, damages %q", records, damages)
	}
	if err := w.Write(Fields{{"A", "b\r\nC: d"}}, strings.NewReader(""), 0); err == nil {
		t.Error("a field may bring its own line ends")
	}
	if err := w.Write(fields, strings.NewReader("bl"), 5); err == nil {
		t.Error("a short block is no error")
	}
	if got, _ := SHA1(strings.NewReader("")); got != "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" {
		t.Errorf("SHA1 of nothing: %s", got)
	}
}

func FuzzReader(f *testing.F) {
	one, two := record("response", "1", "http://a.test/", page("a")), record("revisit", "2", "http://b.test/", "HTTP/1.1 200 OK\r\n")
	f.Add([]byte(one + two))
	f.Add(zipped(f, one, two))
	f.Add(zipped(f, one+two)[:90])
	f.Add(zipped(f, one+two, "junk", two))
	f.Add([]byte(one + "junk\r\n" + two + "\n\n" + one[:40]))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		seen := map[Place]bool{}
		for {
			rec, err := r.Next()
			var damage *recordDamage
			if err != nil {
				if errors.As(err, &damage) {
					continue
				}
				return
			}
			if seen[rec.Place] || rec.Place.Offset < 0 || rec.Place.Offset >= int64(len(data)) {
				t.Fatalf("a record at %s, again or outside of %d bytes", rec.Place, len(data))
			}
			seen[rec.Place] = true
			block, err := io.ReadAll(rec.Block)
			if alone, errAt := readRecordAt(bytes.NewReader(data), int64(len(data)), rec.Place); errAt != nil {
				t.Fatalf("the record at %s cannot be read alone: %v", rec.Place, errAt)
			} else if again, errAgain := io.ReadAll(alone.Block); !bytes.Equal(block, again) || (err == nil) != (errAgain == nil) || !reflect.DeepEqual(rec.Fields, alone.Fields) {
				t.Fatalf("the record at %s is another alone: %q, %v, and %q, %v", rec.Place, block, err, again, errAgain)
			}
			if rec.hasResponse() {
				if response, err := readResponse(bytes.NewReader(block)); err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
				}
			}
		}
	})
}
