package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// off is the health address of a process without a health server; own stands in place of
// a port for the fixed one of the service.
const (
	off = "off"
	own = "own"
)

// firstHealthPort is the health port of the first service below; each next one has the
// next.
const firstHealthPort = 8081

// HealthPort returns the port at which a service answers for itself where none is set, so
// that each can be asked without reading its log, on one machine and in Kubernetes; 0 for
// what is no service.
func HealthPort(service string) int {
	for i, name := range [...]string{"capturer", "splitter", "extractor", "chunker", "indexer", "gateway", "janitor", "annotator"} {
		if name == service {
			return firstHealthPort + i
		}
	}
	return 0
}

// OwnHealth reports whether a health address asks for the fixed port of each service.
func OwnHealth(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && port == own
}

// healthAddress returns the address at which a service answers, with a port in the place
// of own.
func healthAddress(address, service string) (string, error) {
	if !OwnHealth(address) {
		return address, nil
	}
	port := HealthPort(service)
	if port == 0 {
		return "", fmt.Errorf("COLOPHON_HEALTH_ADDR is %s, and %s has no port of its own; allowed is host:port, or off", address, service)
	}
	host, _, _ := net.SplitHostPort(address)
	return net.JoinHostPort(host, strconv.Itoa(port)), nil
}

const (
	headerTimeout = 5 * time.Second
	closeTimeout  = 2 * time.Second
)

// start opens the port, so that one that is taken stops the start.
func (h *health) start() error {
	h.beat.Store(time.Now().UnixNano())
	if h.options.Health.Addr == off {
		return nil
	}
	address := h.options.Health.Addr
	if host, _, _ := net.SplitHostPort(address); OwnHealth(address) { // of several services in one process, which have one health server and no port of theirs
		address = net.JoinHostPort(host, "0")
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("opening the health address, COLOPHON_HEALTH_ADDR (port 0 is any free one): %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", h.alive)
	mux.HandleFunc("GET /readyz", h.ready)
	if h.options.Metrics != nil {
		mux.Handle("GET /metrics", h.options.Metrics)
	}
	h.server = &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout}
	go func() {
		if err := h.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			h.options.Logger.Error("the health server ended", slog.Any("error", err))
		}
	}()
	address = listener.Addr().String()
	h.options.Logger.Info("health", slog.String("addr", address))
	if h.options.Listening != nil {
		h.options.Listening(address)
	}
	return nil
}

func (h *health) stop() error {
	if h.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if h.server.Shutdown(ctx) != nil {
		return h.server.Close()
	}
	return nil
}

// alive is liveness: whether the loops of this process go round. It never asks
// what the process depends on, since to start it again would not help.
func (h *health) alive(w http.ResponseWriter, _ *http.Request) {
	var still []string
	check := func(name string, beat time.Time) {
		if age := time.Since(beat); !beat.IsZero() && age > h.options.Health.Heartbeat {
			still = append(still, fmt.Sprintf("%s has stood still for %s", name, age.Round(time.Millisecond)))
		}
	}
	if !h.stopping.Load() { // then the loops end, within the grace period
		check("the process", time.Unix(0, h.beat.Load()))
		for _, service := range h.services {
			if b, ok := service.(Beater); ok {
				check(service.Name(), b.Beat())
			}
		}
	}
	answer(w, still, "alive")
}

// ready is readiness: whether each service has what it needs.
func (h *health) ready(w http.ResponseWriter, r *http.Request) {
	if h.stopping.Load() {
		answer(w, []string{"the process is stopping"}, "")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.options.Health.Probe)
	defer cancel()
	answers := make([]error, len(h.services))
	var group sync.WaitGroup
	for i, service := range h.services {
		group.Go(func() { answers[i] = service.Ready(ctx) })
	}
	group.Wait()
	var missing []string
	for i, err := range answers {
		if err != nil {
			missing = append(missing, h.services[i].Name()+": "+strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	answer(w, missing, "ready")
}

// answer writes one line for each problem, or a word that there is none.
func answer(w http.ResponseWriter, problems []string, good string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if len(problems) > 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
		good = strings.Join(problems, "\n")
	}
	_, _ = fmt.Fprintln(w, good)
}
