package credentials_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// journal keeps log lines.
type journal struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.out.Write(p)
}

func (j *journal) log() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

func (j *journal) count(text string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.out.String(), text)
}

// holdsNone fails the test when a secret is in the log.
func (j *journal) holdsNone(t *testing.T, secrets ...string) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, secret := range secrets {
		if secret != "" && strings.Contains(j.out.String(), secret) {
			t.Errorf("the log holds the secret %q", secret)
		}
	}
}

func eventually(t *testing.T, what string, met func() error) {
	t.Helper()
	deadline := time.After(devtest.Patience)
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := met()
		if err == nil {
			return
		}
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("gave up waiting: %s: %v", what, err)
		}
	}
}

// holds is an error unless it is so.
func holds(so bool) error {
	if so {
		return nil
	}
	return fmt.Errorf("it is not so")
}

func onePage() model.PageRange { return model.PageRange{From: 1, To: 1} }
