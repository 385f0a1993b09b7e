package nats

import (
	"fmt"
	"sync"
)

// fatalLogger keeps the first fatal message of a server and drops everything else.
type fatalLogger struct {
	mu    sync.Mutex
	first string
}

func (l *fatalLogger) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first
}

// Fatalf implements server.Logger.
func (l *fatalLogger) Fatalf(format string, values ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == "" {
		l.first = fmt.Sprintf(format, values...)
	}
}

// Noticef implements server.Logger.
func (l *fatalLogger) Noticef(string, ...any) {}

// Warnf implements server.Logger.
func (l *fatalLogger) Warnf(string, ...any) {}

// Errorf implements server.Logger.
func (l *fatalLogger) Errorf(string, ...any) {}

// Debugf implements server.Logger.
func (l *fatalLogger) Debugf(string, ...any) {}

// Tracef implements server.Logger.
func (l *fatalLogger) Tracef(string, ...any) {}
