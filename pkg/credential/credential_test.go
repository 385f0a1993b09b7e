package credential_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// mount is a folder of files as Kubernetes mounts a Secret: each is a link through one
// link that is turned to a new folder.
type mount struct {
	t   *testing.T
	dir string
}

func newMount(t *testing.T, files map[string]string) mount {
	t.Helper()
	m := mount{t, t.TempDir()}
	m.turn(files)
	for name := range files {
		if err := os.Symlink(filepath.Join("..data", name), m.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m mount) path(name string) string { return filepath.Join(m.dir, name) }

// turn changes all files in one step. They have equal times.
func (m mount) turn(files map[string]string) {
	m.t.Helper()
	fresh, err := os.MkdirTemp(m.dir, "..")
	if err != nil {
		m.t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(fresh, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			m.t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Unix(0, 0), time.Unix(0, 0)); err != nil {
			m.t.Fatal(err)
		}
	}
	link := filepath.Join(m.dir, "..next")
	if err := os.Symlink(filepath.Base(fresh), link); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Rename(link, filepath.Join(m.dir, "..data")); err != nil {
		m.t.Fatal(err)
	}
}

// pair makes a user and a password of two files; a password that begins with ! is wrong.
func pair(m mount) func(credential.Read) (string, error) {
	return func(read credential.Read) (string, error) {
		user, err := credential.Text(read, "", m.path("user"))
		if err != nil {
			return "", err
		}
		password, err := credential.Text(read, "", m.path("password"))
		if strings.HasPrefix(password, "!") {
			err = errors.New("no password")
		}
		return user + ":" + password, err
	}
}

func logged(out *bytes.Buffer) *slog.Logger { return slog.New(slog.NewTextHandler(out, nil)) }

func TestAMountThatIsTurned(t *testing.T) {
	m := newMount(t, map[string]string{"user": "ann\n", "password": "one\n"})
	var out bytes.Buffer
	w := credential.Watch(credential.Options{Store: "the store", Every: time.Hour, Log: logged(&out)}, pair(m))
	want := func(now string) {
		t.Helper()
		if got, err := w.Latest(); err != nil || got != now {
			t.Errorf("%q, %v, want %q", got, err, now)
		}
	}
	want("ann:one")
	m.turn(map[string]string{"user": "ann\n", "password": "two\n"}) // of the same size and time
	if got, err := w.Now(); err != nil || got != "ann:one" {
		t.Errorf("looked too early: %q, %v", got, err)
	}
	want("ann:two")
	if n := strings.Count(out.String(), "credentials have changed"); n != 1 {
		t.Errorf("said %d times that they have changed", n)
	}
	for _, broken := range []map[string]string{{"user": "ann"}, {"user": "ann", "password": ""}, {"user": "ann", "password": "!hush"}} {
		out.Reset()
		m.turn(broken)
		want("ann:two")
		want("ann:two")
		if n := strings.Count(out.String(), "those of before are"); n != 1 || strings.Contains(out.String(), "hush") {
			t.Errorf("%v: said %d times: %s", broken, n, out.String())
		}
	}
	m.turn(map[string]string{"user": "bob", "password": "three"})
	want("bob:three")
}

func TestFilesThatAreNotThereYet(t *testing.T) {
	dir := t.TempDir()
	m := mount{t, dir}
	var out bytes.Buffer
	w := credential.Watch(credential.Options{Store: "the store", Every: time.Hour, Log: logged(&out)}, pair(m))
	for range 3 {
		_, err := w.Now()
		if fault.KindOf(err) != fault.KindUnavailable || !errors.Is(err, credential.ErrFile) || !errors.Is(err, fs.ErrNotExist) ||
			!strings.Contains(err.Error(), m.path("user")) || !strings.Contains(err.Error(), "the store") {
			t.Errorf("%v", err)
		}
	}
	if n := strings.Count(out.String(), "no credentials yet"); n != 1 {
		t.Errorf("said %d times: %s", n, out.String())
	}
	for name, text := range map[string]string{"user": "ann", "password": "one"} {
		if err := os.WriteFile(m.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Used(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("used before a look: %v", err)
	}
	if got, err := w.Latest(); err != nil || got != "ann:one" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestTwoFilesAreOfOneTime: what is read while the mount is turned belongs together.
func TestTwoFilesAreOfOneTime(t *testing.T) {
	m := newMount(t, map[string]string{"user": "a", "password": "a"})
	turns := 0
	build := pair(m)
	w := credential.Watch(credential.Options{Store: "the store"}, func(read credential.Read) (string, error) {
		return build(func(path string) ([]byte, error) {
			data, err := read(path)
			if turns == 0 { // after the user, before the password
				turns++
				m.turn(map[string]string{"user": "b", "password": "b"})
			}
			return data, err
		})
	})
	if got, err := w.Now(); err != nil || got != "b:b" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestWhatIsNotTakenStaysTried: a server that learns of a new password later than we do.
func TestWhatIsNotTakenStaysTried(t *testing.T) {
	m := newMount(t, map[string]string{"user": "ann", "password": "one"})
	var mu sync.Mutex
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(locked{&mu, &out}, nil))
	w := credential.Watch(credential.Options{Store: "the store", Every: time.Millisecond, Log: log}, pair(m))
	if _, err := w.Latest(); err != nil {
		t.Fatal(err)
	}
	tries, begun, accepts := make(chan string), make(chan string, 1), make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Keep(ctx, func(_ context.Context, value string) error { tries <- value; return <-accepts }, func(value string) { begun <- value })
	}()
	m.turn(map[string]string{"user": "ann", "password": "two"})
	for range 3 {
		if got := <-tries; got != "ann:two" {
			t.Fatalf("tried %q", got)
		}
		if got, err := w.Used(); err != nil || got != "ann:one" {
			t.Errorf("used is %q, %v", got, err)
		}
		accepts <- errors.New("not known")
	}
	<-tries
	accepts <- nil
	select {
	case got := <-begun:
		if used, err := w.Used(); got != "ann:two" || used != got || err != nil {
			t.Errorf("begun %q, used %q, %v", got, used, err)
		}
	case <-time.After(devtest.Patience):
		t.Fatal("it is not used")
	}
	cancel()
	<-ended
	mu.Lock()
	defer mu.Unlock()
	if n := strings.Count(out.String(), "not known"); n != 1 {
		t.Errorf("said %d times: %s", n, out.String())
	}
}

type locked struct {
	mu  *sync.Mutex
	out *bytes.Buffer
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

func TestStandingIsToldOnce(t *testing.T) {
	var out bytes.Buffer
	s := credential.Standing{Log: logged(&out)}
	refused := credential.Refused("the store", errors.New("password is wrong"))
	if fault.KindOf(refused) != fault.KindUnavailable || refused.Error() != "the store refused our credentials: password is wrong" {
		t.Errorf("%v", refused)
	}
	for range 2 {
		for range 3 {
			if s.Note(t.Context(), "the store", refused) == nil {
				t.Error("the error is gone")
			}
		}
		_ = s.Note(t.Context(), "the store", errors.New("away"))
		_ = s.Note(t.Context(), "the store", nil)
		_ = s.Note(t.Context(), "the store", nil)
	}
	if a, b := strings.Count(out.String(), "refuses our"), strings.Count(out.String(), "takes our"); a != 2 || b != 2 {
		t.Errorf("%d and %d times: %s", a, b, out.String())
	}
}
