package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// rule says whether a value is right.
type rule = func(said) error

// same holds a value against what it must be, as JSON.
func same(want func(said) any) rule {
	return func(v said) error {
		wanted, err := json.Marshal(want(v))
		if err != nil {
			return err
		}
		got, err := json.Marshal(v.value)
		if err != nil {
			return err
		}
		return expect(string(got) == string(wanted), string(wanted))
	}
}

// oneOf holds a value against a closed list.
func oneOf(list ...string) rule {
	return func(v said) error {
		return expect(slices.Contains(list, fmt.Sprint(v.value)), "one of "+strings.Join(list, ", "))
	}
}

// looksLike holds a value against a form.
func looksLike(form string) rule {
	pattern := regexp.MustCompile(`^(?:` + form + `)$`)
	return func(v said) error { return expect(pattern.MatchString(fmt.Sprint(v.value)), form) }
}

// inBytes reports whether a value stands in the captured bytes, of which that can be said
// where they are UTF-8.
func inBytes(v said) error {
	if v.snapshot.DetectedEncoding != "utf-8" && v.snapshot.DetectedEncoding != "" {
		return nil
	}
	return expect(strings.Contains(string(v.raw), fmt.Sprint(v.value)), "in the captured bytes")
}

// lately is a time at which this test has run.
func lately(v said) error {
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(v.value))
	return errorsOf(err, expect(time.Since(at) < time.Hour && time.Since(at) > -time.Minute, "a time of today"))
}

const (
	hex64   = `[0-9a-f]{64}`
	hex16   = `[0-9a-f]{16}`
	words   = `[a-z][a-z0-9_]*`
	aNumber = `[1-9][0-9]*`
)

// inText reports whether the units of a document say a text, white space apart.
func (s *shelf) inText(snapshotID, text string) error {
	return expect(strings.Contains(s.textOf(snapshotID), squeezed(text)), "in the document's text")
}

func (s *shelf) textOf(snapshotID string) string {
	if s.texts[snapshotID] == "" {
		var b strings.Builder
		for _, u := range s.order[snapshotID] {
			b.WriteString(squeezed(u.FieldsRaw.Text))
			b.WriteString(squeezed(u.FieldsRaw.TextPrinted))
		}
		s.texts[snapshotID] = b.String()
	}
	return s.texts[snapshotID]
}

// titled reports whether a title is one that the document says, in its text or in its bytes,
// or the name of its file, or its address. Of bytes in another encoding nothing is said.
func (s *shelf) titled(v said) error {
	title := fmt.Sprint(v.value)
	if title == v.snapshot.Filename || title == v.snapshot.ExternalID || s.inText(v.snapshot.SnapshotID, title) == nil ||
		v.snapshot.SnapshotKind == model.KindHTML && strings.Contains(html.UnescapeString(squeezed(string(v.raw))), squeezed(title)) ||
		strings.Contains(string(v.raw), utf16Of(title)) || v.snapshot.SnapshotKind == model.KindHTML && v.snapshot.DetectedEncoding != "utf-8" || strings.Contains(squeezed(string(v.raw)), squeezed(title)) {
		return nil
	}
	return fmt.Errorf("the document does not say so")
}

// utf16Of is a text as PDF files write it.
func utf16Of(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		b.WriteString(string([]byte{byte(unit >> 8), byte(unit)}))
	}
	return b.String()
}

func pageRules(s *shelf) map[string]rule {
	account := func(of func(model.Ledger) model.Account) rule {
		return func(v said) error {
			a := of(*v.page.Ledger)
			sum := a.Placed + a.Failed
			for _, skipped := range a.Skipped {
				sum += skipped.Count
			}
			return equal(sum, a.Found)
		}
	}
	characters := account(func(l model.Ledger) model.Account { return l.Characters })
	drawings := account(func(l model.Ledger) model.Account { return l.Drawings })
	pictures := account(func(l model.Ledger) model.Account { return l.Pictures })
	left := func(v said) error {
		var want model.LeftOut
		for _, u := range s.unitsOn(v.page) {
			want.Add(*u)
		}
		return errorsOf(equal(v.page.LeftOut.Text, want.Text), equal(v.page.LeftOut.Heads, want.Heads), equal(v.page.LeftOut.Furniture, want.Furniture))
	}
	shares := func(v said) error {
		sum := 0.0
		for _, l := range v.page.Language.Languages {
			sum += l.Coverage
		}
		return expect(v.page.Language.Multilingual && len(v.page.Language.Languages) > 1 && sum > 0.5 && sum < 1.0001, "the shares of several languages")
	}
	failed := func(v said) error {
		return expect(v.page.Status == model.PageFailed && v.page.Reason != "" && v.page.Message != "", "what is said of a failed page")
	}
	return map[string]rule{
		"page.page_id": same(func(v said) any { return digest.PageID(v.page.SnapshotID, v.page.PageNo) }),
		"page.page_no": func(v said) error {
			return expect(v.page.PageNo <= s.pagesOf(v.page.SnapshotID), "a page of the document")
		},
		"page.snapshot_id":   same(func(v said) any { return v.snapshot.SnapshotID }),
		"page.extraction_id": looksLike(hex16), "page.parser_version": oneOf(extract.ParserVersion),
		"page.content_hash":                                same(func(v said) any { return digest.PageContentHash([]byte(v.page.HTML)) }),
		"page.content_hash_folded":                         same(func(v said) any { return digest.PageContentHashFolded(v.page.HTML) }),
		"page.page_hash":                                   func(v said) error { return equal(v.page.PageHash, digest.PageHash(s.blockHashes(v.page))) },
		"page.html":                                        s.saysItsUnits,
		"page.unit_count":                                  same(func(v said) any { return len(s.unitsOn(v.page)) }),
		"page.coverage":                                    share,
		"page.quality":                                     share,
		"page.quality_flags[]":                             looksLike(words),
		"page.warnings[]":                                  looksLike(`.+ .+`),
		"page.coverage_ledger.characters.found":            characters,
		"page.coverage_ledger.characters.placed":           characters,
		"page.coverage_ledger.characters.skipped[].count":  characters,
		"page.coverage_ledger.characters.skipped[].reason": looksLike(words),
		"page.coverage_ledger.drawings.found":              drawings,
		"page.coverage_ledger.drawings.skipped[].count":    drawings,
		"page.coverage_ledger.drawings.skipped[].reason":   looksLike(words),
		"page.coverage_ledger.pictures.found":              pictures,
		"page.coverage_ledger.pictures.placed":             pictures,
		"page.left_out.text":                               left,
		"page.left_out.heads":                              left,
		"page.left_out.furniture":                          left,
		"page.language.lang":                               code,
		"page.language.lang_confidence":                    share,
		"page.language.origin":                             oneOf("html_lang", "meta", "detected", "url", "region", "source"),
		"page.language.multilingual":                       shares,
		"page.language.languages[].code":                   code,
		"page.language.languages[].coverage":               shares,
		"page.reason":                                      failed,
		"page.error_message":                               failed,
		"page.status": func(v said) error {
			return expect((v.page.Status == model.PageProcessed) == (v.page.Reason == ""), "as its reason")
		},
		"page.title": s.titled,
		"page.canonical": func(v said) error {
			return errorsOf(absolute(v), expect(strings.Contains(string(v.raw), lastPart(v)), "in the captured bytes"))
		},
		"page.facts[].name": func(v said) error {
			return expect(strings.Contains(strings.ToLower(string(v.raw)), strings.ToLower(fmt.Sprint(v.value))), "in the captured bytes")
		},
		"page.facts[].value":         factInBytes,
		"page.facts[].origin":        oneOf("meta", "json_ld", "time"),
		"page.height":                side,
		"page.width":                 side,
		"page.open_sections[].level": looksLike(`[1-6]`),
		"page.open_sections[].text":  func(v said) error { return s.inText(v.page.SnapshotID, fmt.Sprint(v.value)) },
		"page.open_sections[].kind":  sectionOnPage,
		"page.ocr[].digest":          looksLike(hex64),
		"page.ocr[].key":             looksLike(hex64),
		"page.ocr[].engine":          oneOf("fake"),
		"page.ocr[].version":         looksLike(aNumber),
		"page.ocr[].why":             looksLike(`no_text: .+`),
	}
}

// side holds a page's size against its MediaBox, where that stands in the bytes; else it is
// the size of some page.
func side(v said) error {
	n, _ := v.value.(float64)
	box := regexp.MustCompile(`/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]`).FindStringSubmatch(string(v.raw))
	if box == nil {
		return expect(n > 100 && n < 5000, "the side of a page")
	}
	return expect(fmt.Sprint(v.page.Width) == box[1] && fmt.Sprint(v.page.Height) == box[2] || n > 590 && n < 843, strings.Join(box[1:], " by "))
}

// factInBytes holds a fact that is a time against the day in the bytes.
func factInBytes(v said) error {
	day, _, _ := strings.Cut(fmt.Sprint(v.value), "T")
	return expect(strings.Contains(string(v.raw), day), "in the captured bytes")
}

func lastPart(v said) string {
	u, err := url.Parse(fmt.Sprint(v.value))
	if err != nil {
		return "\x00"
	}
	return u.Path
}

// sectionOnPage holds the kind of an open section against the markers of its page.
func sectionOnPage(v said) error {
	for _, open := range v.page.OpenSections {
		if !strings.Contains(v.page.HTML, fmt.Sprintf("<!-- DOCXT:SECTION_START kind=%q level=%d ", open.Kind, open.Level)) {
			return fmt.Errorf("no marker of its page says so")
		}
	}
	return nil
}

// saysItsUnits reports whether a page's HTML begins with its marker and says the first word
// of each unit's text.
func (s *shelf) saysItsUnits(v said) error {
	shown := html.UnescapeString(v.page.HTML)
	for _, u := range s.unitsOn(v.page) {
		first := strings.Fields(u.FieldsRaw.Text)
		if len(first) > 0 && u.Type != model.UnitLink && u.Type != model.UnitError && !strings.Contains(shown, first[0]) {
			return fmt.Errorf("%q of %s is not in it", first[0], u.IRID)
		}
	}
	return expect(strings.HasPrefix(v.page.HTML, fmt.Sprintf("<!-- DOCXT:PAGE index=%d ", v.page.PageNo)), "a page with its marker")
}

func (s *shelf) unitsOn(p *model.Page) (on []*model.Unit) {
	for _, u := range s.order[p.SnapshotID] {
		if s.pageOf[u.IRID] == p.PageID {
			on = append(on, u)
		}
	}
	return on
}

func (s *shelf) pagesOf(snapshotID string) (n int) {
	for _, p := range s.pages {
		if p.SnapshotID == snapshotID {
			n++
		}
	}
	return n
}

func (s *shelf) blockHashes(p *model.Page) (hashes []string) {
	for _, u := range s.unitsOn(p) {
		if u.Type != model.UnitError {
			hashes = append(hashes, u.FieldsRaw.BlockHash)
		}
	}
	return hashes
}

// answered holds a value against the header of the answer, where there was one.
func answered(name string) rule {
	return func(v said) error {
		if len(v.snapshot.ResponseHeaders) == 0 {
			return nil
		}
		return equal(fmt.Sprint(v.value), http.Header(v.snapshot.ResponseHeaders).Get(name))
	}
}

func snapshotRules() map[string]rule {
	header := func(keeps func(string) bool) rule {
		return func(v said) error {
			for name := range v.value.(map[string]any) {
				if !keeps(name) {
					return fmt.Errorf("%s is on no list", name)
				}
			}
			return nil
		}
	}
	ofSource := func(of func(model.Source) any) rule {
		sources := map[string]model.Source{
			"shelf": {Name: "Town of Valdoro", SourceType: "official", Domain: "civics", Territory: "Valdoro", Layer: model.LayerHot, MaxPages: 20000},
			"river": {Name: "Commission of the river", SourceType: "comment", Domain: "cadastre", Territory: "Alta", Layer: model.LayerSummary, MaxPages: 500, Region: "FR"},
		}
		return same(func(v said) any { return of(sources[v.snapshot.SourceID]) })
	}
	return map[string]rule{
		"snapshot.snapshot_id": func(v said) error {
			return equal(v.snapshot.SnapshotID, digest.SnapshotID(v.snapshot.SourceID, v.snapshot.RequestID, v.snapshot.ContentHash))
		},
		"snapshot.document_id":  same(func(v said) any { return digest.DocumentID(v.snapshot.SourceID, v.snapshot.ExternalID) }),
		"snapshot.content_hash": same(func(v said) any { return digest.Content(v.raw) }),
		"snapshot.byte_length":  same(func(v said) any { return len(v.raw) }),
		"snapshot.url_canonical": func(v said) error {
			canonical, err := digest.URLCanonV4(v.snapshot.URL)
			return errorsOf(err, equal(v.snapshot.URLCanonical, canonical))
		},
		"snapshot.url_canonicalization_version": oneOf(digest.URLCanonVersion),
		"snapshot.slug":                         same(func(v said) any { return digest.Slug(v.snapshot.Filename, v.snapshot.URL, v.snapshot.DocumentID) }),
		"snapshot.source_id":                    oneOf("shelf", "river"),
		"snapshot.source_name":                  ofSource(func(s model.Source) any { return s.Name }),
		"snapshot.source_type":                  ofSource(func(s model.Source) any { return s.SourceType }),
		"snapshot.domain":                       ofSource(func(s model.Source) any { return s.Domain }),
		"snapshot.territory":                    ofSource(func(s model.Source) any { return s.Territory }),
		"snapshot.layer":                        ofSource(func(s model.Source) any { return s.Layer }),
		"snapshot.max_pages":                    ofSource(func(s model.Source) any { return s.MaxPages }),
		"snapshot.region":                       ofSource(func(s model.Source) any { return s.Region }),
		"snapshot.robots_policy_notes":          oneOf("asked by letter"),
		"snapshot.source_language":              oneOf("en"),
		"snapshot.source_languages[]":           oneOf("en", "fr"),
		"snapshot.context_line":                 oneOf("true"),
		"snapshot.header_labels.type":           oneOf("kind"), "snapshot.header_labels.status": oneOf("state"),
		"snapshot.header_labels.date": oneOf("day"), "snapshot.header_labels.source": oneOf("from"),
		"snapshot.external_id": func(v said) error {
			return expect(v.snapshot.URLCanonical == v.snapshot.ExternalID || strings.Contains(v.snapshot.ExternalID, "!/"), "its URL, or its place in a container")
		},
		"snapshot.url": absolute, "snapshot.redirect_chain[]": func(v said) error {
			return errorsOf(absolute(v), expect(strings.HasSuffix(fmt.Sprint(v.value), "/old.html"), "what was asked for"))
		},
		"snapshot.http_status": oneOf("200"),
		"snapshot.fetch_status": func(v said) error {
			return equal(v.snapshot.FetchStatus == "redirected", len(v.snapshot.RedirectChain) > 0)
		},
		"snapshot.fetch_tool_version": func(v said) error {
			return equal(v.snapshot.FetchToolVersion == "colophon-cli", v.snapshot.SourceID == "shelf")
		},
		"snapshot.content_type":             answered("Content-Type"),
		"snapshot.http_content_type":        answered("Content-Type"),
		"snapshot.http_content_disposition": oneOf(`attachment; filename="levels of march.pdf"`),
		"snapshot.etag":                     answered("ETag"),
		"snapshot.detected_mime":            func(v said) error { return expect(strings.Contains(v.snapshot.DetectedMIME, "/"), "a media type") },
		"snapshot.detected_ext":             oneOf("html", "pdf", "txt", "zip", "warc"),
		"snapshot.url_ext": func(v said) error {
			return expect(strings.HasSuffix(v.snapshot.URL, "."+v.snapshot.URLExt), "that of the URL")
		},
		"snapshot.filename": func(v said) error {
			return expect(strings.HasSuffix(v.snapshot.ExternalID, url.PathEscape(v.snapshot.Filename)) || strings.HasPrefix(v.snapshot.HTTPContentDisposition, "attachment"), "that of its address")
		},
		"snapshot.final_type": func(v said) error {
			return expect(map[string]bool{"html": true, "pdf": true, "text": true, "zip": true, "warc": true, "unknown": true}[string(v.snapshot.FinalType)], "a type")
		},
		"snapshot.snapshot_kind": func(v said) error {
			want := map[model.FinalType]model.SnapshotKind{model.TypeHTML: model.KindHTML, model.TypePDF: model.KindPDF, model.TypeText: model.KindTextFile, model.TypeZIP: model.KindContainer, model.TypeWARC: model.KindContainer, model.TypeUnknown: model.KindOther}
			return equal(v.snapshot.SnapshotKind, want[v.snapshot.FinalType])
		},
		"snapshot.encoding":            oneOf("utf-8"),
		"snapshot.detected_encoding":   oneOf("utf-8", "windows-1252", "iso-8859-15", "utf-16le", "utf-16be"),
		"snapshot.encoding_origin":     oneOf("byte_order_mark", "http", "document", "bytes"),
		"snapshot.encoding_confidence": share,
		"snapshot.last_modified": func(v said) error {
			return expect(!v.snapshot.LastModified.After(time.Now()) && v.snapshot.LastModified.Nanosecond() == 0, "whole seconds of the past")
		},
		"snapshot.last_modified_origin": oneOf("http_header", "meta", "document", "pdf", "html", "archive_member", "file", "retrieved_at", "request_time"),
		"snapshot.retrieved_at":         func(v said) error { return expect(v.snapshot.RetrievedAt.Before(time.Now()), "in the past") },
		"snapshot.request_id":           func(v said) error { return expect(len(v.snapshot.RequestID) > 5, "an id") },
		"snapshot.redaction_policy_id":  oneOf(redact.Version),
		"snapshot.parent_snapshot_id":   looksLike(`snap_[a-z2-7]{26}`),
		"snapshot.member_path":          looksLike(`@[0-9]+|[a-z/-]+\.(html|txt|pdf|csv)`),
		"snapshot.metadata": func(v said) error {
			return expect(strings.Contains(fmt.Sprint(v.value), "urn:uuid:"), "what the archive says")
		},
		"snapshot.response_headers": header(redact.KeepsHeader),
		"snapshot.request_headers":  header(redact.KeepsRequestHeader),
		"snapshot.rule_versions": func(v said) error {
			return equal(v.snapshot.RuleVersions["urlcanon"] != "", v.snapshot.URLCanonical != "")
		},
	}
}
