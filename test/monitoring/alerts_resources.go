package monitoring

// resourceAlerts are about stores, processes and their room.
func resourceAlerts() []Alert {
	const requests = "colophon_store_request_duration_seconds_count"
	return []Alert{
		{
			Name: "ColophonStoreAway", Severity: critical, For: "2m", Runbook: "a-store-refuses-or-is-away",
			Measure: `min by (namespace, store) (colophon_store_up)`, Holds: "== 0",
			Summary: "{{ $labels.store }} does not answer a gateway.",
			Firing:  []Series{{`colophon_store_up{store="s3",instance="a"}`, "1x100 0x50"}, {`colophon_store_up{store="s3",instance="b"}`, "1x150"}},
			Quiet:   []Series{{`colophon_store_up{store="s3",instance="a"}`, "1x119 0 1x30"}},
			Labels:  "store=s3",
		},
		{
			Name: "ColophonStoreRefuses", Severity: warning, For: "5m", Runbook: "a-store-refuses-or-is-away",
			Measure: `(sum by (namespace, service_name, store) (rate(` + requests + `{outcome=~"unavailable|denied|full"}[5m])) or 0 * sum by (namespace, service_name, store) (rate(` + requests + `[5m]))) / sum by (namespace, service_name, store) (rate(` + requests + `[5m]))`,
			Holds:   "> 0.05",
			Summary: "More than one in twenty requests of {{ $labels.service_name }} to {{ $labels.store }} fails.",
			Firing: []Series{{requests + `{service_name="indexer",store="qdrant",operation="upsert",outcome="full"}`, "0+2x150"},
				{requests + `{service_name="indexer",store="qdrant",operation="upsert",outcome="ok"}`, "0+9x150"}},
			Quiet: []Series{{requests + `{service_name="indexer",store="qdrant",operation="upsert",outcome="not_found"}`, "0+9x150"},
				{requests + `{service_name="indexer",store="qdrant",operation="upsert",outcome="ok"}`, "0+9x150"}},
			Labels: "service_name=indexer,store=qdrant",
		},
		{
			Name: "ColophonHeld", Severity: warning, For: "10m", Runbook: "a-store-refuses-or-is-away",
			Measure: `max by (namespace, service_name, instance, consumer) (colophon_consumer_held)`, Holds: "== 1",
			Summary: "{{ $labels.service_name }} at {{ $labels.instance }} pulls nothing for {{ $labels.consumer }}, since it waits for a store, its stream or its consumer.",
			Firing:  []Series{{`colophon_consumer_held{service_name="chunker",instance="a",consumer="chunk"}`, "0x60 1x90"}},
			Quiet:   []Series{{`colophon_consumer_held{service_name="chunker",instance="a",consumer="chunk"}`, "0x60 1x5 0x90"}},
			Labels:  "service_name=chunker,instance=a,consumer=chunk",
		},
		{
			Name: "ColophonNotReady", Severity: critical, For: "5m", Runbook: "a-process-is-not-ready",
			Measure: `min by (namespace, service_name, instance) (colophon_ready)`, Holds: "== 0",
			Summary: "{{ $labels.service_name }} at {{ $labels.instance }} has not what it needs.",
			Firing:  []Series{{`colophon_ready{service_name="gateway",instance="a"}`, "1x60 0x90"}},
			Quiet:   []Series{{`colophon_ready{service_name="gateway",instance="a"}`, "1x117 0x2 1x50"}},
			Labels:  "service_name=gateway,instance=a",
		},
		{
			Name: "ColophonStreamNearlyFull", Severity: warning, For: "10m", Runbook: "a-stream-is-nearly-full",
			Measure: `max by (namespace, stream) (colophon_stream_size_bytes) / max by (namespace, stream) (colophon_stream_size_limit_bytes)`, Holds: "> 0.8",
			Summary: "Stream {{ $labels.stream }} holds more than four fifths of what it may.",
			Firing: []Series{{`colophon_stream_size_bytes{stream="REQUESTS"}`, "10x60 90x90"}, {`colophon_stream_size_limit_bytes{stream="REQUESTS"}`, "100x150"},
				{`colophon_stream_size_bytes{stream="CHUNKS"}`, "900x150"}}, // which has no limit
			Quiet: []Series{{`colophon_stream_size_bytes{stream="REQUESTS"}`, "10x150"}, {`colophon_stream_size_limit_bytes{stream="REQUESTS"}`, "100x150"},
				{`colophon_stream_size_bytes{stream="CHUNKS"}`, "900x150"}},
			Labels: "stream=REQUESTS",
		},
		{
			Name: "ColophonBusStorageNearlyFull", Severity: warning, For: "10m", Runbook: "a-disk-is-nearly-full",
			Measure: `max by (namespace) (colophon_bus_storage_bytes) / (max by (namespace) (colophon_bus_storage_limit_bytes) or max by (namespace) (colophon_bus_storage_bytes) + Inf)`, Holds: "> 0.8",
			Summary: "The streams take more than four fifths of the disk that their account may have.",
			Firing:  []Series{{`colophon_bus_storage_bytes`, "90x150"}, {`colophon_bus_storage_limit_bytes`, "100x150"}},
			Quiet:   []Series{{`colophon_bus_storage_bytes`, "90x150"}},
		},
		{
			Name: "ColophonDiskNearlyFull", Severity: warning, For: "10m", Runbook: "a-disk-is-nearly-full",
			Measure: `min by (namespace, service_name, instance) (colophon_disk_free_bytes / colophon_disk_size_bytes)`, Holds: "< 0.1",
			Summary: "Less than a tenth of the disk for temporary files of {{ $labels.service_name }} at {{ $labels.instance }} is free.",
			Firing:  []Series{{`colophon_disk_free_bytes{service_name="capturer",instance="a"}`, "50x60 5x90"}, {`colophon_disk_size_bytes{service_name="capturer",instance="a"}`, "100x150"}},
			Quiet:   []Series{{`colophon_disk_free_bytes{service_name="capturer",instance="a"}`, "50x150"}, {`colophon_disk_size_bytes{service_name="capturer",instance="a"}`, "100x150"}},
			Labels:  "service_name=capturer,instance=a",
		},
	}
}

// loadAlerts are about what a process has too little of, and how its answers suffer.
func loadAlerts() []Alert {
	return []Alert{
		{
			Name: "ColophonPoolExhausted", Severity: warning, For: "10m", Runbook: "the-connection-pool-is-exhausted",
			Measure: `sum by (namespace, service_name, instance) (rate(colophon_catalog_connections_wait_time_seconds_total[5m]))`, Holds: "> 1",
			Summary: "{{ $labels.service_name }} at {{ $labels.instance }} waits for connections to PostgreSQL: more than one request at any time.",
			Firing:  []Series{{`colophon_catalog_connections_wait_time_seconds_total{service_name="gateway",instance="a"}`, "0+120x150"}},
			Quiet:   []Series{{`colophon_catalog_connections_wait_time_seconds_total{service_name="gateway",instance="a"}`, "0+6x150"}},
			Labels:  "service_name=gateway,instance=a",
		},
		{
			Name: "ColophonQuestionsUnanswered", Severity: warning, For: "10m", Runbook: "questions-get-no-answer",
			Measure: `sum by (namespace) (rate(colophon_ask_duration_seconds_count{outcome=~"away|busy|spent"}[10m])) / sum by (namespace) (rate(colophon_ask_duration_seconds_count{outcome!="no_model"}[10m]))`,
			Holds:   "> 0.5",
			Summary: "More than half of the questions get no answer: the chat model is away, too many ask at once, or the day's tokens are spent.",
			Firing: []Series{{`colophon_ask_duration_seconds_count{service_name="annotator",outcome="away"}`, "0+6x150"},
				{`colophon_ask_duration_seconds_count{service_name="annotator",outcome="answered"}`, "0+3x150"}},
			Quiet: []Series{{`colophon_ask_duration_seconds_count{service_name="annotator",outcome="busy"}`, "0+3x150"},
				{`colophon_ask_duration_seconds_count{service_name="annotator",outcome="answered"}`, "0+6x150"},
				{`colophon_ask_duration_seconds_count{service_name="annotator",outcome="no_model"}`, "0+60x150"}},
		},
		{
			Name: "ColophonChildrenKilled", Severity: warning, For: "0m", Runbook: "children-are-killed",
			Measure: `sum by (namespace, service_name, role) (increase(colophon_sandbox_ends_total{cause="killed"}[30m]))`, Holds: "> 3",
			Summary: "Children of {{ $labels.service_name }} ({{ $labels.role }}) are killed by somebody else, most likely for want of memory.",
			Firing:  []Series{{`colophon_sandbox_ends_total{service_name="extractor",role="extract",cause="killed"}`, "0x100 0+1x50"}},
			Quiet: []Series{{`colophon_sandbox_ends_total{service_name="extractor",role="extract",cause="killed"}`, "0x100 1x50"},
				{`colophon_sandbox_ends_total{service_name="extractor",role="extract",cause="crashed"}`, "0+5x150"}},
			Labels: "service_name=extractor,role=extract",
		},
		{
			Name: "ColophonRequestsTurnedAway", Severity: warning, For: "5m", Runbook: "requests-are-turned-away",
			Measure: `sum by (namespace, http_route) (rate(colophon_http_shed_total[5m]))`, Holds: "> 0.2",
			Summary: "The gateway turns requests to {{ $labels.http_route }} away, since too much is asked at once.",
			Firing:  []Series{{`colophon_http_shed_total{http_route="/v1/search"}`, "0+60x150"}},
			Quiet:   []Series{{`colophon_http_shed_total{http_route="/v1/search"}`, "0x110 5x40"}},
			Labels:  "http_route=/v1/search",
		},
		{
			Name: "ColophonRequestsFail", Severity: critical, For: "5m", Runbook: "requests-fail",
			Measure: `(sum by (namespace) (rate(http_server_request_duration_seconds_count{http_response_status_code=~"500|503|504",http_route=~"/v1/.*"}[5m])) or 0 * sum by (namespace) (rate(http_server_request_duration_seconds_count{http_route=~"/v1/.*"}[5m]))) / sum by (namespace) (rate(http_server_request_duration_seconds_count{http_route=~"/v1/.*"}[5m]))`,
			Holds:   "> 0.1",
			Summary: "More than a tenth of the requests to the gateway's API fail.",
			Firing: []Series{{`http_server_request_duration_seconds_count{http_route="/v1/search",http_response_status_code="503"}`, "0+2x150"},
				{`http_server_request_duration_seconds_count{http_route="/v1/search",http_response_status_code="200"}`, "0+9x150"}},
			Quiet: []Series{{`http_server_request_duration_seconds_count{http_route="/v1/search",http_response_status_code="404"}`, "0+9x150"},
				{`http_server_request_duration_seconds_count{http_route="/v1/search",http_response_status_code="200"}`, "0+9x150"},
				{`http_server_request_duration_seconds_count{http_route="/readyz",http_response_status_code="503"}`, "0+9x150"}},
		},
		{
			Name: "ColophonSearchSlow", Severity: warning, For: "10m", Runbook: "searches-are-slow",
			Measure: `histogram_quantile(0.95, sum by (namespace, le) (rate(colophon_search_duration_seconds_bucket{part="all"}[10m])))`, Holds: "> 2",
			Summary: "One search in twenty takes longer than two seconds.",
			Firing: []Series{{`colophon_search_duration_seconds_bucket{part="all",le="1"}`, "0+5x150"}, {`colophon_search_duration_seconds_bucket{part="all",le="5"}`, "0+10x150"},
				{`colophon_search_duration_seconds_bucket{part="all",le="+Inf"}`, "0+10x150"}},
			Quiet: []Series{{`colophon_search_duration_seconds_bucket{part="all",le="1"}`, "0+10x150"}, {`colophon_search_duration_seconds_bucket{part="all",le="5"}`, "0+10x150"},
				{`colophon_search_duration_seconds_bucket{part="all",le="+Inf"}`, "0+10x150"}},
		},
	}
}
