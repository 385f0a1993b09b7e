package catalog

import (
	"slices"
	"strings"
)

// Class says how verify finds out that a column was changed.
type Class string

// The classes of columns.
const (
	Derived Class = "derived" // it is made again out of other rows, objects or points, by the function that made it
	Bound   Class = "bound"   // its digest stands in another row, or it is a digest of what is stored elsewhere
	Primary Class = "primary" // only the row says so: a change need not be found, and a backup is its only copy
	Working Class = "working" // leases, counters and clocks of the running system: nothing is proved by it, and a change need not be found
)

// Column is a column of the catalog and how verify holds it against the rest.
type Column struct {
	Table string
	Name  string
	Class Class
	Why   string // what it is derived from or bound by, or who writes it
}

// line is one line of the table below: columns that are held in one way.
type line struct {
	names string // of the columns, divided by spaces
	class Class
	why   string
}

// Columns returns every column of every table of the catalog, with its class. It is
// what docs/verify.md is written from; a test holds it against the database.
func Columns() []Column {
	var all []Column
	for _, t := range tables() {
		for _, l := range t.lines {
			for _, name := range strings.Fields(l.names) {
				all = append(all, Column{t.name, name, l.class, l.why})
			}
		}
	}
	return all
}

type table struct {
	name  string
	lines []line
}

func tables() []table {
	return slices.Concat(captureTables(), runTables(), chunkTables(), entityTables(), workingTables())
}

func captureTables() []table {
	return []table{
		{"sources", []line{
			{"source_id state record updated_at", Primary, "what an operator has registered"},
		}},
		{"captures", []line{
			{"source_id request_id", Derived, "the stored request names both"},
			{"request_digest", Derived, "sha256 of the canonical form of the request"},
			{"request", Bound, "bindings, kind request; and what the snapshot repeats of it"},
			{"url_canonical", Derived, "canonical form of the request's URL"},
			{"container", Bound, "bindings, kind request; the snapshot names the container's as its parent"},
			{"requested_at", Bound, "bindings, kind request"},
			{"outcome message snapshot_id document_id retry_after fetch_status decided_at", Bound, "bindings, kind decision"},
			{"reason", Primary, "the word for what went wrong; it stands in bindings, kind decision, too"},
			{"accepted_at", Working, "clock of the capturer: when the row was written"},
			{"announced_at progress_at", Working, "clocks of capturer and reconcile: when the outcome was published, when the request moved last"},
			{"lease_owner lease_until", Working, "lease of the capturer that works on the request"},
			{"reconciled", Working, "counter of reconcile: how often the request was published again"},
		}},
		{"fetch_windows", []line{
			{"source_id url_canonical", Derived, "a request of the source was for this URL, or its redirects led there"},
			{"url_digest", Derived, "sha256 of url_canonical"},
			{"last_fetch_at final_type snapshot_id document_id", Derived, "the newest decision of a fetch of this URL, and its snapshot"},
			{"lease_owner lease_until", Working, "lease of the request that fetches the URL"},
		}},
		{"documents", []line{
			{"document_id", Derived, "digest of source_id and external_id"},
			{"source_id external_id", Derived, "its newest snapshot; document_id is their digest"},
			{"external_digest", Derived, "sha256 of external_id"},
			{"slug", Derived, "made of the file name, else the URL, of the first snapshot, whose record has it as all others have"},
			{"host", Derived, "host of canonical_url, by the function of the capturer"},
			{"canonical_url content_type final_type source_type domain territory etag last_modified content_hash", Derived, "its newest snapshot"},
			{"current_snapshot_id current_extraction_id current_doc_hash current_generation", Derived, "the newest of its versions, by the order of versions"},
			{"current_rev", Working, "counter of the chunker: how often other chunks became current"},
			{"title language fingerprint meta", Derived, "the pages of the current version, surveyed as the chunker does"},
			{"ingest_status error_message", Derived, "its newest capture that has ended: of a version the newest run, of a container the decision of its request"},
			{"unsettled_at", Working, "clock of capturer and reconcile: what is current is to be decided anew, and since when the chunker is asked; until then the states are held against the version that the row names"},
			{"first_seen_at", Derived, "when its first snapshot was recorded"},
			{"last_checked_at last_seen_at", Working, "clocks of the capturer: the last fetch, the last time that the document was there"},
			{"last_ingested_at last_processed_at", Working, "clocks of chunker and indexer: the last version that became current, the last run that ended"},
		}},
		{"document_identities", []line{
			{"identity_digest", Derived, "sha256 of identity"},
			{"document_id", Derived, "digest of source_id and external_id"},
			{"source_id identity external_id merged_with", Derived, "the snapshots that are called so, and the document of older rules that was captured from such an address"},
			{"at", Working, "clock of the capturer: when the identity was settled"},
		}},
		{"staged_items", []line{
			{"source_id external_digest document_id", Derived, "the document, of which a version was made into chunks"},
			{"synced_at", Working, "clock of the indexer: when all vectors of the current version were in; that it is set is derived"},
		}},
		{"snapshots", []line{
			{"snapshot_id", Derived, "digest of source_id, request_id and content_hash"},
			{"document_id source_id content_hash retrieved_at snapshot_kind final_type", Derived, "the record; ids and hashes computed again from it and from the raw bytes"},
			{"process", Derived, "the outcome of its request, and the bytes of the other snapshots of its document"},
			{"record", Bound, "bindings, kind decision, of its request; raw bytes, request and chunks beside"},
			{"reads_digest", Derived, "digest of what extraction reads of the record"},
			{"version", Derived, "the order of the document's snapshots: the first of neighbours of which the same is read"},
			{"created_at", Working, "clock of the capturer: when it was recorded; a document's first_seen_at is held against those of its snapshots"},
			{"reconciled", Working, "counter of reconcile: how often its event was published again"},
			{"progress_at", Working, "clock of capturer and reconcile: when it moved last"},
		}},
	}
}

func runTables() []table {
	return []table{
		{"runs", []line{
			{"snapshot_id extraction_id", Derived, "the snapshot, and the digest of parser version, rules and explicit OCR run"},
			{"source_id document_id", Derived, "the snapshot"},
			{"state reason message", Derived, "its pages, surveyed as the chunker does; bindings, kind end, where something else has ended it"},
			{"page_count", Derived, "its pages and segments; the document, split again"},
			{"redo", Derived, "the newest of its run_ranges"},
			{"run_order", Derived, "1, 2, … among the runs of its snapshot; bindings, kind run"},
			{"parser_version rules_digest", Derived, "extraction_id is a digest of both; rules_digest is that of the rules"},
			{"rules", Derived, "rules_digest; absent when they are the snapshot's own"},
			{"facts_key facts_digest", Derived, "the document's facts, found again; the key is made of their digest"},
			{"why", Bound, "bindings, kind run"},
			{"ocr", Derived, "settings: a part of extraction_id; engines: those of its ocr_tasks, however the run has ended"},
			{"created_at", Bound, "bindings, kind run"},
			{"finished_at", Bound, "bindings, kind end"},
			{"annotated_redo", Working, "counter of the annotator: the highest redo of which the entities of all pages were told"},
			{"announced_redo", Working, "counter of the chunker: the highest redo whose end was published"},
			{"reconciled", Working, "counter of reconcile: how often it was moved on"},
			{"progress_at", Working, "clock of every stage: when it moved last"},
		}},
		{"run_ranges", []line{
			{"snapshot_id extraction_id redo from_page", Derived, "the segments of redos: each has its line, each line its segment"},
		}},
		{"pages", []line{
			{"page_id snapshot_id page_no", Derived, "page_id is a digest of both; 1, 2, … up to the run's page_count"},
			{"extraction_id", Derived, "its run"},
			{"redo", Derived, "the segment of its range that counts"},
			{"status reason error_message content_hash page_hash record", Derived, "the page's frame in that segment; without one, the end of its run"},
			{"attempts", Working, "counter of the extractor: how often the page was extracted"},
			{"updated_at", Working, "clock of the extractor"},
		}},
		{"ir_segments", []line{
			{"snapshot_id extraction_id from_page to_page redo", Derived, "the ranges of its run, and those that a redo asked for"},
			{"object_key", Derived, "made of run, range and digest"},
			{"digest byte_length", Derived, "the object"},
			{"processed failed", Derived, "the pages in the object"},
			{"created_at", Bound, "bindings, kind segment"},
		}},
		{"stored_results", []line{
			{"kind source_id picture run key engine version digest", Derived, "the ocr_tasks that it has answered, and the pages made of it"},
			{"snapshot_id created_at", Derived, "the task that it was read for, and when that was answered"},
			{"object_key", Derived, "made of source, engine, version and key"},
		}},
		{"ocr_tasks", []line{
			{"snapshot_id extraction_id redo page_no part state task", Derived, "the pages in the segments, which name what was read of them; the snapshot's bytes and languages"},
			{"updated_at", Working, "clock of the OCR workers; that of a stored result is derived from it"},
		}},
	}
}

func chunkTables() []table {
	return []table{
		{"chunk_manifests", []line{
			{"doc_hash", Derived, "digest of the snapshot's source, identity, date and type"},
			{"generation", Derived, "1, 2, … among the manifests of its doc_hash"},
			{"document_id source_id snapshot_id extraction_id redo", Derived, "its run, and the segments that it is made of"},
			{"canonical_url source_file doc_type", Derived, "the snapshot"},
			{"chunk_count", Derived, "its chunks, cut again"},
			{"status", Derived, "done: what is not done yet, or has failed, is said by its run"},
			{"same_as", Derived, "the first version of its document with its fingerprint"},
			{"meta", Derived, "the version whose chunks are its own; the chunker of a domain, which is chosen again; what is counted again of its pages, of which rows of before have nothing"},
			{"fingerprint", Derived, "the units of its pages"},
			{"segments_digest", Derived, "digest of the digests of the segments that counted"},
			{"chunker_version header_version", Derived, "its chunks name both; of the versions at hand they are cut again"},
			{"failed_pages", Derived, "the segments that counted; null for versions of before"},
			{"left_out", Derived, "the units of its pages, counted again; null for versions of before"},
			{"vector_status error_message", Derived, "the vectors that its chunks have or point to"},
			{"last_pushed_collection", Derived, "the active collection, once chunks of it were pushed"},
			{"created_at", Bound, "bindings, kind manifest"},
			{"updated_at last_pushed_at", Working, "clocks of chunker and indexer"},
		}},
		{"chunks", []line{
			{"chunk_ref point_id doc_hash generation chunk_index document_id source_id snapshot_id text content text_hash " +
				"content_text_hash source_type provenance record", Derived, "cut again from the segments, field by field; each walks down to the captured bytes"},
			{"blocks", Derived, "cut again from the segments; null for versions of before, of which no chunk has any"},
			{"created_at", Working, "clock of the chunker"},
		}},
		{"chunk_state", []line{
			{"chunk_ref", Derived, "the chunk"},
			{"layer repeats since", Derived, "the chunks of all versions of the document, linked as the chunker does"},
			{"duplicate_of", Derived, "knowledge of its text"},
			{"rev changed_by", Derived, "the log of chunks"},
		}},
		{"knowledge", []line{
			{"text_hash source_type chunk_ref", Derived, "the chunks outside of the archive that say it and are no duplicates: one"},
		}},
		{"chunk_log", []line{
			{"seq chunk_ref rev change cause replaced_by snapshot_id extraction_id redo at txid", Bound, "bindings, kind log; the newest revision is that of the state"},
			{"published", Derived, "set once it is old: what is not is published again"},
			{"reconciled", Working, "counter of reconcile"},
		}},
		{"collections", []line{
			{"name alias model dimensions state", Derived, "the vector store: what the alias leads to, and of how many dimensions; the name is made of the others"},
			{"created_at", Working, "clock of the indexer"},
		}},
		{"chunk_vectors", []line{
			{"chunk_ref collection point_id", Derived, "the chunk, the registered collections"},
			{"pushed_rev present", Derived, "the state of the chunk, and the point in the vector store"},
			{"pushed_at", Working, "clock of the indexer"},
			{"reconciled", Working, "counter of reconcile; -1 for a vector that could not be made"},
		}},
		{"bindings", []line{
			{"kind key digest", Derived, "the rows that it binds"},
		}},
	}
}

func entityTables() []table {
	return []table{
		{"entity_pages", []line{
			{"snapshot_id page_no extractor_version prompt_version source_id document_id extraction_id run_order status reason error_message " +
				"content_hash input_hash result", Derived, "the page's units, read again by the extractor of this version; bindings, kind annotation"},
			{"superseded", Bound, "bindings, kind annotation"},
			{"attempts announced created_at updated_at", Working, "counters, notes and clocks of the annotator: how often the page was read, whether that was told"},
		}},
		{"entities", []line{
			{"snapshot_id page_no entity_type entity_id source_id document_id extraction_id extractor_version prompt_version ordinal title payload",
				Derived, "the page's units, read again by the extractor of this version; of others each value stands where its grounds say; bindings, kind entities"},
			{"superseded created_at", Bound, "bindings, kind entities"},
			{"updated_at", Working, "clock of the annotator"},
		}},
		{"enrichments", []line{
			{"snapshot_id extraction_id redo chunker_version source_id document_id", Derived, "its run, and a manifest of it"},
			{"model object_key digest", Derived, "an answer of a model; the manifests that were made with it name it"},
			{"dropped", Working, "counters of the chunker: what of the proposals did not stand in the chunks, by reason"},
			{"created_at", Working, "clock of the annotator"},
		}},
		{"enrichment_waits", []line{
			{"snapshot_id extraction_id redo chunker_version source_id document_id", Derived, "its run, which has not landed"},
			{"contents", Working, "the chunker: what a model is asked about before the version lands, made again when it is asked about anew; what lands is derived from segments and the answer"},
			{"until created_at", Working, "clocks of the chunker: from when the version waits, and until when"},
		}},
		{"llm_answers", []line{
			{"source_id model prompt_version input_hash snapshot_id object_key digest created_at", Bound, "bindings, kind answer"},
		}},
	}
}

func workingTables() []table {
	return []table{
		{"fetch_hosts", []line{{"host next_turn asked_at not_before", Working, "clocks of the capturer: when a host may be asked again"}}},
		{"fetch_turns", []line{{"host owner turn_at seen_at asking_until", Working, "leases of the capturer: who waits to ask a host"}}},
		{"attempts", []line{{"consumer message_id failures starts last_error updated_at", Working, "counters of the runner of each stage: deliveries that did not end well"}}},
		{"adopted_objects", []line{{"bucket key at", Working, "clocks of capturer and extractor: objects that reconcile leaves alone for a while"}}},
		{"chunk_words", []line{
			{"chunk_ref words fulltext", Working, "the janitor: an index of the chunks' contents, in which quotations are compared letter by letter; a row whose words are null is made again"},
			{"blocks", Working, "the janitor: an index of the chunks' blocks; what it leads to is held against these"},
		}},
		{"embedding_cache", []line{{"model dimensions text_hash vector made_at", Working, "the indexer: what an endpoint was paid for; no other machine can make it again, and searches use the copy in the vector store"}}},
		{"llm_use", []line{{"day source_id model calls question_tokens answer_tokens", Working, "counters of the annotator: what a model has cost on a day"}}},
		{"embedding_use", []line{{"day model tokens", Working, "counters of the indexer: what was embedded on a day"}}},
		{"audit", []line{
			{"seq at who action target why", Primary, "who did what, as it was done"},
			{"published", Working, "note of command and reconcile: whether a change of a source was told"},
		}},
		{"epochs", []line{
			{"name began_at log_seq", Working, "notes of migrate: the copies of the catalog; consumers compare their names, and nothing is proved by them"},
		}},
		{"goose_db_version", []line{{"id version_id is_applied tstamp", Working, "counters of migrate: which migrations were applied"}}},
	}
}
