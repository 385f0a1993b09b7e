package monitoring

import (
	"fmt"
	"strings"
)

// service is what a dashboard of a service is made of.
type service struct {
	name      string
	consumers []string // that it works on
	children  bool
	alone     bool // it asks no store of ours but through the bus and the gateway, which is not measured
	own       []Row
}

func services() []service {
	return append(ofTheChain(), sinkBoard())
}

func ofTheChain() []service {
	return []service{
		{name: "capturer", consumers: []string{"capture"}, own: []Row{{"Captures", []Panel{
			{Title: "Outcomes", Unit: "reqps", About: "With the reason of those that were rejected or failed.",
				Queries: []Query{{`sum by (outcome, reason) (rate(colophon_captures_total[5m]))`, "{{outcome}} {{reason}}"}}},
			{Title: "Fetches", Unit: "reqps", About: "The capturer's own, by how they ended.",
				Queries: []Query{{`sum by (target, outcome) (rate(colophon_fetch_duration_seconds_count[5m]))`, "{{target}} {{outcome}}"}}},
			{Title: "Duration of fetches, 95 %", Unit: "s", About: "To the last byte, with all redirects.",
				Queries: []Query{{`histogram_quantile(0.95, sum by (target, le) (rate(colophon_fetch_duration_seconds_bucket[5m])))`, "{{target}}"}}},
		}}}},
		{name: "splitter", consumers: []string{"split"}, children: true},
		{name: "extractor", consumers: []string{"extract", "ocr"}, children: true, own: []Row{{"Pages", []Panel{
			{Title: "Pages", Unit: "ops", About: "By the second.",
				Queries: []Query{{`sum by (outcome) (rate(colophon_pages_total[5m]))`, "{{outcome}}"}}},
			{Title: "Pages that wait for OCR", Unit: "short", About: "As the catalog counts them.",
				Queries: []Query{{`max(colophon_ocr_waiting_pages)`, "pages"}}},
		}}}},
		{name: "chunker", consumers: []string{"chunk"}, own: []Row{{"Chunks", []Panel{
			{Title: "Chunk events", Unit: "ops", About: "By the second.",
				Queries: []Query{{`sum by (type) (rate(colophon_events_published_total{service_name="chunker"}[5m]))`, "{{type}}"}}},
		}}}},
		{name: "annotator", consumers: []string{"entities", "enrich"}, own: []Row{{"Entities", []Panel{
			{Title: "Pages", Unit: "ops", About: "Whose entities were read, by the second.",
				Queries: []Query{{`sum by (outcome) (rate(colophon_entities_pages_total[5m]))`, "{{outcome}}"}}},
			{Title: "Entities", Unit: "ops", About: "By type, by the second.",
				Queries: []Query{{`sum by (type) (rate(colophon_entities_total[5m]))`, "{{type}}"}}},
			{Title: "Answers of the model", Unit: "ops", About: "By the second. None where no model is set.",
				Queries: []Query{{`sum by (outcome) (rate(colophon_chat_answers_total[5m]))`, "{{outcome}}"}}},
			{Title: "Tokens", Unit: "ops", About: "By the second, of questions and answers.",
				Queries: []Query{{`sum by (side) (rate(colophon_chat_tokens_total[5m]))`, "{{side}}"}}},
		}}, {"Questions", askPanels()}}},
		{name: "indexer", consumers: []string{"index"}, own: []Row{{"Vectors", []Panel{
			{Title: "Vectors that lag", Unit: "short", About: "Chunks whose vectors are not those of their state.",
				Queries: []Query{{`max(colophon_vector_backlog)`, "chunks"}}},
			{Title: "Calls to the vector store", Unit: "reqps", About: "By operation.",
				Queries: []Query{{`sum by (operation) (rate(colophon_store_request_duration_seconds_count{service_name="indexer",store="qdrant"}[5m]))`, "{{operation}}"}}},
			{Title: "Tokens embedded", Unit: "ops", About: "By the second, of chunks and of questions: what an embedding endpoint costs. None where there is none.",
				Queries: []Query{{`sum by (side) (rate(colophon_embed_tokens_total[5m]))`, "{{side}}"}}},
			{Title: "Texts that were not paid", Unit: "ops", About: "By the second: remembered ones, and those that the endpoint does not take, which are found by their words alone.",
				Queries: []Query{{`sum by (side) (rate(colophon_embed_remembered_total[5m]))`, "{{side}}, remembered"}, {`sum(rate(colophon_embed_refused_total[5m]))`, "not taken"}}},
		}}}},
		{name: "gateway", children: true, own: []Row{
			{"Requests", []Panel{
				{Title: "Requests by status", Unit: "reqps", About: "503 is turned away, or a store that is away.",
					Queries: []Query{{`sum by (http_response_status_code) (rate(http_server_request_duration_seconds_count[5m]))`, "{{http_response_status_code}}"}}},
				{Title: "Duration by route, 95 %", Unit: "s", About: "To the last byte of the answer.",
					Queries: []Query{{`histogram_quantile(0.95, sum by (http_route, le) (rate(http_server_request_duration_seconds_bucket[5m])))`, "{{http_route}}"}}},
				{Title: "Turned away", Unit: "reqps", About: "Since too much was asked at once.",
					Queries: []Query{{`sum by (http_route) (rate(colophon_http_shed_total[5m])) > 0 or sum(rate(colophon_http_shed_total[5m]))`, "{{http_route}}"}}},
			}},
			{"Searches", []Panel{
				{Title: "Searches", Unit: "reqps", About: "By how they ended.",
					Queries: []Query{{`sum by (result) (rate(colophon_search_duration_seconds_count{part="all"}[5m]))`, "{{result}}"}}},
				{Title: "Duration", Unit: "s", About: "Of whole searches.",
					Queries: []Query{quantile("colophon_search_duration_seconds", `part="all"`, 0.5), quantile("colophon_search_duration_seconds", `part="all"`, 0.95), quantile("colophon_search_duration_seconds", `part="all"`, 0.99)}},
				{Title: "Duration by part, 95 %", Unit: "s", About: "The part that has become slow names the store.",
					Queries: []Query{{`histogram_quantile(0.95, sum by (part, le) (rate(colophon_search_duration_seconds_bucket{part!="all"}[5m])))`, "{{part}}"}}},
			}},
		}},
		{name: "janitor", own: []Row{
			{"Reconcile", []Panel{
				{Title: "What was done", Unit: "short", About: "Of the last hour.",
					Queries: []Query{{`sum by (what) (increase(colophon_reconcile_found_total[1h]))`, "found: {{what}}"}, {`sum by (outcome) (increase(colophon_reconcile_passes_total[1h]))`, "passes {{outcome}}"}}},
				{Title: "Duration of passes, 95 %", Unit: "s", About: "Longer than the time between two passes is too long.",
					Queries: []Query{{`histogram_quantile(0.95, sum by (le) (rate(colophon_reconcile_duration_seconds_bucket[1h])))`, "pass"}}},
			}},
		}},
	}
}

// sinkBoard is what the dashboard of sinks is made of.
func sinkBoard() service {
	return service{name: "sink", alone: true, own: []Row{{"Targets", []Panel{
		{Title: "Lag", Unit: "s", About: "How long ago the oldest change was told that the target has not taken; 0 when it has all.",
			Queries: []Query{{`max by (instance) (colophon_sink_lag_seconds)`, "{{instance}}"}}},
		{Title: "Changes", Unit: "ops", About: "That the target has taken, by the second.",
			Queries: []Query{{`sum by (instance) (rate(colophon_sink_changes_total[5m]))`, "{{instance}}"}}},
		{Title: "Failures", Unit: "short", About: "Of the last hour, at the target, and at the bus or the gateway.",
			Queries: []Query{{`sum by (instance, side) (increase(colophon_sink_failures_total[1h]))`, "{{instance}} {{side}}"}}},
	}}}}
}

// quantile is the query of a quantile of a histogram.
// askPanels are about the questions of /v1/ask.
func askPanels() []Panel {
	return []Panel{
		{Title: "Questions", Unit: "ops", About: "Of `/v1/ask`, by how they ended, by the second.",
			Queries: []Query{{`sum by (outcome) (rate(colophon_ask_duration_seconds_count[5m]))`, "{{outcome}}"}}},
		{Title: "Duration of answers, 95 %", Unit: "s", About: "To their last sentence.",
			Queries: []Query{quantile("colophon_ask_duration_seconds", `outcome=~"answered|partial|nothing"`, 0.95)}},
		{Title: "Sentences of answers", Unit: "ops", About: "Told, or left out since they do not stand in what they cite.",
			Queries: []Query{{`sum by (outcome) (rate(colophon_ask_sentences_total[5m]))`, "{{outcome}}"}}},
	}
}

func quantile(name, labels string, q float64) Query {
	return Query{fmt.Sprintf(`histogram_quantile(%g, sum by (le) (rate(%s_bucket{%s}[5m])))`, q, name, labels), fmt.Sprintf("%g %%", 100*q)}
}

func (s service) dashboard() Dashboard {
	title := strings.ToUpper(s.name[:1]) + s.name[1:]
	d := Dashboard{
		UID: "colophon-" + s.name, Title: "Colophon: " + s.name,
		About: title + ": what it does, what it waits for, and what it needs.",
		Rows:  []Row{s.processes()},
	}
	if len(s.consumers) > 0 {
		d.Rows = append(d.Rows, s.work())
	}
	d.Rows = append(d.Rows, s.own...)
	if !s.alone {
		d.Rows = append(d.Rows, s.stores())
	}
	if s.children {
		d.Rows = append(d.Rows, s.childProcesses())
	}
	return d
}

func (s service) processes() Row {
	of := `{service_name="` + s.name + `"}`
	return Row{"Processes", []Panel{
		{Title: "Ready", Unit: "short", About: "Processes that have what they need, and all that are scraped.", Now: true,
			Queries: []Query{{`sum(colophon_ready` + of + `)`, "ready"}, {`count(colophon_ready` + of + `)`, "all"}}},
		{Title: "Processor", Unit: "percentunit", About: "Cores that each process uses, without its children.",
			Queries: []Query{{`rate(process_cpu_seconds_total` + of + `[5m])`, "{{instance}}"}}},
		{Title: "Memory", Unit: "bytes", About: "Resident memory, without children.",
			Queries: []Query{{`process_resident_memory_bytes` + of, "{{instance}}"}, {`go_gc_heap_live_bytes` + of, "{{instance}} heap"}}},
		{Title: "Goroutines and files", Unit: "short", About: "Neither grows with time.",
			Queries: []Query{{`go_goroutines` + of, "{{instance}} goroutines"}, {`process_open_fds` + of, "{{instance}} files"}}},
	}}
}

func (s service) work() Row {
	of := `consumer=~"` + strings.Join(s.consumers, "|") + `"`
	return Row{"Work", []Panel{
		{Title: "Handlings by outcome", Unit: "ops", About: "retried, deferred and unavailable come again; failed does not.",
			Queries: []Query{{`sum by (consumer, outcome) (rate(colophon_work_total{` + of + `}[5m]))`, "{{consumer}} {{outcome}}"}}},
		{Title: "Duration", Unit: "s", About: "Of one message, or a batch.",
			Queries: []Query{quantile("colophon_work_duration_seconds", of, 0.5), quantile("colophon_work_duration_seconds", of, 0.95), quantile("colophon_work_duration_seconds", of, 0.99)}},
		{Title: "What waits", Unit: "short", About: "Not delivered yet, and delivered but not done.",
			Queries: []Query{{`max by (consumer) (colophon_consumer_pending_messages{` + of + `})`, "{{consumer}} waits"},
				{`max by (consumer) (colophon_consumer_ack_pending_messages{` + of + `})`, "{{consumer}} in hand"}}},
		{Title: "Age", Unit: "s", About: "Of the oldest message, and of what is pulled (95 %).",
			Queries: []Query{{`max by (consumer) (colophon_consumer_oldest_age_seconds{` + of + `})`, "{{consumer}} oldest"},
				{`histogram_quantile(0.95, sum by (consumer, le) (rate(colophon_queue_age_seconds_bucket{` + of + `}[5m])))`, "{{consumer}} pulled"}}},
		{Title: "Failures and dead letters", Unit: "short", About: "Of the last hour, by reason.",
			Queries: []Query{{`sum by (reason) (increase(colophon_failures_total{` + of + `}[1h]))`, "{{reason}}"},
				{`sum by (consumer) (increase(colophon_dead_letters_total{` + of + `}[1h]))`, "{{consumer}} dead letters"}}},
		{Title: "Held, redelivered", Unit: "short", About: "Processes that wait for a store, and redeliveries by the second.",
			Queries: []Query{{`sum by (consumer) (colophon_consumer_held{` + of + `})`, "{{consumer}} held"},
				{`sum by (consumer) (rate(colophon_redeliveries_total{` + of + `}[5m]))`, "{{consumer}} redelivered"}}},
	}}
}

func (s service) stores() Row {
	of := `service_name="` + s.name + `"`
	return Row{"Stores", []Panel{
		{Title: "Requests", Unit: "reqps", About: "By store and how they ended.",
			Queries: []Query{{`sum by (store, outcome) (rate(colophon_store_request_duration_seconds_count{` + of + `}[5m]))`, "{{store}} {{outcome}}"}}},
		{Title: "Duration, 95 %", Unit: "s", About: "By store and operation.",
			Queries: []Query{{`histogram_quantile(0.95, sum by (store, operation, le) (rate(colophon_store_request_duration_seconds_bucket{` + of + `}[5m])))`, "{{store}} {{operation}}"}}},
		{Title: "Connections to PostgreSQL", Unit: "short", About: "Used, idle, and who waits for one; of all processes.",
			Queries: []Query{{`sum by (state) (colophon_catalog_connections{` + of + `})`, "{{state}}"},
				{`sum(colophon_catalog_connections_waiting{` + of + `})`, "waiting"}, {`sum(colophon_catalog_connections_max{` + of + `})`, "may be"}}},
		{Title: "Bus", Unit: "short", About: "Processes that are connected, and reconnects of the last hour.",
			Queries: []Query{{`sum(colophon_bus_connected{` + of + `})`, "connected"}, {`sum(increase(colophon_bus_reconnects_total{` + of + `}[1h]))`, "reconnects"}}},
	}}
}

func (s service) childProcesses() Row {
	of := `service_name="` + s.name + `"`
	return Row{"Children", []Panel{
		{Title: "Children", Unit: "short", About: "That run, and starts of the last hour.",
			Queries: []Query{{`sum by (role) (colophon_sandbox_children{` + of + `})`, "{{role}}"}, {`sum by (role) (increase(colophon_sandbox_starts_total{` + of + `}[1h]))`, "{{role}} started"}}},
		{Title: "Why they end", Unit: "short", About: "Of the last hour. killed is somebody else's doing.",
			Queries: []Query{{`sum by (role, cause) (increase(colophon_sandbox_ends_total{` + of + `}[1h]))`, "{{role}} {{cause}}"}}},
		{Title: "Memory", Unit: "bytes", About: "Resident memory of all children of a role.",
			Queries: []Query{{`sum by (role, instance) (colophon_sandbox_memory_bytes{` + of + `})`, "{{role}} {{instance}}"}}},
	}}
}
