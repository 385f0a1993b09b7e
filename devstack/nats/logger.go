package nats

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// keptLogger keeps the first fatal message of a server and the first that says that a write to its files has failed, and
// drops everything else.
type keptLogger struct {
	mu      sync.Mutex
	first   string
	refused string
}

// One of these stands in each error after which JetStream writes nothing more to a stream until the server is started
// again: its publishers then wait for acknowledgements that never come.
const (
	stickyWords = "critical write error"
	stickyStore = "failed to store a msg"
)

func (l *keptLogger) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first
}

// Fatalf implements server.Logger.
func (l *keptLogger) Fatalf(format string, values ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == "" {
		l.first = fmt.Sprintf(format, values...)
	}
}

// Noticef implements server.Logger.
func (l *keptLogger) Noticef(string, ...any) {}

// Warnf implements server.Logger.
func (l *keptLogger) Warnf(string, ...any) {}

// Errorf implements server.Logger.
func (l *keptLogger) Errorf(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	lower := strings.ToLower(text)
	if !strings.Contains(lower, stickyWords) && !strings.Contains(lower, stickyStore) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused == "" {
		l.refused = text
	}
}

// writeError returns the first write that failed for good, nil when none has.
func (l *keptLogger) writeError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused == "" {
		return nil
	}
	return errors.New(l.refused)
}

// Debugf implements server.Logger.
func (l *keptLogger) Debugf(string, ...any) {}

// Tracef implements server.Logger.
func (l *keptLogger) Tracef(string, ...any) {}
