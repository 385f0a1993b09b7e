package access

import "slices"

// What a right on objects allows, in the words of its reason.
const (
	lookWhy = "it waits, un-ready, while the bucket is not there; and S3 says only to who may list that an object is missing"
	probe   = ".colophon/probe"
	probing = "and one small object, by which it learns whether the store keeps what is there already"
)

// look is the right to ask whether a bucket, and an object in it, is there.
func look(bucket string) Object { return Object{Bucket: bucket, Verb: Look, Why: lookWhy} }

func get(bucket, keys, why string) Object {
	return Object{Bucket: bucket, Verb: Get, Keys: []string{keys}, Why: why}
}

// put is the right to store objects, and the one that tells how the store does so.
func put(bucket, why string, keys ...string) Object {
	return Object{Bucket: bucket, Verb: Put, Keys: append(keys, probe), Why: why + "; " + probing}
}

// stores is the right to put objects that are there once and for all, and the one to look
// at what is found in their place: a process that died between an object and its row
// leaves one behind, and a store that knows no conditions is asked before each put.
func stores(bucket, why string, keys ...string) []Object {
	return []Object{
		put(bucket, why, slices.Clone(keys)...),
		{Bucket: bucket, Verb: Get, Keys: keys, Why: "it looks at what it finds in the place of what it stores"},
	}
}

func capturer(n Names) Role {
	return Role{
		Name: Capturer, Kind: Service, Is: "the service that fetches or takes over documents",
		Bus: slices.Concat(n.works(requests, "capture"), []Bus{
			n.publish("snapshot.stored.*", "it has stored a snapshot"),
			n.publish("capture.completed.*", "it says what became of a request"),
			n.publish("ir.extracted.*", "a capture alone can change which version is current: the chunker is told again"),
			n.api("STREAM.PURGE", requests, "", "requests that are handled are taken out of the stream's files, since they may hold secrets"),
		}),
		Objects: []Object{
			look("raw"), get("raw", "*", "a request that comes again, a container's members and a dead inbox are read from what is stored"),
			put("raw", "it stores captured bytes, and nobody else does", "*"),
			look("inbox"), get("inbox", "*", "it takes over what crawlers hand over by reference"),
		},
		Tables: capturerTables(),
	}
}

func splitter(n Names) Role {
	return Role{
		Name: Splitter, Kind: Service, Is: "the service that counts pages and finds a document's facts",
		Bus: slices.Concat(n.works(snapshots, "split"), []Bus{
			n.publish("page.split.*", "it hands ranges of pages on"),
		}),
		Objects: append([]Object{look("raw"), get("raw", "*", "it reads captured bytes"), look("derived")},
			stores("derived", "it stores what pages need to know of their document", "*/facts/*")...),
		Tables: splitterTables(),
	}
}

func extract(n Names) Role {
	return Role{
		Name: Extract, Kind: Service, Is: "the extractor with the consumer extract, which makes units of pages",
		Bus: slices.Concat(n.works(pages, "extract"), []Bus{
			n.publish("ir.extracted.*", "it has stored the units of a range"),
			n.publish("page.ocr_requested.*", "a page needs OCR"),
			n.publish("page.split.*", "a run of an older parser is started again under its own version"),
		}),
		Objects: append([]Object{
			look("raw"), get("raw", "*", "it reads captured bytes"),
			look("derived"), get("derived", "*/facts/*", "it reads what pages need to know of their document"),
			get("derived", "*/ocr/*", "it reads what OCR has read"),
		}, stores("derived", "it stores segments of units, and a document's facts where it starts a run again", "*/ir/*", "*/facts/*")...),
		Tables: extractTables(),
	}
}

func ocr(n Names) Role {
	return Role{
		Name: OCR, Kind: Service, Is: "the extractor with the consumer ocr, which reads scans and pictures",
		Bus: slices.Concat(n.works(pages, "ocr"), []Bus{
			n.publish("page.ocr_completed.*", "all pages of a range that need OCR have their answers"),
		}),
		Objects: append([]Object{look("raw"), get("raw", "*", "it reads captured bytes"), look("derived")},
			stores("derived", "it stores what it has read", "*/ocr/*")...),
		Tables: ocrTables(),
	}
}

func chunker(n Names) Role {
	return Role{
		Name: Chunker, Kind: Service, Is: "the service that makes chunks of units and decides which are current",
		Bus: slices.Concat(n.works(ir, "chunk"), []Bus{
			n.publish("chunk.created.*", "a chunk has come"), n.publish("chunk.superseded.*", "a chunk was replaced"),
			n.publish("chunk.removed.*", "a chunk has gone"), n.publish("run.completed.*", "a run has ended"),
			n.publish("ir.enrich_requested.*", "it asks what a model proposes for chunks"),
		}),
		Objects: []Object{look("derived"), get("derived", "*/ir/*", "it reads segments of units"),
			get("derived", "*/llm/*", "it reads what a model proposes for chunks")},
		Tables: chunkerTables(),
	}
}

func annotator(n Names) Role {
	return Role{
		Name: Annotator, Kind: Service, Is: "the service that finds entities on pages: goals, practices, measurements and the like",
		Bus: append(slices.Concat(n.works(ir, "entities"), n.works(ir, "enrich")[1:]), n.publish("entities.extracted.*", "it has read the entities of a page"),
			n.publish("ir.enriched.*", "it has what a model proposes for chunks"),
			n.subscribe("ask.requested", "it takes questions from the gateway, with the passages that may answer them"),
			n.publish("ask.answered.*", "it tells the gateway what the model answers, as far as it stands in the passages")),
		Objects: append([]Object{look("derived"), get("derived", "*/ir/*", "it reads segments of units")},
			stores("derived", "it stores what a model has said, where one is set", "*/llm/*")...),
		Tables: annotatorTables(),
	}
}

func indexer(n Names) Role {
	return Role{
		Name: Indexer, Kind: Service, Is: "the service that keeps the vector store equal to the catalog",
		Bus: slices.Concat(n.works(chunks, "index"), []Bus{
			n.publish("vector.indexed.*", "a vector is in"), n.publish("vector.removed.*", "a vector is out"),
		}),
		Tables: indexerTables(),
	}
}

func gateway(n Names) Role {
	return Role{
		Name: Gateway, Kind: Service, Is: "the service that answers HTTP: search, records, proofs, pages, captured bytes",
		Bus: append(n.watches("readiness, metrics and /v1/status"),
			Bus{Subject: "$JS.API.INFO", Why: "metrics: how much room all streams take, and may take"},
			n.publish("ask.requested", "it hands questions to who may ask a chat model: it has neither the key nor the way"),
			n.subscribe("ask.answered.*", "it hears the answers to its questions")),
		Objects: []Object{
			look("raw"), get("raw", "*", "it serves captured bytes, and proves chunks against them"),
			look("derived"), get("derived", "*", "it serves pages, pictures and what OCR has read"),
			put("derived", "it keeps the pictures that it draws", "*/figures/*", "*/thumbs/*"),
		},
		Tables: gatewayTables(),
	}
}

func janitor(n Names) Role {
	rights := n.watches("what waits is not stuck")
	for _, subject := range []string{
		"capture.requested.*", "snapshot.stored.*", "page.split.*", "ir.extracted.*",
		"chunk.created.*", "chunk.superseded.*", "chunk.removed.*", "source.changed.*",
	} {
		rights = append(rights, n.publish(subject, "what stands still is moved on by the event that would move it"))
	}
	for _, subject := range []string{"capture.completed.*", "run.completed.*"} {
		rights = append(rights, n.publish(subject, "what it gives up has an outcome, which is told"))
	}
	for _, d := range durables() {
		rights = append(rights, n.publish("dlq."+d.name+".*", "what it gives up becomes a dead letter of the consumer that would have had it"))
	}
	return Role{
		Name: Janitor, Kind: Service, Is: "who moves on what stands still, and alone deletes objects: the service, and colophon reconcile by hand",
		Bus: rights,
		Objects: []Object{
			look("raw"), {Bucket: "raw", Verb: Delete, Keys: []string{"*"}, Why: "captured bytes that no row names are deleted"},
			look("derived"), {Bucket: "derived", Verb: Delete, Keys: []string{"*"}, Why: "objects that no row names are deleted"},
		},
		Tables: janitorTables(),
	}
}
