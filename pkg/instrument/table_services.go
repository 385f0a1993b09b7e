package instrument

import "slices"

// The instruments of the children that read documents, and of single services.
const (
	ChildStarts Name = "colophon.sandbox.starts"
	ChildEnds   Name = "colophon.sandbox.ends"
	Children    Name = "colophon.sandbox.children"
	ChildMemory Name = "colophon.sandbox.memory"

	Captures      Name = "colophon.captures"
	FetchDuration Name = "colophon.fetch.duration"
	Pages         Name = "colophon.pages"

	EntityPages Name = "colophon.entities.pages"
	Entities    Name = "colophon.entities"
	ChatAnswers Name = "colophon.chat.answers"
	ChatTokens  Name = "colophon.chat.tokens"
	AskDuration Name = "colophon.ask.duration"
	AskSaid     Name = "colophon.ask.sentences"

	HTTPDuration   Name = "http.server.request.duration"
	HTTPShed       Name = "colophon.http.shed"
	SearchDuration Name = "colophon.search.duration"

	SinkChanges  Name = "colophon.sink.changes"
	SinkLag      Name = "colophon.sink.lag"
	SinkFailures Name = "colophon.sink.failures"

	Ready    Name = "colophon.ready"
	DiskFree Name = "colophon.disk.free"
	DiskSize Name = "colophon.disk.size"
)

// roles are what children are started for.
func roles() []string { return []string{"extract", "draw", "ocr", other} }

// Role returns a role as it is measured.
func Role(name string) string { return oneOf(name, roles()) }

// The causes for which a child ends.
const (
	ChildReplaced  = "replaced"  // it has had as many calls as it may
	ChildClosed    = "closed"    // its process ends
	ChildDeadline  = "deadline"  // a call took too long
	ChildCancelled = "cancelled" // whoever asked has gone
	ChildCrashed   = "crashed"
	ChildLimit     = "limit"  // of memory, CPU time, or the size of a file or an answer
	ChildKilled    = "killed" // by somebody else, most likely the system
)

// entityLists are the types of entities, by the names of their lists.
func entityLists() []string {
	return []string{"goals", "bmps", "implementation", "monitoring", "outreach", "geographicAreas"}
}

// Routes are the paths of the gateway's API, and other for all that is none of them.
func Routes() []string {
	return []string{
		"/v1/search", "/v1/chunks/{ref}", "/v1/chunks/{ref}/proof", "/v1/documents/{id}", "/v1/documents/{id}/entities", "/v1/entities", "/v1/snapshots/{id}",
		"/v1/snapshots/{id}/outline", "/v1/snapshots/{id}/raw", "/v1/snapshots/{id}/pages/{n}", "/v1/snapshots/{id}/pages/{n}/figures/{figure}",
		"/v1/snapshots/{id}/pages/{n}/tables/{table}", "/v1/changes", "/v1/requests/{source}/{id}", "/v1/sources",
		"/v1/ask", "/v1/status", "/healthz", "/readyz", "/openapi.json", other,
	}
}

// Route returns a path of the API as it is measured.
func Route(path string) string { return oneOf(path, Routes()) }

// oneOf returns name where it is listed, else what stands for all others.
func oneOf(name string, listed []string) string {
	for _, l := range listed {
		if l == name {
			return name
		}
	}
	return other
}

func ofChildren() []Instrument {
	role := Label{"role", roles()}
	withChildren := []string{"splitter", "extractor", "gateway"}
	return []Instrument{
		{
			Name: ChildStarts, Kind: KindCounter, Unit: "{process}", Writers: withChildren, Labels: []Label{role},
			Meaning: "Child processes that were started to read documents, draw pages or read scans.",
			Bad:     "Many an hour: see why they end.",
		},
		{
			Name: ChildEnds, Kind: KindCounter, Unit: "{process}", Writers: withChildren,
			Labels:  []Label{role, {"cause", []string{ChildReplaced, ChildClosed, ChildDeadline, ChildCancelled, ChildCrashed, ChildLimit, ChildKilled}}},
			Meaning: "Child processes that have ended, by why.",
			Bad:     "`deadline`, `crashed` and `limit` are a document's doing, whose page failed. `killed` is not: see [children are killed](operations.md#children-are-killed).",
		},
		{
			Name: Children, Kind: KindGauge, Unit: "{process}", Writers: withChildren, Labels: []Label{role},
			Meaning: "Child processes that run.",
			Bad:     "0 is right where nothing was asked yet.",
		},
		{
			Name: ChildMemory, Kind: KindGauge, Unit: Bytes, Writers: withChildren, Labels: []Label{role},
			Meaning: "Resident memory of all child processes of a role together. The service's own is `process_resident_memory_bytes`.",
			Bad:     "Near the limit of the container: fewer children (`COLOPHON_EXTRACT_CHILDREN`, `COLOPHON_OCR_WORKERS`) or more memory.",
		},
	}
}

// withTemporaryFiles are the services that pass documents through files.
func withTemporaryFiles() []string {
	return []string{"capturer", "splitter", "extractor", "gateway", "janitor"}
}

// ofServices are the instruments of single services, and those that every service has.
func ofServices() []Instrument {
	return slices.Concat(ofReaders(), ofAnnotator(), ofGateway(), ofSinks(), ofEveryService())
}

// ofReaders are those of the services that fetch and extract.
func ofReaders() []Instrument {
	return []Instrument{
		{
			Name: Captures, Kind: KindCounter, Unit: "{request}", Writers: []string{"capturer"},
			Labels:  []Label{{"outcome", []string{"stored", "unchanged", "duplicate", "rejected", "failed"}}, {"reason", append([]string{"none"}, Reasons()...)}},
			Meaning: "Outcomes of capture requests that were announced, with the reason of those that were rejected or failed.",
			Bad:     "Many `failed` with `fetch_failed` or `timeout`: the sites, or the way to them. `rejected`: the crawler.",
		},
		{
			Name: FetchDuration, Kind: KindHistogram, Unit: Seconds, Bounds: calls(), Writers: []string{"capturer"}, Rare: true,
			Labels: []Label{{"target", []string{"document", "robots"}},
				{"outcome", []string{"ok", "not_modified", "status", "refused", "timeout", "too_large", "redirects", "cancelled", "error"}}},
			Meaning: "How long the capturer's own fetches took, to the last byte, with all redirects.",
			Bad:     "Slow or `timeout` for all: the way out. `refused`: addresses that may not be fetched (`COLOPHON_FETCH_NETWORKS`), or robots.txt.",
		},
		{
			Name: Pages, Kind: KindCounter, Unit: "{page}", Writers: []string{"extractor"},
			Labels:  []Label{{"outcome", []string{"processed", "failed", "ocr"}}},
			Meaning: "Pages that the extractor was done with: made, failed, or sent to be read by OCR (which come again when they are read).",
			Bad:     "Its rate is the pages per second. Many `failed`: `colophon.failures` and `colophon status DOCUMENT` say why.",
		},
	}
}

func ofAnnotator() []Instrument {
	return []Instrument{
		{
			Name: EntityPages, Kind: KindCounter, Unit: "{page}", Writers: []string{"annotator"},
			Labels:  []Label{{"outcome", []string{"processed", "failed"}}},
			Meaning: "Pages whose entities were read and told, and pages that could not be read.",
			Bad:     "`failed` beyond the pages that the extractor could not make: `colophon show entities DOCUMENT` says why.",
		},
		{
			Name: Entities, Kind: KindCounter, Unit: "{entity}", Writers: []string{"annotator"}, Rare: true,
			Labels:  []Label{{"type", entityLists()}},
			Meaning: "Entities that were found on these pages, by type.",
			Bad:     "None for hours of documents that had some before: the source's documents have another form now.",
		},
		{
			Name: ChatAnswers, Kind: KindCounter, Unit: "{answer}", Writers: []string{"annotator"}, Rare: true,
			Labels:  []Label{{"outcome", []string{"used", "remembered", "invalid", "refused"}}},
			Meaning: "Answers of the chat model about pages: used, remembered from before, invalid (no JSON, twice), refused (the model or its endpoint does not answer this page). None where no model is set.",
			Bad:     "Many `invalid` or `refused`: the model does not do for the prompt; what the rules find is kept all the same.",
		},
		{
			Name: ChatTokens, Kind: KindCounter, Unit: "{token}", Writers: []string{"annotator"}, Rare: true,
			Labels:  []Label{{"side", []string{"question", "answer"}}},
			Meaning: "Tokens of questions to the chat model and of its answers, as its endpoint says, else by estimate. By source, model and day they stand in the table `llm_use`.",
			Bad:     "More than planned: `COLOPHON_CHAT_DAILY_TOKENS` bounds each source.",
		},
	}
}

func ofGateway() []Instrument {
	return []Instrument{
		{
			Name: AskDuration, Kind: KindHistogram, Unit: Seconds, Bounds: calls(), Writers: []string{"annotator"}, Rare: true,
			Labels:  []Label{{"outcome", []string{"answered", "partial", "nothing", "refused", "no_model", "busy", "spent", "away"}}},
			Meaning: "Questions of `/v1/ask` and how long their answers took, by how they ended: all that the model said was told, a part, nothing of it; the model refuses; there is none; too many questions at once; the day's tokens are spent; the endpoint is away.",
			Bad:     "`away`, `busy` and `spent`: see [questions get no answer](operations.md#questions-get-no-answer).",
		},
		{
			Name: AskSaid, Kind: KindCounter, Unit: "{sentence}", Writers: []string{"annotator"}, Rare: true,
			Labels: []Label{{"outcome", []string{"told", "uncited", "unknown_passage", "number_not_found", "date_not_found", "name_not_found", "words_not_found",
				"not_together", "qualified", "unreadable", "cut"}}},
			Meaning: "Sentences that the model wrote as answers: told, or left out by why they do not stand in what they cite.",
			Bad:     "Few are `told`: the model writes in words of its own, or makes things up. Another model, or a larger one, does better.",
		},
		{
			Name: HTTPDuration, Kind: KindHistogram, Unit: Seconds, Bounds: calls(), Writers: []string{"gateway"},
			Labels: []Label{{"http.route", Routes()}, {"http.response.status_code",
				[]string{"200", "206", "304", "400", "404", "416", "500", "503", "504", other}}},
			Meaning: "Requests to the gateway's API, to the last byte of the answer.",
			Bad:     "500: the gateway's log names the error. 503: see [requests are turned away](operations.md#requests-are-turned-away).",
		},
		{
			Name: HTTPShed, Kind: KindCounter, Unit: "{request}", Writers: []string{"gateway"},
			Labels:  []Label{{"http.route", Routes()}},
			Meaning: "Requests that were turned away since too much was asked at once.",
			Bad:     "See [requests are turned away](operations.md#requests-are-turned-away).",
		},
		{
			Name: SearchDuration, Kind: KindHistogram, Unit: Seconds, Bounds: calls(), Writers: []string{"gateway"},
			Labels: []Label{{"part", []string{"all", "scope", "embed", "dense", "sparse", "claims", "fill", "rerank", "boxes"}},
				{"result", []string{"ok", "error"}}},
			Meaning: "How long a search took, and its parts: what may be searched, the question's vector, each side of the vector store, what the hits claim, the chunks and what says the same, the reranker, the places on pages. Parts run side by side, and some more than once.",
			Bad:     "The part that has become slow names the store: `dense` and `sparse` are the vector store, `embed` is the processor or the embedding endpoint, `rerank` the reranking endpoint, the others the catalog, and `boxes` also the object store.",
		},
	}
}

// ofSinks are those of `colophon sink`, one process for each target.
func ofSinks() []Instrument {
	return []Instrument{
		{
			Name: SinkChanges, Kind: KindCounter, Unit: "{change}", Writers: []string{"sink"},
			Meaning: "Changes of chunks that a sink's target has taken; of several of one chunk in a batch most targets get the last.",
			Bad:     "None for hours while chunks come: see [a sink lags](operations.md#a-sink-lags).",
		},
		{
			Name: SinkLag, Kind: KindGauge, Unit: Seconds, Writers: []string{"sink"},
			Meaning: "How long ago the oldest change was told that the target has not taken, of those that have reached the sink; 0 when it has all of them.",
			Bad:     "It grows: see [a sink lags](operations.md#a-sink-lags).",
		},
		{
			Name: SinkFailures, Kind: KindCounter, Unit: "{failure}", Writers: []string{"sink"},
			Labels:  []Label{{"side", []string{"target", "source"}}},
			Meaning: "How often a sink had to begin anew where its target is, since the target failed, or the bus or the gateway (`source`). A webhook is posted again without that.",
			Bad:     "It grows: the sink's log says why. See [a sink lags](operations.md#a-sink-lags).",
		},
	}
}

func ofEveryService() []Instrument {
	return []Instrument{
		{
			Name: Ready, Kind: KindGauge, Writers: append(everyService(), "sink"),
			Meaning: "1 while the service has what it needs, 0 while it has not: what /readyz said when it was asked last.",
			Bad:     "0: see [a process is not ready](operations.md#a-process-is-not-ready).",
		},
		{
			Name: DiskFree, Kind: KindGauge, Unit: Bytes, Writers: withTemporaryFiles(),
			Meaning: "Free bytes of the disk that the process has its temporary files on (`COLOPHON_TEMP_DIR`).",
			Bad:     "See [disks](operations.md#a-disk-is-nearly-full).",
		},
		{
			Name: DiskSize, Kind: KindGauge, Unit: Bytes, Writers: withTemporaryFiles(),
			Meaning: "Size of that disk.",
			Bad:     "See `colophon.disk.free`.",
		},
	}
}
