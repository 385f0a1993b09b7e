package extract

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// maxRawFragment is how much of the raw bytes an error unit shows.
const maxRawFragment = 4 << 10

// ErrorFrame returns the frame of a page that failed: status failed, the
// reason with its sentence, and one error unit (seeds#conventions, "Error Handling")
// whose evidence is all raw bytes. It is for pages of snapshots that could not
// be opened; Extract makes the others by itself.
func ErrorFrame(in Input, pageNo int, reason fault.Reason, message string) (segment.Frame, error) {
	return errorFrame(in, pageNo, &block.Failure{Reason: reason, Message: message})
}

func errorFrame(in Input, pageNo int, failure *block.Failure) (segment.Frame, error) {
	reason := failure.Reason
	if !reason.Valid() {
		reason = fault.Internal
	}
	message, _ := clean(failure.Message)
	fallback, _ := clean(failure.FallbackText)
	a := &assembler{in: in, pageNo: pageNo, pageID: digest.PageID(in.Snapshot.SnapshotID, pageNo)}
	evidence := model.Evidence{ByteSpan: &model.Span{End: int64(len(in.Raw))}}
	if err := a.seal(&evidence); err != nil {
		return segment.Frame{}, fmt.Errorf("page %d: %w", pageNo, err)
	}
	shown := &model.Failure{Type: "extraction_failed", Reason: string(reason), Message: message, FallbackText: fallback}
	if raw := rawFragment(in.Raw); in.Snapshot.SnapshotKind == model.KindHTML {
		shown.RawHTML = raw
	} else {
		shown.RawText = raw
	}
	locator := a.locator(evidence, nil)
	id, err := digest.IRID(a.pageID, in.ExtractionID, locator)
	if err != nil {
		return segment.Frame{}, fmt.Errorf("page %d: ir_id: %w", pageNo, err)
	}
	a.units = []model.Unit{{
		IRID: id, SourceID: in.Snapshot.SourceID, SourceName: in.Snapshot.SourceName, SnapshotID: in.Snapshot.SnapshotID,
		RetrievedAt: in.Snapshot.RetrievedAt, Type: model.UnitError, Evidence: []model.Evidence{evidence},
		RecordLocator: locator, ParseWarnings: []string{}, ParserVersion: ParserVersion,
		FieldsRaw: model.Fields{BlockID: digest.FailedBlockID(1), Verbatim: true, Error: shown},
	}}
	page := a.page()
	page.Status, page.Reason, page.Message, page.OCR = model.PageFailed, string(reason), message, failure.OCR
	return a.finish(page), nil
}

// failedFields returns the fields of the n-th error unit of a page, from 1, of
// what was found of its block.
func failedFields(f *block.Failed, found model.Fields, n int) model.Fields {
	reason := f.Reason
	if !reason.Valid() {
		reason = fault.Internal
	}
	message, _ := clean(f.Message)
	return model.Fields{BlockID: digest.FailedBlockID(n), Verbatim: true, Error: &model.Failure{
		Type: "extraction_failed", Reason: string(reason), Message: message,
		RawHTML: rawFragment([]byte(found.HTML)), RawText: rawFragment([]byte(found.TextPrinted)), FallbackText: rawFragment([]byte(f.FallbackText)),
	}}
}

// rawFragment returns the first bytes of raw as text that can be shown: valid
// UTF-8, control characters but line ends and tabs as U+FFFD.
func rawFragment(raw []byte) string {
	text, _ := clean(string(raw[:min(len(raw), maxRawFragment)]))
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
