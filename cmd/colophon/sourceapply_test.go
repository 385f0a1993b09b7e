package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestSourceCommands: what is given by flags and files is what is registered.
func TestSourceCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a system")
	}
	d := newDesk(t)
	d.say(t, 3, "source", "set", "a", "--name", "x")
	d.say(t, 2, "source", "add", "a", "--host-requests", "0")
	d.say(t, 2, "source", "add", "a", "--header-labels", "x")
	d.say(t, 0, "source", "add", "a", "--host-delay", "1500ms", "--dedup-html", "1h", "--robots", "ignore", "--header-labels", "W,X,Y,Z", "--max-depth", "1", "--context-line")
	d.say(t, 0, "source", "set", "a", "--territory", "Valdoro")
	d.say(t, 0, "source", "disable", "a", "--why", "the clerk has asked for it")
	d.say(t, 0, "source", "disable", "a")
	if out := d.say(t, 0, "source", "log", "a"); !strings.Contains(out, "source set territory") || strings.Count(out, "source disabled  the clerk has asked for it") != 1 ||
		strings.Count(out, "\n") != 3 {
		t.Errorf("the audit says\n%s", out)
	}
	s, err := d.sys.DB.Source(t.Context(), "a")
	if err != nil || s.HostDelay != 1500 || s.DedupHTML != 3600 || s.RobotsPolicy != model.RobotsIgnore || s.HeaderLabels.Source != "Z" ||
		s.MaxDepth != 1 || !s.ContextLine || s.Territory != "Valdoro" || s.State != model.SourceDisabled {
		t.Errorf("%+v, %v", s, err)
	}
	file, described := filepath.Join(t.TempDir(), "a.txt"), filepath.Join(t.TempDir(), "b.yaml")
	for path, text := range map[string]string{file: "Bonjour.", described: "source_id: a\nlicence: CC0-1.0\n---\nsource_id: b\nstate: disabled\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out := d.say(t, 3, "--json", "capture", "--wait", "--timeout", "1m", "--source", "a", file); !strings.Contains(out, "source_disabled") {
		t.Errorf("a disabled source says %s", out)
	}
	d.say(t, 0, "source", "enable", "a")
	d.say(t, 0, "capture", "--wait", "--timeout", "1m", "--source", "a", file)
	d.say(t, 0, "source", "apply", "-f", described)
	d.say(t, 2, "source", "apply", "-f", file)
	if s, err = d.sys.DB.Source(t.Context(), "a"); err != nil || s.Licence != "CC0-1.0" || s.HostDelay != 1500 {
		t.Errorf("%+v, %v", s, err)
	}
	d.say(t, 3, "source", "disable", "none")
	d.say(t, 3, "source", "log", "none")
	d.say(t, 0, "source", "remove", "b")
	d.say(t, 3, "source", "remove", "b")
	d.say(t, 3, "source", "remove", "a") // something was captured
	if left, err := d.sys.DB.UntoldSourceChanges(t.Context(), time.Now().Add(time.Hour), catalog.Page{Limit: 10}); err != nil || len(left) != 0 {
		t.Errorf("not told: %+v, %v", left, err)
	}
	told := d.tail(t, 5, "source", "--source", "a")
	told = append(told, d.tail(t, 2, "source", "--source", "b")...)
	for n, change := range []string{"added", "set", "disabled", "enabled", "set", "added", "removed"} {
		if !strings.Contains(told[n], `"change":"`+change+`"`) {
			t.Errorf("change %d is to be %s: %s", n, change, told[n])
		}
	}
}

// tail returns the first events that colophon tail prints, those of the last hour among them.
func (d *desk) tail(t *testing.T, n int, args ...string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
	defer cancel()
	out, in := io.Pipe()
	since := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	go func() {
		run(ctx, append([]string{"--dir", d.dir, "--json", "tail", "--since", since}, args...), in, io.Discard)
		_ = in.Close()
	}()
	var lines []string
	for all := bufio.NewScanner(out); len(lines) < n && all.Scan(); {
		lines = append(lines, all.Text())
	}
	if len(lines) < n {
		t.Fatalf("colophon tail %s: %d lines, want %d: %s", strings.Join(args, " "), len(lines), n, lines)
	}
	cancel()
	_, _ = io.Copy(io.Discard, out)
	return lines
}
