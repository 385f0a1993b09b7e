package telemetry

import (
	"context"
	"errors"
	"sync"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// exportEvery is how often metrics are exported unless a setting says otherwise: as often
// as Prometheus scrapes in most installations.
const exportEvery = 15 * time.Second

// pusher exports again and again what a reader collects. The library's own way is a second
// reader, for which everything that is measured is counted a second time: this one is that
// which Prometheus is served from.
type pusher struct {
	reader   sdkmetric.Reader
	exporter sdkmetric.Exporter
	stop     context.CancelFunc
	stopped  sync.WaitGroup
}

// startPusher begins to export; an interval of 0 or less means exportEvery.
func startPusher(reader sdkmetric.Reader, exporter sdkmetric.Exporter, interval time.Duration) *pusher {
	if interval <= 0 {
		interval = exportEvery
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &pusher{reader: reader, exporter: exporter, stop: cancel}
	p.stopped.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			limited, done := context.WithTimeout(ctx, max(interval, exportEvery))
			_ = p.push(limited) // the exporter says when it begins to fail
			done()
		}
	})
	return p
}

func (p *pusher) push(ctx context.Context) error {
	var all metricdata.ResourceMetrics
	if err := p.reader.Collect(ctx, &all); err != nil {
		return err
	}
	return p.exporter.Export(ctx, &all)
}

// Shutdown exports what is there for the last time.
func (p *pusher) Shutdown(ctx context.Context) error {
	p.stop()
	p.stopped.Wait()
	return errors.Join(p.push(ctx), p.exporter.Shutdown(ctx))
}
