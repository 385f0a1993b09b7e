package stream_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/stream"
)

// TestAUserThatIsRefusedForAWhile: a server that does not know the user yet, as while
// it reads its accounts again, is asked until it does.
func TestAUserThatIsRefusedForAWhile(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	w := newWire(t, r.env.NATSURL)
	door, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = door.Close() })
	var refused atomic.Int64
	refuses := atomic.Bool{}
	go func() {
		for {
			in, err := door.Accept()
			if err != nil {
				return
			}
			if !refuses.Load() {
				go through(in, w.listener.Addr().String())
				continue
			}
			go func() {
				defer func() { _ = in.Close() }()
				_, _ = fmt.Fprintf(in, "INFO {\"server_id\":\"x\",\"version\":\"2.15.2\",\"max_payload\":1048576,\"auth_required\":true}\r\n")
				if line, err := bufio.NewReader(in).ReadString('\n'); err == nil && strings.HasPrefix(line, "CONNECT") {
					_, _ = io.WriteString(in, "-ERR 'Authorization Violation'\r\n")
					refused.Add(1)
				}
			}()
		}
	}()
	r.cfg.URL = "nats://" + door.Addr().String()
	r.cfg.ReconnectWait = 20 * time.Millisecond
	conn := r.connect()
	s := &stage{}
	runner, err := stream.NewRunner(conn, s, r.options())
	r.start(runner, err)
	r.say("a")
	eventually(t, "it works", func() bool { return s.handled.Load() == 1 })
	refuses.Store(true)
	w.set(true)
	eventually(t, "it is refused again and again", func() bool { return refused.Load() >= 4 })
	if runner.Ready(t.Context()) == nil {
		t.Error("it is ready")
	}
	refuses.Store(false)
	w.set(false)
	r.say("b")
	eventually(t, "it works again", func() bool { return s.handled.Load() >= 2 && runner.Ready(t.Context()) == nil })
}

// through passes a connection on.
func through(in net.Conn, target string) {
	defer func() { _ = in.Close() }()
	out, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer func() { _ = out.Close() }()
	go func() {
		_, _ = io.Copy(out, in)
		_ = out.Close()
	}()
	_, _ = io.Copy(in, out)
}
