package typing

import (
	"archive/tar"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
)

const (
	pdf  = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
	zip  = "PK\x03\x04\x14\x00\x00\x00\x08\x00"
	png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	html = "<!DOCTYPE html><html><body>x</body></html>"
	text = "Ordre du jour\n1. Approbation du procès-verbal\n"
)

// precedence is one document and what it is.
type precedence struct {
	name, head, contentType, filename, url string
	want                                   model.FinalType
	flags                                  []string
}

func precedences() []precedence {
	utf16 := "O\x00r\x00d\x00r\x00e\x00 \x00d\x00u\x00 \x00j\x00o\x00u\x00r\x00"
	tarred := tarOf("a.txt")
	binary := strings.Repeat("\x00\x01\x02\x03\xfe\xff\x10", 20)
	mismatch, weak, junk := FlagMismatch, FlagWeak, FlagJunk
	return []precedence{
		{"pdf by its bytes", pdf, "", "", "", model.TypePDF, nil},
		{"pdf that says html", pdf, "text/html", "", "", model.TypePDF, []string{mismatch}},
		{"pdf in octet-stream", pdf, "application/octet-stream", "x.pdf", "", model.TypePDF, nil},
		{"pdf after white space", "\xef\xbb\xbf\r\n " + pdf, "", "", "", model.TypePDF, nil},
		{"pdf after junk, named so", "HTTP/1.1 200 OK\r\n\r\n" + pdf, "application/pdf", "", "", model.TypePDF, []string{junk}},
		{"pdf after binary junk", "\x01\x02\x03" + pdf, "", "", "", model.TypePDF, []string{junk}},
		{"pdf too late", strings.Repeat("x", 1024) + pdf, "", "", "", model.TypeText, nil},
		{"text about pdf", "Its header is %PDF-1.7, they say.", "text/plain", "a.txt", "", model.TypeText, nil},
		{"html about pdf", html + "%PDF-1.7", "text/html", "", "", model.TypeHTML, nil},
		{"zip", zip, "application/zip", "", "", model.TypeZIP, nil},
		{"zip that says pdf", zip, "", "a.pdf", "", model.TypeZIP, []string{mismatch}},
		{"image", png, "image/png", "", "", model.TypeImage, nil},
		{"image without boxes", "\xff\x4f\xff\x51\x00\x29\x00\x00" + strings.Repeat("\x00\x01", 20), "image/jp2", "a.j2k", "", model.TypeImage, nil},
		{"image in boxes of a new brand", "\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x14ftypjph \x00\x00\x00\x00jph ", "", "a.jph", "", model.TypeImage, nil},
		{"image that says html", png, "", "", "https://x.org/a.html", model.TypeImage, []string{mismatch}},
		{"html", html, "", "", "", model.TypeHTML, nil},
		{"html that says text", html, "text/plain", "", "", model.TypeHTML, []string{mismatch}},
		{"html fragment by header", "Bonjour <b>x</b>", "text/html; charset=utf-8", "", "", model.TypeHTML, nil},
		{"html fragment by extension", "Bonjour <b>x</b>", "", "", "https://x.org/a.htm?q=1.pdf", model.TypeHTML, nil},
		{"extension beats header", "Bonjour", "text/plain", "a.html", "", model.TypeHTML, []string{mismatch}},
		{"name beats url", "Bonjour", "", "a.txt", "https://x.org/a.html", model.TypeText, nil},
		{"what a program makes is what the header says", "Bonjour", "text/csv", "", "https://x.org/get.php", model.TypeText, nil},
		{"text", text, "", "", "", model.TypeText, nil},
		{"text that says pdf", text, "application/pdf", "a.pdf", "", model.TypeText, []string{mismatch}},
		{"latin-1 text", "proc\xe8s-verbal \xe0 la s\xe9ance", "text/plain", "", "", model.TypeText, nil},
		{"utf-16 text without a mark", utf16, "", "a.txt", "", model.TypeText, nil},
		{"utf-16 text with a mark", "\xff\xfe" + utf16, "", "", "", model.TypeText, nil},
		{"utf-16 html", "\xff\xfe<\x00h\x00t\x00m\x00l\x00", "text/html", "", "", model.TypeHTML, nil},
		{"json", `{"a": [1, 2]}`, "application/json", "", "", model.TypeText, nil},
		{"rtf", `{\rtf1\ansi x}`, "", "", "", model.TypeUnknown, nil},
		{"feed", `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title></channel></rss>`, "application/rss+xml", "", "", model.TypeText, nil},
		{"feed by its name", "not a feed, and yet", "", "", "https://example.org/a.atom", model.TypeText, nil},
		{"arc", "filedesc://a.arc 0.0.0.0 20260301000000 text/plain 76\n1 0 X\n", "", "", "", model.TypeUnknown, nil},
		{"svg", `<svg xmlns="http://www.w3.org/2000/svg"></svg>`, "image/svg+xml", "", "", model.TypeUnknown, nil},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x03\x00", "application/gzip", "a.html.gz", "", model.TypeZIP, nil},
		{"tar", tarred, "application/x-tar", "a.tar", "", model.TypeZIP, nil},
		{"warc", "WARC/1.1\r\nWARC-Type: response\r\n", "", "", "", model.TypeWARC, nil},
		{"binary", binary, "", "", "", model.TypeUnknown, nil},
		{"binary that says text", binary, "text/plain", "a.txt", "", model.TypeUnknown, []string{mismatch}},
		{"binary that says pdf", binary, "", "a.pdf", "", model.TypePDF, []string{weak}},
		{"word processor", "PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00\x21\x00" + strings.Repeat("\x00", 12) +
			"\x13\x00\x00\x00[Content_Types].xml" + strings.Repeat("\x00", 40) + "PK\x03\x04" + strings.Repeat("\x00", 22) + "\x11\x00\x00\x00word/document.xml",
			"", "a.docx", "", model.TypeUnknown, nil},
		{"nothing", "", "", "", "", model.TypeUnknown, nil},
		{"nothing, named", "", "text/html", "minutes.pdf", "", model.TypePDF, nil},
		{"nothing, by header", "", "text/html", "", "", model.TypeHTML, nil},
	}
}

// tarOf is the header of a tar file of one member.
func tarOf(name string) string {
	var b strings.Builder
	_ = tar.NewWriter(&b).WriteHeader(&tar.Header{Name: name, Mode: 0o600, Typeflag: tar.TypeReg}) // a builder does not fail
	return b.String()
}

func TestPrecedence(t *testing.T) {
	for _, c := range precedences() {
		got := Builtin().Decide(Input{Head: []byte(c.head), ContentType: c.contentType, Filename: c.filename, URL: c.url})
		if got.FinalType != c.want || !slices.Equal(got.Flags, c.flags) {
			t.Errorf("%s: %s %v, want %s %v (detected %s)", c.name, got.FinalType, got.Flags, c.want, c.flags, got.DetectedMIME)
		}
	}
}

// TestTableIsTrue holds the table of the package's comment and that of the
// documentation against each other, and wants a case for each of their rules.
func TestTableIsTrue(t *testing.T) {
	source, err := os.ReadFile("typing.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "typing.md"))
	if err != nil {
		t.Fatal(err)
	}
	comment := tableOf(string(source), "//\t")
	if documented := tableOf(string(page), "| "); !slices.Equal(comment, documented) {
		t.Errorf("the tables differ:\n%q\n%q", comment, documented)
	}
	cases := map[string][]string{
		"none at all": {"nothing", "nothing, named", "nothing, by header"}, "%PDF- at the start": {"pdf by its bytes", "pdf that says html"},
		"PDF version within 1,024 bytes of junk": {"pdf after junk, named so", "pdf after binary junk", "text about pdf"},
		"WARC, also within gzip":                 {"warc"}, "plain ZIP archive, tar, gzip": {"zip", "zip that says pdf", "gzip", "tar"}, "raster image": {"image"},
		"HTML or XHTML": {"html", "html that says text"}, "anything else that is known": {"word processor", "svg"},
		"text": {"text", "html fragment by extension", "html fragment by header", "extension beats header"}, "nothing known": {"binary", "binary that says pdf", "binary that says text"},
	}
	all := precedences()
	for _, rule := range comment {
		what, _, _ := strings.Cut(rule, " | ")
		if len(cases[what]) == 0 {
			t.Errorf("no case for %q", what)
		}
		for _, name := range cases[what] {
			if !slices.ContainsFunc(all, func(c precedence) bool { return c.name == name }) {
				t.Errorf("%q: there is no case %q", what, name)
			}
		}
	}
}

// tableOf returns the rows of the table of final types, "what | type", with the
// lines of one row joined.
func tableOf(text, prefix string) (rows []string) {
	_, text, _ = strings.Cut(text, "what the bytes are")
	for i, line := range strings.Split(text, "\n") {
		line, ok := strings.CutPrefix(line, prefix)
		if !ok && i > 0 {
			if !strings.HasPrefix(line, "|--") {
				return rows
			}
			continue
		}
		what, kind, _ := strings.Cut(strings.Trim(line, "| "), "|")
		what, kind = strings.Trim(what, " `"), strings.TrimSpace(kind)
		switch {
		case i == 0 || strings.HasPrefix(what, "--"):
		case what == "" || strings.HasPrefix(line, " "):
			rows[len(rows)-1] += " " + strings.TrimSpace(strings.TrimLeft(line, "| "))
		default:
			rows = append(rows, what+" | "+kind)
		}
	}
	return rows
}

func TestNames(t *testing.T) {
	for header, want := range map[string]string{
		"":                                    "",
		"inline":                              "",
		`attachment; filename="a b.pdf"`:      "a b.pdf",
		`attachment; filename=a.pdf`:          "a.pdf",
		`attachment; filename=a b.pdf`:        "a b.pdf",
		`filename=a.pdf`:                      "a.pdf",
		`attachment; filename="../../x.pdf"`:  "x.pdf",
		`attachment; filename="C:\\d\\x.pdf"`: "x.pdf",
		`attachment; filename="old.pdf"; filename*=UTF-8''s%C3%A9ance.pdf`: "séance.pdf",
		`attachment; filename*=iso-8859-1'fr'x%E9.pdf`:                     "xé.pdf",
		`attachment; filename*=windows-1251''%EF%F0.pdf; filename="x.pdf"`: "пр.pdf",
		`attachment; filename="plain.pdf"; filename*=unknown''x%E9.pdf`:    "plain.pdf",
		`attachment; FileName*="UTF-8''s%C3%A9ance.pdf"`:                   "séance.pdf",
		"attachment; filename=\"s\xe9ance.pdf\"":                           "séance.pdf",
		`attachment; filename*0="a"; filename*1="b.pdf"`:                   "ab.pdf",
		`attachment; filename="=?UTF-8?Q?s=C3=A9ance.pdf?="`:               "séance.pdf",
		`attachment; filename=".."`:                                        "",
		"attachment; filename=\"a\x01b.pdf\"":                              "ab.pdf",
	} {
		if got := dispositionName(header); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	for address, want := range map[string]string{
		"https://x.org/a.PDF": "pdf", "https://x.org/a.pdf?x=y.html#z.txt": "pdf", "https://x.org/": "", "https://x.org": "",
		"https://x.org/a.b/c": "", "https://x.org/a.%E9": "", "https://x.org/v1.2": "2", "%": "", "": "",
		"https://x.org/a.averyveryverylongone": "", "file:///dir/a%20b.txt": "txt",
	} {
		if got := urlExt(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
	long := baseName(strings.Repeat("é", 300) + ".html")
	if len(long) > maxName || !strings.HasSuffix(long, "é.html") {
		t.Errorf("%d bytes: %q", len(long), long)
	}
}

func FuzzDecide(f *testing.F) {
	for _, head := range []string{"", pdf, zip, png, html, text, "\x00\x01" + pdf, "\xff\xfeO\x00"} {
		f.Add([]byte(head), "text/html; charset=x", `attachment; filename*=UTF-8''a%C3.pdf`, "a.pdf", "https://x.org/a.pdf")
	}
	f.Fuzz(func(t *testing.T, head []byte, contentType, disposition, filename, url string) {
		in := Input{Head: head, ContentType: contentType, Disposition: disposition, Filename: filename, URL: url}
		r := Builtin().Decide(in)
		if r.FinalType == "" || len(r.Filename) > maxName || !utf8.ValidString(r.Filename) || len(r.URLExt) > maxExt ||
			strings.ContainsAny(r.Filename, "/\\\x00") {
			t.Errorf("%+v", r)
		}
		if again := Builtin().Decide(in); again.FinalType != r.FinalType || !slices.Equal(again.Flags, r.Flags) {
			t.Errorf("%+v, then %+v", r, again)
		}
	})
}

// TestEveryTypeHasALine: what a document can be taken for is kept as something.
func TestEveryTypeHasALine(t *testing.T) {
	for _, final := range model.FinalTypes() {
		if !slices.ContainsFunc(Builtin(), func(line Type) bool { return line.Final == final && line.Kind != "" }) {
			t.Errorf("type %s has no line", final)
		}
	}
}

// TestAnAddedType: a line more is a type more, by its bytes, its extension and its media
// type; what the other lines say of all else stays.
func TestAnAddedType(t *testing.T) {
	types := Builtin().With(Type{
		Final: "deck", Kind: "deck", Text: true, Exts: []string{"deck", "docx"}, Media: []string{"application/x-deck"}, Begins: []string{"DECK 1\n"},
	})
	for _, c := range []precedence{
		{"by its bytes", "DECK 1\nx", "", "", "", "deck", nil},
		{"bytes before a name", "DECK 1\nx", "", "a.pdf", "", "deck", []string{FlagMismatch}},
		{"text by extension", "some text", "", "a.deck", "", "deck", nil},
		{"text by media type", "some text", "application/x-deck; v=1", "", "", "deck", nil},
		{"an extension that was another's", "\x00\x01\xfe\xff\x10\x00", "", "a.docx", "", "deck", []string{FlagWeak}},
		{"empty", "", "", "a.deck", "", "deck", nil},
	} {
		got := types.Decide(Input{Head: []byte(c.head), ContentType: c.contentType, Filename: c.filename, URL: c.url})
		if got.FinalType != c.want || got.SnapshotKind != "deck" || !slices.Equal(got.Flags, c.flags) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	for _, c := range precedences() {
		in := Input{Head: []byte(c.head), ContentType: c.contentType, Filename: c.filename, URL: c.url}
		if got := types.Decide(in); got.FinalType != c.want {
			t.Errorf("%s: %s with a line more", c.name, got.FinalType)
		}
	}
}
