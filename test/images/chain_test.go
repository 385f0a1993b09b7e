package images

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
)

// startServers starts the servers and returns the settings that name them. The
// database's socket is a file that a container does not see: it is passed on
// from an address.
func startServers(t *testing.T) []string {
	t.Helper()
	env := devtest.Start(t)
	return []string{
		"COLOPHON_NATS_URL=" + env.NATSURL, "COLOPHON_SUBJECT_PREFIX=" + env.Prefix, "COLOPHON_STREAM_PREFIX=" + env.StreamPrefix,
		"COLOPHON_S3_ENDPOINT=" + env.S3Endpoint, "COLOPHON_S3_ACCESS_KEY=" + env.S3AccessKey, "COLOPHON_S3_SECRET_KEY=" + env.S3SecretKey,
		"COLOPHON_S3_BUCKET_PREFIX=" + env.BucketPrefix,
		"COLOPHON_POSTGRES_URL=" + overTCP(t, env.PostgresURL), "COLOPHON_POSTGRES_SCHEMA=" + env.Schema,
		"COLOPHON_QDRANT_ADDR=" + env.QdrantAddr, "COLOPHON_QDRANT_COLLECTION=" + env.Collection,
	}
}

// overTCP returns the connection string with an address in place of a socket.
func overTCP(t *testing.T, socketURL string) string {
	t.Helper()
	u, err := url.Parse(socketURL)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	socket := query.Get("host") + "/.s.PGSQL.5432"
	query.Del("host")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go passOn(client, socket)
		}
	}()
	u.Host, u.RawQuery = listener.Addr().String(), query.Encode()
	return u.String()
}

func passOn(client net.Conn, socket string) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
}

// runJob runs the command's image to its end and returns what it printed. That
// some documents failed, exit status 3, is no error here.
func runJob(t *testing.T, img image, settings, args []string, binds ...string) string {
	t.Helper()
	c := start(t, img, "job-"+args[0], settings, args, binds...)
	select {
	case err := <-c.done:
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 3) {
			t.Fatalf("colophon %v: %v\n%s", args, err, c.log)
		}
	case <-time.After(limit):
		t.Fatalf("colophon %v does not end\n%s", args, c.log)
	}
	return c.log.String()
}

// awaitReady returns when the service says that it can work.
func awaitReady(t *testing.T, c *container, address string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := http.DefaultClient.Do(req); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case err := <-c.done:
			t.Fatalf("%s ended: %v\n%s", c.name, err, c.log)
		case <-ctx.Done():
			t.Fatalf("%s is not ready\n%s", c.name, c.log)
		case <-tick.C:
		}
	}
}

// checkOutcomes holds what became of the documents of test/documents against
// what is known of them: three are bad on purpose, all others are read, the scan
// by OCR.
func checkOutcomes(t *testing.T, out string) {
	t.Helper()
	bad := map[string]string{"empty.txt": "empty_content", "password-protected.pdf": "encrypted", "truncated.pdf": "malformed"}
	done := 0
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		var line struct {
			URL     string `json:"url"`
			Outcome string `json:"outcome"`
			State   string `json:"state"`
			Reason  string `json:"reason"`
			Pages   int    `json:"pages"`
			Chunks  int    `json:"chunks"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line.URL == "" {
			continue
		}
		name := line.URL[strings.LastIndexByte(line.URL, '/')+1:]
		want, isBad := bad[name]
		switch {
		case isBad && line.Reason != want:
			t.Errorf("%s: %s, want %s", name, line.Reason, want)
		case !isBad && (line.Outcome != "stored" || line.Pages > 0 && (line.State != "done" || line.Chunks == 0)):
			t.Errorf("%s: %+v", name, line)
		case !isBad:
			done++
		}
	}
	if done < 15 {
		t.Errorf("%d documents became chunks, want all but three\n%s", done, out)
	}
}
