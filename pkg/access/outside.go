package access

import "slices"

// provision is who makes streams, consumers and buckets, and reads nothing that is in them.
func provision(n Names) Role {
	rights := []Bus{{Subject: "$JS.API.INFO", Why: "it says how much room the streams have where it does not suffice"}}
	for _, s := range streams() {
		rights = append(rights,
			n.api("STREAM.CREATE", s, "", "it makes streams"), n.api("STREAM.UPDATE", s, "", "it changes streams"),
			n.api("STREAM.INFO", s, "", "streams are as they must be"))
	}
	for _, d := range durables() {
		rights = append(rights, n.api("CONSUMER.INFO", d.stream, "."+d.name, "consumers are as they must be"))
		rights = append(rights, n.api("CONSUMER.CREATE", d.stream, "."+d.name, "it makes consumers"))
	}
	var objects []Object
	for _, bucket := range []string{"raw", "derived", "inbox", "bundles"} {
		objects = append(objects, Object{Bucket: bucket, Verb: Make, Why: "it makes buckets"},
			Object{Bucket: bucket, Verb: Look, Why: "it asks whether a bucket is there before it makes it"})
	}
	return Role{
		Name: Provision, Kind: People, Is: "who makes streams, consumers and buckets: colophon provision, by hand and as a Job",
		Bus: rights, Objects: objects,
	}
}

// operator is who runs the installation.
func operator(n Names) Role {
	var rights []Bus
	for _, s := range streams() {
		rights = append(rights, n.api("STREAM.INFO", s, "", "streams are as they must be"))
	}
	for _, d := range durables() {
		rights = append(rights, n.api("CONSUMER.INFO", d.stream, "."+d.name, "status says how much waits"))
	}
	for _, s := range followed() {
		rights = append(rights,
			n.apart("CONSUMER.CREATE", s, ".>", "colophon tail follows events"),
			n.apart("CONSUMER.CREATE", s, "", "the same, of several patterns of subjects"),
			n.apart("CONSUMER.MSG.NEXT", s, "", "colophon tail follows events"),
			n.apart("CONSUMER.DELETE", s, "", "colophon tail follows events"))
	}
	for _, s := range []string{snapshots, pages, ir, chunks} {
		rights = append(rights, n.api("STREAM.MSG.GET", s, "", "status says how long the oldest message waits, which only the message says"))
	}
	rights = append(rights,
		n.api("STREAM.MSG.GET", letters, "", "colophon dlq reads dead letters"),
		n.api("STREAM.MSG.DELETE", letters, "", "colophon dlq drops dead letters"))
	for _, subject := range []string{
		"capture.requested.*", "snapshot.stored.*", "run.requested.*", "page.split.*", "page.ocr_requested.*", "page.ocr_completed.*",
		"ir.extracted.*", "chunk.created.*", "chunk.superseded.*", "chunk.removed.*", "source.changed.*",
	} {
		rights = append(rights, n.publish(subject, operatorTells(subject)))
	}
	return Role{
		Name: Operator, Kind: People, Is: "who runs the installation: all commands but provision and reconcile", Bus: rights,
		Objects: append([]Object{
			look("raw"), get("raw", "*", "verify, export, raw, diff and overlay read captured bytes"),
			look("derived"), get("derived", "*", "verify, export, show and diff read what was made of them"),
			look("inbox"),
		}, stores("inbox", "colophon capture hands large files over", "*")...),
		Owner: true,
	}
}

func operatorTells(subject string) string {
	switch subject {
	case "capture.requested.*":
		return "colophon capture, and colophon dlq retry"
	case "run.requested.*":
		return "colophon reparse and retry, and colophon dlq retry"
	case "source.changed.*":
		return "colophon source says what it has changed"
	case "ir.extracted.*":
		return "colophon reparse makes chunks again, and colophon dlq retry"
	}
	return "colophon dlq retry publishes a message again where it was published first"
}

// verify is who proves everything against the captured bytes: it parses hostile documents
// again, so that it may change nothing, and nobody may be told anything by it.
func verify() Role {
	return Role{
		Name: Verify, Kind: People, Is: "who proves everything against the captured bytes and changes nothing: colophon verify, by hand and as a Job",
		Objects: []Object{
			look("raw"), get("raw", "*", "it extracts pages again from captured bytes"),
			look("derived"), get("derived", "*", "it compares what was made of them, and lists what no row names"),
		},
		Tables: verifyTables(),
	}
}

// reader is a person or a program that reads the catalog by SQL, under the names of the
// founding documents, and sees nothing else of it.
func reader() Role {
	return Role{
		Name: Reader, Kind: People, Is: "who reads documents and chunks by SQL, under the names of the founding documents",
		Views: []Views{
			{Seed: "seed003", Why: "sources, knowledge_chunks and staging show what is known"},
			{Seed: "seed004", Why: "document_catalog, chunk_manifest and chunk_store show documents and their chunks"},
		},
	}
}

// crawler is a program outside that hands documents over for one source.
func crawler(n Names) Role {
	rights := []Bus{
		n.publish("capture.requested."+n.Source, "it asks for captures of its own source"),
		{Subscribe: true, Subject: n.events("capture.completed", n.Source), Why: "it hears what became of them, as they come"},
	}
	return Role{
		Name: Crawler + "-" + n.Source, Kind: Template, Is: "a program outside that hands documents over, for one source",
		Bus: append(rights, n.follows(outcomes, n.events("capture.completed", n.Source), "it hears what became of them, also while it was away")...),
		Objects: []Object{{
			Bucket: "inbox", Verb: Put, Keys: []string{n.Source + "/*"}, Why: "it hands large documents over below the prefix of its own source",
		}},
	}
}

// consumer is a program outside that follows chunks.
func consumer(n Names) Role {
	return Role{
		Name: Consumer + "-" + n.Consumer, Kind: Template, Is: "a program outside that follows chunks and their vectors",
		Bus: slices.Concat(
			n.follows(chunks, n.Subjects+".chunk.>", "it follows chunks"),
			n.keeps(chunks, n.Consumer, "it follows chunks under its own name, and the server keeps how far it has come"),
			n.follows(vectors, n.Subjects+".vector.>", "it follows which vectors are in"),
			n.follows(control, n.Subjects+".source.changed.*", "it follows which sources are disabled: no change of a chunk says so")),
	}
}

// sink is `colophon sink`, which brings chunks into a store of somebody's own: how far it has
// come it keeps there, so that it needs no consumer of a name.
func sink(n Names) Role {
	return Role{
		Name: Sink + "-" + n.Consumer, Kind: Template, Is: "a sink, which keeps another store equal to the chunks",
		Bus: n.follows(chunks, n.Subjects+".chunk.>", "it follows chunks"),
	}
}
