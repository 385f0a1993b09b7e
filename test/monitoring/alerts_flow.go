package monitoring

// flowAlerts are about what moves through the chain.
func flowAlerts() []Alert {
	const two = `,instance="b"` // a second gateway, which tells the same
	return []Alert{
		{
			Name: "ColophonGatewaySilent", Severity: critical, For: "10m", Runbook: "the-gateway-is-silent",
			Measure: `count by (namespace) (colophon_consumer_pending_messages)`,
			Holds:   `(count by (namespace) (last_over_time(colophon_ready[1d])) unless on (namespace) %s) or absent(colophon_consumer_pending_messages)`,
			Summary: "No gateway says what waits: none runs, none is scraped, or none reaches NATS.",
			Firing: []Series{{`colophon_ready{namespace="a",service_name="chunker"}`, "1x150"},
				{`colophon_consumer_pending_messages{namespace="b",consumer="split"}`, "0x150"}}, // another installation
			Quiet:  []Series{{`colophon_consumer_pending_messages{consumer="split"}`, "0x150"}, {`colophon_ready{service_name="chunker"}`, "1x150"}},
			Labels: "namespace=a",
		},
		{
			Name: "ColophonQueueOld", Severity: warning, For: "10m", Runbook: "a-queue-is-old",
			Measure: `max by (namespace, consumer) (colophon_consumer_oldest_age_seconds{consumer!="ocr"})`, Holds: "> 600",
			Summary: "The oldest message for {{ $labels.consumer }} has waited for more than ten minutes.",
			Firing: []Series{{`colophon_consumer_oldest_age_seconds{consumer="extract",instance="a"}`, "0x60 0+60x90"},
				{`colophon_consumer_oldest_age_seconds{consumer="extract"` + two + `}`, "0x60 0+60x90"}},
			Quiet: []Series{{`colophon_consumer_oldest_age_seconds{consumer="extract",instance="a"}`, "30x60 700x5 30x90"},
				{`colophon_consumer_oldest_age_seconds{consumer="ocr"}`, "5000x150"}},
			Labels: "consumer=extract",
		},
		{
			Name: "ColophonNoProgress", Severity: critical, For: "15m", Runbook: "the-chain-stands-still",
			Measure: `max by (namespace, consumer) (colophon_consumer_pending_messages)`,
			Holds:   `%s > 0 unless on (namespace, consumer) sum by (namespace, consumer) (increase(colophon_work_total{outcome="done"}[15m])) > 0`,
			Summary: "Messages wait for {{ $labels.consumer }}, and none was done for a quarter of an hour.",
			Firing: []Series{{`colophon_consumer_pending_messages{namespace="a",consumer="chunk",instance="a"}`, "0x60 9x90"},
				{`colophon_work_total{namespace="a",consumer="chunk",outcome="done"}`, "0+5x60 300x90"},
				{`colophon_work_total{namespace="b",consumer="chunk",outcome="done"}`, "0+5x150"}, // another installation
				{`colophon_work_total{namespace="a",consumer="chunk",outcome="retried"}`, "0+5x150"}},
			Quiet: []Series{{`colophon_consumer_pending_messages{consumer="chunk",instance="a"}`, "9x150"},
				{`colophon_work_total{consumer="chunk",outcome="done"}`, "0+5x150"},
				{`colophon_consumer_pending_messages{consumer="split"}`, "0x150"}}, // nobody works on split, and nothing waits
			Labels: "consumer=chunk,namespace=a",
		},
		{
			Name: "ColophonStandsStill", Severity: critical, For: "10m", Runbook: "the-chain-stands-still",
			Measure: `max by (namespace) (colophon_progress_oldest_age_seconds)`, Holds: "> 3600",
			Summary: "Something in the catalog that needs work has made no progress for an hour, although reconcile moves it on.",
			Firing:  []Series{{`colophon_progress_oldest_age_seconds{instance="a"}`, "0+60x150"}},
			Quiet:   []Series{{`colophon_progress_oldest_age_seconds{instance="a"}`, "0+60x40 0+60x40 0x70"}},
		},
		{
			Name: "ColophonDeadLetters", Severity: warning, For: "5m", Runbook: "dead-letters-grow",
			Measure: `max by (namespace, consumer) (colophon_dead_letters_waiting)`, Holds: "> 0",
			Summary: "Dead letters of {{ $labels.consumer }} wait for a person.",
			Firing:  []Series{{`colophon_dead_letters_waiting{consumer="capture",instance="a"}`, "0x100 1x50"}},
			Quiet:   []Series{{`colophon_dead_letters_waiting{consumer="capture",instance="a"}`, "3x50 0x100"}},
			Labels:  "consumer=capture",
		},
		{
			Name: "ColophonDeadLettersGrow", Severity: critical, For: "5m", Runbook: "dead-letters-grow",
			Measure: `max by (namespace, consumer) (delta(colophon_dead_letters_waiting[1h]))`, Holds: "> 20",
			Summary: "More than twenty dead letters of {{ $labels.consumer }} have come within an hour.",
			Firing:  []Series{{`colophon_dead_letters_waiting{consumer="capture",instance="a"}`, "0x80 0+1x70"}},
			Quiet:   []Series{{`colophon_dead_letters_waiting{consumer="capture",instance="a"}`, "300x150"}},
			Labels:  "consumer=capture",
		},
		{
			Name: "ColophonManyFail", Severity: warning, For: "30m", Runbook: "documents-fail",
			Measure: `sum by (namespace, consumer) (rate(colophon_work_total{outcome="failed"}[30m])) / sum by (namespace, consumer) (rate(colophon_work_total{outcome=~"done|failed"}[30m]))`,
			Holds:   "> 0.2",
			Summary: "More than a fifth of what {{ $labels.consumer }} handles fails for good.",
			Firing: []Series{{`colophon_work_total{consumer="extract",outcome="failed"}`, "0+3x150"},
				{`colophon_work_total{consumer="extract",outcome="done"}`, "0+7x150"}},
			Quiet: []Series{{`colophon_work_total{consumer="extract",outcome="failed"}`, "0+1x150"},
				{`colophon_work_total{consumer="extract",outcome="done"}`, "0+9x150"}},
			Labels: "consumer=extract",
		},
	}
}

// lagAlerts are about what is done again, or lags behind.
func lagAlerts() []Alert {
	return []Alert{
		{
			Name: "ColophonRedeliveries", Severity: warning, For: "15m", Runbook: "messages-are-delivered-again",
			Measure: `sum by (namespace, consumer) (rate(colophon_redeliveries_total[30m])) / sum by (namespace, consumer) (rate(colophon_work_total[30m]))`,
			Holds:   "> 0.1",
			Summary: "More than a tenth of the deliveries to {{ $labels.consumer }} are not the first of their message.",
			Firing: []Series{{`colophon_redeliveries_total{consumer="split"}`, "0+3x150"},
				{`colophon_work_total{consumer="split",outcome="done"}`, "0+9x150"}},
			Quiet: []Series{{`colophon_redeliveries_total{consumer="split"}`, "0x100 3x50"},
				{`colophon_work_total{consumer="split",outcome="done"}`, "0+9x150"}},
			Labels: "consumer=split",
		},
		{
			Name: "ColophonScansWait", Severity: warning, For: "15m", Runbook: "scans-wait-for-ocr",
			Measure: `max by (namespace, consumer) (colophon_consumer_oldest_age_seconds{consumer="ocr"})`,
			Holds:   `%s > 3600 and on (namespace) max by (namespace) (colophon_ocr_waiting_pages) > 0`,
			Summary: "Pages have waited for OCR for more than an hour.",
			Firing: []Series{{`colophon_consumer_oldest_age_seconds{consumer="ocr"}`, "0+60x150"},
				{`colophon_ocr_waiting_pages`, "400x150"}},
			Quiet: []Series{{`colophon_consumer_oldest_age_seconds{consumer="ocr"}`, "1200x150"},
				{`colophon_ocr_waiting_pages`, "400x150"}},
			Labels: "consumer=ocr",
		},
		{
			Name: "ColophonVectorsLag", Severity: warning, For: "10m", Runbook: "vectors-lag-behind",
			Measure: `min_over_time(max by (namespace) (colophon_vector_backlog)[30m:1m])`, Holds: "> 100",
			Summary: "More than a hundred chunks have had other vectors than those of their state for half an hour.",
			Firing:  []Series{{`colophon_vector_backlog{instance="a"}`, "0x60 500x90"}},
			Quiet:   []Series{{`colophon_vector_backlog{instance="a"}`, "0x20 500x20 3x20 500x20 3x20 500x20 3x30"}},
		},
		{
			Name: "ColophonSinkLags", Severity: warning, For: "10m", Runbook: "a-sink-lags",
			Measure: `max by (namespace, instance) (colophon_sink_lag_seconds)`, Holds: "> 600",
			Summary: "The target of the sink at {{ $labels.instance }} lacks what was told more than ten minutes ago.",
			Firing:  []Series{{`colophon_sink_lag_seconds{instance="a"}`, "0x60 0+60x90"}, {`colophon_sink_lag_seconds{instance="b"}`, "0x150"}},
			Quiet:   []Series{{`colophon_sink_lag_seconds{instance="a"}`, "0x60 900x5 30x90"}},
			Labels:  "instance=a",
		},
		{
			Name: "ColophonSinkFails", Severity: warning, For: "0m", Runbook: "a-sink-lags",
			Measure: `sum by (namespace, instance, side) (increase(colophon_sink_failures_total[30m]))`, Holds: "> 5",
			Summary: "The sink at {{ $labels.instance }} has begun anew more than five times within half an hour, for what happens at its {{ $labels.side }}.",
			Firing:  []Series{{`colophon_sink_failures_total{instance="a",side="target"}`, "0x100 0+1x50"}, {`colophon_sink_failures_total{instance="a",side="source"}`, "0x150"}},
			Quiet:   []Series{{`colophon_sink_failures_total{instance="a",side="target"}`, "0x100 2x50"}},
			Labels:  "instance=a,side=target",
		},
		{
			Name: "ColophonReconcileFails", Severity: warning, For: "10m", Runbook: "reconcile-fails",
			Measure: `time() - max by (namespace) (colophon_reconcile_last_pass_timestamp_seconds)`,
			Holds:   `(%s > 3600) or (count by (namespace) (last_over_time(colophon_ready[1d])) unless on (namespace) max by (namespace) (colophon_reconcile_last_pass_timestamp_seconds)) or absent(colophon_reconcile_last_pass_timestamp_seconds)`,
			Summary: "No pass of reconcile has ended well for an hour: what stands still is not moved on.",
			Firing:  []Series{{`colophon_reconcile_last_pass_timestamp_seconds{instance="a"}`, "600x150"}},
			Quiet:   []Series{{`colophon_reconcile_last_pass_timestamp_seconds{instance="a"}`, "0+60x150"}, {`colophon_reconcile_last_pass_timestamp_seconds{instance="b"}`, "600x150"}},
		},
		{
			Name: "ColophonReconcileFindsMuch", Severity: warning, For: "5m", Runbook: "reconcile-finds-much",
			Measure: `sum by (namespace, what) (increase(colophon_reconcile_found_total{what!~".* objects"}[6h]))`, Holds: "> 100",
			Summary: "Reconcile has found more than a hundred {{ $labels.what }} that stood still within six hours.",
			Firing:  []Series{{`colophon_reconcile_found_total{what="ranges"}`, "0x10 0+5x140"}},
			Quiet:   []Series{{`colophon_reconcile_found_total{what="ranges"}`, "5000x150"}, {`colophon_reconcile_found_total{what="raw objects"}`, "0+5x150"}},
			Labels:  "what=ranges",
		},
	}
}
