package inventory

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/colophon-dev/colophon/pkg/access"
)

const root = "../.."

// once is the tree, which takes seconds to read.
var once = sync.OnceValues(func() (Tree, error) { return ReadTree(context.Background(), root) })

// read returns the tree and what is there for it, to be changed by the caller alone.
func read(t *testing.T) (Tree, Deployed) {
	t.Helper()
	tree, err := once()
	if err != nil {
		t.Fatal(err)
	}
	tree.Services, tree.Tables, tree.Buckets = slices.Clone(tree.Services), slices.Clone(tree.Tables), slices.Clone(tree.Buckets)
	tree.Consumers, tree.Ways, tree.Strangers = maps.Clone(tree.Consumers), maps.Clone(tree.Ways), slices.Clone(tree.Strangers)
	deployed, err := ReadDeployed(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree, deployed
}

// TestEverythingThereIsHasItsPlace: each service, consumer, table, bucket and way out of
// the tree has its Deployment, NetworkPolicy, identity, grant, scaler and panel, and there
// are none for what is not in the tree.
func TestEverythingThereIsHasItsPlace(t *testing.T) {
	tree, deployed := read(t)
	t.Logf("services %v, consumers %v, %d tables, buckets %v, ways %v", tree.Services, slices.Sorted(maps.Keys(tree.Consumers)), len(tree.Tables), tree.Buckets, tree.Ways)
	if len(tree.Services) < 7 || len(tree.Consumers) < 6 || len(tree.Tables) < 20 || len(tree.Buckets) < 4 || len(deployed.Workloads) < 8 {
		t.Fatalf("the tree is not read as it is: %+v", tree)
	}
	for _, sentence := range Missing(tree, deployed) {
		t.Error(sentence)
	}
}

// TestWhatHasNoPlaceIsSeen adds things to the tree, and takes away what is there for
// others, one at a time.
func TestWhatHasNoPlaceIsSeen(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Tree, *Deployed)
		want   []string
	}{
		"a service": {func(tree *Tree, _ *Deployed) {
			tree.Services = append(tree.Services, "translator")
			tree.Ways["translator"] = []string{"nats", "internet"}
		}, []string{
			"service translator: no Deployment", "service translator: no NetworkPolicy lets it go to internet",
			"service translator: no NetworkPolicy lets it go to nats", "service translator: no identity", "service translator: no panel shows it",
		}},
		"a service with a Deployment alone": {func(tree *Tree, d *Deployed) {
			tree.Services = append(tree.Services, "translator")
			tree.Ways["translator"] = []string{"nats"}
			d.Workloads["translator"] = Workload{Service: "translator"}
		}, []string{
			"service translator: Deployment translator has no identity translator", "service translator: Deployment translator mounts no credentials for nats",
			"service translator: no NetworkPolicy lets translator go to nats", "service translator: no panel shows it",
		}},
		"a consumer": {func(tree *Tree, _ *Deployed) { tree.Consumers["translate"] = "IR" }, []string{
			"consumer translate of IR: it is that of [], must be one role's", "consumer translate of IR: no panel shows it",
			"consumer translate of IR: no scaler", "consumer translate of IR: nobody may tell its dead letters",
		}},
		"a table":  {func(tree *Tree, _ *Deployed) { tree.Tables = append(tree.Tables, "translations") }, []string{"table translations: no role has a grant on it"}},
		"a bucket": {func(tree *Tree, _ *Deployed) { tree.Buckets = append(tree.Buckets, "audio") }, []string{"bucket audio: no role has a right on it"}},
		"a way out of a service": {func(tree *Tree, _ *Deployed) {
			tree.Ways["chunker"] = append(slices.Clone(tree.Ways["chunker"]), "qdrant")
		}, []string{
			"service chunker: Deployment chunker mounts no credentials for qdrant", "service chunker: no NetworkPolicy lets chunker go to qdrant",
		}},
		"a way that is not gone any more": {func(tree *Tree, _ *Deployed) {
			tree.Ways["janitor"] = slices.DeleteFunc(slices.Clone(tree.Ways["janitor"]), func(way string) bool { return way == "qdrant" })
		}, []string{"service janitor: a NetworkPolicy lets janitor go to qdrant, which it never asks"}},
		"a package that opens connections": {func(tree *Tree, _ *Deployed) { tree.Strangers = append(tree.Strangers, "pkg/mail") }, []string{
			"package pkg/mail opens connections: dials() does not say to what, so that no NetworkPolicy can be asked for",
		}},
		"a role without rights in the catalog": {func(_ *Tree, d *Deployed) {
			for i := range d.Roles {
				if d.Roles[i].Name == access.Splitter {
					d.Roles[i].Tables = nil
				}
			}
		}, []string{"service splitter: role splitter has no grant at postgres"}},
		"a user that CloudNativePG does not make": {func(_ *Tree, d *Deployed) { delete(d.Users, "colophon_verify") }, []string{
			"role verify: the component postgres makes no user for it",
		}},
		"a user with the password of another": {func(_ *Tree, d *Deployed) { d.Users["colophon_ocr"] = "colophon-extractor-text-postgres" }, []string{
			"role ocr: the component postgres takes its password from colophon-extractor-text-postgres, must be colophon-extractor-ocr-postgres",
		}},
		"a Deployment that is gone": {func(_ *Tree, d *Deployed) { delete(d.Workloads, "extractor-ocr") }, []string{
			"consumer ocr of PAGES: its scaler is for extractor-ocr, which does not work on it", "role ocr: no Deployment works as it",
		}},
		"a scaler that is gone":    {func(_ *Tree, d *Deployed) { delete(d.Scalers, "index") }, []string{"consumer index of CHUNKS: no scaler"}},
		"a scaler of another one":  {func(_ *Tree, d *Deployed) { d.Scalers["index"] = "chunker" }, []string{"consumer index of CHUNKS: its scaler is for chunker, which does not work on it"}},
		"a dashboard that is gone": {func(_ *Tree, d *Deployed) { delete(d.Boards, "colophon-janitor") }, []string{"service janitor: no panel shows it"}},
		"a service that is gone": {func(tree *Tree, _ *Deployed) {
			tree.Services = slices.DeleteFunc(tree.Services, func(s string) bool { return s == "indexer" })
		}, []string{"Deployment indexer: there is no service indexer"}},
	} {
		t.Run(name, func(t *testing.T) {
			tree, deployed := read(t)
			c.change(&tree, &deployed)
			if got := Missing(tree, deployed); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestWhatOpensConnectionsIsSeen: packages of that kind are told by their code, under
// whatever name a file imports what it dials with; and each line of dials is of one.
func TestWhatOpensConnectionsIsSeen(t *testing.T) {
	tree, _ := read(t)
	for name := range dials() {
		if !slices.Contains(tree.Openers, name) {
			t.Errorf("%s is said to open connections, and its code does not", name)
		}
	}
	for code, want := range map[string]bool{
		`import "net"; var a, b = net.Dial("tcp", "x:25")`:                               true,
		`import other "net/http"; var c = other.DefaultClient`:                           true,
		`import "net/http"; var c = &http.Client{}`:                                      true,
		`import "github.com/jackc/pgx/v5"; var a, b = pgx.Connect(nil, "")`:              true,
		`import "github.com/minio/minio-go/v7"; var a, b = minio.New("", nil)`:           true,
		`import "net/http"; var c = http.StatusOK`:                                       false,
		`import "net"; var a, b = net.Listen("tcp", ":0")`:                               false,
		`import "strings"; type Dialer struct{}; var net = Dialer{}; var d = net.Dialer`: false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a; "+code), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := opensConnections(listed{Dir: dir, GoFiles: []string{"a.go"}}); err != nil || got != want {
			t.Errorf("%s: opens %v, want %v, %v", code, got, want, err)
		}
	}
}
