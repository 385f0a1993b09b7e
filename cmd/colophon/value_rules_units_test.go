package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/present"
	"github.com/colophon-dev/colophon/pkg/model"
)

func unitRules(s *shelf) map[string]func(said) error {
	return map[string]func(said) error{
		"unit.ir_id": func(v said) error {
			id, err := digest.IRID(v.page.PageID, v.page.ExtractionID, v.unit.RecordLocator)
			if err != nil {
				return err
			}
			return equal(v.unit.IRID, id)
		},
		"unit.snapshot_id": func(v said) error { return equal(v.unit.SnapshotID, v.page.SnapshotID) },
		"unit.retrieved_at": func(v said) error {
			return expect(v.unit.RetrievedAt.Equal(v.snapshot.RetrievedAt), "that of the snapshot")
		},
		"unit.fields_raw.block_id": func(v said) error {
			f := v.unit.FieldsRaw
			if f.Error != nil {
				return expect(strings.HasPrefix(f.BlockID, "failed_block_"), "that of an error")
			}
			n, ok := v.unit.Position()
			hash := digest.BlockHash(f.Text)
			if strings.TrimSpace(f.Text) == "" {
				hash = f.BlockHash // of its picture
			}
			return errorsOf(expect(ok, "a block's"), equal(f.BlockID, digest.BlockID(string(v.unit.Type), n, hash)))
		},
		"unit.fields_raw.block_hash": func(v said) error {
			if strings.TrimSpace(v.unit.FieldsRaw.Text) == "" {
				return nil // of its picture
			}
			return equal(v.unit.FieldsRaw.BlockHash, digest.BlockHash(v.unit.FieldsRaw.Text))
		},
		"unit.fields_raw.block_hash_html": func(v said) error {
			return equal(v.unit.FieldsRaw.BlockHashHTML, digest.BlockHashHTML(v.unit.FieldsRaw.HTML, v.unit.FieldsRaw.Text))
		},
		"unit.fields_raw.text": func(v said) error {
			for _, e := range v.unit.Evidence {
				if quote := e.PDFTextQuote + e.OCRTextQuote; quote != "" {
					return expect(strings.Contains(squeezed(quote+v.unit.FieldsRaw.TextPrinted), squeezed(strings.Fields(v.unit.FieldsRaw.Text)[0])), "what its quote begins with")
				}
			}
			return nil
		},
		"unit.fields_raw.html": func(v said) error {
			e := v.unit.Evidence[0]
			if v.unit.FieldsRaw.HTMLMade || e.ByteSpan == nil || v.snapshot.DetectedEncoding != "utf-8" {
				return nil
			}
			return equal(v.unit.FieldsRaw.HTML, string(v.raw[e.ByteSpan.Start:e.ByteSpan.End]))
		},
		"unit.fields_raw.ocr_text": func(v said) error { return equal(v.unit.FieldsRaw.OCRText, v.unit.FieldsRaw.Text) },
		"unit.fields_raw.links[].text": func(v said) error {
			return expect(strings.Contains(squeezed(v.unit.FieldsRaw.Text), squeezed(fmt.Sprint(v.value))), "in the text")
		},
		"unit.fields_raw.links[].url": absolute,
		"unit.fields_raw.level": func(v said) error {
			return expect(v.unit.Type == model.UnitHeading && v.unit.FieldsRaw.Level >= 1 && v.unit.FieldsRaw.Level <= 6, "a heading's level")
		},
		"unit.fields_raw.depth": func(v said) error {
			return expect((v.unit.Type == model.UnitListItem || v.unit.Type == model.UnitDefinition) && v.unit.FieldsRaw.Depth >= 1, "the depth of a list's item or a definition")
		},
		"unit.fields_raw.confidence":    share,
		"unit.fields_raw.language.lang": code,
		"unit.source_ref.kind": func(v said) error {
			want := model.SourceDocument
			if v.snapshot.SnapshotKind == model.KindHTML {
				want = model.SourceWebpage
			}
			return equal(v.unit.SourceRef.Kind, want)
		},
		"unit.source_ref.url": func(v said) error { return equal(v.unit.SourceRef.URL, cmp.Or(v.snapshot.URL, v.snapshot.ExternalID)) },
		"unit.source_ref.captured_at": func(v said) error {
			return expect(v.unit.SourceRef.CapturedAt.Equal(v.snapshot.RetrievedAt), "when it was captured")
		},
		"unit.source_ref.page_number": func(v said) error { return equal(v.unit.SourceRef.PageNumber, v.page.PageNo) },
		"unit.source_ref.selector":    func(v said) error { return equal(v.unit.SourceRef.Selector, v.unit.Evidence[0].CSSSelector) },
		"unit.source_ref.section": func(v said) error {
			for _, u := range s.units {
				if u.Type == model.UnitHeading && u.SnapshotID == v.unit.SnapshotID && squeezed(u.FieldsRaw.Text) == squeezed(v.unit.SourceRef.Section) {
					return nil
				}
			}
			return fmt.Errorf("no heading of the document says so")
		},
	}
}

func placeRules() map[string]func(said) error {
	return map[string]func(said) error{
		"unit.evidence[].fragment_hash": func(v said) error {
			for _, e := range v.unit.Evidence {
				if e.FragmentHash == v.value && e.ByteSpan != nil {
					return equal(e.FragmentHash, fmt.Sprintf("sha256:%x", sha256.Sum256(v.raw[e.ByteSpan.Start:e.ByteSpan.End])))
				}
			}
			return nil // over a locator: verify makes it again
		},
		"unit.evidence[].text_quote": func(v said) error {
			quote := squeezed(fmt.Sprint(v.value))
			text := squeezed(v.unit.FieldsRaw.Text)
			return expect(strings.HasPrefix(text, quote) || strings.HasPrefix(quote, text), "the beginning of the text")
		},
		"unit.evidence[].page_number": func(v said) error { return equal(v.value.(float64), float64(v.page.PageNo)) },
		"unit.evidence[].bbox.x":      share,
		"unit.evidence[].bbox.y":      share,
		"unit.evidence[].bbox.w":      share,
		"unit.evidence[].bbox.h":      share,
		"unit.evidence[].fragment_representation_kind": func(v said) error {
			return expect(v.value == model.RepresentationRaw || v.value == model.RepresentationLocator, "a kind")
		},
		"unit.evidence[].lines.first": func(v said) error {
			lines := v.unit.Evidence[0].Lines
			return expect(lines.First >= 1 && lines.Last >= lines.First, "a line")
		},
		"unit.record_locator.kind": func(v said) error {
			return expect(slices.Contains([]string{model.LocatorRecord, model.LocatorEntry, model.LocatorQuote, model.LocatorBlock}, v.unit.RecordLocator.Kind), "a kind")
		},
		"unit.record_locator.page_number": func(v said) error { return equal(v.unit.RecordLocator.PageNumber, v.page.PageNo) },
	}
}

func tableRules() map[string]func(said) error {
	inText := func(v said) error {
		text, _ := v.value.(string)
		for part := range strings.SplitSeq(text, " / ") {
			if !strings.Contains(squeezed(v.unit.FieldsRaw.Text), squeezed(part)) {
				return fmt.Errorf("%q is not in the text", part)
			}
		}
		return nil
	}
	return map[string]func(said) error{
		"unit.fields_raw.table.columns[]": inText,
		"unit.fields_raw.table.rows[][]":  inText,
		"unit.fields_raw.table.csv": func(v said) error {
			rows, err := csv.NewReader(strings.NewReader(v.unit.FieldsRaw.Table.CSV)).ReadAll()
			table := v.unit.FieldsRaw.Table
			return errorsOf(err, equal(len(rows), len(table.Rows)+table.HeaderRows))
		},
		"unit.fields_raw.table.source": func(v said) error {
			return expect(slices.Contains([]string{"ruled", "heuristic", "html", "text", "ocr"}, v.unit.FieldsRaw.Table.Source), "a source")
		},
		"unit.fields_raw.table.confidence": share,
		"unit.fields_raw.table.cell_ranges[].end": func(v said) error {
			for _, r := range v.unit.FieldsRaw.Table.CellRanges {
				if r.Start > r.End || r.End > len(v.unit.FieldsRaw.Text) {
					return fmt.Errorf("a cell from %d to %d is not in %d bytes", r.Start, r.End, len(v.unit.FieldsRaw.Text))
				}
			}
			return nil
		},
	}
}

// unitDetailRules are of the fields of units beside those of [unitRules].
func unitDetailRules(s *shelf) map[string]rule {
	span := func(v said) error {
		for _, e := range v.unit.Evidence {
			if b := e.ByteSpan; b != nil && (b.Start < 0 || b.End <= b.Start || b.End > int64(len(v.raw))) {
				return fmt.Errorf("bytes %d to %d of %d", b.Start, b.End, len(v.raw))
			}
			if c := e.CharSpan; c != nil && (c.Start < 0 || c.End <= c.Start) {
				return fmt.Errorf("characters %d to %d", c.Start, c.End)
			}
		}
		return nil
	}
	box := func(v said) error {
		b := v.unit.RecordLocator.BBox
		return expect(b.X >= 0 && b.Y >= 0 && b.W > 0 && b.H > 0 && b.X+b.W <= 1.000001 && b.Y+b.H <= 1.000001, "a box on its page")
	}
	failed := func(v said) error {
		e := v.unit.FieldsRaw.Error
		return expect(e.Type == "extraction_failed" && e.Reason == v.page.Reason && e.Message == v.page.Message, "what its page says")
	}
	return map[string]rule{
		"unit.type": oneOf("heading", "paragraph", "list_item", "definition", "quote", "code", "table", "figure", "caption", "footnote", "form_field", "annotation", "link",
			"record", "page_header", "page_footer", "furniture", "error"),
		"unit.role":                       func(v said) error { return expect(v.unit.Type == model.UnitFurniture, "of furniture") },
		"unit.source_id":                  same(func(v said) any { return v.snapshot.SourceID }),
		"unit.source_name":                same(func(v said) any { return v.snapshot.SourceName }),
		"unit.parser_version":             oneOf(extract.ParserVersion),
		"unit.ocr_engine":                 oneOf("fake"),
		"unit.ocr_version":                looksLike(aNumber),
		"unit.evidence[].source_id":       same(func(v said) any { return v.snapshot.SourceID }),
		"unit.evidence[].snapshot_id":     same(func(v said) any { return v.snapshot.SnapshotID }),
		"unit.evidence[].byte_span.start": span,
		"unit.evidence[].byte_span.end":   span,
		"unit.evidence[].char_span.start": span,
		"unit.evidence[].char_span.end":   span,
		"unit.evidence[].css_selector":    looksLike(`html > (body|head)( > [a-z0-9]+(:nth-child\([0-9]+\))?)*`),
		"unit.evidence[].xpath":           looksLike(`/html\[1\](/[a-z0-9]+\[[0-9]+\])+`),
		"unit.evidence[].lines.last": func(v said) error {
			return expect(v.unit.Evidence[0].Lines.Last >= v.unit.Evidence[0].Lines.First, "a line at or after the first")
		},
		"unit.evidence[].ocr_text_quote": func(v said) error {
			return expect(strings.Contains(squeezed(fmt.Sprint(v.value)), squeezed(strings.Fields(v.unit.FieldsRaw.Text)[0])), "the unit's text")
		},
		"unit.evidence[].pdf_text_quote": quotesItsUnit,
		"unit.record_locator.bbox.x":     box,
		"unit.record_locator.bbox.y":     box,
		"unit.record_locator.bbox.w":     box,
		"unit.record_locator.bbox.h":     box,
		"unit.record_locator.block_index": func(v said) error {
			return expect(*v.unit.RecordLocator.BlockIndex < v.page.UnitCount, "a place on its page")
		},
		"unit.record_locator.entry_index": func(v said) error {
			return expect(*v.unit.RecordLocator.EntryIndex < v.page.UnitCount, "a place on its page")
		},
		"unit.record_locator.url_canonical": same(func(v said) any { return cmp.Or(v.snapshot.URLCanonical, v.snapshot.ExternalID) }),
		"unit.fields_raw.continues": func(v said) error {
			return expect(v.page.PageNo < s.pagesOf(v.unit.SnapshotID), "on a page that another follows")
		},
		"unit.fields_raw.continued": func(v said) error { return expect(v.page.PageNo > 1, "on a page after another") },
		"unit.fields_raw.verbatim":  same(func(said) any { return true }),
		"unit.fields_raw.html_made": func(v said) error {
			return expect(v.snapshot.SnapshotKind != model.KindHTML, "of a document without HTML")
		},
		"unit.fields_raw.extraction_notes": looksLike(`.+ .+`),
		"unit.fields_raw.error.type":       failed,
		"unit.fields_raw.error.reason":     failed,
		"unit.fields_raw.error.message":    failed,
		"unit.fields_raw.error.raw_text": func(v said) error {
			return expect(strings.HasPrefix(string(v.raw), strings.Fields(fmt.Sprint(v.value))[0]), "what the bytes begin with")
		},
		"unit.fields_raw.images[].alt": inBytes,
		"unit.fields_raw.images[].url": absolute,
		"unit.fields_raw.images[].sha256": func(v said) error {
			if v.snapshot.SnapshotKind != model.KindPDF || v.unit.FieldsRaw.Text != "" {
				return errors.New("it is not of a figure of a PDF page without text")
			}
			return equal(present.BlockHash(v.unit, v.snapshot.ContentHash), digest.HexParts(fmt.Sprint(v.value)))
		},
		"unit.fields_raw.language.lang_confidence": share,
		"unit.fields_raw.language.origin":          oneOf("detected", "html_lang"),
		"unit.fields_raw.markdown":                 saysItsText,
		"unit.fields_raw.marker": func(v said) error {
			return expect(v.snapshot.SnapshotKind == model.KindHTML || strings.HasPrefix(squeezed(quoteOf(v.unit)), squeezed(fmt.Sprint(v.value))), "what its quote begins with")
		},
		"unit.fields_raw.text_printed": func(v said) error { return equal(squeezed(fmt.Sprint(v.value)), squeezed(quoteOf(v.unit))) },
		"unit.fields_raw.values":       func(v said) error { return s.inText(v.snapshot.SnapshotID, v.unit.FieldsRaw.Values["caption"][0]) },
		"unit.source_ref.filename": func(v said) error {
			return expect(strings.HasSuffix(v.unit.SourceRef.Filename, v.snapshot.Filename) || v.snapshot.MemberPath != "", "that of the file")
		},
		"unit.source_ref.text_region": looksLike(`lines? [0-9]+(-[0-9]+)?|[a-z ]+ [0-9]+`),
	}
}

// quoteOf is what a unit's places say.
func quoteOf(u *model.Unit) string {
	var b strings.Builder
	for _, e := range u.Evidence {
		b.WriteString(e.PDFTextQuote + e.OCRTextQuote + e.TextQuote)
	}
	return b.String()
}

// quotesItsUnit reports whether the places of a unit have all letters and digits of what it
// says, but for hyphens, accents and signs that were put together.
func quotesItsUnit(v said) error {
	letters := func(text string) map[rune]int {
		counts := map[rune]int{}
		for _, r := range squeezed(text) {
			if r < 128 && r != '-' {
				counts[r]++
			}
		}
		return counts
	}
	said, quoted := letters(v.unit.FieldsRaw.Text), letters(quoteOf(v.unit))
	for r, n := range said {
		if quoted[r] < n {
			return fmt.Errorf("%d of %d %q of %q are in it", quoted[r], n, r, v.unit.FieldsRaw.Text)
		}
	}
	return nil
}

// saysItsText reports whether each word of a unit's text is in its Markdown, whose signs
// may be escaped.
func saysItsText(v said) error {
	markdown := squeezed(strings.NewReplacer(`\`, "", "*", "", "_", "").Replace(v.unit.FieldsRaw.Markdown))
	for _, word := range strings.Fields(strings.NewReplacer("*", "", "_", "", `\`, "", "•", "").Replace(v.unit.FieldsRaw.Text)) {
		if !strings.Contains(markdown, squeezed(word)) {
			return fmt.Errorf("%q is not in it", word)
		}
	}
	return nil
}

// tableDetailRules are of the fields of tables beside those of [tableRules].
func tableDetailRules(s *shelf) map[string]rule {
	edges := func(of func(*model.Table) []float64) rule {
		return func(v said) error {
			all := of(v.unit.FieldsRaw.Table)
			return expect(slices.IsSorted(all) && all[0] >= 0 && all[len(all)-1] <= 1.000001, "one of edges in order")
		}
	}
	grid := func(v said) error {
		t := v.unit.FieldsRaw.Table
		for _, r := range t.CellRanges {
			if r.Row < 0 || r.Row >= t.HeaderRows+len(t.Rows) || r.Col < 0 || r.Col >= len(t.Columns) {
				return fmt.Errorf("row %d, column %d", r.Row, r.Col)
			}
		}
		return nil
	}
	box := func(v said) error {
		b := v.unit.FieldsRaw.Table.BBox
		return expect(b.W > 0 && b.H > 0 && b.X+b.W <= 1.000001 && b.Y+b.H <= 1.000001, "a box on its page")
	}
	typed := func(v said) error {
		for _, row := range v.unit.FieldsRaw.Table.Rows {
			for _, cell := range row {
				if cell.Type != "" && !strings.Contains(squeezed(v.unit.FieldsRaw.Text), squeezed(cell.Formatted)) {
					return fmt.Errorf("%q is not in the text", cell.Formatted)
				}
			}
		}
		return nil
	}
	merged := func(v said) error {
		t := v.unit.FieldsRaw.Table
		for _, span := range t.Spans {
			if span.Row+max(span.RowSpan, 1) > t.HeaderRows+len(t.Rows) || span.Col+max(span.ColSpan, 1) > len(t.Columns) ||
				!strings.Contains(squeezed(v.unit.FieldsRaw.Text), squeezed(span.Content)) {
				return fmt.Errorf("%+v", span)
			}
		}
		return nil
	}
	return map[string]rule{
		"unit.fields_raw.table.bbox.x": box, "unit.fields_raw.table.bbox.y": box, "unit.fields_raw.table.bbox.w": box, "unit.fields_raw.table.bbox.h": box,
		"unit.fields_raw.table.caption": func(v said) error {
			caption := squeezed(v.unit.FieldsRaw.Table.Caption)
			return expect(strings.Contains(s.textOf(v.unit.SnapshotID), caption) || strings.Contains(squeezed(string(v.raw)), caption), "in the document")
		},
		"unit.fields_raw.table.cell_ranges[].row":   grid,
		"unit.fields_raw.table.cell_ranges[].col":   grid,
		"unit.fields_raw.table.cell_ranges[].start": grid,
		"unit.fields_raw.table.column_edges[]":      edges(func(t *model.Table) []float64 { return t.ColumnEdges }),
		"unit.fields_raw.table.row_edges[]":         edges(func(t *model.Table) []float64 { return t.RowEdges }),
		"unit.fields_raw.table.header_rows":         oneOf("1", "2"),
		"unit.fields_raw.table.rows[][].type":       oneOf("number", "percent", "money", "date", "link"),
		"unit.fields_raw.table.rows[][].formatted":  typed,
		"unit.fields_raw.table.rows[][].text":       typed,
		"unit.fields_raw.table.rows[][].url":        absolute,
		"unit.fields_raw.table.rows[][].value":      looksLike(`[0-9.-]+( ?[A-Z%]+)?`),
		"unit.fields_raw.table.spans[].col":         merged,
		"unit.fields_raw.table.spans[].rowspan":     merged,
		"unit.fields_raw.table.spans[].colspan":     merged,
		"unit.fields_raw.table.spans[].content":     merged,
	}
}
