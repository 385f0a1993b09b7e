package instrument

// The instruments of the bus, and of the stages that work on it.
const (
	Work          Name = "colophon.work"
	WorkDuration  Name = "colophon.work.duration"
	QueueAge      Name = "colophon.queue.age"
	Failures      Name = "colophon.failures"
	DeadLetters   Name = "colophon.dead_letters"
	Redeliveries  Name = "colophon.redeliveries"
	Published     Name = "colophon.events.published"
	ConsumerHeld  Name = "colophon.consumer.held"
	BusConnected  Name = "colophon.bus.connected"
	BusReconnects Name = "colophon.bus.reconnects"
)

// Consumers are the stages, by the name of their consumer.
func Consumers() []string {
	return []string{"capture", "split", "extract", "ocr", "chunk", "entities", "enrich", "index"}
}

// Reasons are why something fails for good, as pkg/fault lists them.
func Reasons() []string {
	return []string{
		"fetch_refused", "fetch_failed", "too_large", "limit_exceeded", "unsupported_type", "malformed", "encrypted",
		"empty_content", "ocr_failed", "parser_crashed", "timeout", "invalid_json", "evidence_not_found", "source_unknown",
		"source_disabled", "request_conflict", "attempts_exhausted", "internal",
	}
}

// EventTypes are what is published, without "colophon." and the version.
func EventTypes() []string {
	return []string{
		"capture.requested", "capture.completed", "snapshot.stored", "run.requested", "run.completed", "page.split",
		"page.ocr_requested", "page.ocr_completed", "ir.extracted", "chunk.created", "chunk.superseded", "chunk.removed",
		"vector.indexed", "vector.removed", "entities.extracted", "ir.enrich_requested", "ir.enriched", other,
	}
}

func consumer() Label { return Label{"consumer", Consumers()} }

// stages are the services that work on consumers.
func stages() []string {
	return []string{"capturer", "splitter", "extractor", "chunker", "annotator", "indexer"}
}

// everyService is all of them.
func everyService() []string { return append(stages(), "gateway", "janitor") }

// buriers are those that put dead letters on the bus: the gateway only looks at it.
func buriers() []string { return append(stages(), "janitor") }

func ofTheBus() []Instrument {
	return []Instrument{
		{
			Name: Work, Kind: KindCounter, Unit: "{message}", Writers: stages(),
			Labels:  []Label{consumer(), {"outcome", []string{"done", "retried", "deferred", "failed", "unavailable", "left"}}},
			Meaning: "Messages that a stage was done with, by what became of them: done, retried after a failure, deferred through nobody's fault, failed for good, unavailable (kept until a store is back), left to another delivery.",
			Bad:     "Its rate is the stage's throughput. None while messages wait: see [the chain stands still](operations.md#the-chain-stands-still). Many retried or deferred: the stage's log says why.",
		},
		{
			Name: WorkDuration, Kind: KindHistogram, Unit: Seconds, Bounds: calls(), Writers: stages(),
			Labels:  []Label{consumer(), {"result", []string{"ok", "error"}}},
			Meaning: "How long one handling takes, of a message or a batch, also one that fails.",
			Bad:     "When it grows with the load as it is, a store has become slow (`colophon.store.request.duration`), or the machine has too few cores.",
		},
		{
			Name: QueueAge, Kind: KindHistogram, Unit: Seconds, Bounds: waits(), Writers: stages(),
			Labels:  []Label{consumer()},
			Meaning: "How long messages had waited in their stream when they were pulled the first time. Only who pulls writes it: `colophon.consumer.oldest_age` also speaks while nobody does.",
			Bad:     "When it rises, add replicas of the stage.",
		},
		{
			Name: Failures, Kind: KindCounter, Unit: "{failure}", Writers: stages(),
			Labels:  []Label{consumer(), {"reason", Reasons()}},
			Meaning: "Messages that failed for good, by the reason that their row or outcome has.",
			Bad:     "Most reasons are the document's own. `attempts_exhausted` and `internal` are ours: see [dead letters](operations.md#dead-letters-grow). `colophon status --failed` names what failed.",
		},
		{
			Name: DeadLetters, Kind: KindCounter, Unit: "{message}", Writers: buriers(), Rare: true,
			Labels:  []Label{consumer(), {"reason", Reasons()}},
			Meaning: "Messages put into the dead letters, by the consumer that would have had to handle them.",
			Bad:     "Each wants a person: see [dead letters](operations.md#dead-letters-grow).",
		},
		{
			Name: Redeliveries, Kind: KindCounter, Unit: "{message}", Writers: stages(),
			Labels:  []Label{consumer()},
			Meaning: "Messages that were delivered before: handed back, or in the hands of a process that ended.",
			Bad:     "More than a hundredth of what is pulled: processes are killed, or a store is away. `colophon.work` by outcome says which.",
		},
		{
			Name: Published, Kind: KindCounter, Unit: "{event}", Writers: everyService(),
			Labels:  []Label{{"type", EventTypes()}},
			Meaning: "Events published by a service, by their type; the rate of `chunk.created` is the chain's throughput in chunks.",
			Bad:     "None of a type while the stage before works: the stage's log.",
		},
		{
			Name: ConsumerHeld, Kind: KindGauge, Writers: stages(),
			Labels:  []Label{consumer()},
			Meaning: "1 while a process pulls nothing since it waits for a store, its stream or its consumer, 0 while it works.",
			Bad:     "1 for minutes: see [a store refuses](operations.md#a-store-refuses-or-is-away).",
		},
		{
			Name: BusConnected, Kind: KindGauge, Writers: everyService(),
			Meaning: "1 while the process is connected to NATS, else 0.",
			Bad:     "0: see [a store refuses](operations.md#a-store-refuses-or-is-away).",
		},
		{
			Name: BusReconnects, Kind: KindCounter, Unit: "{reconnect}", Writers: everyService(),
			Meaning: "How often the process has connected to NATS again.",
			Bad:     "When it grows steadily the network or the server drops connections.",
		},
	}
}
