package access

import "strings"

// unused returns why a right that the run does not use, or not each time, is there all
// the same.
func unused(right string) string {
	role, rest, _ := strings.Cut(right, " ")
	for line := range strings.Lines(unusedRights) {
		known, reason, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found {
			continue
		}
		roles, what, _ := strings.Cut(known, " ")
		if what == rest && (roles == "*" || strings.Contains(","+roles+",", ","+role+",")) {
			return reason
		}
	}
	return ""
}

// unusedRights are lines of roles, separated by commas, a right, and the reason.
const unusedRights = `
* select goose_db_version: who waits for a migration asks for the version of the schema
* select attempts: only what fails several times is asked for
* insert attempts: only what fails is counted
* update attempts: only what fails twice is counted again
* delete attempts: only what failed before is forgotten
* select adopted_objects: an object that is in its place, and that no row names, is left by a process that died between the two
* insert adopted_objects: an object that is in its place, and that no row names, is left by a process that died between the two
* update adopted_objects: an object is adopted twice when two processes died
* publish $JS.API.STREAM.MSG.GET.ACC_SNAPSHOTS: it is read only while something waits
* publish $JS.API.STREAM.MSG.GET.ACC_PAGES: it is read only while something waits
* publish $JS.API.STREAM.MSG.GET.ACC_IR: it is read only while something waits
* publish $JS.API.STREAM.MSG.GET.ACC_CHUNKS: it is read only while something waits
capturer publish acc.ir.extracted.*: only a document that changes back by a capture alone makes it tell the chunker again
capturer select ir_segments: read together with that
capturer select run_ranges: read together with that
capturer insert sources: only where COLOPHON_AUTO_REGISTER is on
capturer insert document_identities: only for documents that were captured under older rules
capturer delete bindings: only a request of a source that was not known, or not in use, is opened again
splitter delete bindings: only a redo of a run that has ended opens one again
splitter select ir_segments: asked only of an object that is found in its place
splitter select stored_results: asked only of an object that is found in its place
splitter,ocr,extract select runs: asked only of an object that is found in its place
operator get inbox: asked only for large files, or of an object that is found in its place
operator look inbox: asked only of an object that is found in its place
splitter,ocr get derived: asked only of an object that is found in its place
ocr select ir_segments: asked only of an object that is found in its place
splitter select run_ranges: only a redo that is delivered twice reads what it asked for
splitter select sources: only a re-parse under the rules of today reads them
splitter insert run_ranges: a redo that finds nothing to redo writes none
extract publish acc.page.split.*: only an extractor of another version than the splitter starts runs again
extract insert runs: only an extractor of another version than the splitter starts runs again
extract insert pages: only an extractor of another version than the splitter starts runs again
extract update snapshots: it is held while a run is started
extract update ocr_tasks: only where OCR is off or not there
chunker publish acc.chunk.removed.*: chunks are removed by a takedown, and where a version is empty
chunker update chunk_manifests: only a version that says the same as another takes its chunks over
chunker insert chunk_words: a trigger does it for each chunk that is inserted
gateway select entities: only where entities are asked for
gateway select entity_pages: only where entities are asked for
splitter,extract,ocr,annotator select llm_answers: asked only of an object that is found in its place, and where a model is set
annotator select stored_results: asked only of an object that is found in its place
annotator insert llm_answers: only where a model is set
annotator select llm_use: only where a model is set
annotator insert llm_use: only where a model is set
annotator update llm_use: only where a model is set
annotator put derived: only where a model is set
janitor select llm_answers: only an object that no row names is asked for
annotator publish $JS.ACK.ACC_IR.enrich.>: only where a source wants its chunks enriched
annotator publish acc.dlq.enrich.*: only where a source wants its chunks enriched
annotator publish acc.ir.enriched.*: only where a source wants its chunks enriched
annotator select chunks: only where a source wants its chunks enriched
annotator select enrichments: only where a source wants its chunks enriched
annotator insert enrichments: only where a source wants its chunks enriched
annotator update enrichments: only where a source wants its chunks enriched
annotator select enrichment_waits: only where a source wants its chunks enriched
chunker update enrichments: only where a source wants its chunks enriched
chunker select enrichment_waits: only where a source lets its versions wait
chunker insert enrichment_waits: only where a source lets its versions wait
chunker update enrichment_waits: only where a source lets its versions wait
chunker delete enrichment_waits: only where a source lets its versions wait
chunker publish acc.ir.enrich_requested.*: only where a source wants its chunks enriched
janitor publish acc.dlq.enrich.*: only what was moved three times in vain is given up
janitor publish acc.dlq.entities.*: only what was moved three times in vain is given up
indexer publish acc.vector.removed.*: follows from chunks that are removed
indexer delete chunk_vectors: follows from chunks that are removed, and from a collection that is gone
crawler-council subscribe acc.capture.completed.council: for crawlers without the SDK, such as docs/capture.py
crawler-council publish $JS.API.CONSUMER.DELETE.ACC_OUTCOMES.*: only after the connection was lost
consumer-reader publish $JS.API.CONSUMER.DELETE.ACC_CHUNKS.*: only after the connection was lost
sink-reader publish $JS.API.CONSUMER.DELETE.ACC_CHUNKS.*: only after the connection was lost
consumer-reader publish $JS.API.CONSUMER.DELETE.ACC_VECTORS.*: only after the connection was lost
consumer-reader publish $JS.API.STREAM.INFO.ACC_VECTORS: for consumers that wait for vectors, which the SDK does not
consumer-reader publish $JS.API.CONSUMER.CREATE.ACC_VECTORS.*.acc.vector.>: for consumers that wait for vectors, which the SDK does not
consumer-reader publish $JS.API.CONSUMER.MSG.NEXT.ACC_VECTORS.*: for consumers that wait for vectors, which the SDK does not
consumer-reader publish $JS.API.CONSUMER.DELETE.ACC_CONTROL.*: only after the connection was lost
consumer-reader publish $JS.API.STREAM.INFO.ACC_CONTROL: for consumers that follow the registry
consumer-reader publish $JS.API.CONSUMER.CREATE.ACC_CONTROL.*.acc.source.changed.*: for consumers that follow the registry
consumer-reader publish $JS.API.CONSUMER.MSG.NEXT.ACC_CONTROL.*: for consumers that follow the registry
gateway select chunk_words: only where a quotation is checked
janitor publish acc.source.changed.*: only a change that its command could not tell is told
janitor update audit: only a change that its command could not tell is told
janitor select sources: it asks each time for changes that were not told, and reads a source only then
janitor publish acc.capture.requested.*: only a capturer that dies with a request in hand leaves one behind
janitor publish acc.capture.completed.*: only what was moved three times in vain is given up
janitor publish acc.run.completed.*: only what was moved three times in vain is given up
janitor publish acc.chunk.superseded.*: as for a chunk that is created, which is used
janitor publish acc.chunk.removed.*: as for a chunk that is created, which is used
janitor publish acc.dlq.capture.*: only what was moved three times in vain is given up
janitor publish acc.dlq.split.*: only what was moved three times in vain is given up
janitor publish acc.dlq.extract.*: only what was moved three times in vain is given up
janitor publish acc.dlq.ocr.*: only what was moved three times in vain is given up
janitor publish acc.dlq.chunk.*: only what was moved three times in vain is given up
janitor publish acc.dlq.index.*: only what was moved three times in vain is given up
janitor update captures: only a capturer that dies with a request in hand leaves one behind
janitor update documents: only what was moved three times in vain is given up
janitor update pages: only what was moved three times in vain is given up
janitor update chunk_manifests: only what was moved three times in vain is given up
janitor insert pages: a snapshot that is given up has a run that failed
janitor insert runs: a snapshot that is given up has a run that failed
janitor select pages: a snapshot that is given up has a run that failed
janitor select bindings: what is given up is a decision, which is bound
janitor insert bindings: what is given up is a decision, which is bound
janitor update bindings: what is given up is a decision, which is bound
janitor delete chunk_vectors: only where a collection is gone
janitor delete adopted_objects: only a look at objects forgets old notes
janitor select stored_results: only an object that no row names is asked for
provision publish $JS.API.INFO: only where the server has no room for the streams
operator publish $JS.API.CONSUMER.CREATE.ACC_CONTROL.*.>: CONTROL holds events of two kinds, which are followed together unless one is named
operator publish $JS.API.CONSUMER.CREATE.ACC_OUTCOMES.*.>: OUTCOMES holds events of two kinds, which are followed together unless one is named
operator publish $JS.API.CONSUMER.CREATE.ACC_SNAPSHOTS.*.>: SNAPSHOTS holds events of two kinds, which are followed together unless one is named
operator publish $JS.API.CONSUMER.CREATE.ACC_ENTITIES.*: only where several types of its events are named
operator publish $JS.API.CONSUMER.CREATE.ACC_PAGES.*: only where several types of its events are named
operator publish $JS.API.CONSUMER.CREATE.ACC_IR.*: only where several types of its events are named
operator publish $JS.API.CONSUMER.CREATE.ACC_CHUNKS.*: only where several types of its events are named
operator publish $JS.API.CONSUMER.CREATE.ACC_VECTORS.*: only where several types of its events are named
operator publish $JS.API.CONSUMER.DELETE.ACC_SNAPSHOTS.*: only after the connection was lost
operator publish $JS.API.CONSUMER.DELETE.ACC_PAGES.*: only after the connection was lost
operator publish $JS.API.CONSUMER.DELETE.ACC_IR.*: only after the connection was lost
operator publish $JS.API.CONSUMER.DELETE.ACC_ENTITIES.*: only after the connection was lost
operator publish $JS.API.CONSUMER.DELETE.ACC_CHUNKS.*: only after the connection was lost
operator publish $JS.API.CONSUMER.DELETE.ACC_VECTORS.*: only after the connection was lost
operator publish $JS.API.CONSUMER.DELETE.ACC_OUTCOMES.*: only after the connection was lost
operator publish $JS.API.CONSUMER.DELETE.ACC_CONTROL.*: only after the connection was lost
operator publish acc.chunk.superseded.*: a dead letter of it is retried as that of a chunk that is created, which is used
operator publish acc.chunk.removed.*: a dead letter of it is retried as that of a chunk that is created, which is used
operator publish acc.page.ocr_completed.*: a dead letter of it is retried as that of a page.split, which is used
`
