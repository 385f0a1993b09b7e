package modified

import (
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 1, day, 1, 2, 3, 456, time.FixedZone("", 3600)) }
	header := "Wed, 21 Oct 2015 07:28:00 GMT"
	page := []byte(`<META NAME="DCTERMS.Modified" content=" 2024-05-06 "><meta property=article:modified_time content="2023-01-02T03:04:05+01:00">`)
	for _, c := range []struct {
		name   string
		in     Input
		want   string
		origin string
	}{
		{"the header first", Input{Header: header, HTML: page, Given: at(1), Requested: at(3)}, "2015-10-21T07:28:00Z", FromHeader},
		{"the crawler's header", Input{HTML: page, Given: at(1), GivenOrigin: FromHeader}, "2026-01-01T00:02:03Z", FromHeader},
		{"then the page", Input{Header: "yesterday", HTML: page, Given: at(1)}, "2023-01-02T02:04:05Z", FromMeta},
		{"a PDF's own date", Input{PDF: [][]byte{[]byte("trailer"), []byte("/ModDate (D:20240506070809+02'00')")}, Given: at(1)}, "2024-05-06T05:08:09Z", FromPDF},
		{"then the file", Input{Given: at(1), Retrieved: at(2)}, "2026-01-01T00:02:03Z", FromFile},
		{"where it is from", Input{Given: at(1), GivenOrigin: "sitemap"}, "2026-01-01T00:02:03Z", "sitemap"},
		{"then the retrieval", Input{Retrieved: at(2), Requested: at(3)}, "2026-01-02T00:02:03Z", FromRetrieved},
		{"then the request", Input{Requested: at(3)}, "2026-01-03T00:02:03Z", FromRequest},
		{"no epoch", Input{Header: "Thu, 01 Jan 1970 00:00:00 GMT", Given: time.Unix(0, 0), Requested: at(3)}, "2026-01-03T00:02:03Z", FromRequest},
	} {
		got, origin := Find(c.in)
		if got.Format(time.RFC3339Nano) != c.want || origin != c.origin {
			t.Errorf("%s: %s from %s", c.name, got.Format(time.RFC3339Nano), origin)
		}
	}
}

func TestFromMetaTags(t *testing.T) {
	for page, want := range map[string]string{
		`<meta http-equiv="Last-Modified" content="Wed, 21 Oct 2015 07:28:00 GMT">`:                             "2015-10-21T07:28:00Z",
		`<meta name="last-modified" content="2024-01-02 03:04:05">`:                                             "2024-01-02T03:04:05Z",
		`<meta name="dcterms.modified" content="2024-01-02T03:04:05-0300">`:                                     "2024-01-02T06:04:05Z",
		`<meta name="last-modified" content="never"><meta name="last-modified" content="2024-01-02">`:           "2024-01-02T00:00:00Z",
		`<script>'<meta name="last-modified" content="2024-01-02">'</script>`:                                   "",
		`<!-- <meta name="last-modified" content="2024-01-02"> -->`:                                             "",
		`<meta name="last-modified" content="0001-01-01T00:00:00">`:                                             "",
		`<meta name="author" content="2024-01-02"><meta content="2024-01-02"><meta name="last-modified"><meta>`: "",
		`<meta name="last-modified" content="2024-01-`:                                                          "",
	} {
		got, ok := readMetaTags([]byte(page))
		if ok != (want != "") || ok && got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%s: %s %v", page, got, ok)
		}
	}
}

func FuzzFromMetaTags(f *testing.F) {
	f.Add([]byte(`<meta name="last-modified" content="2024-01-02">`))
	f.Add([]byte("<meta property=\"article:modified_time\" content='2023-01-02T03:04:05+01:00'/><title>\x00"))
	f.Fuzz(func(t *testing.T, page []byte) {
		if got, ok := readMetaTags(page); ok && !plausible(got) {
			t.Errorf("%s", got)
		}
	})
}

func TestFromPDFBytes(t *testing.T) {
	for piece, want := range map[string]string{
		"<< /ModDate(D:20240506070809Z) >>":                                 "2024-05-06T07:08:09Z",
		"<< /ModDate (D:20240506070809Z00'00') >>":                          "2024-05-06T07:08:09Z",
		"/ModDate (D:20240506) then /ModDate (D:20250607)":                  "2025-06-07T00:00:00Z", // the later one was written later
		"/ModDate (D:2024) /CreationDate (D:20200101)":                      "2024-01-01T00:00:00Z",
		"/ModDate (D:20240506070809-03'30')":                                "2024-05-06T10:38:09Z",
		"/ModDate (D:20240506070809-0330)":                                  "2024-05-06T10:38:09Z",
		"<xmp:ModifyDate>2024-05-06T07:08:09+02:00</xmp:ModifyDate>":        "2024-05-06T05:08:09Z",
		`<rdf:Description xmp:ModifyDate="2024-05-06T07:08:09Z"/>`:          "2024-05-06T07:08:09Z",
		"/ModDate (D:20241306) <xmp:ModifyDate>2024-05-06</xmp:ModifyDate>": "2024-05-06T00:00:00Z", // no such month
		"/ModDate (D:20240230)":                                             "",
		"/ModDate (D:19700101000000Z)":                                      "",
		"/ModDate <FEFF0044003A>":                                           "",
		"/ModDate (\x8f\x01D:20240506)":                                     "", // encrypted
		"/CreationDate (D:20240506)":                                        "",
		"":                                                                  "",
	} {
		got, ok := readPDFBytes([]byte(piece))
		if ok != (want != "") || ok && got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%s: %s %v", piece, got, ok)
		}
	}
}

func FuzzFromPDFBytes(f *testing.F) {
	f.Add([]byte("/ModDate (D:20240506070809+02'00')"))
	f.Add([]byte("<xmp:ModifyDate>2024-05-06T07:08:09+02:00</xmp:ModifyDate>"))
	f.Fuzz(func(t *testing.T, piece []byte) {
		if got, ok := readPDFBytes(piece); ok && !plausible(got) {
			t.Errorf("%s", got)
		}
	})
}
