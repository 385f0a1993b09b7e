package process

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

type settings struct {
	Telemetry config.Telemetry
	Health    config.Health
}

func blocks(s settings) (config.Telemetry, config.Health) { return s.Telemetry, s.Health }

// service ends with the process; err is what Run and closing return.
type service struct {
	run, closing error
	steps        *[]string
}

func (s service) Name() string                { return "test" }
func (s service) Ready(context.Context) error { return nil }

func (s service) Run(ctx context.Context) error {
	*s.steps = append(*s.steps, "run")
	if s.run != nil {
		return s.run
	}
	<-ctx.Done()
	return nil
}

func (s service) Close() error {
	*s.steps = append(*s.steps, "close")
	return s.closing
}

func TestServe(t *testing.T) {
	t.Setenv("COLOPHON_HEALTH_ADDR", "off")
	failed, stuck := errors.New("it failed"), errors.New("it does not close")
	for name, c := range map[string]struct {
		build, run, closing error
		steps               string
	}{
		"to the end":     {steps: "run close"},
		"not built":      {build: failed},
		"ended by error": {run: failed, steps: "run close"},
		"not closed":     {run: failed, closing: stuck, steps: "run close"},
	} {
		var steps []string
		ctx, cancel := context.WithCancel(t.Context())
		err := serve(ctx, "test", func(_ context.Context, _ settings, tel *telemetry.Telemetry, q *stream.Quarantine) (service, error) {
			if tel == nil || q == nil {
				t.Error("a service is built without telemetry or quarantine")
			}
			if c.run == nil {
				cancel() // told to stop at once
			}
			return service{run: c.run, closing: c.closing, steps: &steps}, c.build
		}, blocks)
		cancel()
		for _, want := range []error{c.build, c.run, c.closing} {
			if want != nil && !errors.Is(err, want) {
				t.Errorf("%s: %v lacks %v", name, err, want)
			}
		}
		if c.build == nil && c.run == nil && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.Join(steps, " "); got != c.steps {
			t.Errorf("%s: %s, want %s", name, got, c.steps)
		}
	}
	t.Setenv("COLOPHON_LOG_FORMAT", "poetry")
	err := serve(t.Context(), "test", func(context.Context, settings, *telemetry.Telemetry, *stream.Quarantine) (service, error) {
		t.Error("built from settings that are wrong")
		return service{}, nil
	}, blocks)
	if err == nil || !strings.Contains(err.Error(), "COLOPHON_LOG_FORMAT") {
		t.Errorf("%v", err)
	}
}

// stuckCloser never gives back what it holds.
type stuckCloser struct{ service }

func (stuckCloser) Close() error { select {} }

// TestAProcessEndsThoughAPartDoesNotClose: a connection that a stuck handler has taken is
// waited for by its pool for ever, and not by the process.
func TestAProcessEndsThoughAPartDoesNotClose(t *testing.T) {
	err := closeWithin(10*time.Millisecond, stuckCloser{})
	if err == nil || !strings.Contains(err.Error(), "test has not given back what it holds within 10ms") {
		t.Errorf("%v", err)
	}
	var steps []string
	if err := closeWithin(time.Minute, service{steps: &steps, closing: context.Canceled}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestEachServiceHasAHealthPortOfItsOwn: where the address is own, no two services share
// one, the port is named in the documentation of the setting, and what is no service is
// told so.
func TestEachServiceHasAHealthPortOfItsOwn(t *testing.T) {
	help, _ := reflect.TypeFor[config.Health]().FieldByName("Addr")
	seen := make(map[string]bool)
	entries, err := os.ReadDir("../../services")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		address, err := healthAddress("127.0.0.1:own", e.Name())
		_, port, _ := strings.Cut(address, ":")
		if all, err := healthAddress(":own", e.Name()); err != nil || all != ":"+port {
			t.Errorf("%s on all addresses: %s, %v", e.Name(), all, err)
		}
		if err != nil || seen[address] || !strings.Contains(help.Tag.Get("help"), port+" "+e.Name()) {
			t.Errorf("%s: %s, %v", e.Name(), address, err)
		}
		seen[address] = true
	}
	if len(seen) < 7 {
		t.Errorf("%d services", len(seen))
	}
	if kept, err := healthAddress("127.0.0.1:9", "capturer"); err != nil || kept != "127.0.0.1:9" {
		t.Errorf("an address that is set: %s, %v", kept, err)
	}
	t.Setenv("COLOPHON_HEALTH_ADDR", "") // the default
	if err := serve[settings, service](t.Context(), "test", nil, blocks); err == nil || !strings.Contains(err.Error(), "test has no port of its own") {
		t.Errorf("what is no service: %v", err)
	}
}
