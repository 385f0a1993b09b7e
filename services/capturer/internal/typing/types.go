package typing

import (
	"bytes"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Type is a line of the table of types: by what a document is taken for one. Where two
// lines fit, the first counts.
type Type struct {
	Final model.FinalType
	Kind  model.SnapshotKind // how documents of the type are kept: it chooses their extractor
	Text  bool               // whether its bytes are text: text that is called so is of the type
	// Exts are extensions of file names, in lower case, without the dot.
	Exts []string
	// Media are the media types of headers that stand for it.
	Media []string
	// Detected are the media types under which the library for file types knows its bytes.
	Detected []string
	// Begins are how its files begin where the library does not know them, or must not
	// be asked.
	Begins []string
	// Shows is a look at the first bytes where no list of beginnings says it; nil for none.
	Shows func(head []byte) bool
}

// Types is the table of types. A new kind of file is a line here, and one in the table of
// kinds (pkg/extract/child); a new format of text files is an extension and a media type
// in the line of text.
type Types []Type

// Builtin returns the table of the types that there are.
func Builtin() Types {
	return Types{
		{Final: model.TypeWARC, Kind: model.KindContainer, Exts: []string{"warc"},
			Media: []string{"application/warc", "application/warc-compressed"}, Detected: []string{"application/warc"}, Shows: isWARC},
		{Final: model.TypePDF, Kind: model.KindPDF, Exts: []string{"pdf"}, Media: []string{"application/pdf", "application/x-pdf"},
			Detected: []string{"application/pdf"}}, // at its place: see pdfHeader for the others
		{Final: model.TypeZIP, Kind: model.KindContainer, Exts: []string{"zip", "gz", "tar", "tgz"}, // all containers are: see contracts#kinds
			Media:    []string{"application/zip", "application/x-zip-compressed", "application/gzip", "application/x-gzip", "application/x-tar"},
			Detected: []string{"application/zip", "application/gzip", "application/x-tar"}},
		{Final: model.TypeHTML, Kind: model.KindHTML, Text: true, Exts: []string{"html", "htm", "xhtml", "xht", "shtml"},
			Media: []string{"text/html", "application/xhtml+xml"}, Detected: []string{"text/html", "application/xhtml+xml"}},
		{Final: model.TypeText, Kind: model.KindTextFile, Text: true,
			Exts: []string{"txt", "text", "md", "markdown", "mdown", "mkd", "csv", "tsv", "tab", "log", "srt", "vtt",
				"json", "jsonl", "ndjson", "geojson", "jsonld", "xml", "rss", "atom", "rdf"},
			Media: []string{"application/json", "application/jsonl", "application/xml", "application/x-ndjson", "application/csv"}},
		{Final: model.TypeImage, Kind: model.KindImageScan,
			Exts: []string{"png", "jpg", "jpeg", "gif", "webp", "tif", "tiff", "bmp", "jp2", "j2k", "j2c", "jpc", "jpf", "jpx", "jph", "avif", "heic"},
			// JPEG 2000: a bare code stream, boxes of any brand
			Begins: []string{"\xFF\x4F\xFF\x51", "\x00\x00\x00\x0cjP  "}},
		{Final: model.TypeUnknown, Kind: model.KindOther,
			Exts:  []string{"doc", "docx", "odt", "xls", "xlsx", "ods", "ppt", "pptx", "odp", "epub", "rtf", "svg", "7z", "rar", "mp3", "mp4"},
			Media: []string{"text/rtf", "image/svg+xml"}, Detected: []string{"text/rtf", "image/svg+xml"},
			Begins: []string{"filedesc://"}}, // ARC: what it holds is bytes, whatever it begins with
	}
}

// With returns the table with a line before all others; t stays as it is.
func (t Types) With(line Type) Types { return append(Types{line}, t...) }

// kindOf returns how documents of a type are kept.
func (t Types) kindOf(final model.FinalType) model.SnapshotKind {
	if i := slices.IndexFunc(t, func(line Type) bool { return line.Final == final }); i >= 0 {
		return t[i].Kind
	}
	return model.KindOther
}

// isText reports whether the bytes of documents of a type are text.
func (t Types) isText(final model.FinalType) bool {
	return slices.ContainsFunc(t, func(line Type) bool { return line.Final == final && line.Text })
}

// first returns the final type of the first line that fits, "" for none.
func (t Types) first(fits func(line Type) bool) model.FinalType {
	if i := slices.IndexFunc(t, fits); i >= 0 {
		return t[i].Final
	}
	return ""
}

// ofExt returns the final type that an extension stands for, "" for one that says
// nothing: what a program makes (php, aspx) can be anything.
func (t Types) ofExt(ext string) model.FinalType {
	return t.first(func(line Type) bool { return slices.Contains(line.Exts, ext) })
}

// ofMedia returns the final type that a header's media type stands for, "" for one that
// says nothing.
func (t Types) ofMedia(name string) model.FinalType {
	switch name {
	case "", "application/octet-stream", "binary/octet-stream", "application/force-download",
		"application/x-download", "application/download", "application/unknown", "unknown/unknown":
		return ""
	}
	if final := t.first(func(line Type) bool { return slices.Contains(line.Media, name) }); final != "" {
		return final
	}
	if strings.HasSuffix(name, "+json") || strings.HasSuffix(name, "+xml") {
		return model.TypeText // RFC 6839
	}
	switch kind, _, _ := strings.Cut(name, "/"); kind {
	case "text":
		return model.TypeText
	case "image":
		return model.TypeImage
	case "application", "audio", "video", "font", "model":
		return model.TypeUnknown
	default:
		return ""
	}
}

// ofBeginning returns the final type that the first bytes show by themselves, "" where
// the library is to be asked.
func (t Types) ofBeginning(head []byte) model.FinalType {
	return t.first(func(line Type) bool {
		return line.Shows != nil && line.Shows(head) ||
			slices.ContainsFunc(line.Begins, func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) })
	})
}
