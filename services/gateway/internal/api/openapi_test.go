package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"math"
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
	"github.com/colophon-dev/colophon/services/gateway/internal/consolidate"
	"github.com/colophon-dev/colophon/services/gateway/internal/quote"
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
	method  string // in lower case, when it is not get
	body    any    // schema of what is asked with, when it is asked with a body
}

type param struct {
	name, in, help string
	schema         map[string]any
	required       bool
}

// The forms of what is given, as ECMA-262 writes them (OpenAPI's own).
const (
	formText     = `^[^\u0000-\u001f\u007f-\u009f]*$`                          // what checkText lets through
	formQuestion = `^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$` // the same, which may have lines
	formSnapshot = `^snap_[a-z2-7]{26}$`
	formChunk    = `^[0-9a-f]{64}:[0-9]{1,9}(@[0-9]{1,9})?$`
	formSpan     = `^([0-9]{1,9}(-[0-9]{0,9})?|-[0-9]{1,9})$`
	formFigure   = `^fig-[0-9]{1,9}-[0-9]{1,9}\.png$`
	formTable    = `^tbl-[0-9]{1,9}-[0-9]{1,9}\.csv$`
)

func text(limit int) map[string]any {
	return map[string]any{"type": "string", "maxLength": limit, "pattern": formText}
}

// requestID is one that a request may have, but those of two characters of which the path of
// a URL makes something else.
func requestID() map[string]any {
	schema := text(maxRequest)
	schema["minLength"], schema["not"] = 1, map[string]any{"enum": []string{".", ".."}}
	return schema
}

func question() map[string]any {
	return map[string]any{"type": "string", "minLength": 1, "maxLength": maxQuery, "pattern": formQuestion}
}

func list(help, name string, values ...string) param {
	item := text(maxValue)
	if len(values) > 0 {
		item = map[string]any{"type": "string", "enum": values}
	}
	return param{name: name, in: "query", help: help, schema: map[string]any{"type": "array", "maxItems": maxValues, "items": item}}
}

// long is a list of texts that may be as long as they are stored.
func long(help, name string) param {
	return param{name: name, in: "query", help: help, schema: map[string]any{"type": "array", "maxItems": maxLongValues, "items": text(maxLongValue)}}
}

func dated(name, help, format string) param {
	return param{name: name, in: "query", help: help, schema: map[string]any{"type": "string", "format": format}}
}

func bounds(name, help string) param {
	return param{name: name, in: "query", help: help + " One number, or a range: 3, 3-9, 3- or -9; nothing is in 9-3.",
		schema: map[string]any{"type": "string", "maxLength": 21, "pattern": formSpan}}
}

func flagged(name, help, preset string) param {
	return param{name: name, in: "query", help: help, schema: map[string]any{"type": "string", "enum": []string{"true", "false"}, "default": preset}}
}

func limit(preset int) param {
	return param{name: "limit", in: "query", help: "How many, at most.",
		schema: map[string]any{"type": "integer", "minimum": 1, "maximum": maxLimit, "default": preset}}
}

func inPath(name, help, form string) param {
	return param{name: name, in: "path", help: help, schema: map[string]any{"type": "string", "pattern": form}, required: true}
}

func finalTypes() (names []string) {
	for _, t := range model.FinalTypes() {
		names = append(names, string(t))
	}
	return names
}

// searchParams are the parameters of a search.
func searchParams() []param {
	return []param{
		{name: "q", in: "query", schema: question(), required: true,
			help: "The question. \"…\" is a phrase that must stand in what is found, -word and -\"…\" must not; words are compared without case and accents."},
		list("Only these sources.", "source"),
		list("Only sources of these types.", "source_type", model.SourceTypes()...),
		list("Only these types.", "type", "fact", "allegation", "opinion"),
		list("Only these statuses.", "status", "under_review", "confirmed", "refuted", "obsolete"),
		list("Only documents of these types.", "doc_type", finalTypes()...),
		list("Only these languages, ISO 639-1.", "language"), list("Only these territories.", "territory"),
		list("Only these domains.", "domain"),
		list("Only documents of these hosts.", "host"), long("Only documents of these URLs, as a hit has them.", "url"),
		long("Only documents of these titles.", "title"), list("Only these documents, document_id: of each what its current version says.", "document"),
		list("Only what these captures say, snapshot_id, archived or not.", "snapshot"), list("Only chunks with these doc_hashes.", "doc_hash"),
		list("Only chunks with these chunk_ids.", "chunk_id"), list("Only these chunks, chunk_ref.", "chunk"),
		list("Only chunks whose first anchor is of these types.", "anchor_type"), list("Only chunks whose first anchor has these texts, as printed.", "anchor_text"),
		list("Only points that have these names of their collection.", "collection"),
		list("Only these layers; hot and summary when none is given, all with as_of or snapshot.", "layer", "hot", "summary", "archive"),
		dated("as_of", "Only what was dated on this day or before it, archived or not.", "date"),
		dated("from", "Only what is dated on this day or after it.", "date"), dated("to", "Only what is dated on this day or before it.", "date"),
		dated("pushed_from", "Only points that were written at this time or after it.", "date-time"),
		dated("pushed_to", "Only points that were written at this time or before it.", "date-time"),
		bounds("pages", "Only chunks that begin on these pages, from 1."), bounds("chunk_index", "Only chunks with these places in their document, from 0."),
		bounds("tokens", "Only chunks of so many tokens."), bounds("text_len", "Only chunks of so many code points."),
		flagged("boxes", "Whether hits say where their evidence stands on its pages.", "true"),
		flagged("blocks", "Whether hits name all sources whose current chunks hold a block of theirs, however they are cut.", "true"),
		flagged("highlights", "Whether hits say which ranges of their content fit the question.", "false"),
		flagged("facets", "Whether what was found is counted by its values.", "false"),
		{name: "neighbours", in: "query", help: "How many chunks before and behind each hit are told.",
			schema: map[string]any{"type": "integer", "minimum": 0, "maximum": maxNeighbours, "default": 0}},
		{name: "cursor", in: "query", help: "Where the page begins: next of the answer before, to the same question.",
			schema: map[string]any{"type": "string", "minLength": 1, "maxLength": maxValue, "pattern": "^[A-Za-z0-9_-]*$"}},
		limit(10),
	}
}

// contextParams are those of a search, and how long the prompt may be.
func contextParams(ofSearch []param) []param {
	shown := slices.DeleteFunc(slices.Clone(ofSearch), func(p param) bool { return slices.Contains(shownOfHits(), p.name) })
	return append(shown, param{name: "budget", in: "query", help: "How many characters the prompt has, at most.",
		schema: map[string]any{"type": "integer", "minimum": consolidate.LeastBudget, "maximum": consolidate.MostBudget, "default": consolidate.DefaultBudget}})
}

// askBody is the schema of what /v1/ask is asked with: the parameters of the context of an answer.
func askBody(ofSearch []param) map[string]any {
	properties := make(map[string]any)
	for _, p := range contextParams(ofSearch) {
		if p.name == "boxes" {
			continue
		}
		schema := maps.Clone(p.schema)
		schema["description"] = p.help
		properties[p.name] = schema
	}
	return map[string]any{"type": "object", "required": []string{"q"}, "additionalProperties": false, "properties": properties}
}

func describe() []described {
	snapshot := inPath("id", "snapshot_id", formSnapshot)
	number := param{name: "n", in: "path", help: "Page number, from 1.", required: true,
		schema: map[string]any{"type": "integer", "minimum": 1, "maximum": math.MaxInt32}}
	ref := inPath("ref", "chunk_ref, {doc_hash}:{chunk_id}", formChunk)
	ofSearch := searchParams()
	return []described{
		{path: "/v1/search", answer: search.Answer{},
			summary: "Hybrid search: dense and sparse hits under one filter, fused; chunks of equal content, type and status are one hit with all its sources. Disabled sources are not searched.",
			params:  ofSearch},
		{path: "/v1/answer-context", answer: consolidate.Answer{}, params: contextParams(ofSearch),
			summary: "What a search finds, told as what it is: confirmed facts, the newest first; facts under review, allegations and opinions apart; what is refuted or obsolete; contradictions side by side; and a prompt with citations, also as content blocks. It takes the parameters of a search."},
		{path: "/v1/ask", method: "post", body: askBody(ofSearch), answer: AskAnswer{},
			summary: "An answer to a question, every sentence of which stands in the passages that it cites, with these passages as /v1/answer-context tells them; what a model said besides is left out and counted by why. Without a model the passages are the answer. With Accept: text/event-stream it comes as events: context, sentence (each), end (with outcome, why, model, told, left_out). 503, with the passages and Retry-After, while the model is away, too many ask, or the day's tokens are spent."},
		{path: "/v1/check-quote", method: "post", body: quotation(), answer: quote.Answer{},
			summary: "Where a quotation stands, exactly and with the way to its proof, or that no text has it. What is folded before texts are compared is white space, hyphens at line ends, soft hyphens, ligatures, normal forms, and the forms of quotation marks and dashes; nothing is compared by likeness."},
		{path: "/v1/chunks/{ref}", summary: "A chunk with its provenance and its state, and what came after it where its document no longer says it.",
			params: []param{ref}, answer: ChunkAnswer{}},
		{path: "/v1/chunks/{ref}/proof", summary: "The walk from a chunk down to the captured bytes, made now: pages are extracted again.",
			params: []param{ref}, answer: proof.Proof{}},
		{path: "/v1/documents/{id}", summary: "A document with its newest 100 snapshots, their runs, its manifests and the states of its pages.",
			params: []param{inPath("id", "document_id", formDocument)}, answer: DocumentAnswer{}},
		{path: "/v1/documents/{id}/entities", answer: EntitiesAnswer{}, params: []param{inPath("id", "document_id", formDocument)},
			summary: "What the pages of the current version say of goals, practices, activities, measurements, outreach and areas, each value with its evidence."},
		{path: "/v1/entities", answer: EntityListAnswer{}, params: entityParams(),
			summary: "Entities of the current versions of all documents, in the order of their keys. Those of disabled sources are left out."},
		{path: "/v1/snapshots/{id}", summary: "A snapshot with its runs, and the pages of the newest of them.", params: []param{snapshot}, answer: SnapshotAnswer{}},
		{path: "/v1/snapshots/{id}/outline", params: []param{snapshot}, answer: OutlineAnswer{},
			summary: "The bookmarks of a PDF file, read out of its bytes, and the labels of its pages. Other kinds of files have none."},
		{path: "/v1/snapshots/{id}/raw", summary: "The captured bytes as they are, to save. Ranges are answered.",
			params: []param{snapshot}, media: "application/octet-stream", ranges: true},
		{path: "/v1/snapshots/{id}/pages/{n}", summary: "A page with its units.", params: []param{snapshot, number}, answer: PageAnswer{}},
		{path: "/v1/snapshots/{id}/pages/{n}.html", summary: "A page as DOCXT HTML.", media: "text/html",
			params: []param{snapshot, number, {name: "evidence", in: "query", schema: map[string]any{"type": "boolean", "default": false},
				help: "Whether blocks say where they stand (data-page, data-bbox), and spans what was found in them (data-docxt=\"evidence\", data-key)."}}},
		{path: "/v1/snapshots/{id}/pages/{n}.png", summary: "A picture of a page of a PDF file, the full page upright.", media: "image/png", ranges: true,
			params: []param{snapshot, number, {name: "width", in: "query", help: "How wide it is, in pixels.",
				schema: map[string]any{"type": "integer", "enum": pictures.Widths(), "default": defaultWidth}}}},
		{path: "/v1/snapshots/{id}/pages/{n}/figures/{figure}", summary: "A figure of a page of a PDF file, cut out of it.", media: "image/png", ranges: true,
			params: []param{snapshot, number, inPath("figure", "Its id and .png, as in fig-3-1.png.", formFigure)}},
		{path: "/v1/snapshots/{id}/pages/{n}/tables/{table}", summary: "A table of a page as CSV (RFC 4180).", media: "text/csv",
			params: []param{snapshot, number, inPath("table", "Its id and .csv, as in tbl-3-1.csv.", formTable)}},
		{path: "/v1/changes", answer: ChangesAnswer{},
			summary: "The log of all changes of chunks, in an order that misses none when it is read from the beginning or from the last entry's number on.",
			params: []param{{name: "after", in: "query", help: "Number of the last entry that is known; 0 is the beginning.",
				schema: map[string]any{"type": "integer", "format": "int64", "minimum": 0, "maximum": int64(math.MaxInt64), "default": 0}}, limit(maxLimit)}},
		{path: "/v1/requests/{source}/{id}", answer: RequestAnswer{},
			summary: "What became of a capture request, or of a member of a container. 404: no such request is recorded: it waits in the queue, or never came, or was malformed, which leaves an outcome on the bus and a dead letter only.",
			params: []param{inPath("source", "source_id", formSource),
				{name: "id", in: "path", required: true, schema: requestID(),
					help: "request_id, percent-encoded. Slashes in it may stay as they are, but where two follow each other or a dot stands between them."}}},
		{path: "/v1/sources", answer: SourcesAnswer{},
			summary: "The registered sources and whether each is enabled: no event of a chunk says that its source was disabled."},
		{path: "/v1/status", summary: "Counts by stage and state, what waits in the queues, and the oldest open work.", answer: StatusAnswer{}},
		{path: "/healthz", summary: "Whether the process serves.", answer: HealthAnswer{}},
		{path: "/readyz", summary: "Whether the stores answer; 503 when not.", answer: HealthAnswer{}},
		{path: "/openapi.json", summary: "This document.", answer: map[string]any{}},
	}
}

func entityParams() []param {
	return []param{
		{name: "type", in: "query", help: "Only of this type: one of the six, or {schema}.{type} of a source's own.", schema: map[string]any{"type": "string", "maxLength": maxValue,
			"pattern": formEntityType()}},
		{name: "source", in: "query", help: "Only of this source.", schema: map[string]any{"type": "string", "pattern": formSource}},
		{name: "document", in: "query", help: "Only of this document.", schema: map[string]any{"type": "string", "pattern": formDocument}},
		{name: "q", in: "query", help: "Words that stand like this in the title or the evidence, in any case.", schema: text(maxQuery)},
		{name: "after", in: "query", help: "next of an answer: what comes after it.", schema: map[string]any{"type": "string", "pattern": catalog.PlaceForm, "maxLength": maxValue}},
		limit(maxLimit),
	}
}

// quotation is the schema of what /v1/check-quote is asked with.
func quotation() map[string]any {
	list := func(help string) map[string]any {
		return map[string]any{"type": "array", "maxItems": maxValues, "items": text(maxValue), "description": help}
	}
	document := text(maxValue)
	document["description"] = "Only this document: its document_id."
	return map[string]any{
		"type": "object", "required": []string{"quote"}, "additionalProperties": false,
		"properties": map[string]any{
			"quote": map[string]any{"type": "string", "minLength": 1, "maxLength": quote.MaxQuote,
				"description": "The quotation. An ellipsis (…, ..., […]) stands for words that are left out, unless the text has it there."},
			"source":   list("Only these sources."),
			"document": document,
			"language": list("Only these languages, ISO 639-1."),
			"as_of":    map[string]any{"type": "string", "format": "date", "description": "Only what was dated on this day or before it."},
			"limit":    map[string]any{"type": "integer", "minimum": 1, "maximum": maxPlaces, "default": 10, "description": "How many places are told, at most."},
		},
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
		if len(params) > 0 {
			responses["431"] = map[string]any{"description": "URL and header fields are larger than 32 KiB together.",
				"content": map[string]any{"text/plain": map[string]any{"schema": map[string]any{"type": "string"}}}}
		}
		if d.ranges {
			responses["206"] = map[string]any{"description": "The ranges that the header Range asks for, in bytes.", "content": content}
			responses["304"] = map[string]any{"description": "If-None-Match names what it is still."}
			responses["416"] = map[string]any{"description": "The ranges lie behind the end; Content-Range says how many bytes there are.", "content": problem["content"]}
		}
		if slices.ContainsFunc(d.params, func(p param) bool { return p.name == "cursor" }) {
			responses["409"] = map[string]any{"description": "The cursor is that of another question, or none.", "content": problem["content"]}
		}
		if d.path == "/v1/ask" {
			content["text/event-stream"] = map[string]any{"schema": map[string]any{"type": "string"}}
			responses["503"] = map[string]any{"description": "No answer now. Where the passages are known they come with it. Retry-After says when to ask again.",
				"content": map[string]any{"application/problem+json": map[string]any{"schema": schemaOf(t, schemas, AskProblem{})}}}
		}
		operation := map[string]any{"summary": d.summary, "parameters": params, "responses": responses}
		if d.body != nil {
			operation["requestBody"] = map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{"schema": d.body}}}
			responses["413"] = map[string]any{"description": "The body is larger than 64 KiB.", "content": problem["content"]}
			responses["415"] = map[string]any{"description": "The body is no application/json.", "content": problem["content"]}
		}
		paths[d.path] = map[string]any{cmp.Or(d.method, "get"): operation}
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
		if strings.HasSuffix(t.PkgPath(), "/internal/quote") {
			return "Quote" + t.Name()
		}
		if strings.HasSuffix(t.PkgPath(), "/internal/consolidate") {
			return "Context" + t.Name()
		}
		return t.Name()
	}, Mapper: cell}
	for _, path := range []string{"../search", "../refer", "../quote", "../consolidate", "../../../../pkg/model", "../../../../pkg/proof", "./"} {
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
