package quality

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/colophon-dev/colophon/pkg/model"
)

// pageText is what a tool made of one page: the texts that it keeps and those
// that it leaves out, in their order.
type pageText struct{ kept, left []string }

// unitText is a unit of the IR, as far as what is left out depends on it.
type unitText struct {
	id, text string
	page     int // from 1
	left     bool
}

// span is a part of a unit's text, in bytes.
type span struct{ from, to int }

// readPageTexts returns what the IR and the chunks of a document keep and leave
// out, by page. In the IR heads, feet and furniture are left out; of the chunks
// all that no segment of any chunk covers is.
func readPageTexts(pages int, ir, chunks []byte) (inIR, inChunks []pageText, err error) {
	units, err := readUnitTexts(ir)
	if err != nil {
		return nil, nil, err
	}
	covered, err := readCoveredSpans(chunks)
	if err != nil {
		return nil, nil, err
	}
	inIR, inChunks = make([]pageText, pages), make([]pageText, pages)
	for _, u := range units {
		if u.page < 1 || u.page > pages {
			return nil, nil, fmt.Errorf("a unit on page %d of %d", u.page, pages)
		}
		p, q := &inIR[u.page-1], &inChunks[u.page-1]
		if u.left {
			p.left = append(p.left, u.text)
		} else {
			p.kept = append(p.kept, u.text)
		}
		kept, left := cut(u.text, covered[u.id])
		q.kept, q.left = append(q.kept, kept...), append(q.left, left...)
	}
	return inIR, inChunks, nil
}

// readUnitTexts reads the units of convert --to ir. Units that repeat what
// others say (addresses of links, errors) are not text of the page.
func readUnitTexts(data []byte) ([]unitText, error) {
	var units []unitText
	page := 0
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var line struct {
			IRID      string         `json:"ir_id"`
			PageNo    int            `json:"page_no"`
			Type      model.UnitType `json:"type"`
			FieldsRaw struct {
				Text string `json:"text"`
			} `json:"fields_raw"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("IR: %w", err)
		}
		switch line.Type {
		case "":
			page = line.PageNo
		case model.UnitLink, model.UnitError:
		default:
			left := line.Type == model.UnitPageHeader || line.Type == model.UnitPageFooter || line.Type == model.UnitFurniture
			units = append(units, unitText{line.IRID, line.FieldsRaw.Text, page, left})
		}
	}
	return units, lines.Err()
}

// readCoveredSpans reads which parts of units stand in some chunk, by unit.
func readCoveredSpans(data []byte) (map[string][]span, error) {
	covered := make(map[string][]span)
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var line struct {
			Provenance struct {
				Segments []struct {
					IRID string `json:"ir_id"`
					From int    `json:"from"`
					To   int    `json:"to"`
				} `json:"segments"`
			} `json:"provenance"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("chunks: %w", err)
		}
		for _, s := range line.Provenance.Segments {
			if s.IRID != "" {
				covered[s.IRID] = append(covered[s.IRID], span{s.From, s.To})
			}
		}
	}
	return covered, lines.Err()
}

// cut divides a text into the parts that spans cover and those that none does.
func cut(text string, spans []span) (kept, left []string) {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	at := 0
	for _, s := range spans {
		from, to := min(max(s.from, at), len(text)), min(s.to, len(text))
		if from > at {
			left = append(left, text[at:from])
		}
		if to > from {
			kept = append(kept, text[from:to])
		}
		at = max(at, to)
	}
	if at < len(text) {
		left = append(left, text[at:])
	}
	return kept, left
}
