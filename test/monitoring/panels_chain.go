package monitoring

// Dashboards returns all dashboards: of the chain, and of each service.
func Dashboards() []Dashboard {
	all := []Dashboard{chain()}
	for _, s := range services() {
		all = append(all, s.dashboard())
	}
	return all
}

// chain is the dashboard that says whether all is well. Its first row is green then.
func chain() Dashboard {
	return Dashboard{
		UID: "colophon", Title: "Colophon",
		About: "Whether the chain is healthy: the first row is green. docs/operations.md says what to do about what is not.",
		Rows: []Row{
			{"Is all well?", []Panel{
				{Title: "Not ready", About: "Processes that have not what they need.", Unit: "short", Now: true, Red: 1,
					Queries: []Query{{`count(colophon_ready == 0) or vector(0)`, "processes"}}},
				{Title: "Stores away", About: "Stores that do not answer a gateway.", Unit: "short", Now: true, Red: 1,
					Queries: []Query{{`count(min by (store) (colophon_store_up) == 0) or (0 * count(colophon_store_up))`, "stores"}}},
				{Title: "Oldest message", About: "Of all queues but that of OCR.", Unit: "s", Now: true, Red: 600,
					Queries: []Query{{`max(colophon_consumer_oldest_age_seconds{consumer!="ocr"})`, "age"}}},
				{Title: "Without progress for", About: "The oldest thing in the catalog that needs work. Reconcile moves on what stands still for ten minutes.", Unit: "s", Now: true, Red: 3600,
					Queries: []Query{{`max(colophon_progress_oldest_age_seconds)`, "age"}}},
				{Title: "Dead letters", About: "That wait for a person: colophon dlq list.", Unit: "short", Now: true, Red: 1,
					Queries: []Query{{`sum(max by (consumer) (colophon_dead_letters_waiting))`, "letters"}}},
				{Title: "Vectors that lag", About: "Chunks whose vectors are not those of their state. Some are right while documents come in.", Unit: "short", Now: true, Red: 1000,
					Queries: []Query{{`max(colophon_vector_backlog)`, "chunks"}}},
			}},
			{"What comes out", []Panel{
				{Title: "Captures by outcome", Unit: "reqps", About: "Outcomes of requests by the second.",
					Queries: []Query{{`sum by (outcome) (rate(colophon_captures_total[5m]))`, "{{outcome}}"}}},
				{Title: "Pages", Unit: "ops", About: "Pages that were made, failed, or sent to OCR, by the second.",
					Queries: []Query{{`sum by (outcome) (rate(colophon_pages_total[5m]))`, "{{outcome}}"}}},
				{Title: "Chunk events", Unit: "ops", About: "Events about chunks by the second. chunk.created is the chain's throughput.",
					Queries: []Query{{`sum by (type) (rate(colophon_events_published_total{type=~"chunk.*|vector.*"}[5m]))`, "{{type}}"}}},
			}},
			{"What waits", []Panel{
				{Title: "Waiting messages", Unit: "short", About: "Not delivered yet, by consumer.",
					Queries: []Query{{`max by (consumer) (colophon_consumer_pending_messages)`, "{{consumer}}"}}},
				{Title: "In hand", Unit: "short", About: "Delivered and not done, also those handed back for later.",
					Queries: []Query{{`max by (consumer) (colophon_consumer_ack_pending_messages)`, "{{consumer}}"}}},
				{Title: "Age of the oldest", Unit: "s", About: "A line that rises by a second a second is a stage that does nothing.",
					Queries: []Query{{`max by (consumer) (colophon_consumer_oldest_age_seconds)`, "{{consumer}}"}}},
			}},
			{"How stages fare", []Panel{
				{Title: "Handlings by outcome", Unit: "ops", About: "retried, deferred and unavailable come again; failed does not.",
					Queries: []Query{{`sum by (consumer, outcome) (rate(colophon_work_total[5m])) > 0`, "{{consumer}} {{outcome}}"}}},
				{Title: "Duration of handlings, 95 %", Unit: "s", About: "Of one message, or a batch.",
					Queries: []Query{{`histogram_quantile(0.95, sum by (consumer, le) (rate(colophon_work_duration_seconds_bucket[5m])))`, "{{consumer}}"}}},
				{Title: "Failures by reason", Unit: "short", About: "Of the last hour. attempts_exhausted and internal are ours, the others the documents'.",
					Queries: []Query{{`sum by (reason) (increase(colophon_failures_total[1h]))`, "{{reason}}"}}},
				{Title: "Redeliveries", Unit: "percentunit", About: "Share of deliveries that were not the first.",
					Queries: []Query{{`sum by (consumer) (rate(colophon_redeliveries_total[10m])) / sum by (consumer) (rate(colophon_work_total[10m]))`, "{{consumer}}"}}},
			}},
			{"Stores", []Panel{
				{Title: "Requests", Unit: "reqps", About: "To each store, of all services.",
					Queries: []Query{{`sum by (store) (rate(colophon_store_request_duration_seconds_count[5m]))`, "{{store}}"}}},
				{Title: "Requests that did not go well", Unit: "reqps", About: "not_found and exists may be good answers.",
					Queries: []Query{{`sum by (store, outcome) (rate(colophon_store_request_duration_seconds_count{outcome!="ok"}[5m]))`, "{{store}} {{outcome}}"}}},
				{Title: "Duration, 95 %", Unit: "s", About: "Of requests to each store.",
					Queries: []Query{{`histogram_quantile(0.95, sum by (store, le) (rate(colophon_store_request_duration_seconds_bucket[5m])))`, "{{store}}"}}},
			}},
			{"How full it is", []Panel{
				{Title: "Streams", Unit: "bytes", About: "REQUESTS has a limit, the others an age.",
					Queries: []Query{{`max by (stream) (colophon_stream_size_bytes)`, "{{stream}}"}, {`max by (stream) (colophon_stream_size_limit_bytes)`, "{{stream}} limit"}}},
				{Title: "Servers", Unit: "bytes", About: "The catalog with its indexes, and all streams.",
					Queries: []Query{{`max(colophon_catalog_size_bytes)`, "PostgreSQL"}, {`max(colophon_bus_storage_bytes)`, "JetStream"}}},
				{Title: "Objects written", Unit: "Bps", About: "How fast the object store grows, by bucket.",
					Queries: []Query{{`sum by (bucket) (rate(colophon_object_io_bytes_total{direction="written"}[10m]))`, "{{bucket}}"}}},
				{Title: "Free disk for temporary files", Unit: "percentunit", About: "Of each process.",
					Queries: []Query{{`min by (service_name, instance) (colophon_disk_free_bytes / colophon_disk_size_bytes)`, "{{service_name}} {{instance}}"}}},
			}},
			{"What heals it", []Panel{
				{Title: "Passes of reconcile", Unit: "short", About: "Of the last hour.",
					Queries: []Query{{`sum by (outcome) (increase(colophon_reconcile_passes_total[1h]))`, "{{outcome}}"}}},
				{Title: "What reconcile found", Unit: "short", About: "Of the last hour: things that stood still, and objects that no row names.",
					Queries: []Query{{`sum by (what) (increase(colophon_reconcile_found_total[1h]))`, "{{what}}"}}},
				{Title: "Since the last good pass", Unit: "s", About: "COLOPHON_RECONCILE_EVERY is ten minutes when it is not set.",
					Queries: []Query{{`time() - max(colophon_reconcile_last_pass_timestamp_seconds)`, "age"}}},
			}},
		},
	}
}
