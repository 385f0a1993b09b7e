package instrument

// The instruments of the stores, as those who ask see them.
const (
	StoreRequestDuration Name = "colophon.store.request.duration"
	ObjectIO             Name = "colophon.object.io"
	Statements           Name = "colophon.catalog.statements"
	Connections          Name = "colophon.catalog.connections"
	ConnectionsMax       Name = "colophon.catalog.connections.max"
	ConnectionsWaiting   Name = "colophon.catalog.connections.waiting"
	ConnectionWaitTime   Name = "colophon.catalog.connections.wait_time"
	EmbedTokens          Name = "colophon.embed.tokens"
	EmbedRefused         Name = "colophon.embed.refused"
	EmbedRemembered      Name = "colophon.embed.remembered"
)

// Buckets are those of the object store, without the prefix of an installation.
func Buckets() []string { return []string{"raw", "derived", "inbox", "bundles", other} }

func ofStores() []Instrument {
	return []Instrument{
		{
			Name: StoreRequestDuration, Kind: KindHistogram, Unit: Seconds, Bounds: calls(), Writers: everyService(),
			Labels: []Label{
				{"store", []string{StoreObjects, StoreCatalog, StoreVectors, StoreBus, StoreModels}},
				{"operation", everyOperation()}, {"outcome", outcomeNames()},
			},
			Meaning: "Requests to a store: statements and batches to PostgreSQL, HTTP requests to the object store (to the last byte of the answer), calls to the vector store, publishes to NATS (with what is tried again), calls to the embedding and the reranking endpoint. Its count is their number.",
			Bad:     "`unavailable` or `denied`: see [a store refuses](operations.md#a-store-refuses-or-is-away). `full`: see [a stream is full](operations.md#a-stream-is-nearly-full). Slow: look at the store.",
		},
		{
			Name: ObjectIO, Kind: KindCounter, Unit: Bytes, Writers: append(stages()[:4:4], "annotator", "gateway", "janitor"),
			Labels:  []Label{{"bucket", Buckets()}, {"direction", []string{"written", "read"}}},
			Meaning: "Bytes of objects sent to and read from the object store. The written ones of `raw` and `derived` are how it grows: listing it to know its size would cost too much.",
			Bad:     "Compare with the room that the store has: see [disks](operations.md#a-disk-is-nearly-full).",
		},
		{
			Name: Statements, Kind: KindCounter, Unit: "{statement}", Writers: everyService(),
			Meaning: "Statements sent to PostgreSQL, those of a batch one by one.",
			Bad:     "By the page it says what a change of the program costs: `make bench` compares it.",
		},
		{
			Name: Connections, Kind: KindGauge, Unit: "{connection}", Writers: everyService(),
			Labels:  []Label{{"state", []string{"used", "idle"}}},
			Meaning: "Connections of the process to PostgreSQL that are in use, and that are not.",
			Bad:     "See `colophon.catalog.connections.waiting`.",
		},
		{
			Name: ConnectionsMax, Kind: KindGauge, Unit: "{connection}", Writers: everyService(),
			Meaning: "How many connections the process may have (`COLOPHON_POSTGRES_MAX_CONNS`).",
			Bad:     "The sum over all processes must stay below PostgreSQL's `max_connections`.",
		},
		{
			Name: ConnectionsWaiting, Kind: KindGauge, Unit: "{request}", Writers: everyService(),
			Meaning: "Who waits for a connection to PostgreSQL now, since all are in use or a new one is being made.",
			Bad:     "Above 0 for minutes: see [the pool is exhausted](operations.md#the-connection-pool-is-exhausted).",
		},
		{
			Name: ConnectionWaitTime, Kind: KindCounter, Unit: Seconds, Writers: everyService(),
			Meaning: "Seconds that were waited for connections, of all who waited together.",
			Bad:     "A rate above 1 means that on average more than one waits: see [the pool is exhausted](operations.md#the-connection-pool-is-exhausted).",
		},
		{
			Name: EmbedTokens, Kind: KindCounter, Unit: "{token}", Writers: embedders(),
			Labels:  []Label{{"side", []string{"passage", "question"}}},
			Meaning: "Tokens that the embedding endpoint has embedded, as it says itself, else by estimate: what it costs.",
			Bad:     "More than expected: `COLOPHON_EMBED_DAILY_TOKENS` bounds those of passages.",
		},
		{
			Name: EmbedRefused, Kind: KindCounter, Unit: "{text}", Writers: embedders(),
			Meaning: "Texts that the embedding endpoint does not take, whole or in parts. They are found by their words alone.",
			Bad:     "Many: its log, or ours, says why.",
		},
		{
			Name: EmbedRemembered, Kind: KindCounter, Unit: "{text}", Writers: embedders(),
			Labels:  []Label{{"side", []string{"passage", "question"}}},
			Meaning: "Texts whose vector was there already and was not paid again.",
			Bad:     "Nothing: after a new reading of many documents most texts should be here.",
		},
	}
}

// embedders are the services that ask an embedding endpoint.
func embedders() []string { return []string{"indexer", "gateway"} }

// everyOperation is what is asked of any store, each once, sorted as they are listed.
func everyOperation() []string {
	var all []string
	seen := make(map[string]bool)
	for _, store := range []string{StoreObjects, StoreCatalog, StoreVectors, StoreBus, StoreModels} {
		for _, operation := range Operations(store) {
			if !seen[operation] {
				seen[operation] = true
				all = append(all, operation)
			}
		}
	}
	return all
}

func outcomeNames() []string {
	var names []string
	for _, o := range outcomes() {
		names = append(names, string(o))
	}
	return names
}
