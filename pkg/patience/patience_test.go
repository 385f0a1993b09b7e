package patience_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/patience"
)

// pair returns a connection whose silence is limited, and its other end.
func pair(t *testing.T, silence time.Duration) (limited, other net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dial := patience.Limit((&net.Dialer{}).DialContext, silence)
	if limited, err = dial(t.Context(), "tcp", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if other, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = limited.Close(), other.Close() })
	return limited, other
}

func TestSilenceEndsARead(t *testing.T) {
	limited, _ := pair(t, 50*time.Millisecond)
	for range 2 { // and each that follows
		_, err := limited.Read(make([]byte, 1))
		var op *net.OpError
		if !errors.Is(err, patience.ErrSilent) || !errors.As(err, &op) || op.Timeout() {
			t.Fatalf("%v", err)
		}
	}
}

func TestSilenceEndsAWrite(t *testing.T) {
	limited, _ := pair(t, 50*time.Millisecond)
	piece := make([]byte, 1<<20)
	for {
		if _, err := limited.Write(piece); err != nil {
			if !errors.Is(err, patience.ErrSilent) {
				t.Errorf("%v", err)
			}
			return
		}
	}
}

// TestProgressIsNoSilence: a read waits for the whole of an upload, which takes
// several times as long as silence may.
func TestProgressIsNoSilence(t *testing.T) {
	const silence = 300 * time.Millisecond
	limited, other := pair(t, silence)
	answer := make(chan error, 1)
	go func() {
		_, err := limited.Read(make([]byte, 1))
		answer <- err
	}()
	ticker := time.NewTicker(silence / 10)
	defer ticker.Stop()
	for began := time.Now(); time.Since(began) < 3*silence; {
		<-ticker.C
		if _, err := limited.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := other.Write([]byte("y")); err != nil {
		t.Fatal(err)
	}
	if err := <-answer; err != nil {
		t.Errorf("the answer to a long upload: %v", err)
	}
}

// TestWhereNobodyWaitsSilenceIsGood: a connection in a pool stays.
func TestWhereNobodyWaitsSilenceIsGood(t *testing.T) {
	const silence = 30 * time.Millisecond
	limited, other := pair(t, silence)
	idle := time.NewTimer(4 * silence)
	<-idle.C
	go func() { _, _ = io.Copy(other, other) }()
	if _, err := limited.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := limited.Read(make([]byte, 1)); err != nil {
		t.Errorf("after a rest: %v", err)
	}
}

func TestADialThatFails(t *testing.T) {
	away := errors.New("away")
	dial := patience.Limit(func(context.Context, string, string) (net.Conn, error) { return nil, away }, time.Second)
	if _, err := dial(t.Context(), "tcp", "x"); !errors.Is(err, away) {
		t.Errorf("%v", err)
	}
}
