package schema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/test/schema"
)

func TestGeneratedFilesAreFresh(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := schema.Files(root)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		got, err := os.ReadFile(filepath.Join(root, path))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what `make generate` writes (%v)", path, err)
		}
	}
}

func TestExamplesAreTrue(t *testing.T) {
	for _, e := range schema.Entries() {
		raw, err := json.Marshal(e.Example)
		if err != nil {
			t.Fatal(err)
		}
		back := reflect.New(reflect.TypeOf(e.Example))
		if err := json.Unmarshal(raw, back.Interface()); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		if v, ok := e.Example.(interface{ Validate() error }); ok {
			if err := v.Validate(); err != nil {
				t.Errorf("%s: its example: %v", e.Name, err)
			}
		}
		d, ok := e.Example.(event.Data)
		if !ok {
			continue
		}
		if c, ok := d.(event.ChunkCreated); ok && c.Chunk.Validate() != nil {
			t.Errorf("%s: %v", e.Name, c.Chunk.Validate())
		}
		ev, err := event.New("test", d, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if err := compile(t, e).Validate(decode(t, ev.Payload)); err != nil {
			t.Errorf("%s does not validate: %v", e.Name, err)
		}
	}
}

func TestSchemasRefuseWhatIsWrong(t *testing.T) {
	for _, e := range schema.Entries() {
		if e.IsEvent() && compile(t, e).Validate(map[string]any{}) == nil {
			t.Errorf("%s accepts an empty object", e.Name)
		}
	}
	if model.DefaultSource("Not A Source").Validate() == nil {
		t.Error("a source id with spaces is accepted")
	}
}

func compile(t *testing.T, e schema.Entry) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("../../pkg/event/schemas", e.File()+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decode(t *testing.T, raw []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Every field of every page and schema says what it is, in words that need no
// other document.
func TestEveryFieldIsDescribed(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := schema.Files(root)
	if err != nil {
		t.Fatal(err)
	}
	reference := regexp.MustCompile(`\b(?:seeds|contracts)#`)
	empty := regexp.MustCompile("(?m)^\\| `[a-z0-9_]+` \\|.*\\|  \\|$")
	for path, data := range files {
		for _, line := range strings.Split(string(data), "\n") {
			if reference.MatchString(line) {
				t.Errorf("%s: %s", path, line)
			}
		}
		for _, line := range empty.FindAllString(string(data), -1) {
			t.Errorf("%s: %s", path, line)
		}
		if !strings.HasSuffix(path, ".json") || strings.HasSuffix(path, "asyncapi.json") {
			continue
		}
		var s struct {
			Defs map[string]struct {
				Properties map[string]struct {
					Description string `json:"description"`
				} `json:"properties"`
			} `json:"$defs"`
		}
		if err := json.Unmarshal(data, &s); err != nil || len(s.Defs) == 0 {
			t.Fatalf("%s: %v", path, err)
		}
		for def, d := range s.Defs {
			for name, p := range d.Properties {
				if p.Description == "" {
					t.Errorf("%s: %s of %s is not described", path, name, def)
				}
			}
		}
	}
}
