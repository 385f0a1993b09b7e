// Package schema writes the pages of docs/schema, the JSON Schemas of the
// events and the AsyncAPI document: all of them from the Go structs, their doc
// comments and one example each; and the page about the columns of the catalog.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// base is the import path of the packages that are described.
const base = "github.com/colophon-dev/colophon/pkg/"

// Entry is one event or record: its name and an example.
type Entry struct {
	Name    string // event type, or the record's name
	Example any    // a value of its struct
}

// IsEvent reports whether the entry is an event.
func (e Entry) IsEvent() bool { _, ok := e.Example.(event.Data); return ok }

// File returns the entry's file name without ending.
func (e Entry) File() string {
	return strings.TrimSuffix(strings.TrimPrefix(e.Name, "colophon."), ".v1")
}

// Files returns every generated file by its path below the root, where the
// sources of pkg are read for their doc comments.
func Files(root string) (map[string][]byte, error) {
	comments, err := readComments(root)
	if err != nil {
		return nil, err
	}
	reflector := newReflector(comments)
	files := make(map[string][]byte)
	for _, e := range Entries() {
		schema, err := schemaOf(reflector, e)
		if err != nil {
			return nil, err
		}
		switch {
		case e.IsEvent():
			files["pkg/event/schemas/"+e.File()+".json"] = schema
		case e.Name == "snapshot": // the record of seeds#capture, as `colophon show snapshot` prints it
			files["docs/schema/"+e.File()+".json"] = schema
		}
		page, err := page(e, comments)
		if err != nil {
			return nil, err
		}
		files["docs/schema/"+e.File()+".md"] = page
	}
	files["docs/schema/README.md"] = index(comments)
	files["docs/verify.md"] = columns()
	files["docs/access.md"] = []byte(access.Document())
	if files["docs/asyncapi.json"], err = asyncAPI(comments); err != nil {
		return nil, err
	}
	return files, nil
}

// comments are the doc comments of types and fields: "event.PageSplit" and
// "event.PageSplit.Redo".
type comments map[string]string

func readComments(root string) (comments, error) {
	out := make(comments)
	for _, pkg := range []string{"event", "model"} {
		set := token.NewFileSet()
		parsed, err := parser.ParseDir(set, root+"/pkg/"+pkg, nil, parser.ParseComments) //nolint:staticcheck // one folder is one package here
		if err != nil {
			return nil, err
		}
		for _, p := range parsed {
			if strings.HasSuffix(p.Name, "_test") {
				continue
			}
			for _, t := range doc.New(p, base+pkg, doc.AllDecls).Types {
				out[pkg+"."+t.Name] = strings.TrimSpace(t.Doc)
				out.fields(pkg+"."+t.Name, t.Decl)
			}
		}
	}
	for name, text := range out {
		out[name] = plain(text)
	}
	return out, nil
}

// references are notes on where a rule is from, which readers of the pages do
// not have.
var references = regexp.MustCompile(`\s*\((?:seeds|contracts)#[^()]*\)`)

// plain returns a doc comment without them.
func plain(text string) string { return references.ReplaceAllString(text, "") }

// homes are the structs that say what a field of a name is: in all others a field
// of that name without a comment of its own is the same.
func homes() []any {
	return []any{
		model.Snapshot{}, model.Document{}, model.Chunk{}, model.ChunkState{}, model.Manifest{}, model.Run{}, model.Page{}, model.Unit{},
		event.CaptureRequested{}, event.CaptureCompleted{}, event.PageSplit{}, event.ChunkChange{}, event.VectorChange{},
	}
}

// of returns what a field is.
func (c comments) of(f reflect.StructField, t reflect.Type) string {
	prefix := strings.TrimPrefix(t.PkgPath(), base) + "."
	if text := c[prefix+t.Name()+"."+f.Name]; text != "" {
		return text
	}
	for _, home := range homes() {
		h := reflect.TypeOf(home)
		for field := range h.Fields() {
			text := c[typeName(home)+"."+field.Name]
			if jsonName(field) == jsonName(f) && text != "" {
				return text
			}
		}
	}
	return ""
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func (c comments) fields(name string, decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		s, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range s.Fields.List {
			text := strings.TrimSpace(f.Doc.Text() + f.Comment.Text())
			for _, n := range f.Names {
				c[name+"."+n.Name] = strings.Join(strings.Fields(text), " ")
			}
		}
	}
}

func newReflector(c comments) *jsonschema.Reflector {
	return &jsonschema.Reflector{
		AllowAdditionalProperties: true, // readers ignore unknown fields (contracts#unknown-fields)
		LookupComment: func(t reflect.Type, field string) string {
			text := c[strings.TrimPrefix(t.PkgPath(), base)+"."+t.Name()]
			if field != "" {
				if f, ok := t.FieldByName(field); ok {
					text = c.of(f, t)
				}
			}
			return strings.Join(strings.Fields(text), " ")
		},
	}
}

func schemaOf(r *jsonschema.Reflector, e Entry) ([]byte, error) {
	s := r.Reflect(e.Example)
	s.ID = jsonschema.ID("https://colophon.example/schemas/" + e.File() + ".json")
	s.Title = e.Name
	return indent(s)
}

func indent(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return buf.Bytes(), err
}

func typeName(v any) string {
	t := reflect.TypeOf(v)
	return strings.TrimPrefix(t.PkgPath(), base) + "." + t.Name()
}

func page(e Entry, c comments) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!-- written by make generate -->\n\n# %s\n\n%s\n\n", e.Name, c[typeName(e.Example)])
	if d, ok := e.Example.(event.Data); ok {
		fmt.Fprintf(&b, "Subject: `%s`, `ce-id`: `%s`\n\n", event.Subject("colophon", d.Type(), "{source_id}"), "{type}:"+d.About())
	}
	b.WriteString("| field | type | what |\n|---|---|---|\n")
	writeFields(&b, reflect.TypeOf(e.Example), c)
	example, err := indent(e.Example)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n## Example\n\n```json\n%s```\n", example)
	return b.Bytes(), nil
}

func writeFields(b *bytes.Buffer, t reflect.Type, c comments) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			writeFields(b, f.Type, c)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || name == "" {
			continue
		}
		kind := strings.TrimPrefix(jsonType(f.Type), "*")
		if strings.Contains(options, "omitempty") {
			kind += ", optional"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, kind, strings.ReplaceAll(c.of(f, t), "|", `\|`))
	}
}

func jsonType(t reflect.Type) string {
	if t.PkgPath() == "time" && t.Name() == "Time" {
		return "time, RFC 3339"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return jsonType(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "base64"
		}
		return "list of " + jsonType(t.Elem())
	case reflect.Map:
		return "object of " + jsonType(t.Elem())
	case reflect.Struct:
		return t.Name()
	case reflect.String:
		if t.Name() != "string" {
			return t.Name()
		}
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	default:
		return "integer"
	}
}

func index(c comments) []byte {
	var b bytes.Buffer
	b.WriteString("<!-- written by make generate -->\n\n# Events and records\n\nEvents are CloudEvents 1.0 in the binary mode of the NATS binding: attributes in\n`ce-*` headers, data as JSON. Their JSON Schemas are in `pkg/event/schemas`, the\nwhole is described by `docs/asyncapi.json`.\n\n")
	for _, events := range []bool{true, false} {
		if events {
			b.WriteString("| event | what |\n|---|---|\n")
		} else {
			b.WriteString("\n| record | what |\n|---|---|\n")
		}
		for _, e := range Entries() {
			if e.IsEvent() == events {
				first, _, _ := strings.Cut(strings.Join(strings.Fields(c[typeName(e.Example)]), " "), ". ")
				fmt.Fprintf(&b, "| [%s](%s.md) | %s |\n", e.Name, e.File(), strings.ReplaceAll(strings.TrimSuffix(first, "."), "|", `\|`))
			}
		}
	}
	return b.Bytes()
}

// asyncAPI describes all events in AsyncAPI 3.0.
func asyncAPI(c comments) ([]byte, error) {
	channels, operations, messages := map[string]any{}, map[string]any{}, map[string]any{}
	for _, e := range Entries() {
		d, ok := e.Example.(event.Data)
		if !ok {
			continue
		}
		id := strings.ReplaceAll(e.File(), ".", "_")
		channels[id] = map[string]any{
			"address":    event.Subject("colophon", d.Type(), "{source_id}"),
			"parameters": map[string]any{"source_id": map[string]any{"description": "the source, [a-z0-9_-]{1,64}"}},
			"messages":   map[string]any{id: map[string]any{"$ref": "#/components/messages/" + id}},
		}
		action := "send" // the system publishes
		if d.Type() == event.TypeCaptureRequested || d.Type() == event.TypeRunRequested {
			action = "receive"
		}
		operations[id] = map[string]any{"action": action, "channel": map[string]any{"$ref": "#/channels/" + id}}
		messages[id] = map[string]any{
			"name": d.Type(), "contentType": "application/json", "summary": strings.Join(strings.Fields(c[typeName(e.Example)]), " "),
			"headers": headers(d.Type()),
			"payload": map[string]any{"schemaFormat": "application/schema+json;version=draft-2020-12", "schema": map[string]any{"$ref": "../pkg/event/schemas/" + e.File() + ".json"}},
		}
	}
	return indent(map[string]any{
		"asyncapi": "3.0.0",
		"info":     map[string]any{"title": "Colophon", "version": "1", "description": "CloudEvents 1.0 over NATS JetStream, binary mode", "license": map[string]any{"name": "Apache-2.0"}},
		"channels": channels, "operations": operations,
		"components": map[string]any{"messages": messages},
	})
}

func headers(eventType string) map[string]any {
	props := map[string]any{
		event.HeaderSpecVersion: map[string]any{"type": "string", "const": "1.0"},
		event.HeaderType:        map[string]any{"type": "string", "const": eventType},
	}
	required := []string{event.HeaderSpecVersion, event.HeaderType, event.HeaderID, event.HeaderSource, event.HeaderTime}
	for _, name := range []string{event.HeaderID, event.HeaderSource, event.HeaderTime, event.HeaderMsgID, event.HeaderTraceParent} {
		props[name] = map[string]any{"type": "string"}
	}
	slices.Sort(required)
	return map[string]any{"type": "object", "required": required, "properties": props}
}
