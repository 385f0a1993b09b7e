package digest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
	"unicode"
	"unicode/utf16"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"github.com/colophon-dev/colophon/pkg/redact"
)

var update = flag.Bool("update", false, "rewrite the computed outputs of testdata/vectors.json")

const vectorsPath = "testdata/vectors.json"

// vector is one example: what the function gives for the input, the rule that
// it shows, or that the input is refused.
type vector struct {
	Name   string          `json:"name"`
	Rule   string          `json:"rule"`
	Input  json.RawMessage `json:"input"`
	Output *string         `json:"output,omitempty"`
	Error  bool            `json:"error,omitempty"`
}

type vectorFile struct {
	Versions  map[string]string   `json:"versions"`
	Functions map[string][]vector `json:"functions"`
}

// byHand names the functions whose expected outputs are written by hand and
// never by -update: they are the rules themselves.
var byHand = []string{"urlcanon_v1", "urlcanon_v2", "urlcanon_v3", "urlcanon_v4", "redact_url", "redact_url_v2", "redact_url_v3", "redact_url_v4", "textnorm_v1", "slugify", "slug", "last_modified", "source_id", "round_bbox"}

// in holds the inputs of the functions with several named parameters.
type in struct {
	SourceID        string          `json:"source_id"`
	Identity        string          `json:"identity"`
	RequestID       string          `json:"request_id"`
	ContentHash     string          `json:"content_hash"`
	SnapshotID      string          `json:"snapshot_id"`
	PageNo          int             `json:"page_no"`
	N               int             `json:"n"`
	ParserVersion   string          `json:"parser_version"`
	RulesDigest     string          `json:"source_rules_digest"`
	OCRRun          string          `json:"ocr_run"`
	PageID          string          `json:"page_id"`
	ExtractionID    string          `json:"extraction_id"`
	RecordLocator   json.RawMessage `json:"record_locator"`
	Type            string          `json:"type"`
	Position        int             `json:"position"`
	BlockHash       string          `json:"block_hash"`
	HTML            string          `json:"html"`
	Text            string          `json:"text"`
	Title           string          `json:"title"`
	Evidence        string          `json:"evidence"`
	LastModified    string          `json:"last_modified"`
	FinalType       string          `json:"final_type"`
	CanonicalURL    string          `json:"canonical_url"`
	Index           int             `json:"index"`
	Generation      int             `json:"generation"`
	DocHash         string          `json:"doc_hash"`
	ChunkID         string          `json:"chunk_id"`
	Path            string          `json:"path"`
	Nonce           string          `json:"nonce"`
	Container       string          `json:"container"`
	Offset          int64           `json:"offset"`
	SourceRecordID  string          `json:"source_record_id"`
	URLCanonical    string          `json:"url_canonical"`
	Filename        string          `json:"filename"`
	URL             string          `json:"url"`
	DocumentID      string          `json:"document_id"`
	PageNumber      *int            `json:"page_number"`
	PageIndex       *int            `json:"page_index"`
	RotationDegrees int             `json:"rotation_degrees"`
	BBox            BBox            `json:"bbox"`
	PDFTextQuote    string          `json:"pdf_text_quote"`
	OCRTextQuote    string          `json:"ocr_text_quote"`
}

type function func(input json.RawMessage) (string, error)

// of makes a function of one that takes one decoded value.
func of[T any](f func(T) (string, error)) function {
	return func(input json.RawMessage) (string, error) {
		var v T
		if err := json.Unmarshal(input, &v); err != nil {
			panic(fmt.Sprintf("input %s: %v", input, err))
		}
		return f(v)
	}
}

// plain is [of] for functions that cannot fail.
func plain[T any](f func(T) string) function {
	return of(func(v T) (string, error) { return f(v), nil })
}

var functions = map[string]function{
	"urlcanon_v1":              of(URLCanonV1),
	"urlcanon_v2":              of(URLCanonV2),
	"urlcanon_v3":              of(URLCanonV3),
	"urlcanon_v4":              of(URLCanonV4),
	"redact_url_v2":            plain(RedactURLV2),
	"redact_url_v3":            plain(RedactURLV3),
	"redact_url_v4":            plain(func(url string) string { return redact.URL(url, redact.Stored) }),
	"redact_url":               plain(RedactURLV1),
	"textnorm_v1":              plain(TextNormV1),
	"content":                  plain(func(s string) string { return Content([]byte(s)) }),
	"fragment_span":            plain(func(s string) string { return FragmentSpan([]byte(s)) }),
	"fragment_text":            plain(func(s string) string { return Content([]byte(s)) }),
	"page_content_hash_folded": plain(PageContentHashFolded),
	"page_content_hash":        plain(func(s string) string { return PageContentHash([]byte(s)) }),
	"text":                     plain(Text),
	"block_hash":               plain(BlockHash),
	"block_hash_html":          plain(func(v in) string { return BlockHashHTML(v.HTML, v.Text) }),
	"page_hash":                plain(PageHash),
	"fingerprint":              plain(fingerprintOf),
	"hash_parts":               plain(func(parts []string) string { return HexParts(parts...) }),
	"base32":                   plain(func(parts []string) string { return Base32(HashParts(parts...)) }),
	"jcs": func(input json.RawMessage) (string, error) {
		b, err := JCS(input)
		return string(b), err
	},
	"source_rules_digest": of(func(rules any) (string, error) { return SourceRulesDigest(rules) }),
	"identity":            of(func(v in) (string, error) { return Identity(v.SourceRecordID, v.URLCanonical) }),
	"document_id":         plain(func(v in) string { return DocumentID(v.SourceID, v.Identity) }),
	"snapshot_id":         plain(func(v in) string { return SnapshotID(v.SourceID, v.RequestID, v.ContentHash) }),
	"capture_file_request_id": plain(func(v in) string {
		return CaptureFileRequestID(v.Path, v.ContentHash, v.Nonce)
	}),
	"member_request_id":      plain(func(v in) string { return MemberRequestID(v.RequestID, v.Path) }),
	"warc_record_request_id": plain(func(v in) string { return WARCRecordRequestID(v.RequestID, "@"+strconv.FormatInt(v.Offset, 10)) }),
	"page_id":                plain(func(v in) string { return PageID(v.SnapshotID, v.PageNo) }),
	"extraction_id": plain(func(v in) string {
		return ExtractionID(v.ParserVersion, v.RulesDigest, v.OCRRun)
	}),
	"ir_id":           of(func(v in) (string, error) { return IRID(v.PageID, v.ExtractionID, v.RecordLocator) }),
	"block_id":        plain(func(v in) string { return BlockID(v.Type, v.Position, v.BlockHash) }),
	"failed_block_id": plain(FailedBlockID),
	"table_id":        plain(func(v in) string { return TableID(v.PageNo, v.N) }),
	"figure_id":       plain(func(v in) string { return FigureID(v.PageNo, v.N) }),
	"entity_id":       plain(func(v in) string { return EntityID(v.Title, v.PageID, v.Evidence) }),
	"doc_hash": plain(func(v in) string {
		return DocHash(v.SourceID, v.Identity, v.LastModified, v.FinalType)
	}),
	"doc_hash_004":  plain(func(v in) string { return DocHash004(v.CanonicalURL, v.LastModified, v.FinalType) }),
	"last_modified": plain(func(t time.Time) string { return LastModified(t) }),
	"chunk_id":      plain(func(v in) string { return ChunkID(v.Index, v.Generation) }),
	"chunk_ref":     plain(func(v in) string { return ChunkRef(v.DocHash, v.ChunkID) }),
	"point_id":      plain(PointID),
	"point_id_004":  plain(func(ref string) string { return strconv.FormatUint(pointID004(ref), 10) }),
	"fragment_locator": of(func(v in) (string, error) {
		return FragmentLocator(Locator{
			SourceID: v.SourceID, SnapshotID: v.SnapshotID, PageNumber: v.PageNumber, PageIndex: v.PageIndex,
			RotationDegrees: v.RotationDegrees, BBox: v.BBox,
			PDFTextQuote: v.PDFTextQuote, OCRTextQuote: v.OCRTextQuote,
		})
	}),
	"round_bbox": of(func(b BBox) (string, error) {
		out, err := JCS(RoundBBox(b))
		return string(out), err
	}),
	"slugify": plain(slugify),
	"slug":    plain(func(v in) string { return Slug(v.Filename, v.URL, v.DocumentID) }),
}

func fingerprintOf(texts []string) string {
	var f Fingerprint
	for _, text := range texts {
		f.Add(text)
	}
	return f.Sum()
}

func readVectors(t testing.TB) vectorFile {
	t.Helper()
	raw, err := os.ReadFile(vectorsPath)
	if err != nil {
		t.Fatal(err)
	}
	var file vectorFile
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatalf("%s: %v", vectorsPath, err)
	}
	return file
}

// TestVectors holds every function against testdata/vectors.json.
func TestVectors(t *testing.T) {
	file := readVectors(t)
	for name, f := range functions {
		vectors := file.Functions[name]
		if len(vectors) == 0 {
			t.Errorf("%s has no vectors", name)
		}
		for i, v := range vectors {
			t.Run(name+"/"+v.Name, func(t *testing.T) {
				got, err := f(v.Input)
				if *update && !slices.Contains(byHand, name) && err == nil && !v.Error {
					vectors[i].Output = &got
					return
				}
				switch {
				case v.Error == (v.Output != nil):
					t.Error("want either an output or an error")
				case v.Error && err == nil:
					t.Errorf("%s\n input %s\n  got %q, want it refused", v.Rule, v.Input, got)
				case !v.Error && err != nil:
					t.Errorf("%s\n input %s\n  %v", v.Rule, v.Input, err)
				case !v.Error && got != *v.Output:
					t.Errorf("%s\n input %s\n   got %q\n  want %q", v.Rule, v.Input, got, *v.Output)
				}
			})
		}
	}
	for name := range file.Functions {
		if functions[name] == nil {
			t.Errorf("%s: %s is no function here", vectorsPath, name)
		}
	}
	if n := len(file.Functions["urlcanon_v1"]); n < 60 {
		t.Errorf("%d vectors of urlcanon_v1, want 60 or more", n)
	}
	if *update {
		writeVectors(t, file)
		t.Fatal("outputs are rewritten: look at the difference and run again without -update")
	}
}

// writeVectors writes the vectors as indented JSON in ASCII, so that no editor
// can compose or hide a character.
func writeVectors(t *testing.T, file vectorFile) {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(file); err != nil {
		t.Fatal(err)
	}
	var ascii []byte
	for _, r := range buf.String() {
		if r < 0x7F {
			ascii = append(ascii, byte(r))
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			ascii = fmt.Appendf(ascii, `\u%04x`, unit)
		}
	}
	if err := os.WriteFile(vectorsPath, ascii, 0o644); err != nil {
		t.Fatal(err)
	}
}

// unicodeVersion is the Unicode version that the rules rest on: case mapping, white space,
// normalisation and host names. Another one is another version of the rules.
const unicodeVersion = "15.0.0"

// TestVersions fails when the toolchain or a library brings another Unicode
// version, under which the rules would be other rules.
func TestVersions(t *testing.T) {
	want := map[string]string{"urlcanon": URLCanonVersion, "textnorm": TextNormVersion, "unicode": unicodeVersion}
	for name, version := range readVectors(t).Versions {
		if version != want[name] {
			t.Errorf("%s: the vectors are for %s %s, the package is %s", vectorsPath, name, version, want[name])
		}
	}
	for _, v := range []struct{ of, is string }{
		{"unicode", unicode.Version}, {"golang.org/x/text/unicode/norm", norm.Version}, {"golang.org/x/net/idna", idna.UnicodeVersion},
	} {
		if v.is != unicodeVersion {
			t.Errorf("Unicode of %s is %s, want %s", v.of, v.is, unicodeVersion)
		}
	}
}
