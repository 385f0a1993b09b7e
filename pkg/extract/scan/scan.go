// Package scan finds the blocks of pictures: scans and photographs, of which one
// file may hold several pages. It reads nothing itself: the words are what OCR
// has stored (contracts#ocr-pages). A page that was not read fails in words.
package scan

import (
	"context"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/ocrblocks"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr/picture"
)

// FlagOCR marks a page that was read by OCR.
const FlagOCR = "ocr"

// Extractor makes blocks of stored OCR results. The zero value is ready.
type Extractor struct{}

// Pages returns how many pages the picture has: a TIFF may have several.
func (Extractor) Pages(ctx context.Context, in block.Input) (int, error) {
	info, err := probe(ctx, in)
	return len(info.Pages), err
}

// Page returns the blocks of page pageNo, from 1.
func (Extractor) Page(ctx context.Context, in block.Input, pageNo int) (block.Page, error) {
	info, err := probe(ctx, in)
	if err != nil {
		return block.Page{}, err
	}
	if pageNo < 1 || pageNo > len(info.Pages) {
		return block.Page{}, fmt.Errorf("page %d of a picture of %d pages", pageNo, len(info.Pages))
	}
	p := info.Pages[pageNo-1]
	use, result := in.Read(pageNo, model.PageOCR{Why: fmt.Sprintf("picture: %s of %d x %d pixels", info.Format, p.Width, p.Height)})
	failure := &block.Failure{OCR: []model.PageOCR{use}}
	switch {
	case use.Reason != "":
		failure.Reason, failure.Message = fault.Reason(use.Reason), use.Message
	case result == nil:
		failure.Reason = fault.OCRFailed
		failure.Message = fmt.Sprintf("page %d: %s; it needs OCR, and OCR is not configured", pageNo, use.Why)
	case len(result.Words) == 0:
		failure.Reason = fault.EmptyContent
		failure.Message = fmt.Sprintf("page %d: a picture in which OCR found no words", pageNo)
	default:
		page := ocrblocks.Scan(*result)
		page.OCR = failure.OCR
		page.Flags = append(page.Flags, FlagOCR)
		return page, nil
	}
	return block.Page{}, failure
}

func probe(ctx context.Context, in block.Input) (picture.Info, error) {
	if err := ctx.Err(); err != nil {
		return picture.Info{}, err
	}
	info, err := picture.Probe(in.Raw)
	if bad := (*picture.Error)(nil); errors.As(err, &bad) {
		return info, &block.Failure{Reason: bad.Reason, Message: bad.Message}
	}
	return info, err
}
