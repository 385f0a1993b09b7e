package access

import "strings"

// The streams, by the names that they have without an installation's prefix.
const (
	requests  = "REQUESTS"
	snapshots = "SNAPSHOTS"
	pages     = "PAGES"
	ir        = "IR"
	entities  = "ENTITIES"
	chunks    = "CHUNKS"
	vectors   = "VECTORS"
	outcomes  = "OUTCOMES"
	control   = "CONTROL"
	letters   = "DLQ"
)

// streams returns all streams.
func streams() []string {
	return []string{requests, snapshots, pages, ir, entities, chunks, vectors, outcomes, control, letters}
}

// followed returns the streams whose events may be followed: a request may hold a
// secret, and a dead letter what is left of one.
func followed() []string {
	return []string{snapshots, pages, ir, entities, chunks, vectors, outcomes, control}
}

// durable is a consumer of the chain.
type durable struct{ stream, name string }

// durables returns the consumers of the chain.
func durables() []durable {
	return []durable{{requests, "capture"}, {snapshots, "split"}, {pages, "extract"}, {pages, "ocr"}, {ir, "chunk"}, {ir, "entities"}, {ir, "enrich"}, {chunks, "index"}}
}

// subscribe is the right to hear what is said on a subject.
func (n Names) subscribe(subject, why string) Bus {
	return Bus{Subscribe: true, Subject: n.Subjects + "." + subject, Why: why}
}

// publish is the right to tell an event.
func (n Names) publish(subject, why string) Bus {
	return Bus{Subject: n.Subjects + "." + subject, Why: why}
}

// api is the right to a request of JetStream about a stream, and for what in it.
func (n Names) api(verb, stream, rest, why string) Bus {
	return Bus{Subject: "$JS.API." + verb + "." + n.Streams + stream + rest, Why: why}
}

// works are the rights of who handles the messages of one consumer.
func (n Names) works(stream, name string) []Bus {
	return []Bus{
		n.api("STREAM.INFO", stream, "", "it stays un-ready while its stream is not as it must be"),
		n.api("CONSUMER.INFO", stream, "."+name, "it stays un-ready while its consumer is not there"),
		n.api("CONSUMER.MSG.NEXT", stream, "."+name, "it takes messages of its consumer"),
		{Subject: "$JS.ACK." + n.Streams + stream + "." + name + ".>", Why: "it says that a message is done, in hand, or to come again"},
		n.publish("dlq."+name+".*", "what it cannot handle becomes a dead letter"),
	}
}

// watches are the rights of who asks how much waits for each consumer and for how
// long.
func (n Names) watches(why string) []Bus {
	var rights []Bus
	for _, s := range streams() {
		rights = append(rights, n.api("STREAM.INFO", s, "", why+": streams are as they must be"))
	}
	read := map[string]bool{requests: true} // a work queue says by itself how old its oldest message is
	for _, d := range durables() {
		rights = append(rights, n.api("CONSUMER.INFO", d.stream, "."+d.name, why+": how much waits"))
		if !read[d.stream] {
			read[d.stream] = true
			rights = append(rights, n.api("STREAM.MSG.GET", d.stream, "", why+": how old the oldest message is that waits, which only the message says"))
		}
	}
	return rights
}

// follows are the rights of who follows events of a stream by a consumer that lives as
// long as it is read. Its name is random; those of the chain are not to be touched.
// filter is what subjects it may choose among, as the end of the request's subject.
func (n Names) follows(stream, filter, why string) []Bus {
	return []Bus{
		n.api("STREAM.INFO", stream, "", why+": where the stream begins and ends"),
		n.apart("CONSUMER.CREATE", stream, "."+filter, why), n.apart("CONSUMER.MSG.NEXT", stream, "", why),
		n.apart("CONSUMER.DELETE", stream, "", why),
	}
}

// keeps are the rights of who follows a stream under a name, beside those of who follows it.
func (n Names) keeps(stream, name, why string) []Bus {
	return []Bus{
		n.api("CONSUMER.INFO", stream, "."+name, why),
		{Subject: "$JS.ACK." + n.Streams + stream + "." + name + ".>", Why: why},
	}
}

// apart is the right to a request about any consumer of a stream but those of the
// chain.
func (n Names) apart(verb, stream, rest, why string) Bus {
	right := n.api(verb, stream, ".*"+rest, why)
	for _, d := range durables() {
		if d.stream == stream {
			right.Except = append(right.Except, "$JS.API."+verb+"."+n.Streams+stream+"."+d.name+rest)
		}
	}
	return right
}

// events returns a pattern of subjects for all sources, or one.
func (n Names) events(pattern, source string) string {
	return strings.Join([]string{n.Subjects, pattern, source}, ".")
}
