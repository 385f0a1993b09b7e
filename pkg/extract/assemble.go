package extract

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/extract/present"
	"github.com/colophon-dev/colophon/pkg/extract/table"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/language"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// Assemble makes the frame of page pageNo, from 1, out of its blocks: valid
// text, block ids, locators, ir_ids, fragment hashes, languages, coverage,
// page hash, DOCXT HTML and its content hash (contracts#ir). A page
// without blocks fails as empty_content.
func Assemble(in Input, pageNo int, found block.Page) (segment.Frame, error) {
	if len(found.Blocks) == 0 {
		return errorFrame(in, pageNo, &block.Failure{Reason: fault.EmptyContent, Message: fmt.Sprintf("page %d: nothing to read on it", pageNo), OCR: found.OCR})
	}
	if failure := checkSize(pageNo, found.Blocks); failure != nil {
		return errorFrame(in, pageNo, failure)
	}
	a := &assembler{in: in, pageNo: pageNo, pageID: digest.PageID(in.Snapshot.SnapshotID, pageNo), position: map[model.UnitType]int{}}
	a.records = found.Records
	a.units, a.hashes = make([]model.Unit, 0, len(found.Blocks)), make([]string, 0, len(found.Blocks))
	hints := languageHints(in.Snapshot, found.Languages)
	hints.Memory = in.Words
	a.language = language.New(hints, sample(found.Blocks))
	for _, b := range found.Blocks {
		if err := a.add(b); err != nil {
			return segment.Frame{}, fmt.Errorf("page %d, block %d: %w", pageNo, len(a.units), err)
		}
	}
	return a.frame(found), nil
}

func checkSize(pageNo int, blocks []block.Block) *block.Failure {
	size := 0
	for _, b := range blocks {
		size += len(b.Text) + len(b.TextPrinted) + len(b.HTML) + len(b.Markdown)
		for _, e := range b.Evidence {
			size += len(e.CSSSelector) + len(e.XPath) + len(e.TextQuote) + len(e.PDFTextQuote)
		}
		for _, l := range b.Links {
			size += len(l.URL) + len(l.Text)
		}
		for _, values := range b.Values {
			for _, v := range values {
				size += len(v)
			}
		}
	}
	if size <= block.MaxText && len(blocks) <= block.MaxBlocks {
		return nil
	}
	return &block.Failure{
		Reason:  fault.LimitExceeded,
		Message: fmt.Sprintf("page %d: %d blocks or more with %d bytes, limits %d and %d", pageNo, len(blocks), size, block.MaxBlocks, block.MaxText),
	}
}

type assembler struct {
	in        Input
	pageNo    int
	pageID    string
	language  *language.Detector
	canonical digest.Canonical
	units     []model.Unit
	position  map[model.UnitType]int // blocks of a type so far
	hashes    []string
	records   bool                  // the source has an entry rule
	taken     map[model.Locator]int // locators by selector and quote, or by id, so far
}

// sureLanguage is how sure a language must be for its numbers and dates to be
// read by its rules.
const sureLanguage = 0.8

func (a *assembler) add(b block.Block) error {
	if len(b.Evidence) == 0 {
		return errors.New("a block must have evidence")
	}
	for i := range b.Evidence {
		if err := a.seal(&b.Evidence[i]); err != nil {
			return err
		}
	}
	fields, warnings := fieldsOf(b)
	hash := present.BlockHash(&model.Unit{Evidence: b.Evidence, FieldsRaw: fields}, a.in.Snapshot.ContentHash)
	a.position[b.Type]++
	fields.BlockID = digest.BlockID(string(b.Type), a.position[b.Type], hash)
	if b.Failed != nil {
		fields = failedFields(b.Failed, fields, a.position[model.UnitError])
	}
	if b.Type != model.UnitFurniture && b.Failed == nil {
		fields.Language = a.language.Block(fields.Text, b.Lang)
		if l := fields.Language; fields.Table != nil && l != nil && l.Confidence >= sureLanguage {
			table.Retype(fields.Table, l.Lang)
		}
	}
	locator := a.locator(b.Evidence[0], b.Record)
	id, err := a.canonical.IRID(a.pageID, a.in.ExtractionID, locator)
	if err != nil {
		return fmt.Errorf("ir_id: %w", err)
	}
	if b.Failed == nil { // page hashes are over all units but errors (contracts#page-hash)
		a.hashes = append(a.hashes, hash)
	}
	a.units = append(a.units, model.Unit{
		IRID: id, SourceID: a.in.Snapshot.SourceID, SourceName: a.in.Snapshot.SourceName,
		SnapshotID: a.in.Snapshot.SnapshotID, RetrievedAt: a.in.Snapshot.RetrievedAt,
		Type: b.Type, Role: b.Role, Evidence: b.Evidence, RecordLocator: locator,
		FieldsRaw: fields, ParseWarnings: warnings, ParserVersion: ParserVersion,
		OCREngine: b.OCREngine, OCRVersion: b.OCRVersion,
	})
	return nil
}

// seal completes a fragment pointer: ids, representation kind and hash.
func (a *assembler) seal(e *model.Evidence) error {
	e.SourceID, e.SnapshotID = a.in.Snapshot.SourceID, a.in.Snapshot.SnapshotID
	for _, quote := range []*string{&e.TextQuote, &e.PDFTextQuote, &e.OCRTextQuote, &e.CSSSelector, &e.XPath} {
		*quote, _ = clean(*quote)
	}
	if e.ByteSpan != nil {
		if e.ByteSpan.Start < 0 || e.ByteSpan.End < e.ByteSpan.Start || e.ByteSpan.End > int64(len(a.in.Raw)) {
			return fmt.Errorf("byte span %d–%d is outside of the %d raw bytes", e.ByteSpan.Start, e.ByteSpan.End, len(a.in.Raw))
		}
		e.RepresentationKind = model.RepresentationRaw
		e.FragmentHash = digest.FragmentSpan(a.in.Raw[e.ByteSpan.Start:e.ByteSpan.End])
		return nil
	}
	if e.BBox == nil {
		return errors.New("evidence needs a byte span or a box")
	}
	*e.BBox = roundBBox(*e.BBox)
	if e.Crop != nil {
		*e.Crop = roundBBox(*e.Crop)
	}
	locator := digest.Locator{
		SourceID: e.SourceID, SnapshotID: e.SnapshotID, PageIndex: e.PageIndex,
		BBox:         digest.BBox(*e.BBox),
		PDFTextQuote: e.PDFTextQuote, OCRTextQuote: e.OCRTextQuote,
	}
	if e.PageNumber > 0 {
		locator.PageNumber = &e.PageNumber
	}
	if e.RotationDegrees != nil {
		locator.RotationDegrees = *e.RotationDegrees
	}
	hash, err := digest.FragmentLocator(locator)
	if err != nil {
		return fmt.Errorf("fragment hash: %w", err)
	}
	e.RepresentationKind, e.FragmentHash = model.RepresentationLocator, hash
	return nil
}

func roundBBox(b model.BBox) model.BBox {
	return model.BBox(digest.RoundBBox(digest.BBox(b)))
}

// locator returns the record_locator of the next unit: its place on the page
// for what has boxes; for a record its published id, else its place among the
// records; else its selector and quote where the source has an entry rule, and
// its place among the page's blocks where it has none. No two units of a page
// have the same (contracts#ir-id, contracts#record-locator).
func (a *assembler) locator(e model.Evidence, record *block.Record) model.Locator {
	n := len(a.units)
	url := a.in.Snapshot.URLCanonical
	if url == "" {
		url = a.in.Snapshot.ExternalID // contracts#record-locator
	}
	switch {
	case e.BBox != nil:
		page := e.PageNumber
		if e.PageIndex != nil {
			page = *e.PageIndex + 1
		}
		return model.Locator{Kind: model.LocatorBlock, PageNumber: page, BBox: e.BBox, BlockIndex: &n}
	case record != nil:
		index := record.Index
		if id, _ := clean(record.ID); id != "" {
			byID := model.Locator{Kind: model.LocatorRecord, SourceRecordID: id}
			if a.repeats(byID) == 0 {
				return byID
			}
		}
		return model.Locator{Kind: model.LocatorEntry, URLCanonical: url, EntryIndex: &index}
	case a.records:
		quoted := model.Locator{Kind: model.LocatorQuote, CSSSelector: e.CSSSelector, TextQuote: e.TextQuote}
		if again := a.repeats(quoted); again > 0 {
			quoted.BlockIndex = &again
		}
		return quoted
	}
	return model.Locator{Kind: model.LocatorEntry, URLCanonical: url, EntryIndex: &n}
}

// repeats returns how many units before have the same locator, which holds no
// pointers.
func (a *assembler) repeats(l model.Locator) int {
	if a.taken == nil {
		a.taken = map[model.Locator]int{}
	}
	n := a.taken[l]
	a.taken[l]++
	return n
}

// fieldsOf returns the block's fields_raw with valid text everywhere, and its
// warnings, never nil.
func fieldsOf(b block.Block) (model.Fields, []string) {
	warnings := make([]string, 0, len(b.Warnings))
	for _, w := range b.Warnings {
		w, _ = clean(w)
		warnings = append(warnings, w)
	}
	f := model.Fields{
		Text: b.Text, TextPrinted: b.TextPrinted, OCRText: b.OCRText, HTML: b.HTML, Markdown: b.Markdown,
		Links: b.Links, Images: b.Images, Verbatim: true, Level: b.Level, Depth: b.Depth, Marker: b.Marker,
		Continues: b.Continues, Continued: b.Continued, Confidence: b.Confidence,
		Flags: b.Flags, Notes: b.Notes, Table: b.Table, Values: b.Values, Groups: b.Groups,
	}
	text, replaced := clean(f.Text)
	if replaced > 0 {
		warnings = append(warnings, fmt.Sprintf("%d bytes of the text are not UTF-8 or U+0000 and stand as U+FFFD", replaced))
	}
	f.Text = text
	f.Flags = append(f.Flags, characterFlags(text)...)
	for _, s := range []*string{&f.TextPrinted, &f.OCRText, &f.HTML, &f.Markdown, &f.Marker, &f.Notes} {
		*s, _ = clean(*s)
	}
	for i, l := range f.Links {
		l.URL, _ = clean(l.URL)
		l.Text, _ = clean(l.Text)
		f.Links[i] = l
	}
	for i, m := range f.Images {
		m.URL, _ = clean(m.URL)
		m.Alt, _ = clean(m.Alt)
		f.Images[i] = m
	}
	for _, values := range f.Values {
		for i := range values {
			values[i], _ = clean(values[i])
		}
	}
	for _, groups := range f.Groups {
		for _, group := range groups {
			for name, value := range group {
				group[name], _ = clean(value)
			}
		}
	}
	return f, warnings
}

// cleanFacts returns the facts of a page as they may be stored: the addresses among them, and
// the texts, may hold what must not be, as those of a capture may.
func cleanFacts(policyID string, facts []model.PageFact) []model.PageFact {
	for i, f := range facts {
		f.Name, _ = clean(f.Name)
		f.Value, _ = clean(f.Value)
		f.Value = digest.RedactText(policyID, f.Value)
		facts[i] = f
	}
	return facts
}

// clean returns s as valid UTF-8 without U+0000, each bad byte as U+FFFD, and
// how many bytes were replaced (contracts#valid-text). Other control
// characters stay: JSON and Postgres hold them.
func clean(s string) (string, int) {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s, 0
	}
	var b strings.Builder
	replaced := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == 0 || r == utf8.RuneError && size == 1 {
			r = utf8.RuneError
			replaced++
		}
		b.WriteRune(r)
		i += size
	}
	return b.String(), replaced
}

// The flags of characters that a reader does not see as they are.
const (
	FlagControl = "control_characters" // C0 or C1, but tabs and line ends
	FlagBidi    = "bidi_controls"      // they change the order in which text shows
)

// characterFlags names what is odd among the characters of a text. They stay
// in it: it is verbatim.
func characterFlags(text string) []string {
	control, bidi := false, false
	for _, r := range text {
		switch {
		case r >= ' ' && r < 0x7F, r == '\n' || r == '\t' || r == '\r':
		case unicode.IsControl(r):
			control = true
		case r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069:
			bidi = true
		}
	}
	var flags []string
	if control {
		flags = append(flags, FlagControl)
	}
	if bidi {
		flags = append(flags, FlagBidi)
	}
	return flags
}

func (a *assembler) frame(found block.Page) segment.Frame {
	covered := 0
	for _, u := range a.units {
		if slices.Contains(u.FieldsRaw.Flags, block.FlagHidden) {
			continue
		}
		covered += coverage.Characters(u.FieldsRaw.Text)
	}
	title, _ := clean(found.Title)
	canonical, _ := clean(digest.RedactURL(a.in.Snapshot.RedactionPolicyID, found.Canonical))
	page := a.page()
	page.Status = model.PageProcessed
	page.Label, page.Width, page.Height, page.Rotation = found.Label, found.Width, found.Height, found.Rotation
	page.Title, page.Canonical, page.Facts = title, canonical, cleanFacts(a.in.Snapshot.RedactionPolicyID, found.Facts)
	page.Coverage = coverage.Share(covered, found.Visible)
	page.Ledger = found.Ledger
	page.CoverageNote = coverage.Note(covered, found.Visible, found.CoverageNote)
	page.Flags, page.Warnings, page.OCR = found.Flags, found.Warnings, found.OCR
	if page.CoverageNote != "" {
		page.Warnings = append(page.Warnings, page.CoverageNote)
	}
	page.Quality = quality(a.units, page.Coverage)
	page.Language = a.language.Page(a.units)
	return a.finish(page)
}

// page returns the page record with what every page has.
func (a *assembler) page() model.Page {
	return model.Page{
		PageID: a.pageID, SnapshotID: a.in.Snapshot.SnapshotID, ExtractionID: a.in.ExtractionID,
		ParserVersion: ParserVersion, PageNo: a.pageNo,
	}
}

// finish adds what is made of the units alone: counts, page hash, DOCXT HTML.
func (a *assembler) finish(page model.Page) segment.Frame {
	page.UnitCount = len(a.units)
	if left := model.LeftOutOf(a.units); left.Any() {
		page.LeftOut = &left
	}
	page.PageHash = digest.PageHash(a.hashes)
	page.HTML, page.OpenSections = docxt.Build(page.PageNo, a.units, page.Language)
	page.ContentHash = digest.PageContentHash([]byte(page.HTML))
	page.FoldedHash = digest.PageContentHashFolded(page.HTML)
	return segment.Frame{Page: page, Units: a.units}
}

// quality is the mean confidence of the units, by length of their text, times
// the coverage, cut to four decimals. Sums are of integers, so that no order
// and no rounding of floats can show.
func quality(units []model.Unit, share float64) float64 {
	var sum, weight int64
	for _, u := range units {
		n := int64(len(u.FieldsRaw.Text) + 1)
		sum += n * int64(math.Round(u.FieldsRaw.Confidence*1000))
		weight += n
	}
	if weight == 0 {
		return 0
	}
	return float64(sum/weight*int64(math.Round(share*10_000))/1000) / 10_000
}

// sample returns a piece of the page's own text, from its longer blocks.
func sample(blocks []block.Block) string {
	const enough, short = 1 << 10, 80
	var b strings.Builder
	for _, u := range blocks {
		if u.Type == model.UnitFurniture || len(u.Text) < short {
			continue
		}
		text, _ := clean(u.Text)
		b.WriteString(text + "\n")
		if b.Len() >= enough {
			break
		}
	}
	return b.String()
}

func languageHints(s model.Snapshot, declared block.Declared) language.Hints {
	url := s.URL
	if url == "" {
		url = s.URLCanonical
	}
	return language.Hints{
		HTMLLang: declared.HTMLLang, MetaLang: declared.MetaLang, Captured: s.Language,
		URL: url, Region: s.Region, Source: s.SourceLanguage, Allowed: s.SourceLanguages,
	}
}
