package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest"
)

// TestServicesWaitForTheJobs starts all services on servers that nobody has prepared,
// and then the Jobs in the order that waits longest. Until then each service runs on,
// is not ready and says what it waits for; then all are ready without another start.
func TestServicesWaitForTheJobs(t *testing.T) {
	servers := devtest.Start(t)
	env := environment(t.TempDir(),
		"COLOPHON_NATS_URL="+servers.NATSURL, "COLOPHON_SUBJECT_PREFIX="+servers.Prefix, "COLOPHON_STREAM_PREFIX="+servers.StreamPrefix,
		"COLOPHON_S3_ENDPOINT="+servers.S3Endpoint, "COLOPHON_S3_ACCESS_KEY="+servers.S3AccessKey, "COLOPHON_S3_SECRET_KEY="+servers.S3SecretKey,
		"COLOPHON_S3_BUCKET_PREFIX="+servers.BucketPrefix,
		"COLOPHON_POSTGRES_URL="+servers.PostgresURL, "COLOPHON_POSTGRES_SCHEMA="+servers.Schema,
		"COLOPHON_QDRANT_ADDR="+servers.QdrantAddr, "COLOPHON_QDRANT_COLLECTION="+servers.Collection,
		"COLOPHON_HTTP_ADDR=127.0.0.1:0", "COLOPHON_REQUEST_BYTES=16777216", "COLOPHON_STOP_GRACE=40s")
	mains, err := filepath.Glob(filepath.Join(root, "services", "*", "main.go"))
	if err != nil || len(mains) == 0 {
		t.Fatal(mains, err)
	}
	var services []*waiting
	for _, main := range mains {
		services = append(services, startWaiting(t, filepath.Base(filepath.Dir(main)), env))
	}
	const migrate = "run colophon migrate"
	for _, s := range services {
		s.says(migrate)
		if s.name != "indexer" { // which asks for its collection first
			s.says(" does not exist") // its stream
		}
	}
	job := func(args ...string) {
		t.Helper()
		if r := runProgram(t, bin(t, "colophon"), env, args...); r.code != 0 {
			t.Fatalf("%v: %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
	job("provision")
	for _, s := range services {
		await(t, s.name+" waits for the catalog alone", func() bool {
			code, text := s.ask()
			return code == http.StatusServiceUnavailable && strings.Contains(text, migrate) && !strings.Contains(text, " does not exist")
		})
	}
	job("migrate")
	for _, s := range services {
		await(t, s.name+" is ready", func() bool { code, _ := s.ask(); return code == http.StatusOK })
	}
	for _, s := range services {
		s.stop()
	}
}

// waiting is a service as a process of its own.
type waiting struct {
	t       *testing.T
	name    string
	address string // of its health
	cmd     *exec.Cmd
	log     *bytes.Buffer
	done    chan error
}

// startWaiting starts a service. Its health address is none from which others connect: a free
// port of 127.0.0.1 may be one of theirs before it is opened.
func startWaiting(t *testing.T, name string, env []string) *waiting {
	t.Helper()
	s := &waiting{t: t, name: name, address: strings.Replace(devtest.FreeAddress(t), "127.0.0.1", "127.0.0.2", 1), log: new(bytes.Buffer), done: make(chan error, 1)}
	s.cmd = exec.Command(bin(t, name))
	s.cmd.Env = append(env[:len(env):len(env)], "COLOPHON_HEALTH_ADDR="+s.address)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.done <- s.cmd.Wait() }()
	t.Cleanup(s.stop)
	return s
}

// ask returns what /readyz says; 0 when nobody answers. A service that has ended ends
// the test.
func (s *waiting) ask() (int, string) {
	s.t.Helper()
	select {
	case err := <-s.done:
		s.cmd = nil
		s.t.Fatalf("%s has ended: %v\n%s", s.name, err, s.log)
	default:
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+"/readyz", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, ""
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func (s *waiting) says(want string) {
	s.t.Helper()
	await(s.t, s.name+" says "+want, func() bool {
		code, text := s.ask()
		if code == http.StatusOK {
			s.t.Fatalf("%s is ready: %s", s.name, text)
		}
		return strings.Contains(text, want)
	})
}

// stop ends the service in good order; a second call does nothing.
func (s *waiting) stop() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	if err := <-s.done; err != nil {
		s.t.Errorf("%s: %v\n%s", s.name, err, s.log)
	}
	s.cmd = nil
}
