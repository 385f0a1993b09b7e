package pgvector_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/sink/pgvector"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// hungServer takes connections and then neither answers nor closes them. With greets it lets
// the client in first, and hangs at its first question. It tells what clients ask for.
func hungServer(t *testing.T, greets bool) (address string, asked <-chan map[string]string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	parameters := make(chan map[string]string, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			go func() {
				if greets {
					greet(conn, parameters)
				}
				_, _ = io.Copy(io.Discard, conn)
			}()
		}
	}()
	return "postgres://sink@" + listener.Addr().String() + "/chunks?sslmode=disable", parameters
}

func greet(conn net.Conn, parameters chan<- map[string]string) {
	server := pgproto3.NewBackend(conn, conn)
	message, err := server.ReceiveStartupMessage()
	if err != nil {
		return
	}
	if start, ok := message.(*pgproto3.StartupMessage); ok {
		select {
		case parameters <- start.Parameters:
		default:
		}
	}
	server.Send(&pgproto3.AuthenticationOk{})
	server.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	_ = server.Flush()
}

// TestAServerThatHangsIsGivenUp: the sink comes to its end of patience, and can tell it and
// try again, instead of standing still for ever.
func TestAServerThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, greets := range map[string]bool{"before it lets us in": false, "at a question": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := hungServer(t, greets)
			ended := make(chan error, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				_, err := pgvector.Open(ctx, pgvector.Options{URL: address, Schema: "chunks", Embedder: retrieval.Models()[0], Silence: 200 * time.Millisecond})
				ended <- err
			}()
			select {
			case err := <-ended:
				if err == nil || errors.Is(err, sink.ErrUnfit) {
					t.Errorf("got %v, want a server that is away", err)
				}
			case <-time.After(20 * time.Second):
				t.Error("it is still waited for")
			}
		})
	}
}

// TestTheServerEndsAStatementFirst: what waits for a lock is ended by the server, so that the
// next attempt does not wait behind the one before; who names a time in the address keeps it.
func TestTheServerEndsAStatementFirst(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]int64{"": 250, "&statement_timeout=7": 7} {
		address, asked := hungServer(t, true)
		_, err := pgvector.Open(t.Context(), pgvector.Options{URL: address + more, Schema: "chunks", Embedder: retrieval.Models()[0], Silence: 300 * time.Millisecond})
		if err == nil {
			t.Fatal("a server that hangs was opened")
		}
		if got := (<-asked)["statement_timeout"]; got != strconv.FormatInt(want, 10) {
			t.Errorf("%q: statement_timeout %q, want %d ms", more, got, want)
		}
	}
}
