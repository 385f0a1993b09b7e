// Package access runs the whole chain as the identities of pkg/access on servers that
// enforce them, and holds the table against a second one, against what the renderers
// write, and against what the servers' own logs say was used.
package access

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/devstack/postgres"
	"github.com/colophon-dev/colophon/devstack/qdrant"
	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/programs"
	"github.com/colophon-dev/colophon/test/secrets"
)

// limit bounds every command and every wait of these tests.
const limit = 3 * devtest.Patience

// root is the repository's root, seen from this package's folder.
const root = "../.."

var minioPath = flag.String("minio", "", "the minio program, which enforces policies; without it all use one key of the object store")

// The source of the crawler and the name of the consumer of these tests.
const (
	source   = "council"
	consumer = "reader"
)

// names are those of an installation that has set every prefix.
func names() access.Names {
	return access.Names{Subjects: "acc", Streams: "ACC_", Buckets: "acc-", Source: source, Consumer: consumer}
}

// schema and rolePrefix are the catalog's names.
const (
	schema     = "acc"
	rolePrefix = "acc_"
)

// binaries builds all programs once.
var binaries = sync.OnceValues(programs.Shared)

// rig is the servers with their users, and the services as processes of their own.
type rig struct {
	t        *testing.T
	dir, bin string
	first    *secrets.Authority        // of all certificates, unless a test turns to the second
	second   *secrets.Authority        // clients of these tests trust both
	mounts   map[string]*secrets.Mount // by role: what it shows to the servers, and trusts
	bus      *bus
	objects  objects
	postgres *postgres.Server
	remote   postgres.Remote // how it is reached by the roles
	vectors  *qdrant.Server
	vault    *vault    // certificates and key of the vector store
	admin    *pgx.Conn // superuser of the database server, over its socket
	services map[string]*service
	settings map[string][]string // by role: what its service gets beside
	gateway  string              // host:port of its API
	web      string              // http://host:port of pages to fetch
}

// service is a process of a service, as one role.
type service struct {
	role   string
	cmd    *exec.Cmd
	log    *lockedBuffer
	ended  chan struct{}
	health string
}

// lockedBuffer is a buffer that a process writes while a test reads.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startRig starts the servers, and makes the identities as an operator would. explained
// says that the database server logs what each statement does.
func startRig(t *testing.T, explained bool) *rig {
	t.Helper()
	programs.NeedServers(t)
	bin, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	// PostgreSQL may run as another user, and its socket's path must be short.
	dir, err := os.MkdirTemp("/tmp", "colophon-access-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	r := &rig{
		t: t, dir: dir, bin: bin, services: make(map[string]*service), gateway: devtest.FreeAddress(t),
		first: secrets.NewAuthority(t, "first"), second: secrets.NewAuthority(t, "second"), mounts: make(map[string]*secrets.Mount), vault: new(vault),
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/page.html" {
			http.NotFound(w, q)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<html><title>Ferry</title><body><h1>Ferry</h1><p>The ferry leaves at noon.</p></body></html>"))
	}))
	t.Cleanup(web.Close)
	r.web = web.URL
	r.startPostgres()
	r.startVectors()
	r.objects = r.startObjects()
	r.bus = r.startBus()
	r.makeObjectUsers()
	r.startCatalog(explained)
	return r
}

// run starts a process that ends with the test.
func (r *rig) run(cmd *exec.Cmd) (ended chan struct{}) {
	r.t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	ended = make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	r.t.Cleanup(func() { end(cmd, ended) })
	return ended
}

// end asks a process to stop, and ends it if it does not.
func end(cmd *exec.Cmd, ended <-chan struct{}) {
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		<-ended
	}
}

// environment are the settings of a process that works as a role.
func (r *rig) environment(role string) []string {
	var env []string
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "COLOPHON_") && !strings.HasPrefix(line, "OTEL_") {
			env = append(env, line)
		}
	}
	n := names()
	values := map[string]string{
		"SUBJECT_PREFIX": n.Subjects, "STREAM_PREFIX": n.Streams, "POSTGRES_SCHEMA": schema,
		"QDRANT_ADDR": r.vectors.Addr(), "QDRANT_COLLECTION": "access", "S3_BUCKET_PREFIX": n.Buckets,
		"OCR_ENGINE": "fake:read", "GATEWAY_URL": "http://" + r.gateway, "LOG_FORMAT": "text",
		"FETCH_NETWORKS": "127.0.0.0/8", "FETCH_PORTS": r.web[strings.LastIndex(r.web, ":")+1:],
		"ACK_WAIT": "3s", "DEFER_DELAY": "200ms", "PROBE_EVERY": "100ms", "RETRY_DELAYS": "100ms,100ms", "COLLECTION_CHECK": "1s",
	}
	maps.Copy(values, r.shows(role))
	for name, value := range values {
		env = append(env, "COLOPHON_"+name+"="+value)
	}
	return append(env, "TMPDIR="+os.TempDir())
}

// start runs a service as a role and waits until it is ready.
func (r *rig) start(role string) {
	r.t.Helper()
	program, more := role, []string(nil)
	switch role {
	case access.Extract, access.OCR:
		program, more = "extractor", []string{"COLOPHON_EXTRACTOR_CONSUMERS=" + role}
	case access.Gateway:
		more = []string{"COLOPHON_HTTP_ADDR=" + r.gateway}
	case access.Janitor:
		more = []string{
			"COLOPHON_RECONCILE_EVERY=500ms", "COLOPHON_RECONCILE_AGE=0s",
			"COLOPHON_RECONCILE_OBJECTS_EVERY=1s", "COLOPHON_RECONCILE_OBJECT_AGE=" + orphanAge.String(),
		}
	}
	s := &service{role: role, log: new(lockedBuffer), health: devtest.FreeAddress(r.t)}
	s.cmd = exec.Command(filepath.Join(r.bin, program))
	s.cmd.Env = slices.Concat(r.environment(role), more, r.settings[role], []string{"COLOPHON_HEALTH_ADDR=" + s.health})
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.ended = r.run(s.cmd)
	r.services[role] = s
	await(r.t, role+" is ready", func() bool {
		select {
		case <-s.ended:
			r.t.Fatalf("%s ended: %s", role, s.log)
		default:
		}
		code, body := ask("http://" + s.health + "/readyz")
		if code != http.StatusOK && code != 0 {
			r.t.Logf("%s is not ready: %s", role, body)
		}
		return code == http.StatusOK
	})
}

// stop ends a service in good order, and kill at once.
func (r *rig) stop(role string) { end(r.services[role].cmd, r.services[role].ended) }

func (r *rig) kill(role string) {
	_ = r.services[role].cmd.Process.Kill()
	<-r.services[role].ended
}

// colophon runs a command as a role; it must end with one of the codes.
func (r *rig) colophon(role string, codes []int, args ...string) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(r.bin, "colophon"), args...)
	cmd.Env, cmd.Dir = r.environment(role), r.dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	if code := cmd.ProcessState.ExitCode(); !slices.Contains(codes, code) {
		r.t.Fatalf("colophon %v as %s ended with %d\n%s%s", args, role, code, out.String(), errs.String())
	}
	return out.String()
}

// operator runs a command that has to succeed.
func (r *rig) operator(args ...string) string {
	r.t.Helper()
	return r.colophon(access.Operator, []int{0}, args...)
}

// ask returns the status and the body of an answer, 0 when there is none.
func ask(target string) (int, string) {
	answer, err := http.Get(target)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	var body bytes.Buffer
	_, _ = body.ReadFrom(answer.Body)
	return answer.StatusCode, body.String()
}

// await polls a condition; it is the one place of these tests that lets time pass.
func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("gave up waiting until %s", what)
		}
	}
}
