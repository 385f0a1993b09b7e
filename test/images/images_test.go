package images

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
)

var built = flag.String("images", "", "folder of the OCI archives that `make images` writes; the tests are skipped without one")

// limit bounds every wait.
const limit = 5 * time.Minute

const (
	// maxImage is how large an image may be, in bytes, unpacked.
	maxImage = 80 << 20
	// maxExtractor is the same for the extractor's, which holds Tesseract's
	// library and its models of nine languages.
	maxExtractor = 300 << 20
)

// services are those with a process of its own, in the order of the chain.
func services(t *testing.T) []string {
	t.Helper()
	mains, err := filepath.Glob("../../services/*/main.go")
	if err != nil || len(mains) == 0 {
		t.Fatalf("no services: %v", err)
	}
	var names []string
	for _, main := range mains {
		names = append(names, filepath.Base(filepath.Dir(main)))
	}
	return names
}

func images(t *testing.T) map[string]image {
	t.Helper()
	if *built == "" {
		t.Skip("no folder of images: make images-test")
	}
	found := make(map[string]image)
	for _, name := range append(services(t), "colophon") {
		found[name] = unpack(t, filepath.Join(*built, "colophon-"+name+".tar"), t.TempDir())
	}
	return found
}

func TestImages(t *testing.T) {
	found := images(t)
	for name, img := range found {
		most := int64(maxImage)
		if name == "extractor" {
			most = maxExtractor
		}
		t.Logf("%-10s %4d MiB unpacked", name, img.size>>20)
		if img.size > most {
			t.Errorf("%s: %d MiB unpacked, want at most %d", name, img.size>>20, most>>20)
		}
		checkBare(t, name, img)
		checkContents(t, name)
	}
	runChain(t, found)
}

// checkBare reports programs beside the service's own, and files that anybody
// may write or that run as somebody else.
func checkBare(t *testing.T, name string, img image) {
	t.Helper()
	if img.config.Labels["org.opencontainers.image.revision"] == "" || img.config.Labels["org.opencontainers.image.title"] != "colophon-"+name {
		t.Errorf("%s: its labels are %v", name, img.config.Labels)
	}
	err := filepath.WalkDir(img.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(img.root, path)
		if err != nil {
			return err
		}
		folder := filepath.Base(filepath.Dir(inside))
		switch mode := info.Mode(); {
		case mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 && !d.IsDir():
			t.Errorf("%s: /%s runs as its owner", name, inside)
		case mode.Perm()&0o002 != 0 && mode.Type() != fs.ModeSymlink && inside != "tmp":
			t.Errorf("%s: anybody may write /%s", name, inside)
		case (folder == "bin" || folder == "sbin") && !d.IsDir() && inside != "usr/bin/colophon-service":
			t.Errorf("%s: has another program, /%s", name, inside)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkContents reports an image without the list of what is in it.
func checkContents(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(*built, "colophon-"+name+".cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		BOMFormat  string `json:"bomFormat"`
		Components []struct {
			PURL string `json:"purl"`
		} `json:"components"`
	}
	if err := json.Unmarshal(data, &list); err != nil || list.BOMFormat != "CycloneDX" {
		t.Fatalf("%s: no CycloneDX document: %v", name, err)
	}
	kinds := map[string]int{}
	for _, c := range list.Components {
		kind, _, _ := strings.Cut(strings.TrimPrefix(c.PURL, "pkg:"), "/")
		kinds[kind]++
	}
	if kinds["golang"] < 20 || (kinds["deb"] > 0) != (name == "extractor") {
		t.Errorf("%s: lists %v", name, kinds)
	}
}

// runChain starts servers on this machine, prepares them with the command's
// image, runs every service from its own, and hands the documents of
// test/documents over.
func runChain(t *testing.T, found map[string]image) {
	if _, err := exec.LookPath("runc"); err != nil || os.Getuid() != 0 {
		t.Fatal("runc and root are needed to run images")
	}
	documents, err := filepath.Abs("../documents")
	if err != nil {
		t.Fatal(err)
	}
	settings := startServers(t)
	for _, args := range [][]string{{"migrate"}, {"provision"}, {"source", "add", "made", "--name", "Made by us"}} {
		runJob(t, found["colophon"], settings, args)
	}
	running := make(map[string]*container)
	for _, name := range services(t) {
		health, api := devtest.FreeAddress(t), devtest.FreeAddress(t)
		own := append([]string{"COLOPHON_HEALTH_ADDR=" + health, "COLOPHON_HTTP_ADDR=" + api}, settings...)
		running[name] = start(t, found[name], name, own, nil)
		awaitReady(t, running[name], health)
	}
	out := runJob(t, found["colophon"], settings, []string{"capture", "--wait", "--json", "--source", "made", documents}, documents)
	checkOutcomes(t, out)
	if out := runJob(t, found["colophon"], settings, []string{"verify", "--all"}); !strings.Contains(out, " 0 broken") {
		t.Errorf("verify: %s", out)
	}
	for name, c := range running {
		if err := c.stop(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, c.log)
		}
	}
}
