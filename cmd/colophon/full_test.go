package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/local"
	"github.com/colophon-dev/colophon/pkg/config"
)

// TestDevOutlivesAFullDisk fills the disk of dev, lets a capture fail, and frees the disk:
// dev says both, its gateway is not ready meanwhile, and documents are taken again.
func TestDevOutlivesAFullDisk(t *testing.T) {
	disk := smallDisk(t, 160)
	health, err := local.FreeAddress("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("COLOPHON_HEALTH_ADDR", health)
	i := installAt(t, filepath.Join(disk, "dev"))
	values, err := config.ReadFile(filepath.Join(i.dir, config.EndpointsFile))
	if err != nil {
		t.Fatal(err)
	}
	ready := func(address string) (code int, text string) {
		resp, err := http.Get(address + "/readyz")
		if err != nil {
			return 0, err.Error()
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	i.capture(1)
	i.allArrived()
	filler := filepath.Join(disk, "filler")
	fill(t, filler)
	folder := t.TempDir()
	taken := func(n int) bool {
		name := fmt.Sprintf("full-%d.txt", n)
		page := filepath.Join(folder, name)
		if err := os.WriteFile(page, []byte(fmt.Sprintf("Decision %d on a full disk.\n", n)+strings.Repeat(english, 100)), 0o600); err != nil {
			t.Fatal(err)
		}
		limited, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if run(limited, []string{"--dir", i.dir, "capture", "--source", "council", page}, &bytes.Buffer{}, &bytes.Buffer{}) != cli.ExitDone {
			return false
		}
		i.sent = append(i.sent, name) // and must arrive, disk or no disk
		return true
	}
	tries := 0
	i.until("a capture is refused", func() bool { tries++; return !taken(tries) })
	i.until("it is not ready and names the folder", func() bool {
		code, said := ready("http://" + health)
		return code == http.StatusServiceUnavailable && strings.Contains(said, "the disk of "+local.ServersDir(i.dir)+" has 0 MiB free")
	})
	i.until("its gateway is not ready", func() bool {
		code, _ := ready(values["COLOPHON_GATEWAY_URL"])
		return code == http.StatusServiceUnavailable
	})
	if strings.Count(i.said(), "nothing is taken until there is room") != 1 {
		t.Errorf("it does not say once that its disk is full")
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	freed := time.Now()
	i.until("it is ready again", func() bool { code, _ := ready(values["COLOPHON_GATEWAY_URL"]); return code == http.StatusOK })
	i.capture(2)
	if took := time.Since(freed); took > 20*time.Second {
		t.Errorf("a document was taken after %s", took)
	}
	i.allArrived()
	if strings.Count(i.said(), "nats was started again") != 1 {
		t.Errorf("it does not say once that it goes on")
	}
}
