// Package extract makes page frames out of captured bytes: the IR units, ids,
// hashes and DOCXT HTML of one page. It is pure: splitter, extractor, verify
// and gateway make the same frame again from the same input (contracts#page-depends). One
// room per kind of file finds blocks; assemble makes the frame, for every kind
// in the same way.
package extract

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// ParserVersion is raised by hand whenever the units of any document change
// (contracts#version-numbers). Its history:
//
//	1  HTML, text files and PDF text layers
//	2  scans, OCR of pages and pictures
//	3  charts with their labels, captions beside what they name, notes behind the
//	   text, running heads of short documents; main matter of web pages by their
//	   headline, lists of other pages and forms within it
//	4  signs and links of editing at headings by themselves, promotion between
//	   paragraphs, tables of data as main matter; tables and numbered headings of
//	   text files, short values of JSON lists together; tables and lists of PDF
//	   pages as more producers draw them
//	5  headlines, boxes of links and columns of web pages as more sites write them;
//	   slanted letters, accents over dotless letters, hyphens that belong to their
//	   word, references, indexes and tables below each other in PDF pages; lines of
//	   photographed pages made level
//	6  tables of words and of figures in groups of digits in PDF pages
//	7  running heads and feet of PDF pages are what is proved to be some, page by page;
//	   edges of pages that OCR has read are text
//	8  running heads and feet whose parts change sides, of titles with numbers, of pages
//	   full of tables, and of the second page of two
//	9  running heads that say the document's own title, with numbers beside titles, in
//	   words and after ornaments; text that takes turns at an edge, fields of forms, sums
//	   and titles near to the text are text
//	10 second numbers of pages, labels, values and dates at edges of PDF pages are text; numbers
//	   by chapter, stamped ones, those with a time beside them and in side margins are heads;
//	   kinds of sections by their headings; sections of tables, figures and footnotes;
//	   content_hash_folded; languages of pages by their short blocks, too;
//	   pages of the web account for all of their text; block hashes of pictures; captions
//	   of figure elements; lines of text files; names of bars and axes are no captions
//	11 kinds of sections by more words, by what stands behind a head that says none, and by
//	   what is done in a step; Roman numerals are well formed; main matter of web pages by what was
//	   learnt from labelled pages, where the rules are in doubt; maybe_furniture
//	12 text of PDF pages that no reader sees is hidden furniture: outside of the page, invisible,
//	   tiny, covered, in the colour of what it stands on
//	13 what begins with a bullet is no heading of PDF pages, marks that are drawn apart from
//	   their items stand before them, headings of two lines that hang below their number are one
//	14 main matter of web pages by what was learnt with the densest element, shapes that repeat and
//	   what stands around; a passage is furniture at odds of three to one
//	15 figures of PDF pages without text have the digest of what is drawn
const ParserVersion = "15"

// Input is everything that a page depends on.
type Input = block.Input

// Extractor finds the blocks of one kind of file. Its methods are pure
// functions of the input. An error made by fault.Permanent, or a
// *block.Failure, is the document's: the page fails with its reason. Any other
// error is returned to the caller.
type Extractor interface {
	// Pages returns how many pages the document has, at least 1.
	Pages(ctx context.Context, in Input) (int, error)
	// Page returns the blocks of page pageNo, from 1.
	Page(ctx context.Context, in Input, pageNo int) (block.Page, error)
}

// Extractors are extractors by kind of snapshot: those that a child has opened of the
// table of kinds (extract/child).
type Extractors map[model.SnapshotKind]Extractor

// Pages returns how many pages the snapshot has. A snapshot that cannot be
// split has 1 page and a reason with its sentence, which the run records
// (contracts#error-unit); err is for what is not the document's fault.
func (x Extractors) Pages(ctx context.Context, in Input) (pages int, reason fault.Reason, sentence string, err error) {
	e, failure := x.extractor(in)
	if failure == nil {
		pages, err = e.Pages(ctx, in)
		if err == nil {
			return max(pages, 1), "", "", nil
		}
		if failure = asFailure(err); failure == nil {
			return 0, "", "", fmt.Errorf("counting the pages of %s: %w", in.Snapshot.SnapshotID, err)
		}
	}
	return 1, failure.Reason, failure.Message, nil
}

// Extract returns the frame of page pageNo, from 1. A page that fails through
// the document's fault is a frame with status failed; err is for all else.
func (x Extractors) Extract(ctx context.Context, in Input, pageNo int) (segment.Frame, error) {
	if in.RunReason != "" {
		return ErrorFrame(in, pageNo, fault.Reason(in.RunReason), in.RunMessage)
	}
	e, failure := x.extractor(in)
	if failure == nil {
		page, err := e.Page(ctx, in, pageNo)
		if err == nil {
			return Assemble(in, pageNo, page)
		}
		if failure = asFailure(err); failure == nil {
			return segment.Frame{}, fmt.Errorf("page %d of %s: %w", pageNo, in.Snapshot.SnapshotID, err)
		}
	}
	return errorFrame(in, pageNo, failure)
}

func (x Extractors) extractor(in Input) (Extractor, *block.Failure) {
	if len(in.Raw) == 0 {
		return nil, &block.Failure{Reason: fault.EmptyContent, Message: "the file is empty: 0 bytes"}
	}
	if e, ok := x[in.Snapshot.SnapshotKind]; ok {
		return e, nil
	}
	return nil, &block.Failure{
		Reason:  fault.UnsupportedType,
		Message: "there is no extractor for files of this type, " + cmp.Or(in.Snapshot.DetectedMIME, string(in.Snapshot.FinalType)) + ": it is kept as it is",
	}
}

// asFailure returns the document's fault in err, nil when it is another's.
func asFailure(err error) *block.Failure {
	var failure *block.Failure
	if errors.As(err, &failure) {
		return failure
	}
	if fault.KindOf(err) == fault.KindPermanent {
		return &block.Failure{Reason: fault.ReasonOf(err), Message: err.Error()}
	}
	return nil
}
