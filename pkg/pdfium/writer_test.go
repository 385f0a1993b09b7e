package pdfium

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"crypto/rc4"
	"fmt"
	"strings"
)

// writer makes small PDF files. Object 1 is the catalog, 2 the page tree;
// others are numbered as they are added.
type writer struct {
	objects []string // from object 3 on
	pages   []int
	catalog string // more entries
	tree    string // more entries, inherited by the pages
	trailer string // more entries
}

// add adds an object and returns its number.
func (w *writer) add(body string) int {
	w.objects = append(w.objects, body)
	return len(w.objects) + 2
}

func (w *writer) stream(entries, data string) int {
	return w.add(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(data), data))
}

// page adds a page. Entries may name any page attribute.
func (w *writer) page(entries, content string) int {
	contents := w.stream("", content)
	n := w.add(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R %s >>", contents, entries))
	w.pages = append(w.pages, n)
	return n
}

const helvetica = "/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"

func (w *writer) bytes() []byte {
	kids := make([]string, len(w.pages))
	for i, n := range w.pages {
		kids[i] = fmt.Sprintf("%d 0 R", n)
	}
	objects := append([]string{
		fmt.Sprintf("<< /Type /Catalog /Pages 2 0 R %s >>", w.catalog),
		fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] %s >>", len(kids), strings.Join(kids, " "), w.tree),
	}, w.objects...)
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n")
	offsets := make([]int, len(objects))
	for i, body := range objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, w.trailer, start)
	return out.Bytes()
}

// simple is a document with one page of text for each argument, in lines.
func simple(pages ...string) []byte {
	var w writer
	for _, text := range pages {
		w.page("/MediaBox [0 0 612 792] "+helvetica, show(text))
	}
	return w.bytes()
}

// show draws lines of text from (72, 720) down, 14 points apart.
func show(text string) string {
	var out strings.Builder
	out.WriteString("BT /F 12 Tf 14 TL 72 720 Td\n")
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(&out, "(%s) Tj T*\n", line)
	}
	out.WriteString("ET\n")
	return out.String()
}

func deflate(data []byte) string {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	if _, err := z.Write(data); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

// encrypt protects the document with 40-bit RC4 (ISO 32000-1, 7.6.3, revision
// 2). Only the keys are made: streams must be empty or not be read.
func (w *writer) encrypt(user, owner string) {
	const padding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"
	const permissions = "\xFC\xFF\xFF\xFF" // -4
	pad := func(s string) string { return (s + padding)[:32] }
	cipher := func(key []byte, s string) string {
		c, err := rc4.NewCipher(key)
		if err != nil {
			panic(err)
		}
		out := make([]byte, len(s))
		c.XORKeyStream(out, []byte(s))
		return string(out)
	}
	const id = "0123456789abcdef"
	ownerKey := md5.Sum([]byte(pad(owner)))
	o := cipher(ownerKey[:5], pad(user))
	key := md5.Sum([]byte(pad(user) + o + permissions + id))
	u := cipher(key[:5], padding)
	n := w.add(fmt.Sprintf("<< /Filter /Standard /V 1 /R 2 /P -4 /O <%x> /U <%x> >>", o, u))
	w.trailer += fmt.Sprintf(" /Encrypt %d 0 R /ID [<%x> <%x>]", n, id, id)
}
