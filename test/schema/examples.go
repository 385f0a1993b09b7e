package schema

import (
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

const (
	source     = "valdoro"
	snapshot   = "snap_3zq7m2c4t6k5v7w2x3y4z5a6b7"
	document   = "doc_p4q5r6s7t2u3v4w5x6y7z2a3b4"
	extraction = "5d4f1c0a9b8e7d6c"
	docHash    = "9f2c4e6a8b0d1f3e5c7a9b1d3f5e7c9a1b3d5f7e9c1a3b5d7f9e1c3a5b7d9f1e"
	digestHex  = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
	unitID     = "ir_k2l3m4n5o6p7q2r3s4t5u6v7w2"
	content    = "Le conseil approuve le procès-verbal."
)

func at(hour int) time.Time { return time.Date(2026, 3, 12, hour, 0, 0, 0, time.UTC) }

func pointer[T any](v T) *T { return &v }

// Entries returns all events and records, each with an example.
func Entries() []Entry {
	return append(eventEntries(), recordEntries()...)
}

func eventEntries() []Entry {
	current := model.DocumentCurrent{DocumentID: document, Rev: 1, DocHash: docHash, Generation: 1}
	change := event.ChunkChange{
		Rev: 2, Cause: "archived", ChunkRef: docHash + ":0", DocHash: docHash, SourceID: source, SnapshotID: snapshot,
		Layer: model.LayerArchive, Since: "2026-03-12", ReplacedBy: "snap_a2b3c4d5e6f7g2h3i4j5k6l7m2",
		Current: model.DocumentCurrent{DocumentID: document, Rev: 2, DocHash: digestHex, Generation: 1},
	}
	gone := change
	gone.Current = model.DocumentCurrent{}
	gone.Rev, gone.Cause, gone.Layer, gone.Since, gone.ReplacedBy = 3, "takedown", "", "", ""
	vectors := event.VectorChange{
		SourceID: source, DocHash: docHash, SnapshotID: snapshot, Collection: "kb_regulatory_hash-char4-1024_1024",
		Model: "hash-char4-1024", Dimensions: 1024, Chunks: []event.VectorRef{{ChunkRef: docHash + ":0", Rev: 1}},
	}
	events := []event.Data{
		event.CaptureRequested{
			RequestID: "crawl-7/agenda", SourceID: source, URL: "https://www.valdoro.example/conseil/2026-03-12",
			Inline:      &event.Inline{ContentBase64: []byte("<h1>Conseil municipal</h1>")},
			RetrievedAt: pointer(at(9)), HTTPStatus: 200, ContentType: "text/html; charset=utf-8",
			Headers:          map[string][]string{"last-modified": {"Thu, 05 Mar 2026 08:30:00 GMT"}},
			FetchToolVersion: "crawler/4.2",
		},
		event.CaptureCompleted{RequestID: "crawl-7/agenda", SourceID: source, Outcome: event.OutcomeStored, SnapshotID: snapshot, DocumentID: document},
		event.SnapshotStored{
			SnapshotID: snapshot, SourceID: source, DocumentID: document, ContentHash: "sha256:" + digestHex, ByteLength: 26,
			SnapshotKind: model.KindHTML, FinalType: model.TypeHTML,
		},
		event.RunRequested{SnapshotID: snapshot, SourceID: source, ExtractionID: extraction, Why: "retry", Redo: 1, Pages: []int{3}},
		event.PageSplit{
			SnapshotID: snapshot, SourceID: source, ExtractionID: extraction, ParserVersion: "1",
			Pages: model.PageRange{From: 17, To: 32}, PageCount: 50,
		},
		event.PageOCRRequested{
			SnapshotID: snapshot, SourceID: source, ExtractionID: extraction, ParserVersion: "1",
			Pages: model.PageRange{From: 18, To: 18}, PageCount: 50,
			Parts: []model.PageOCR{{Why: "no_text: 0 of 0 characters have no meaning outside of their fonts, 0 are guesses, 0 invisible; 1 pictures cover 100 % of the page, 0 curved shapes"}},
		},
		event.PageOCRCompleted{
			SnapshotID: snapshot, SourceID: source, ExtractionID: extraction, ParserVersion: "1",
			Pages: model.PageRange{From: 17, To: 32}, PageCount: 50, Results: []string{digestHex},
		},
		event.IRExtracted{
			SnapshotID: snapshot, SourceID: source, ExtractionID: extraction, Pages: model.PageRange{From: 17, To: 32}, PageCount: 50,
			ObjectKey: source + "/ir/" + extraction + "/" + snapshot + "/17-32." + digestHex + ".jsonl.zst", Digest: digestHex, Processed: 16,
		},
		event.RunCompleted{
			SnapshotID: snapshot, SourceID: source, DocumentID: document, ExtractionID: extraction, State: model.RunDone,
			PageCount: 50, Processed: 50, DocHash: docHash, Generation: 1, ChunkCount: 61,
		},
		event.ChunkCreated{Rev: 1, Cause: "capture", Layer: model.LayerHot, Since: "2026-03-12", Chunk: chunk(), Current: current},
		event.ChunkSuperseded{ChunkChange: change},
		event.ChunkRemoved{ChunkChange: gone},
		event.VectorIndexed{VectorChange: vectors},
		event.VectorRemoved{VectorChange: vectors},
		event.SourceChanged{
			SourceID: source, Seq: 12, Change: event.SourceDisabled, State: model.SourceDisabled, Who: "cli/ada", Why: "asked for by the council", At: at(14),
		},
		event.EntitiesExtracted{
			SnapshotID: snapshot, SourceID: source, DocumentID: document, ExtractionID: extraction, PageNo: 17, ExtractorVersion: 2,
			Status: model.PageProcessed, InputHash: digestHex, Counts: map[string]int{"goals": 2, "bmps": 5},
		},
		event.IREnrichRequested{
			SnapshotID: snapshot, SourceID: source, ExtractionID: extraction, ChunkerVersion: "7", DocHash: docHash, Generation: 1,
		},
		event.IREnriched{
			SnapshotID: snapshot, SourceID: source, ExtractionID: extraction, ChunkerVersion: "7",
			ObjectKey: source + "/llm/model/1/" + digestHex + ".json", Digest: digestHex,
		},
	}
	out := make([]Entry, len(events))
	for i, e := range events {
		out[i] = Entry{Name: e.Type(), Example: e}
	}
	return out
}

func recordEntries() []Entry {
	s := model.DefaultSource(source)
	s.Name, s.Language, s.Languages, s.Region, s.Territory = "Conseil municipal de Valdoro", "fr", []string{"fr", "co"}, "FR", "Valdoro"
	return []Entry{
		{"source", s},
		{"document", model.Document{
			DocumentID: document, SourceID: source, ExternalID: "https://www.valdoro.example/conseil/2026-03-12",
			CanonicalURL: "https://www.valdoro.example/conseil/2026-03-12", Slug: "2026-03-12-1f0c9d2e", ContentType: "text/html",
			FinalType: model.TypeHTML, Title: "Conseil municipal", Host: "www.valdoro.example", CurrentSnapshotID: snapshot,
			CurrentExtractionID: extraction, CurrentDocHash: docHash, CurrentGeneration: 1, SourceType: "official", Domain: "civics",
			LastModified: at(8), ContentHash: "sha256:" + digestHex, Fingerprint: digestHex, Language: "fr",
			Meta:        model.DocumentMeta{URL: "https://www.valdoro.example/conseil/2026-03-12", Title: "Conseil municipal", Tags: []string{"conseil", "budget"}},
			FirstSeenAt: at(9), LastCheckedAt: at(9), LastSeenAt: at(9), LastIngestedAt: at(9), LastProcessedAt: at(9), IngestStatus: model.IngestDone,
		}},
		{"snapshot", model.Snapshot{
			SnapshotID: snapshot, DocumentID: document, RequestID: "crawl-7/agenda", SourceID: source, SourceName: s.Name,
			SnapshotKind: model.KindHTML, FinalType: model.TypeHTML, URL: "https://www.valdoro.example/conseil/2026-03-12",
			URLCanonical: "https://www.valdoro.example/conseil/2026-03-12", URLCanonicalizationVersion: "urlcanon_v4",
			ExternalID: "https://www.valdoro.example/conseil/2026-03-12", Slug: "2026-03-12-1f0c9d2e", RetrievedAt: at(9), HTTPStatus: 200,
			ContentType: "text/html; charset=utf-8", ContentHash: "sha256:" + digestHex, ByteLength: 26, Encoding: "utf-8",
			DetectedMIME: "text/html", DetectedExt: "html", LastModified: at(8), LastModifiedOrigin: "http", SourceType: "official",
			Domain: "civics", Layer: model.LayerHot, RuleVersions: map[string]string{"urlcanon": "urlcanon_v4", "typing": "2"},
		}},
		{"run", model.Run{
			SnapshotID: snapshot, ExtractionID: extraction, SourceID: source, DocumentID: document, State: model.RunDone, PageCount: 50,
			RunOrder: 1, ParserVersion: "1", RulesDigest: digestHex, Why: "capture",
		}},
		{"page", model.Page{
			PageID: "0d5b3c6e-8f1a-5b2c-9d3e-4f5a6b7c8d9e", SnapshotID: snapshot, ExtractionID: extraction, ParserVersion: "1", PageNo: 1,
			Status: model.PageProcessed, ContentHash: digestHex, PageHash: digestHex, UnitCount: 1, Coverage: 1, Quality: 1,
			Language: &model.Language{Lang: "fr", Confidence: 1, Origin: "html_lang"},
		}},
		{"segment", model.SegmentRow{
			SnapshotID: snapshot, ExtractionID: extraction, From: 17, To: 32, ObjectKey: source + "/ir/…", Digest: digestHex, ByteLength: 18211, Processed: 16,
		}},
		{"unit", unit()},
		{"chunk", chunk()},
		{"chunk_state", model.ChunkState{ChunkRef: docHash + ":0", Layer: model.LayerHot, Since: "2026-03-12", Rev: 1}},
		{"manifest", model.Manifest{
			DocHash: docHash, Generation: 1, DocumentID: document, SourceID: source, SnapshotID: snapshot, ExtractionID: extraction,
			CanonicalURL: "https://www.valdoro.example/conseil/2026-03-12", DocType: "html", ChunkCount: 61, Status: "done",
			Fingerprint: digestHex, SegmentsDigest: digestHex, ChunkerVersion: "1", HeaderVersion: "1", Meta: model.ManifestMeta{}.Counted(model.PageCounts{Pages: 12, Tables: 3, OCRPages: 1}),
			VectorStatus: model.VectorPresent, LastPushedAt: at(9), LastPushedCollection: "kb_regulatory_hash-char4-1024_1024",
			CreatedAt: at(9), UpdatedAt: at(9),
		}},
	}
}

func unit() model.Unit {
	return model.Unit{
		IRID: unitID, SourceID: source, SourceName: "Conseil municipal de Valdoro", SnapshotID: snapshot, RetrievedAt: at(9),
		Type: model.UnitParagraph, ParserVersion: "1", ParseWarnings: []string{},
		Evidence: []model.Evidence{{
			SourceID: source, SnapshotID: snapshot, ByteSpan: &model.Span{Start: 120, End: 168}, CSSSelector: "html > body > p:nth-of-type(1)",
			XPath: "/html[1]/body[1]/p[1]", TextQuote: content, RepresentationKind: model.RepresentationRaw, FragmentHash: "sha256:" + digestHex,
		}},
		RecordLocator: model.Locator{Kind: model.LocatorEntry, URLCanonical: "https://www.valdoro.example/conseil/2026-03-12", EntryIndex: pointer(0)},
		FieldsRaw: model.Fields{
			BlockID: "paragraph_1_1a2b3c4d", HTML: "<p>" + content + "</p>", Markdown: content, Text: content, Verbatim: true, Confidence: 1,
		},
	}
}

func chunk() model.Chunk {
	const header = "TYPE: fact\nSTATUT: under_review\nDATE: 2026-03-12\nSOURCE: Conseil municipal de Valdoro\n\n"
	return model.Chunk{
		ChunkRef: docHash + ":0", DocHash: docHash, ChunkID: "0", Generation: 1, PointID: "5a6b7c8d-9e0f-4a1b-8c2d-3e4f5a6b7c8d",
		DocumentID: document, SourceID: source, SnapshotID: snapshot, ExtractionID: extraction, Text: header + content, Content: content,
		TextHash: digestHex, ContentTextHash: digestHex, Type: model.ChunkFact, Status: model.StatusUnderReview, InfoDate: "2026-03-12",
		InfoDateOrigin: "last_modified", Source: "Conseil municipal de Valdoro", SourceType: "official", DocType: "html", Domain: "civics",
		Territory: "Valdoro", Layer: model.LayerHot, Language: "fr", URL: "https://www.valdoro.example/conseil/2026-03-12",
		Title: "Conseil municipal", SectionPath: []string{"Affaires générales"}, Anchors: []model.Anchor{}, PageHint: 1, Tokens: 38,
		Provenance: model.Provenance{
			Source:     model.ProvenanceSource{SourceID: source, RecordPointer: model.RecordPointer{Kind: "snapshot", SnapshotID: snapshot, RetrievedAt: at(9)}},
			Derivation: model.Derivation{RuleVersions: map[string]string{"textnorm": "textnorm_v1"}},
			Segments: []model.Segment{
				{Start: 0, End: len(header), Synthetic: model.SyntheticHeader},
				{Start: len(header), End: len(header) + len(content), IRID: unitID, To: len(content), Page: 1},
			},
		},
		ParserVersion: "1", ChunkerVersion: "1", HeaderVersion: "1", RuleVersions: map[string]string{"textnorm": "textnorm_v1"},
	}
}
