// Package typing decides what a captured document is (the typing of seeds#store
// fields). What the bytes say is believed before a file's extension, and that
// before the header; a lie is recorded, never corrected in what was captured.
//
// The precedence, first rule that fits:
//
//	what the bytes are                     | final type
//	---------------------------------------|----------------------------------------
//	none at all                            | extension, else header, else unknown
//	%PDF- at the start                     | pdf
//	PDF version within 1,024 bytes of junk | pdf, when extension or header say so too,
//	                                       | or the bytes are neither text nor anything else known
//	WARC, also within gzip                 | warc
//	plain ZIP archive, tar, gzip           | zip
//	raster image                           | image
//	HTML or XHTML                          | html
//	anything else that is known            | unknown (a word processor's file is no archive)
//	text                                   | html by extension, else by header; else text
//	nothing known                          | extension, else header, for all types but text; else unknown
//
// Text of a format that is markup for other programs (RTF, SVG) is unknown, and so
// is the archive format before WARC (ARC).
package typing

import (
	"bytes"
	"compress/gzip"
	"io"
	"mime"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Version names the rules of this package in a snapshot's rule_versions.
const Version = "4"

// HeadSize is how many of a document's first bytes Decide wants.
const HeadSize = 64 << 10

// The quality flags that typing sets.
const (
	FlagMismatch = "type_mismatch"      // extension or header say another type
	FlagWeak     = "type_unconfirmed"   // the bytes do not show that they are of this type
	FlagJunk     = "junk_before_header" // a PDF does not begin with its header
)

// Input is all that is known about a document's type.
type Input struct {
	Head        []byte // the first HeadSize bytes, or all
	ContentType string // header
	Disposition string // header
	Filename    string // the crawler's, "" when it gave none
	URL         string
}

// Result is the typing fields of seeds#store.
type Result struct {
	FinalType    model.FinalType
	SnapshotKind model.SnapshotKind
	DetectedMIME string // "" for an empty document
	DetectedExt  string // without the dot
	URLExt       string // without the dot, lower case, at most 16 characters
	Filename     string // the crawler's, else the header's; a base name, or ""
	Flags        []string
}

// Decide returns the type of a document. It is pure.
func (t Types) Decide(in Input) Result {
	r := t.decide(in)
	r.SnapshotKind = t.kindOf(r.FinalType)
	return r
}

func (t Types) decide(in Input) Result {
	r := Result{URLExt: urlExt(in.URL), Filename: baseName(in.Filename)}
	if r.Filename == "" {
		r.Filename = dispositionName(in.Disposition)
	}
	claimed := t.ofExt(extOf(r.Filename))
	if claimed == "" {
		claimed = t.ofExt(r.URLExt)
	}
	header := t.ofMedia(mediaType(in.ContentType))
	claims := compact(claimed, header)
	if len(in.Head) == 0 {
		r.FinalType = firstOf(claims)
		return r
	}
	detected := mimetype.Detect(in.Head)
	said := detected
	if at := bytes.Index(in.Head, []byte("%PDF-")); at > 0 && detected.Is("application/pdf") && pdfHeader(in.Head) != 0 {
		said = mimetype.Detect(in.Head[:at]) // the library takes any mention of a header for a PDF
	}
	r.FinalType, r.Flags = t.byBytes(in.Head, said, claims)
	if r.FinalType != model.TypePDF {
		detected = said
	}
	r.DetectedMIME, r.DetectedExt = detected.String(), strings.TrimPrefix(detected.Extension(), ".")
	if slices.ContainsFunc(claims, func(c model.FinalType) bool {
		return c != r.FinalType && (c != model.TypeZIP || r.FinalType != model.TypeWARC) // .warc.gz says gzip
	}) {
		r.Flags = append(r.Flags, FlagMismatch)
	}
	slices.Sort(r.Flags)
	return r
}

func (t Types) byBytes(head []byte, detected *mimetype.MIME, claims []model.FinalType) (model.FinalType, []string) {
	known := t.ofBeginning(head)
	if known == "" {
		known = t.ofDetected(detected)
	}
	switch at := pdfHeader(head); {
	case at == 0:
		return model.TypePDF, nil
	case at > 0 && (slices.Contains(claims, model.TypePDF) || known == "" && !looksLikeText(head)):
		return model.TypePDF, []string{FlagJunk}
	case known != "":
		return known, nil
	case looksLikeText(head):
		if i := slices.IndexFunc(claims, t.isText); i >= 0 {
			return claims[i], nil
		}
		return model.TypeText, nil
	}
	binary := slices.DeleteFunc(slices.Clone(claims), func(c model.FinalType) bool { return c == model.TypeText })
	if len(binary) == 0 {
		return model.TypeUnknown, nil
	}
	return binary[0], []string{FlagWeak}
}

// isWARC reports whether bytes begin as a web archive does, plain or compressed.
func isWARC(head []byte) bool {
	const magic = "WARC/"
	if bytes.HasPrefix(head, []byte(magic)) {
		return true
	}
	z, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return false
	}
	first := make([]byte, len(magic))
	_, err = io.ReadFull(z, first)
	return err == nil && string(first) == magic
}

// pdfHeader returns where the header of a PDF begins, -1 when it is not within
// the first 1,024 bytes. White space and a byte order mark before it count as
// nothing.
func pdfHeader(head []byte) int {
	head = head[:min(len(head), 1024)]
	at := bytes.Index(head, []byte("%PDF-"))
	if at < 0 {
		return -1
	}
	before := bytes.TrimPrefix(head[:at], []byte("\xef\xbb\xbf"))
	if len(bytes.Trim(before, " \t\r\n\f\x00")) == 0 {
		return 0
	}
	if at+5 < len(head) && head[at+5] >= '0' && head[at+5] <= '9' {
		return at
	}
	return -1
}

// ofDetected returns the final type of what was sniffed, "" when that is text or nothing
// in particular.
func (t Types) ofDetected(m *mimetype.MIME) model.FinalType {
	name, _, _ := mime.ParseMediaType(m.String())
	if final := t.first(func(line Type) bool { return slices.Contains(line.Detected, name) }); final != "" || name == "application/octet-stream" {
		return final
	}
	for up := m; up != nil; up = up.Parent() {
		if up.Is("text/plain") {
			return ""
		}
	}
	if strings.HasPrefix(name, "image/") {
		return model.TypeImage
	}
	return model.TypeUnknown
}

func firstOf(claims []model.FinalType) model.FinalType {
	if len(claims) == 0 {
		return model.TypeUnknown
	}
	return claims[0]
}

func compact(claims ...model.FinalType) []model.FinalType {
	return slices.DeleteFunc(claims, func(c model.FinalType) bool { return c == "" })
}

// looksLikeText reports whether bytes can be read as text in some encoding:
// next to no control characters, or the pattern of UTF-16.
func looksLikeText(head []byte) bool {
	for _, bom := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(head, []byte(bom)) {
			return true
		}
	}
	var nul [2]int
	controls := 0
	for i, b := range head {
		switch {
		case b == 0:
			nul[i%2]++
		case b < 0x20 && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != 0x1b:
			controls++
		}
	}
	half := len(head) / 2
	utf16 := half > 1 && (nul[0] > half/2 && nul[1] == 0 || nul[1] > half/2 && nul[0] == 0)
	if utf16 {
		nul = [2]int{}
	}
	return (controls+nul[0]+nul[1])*200 <= len(head)
}
