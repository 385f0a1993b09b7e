package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pictures"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// described is what the OpenAPI document says of one path.
type described struct {
	path    string
	summary string
	params  []param
	answer  any    // of JSON; nil: bytes
	media   string // when it is not JSON
	ranges  bool   // whether parts of it can be asked for
}

type param struct {
	name, in, help string
	schema         map[string]any
	required       bool
}

func text(limit int) map[string]any { return map[string]any{"type": "string", "maxLength": limit} }

func list(help, name string, values ...string) param {
	item := text(maxValue)
	if len(values) > 0 {
		item = map[string]any{"type": "string", "enum": values}
	}
	return param{name: name, in: "query", help: help, schema: map[string]any{"type": "array", "maxItems": maxValues, "items": item}}
}

func limit(preset int) param {
	return param{name: "limit", in: "query", help: "How many, at most.",
		schema: map[string]any{"type": "integer", "minimum": 1, "maximum": maxLimit, "default": preset}}
}

func inPath(name, help string) param {
	return param{name: name, in: "path", help: help, schema: text(maxValue), required: true}
}

func finalTypes() (names []string) {
	for _, t := range model.FinalTypes() {
		names = append(names, string(t))
	}
	return names
}

func describe() []described {
	snapshot := inPath("id", "snapshot_id")
	number := param{name: "n", in: "path", help: "Page number, from 1.", required: true,
		schema: map[string]any{"type": "integer", "minimum": 1}}
	ref := inPath("ref", "chunk_ref, {doc_hash}:{chunk_id}")
	return []described{
		{path: "/v1/search", answer: search.Answer{},
			summary: "Hybrid search: dense and sparse hits under one filter, fused; chunks of equal content, type and status are one hit with all its sources. Disabled sources are not searched.",
			params: []param{
				{name: "q", in: "query", help: "The question.", schema: text(maxQuery), required: true},
				list("Only these sources.", "source"),
				list("Only sources of these types.", "source_type", model.SourceTypes()...),
				list("Only these types.", "type", "fact", "allegation", "opinion"),
				list("Only these statuses.", "status", "under_review", "confirmed", "refuted", "obsolete"),
				list("Only documents of these types.", "doc_type", finalTypes()...),
				list("Only these languages, ISO 639-1.", "language"), list("Only these territories.", "territory"),
				list("Only these domains.", "domain"),
				list("Only these layers; hot and summary when none is given, all with as_of.", "layer", "hot", "summary", "archive"),
				{name: "as_of", in: "query", help: "Only what was dated on this day or before it, archived or not.",
					schema: map[string]any{"type": "string", "format": "date"}},
				{name: "boxes", in: "query", help: "Whether hits say where their evidence stands on its pages.",
					schema: map[string]any{"type": "string", "enum": []string{"true", "false"}, "default": "true"}},
				limit(10),
			}},
		{path: "/v1/chunks/{ref}", summary: "A chunk with its provenance and its state.", params: []param{ref}, answer: catalog.ChunkWithState{}},
		{path: "/v1/chunks/{ref}/proof", summary: "The walk from a chunk down to the captured bytes, made now: pages are extracted again.",
			params: []param{ref}, answer: proof.Proof{}},
		{path: "/v1/documents/{id}", summary: "A document with its newest 100 snapshots, their runs, its manifests and the states of its pages.",
			params: []param{inPath("id", "document_id")}, answer: DocumentAnswer{}},
		{path: "/v1/snapshots/{id}", summary: "A snapshot with its runs, and the pages of the newest of them.", params: []param{snapshot}, answer: SnapshotAnswer{}},
		{path: "/v1/snapshots/{id}/raw", summary: "The captured bytes as they are, to save. Ranges are answered.",
			params: []param{snapshot}, media: "application/octet-stream", ranges: true},
		{path: "/v1/snapshots/{id}/pages/{n}", summary: "A page with its units.", params: []param{snapshot, number}, answer: PageAnswer{}},
		{path: "/v1/snapshots/{id}/pages/{n}.html", summary: "A page as DOCXT HTML.", params: []param{snapshot, number}, media: "text/html"},
		{path: "/v1/snapshots/{id}/pages/{n}.png", summary: "A picture of a page of a PDF file, the full page upright.", media: "image/png", ranges: true,
			params: []param{snapshot, number, {name: "width", in: "query", help: "How wide it is, in pixels.",
				schema: map[string]any{"type": "integer", "enum": pictures.Widths(), "default": defaultWidth}}}},
		{path: "/v1/snapshots/{id}/pages/{n}/figures/{figure}", summary: "A figure of a page of a PDF file, cut out of it.", media: "image/png", ranges: true,
			params: []param{snapshot, number, inPath("figure", "Its id and .png, as in fig-3-1.png.")}},
		{path: "/v1/snapshots/{id}/pages/{n}/tables/{table}", summary: "A table of a page as CSV (RFC 4180).", media: "text/csv",
			params: []param{snapshot, number, inPath("table", "Its id and .csv, as in tbl-3-1.csv.")}},
		{path: "/v1/changes", answer: ChangesAnswer{},
			summary: "The log of all changes of chunks, in an order that misses none when it is read from the beginning or from the last entry's number on.",
			params: []param{{name: "after", in: "query", help: "Number of the last entry that is known; 0 is the beginning.",
				schema: map[string]any{"type": "integer", "minimum": 0, "default": 0}}, limit(maxLimit)}},
		{path: "/v1/requests/{source}/{id}", answer: RequestAnswer{},
			summary: "What became of a capture request, or of a member of a container. 404: no such request is recorded: it waits in the queue, or never came, or was malformed, which leaves an outcome on the bus and a dead letter only.",
			params: []param{inPath("source", "source_id"),
				{name: "id", in: "path", required: true, schema: text(maxRequest),
					help: "request_id, percent-encoded. Slashes in it may stay as they are, but where two follow each other or a dot stands between them."}}},
		{path: "/v1/sources", answer: SourcesAnswer{},
			summary: "The registered sources and whether each is enabled: no event of a chunk says that its source was disabled."},
		{path: "/v1/status", summary: "Counts by stage and state, what waits in the queues, and the oldest open work.", answer: StatusAnswer{}},
		{path: "/healthz", summary: "Whether the process serves.", answer: HealthAnswer{}},
		{path: "/readyz", summary: "Whether the stores answer; 503 when not.", answer: HealthAnswer{}},
		{path: "/openapi.json", summary: "This document.", answer: map[string]any{}},
	}
}

var update = flag.Bool("update", false, "write openapi.json")

func TestOpenAPIIsFresh(t *testing.T) {
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(build(t)); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("openapi.json", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatal("openapi.json was written: run again without -update")
	}
	if !bytes.Equal(document, want.Bytes()) {
		t.Error("openapi.json is not what the code says: run go test -update")
	}
}

func TestEveryRouteIsDescribed(t *testing.T) {
	var routes, paths []string
	for _, r := range (&API{}).routes() {
		routes = append(routes, r.path)
	}
	routes = append(routes, "/v1/snapshots/{id}/pages/{n}.html", "/v1/snapshots/{id}/pages/{n}.png") // answered by that of the page
	for _, d := range describe() {
		paths = append(paths, d.path)
	}
	slices.Sort(routes)
	slices.Sort(paths)
	if !slices.Equal(routes, paths) {
		t.Errorf("routes    %q\ndescribed %q", routes, paths)
	}
}

func build(t *testing.T) map[string]any {
	t.Helper()
	schemas := make(map[string]any)
	problem := map[string]any{"description": "Why there is no such answer (RFC 9457): 400 for what was asked wrongly, 404 for what is not there, " +
		"405 for another method, 421 for another host, 503 while a part that is needed is away or too much is asked at once (Retry-After says when to ask again), 504 for what took too long, 500 for the rest.",
		"content": map[string]any{"application/problem+json": map[string]any{"schema": schemaOf(t, schemas, Problem{})}}}
	paths := make(map[string]any)
	for _, d := range describe() {
		media, schema := "application/json", any(map[string]any{"type": "string", "format": "binary"})
		if d.answer != nil {
			schema = schemaOf(t, schemas, d.answer)
		}
		if d.media != "" {
			media = d.media
		}
		if d.path == "/v1/snapshots/{id}/raw" {
			media = "*/*" // what the bytes are said to be
		}
		params := []any{}
		for _, p := range d.params {
			params = append(params, map[string]any{"name": p.name, "in": p.in, "description": p.help, "required": p.required, "schema": p.schema})
		}
		content := map[string]any{media: map[string]any{"schema": schema}}
		responses := map[string]any{"200": map[string]any{"description": "The answer.", "content": content}, "default": problem}
		if d.ranges {
			responses["206"] = map[string]any{"description": "The ranges that the header Range asks for, in bytes.", "content": content}
			responses["304"] = map[string]any{"description": "If-None-Match names what it is still."}
			responses["416"] = map[string]any{"description": "The ranges lie behind the end; Content-Range says how many bytes there are.", "content": problem["content"]}
		}
		paths[d.path] = map[string]any{"get": map[string]any{"summary": d.summary, "parameters": params, "responses": responses}}
	}
	inherit(schemas)
	return map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{"title": "Colophon", "version": "1",
			"description": "Search, and the way from every chunk back to the captured bytes. Read-only. It asks for no credentials: serve it on loopback or behind something that does."},
		"paths":      paths,
		"components": map[string]any{"schemas": schemas},
	}
}

// schemaOf adds the schemas of a Go value to those of the document and returns
// a reference to its own.
func schemaOf(t *testing.T, schemas map[string]any, v any) any {
	t.Helper()
	if reflect.TypeOf(v).Kind() == reflect.Map {
		return map[string]any{"type": "object"}
	}
	r := &jsonschema.Reflector{Namer: func(t reflect.Type) string {
		if t == reflect.TypeFor[search.Answer]() {
			return "SearchAnswer"
		}
		return t.Name()
	}, Mapper: cell}
	for _, path := range []string{"../search", "../../../../pkg/model", "../../../../pkg/catalog", "../../../../pkg/proof", "../../../../pkg/stream", "./"} {
		if err := r.AddGoComments("github.com/colophon-dev/colophon/services/gateway/internal/api", path, jsonschema.WithFullComment()); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := json.Marshal(r.Reflect(v))
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		Ref  string         `json:"$ref"`
		Defs map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(bytes.ReplaceAll(raw, []byte("#/$defs/"), []byte("#/components/schemas/")), &made); err != nil {
		t.Fatal(err)
	}
	for name, schema := range made.Defs {
		clean(schema, name != "Hit" && !strings.HasSuffix(name, "Answer"))
		if was, there := schemas[name]; there && !reflect.DeepEqual(was, schema) {
			t.Fatalf("two types are called %s", name)
		}
	}
	maps.Copy(schemas, made.Defs)
	return map[string]any{"$ref": made.Ref}
}

// cell is the schema of the cells of a table, which write themselves; nil for all
// else.
func cell(t reflect.Type) *jsonschema.Schema {
	if t != reflect.TypeFor[model.Cell]() {
		return nil
	}
	typed := jsonschema.NewProperties()
	typed.Set("type", &jsonschema.Schema{Type: "string", Enum: []any{"number", "percent", "money", "date", "link"}})
	for _, name := range []string{"value", "formatted", "url", "text"} {
		typed.Set(name, &jsonschema.Schema{Type: "string"})
	}
	return &jsonschema.Schema{
		Description: "the text of the cell or, typed, {type, value, formatted} and {type: link, url, text}",
		OneOf: []*jsonschema.Schema{
			{Type: "string"},
			{Type: "object", Properties: typed, Required: []string{"type"}, AdditionalProperties: jsonschema.FalseSchema},
		},
	}
}

// references are notes on where a rule is from, which readers do not have.
var references = regexp.MustCompile(`\s*\((?:seeds|contracts)#[^()]*\)`)

// inherit gives a field without a description that of the same name in the records
// that say what it is.
func inherit(schemas map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		for field, p := range properties(schemas[name]) {
			property, _ := p.(map[string]any)
			for _, home := range []string{"Snapshot", "Document", "Chunk", "ChunkState", "Manifest", "RunProgress", "Page", "Unit"} {
				described, _ := properties(schemas[home])[field].(map[string]any)
				if property["description"] == nil && described["description"] != nil {
					property["description"] = described["description"]
				}
			}
		}
	}
}

func properties(schema any) map[string]any {
	object, _ := schema.(map[string]any)
	fields, _ := object["properties"].(map[string]any)
	return fields
}

// Every field says what it is, in words that need no other document.
func TestEveryFieldIsDescribed(t *testing.T) {
	made := build(t)
	schemas := made["components"].(map[string]any)["schemas"].(map[string]any)
	for name, schema := range schemas {
		for field, p := range properties(schema) {
			if p.(map[string]any)["description"] == nil {
				t.Errorf("%s of %s is not described", field, name)
			}
		}
	}
	if found := regexp.MustCompile(`.{20}\b(?:seeds|contracts)#.{20}`).FindAll(document, -1); found != nil {
		t.Errorf("%q", found)
	}
}

// clean puts descriptions on one line, and lets the lists and maps of stored
// records be null, as Go writes empty ones.
func clean(v any, nullable bool) {
	switch v := v.(type) {
	case map[string]any:
		if d, ok := v["description"].(string); ok {
			v["description"] = strings.Join(strings.Fields(references.ReplaceAllString(d, "")), " ")
		}
		properties, _ := v["properties"].(map[string]any)
		for _, p := range properties {
			property, _ := p.(map[string]any)
			if kind := property["type"]; nullable && (kind == "array" || kind == "object") {
				property["type"] = []any{kind, "null"}
			}
		}
		for _, child := range v {
			clean(child, nullable)
		}
	case []any:
		for _, child := range v {
			clean(child, nullable)
		}
	}
}
