package deliver_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/deliver"
	"github.com/colophon-dev/colophon/devstack/child"
	"github.com/colophon-dev/colophon/devstack/postgres"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

const (
	// asCommand makes the test binary the command, a process of its own that can be killed.
	asCommand = "COLOPHON_TEST_SINK"
	// kills is how often each sink dies, and each target.
	kills = 20
)

func TestMain(m *testing.M) {
	if child.Main(map[string]child.Role{postgres.RoleName: postgres.Role}) {
		return
	}
	if os.Getenv(asCommand) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	tool := &cli.Tool{Out: os.Stdout, Err: os.Stderr}
	root := &cobra.Command{Use: "colophon", SilenceUsage: true, SilenceErrors: true}
	root.PersistentFlags().StringVar(&tool.Dir, "dir", "", "")
	tool.DirFlag = root.PersistentFlags().Lookup("dir")
	root.AddCommand(deliver.Commands(tool)...)
	root.SetArgs(os.Args[1:])
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(cli.ExitCode(err)) //nolint:gocritic // stop has nothing left to do
}

// target is a sink under test, and how what it holds is read.
type target struct {
	args []string
	env  []string
	dump func() (string, error)
	kill func() // the target; nil: it has no process of its own
}

func (w *world) command(of target, more ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append(append([]string{"sink"}, of.args...), more...)...)
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "COLOPHON_") && !strings.HasPrefix(line, "OTEL_") {
			cmd.Env = append(cmd.Env, line)
		}
	}
	cmd.Env = append(append(cmd.Env, asCommand+"=1", "COLOPHON_NATS_URL="+w.env.NATSURL, "COLOPHON_SUBJECT_PREFIX="+w.env.Prefix,
		"COLOPHON_STREAM_PREFIX="+w.env.StreamPrefix, "COLOPHON_GATEWAY_URL="+w.gateway.URL), of.env...)
	return cmd
}

// readBack reads a target by the command.
func (w *world) readBack(of target) func() (string, error) {
	return func() (string, error) {
		cmd := w.command(of, "--dump")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%w: %s", err, errs.String())
		}
		return out.String(), nil
	}
}

// survive runs a sink while much happens, kills it and its target, and holds in the end
// what the target has against what is current.
func (w *world) survive(of target) {
	w.Helper()
	errs := new(heard)
	start := func() *process { return w.start(of, errs) }
	random := rand.New(rand.NewPCG(20, 1))
	w.happen(20)
	saved := w.save()
	w.happen(10)
	running := start()
	defer func() { running.kill() }()
	for n := range kills {
		w.happen(5)
		pause(time.Duration(random.IntN(300)) * time.Millisecond) // where it dies is drawn, not waited for
		running.kill()
		running = start()
		if of.kill != nil {
			w.happen(3)
			pause(time.Duration(random.IntN(300)) * time.Millisecond)
			of.kill()
		}
		w.Logf("kill %d, behind %s", n+1, lastLine(errs.String()))
		if n == kills/2 { // whatever it holds by now, a new process goes on from there
			w.happen(20)
			w.restore(saved, "2")
			w.happen(1)
		}
	}
	want, got := w.lines(), ""
	deadline := time.Now().Add(devtest.Patience)
	for {
		ended := running.hasEnded()
		var err error
		if got, err = of.dump(); err == nil && got == want {
			break
		}
		if time.Now().After(deadline) || ended {
			w.Fatalf("it holds %d lines, want %d (%v): %s\nthe sink said\n%s", strings.Count(got, "\n"), strings.Count(want, "\n"), err, difference(want, got), errs)
		}
		pause(200 * time.Millisecond)
	}
	if strings.Count(want, "\n") < 12 {
		w.Errorf("there are %d chunks, so this shows little", strings.Count(want, "\n"))
	}
}

// heard is what the sinks of a test have said.
type heard struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// begun is how often a sink has begun to follow: until then it has nothing to lose.
func (h *heard) begun() int { return strings.Count(h.String(), "the sink goes on from here") }

// process is a sink that runs.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// start starts a sink, again when it ends at once since its target is away, as whoever looks
// after it does, and returns when it has begun to follow.
func (w *world) start(of target, errs *heard) *process {
	w.Helper()
	for deadline := time.Now().Add(devtest.Patience); time.Now().Before(deadline); {
		began := errs.begun()
		p := &process{cmd: w.command(of), ended: make(chan struct{})}
		p.cmd.Stderr = errs
		w.must(p.cmd.Start())
		go func() {
			_ = p.cmd.Wait()
			close(p.ended)
		}()
		for !p.hasEnded() {
			if errs.begun() > began {
				return p
			}
			pause(5 * time.Millisecond)
		}
	}
	w.Fatalf("the sink does not begin\n%s", errs)
	return nil
}

// pause lets time pass; nothing that is held to be true depends on how much.
func pause(d time.Duration) { <-time.After(d) }

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

func difference(want, got string) string {
	a, b := slices.Collect(strings.Lines(want)), slices.Collect(strings.Lines(got))
	for _, line := range a {
		if !slices.Contains(b, line) {
			return "it lacks " + line
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			return "it has too much: " + line
		}
	}
	return "they are equal, or one has a line twice"
}

func TestFilesSurviveKills(t *testing.T) {
	t.Parallel()
	for n, kind := range []string{"sqlite", "jsonl", "parquet"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, uint64(n))
			of := target{args: []string{"--to", kind, "--every", "0s", "--out", filepath.Join(t.TempDir(), "target")}}
			of.dump = w.readBack(of)
			w.survive(of)
		})
	}
}

// hook receives what a webhook is posted, refuses a part, and hangs up on another, before
// or behind taking it.
type hook struct {
	*testing.T
	secret string
	random *rand.Rand
	broken atomic.Int64 // so many of the next requests are not answered

	mu     sync.Mutex
	state  *sdk.State
	bodies map[string]string
	twice  int
}

func (h *hook) ServeHTTP(out http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	dies := h.broken.Add(-1) >= 0
	if dies && h.random.IntN(2) == 0 {
		panic(http.ErrAbortHandler)
	}
	if !dies && h.random.IntN(20) == 0 {
		out.WriteHeader([]int{500, 503, 429, 404}[h.random.IntN(4)])
		return
	}
	id, at := req.Header.Get("Webhook-Id"), req.Header.Get("Webhook-Timestamp")
	mac := hmac.New(sha256.New, []byte(h.secret))
	mac.Write([]byte(id + "." + at + "." + string(body)))
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); req.Header.Get("Webhook-Signature") != want {
		h.Errorf("%s: signature %q, want %q", id, req.Header.Get("Webhook-Signature"), want)
	}
	ch, err := sdk.ReadPosted(body)
	var restored *sdk.Restored
	if errors.As(err, &restored) {
		h.state = sdk.NewState()
	} else if err != nil {
		h.Errorf("%s: %v", id, err)
	}
	if _, known := h.bodies[id]; known {
		h.twice++
	}
	h.bodies[id] = string(body)
	if err == nil {
		h.state.Apply(ch)
	}
	if dies {
		panic(http.ErrAbortHandler) // it was taken, and nobody knows
	}
}

func (h *hook) dump() (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []string
	for document := range h.state.Documents() {
		for _, ch := range h.state.Document(document) {
			line, err := ch.Line()
			if err != nil {
				return "", err
			}
			all = append(all, string(line)+"\n")
		}
	}
	slices.Sort(all)
	return strings.Join(all, ""), nil
}

func TestAWebhookSurvivesKills(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 7)
	h := &hook{T: t, secret: "a secret of the tests", random: rand.New(rand.NewPCG(7, 7)), state: sdk.NewState(), bodies: map[string]string{}}
	server := httptest.NewServer(h)
	defer server.Close()
	secret := filepath.Join(t.TempDir(), "secret")
	w.must(os.WriteFile(secret, []byte(h.secret+"\n"), 0o600))
	w.survive(target{
		args: []string{"--to", "webhook", "--out", filepath.Join(t.TempDir(), "position")},
		env:  []string{"COLOPHON_SINK_URL=" + server.URL, "COLOPHON_SINK_SECRET_FILE=" + secret},
		dump: h.dump,
		kill: func() { h.broken.Store(3); server.CloseClientConnections() },
	})
	if h.twice == 0 {
		t.Error("nothing was posted twice, so the id shows nothing")
	}
}

// pgvectorBinaries returns the folder of a PostgreSQL that has pgvector (.ci/pgvector).
func pgvectorBinaries(t *testing.T) string {
	t.Helper()
	out, err := exec.Command(filepath.Join("..", "..", "..", "..", "..", ".ci", "pgvector")).Output()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("there is no PostgreSQL with pgvector: %v", err)
		}
		t.Skipf("there is no PostgreSQL with pgvector: %v", err)
	}
	// Root runs the server as another user, who may not be let into this folder.
	dir, err := os.MkdirTemp("", "colophon-pgvector-")
	if err == nil {
		err = os.Chmod(dir, 0o755) //nolint:gosec // another user's server is run from it
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	packages := filepath.Join(strings.TrimSpace(string(out)), "..", "..", "..") // with the libraries, which stand beside the programs
	if said, err := exec.Command("cp", "-r", filepath.Join(packages, "pgserver"), filepath.Join(packages, "pgserver.libs"), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return filepath.Join(dir, "pgserver", "pginstall", "bin")
}

func TestPgvectorSurvivesKills(t *testing.T) {
	t.Parallel()
	bin := pgvectorBinaries(t)
	w := newWorld(t, 11)
	server, err := postgres.New(postgres.Options{Dir: filepath.Join(bin, "..", "data"), BinDir: bin, NoSync: true})
	w.must(err)
	w.must(server.Start(t.Context()))
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	of := target{args: []string{"--to", "pgvector"}, env: []string{"COLOPHON_SINK_URL=" + server.URL()}}
	of.dump = w.readBack(of)
	of.kill = func() {
		server.Kill()
		w.must(server.Start(t.Context()))
	}
	w.survive(of)
	w.vectors(server.URL())
}
