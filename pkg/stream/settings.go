package stream

import "github.com/colophon-dev/colophon/pkg/config"

// ConfigOf turns a service's settings into a Config. Logger is left to the
// caller.
func ConfigOf(name string, n config.NATS, r config.Runner) Config {
	return Config{
		URL: n.URL.Value(), URLFile: n.URLFile, Name: name, CredsFile: n.CredsFile, NkeyFile: n.NkeyFile,
		CAFile: n.TLS.CAFile, CertFile: n.TLS.CertFile, KeyFile: n.TLS.KeyFile,
		Prefix: n.Prefix, StreamPrefix: n.StreamPrefix,
		AckWait: n.AckWait, MaxAckPending: n.MaxAckPending, DuplicateWindow: n.DuplicateWindow,
		PublishWait: n.PublishWait, PublishFor: n.PublishFor, ReconnectWait: n.ReconnectWait,
		RetryDelays: r.RetryDelays, DeferDelay: r.DeferDelay, ProbeEvery: r.ProbeEvery, PullWait: r.PullWait,
		BatchSize: r.BatchSize, BatchWait: r.BatchWait, QuarantineAfter: r.QuarantineAfter,
		QuarantineStarts: r.QuarantineStarts, Grace: r.Grace,
	}
}

// ProvisionOptionsOf turns settings into the options of Provision.
func ProvisionOptionsOf(s config.Streams) ProvisionOptions {
	return ProvisionOptions{Replicas: s.Replicas, RequestBytes: s.RequestBytes}
}
