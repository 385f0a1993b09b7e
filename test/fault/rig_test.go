package fault

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/test/programs"
)

// root is the repository's root, seen from this package's folder.
const root = "../.."

// collection is the alias of the vectors: the same in all scenarios, since the
// dump names it.
const collection = "faults"

// binaries builds the services with fault points, and the servers, once.
var binaries = sync.OnceValues(func() (string, error) {
	return build("fault", append(programs.All(), "./devstack/cmd/devstack")...)
})

// build compiles programs with fault points.
func build(name string, args ...string) (dir string, err error) {
	return programs.Build(name, nil, append([]string{"-tags", "faultpoints"}, args...)...)
}

// process is a program that is started again whenever it ends by itself.
type process struct {
	name     string
	make     func() *exec.Cmd
	settings []string // KEY=VALUE of this process alone, above those of all; set before start
	api      string   // host:port of the API of a gateway that has one of its own

	mu     sync.Mutex
	cmd    *exec.Cmd
	ended  chan struct{} // of cmd
	result error         // how it ended the last time
	wanted bool
	deaths int
}

// start runs the process and keeps it running until stop.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = true
	if p.cmd != nil {
		return nil
	}
	return p.launch()
}

func (p *process) launch() error {
	cmd := p.make()
	// It must not outlive a test that is killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", p.name, err)
	}
	ended := make(chan struct{})
	p.cmd, p.ended = cmd, ended
	go func() {
		result := cmd.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.result = result
		close(ended)
		p.cmd = nil
		if p.wanted {
			p.deaths++
			_ = p.launch()
		}
	}()
	return nil
}

// signal sends a signal to the process and returns a channel that is closed
// when it has ended.
func (p *process) signal(s syscall.Signal) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		gone := make(chan struct{})
		close(gone)
		return gone
	}
	_ = p.cmd.Process.Signal(s)
	return p.ended
}

// kill lets it die at once; it is started again.
func (p *process) kill() { <-p.signal(syscall.SIGKILL) }

// died returns how often it has ended by itself.
func (p *process) died() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deaths
}

// stop ends it until start.
func (p *process) stop(s syscall.Signal) {
	p.mu.Lock()
	p.wanted = false
	p.mu.Unlock()
	ended := p.signal(s)
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		<-p.signal(syscall.SIGKILL)
	}
}

// rig is the whole system as processes of its own.
type rig struct {
	t         *testing.T
	dir       string
	bin       string
	endpoints map[string]string
	servers   map[string]*process

	// Of the scenario under way.
	values   map[string]string
	services map[string]*process
	db       *catalog.DB
	conn     *stream.Conn
	nats     *nats.Conn
	js       jetstream.JetStream
	blobs    *blobstore.Store
	vectors  *vectorstore.Client
	armed    string // the file that arms a fault point
	gateway  string // host:port of the gateway
	web      *webServer
	chat     *chatServer
	redrive  int64
	sent     map[*item]time.Time // and not known to the catalog yet
	handed   map[*item]bool
}

// startRig starts the servers, each as a process of its own on an address that
// stays.
func startRig(t *testing.T) *rig {
	t.Helper()
	return startRigOn(t, nil)
}

// startRigOn is startRig, after prepare has seen the folder of each server.
func startRigOn(t *testing.T, prepare func(server, dir string)) *rig {
	t.Helper()
	bin, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	// PostgreSQL may run as another user, and its socket's path must be short.
	dir, err := os.MkdirTemp("/tmp", "colophon-fault-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, dir: dir, bin: bin, endpoints: map[string]string{}, servers: map[string]*process{}, web: startWeb(t), chat: startChat(t)}
	r.endpoints["COLOPHON_CHAT_URL"], r.endpoints["COLOPHON_CHAT_MODEL"] = r.chat.URL+"/v1", "counts"
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the logs are in %s", dir)
		} else {
			_ = os.RemoveAll(dir)
		}
	})
	servers := []string{"nats", "s3", "postgres", "qdrant"}
	// Another vector store of the same API, such as Qdrant's own engine.
	if other := os.Getenv("QDRANT_URL"); other != "" {
		servers = servers[:3]
		r.endpoints["COLOPHON_QDRANT_ADDR"] = strings.TrimPrefix(other, "http://")
	}
	for _, name := range servers {
		if prepare != nil {
			prepare(name, filepath.Join(dir, name))
		}
		r.startServer(name)
	}
	return r
}

func (r *rig) startServer(name string) {
	r.t.Helper()
	args := []string{"--no-sync", "--only", name, "--dir", filepath.Join(r.dir, name)}
	if name != "postgres" {
		args = append(args, "--"+name, devtest.FreeAddress(r.t))
	}
	output := filepath.Join(r.dir, name+".out")
	p := &process{name: name, make: func() *exec.Cmd {
		cmd := exec.Command(filepath.Join(r.bin, "devstack"), args...)
		cmd.Stdout, cmd.Stderr = r.file(output, os.O_TRUNC), r.file(filepath.Join(r.dir, name+".err"), os.O_APPEND)
		return cmd
	}}
	r.servers[name] = p
	r.t.Cleanup(func() { p.stop(syscall.SIGTERM) })
	if err := p.start(); err != nil {
		r.t.Fatal(err)
	}
	r.awaitServer(name)
	data, err := os.ReadFile(output)
	if err != nil {
		r.t.Fatal(err)
	}
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), "="); ok {
			r.endpoints[key] = value
		}
	}
}

// awaitServer waits until a server says that it serves.
func (r *rig) awaitServer(name string) {
	r.t.Helper()
	r.await(devtest.Patience, name+" serves", func() bool {
		data, err := os.ReadFile(filepath.Join(r.dir, name+".out"))
		return err == nil && strings.HasSuffix(string(data), "ready\n")
	})
}

func (r *rig) file(path string, flag int) io.Writer {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flag, 0o600)
	if err != nil {
		return io.Discard
	}
	return f
}

// await polls a condition; it is the one place of these tests that lets time
// pass without doing anything.
func (r *rig) await(limit time.Duration, what string, condition func() bool) bool {
	r.t.Helper()
	deadline := time.After(limit)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			r.t.Errorf("gave up waiting until %s", what)
			return false
		}
	}
	return true
}

// linger lets the system run on for a while.
func (r *rig) linger(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.t.Context().Done():
	}
}

// requestBytes is what the disk keeps free for the requests of each scenario.
const requestBytes = 64 << 20

// begin gives a scenario names of its own and starts the services. Its delays
// are short unless real ones are asked for.
func (r *rig) begin(t *testing.T, number int) {
	t.Helper()
	r.t = t
	name := fmt.Sprintf("f%d", number)
	r.armed = filepath.Join(r.dir, "armed-"+name)
	r.gateway = devtest.FreeAddress(t)
	r.values = map[string]string{
		"COLOPHON_SUBJECT_PREFIX": name, "COLOPHON_STREAM_PREFIX": strings.ToUpper(name) + "_",
		"COLOPHON_POSTGRES_SCHEMA": name, "COLOPHON_S3_BUCKET_PREFIX": name + "-", "COLOPHON_QDRANT_COLLECTION": collection,
		"COLOPHON_AUTO_REGISTER": "true", "COLOPHON_FETCH_NETWORKS": "127.0.0.0/8", "COLOPHON_TRACE_RATIO": "0",
		"COLOPHON_LOG_LEVEL": "warn", "COLOPHON_LOG_FORMAT": "text", "COLOPHON_HTTP_ADDR": "127.0.0.1:0",
		"COLOPHON_EXTRACT_CHILDREN": "1", "COLOPHON_RECONCILE_OBJECTS_EVERY": "0s", "COLOPHON_HTTP_DRAIN": "0s",
		"COLOPHON_OCR": "on", "COLOPHON_OCR_ENGINE": "fake:read", "COLOPHON_OCR_WORKERS": "1",
		"COLOPHON_FAULTPOINT_FILE": r.armed,
		"COLOPHON_REQUEST_BYTES":   strconv.Itoa(requestBytes),
	}
	if asked.form != real {
		for key, value := range map[string]string{
			"ACK_WAIT": "1s", "RETRY_DELAYS": "100ms,200ms,400ms", "DEFER_DELAY": "200ms", "PROBE_EVERY": "100ms", "PULL_WAIT": "1s",
			"CAPTURE_LEASE": "1s", "CAPTURE_WAIT": "100ms", "RECONCILE_EVERY": "1s", "RECONCILE_AGE": "3s", "GRACE": "1s",
			"PUBLISH_WAIT": "1s", "PUBLISH_FOR": "2s", "RECONNECT_WAIT": "50ms", "COLLECTION_CHECK": "1s",
		} {
			r.values["COLOPHON_"+key] = value
		}
	}
	for key, value := range r.endpoints {
		r.values[key] = value
	}
	r.web.forget()
	r.sent, r.handed, r.redrive = map[*item]time.Time{}, map[*item]bool{}, 0
	r.connect()
	r.registerDomains()
	r.registerAdvised()
	r.services = map[string]*process{}
	for _, s := range programs.Services() {
		r.addService(name, s, s)
	}
}

// addService makes an instance of a service, with a log of its own.
func (r *rig) addService(scenario, instance, service string) {
	p := &process{name: instance}
	p.make = func() *exec.Cmd {
		cmd := exec.Command(filepath.Join(r.bin, service))
		cmd.Env = r.environment()
		if instance == "gateway" { // others of it have addresses that nobody asks
			cmd.Env = append(cmd.Env, "COLOPHON_HTTP_ADDR="+r.gateway)
		}
		cmd.Env = append(cmd.Env, p.settings...)
		log := r.file(filepath.Join(r.dir, scenario+"-"+instance+".log"), os.O_APPEND)
		cmd.Stdout, cmd.Stderr = log, log
		return cmd
	}
	r.services[instance] = p
	r.t.Cleanup(func() { p.stop(syscall.SIGKILL) })
}

// startServices starts all services.
func (r *rig) startServices() {
	r.t.Helper()
	for _, p := range r.services {
		if err := p.start(); err != nil {
			r.t.Fatal(err)
		}
	}
}

// environment is this process's without settings of its own system.
func (r *rig) environment() []string {
	env := []string{"COLOPHON_HEALTH_ADDR=127.0.0.1:0"} // a service runs more than once
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "COLOPHON_") && !strings.HasPrefix(line, "OTEL_") {
			env = append(env, line)
		}
	}
	for key, value := range r.values {
		env = append(env, key+"="+value)
	}
	slices.Sort(env)
	return env
}

type settings struct {
	NATS     config.NATS
	Runner   config.Runner
	Postgres config.Postgres
	S3       config.S3
	Qdrant   config.Qdrant
}

// connect opens the scenario's stores and makes schema, streams and buckets.
func (r *rig) connect() {
	t := r.t
	t.Helper()
	ctx := t.Context()
	// What is no setting of these blocks is not asked for here.
	s, err := config.LoadFrom[settings](r.values)
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	r.db, err = catalog.Open(ctx, catalog.ConfigOf(s.Postgres))
	check(err)
	t.Cleanup(r.db.Close)
	check(r.db.Migrate(ctx))
	r.blobs, err = blobstore.Open(ctx, blobstore.ConfigOf(s.S3))
	check(err)
	check(r.blobs.EnsureBuckets(ctx))
	r.conn, err = stream.Connect(ctx, stream.ConfigOf("fault", s.NATS, s.Runner))
	check(err)
	t.Cleanup(r.conn.Close)
	r.nats, err = nats.Connect(s.NATS.URL.Value(), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	check(err)
	t.Cleanup(r.nats.Close)
	r.js, err = jetstream.New(r.nats)
	check(err)
	check(r.provision(ctx))
	r.vectors, err = vectorstore.Open(ctx, vectorstore.ConfigOf(s.Qdrant))
	check(err)
	t.Cleanup(func() { _ = r.vectors.Close() })
	check(r.dropVectors(ctx))
}

func (r *rig) provision(ctx context.Context) error {
	return stream.Provision(ctx, r.conn, stream.ProvisionOptions{RequestBytes: requestBytes})
}

// dropVectors deletes the collection with all its points.
func (r *rig) dropVectors(ctx context.Context) error {
	name, err := r.vectors.Alias(ctx, collection)
	if errors.Is(err, vectorstore.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.vectors.Collection(name).Drop(ctx)
}
