package main

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/statement"
)

func chunkRules(s *shelf) map[string]func(said) error {
	return map[string]func(said) error{
		"chunk.chunk.chunk_ref": func(v said) error {
			return equal(v.chunk.Chunk.ChunkRef, digest.ChunkRef(v.chunk.Chunk.DocHash, v.chunk.Chunk.ChunkID))
		},
		"chunk.chunk.point_id":          func(v said) error { return equal(v.chunk.Chunk.PointID, digest.PointID(v.chunk.Chunk.ChunkRef)) },
		"chunk.chunk.text_hash":         func(v said) error { return equal(v.chunk.Chunk.TextHash, digest.Text(v.chunk.Chunk.Text)) },
		"chunk.chunk.content_text_hash": func(v said) error { return equal(v.chunk.Chunk.ContentTextHash, digest.Text(v.chunk.Chunk.Content)) },
		"chunk.chunk.text": func(v said) error {
			return expect(strings.HasSuffix(v.chunk.Chunk.Text, "\n\n"+v.chunk.Chunk.Content), "header and content")
		},
		"chunk.chunk.info_date": func(v said) error {
			if v.chunk.Chunk.InfoDateOrigin == "published" { // by an element of the page's head, which is in no unit
				return looksLike(`[12][0-9]{3}-[01][0-9]-[0-3][0-9]`)(v)
			}
			if !strings.HasPrefix(v.chunk.Chunk.InfoDateOrigin, statement.OriginText) {
				return equal(v.chunk.Chunk.InfoDate, v.snapshot.LastModified.UTC().Format(time.DateOnly))
			}
			day, err := time.Parse(time.DateOnly, v.chunk.Chunk.InfoDate)
			return errorsOf(err, s.inText(v.chunk.Chunk.SnapshotID, day.Format("2006")), s.inText(v.chunk.Chunk.SnapshotID, day.Format("2")))
		},
		"chunk.chunk.meta.actors[]": func(v said) error {
			return s.inText(v.chunk.Chunk.SnapshotID, fmt.Sprint(v.value))
		},
		"chunk.chunk.meta.kind_of_content": looksLike(words),
		"chunk.chunk.meta.legal_cues[]":    looksLike(words),
		"chunk.chunk.meta.tags[]":          looksLike(words),
		"chunk.chunk.meta.topic":           looksLike(words),
		"chunk.chunk.meta.type_guess":      oneOf(string(model.ChunkFact), string(model.ChunkAllegation), string(model.ChunkOpinion)),
		"chunk.chunk.document_id":          func(v said) error { return equal(v.chunk.Chunk.DocumentID, v.snapshot.DocumentID) },
		"chunk.chunk.url":                  func(v said) error { return equal(v.chunk.Chunk.URL, cmp.Or(v.snapshot.URL, v.snapshot.ExternalID)) },
		"chunk.chunk.doc_type":             func(v said) error { return equal(v.chunk.Chunk.DocType, string(v.snapshot.FinalType)) },
		"chunk.chunk.language":             code,
		"chunk.chunk.tokens": func(v said) error {
			return expect(v.chunk.Chunk.Tokens > 0 && v.chunk.Chunk.Tokens <= len(v.chunk.Chunk.Text), "a number of tokens")
		},
		"chunk.chunk.section_path[]": func(v said) error {
			for _, u := range s.units {
				if u.Type == model.UnitHeading && u.SnapshotID == v.chunk.Chunk.SnapshotID && strings.HasPrefix(squeezed(u.FieldsRaw.Text), squeezed(fmt.Sprint(v.value))) {
					return nil
				}
			}
			return fmt.Errorf("no heading of the document says so")
		},
		"chunk.chunk.page_hint": func(v said) error { return equal(v.chunk.Chunk.PageHint, v.chunk.Chunk.Places()[0].Page) },
		"chunk.chunk.provenance.segments[].ir_id": func(v said) error {
			for _, p := range v.chunk.Chunk.Provenance.Segments {
				u := s.units[p.IRID]
				switch {
				case p.Synthetic != "":
				case u == nil:
					return fmt.Errorf("there is no unit %s", p.IRID)
				case u.FieldsRaw.Text[p.From:p.To] != v.chunk.Chunk.Text[p.Start:p.End]:
					return fmt.Errorf("%s says something else", p.IRID)
				}
			}
			return nil
		},
		"chunk.source_ref.kind": func(v said) error {
			return equal(v.chunk.SourceRef.Kind == model.SourceWebpage, v.snapshot.SnapshotKind == model.KindHTML)
		},
		"chunk.source_ref.page_number": func(v said) error { return equal(v.chunk.SourceRef.PageNumber, v.chunk.Chunk.PageHint) },
		"chunk.source_ref.text_region": func(v said) error {
			u := s.units[v.chunk.Chunk.Places()[0].IRID]
			begins, _, _ := strings.Cut(u.SourceRef.TextRegion, " ") // heading of heading 3, lines of lines 3-5
			return expect(strings.HasPrefix(v.chunk.SourceRef.TextRegion, strings.TrimSuffix(begins, "s")), "where its first unit stands")
		},
		"chunk.source_ref.selector": func(v said) error {
			for _, at := range v.chunk.Chunk.Places() {
				if !strings.HasPrefix(s.units[at.IRID].Evidence[0].CSSSelector, v.chunk.SourceRef.Selector) {
					return fmt.Errorf("%s stands elsewhere", at.IRID)
				}
			}
			return nil
		},
	}
}

func manifestRules(s *shelf) map[string]func(said) error {
	return map[string]func(said) error{
		"manifest.doc_type":      func(v said) error { return equal(v.manifest.DocType, string(v.snapshot.FinalType)) },
		"manifest.canonical_url": func(v said) error { return equal(v.manifest.CanonicalURL, v.snapshot.URLCanonical) },
		"manifest.source_file":   func(v said) error { return equal(v.manifest.SourceFile, v.snapshot.Filename) },
		"manifest.chunk_count": func(v said) error {
			return equal(v.manifest.ChunkCount, s.chunks[v.manifest.DocHash])
		},
		"manifest.meta.pages": func(v said) error {
			n := 0
			for _, p := range s.pages {
				if p.SnapshotID == v.manifest.SnapshotID {
					n++
				}
			}
			return equal(*v.manifest.Meta.Pages, n)
		},
		"manifest.meta.tables": func(v said) error {
			n := 0
			for _, u := range s.units {
				if u.SnapshotID == v.manifest.SnapshotID && u.Type == model.UnitTable {
					n++
				}
			}
			return equal(*v.manifest.Meta.Tables, n)
		},
		"manifest.status": func(v said) error {
			return expect(slices.Contains([]model.ManifestStatus{model.ManifestDone, model.ManifestError}, v.manifest.Status), "an end")
		},
	}
}

// chunkDetailRules are of the fields of chunks beside those of [chunkRules].
func chunkDetailRules(s *shelf) map[string]rule {
	ofSnapshot := func(of func(model.Snapshot) any) rule { return same(func(v said) any { return of(v.snapshot) }) }
	tiles := func(v said) error {
		c := v.chunk.Chunk
		return errorsOf(c.Provenance.Tile(c.Text), equal(c.Provenance.Segments[0].Synthetic, model.SyntheticHeader))
	}
	rules := func(v said) error {
		for name, version := range v.snapshot.RuleVersions {
			if v.chunk.Chunk.RuleVersions[name] != version || v.chunk.Chunk.Provenance.Derivation.RuleVersions[name] != version {
				return fmt.Errorf("%s is another version than that of the snapshot", name)
			}
		}
		return nil
	}
	onPage := func(v said) error {
		n, _ := v.value.(float64)
		return expect(int(n) <= s.pagesOf(v.chunk.Chunk.SnapshotID), "a page of the document")
	}
	inText := func(v said) error { return s.inText(v.chunk.Chunk.SnapshotID, fmt.Sprint(v.value)) }
	return map[string]rule{
		"chunk.chunk.chunk_id": same(func(v said) any { return digest.ChunkID(v.chunk.Chunk.ChunkIndex, v.chunk.Chunk.Generation) }),
		"chunk.chunk.chunk_index": func(v said) error {
			return expect(v.chunk.Chunk.ChunkIndex < s.chunks[v.chunk.Chunk.DocHash], "one of the version")
		},
		"chunk.chunk.doc_hash":        ofSnapshot(func(n model.Snapshot) any { return docHash(n) }),
		"chunk.chunk.content":         s.fromUnits,
		"chunk.chunk.chunker_version": oneOf(model.ChunkerVersion),
		"chunk.chunk.header_version":  oneOf(header.Version),
		"chunk.chunk.parser_version":  oneOf(extract.ParserVersion),
		"chunk.chunk.extraction_id":   looksLike(hex16),
		"chunk.chunk.generation":      oneOf("1"),
		"chunk.chunk.domain":          ofSnapshot(func(n model.Snapshot) any { return n.Domain }),
		"chunk.chunk.territory":       ofSnapshot(func(n model.Snapshot) any { return n.Territory }),
		"chunk.chunk.layer":           ofSnapshot(func(n model.Snapshot) any { return n.Layer }),
		"chunk.chunk.source":          ofSnapshot(func(n model.Snapshot) any { return n.SourceName }),
		"chunk.chunk.source_id":       ofSnapshot(func(n model.Snapshot) any { return n.SourceID }),
		"chunk.chunk.source_type":     ofSnapshot(func(n model.Snapshot) any { return n.SourceType }),
		"chunk.chunk.snapshot_id":     ofSnapshot(func(n model.Snapshot) any { return n.SnapshotID }),
		"chunk.chunk.info_date_origin": func(v said) error {
			if kind, ok := strings.CutPrefix(v.chunk.Chunk.InfoDateOrigin, statement.OriginText); ok {
				return expect(kind != "", "a kind of date")
			}
			return expect(v.chunk.Chunk.InfoDateOrigin == "published" || v.chunk.Chunk.InfoDateOrigin == v.snapshot.LastModifiedOrigin, "published, or that of last_modified")
		},
		"chunk.chunk.host": func(v said) error {
			u, err := url.Parse(v.snapshot.URL)
			return errorsOf(err, equal(v.chunk.Chunk.Host, u.Hostname()))
		},
		"chunk.chunk.status": oneOf(string(model.StatusUnderReview)),
		"chunk.chunk.type": func(v said) error {
			return equal(v.chunk.Chunk.Type == model.ChunkOpinion, v.snapshot.SourceType == "comment")
		},
		"chunk.chunk.title":                               s.titled,
		"chunk.chunk.anchors[].page":                      onPage,
		"chunk.chunk.anchors[].text":                      inText,
		"chunk.chunk.anchors[].type":                      oneOf("artigo", "article", "articolo", "agenda_item", "section"),
		"chunk.chunk.rule_versions":                       rules,
		"chunk.chunk.provenance.derivation.rule_versions": rules,
		"chunk.chunk.provenance.segments[].start":         tiles,
		"chunk.chunk.provenance.segments[].end":           tiles,
		"chunk.chunk.provenance.segments[].from":          tiles,
		"chunk.chunk.provenance.segments[].to":            tiles,
		"chunk.chunk.provenance.segments[].synthetic": oneOf(model.SyntheticHeader, model.SyntheticContext, model.SyntheticHeadingContext, model.SyntheticTableHeader,
			model.SyntheticSeparator),
		"chunk.chunk.provenance.segments[].page":                    onPage,
		"chunk.chunk.provenance.source.source_id":                   ofSnapshot(func(n model.Snapshot) any { return n.SourceID }),
		"chunk.chunk.provenance.source.record_pointer.kind":         oneOf("snapshot"),
		"chunk.chunk.provenance.source.record_pointer.snapshot_id":  ofSnapshot(func(n model.Snapshot) any { return n.SnapshotID }),
		"chunk.chunk.provenance.source.record_pointer.retrieved_at": ofSnapshot(func(n model.Snapshot) any { return n.RetrievedAt }),
		"chunk.source_ref.captured_at":                              ofSnapshot(func(n model.Snapshot) any { return n.RetrievedAt }),
		"chunk.source_ref.url": func(v said) error {
			return expect(v.chunk.SourceRef.URL == v.snapshot.URL || v.chunk.SourceRef.URL == v.snapshot.ExternalID, "that of the page")
		},
		"chunk.source_ref.filename": func(v said) error {
			return expect(v.snapshot.MemberPath != "" || v.chunk.SourceRef.Filename == v.snapshot.Filename, "that of the file")
		},
		"chunk.source_ref.section": inText,
		"chunk.state.chunk_ref":    same(func(v said) any { return v.chunk.Chunk.ChunkRef }),
		"chunk.state.changed_by": func(v said) error {
			by := strings.Split(v.chunk.State.ChangedBy, "/")
			return expect(len(by) == 3 && s.snapshots[by[0]].DocumentID == v.snapshot.DocumentID, "a run of the document")
		},
		"chunk.state.layer": func(v said) error {
			return expect(v.chunk.State.Layer == v.snapshot.Layer || v.chunk.State.Layer == model.LayerArchive && s.newest[v.snapshot.DocumentID] != v.snapshot.SnapshotID, "as the version is")
		},
		"chunk.state.rev": func(v said) error { return equal(v.chunk.State.Rev > 1, v.chunk.State.Layer == model.LayerArchive) },
		"chunk.state.since": func(v said) error {
			return expect(v.chunk.State.Since <= v.chunk.Chunk.InfoDate, "its day or one before")
		},
		"chunk.state.repeats":      s.repeatsContent,
		"chunk.state.duplicate_of": s.repeatsText,
	}
}

func docHash(n model.Snapshot) string {
	return digest.DocHash(n.SourceID, n.ExternalID, digest.LastModified(n.LastModified), string(n.FinalType))
}

// repeatsContent reports whether a chunk repeats one of its document with equal content.
func (s *shelf) repeatsContent(v said) error {
	other := s.chunksByRef[v.chunk.State.Repeats]
	return expect(other != nil && other.Chunk.DocumentID == v.chunk.Chunk.DocumentID && other.Chunk.ContentTextHash == v.chunk.Chunk.ContentTextHash, "a chunk of its document with its content")
}

// repeatsText reports whether a chunk's text is that of another.
func (s *shelf) repeatsText(v said) error {
	other := s.chunksByRef[v.chunk.State.DuplicateOf]
	return expect(other != nil && other != v.chunk && other.Chunk.TextHash == v.chunk.Chunk.TextHash, "another chunk with its text")
}

// fromUnits reports whether the parts of a chunk that are of units say what these say, and
// whether there is one.
func (s *shelf) fromUnits(v said) error {
	proved := 0
	for _, part := range v.chunk.Chunk.Provenance.Segments {
		if u := s.units[part.IRID]; u != nil {
			proved += part.End - part.Start
			if u.FieldsRaw.Text[part.From:part.To] != v.chunk.Chunk.Text[part.Start:part.End] {
				return fmt.Errorf("%s says something else", part.IRID)
			}
		}
	}
	return expect(proved > 0, "proved by any unit")
}

// manifestDetailRules are of the fields of manifests beside those of [manifestRules].
func manifestDetailRules(s *shelf) map[string]rule {
	left := func(v said) error {
		var want model.LeftOut
		for _, u := range s.order[v.manifest.SnapshotID] {
			want.Add(*u)
		}
		got := v.manifest.LeftOut
		return errorsOf(equal(got.Text, want.Text), equal(got.Furniture, want.Furniture), equal(got.Heads, want.Heads))
	}
	return map[string]rule{
		"manifest.doc_hash":        same(func(v said) any { return docHash(s.snapshots[v.manifest.SnapshotID]) }),
		"manifest.document_id":     same(func(v said) any { return s.snapshots[v.manifest.SnapshotID].DocumentID }),
		"manifest.source_id":       same(func(v said) any { return s.snapshots[v.manifest.SnapshotID].SourceID }),
		"manifest.snapshot_id":     func(v said) error { return expect(s.snapshots[v.manifest.SnapshotID].SnapshotID != "", "a snapshot") },
		"manifest.extraction_id":   looksLike(hex16),
		"manifest.generation":      oneOf("1"),
		"manifest.chunker_version": oneOf(model.ChunkerVersion),
		"manifest.header_version":  oneOf(header.Version),
		"manifest.fingerprint": same(func(v said) any {
			var f digest.Fingerprint
			for _, u := range s.order[v.manifest.SnapshotID] {
				switch u.Type {
				case model.UnitFurniture, model.UnitPageHeader, model.UnitPageFooter, model.UnitError:
				default:
					f.Add(u.FieldsRaw.Text)
				}
			}
			return f.Sum()
		}),
		"manifest.segments_digest": looksLike(hex64),
		"manifest.error_message": func(v said) error {
			return equal(v.manifest.Status == model.ManifestError, v.manifest.ErrorMessage != "")
		},
		"manifest.left_out.text":      left,
		"manifest.left_out.furniture": left,
		"manifest.left_out.heads":     left,
		"manifest.left_out.classes":   func(v said) error { return equal(s.snapshots[v.manifest.SnapshotID].SnapshotKind, model.KindHTML) },
		"manifest.meta.ocr_pages":     func(v said) error { return equal(*v.manifest.Meta.OCRPages, s.ocrPages(v.manifest.SnapshotID)) },
		"manifest.meta.same_as_doc_hash": func(v said) error {
			return expect(s.chunks[v.manifest.Meta.SameDocHash] > 0, "of a version that has chunks")
		},
		"manifest.meta.chunker":            looksLike(words),
		"manifest.meta.chunker_why":        looksLike(`.+ .+`),
		"manifest.meta.same_as_generation": oneOf("1"),
		"manifest.same_as": func(v said) error {
			return equal(s.snapshots[v.manifest.SameAs].DocumentID, v.manifest.DocumentID)
		},
		"manifest.vector_status": func(v said) error {
			return equal(v.manifest.VectorStatus == model.VectorPresent, v.manifest.Status == model.ManifestDone)
		},
		"manifest.last_pushed_collection": func(v said) error {
			return expect(strings.HasPrefix(v.manifest.LastPushedCollection, "kb_regulatory_"), "a collection of the alias")
		},
		"manifest.last_pushed_at": lately,
		"manifest.created_at":     lately,
		"manifest.updated_at": func(v said) error {
			return errorsOf(lately(v), expect(!v.manifest.UpdatedAt.Before(v.manifest.CreatedAt), "after it was made"))
		},
	}
}

func (s *shelf) ocrPages(snapshotID string) (n int) {
	for _, p := range s.pages {
		if p.SnapshotID == snapshotID && slices.ContainsFunc(s.unitsOn(p), func(u *model.Unit) bool { return u.OCREngine != "" }) {
			n++
		}
	}
	return n
}

func documentRules(s *shelf) map[string]rule {
	ofSnapshot := func(of func(model.Snapshot) any) rule {
		return same(func(v said) any { return of(s.snapshots[s.newest[v.document.DocumentID]]) })
	}
	ofManifest := func(of func(model.Manifest) any) rule {
		return same(func(v said) any { return of(s.manifestOf(v.document)) })
	}
	return map[string]rule{
		"document.document_id":   same(func(v said) any { return digest.DocumentID(v.document.SourceID, v.document.ExternalID) }),
		"document.source_id":     oneOf("shelf", "river"),
		"document.external_id":   ofSnapshot(func(n model.Snapshot) any { return n.ExternalID }),
		"document.canonical_url": ofSnapshot(func(n model.Snapshot) any { return n.URLCanonical }),
		"document.slug":          ofSnapshot(func(n model.Snapshot) any { return n.Slug }),
		"document.content_hash":  ofSnapshot(func(n model.Snapshot) any { return n.ContentHash }),
		"document.content_type":  ofSnapshot(func(n model.Snapshot) any { return n.ContentType }),
		"document.final_type":    ofSnapshot(func(n model.Snapshot) any { return n.FinalType }),
		"document.source_type":   ofSnapshot(func(n model.Snapshot) any { return n.SourceType }),
		"document.domain":        ofSnapshot(func(n model.Snapshot) any { return n.Domain }),
		"document.territory":     ofSnapshot(func(n model.Snapshot) any { return n.Territory }),
		"document.etag":          ofSnapshot(func(n model.Snapshot) any { return n.ETag }),
		"document.last_modified": ofSnapshot(func(n model.Snapshot) any { return n.LastModified }),
		"document.meta.url":      ofSnapshot(func(n model.Snapshot) any { return n.URL }),
		"document.host": ofSnapshot(func(n model.Snapshot) any {
			u, err := url.Parse(n.URL)
			if err != nil {
				return err.Error()
			}
			return u.Hostname()
		}),
		"document.current_snapshot_id":   ofSnapshot(func(n model.Snapshot) any { return n.SnapshotID }),
		"document.current_extraction_id": ofManifest(func(m model.Manifest) any { return m.ExtractionID }),
		"document.current_generation":    ofManifest(func(m model.Manifest) any { return m.Generation }),
		"document.fingerprint":           ofManifest(func(m model.Manifest) any { return m.Fingerprint }),
		"document.error_message":         ofManifest(func(m model.Manifest) any { return m.ErrorMessage }),
		"document.current_doc_hash": func(v said) error {
			for _, m := range s.manifests[v.document.DocumentID] {
				if m.SnapshotID == v.document.CurrentSnapshotID && (m.DocHash == v.document.CurrentDocHash || m.Meta.SameDocHash == v.document.CurrentDocHash) {
					return nil
				}
			}
			return fmt.Errorf("no manifest of its current snapshot has it, or is the same as it")
		},
		"document.ingest_status": func(v said) error {
			return equal(v.document.IngestStatus == model.IngestError, v.document.ErrorMessage != "")
		},
		"document.language":          code,
		"document.title":             s.titled,
		"document.meta.title":        same(func(v said) any { return v.document.Title }),
		"document.meta.tags[]":       inBytes,
		"document.first_seen_at":     lately,
		"document.last_seen_at":      lately,
		"document.last_checked_at":   lately,
		"document.last_ingested_at":  lately,
		"document.last_processed_at": lately,
	}
}

// manifestOf is the manifest of the chunks of a document's current version; of one that has
// none that of its error.
func (s *shelf) manifestOf(d *model.Document) model.Manifest {
	for _, m := range s.manifests[d.DocumentID] {
		if m.Status == model.ManifestDone && m.DocHash == d.CurrentDocHash && m.Generation == d.CurrentGeneration || m.Status == model.ManifestError && d.CurrentDocHash == "" {
			return m
		}
	}
	return model.Manifest{}
}
