package stream_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/stream"
)

// TestReadyAsksForTheOwnStreamAndConsumer deletes what a runner listens on, and
// what its neighbour on the same stream does.
func TestReadyAsksForTheOwnStreamAndConsumer(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	runner, err := stream.NewRunner(r.conn, &stage{}, r.options(func(o *stream.Options) { o.Consumer = stream.ConsumerExtract }))
	defer r.start(runner, err)()
	eventually(t, "it is ready", func() bool { return runner.Ready(t.Context()) == nil })
	pages := r.env.StreamPrefix + "PAGES"
	if err := r.js.DeleteConsumer(t.Context(), pages, stream.ConsumerOCR); err != nil {
		t.Fatal(err)
	}
	if err := runner.Ready(t.Context()); err != nil {
		t.Errorf("a consumer that it does not use is missing: %v", err)
	}
	says := func(want string) {
		t.Helper()
		if err := runner.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			// A pull that fails at the same moment says less, for as long as a probe takes.
			eventually(t, want, func() bool {
				err = runner.Ready(t.Context())
				return err != nil && strings.Contains(err.Error(), want)
			})
		}
	}
	if err := r.js.DeleteConsumer(t.Context(), pages, stream.ConsumerExtract); err != nil {
		t.Fatal(err)
	}
	says("consumer extract of stream " + pages + " does not exist")
	if err := r.js.DeleteStream(t.Context(), pages); err != nil {
		t.Fatal(err)
	}
	says("stream " + pages + " does not exist")
	if err := stream.Provision(t.Context(), r.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is ready again", func() bool { return runner.Ready(t.Context()) == nil })
}

// TestProvisionNamesTheSettingWhereThereIsNoRoom asks for more than any disk has.
func TestProvisionNamesTheSettingWhereThereIsNoRoom(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	err := stream.Provision(t.Context(), r.conn, stream.ProvisionOptions{RequestBytes: 1 << 60})
	if !errors.Is(err, stream.ErrNoRoom) {
		t.Fatal(err)
	}
	for _, want := range []string{r.env.StreamPrefix + "REQUESTS", "COLOPHON_REQUEST_BYTES", "1099511627776 MiB", "set aside"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	var refused *jetstream.APIError
	if errors.As(err, &refused) || strings.Contains(err.Error(), "10047") {
		t.Errorf("names a code: %v", err)
	}
}
