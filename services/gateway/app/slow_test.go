package app

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
)

// Clients who ask for a large page and read nothing hold no memory: each of them
// gets its answer made, two at once at most, while all the others leave theirs.
func TestClientsWhoReadNothing(t *testing.T) {
	const units, clients, memory = 12000, 6, 128 << 20
	r := newRig(t, fmt.Sprintf("COLOPHON_HTTP_MEMORY=%d", memory))
	s, _ := r.add(doc{content: "A long page", kind: model.TypePDF, more: units})
	path := "/v1/snapshots/" + s.SnapshotID + "/pages/1"

	ask := func() *bufio.Reader {
		conn, err := (&net.Dialer{}).DialContext(r.ctx, "tcp", r.app.Addr())
		r.must(err)
		t.Cleanup(func() { _ = conn.Close() })
		r.must(conn.(*net.TCPConn).SetReadBuffer(4096))
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
		r.must(err)
		r.must(conn.SetReadDeadline(time.Now().Add(devtest.Patience)))
		return bufio.NewReaderSize(conn, 16)
	}
	answers := make([]*bufio.Reader, clients)
	for i := range answers {
		answers[i] = ask()
	}
	for i, answer := range answers {
		line, err := answer.ReadString('\n')
		for err == nil && strings.Contains(line, "503") { // on a slow machine
			line, err = ask().ReadString('\n')
		}
		if err != nil || !strings.Contains(line, "200") {
			t.Fatalf("client %d: %q %v", i, line, err)
		}
	}
	now, most := r.app.memory.Held()
	if now != 0 || most == 0 || most > memory {
		t.Errorf("%d bytes are held for clients who read nothing, %d at most", now, most)
	}

	resp, err := http.Get("http://" + r.app.Addr() + path)
	r.must(err)
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	r.must(err)
	if len(data) < 5<<20 {
		t.Errorf("an answer of %d bytes may lie in the buffers of its connection", len(data))
	}
	if got := into[api.PageAnswer](t, data); len(got.Units) != units+1 || got.Units[units].FieldsRaw.Text != fmt.Sprintf("Unit %d", units-1) {
		t.Errorf("%d units", len(got.Units))
	}
}
