package access

import "slices"

// table is a right on a table: r reads rows, i inserts, d deletes; the columns are those
// that may change.
func table(name, verbs, why string, columns ...string) Table {
	t := Table{Name: name, Update: columns, Why: why}
	for _, verb := range verbs {
		switch verb {
		case 'r':
			t.Select = true
		case 'i':
			t.Insert = true
		case 'd':
			t.Delete = true
		}
	}
	return t
}

// attempts are the rights of who handles messages: failures are counted in the catalog.
func attempts() Table {
	return table("attempts", "rid", "it counts what fails and what may kill it, and forgets what is done",
		"failures", "starts", "last_error", "updated_at")
}

// adopts are the rights of who stores objects: one that is there already, and that no
// row names, may be deleted at any moment, which a note prevents. So it reads the rows
// that name objects of the bucket.
func adopts(naming ...string) []Table {
	rights := []Table{table("adopted_objects", "ri", "it notes that it uses an object that it found in its place", "at")}
	for _, name := range naming {
		rights = append(rights, table(name, "r", "it asks whether a row names an object that it found in its place"))
	}
	return rights
}

// binds is the right of who decides what only its row says: the row gets a digest.
func binds() Table {
	return table("bindings", "ri", "what it decides, and only its row says, gets a digest", "digest")
}

// unbinds is the right of who opens again what was decided: the digest goes with the
// decision.
func unbinds() Table {
	return table("bindings", "d", "what is opened again is decided no more")
}

// joined puts the rights on one table together, and adds that of all services.
func joined(groups ...[]Table) []Table {
	all := []Table{table("goose_db_version", "r", "it waits, un-ready, while the schema is older than its build")}
	for _, t := range slices.Concat(groups...) {
		i := slices.IndexFunc(all, func(known Table) bool { return known.Name == t.Name })
		if i < 0 {
			all = append(all, t)
			continue
		}
		known := &all[i]
		known.Select, known.Insert, known.Delete = known.Select || t.Select, known.Insert || t.Insert, known.Delete || t.Delete
		known.Update = append(known.Update, t.Update...)
		known.Why += "; " + t.Why
	}
	return all
}

func capturerTables() []Table {
	return joined(adopts("snapshots"), []Table{
		attempts(), binds(), unbinds(),
		table("sources", "ri", "it reads a source's rules, and registers unknown ones where that is switched on"),
		table("captures", "ri", "it accepts and decides requests", "outcome", "reason", "message", "retry_after", "fetch_status",
			"snapshot_id", "document_id", "lease_owner", "lease_until", "decided_at", "announced_at", "progress_at"),
		table("fetch_windows", "ri", "two requests for one address fetch once",
			"lease_owner", "lease_until", "last_fetch_at", "final_type", "snapshot_id", "document_id"),
		table("fetch_hosts", "ri", "hosts are asked one after the other, and not too often", "host", "next_turn", "asked_at", "not_before"),
		table("fetch_turns", "rid", "who waits for a host waits in a queue", "seen_at", "asking_until"),
		table("documents", "ri", "it makes documents, and says when they were seen and what was captured last",
			"canonical_url", "host", "content_type", "final_type", "source_type", "domain", "territory", "etag", "last_modified",
			"content_hash", "last_checked_at", "last_seen_at", "last_ingested_at", "ingest_status", "error_message", "unsettled_at"),
		table("document_identities", "ri", "it knows again what was captured under older rules"),
		table("snapshots", "ri", "it records snapshots, and orders those of a document", "version", "reads_digest", "process", "progress_at"),
		table("runs", "r", "it asks what became of the versions beside a capture"),
		table("run_ranges", "r", "it tells the chunker again about a run that is complete"),
		table("ir_segments", "r", "it tells the chunker again about a run that is complete"),
		table("chunk_manifests", "r", "it asks which version is current"),
	})
}

func splitterTables() []Table {
	return joined(adopts("ir_segments", "stored_results", "runs", "llm_answers"), []Table{
		attempts(), binds(), unbinds(),
		table("sources", "r", "a run is made under the rules of its source"),
		table("snapshots", "r", "it reads what was captured, and holds it while it starts a run", "progress_at"),
		table("runs", "ri", "it starts runs and redos", "redo", "state", "finished_at", "reason", "message", "page_count",
			"facts_key", "facts_digest", "progress_at", "reconciled"),
		table("pages", "ri", "it makes the rows of pages, and reads which have failed"),
		table("run_ranges", "ri", "a redo asks for some ranges again"),
	})
}

// started are the rights of who starts a run.
func started() []Table {
	return []Table{
		table("snapshots", "r", "it reads what was captured, and holds it while it starts a run", "progress_at"),
		table("runs", "ri", "it starts a run under its own version in place of one of another parser", "state", "finished_at"),
		table("pages", "ri", "a run that is started has rows for its pages"),
	}
}

func extractTables() []Table {
	return joined(adopts("ir_segments", "stored_results", "runs", "llm_answers"), started(), []Table{
		attempts(), binds(),
		table("runs", "r", "it says that a run makes progress, and which engine had read its pages before", "state", "ocr", "progress_at", "reconciled"),
		table("pages", "ri", "it says what became of each page",
			"status", "reason", "error_message", "content_hash", "page_hash", "record", "redo", "attempts", "updated_at"),
		table("ir_segments", "ri", "it names the segment that counts"),
		table("ocr_tasks", "ri", "it asks for pages to be read, or refuses where OCR is off", "state", "task", "updated_at"),
		table("stored_results", "r", "it reads what OCR has read"),
		table("attempts", "r", "a page's row says how often it was tried"),
	})
}

func ocrTables() []Table {
	return joined(adopts("ir_segments", "stored_results", "runs", "llm_answers"), []Table{
		attempts(),
		table("snapshots", "r", "it reads what was captured"),
		table("runs", "r", "it says that a run makes progress, and which engine has read it", "ocr", "progress_at", "reconciled"),
		table("ocr_tasks", "r", "it answers what it was asked to read", "state", "task", "updated_at"),
		table("stored_results", "ri", "it says which result counts: the first"),
	})
}

func chunkerTables() []Table {
	return joined([]Table{
		attempts(), binds(),
		table("snapshots", "r", "headers and versions are made of what was captured"),
		table("captures", "r", "which version is current depends on what captures have decided"),
		table("documents", "r", "it says which version is current, and what became of it",
			"current_snapshot_id", "current_extraction_id", "current_doc_hash", "current_generation", "current_rev", "fingerprint", "title", "language", "meta",
			"last_ingested_at", "last_processed_at", "ingest_status", "error_message", "unsettled_at"),
		table("staged_items", "ri", "it notes what waits for its vectors", "synced_at"),
		table("runs", "r", "it ends runs", "state", "reason", "message", "finished_at", "progress_at", "reconciled", "announced_redo"),
		table("run_ranges", "r", "it asks whether a run is complete"),
		table("pages", "r", "pages of a run that has ended are not left pending", "status", "reason", "error_message", "updated_at"),
		table("ir_segments", "r", "it reads which segments count"),
		table("chunk_manifests", "ri", "it records what was made of a version", "same_as", "updated_at", "meta"),
		table("chunks", "ri", "it makes chunks"),
		table("enrichments", "r", "it asks what a model has proposed for chunks, and counts what of it does not stand", "dropped"),
		table("enrichment_waits", "rid", "versions wait for what a model proposes for their chunks", "chunker_version", "contents"),
		table("chunk_words", "i", "a chunk that is made has a row for its words"),
		table("chunk_state", "ri", "it says which chunks stand", "layer", "repeats", "since", "duplicate_of", "rev", "changed_by"),
		table("knowledge", "rid", "it says which chunk stands for a text", "chunk_ref"),
		table("chunk_log", "ri", "it logs each change and that it was told", "published"),
		table("epochs", "r", "the event of a change names the catalog's epoch"),
	})
}

func annotatorTables() []Table {
	return joined(adopts("ir_segments", "stored_results", "runs", "llm_answers"), []Table{
		attempts(), binds(),
		table("runs", "r", "it asks whether a run is complete, and says that its entities were told", "annotated_redo"),
		table("run_ranges", "r", "it asks whether a run is complete"),
		table("snapshots", "r", "it asks which schemas of entities of their own pages are read by"),
		table("pages", "r", "it asks what pages leave open, and whether they have changed"),
		table("ir_segments", "r", "it reads which segments count"),
		table("entity_pages", "ri", "it says what became of each page", "extraction_id", "run_order", "status", "reason", "error_message",
			"content_hash", "input_hash", "result", "superseded", "attempts", "announced", "updated_at"),
		table("llm_answers", "ri", "it says which answer of a model counts: the first"),
		table("chunks", "r", "it asks a model about chunks"),
		table("enrichment_waits", "r", "it asks a model about chunks whose version waits for the answer"),
		table("enrichments", "ri", "it says which object has what a model proposes for chunks", "model", "object_key", "digest"),
		table("llm_use", "ri", "what a model costs is counted by source and day, and bounded where that is set", "calls", "question_tokens", "answer_tokens"),
		table("entities", "ri", "it records what pages say", "extraction_id", "extractor_version", "prompt_version", "ordinal", "title", "payload",
			"superseded", "updated_at"),
	})
}

func indexerTables() []Table {
	return joined([]Table{
		attempts(),
		table("collections", "ri", "it sets collections up", "state"),
		table("chunk_vectors", "rid", "it notes which chunks are in a collection",
			"point_id", "present", "pushed_rev", "pushed_at", "reconciled"),
		table("embedding_cache", "ri", "no text is paid twice"),
		table("embedding_use", "ri", "the tokens of a day are counted, and bounded where that is set", "tokens"),
		table("chunks", "r", "it embeds chunks"),
		table("chunk_state", "r", "it asks which chunks stand"),
		table("chunk_log", "r", "it asks for the newest change of a chunk"),
		table("chunk_manifests", "r", "it says how far the vectors of a version are",
			"vector_status", "last_pushed_at", "last_pushed_collection", "error_message", "updated_at"),
		table("staged_items", "r", "it says that the vectors of a document are in", "synced_at"),
		table("documents", "r", "it says that a document's vectors are in", "last_ingested_at"),
	})
}

func gatewayTables() []Table {
	var rights []Table
	for _, name := range []string{
		"captures", "chunk_log", "chunk_manifests", "chunk_state", "chunk_vectors", "chunk_words", "chunks", "collections", "documents",
		"enrichment_waits", "enrichments", "entities", "entity_pages", "epochs", "ir_segments", "ocr_tasks", "pages", "runs", "snapshots", "sources",
	} {
		rights = append(rights, table(name, "r", "it answers questions about records, and proves chunks by them; it changes nothing"))
	}
	return joined(rights)
}

func verifyTables() []Table {
	rights := []Table{table("goose_db_version", "r", "it says where the schema is older than its build")}
	for _, name := range []string{
		"bindings", "captures", "chunk_log", "chunk_manifests", "chunk_state", "chunk_vectors", "chunks", "collections",
		"document_identities", "documents", "enrichment_waits", "enrichments", "entities", "entity_pages", "fetch_windows", "ir_segments", "knowledge", "llm_answers", "ocr_tasks", "pages", "run_ranges", "runs",
		"snapshots", "sources", "staged_items", "stored_results",
	} {
		rights = append(rights, table(name, "r", "it holds rows against each other and against the bytes; it changes nothing"))
	}
	return rights
}

func janitorTables() []Table {
	return joined(started(), []Table{
		binds(),
		table("enrichments", "r", "it asks which chunks are without what a model was to propose"),
		table("enrichment_waits", "r", "it asks which versions wait for what a model proposes"),
		table("audit", "i", "what is published again is written down, and numbered"),
		table("audit", "r", "the number of an entry is asked for; changes of sources that were not told are told", "published"),
		table("sources", "r", "the event of a change has the source's state"),
		table("adopted_objects", "rd", "an object that somebody uses is not deleted; old notes are"),
		table("captures", "r", "it moves requests on, and gives them up", "outcome", "reason", "message", "snapshot_id", "document_id",
			"lease_owner", "lease_until", "retry_after", "fetch_status", "decided_at", "announced_at", "progress_at", "reconciled"),
		table("snapshots", "r", "it moves snapshots on, and orders those of a document",
			"reads_digest", "version", "process", "progress_at", "reconciled"),
		table("runs", "ri", "it moves runs on, and gives them up", "state", "reason", "message", "finished_at", "progress_at", "reconciled", "announced_redo", "annotated_redo"),
		table("pages", "r", "pages of a run that is given up have failed", "status", "reason", "error_message", "updated_at"),
		table("documents", "r", "it holds a document while it gives one of its runs up", "ingest_status", "error_message", "unsettled_at"),
		table("run_ranges", "r", "it asks which ranges of a run are missing"),
		table("ir_segments", "r", "it asks which ranges of a run are missing, and which objects are named"),
		table("stored_results", "r", "it asks which objects are named"),
		table("llm_answers", "r", "it asks which objects are named"),
		table("chunk_manifests", "r", "it asks which runs were made into chunks, says whose vectors were given up, and which collection holds them when searches go to another",
			"vector_status", "error_message", "last_pushed_collection", "updated_at"),
		table("chunks", "r", "the event of a change has the chunk"),
		table("chunk_words", "r", "it makes the words by which quotations are looked for, and the full text", "words", "fulltext", "blocks"),
		table("chunk_state", "r", "the event of a change has the chunk's state"),
		table("knowledge", "r", "it asks which chunks stand for a text in the archive"),
		table("chunk_log", "r", "it asks which changes were told"),
		table("epochs", "r", "the event of a change names the catalog's epoch"),
		table("chunk_vectors", "rid", "it asks whose vectors are missing, and forgets those of a collection that is gone",
			"point_id", "pushed_rev", "present", "pushed_at", "reconciled"),
		table("collections", "r", "it asks which collections are written; colophon index rebuild lets searches go to another", "state"),
	})
}
