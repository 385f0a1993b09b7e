package entity

import (
	"encoding/json"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Extracted completes a document, of which its ids are given, by its pages and their entities as they are stored.
// Where a type is named, others are left out of the pages; the rollup is of all.
func Extracted(d model.ExtractedDocument, pages []model.EntityPage, rows []model.EntityRow, typ string) (model.ExtractedDocument, error) {
	of := make(map[int][]model.EntityRow)
	for _, row := range rows {
		of[row.PageNo] = append(of[row.PageNo], row)
	}
	d.Pages = make([]model.ExtractedPage, len(pages))
	read := make([]Page, len(pages))
	for i, p := range pages {
		lists := make(map[string][]json.RawMessage)
		for _, row := range of[p.PageNo] {
			e, err := Restored(row.Type, row.Payload)
			if err != nil {
				return d, err
			}
			read[i].Entities = append(read[i].Entities, e)
			if typ == "" || typ == row.Type {
				lists[row.Type] = append(lists[row.Type], row.Payload)
			}
		}
		d.Pages[i] = model.ExtractedPage{
			PageID: digest.PageID(p.SnapshotID, p.PageNo), PageNo: p.PageNo,
			Goals: orEmpty(lists[Goal]), BMPs: orEmpty(lists[BMP]), Implementation: orEmpty(lists[Implementation]),
			Monitoring: orEmpty(lists[Monitoring]), Outreach: orEmpty(lists[Outreach]), GeographicAreas: orEmpty(lists[GeographicArea]),
			Own: ownOf(lists), Confidence: p.Result.Confidence, Dropped: p.Result.Dropped,
			Status: p.Status, Reason: p.Reason, Message: p.Message, ExtractorVersion: p.ExtractorVersion, PromptVersion: p.PromptVersion,
		}
	}
	d.Rollup = model.Rollup(rollUp(read))
	return d, nil
}

func ownOf(lists map[string][]json.RawMessage) map[string][]json.RawMessage {
	own := make(map[string][]json.RawMessage)
	for typ, list := range lists {
		if IsOwn(typ) {
			own[typ] = list
		}
	}
	return own
}
