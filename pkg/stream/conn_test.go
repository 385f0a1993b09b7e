package stream_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

func request(id string) event.CaptureRequested {
	return event.CaptureRequested{RequestID: id, SourceID: "town", URL: "https://town.example/a"}
}

// wire is a TCP proxy that can be cut.
type wire struct {
	t        *testing.T
	target   string
	listener net.Listener
	mu       sync.Mutex
	open     []net.Conn
	cut      bool
}

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, target: strings.TrimPrefix(target, "nats://"), listener: l}
	t.Cleanup(func() { _ = l.Close(); w.set(true) })
	go w.serve()
	return w
}

func (w *wire) serve() {
	for {
		in, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.mu.Lock()
		out, err := net.Dial("tcp", w.target)
		if w.cut || err != nil {
			_ = in.Close()
			if err == nil {
				_ = out.Close()
			}
			w.mu.Unlock()
			continue
		}
		w.open = append(w.open, in, out)
		w.mu.Unlock()
		go func() { _, _ = io.Copy(out, in) }()
		go func() { _, _ = io.Copy(in, out) }()
	}
}

func (w *wire) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	if cut {
		for _, c := range w.open {
			_ = c.Close()
		}
		w.open = nil
	}
}

func TestTheConnectionComesBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	w := newWire(t, r.env.NATSURL)
	r.cfg.URL = "nats://crawler:hush@" + w.listener.Addr().String()
	w.set(true)
	conn := r.connect() // no error though nobody answers
	if err := conn.Ready(t.Context()); fault.KindOf(err) != fault.KindUnavailable || !errors.Is(err, stream.ErrDisconnected) ||
		!strings.Contains(err.Error(), w.listener.Addr().String()) || strings.Contains(err.Error(), "hush") {
		t.Errorf("ready without a connection: %v", err)
	}
	s := &stage{}
	runner, err := stream.NewRunner(conn, s, r.options())
	r.start(runner, err)
	r.say("a")
	w.set(false)
	eventually(t, "it works", func() bool { return s.handled.Load() == 1 })
	r.settled(stream.ConsumerSplit)

	w.set(true)
	eventually(t, "it is un-ready", func() bool { return runner.Ready(t.Context()) != nil })
	if err := conn.Publisher("x").Emit(t.Context(), snapshot("lost")); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("publishing into nothing: %v", err)
	}
	r.say("b")
	w.set(false)
	start := time.Now()
	eventually(t, "it works again", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, e := range s.events {
			if nameOf(e) == "b" {
				return true
			}
		}
		return false
	})
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("back after %s", took)
	}
	if err := runner.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestPublishSaysWhatItCannot(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	big := request("big")
	big.Metadata = map[string]string{"x": strings.Repeat("x", event.MaxEncoded)}
	err := r.conn.Publisher("crawler").Emit(t.Context(), big)
	if fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.LimitExceeded {
		t.Errorf("too large: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.conn.Publisher("crawler").Emit(ended, request("r")); fault.KindOf(err) != fault.KindContext {
		t.Errorf("after the end: %v", err)
	}
	if _, err := stream.Connect(t.Context(), stream.Config{URL: "nats://a b"}); err == nil {
		t.Error("connected to what is no address")
	}
}
