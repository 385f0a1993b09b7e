package instrument

// What the gateway knows of the whole system, since it asks for it. Each gateway
// exports the same values: a query takes the largest of them.
const (
	ConsumerPending     Name = "colophon.consumer.pending_messages"
	ConsumerAckPending  Name = "colophon.consumer.ack_pending_messages"
	ConsumerRedelivered Name = "colophon.consumer.redelivered_messages"
	ConsumerOldest      Name = "colophon.consumer.oldest_age"
	StreamSize          Name = "colophon.stream.size"
	StreamLimit         Name = "colophon.stream.size_limit"
	StreamMessages      Name = "colophon.stream.messages"
	BusStorage          Name = "colophon.bus.storage"
	BusStorageLimit     Name = "colophon.bus.storage_limit"
	DeadWaiting         Name = "colophon.dead_letters.waiting"
	OCRWaiting          Name = "colophon.ocr.waiting_pages"
	VectorBacklog       Name = "colophon.vector.backlog"
	ProgressAge         Name = "colophon.progress.oldest_age"
	CatalogSize         Name = "colophon.catalog.size"
	StoreUp             Name = "colophon.store.up"
)

// What reconcile found and did.
const (
	ReconcilePasses   Name = "colophon.reconcile.passes"
	ReconcileDuration Name = "colophon.reconcile.duration"
	ReconcileFound    Name = "colophon.reconcile.found"
	ReconcileActions  Name = "colophon.reconcile.actions"
	ReconcileLast     Name = "colophon.reconcile.last_pass_timestamp"
)

// Streams are those of the bus, without the prefix of an installation.
func Streams() []string {
	return []string{"REQUESTS", "SNAPSHOTS", "PAGES", "IR", "ENTITIES", "CHUNKS", "VECTORS", "OUTCOMES", "CONTROL", "DLQ"}
}

// Findings are the kinds of things that reconcile looks for.
func Findings() []string {
	return []string{"source changes", "captures", "order of versions", "snapshots", "ranges", "runs", "entities", "enrichments", "held versions", "documents", "collections", "points", "chunks",
		"raw objects", "derived objects", other}
}

// Finding returns a kind of thing as it is measured.
func Finding(what string) string { return oneOf(what, Findings()) }

// watchers are the services that tell of the whole system.
func watchers() []string { return []string{"gateway"} }

// ofQueues are what waits on the bus, and the room that it takes.
func ofQueues() []Instrument {
	gateway := watchers()
	stream := Label{"stream", Streams()}
	return []Instrument{
		{
			Name: ConsumerPending, Kind: KindGauge, Unit: "{message}", Writers: gateway, Labels: []Label{consumer()},
			Meaning: "Messages that a consumer has not delivered yet. `ocr` is the queue of pages that wait for OCR.",
			Bad:     "See [a queue is old](operations.md#a-queue-is-old).",
		},
		{
			Name: ConsumerAckPending, Kind: KindGauge, Unit: "{message}", Writers: gateway, Labels: []Label{consumer()},
			Meaning: "Messages that are delivered and not done: in hand, or handed back for later.",
			Bad:     "At `COLOPHON_MAX_ACK_PENDING` nothing more is delivered: most wait for their next attempt, and the stage's log says why.",
		},
		{
			Name: ConsumerRedelivered, Kind: KindGauge, Unit: "{message}", Writers: gateway, Labels: []Label{consumer()},
			Meaning: "Of those, messages that were delivered more than once.",
			Bad:     "See `colophon.redeliveries`.",
		},
		{
			Name: ConsumerOldest, Kind: KindGauge, Unit: Seconds, Writers: gateway, Labels: []Label{consumer()},
			Meaning: "How long ago the oldest message that is not done was published, by the bus's clock; 0 when there is none.",
			Bad:     "See [a queue is old](operations.md#a-queue-is-old).",
		},
		{
			Name: StreamSize, Kind: KindGauge, Unit: Bytes, Writers: gateway, Labels: []Label{stream},
			Meaning: "Bytes that a stream holds.",
			Bad:     "See [a stream is full](operations.md#a-stream-is-nearly-full).",
		},
		{
			Name: StreamLimit, Kind: KindGauge, Unit: Bytes, Writers: gateway, Labels: []Label{stream},
			Meaning: "Bytes that a stream may hold. A stream without a limit has no value.",
			Bad:     "`COLOPHON_REQUEST_BYTES` sets that of REQUESTS.",
		},
		{
			Name: StreamMessages, Kind: KindGauge, Unit: "{message}", Writers: gateway, Labels: []Label{stream},
			Meaning: "Messages that a stream holds. REQUESTS holds those that wait, the others what was published within their age limits.",
			Bad:     "REQUESTS near its limit: crawlers are asked to send again.",
		},
		{
			Name: BusStorage, Kind: KindGauge, Unit: Bytes, Writers: gateway,
			Meaning: "Bytes that all streams of the account take on the disks of NATS.",
			Bad:     "See [disks](operations.md#a-disk-is-nearly-full).",
		},
		{
			Name: BusStorageLimit, Kind: KindGauge, Unit: Bytes, Writers: gateway, Rare: true,
			Meaning: "Bytes that the account may have. An account without a limit has no value.",
			Bad:     "See [disks](operations.md#a-disk-is-nearly-full).",
		},
	}
}

// ofStanding are what stands still or lags, and the stores that are asked.
func ofStanding() []Instrument {
	gateway := watchers()
	return []Instrument{
		{
			Name: DeadWaiting, Kind: KindGauge, Unit: "{message}", Writers: gateway, Labels: []Label{consumer()},
			Meaning: "Dead letters that wait for a person.",
			Bad:     "See [dead letters](operations.md#dead-letters-grow).",
		},
		{
			Name: OCRWaiting, Kind: KindGauge, Unit: "{page}", Writers: gateway,
			Meaning: "Pages, and parts of pages, whose OCR was asked for and has no answer, as the catalog counts them.",
			Bad:     "See [scans wait](operations.md#scans-wait-for-ocr).",
		},
		{
			Name: VectorBacklog, Kind: KindGauge, Unit: "{chunk}", Writers: gateway,
			Meaning: "Chunks whose vectors are not those of their state in a collection that is written. Counted once a minute, and less often where counting takes long.",
			Bad:     "See [vectors lag](operations.md#vectors-lag-behind).",
		},
		{
			Name: ProgressAge, Kind: KindGauge, Unit: Seconds, Writers: gateway,
			Meaning: "How long ago the oldest thing in the catalog that still needs work made its last progress; 0 when nothing needs any.",
			Bad:     "See [the chain stands still](operations.md#the-chain-stands-still).",
		},
		{
			Name: CatalogSize, Kind: KindGauge, Unit: Bytes, Writers: gateway,
			Meaning: "Size of PostgreSQL's database, with its indexes.",
			Bad:     "See [disks](operations.md#a-disk-is-nearly-full).",
		},
		{
			Name: StoreUp, Kind: KindGauge, Writers: gateway,
			Labels:  []Label{{"store", []string{StoreObjects, StoreCatalog, StoreVectors, StoreBus}}},
			Meaning: "1 while a store answers the gateway's question, else 0.",
			Bad:     "0: see [a store refuses](operations.md#a-store-refuses-or-is-away).",
		},
	}
}

// reconcilers are the services whose loop reconciles.
func reconcilers() []string { return []string{"janitor"} }

func ofReconcile() []Instrument {
	what := Label{"what", Findings()}
	return []Instrument{
		{
			Name: ReconcilePasses, Kind: KindCounter, Unit: "{pass}", Writers: reconcilers(),
			Labels:  []Label{{"outcome", []string{"done", "failed", "busy", "missing"}}},
			Meaning: "Passes of reconcile: done, ended by an error, not made since another process makes one, or not made since streams or consumers are missing.",
			Bad:     "`failed` or `missing`: see [reconcile fails](operations.md#reconcile-fails).",
		},
		{
			Name: ReconcileDuration, Kind: KindHistogram, Unit: Seconds, Bounds: waits(), Writers: reconcilers(),
			Meaning: "How long a pass took that was made.",
			Bad:     "Longer than `COLOPHON_RECONCILE_EVERY`: the catalog is slow, or much stands still.",
		},
		{
			Name: ReconcileFound, Kind: KindCounter, Unit: "{thing}", Writers: reconcilers(), Labels: []Label{what},
			Meaning: "Things that stood still, or that no row names, by kind.",
			Bad:     "Some after an outage are right. When it grows without one, events are lost: see [reconcile finds much](operations.md#reconcile-finds-much).",
		},
		{
			Name: ReconcileActions, Kind: KindCounter, Unit: "{thing}", Writers: reconcilers(), Rare: true,
			Labels:  []Label{what, {"action", []string{"redriven", "given_up", "deleted", "reset", "repaired"}}},
			Meaning: "What reconcile did with them: published again, given up with a dead letter, deleted as an orphan, a collection's vectors made due again, the order of versions repaired.",
			Bad:     "`given_up`: see [dead letters](operations.md#dead-letters-grow). `reset`: a collection has lost its points.",
		},
		{
			Name: ReconcileLast, Kind: KindGauge, Unit: Seconds, Writers: reconcilers(),
			Meaning: "When this process last ended a pass that was done, or saw that another process makes one: seconds since 1970.",
			Bad:     "Older than some passes: see [reconcile fails](operations.md#reconcile-fails).",
		},
	}
}
