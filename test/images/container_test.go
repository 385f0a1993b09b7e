package images

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/opencontainers/runtime-spec/specs-go"
)

// container is an image that runs as Kubernetes would run it: as the image's own
// user, without any capability, on a read-only root, with a /tmp of its own.
// It shares this machine's network.
type container struct {
	name string
	cmd  *exec.Cmd
	log  *guarded
	done chan error
}

// guarded is a buffer that may be read while it is written.
type guarded struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (g *guarded) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.buf.Write(p)
}

func (g *guarded) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.buf.String()
}

// tmpBytes is the size of a container's /tmp.
const tmpBytes = 512 << 20

// start starts a container of the image with settings and arguments. binds are
// folders of this machine that it may read.
func start(t *testing.T, img image, name string, settings []string, args []string, binds ...string) *container {
	t.Helper()
	bundle := t.TempDir()
	data, err := json.Marshal(specOf(t, img, settings, args, binds))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bundle, "config.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	c := &container{name: name, log: new(guarded), done: make(chan error, 1)}
	id := fmt.Sprintf("colophon-%s-%d", name, os.Getpid())
	state := filepath.Join(t.TempDir(), "runc")
	c.cmd = exec.Command("runc", "--root", state, "run", "--bundle", bundle, id)
	c.cmd.Stdout, c.cmd.Stderr = c.log, c.log
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { c.done <- c.cmd.Wait() }()
	t.Cleanup(func() {
		_ = c.cmd.Process.Signal(syscall.SIGKILL)
		_ = exec.Command("runc", "--root", state, "delete", "--force", id).Run()
	})
	return c
}

// stop asks the container to end and returns how it did.
func (c *container) stop() error {
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return <-c.done
}

func specOf(t *testing.T, img image, settings, args, binds []string) specs.Spec {
	t.Helper()
	user, group, ok := strings.Cut(img.config.User, ":")
	uid, err := strconv.ParseUint(user, 10, 32)
	gid, groupErr := strconv.ParseUint(group, 10, 32)
	if !ok || err != nil || groupErr != nil || uid == 0 || gid == 0 {
		t.Fatalf("%s runs as %q: want the numbers of a user and group that are not root", img.name, img.config.User)
	}
	spec := specs.Spec{
		Version: specs.Version,
		Root:    &specs.Root{Path: img.root, Readonly: true},
		Process: &specs.Process{
			User: specs.User{UID: uint32(uid), GID: uint32(gid)}, Cwd: "/",
			Args: append(append([]string{}, img.config.Entrypoint...), args...),
			Env:  append(append([]string{}, img.config.Env...), settings...), NoNewPrivileges: true,
			Capabilities: &specs.LinuxCapabilities{},
		},
		Mounts: []specs.Mount{
			{Destination: "/proc", Type: "proc", Source: "proc"},
			{Destination: "/dev", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "mode=755"}},
			{Destination: "/tmp", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "nodev", "noexec", "mode=1777", "size=" + strconv.Itoa(tmpBytes)}},
		},
		Linux: &specs.Linux{
			Namespaces: []specs.LinuxNamespace{{Type: specs.PIDNamespace}, {Type: specs.MountNamespace}, {Type: specs.IPCNamespace}, {Type: specs.UTSNamespace}},
		},
	}
	for _, dir := range binds {
		spec.Mounts = append(spec.Mounts, specs.Mount{Destination: dir, Type: "bind", Source: dir, Options: []string{"rbind", "ro"}})
	}
	return spec
}
