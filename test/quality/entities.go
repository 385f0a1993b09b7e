package quality

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
	"github.com/colophon-dev/colophon/test/quality/entityset"
)

// Goals of entities that are found without a model, on the half that nobody looks at.
const (
	goalEntityPrecision = 0.90
	goalEntityRecall    = 0.60
)

// EntityOptions say how entities are measured.
type EntityOptions struct {
	Colophon string // the binary
	Keep     string // folder to leave the pages in; empty: none
	Again    bool   // the IR of an earlier run is in Keep: entities are found in this process, nothing is converted
	Details  bool   // name what was wrong and missed on the pages of the half that is looked at
	Chat     ChatModel
	First    int // pages of each half that are read; 0: all
}

// RunEntities draws the labelled pages, has colophon convert find their entities by rules, and holds them against
// their labels; and each value against the units that convert writes, by a reading of its own.
func RunEntities(ctx context.Context, o EntityOptions) (report EntityReport, err error) {
	dir := o.Keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "colophon-entities-"); err != nil {
			return report, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if err := os.MkdirAll(dir, 0o750); err != nil {
		return report, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return report, err
	}
	var pages []entityset.Page
	for _, half := range []string{entityset.HalfLookedAt, entityset.HalfUnseen} {
		of, err := entityset.Pages(half)
		if err != nil {
			return report, err
		}
		pages = append(pages, of...)
	}
	pages = firstOf(pages, o.First)
	read := convertPages
	if o.Chat.URL != "" {
		read = extractPages
	}
	found, units, err := read(ctx, o, dir, pages)
	if err != nil {
		return report, err
	}
	for _, p := range pages {
		name := fileOf(p)
		if reason := found.reasons[name]; reason != "" {
			report.unread(p, reason)
			continue
		}
		result, err := readEntities(found.outputs[name], units.outputs[name])
		if err != nil {
			return report, fmt.Errorf("%s: %w", p.Name, err)
		}
		report.add(p, result, o.Details)
	}
	report.finish()
	return report, nil
}

// fileOf is the name of a page's file.
func fileOf(p entityset.Page) string {
	return p.Half + "-" + p.Name + map[string]string{"html": ".html"}[p.Form] + map[bool]string{true: ".pdf"}[p.Form != "html"]
}

// convertPages has the entities and the units of all pages written, and leaves the units beside the pages.
func convertPages(ctx context.Context, o EntityOptions, dir string, pages []entityset.Page) (found, units conversion, err error) {
	if o.Again {
		return findAgain(dir, pages)
	}
	names, err := drawPages(ctx, dir, pages)
	if err != nil {
		return found, units, err
	}
	convert := converter{binary: o.Colophon, root: dir}
	if found, err = convert.run(ctx, names, "entities"); err != nil {
		return found, units, err
	}
	if units, err = convert.run(ctx, names, "ir"); err != nil {
		return found, units, err
	}
	for name, ir := range units.outputs {
		if err := os.WriteFile(filepath.Join(dir, name+irEnding), ir, 0o600); err != nil {
			return found, units, err
		}
	}
	return found, units, nil
}

const irEnding = ".ir.jsonl"

// findAgain finds the entities of pages whose IR an earlier run left, by the functions that convert calls.
func findAgain(dir string, pages []entityset.Page) (found, units conversion, err error) {
	found.outputs, units.outputs = make(map[string][]byte), make(map[string][]byte)
	for _, p := range pages {
		name := fileOf(p)
		ir, err := os.ReadFile(filepath.Join(dir, name+irEnding))
		if err != nil {
			return found, units, err
		}
		in, err := readPageInput(ir)
		if err != nil {
			return found, units, fmt.Errorf("%s: %w", name, err)
		}
		units.outputs[name] = ir
		if found.outputs[name], err = json.Marshal(entity.NewDocument("", "", []entity.Page{rules.Extract(in)})); err != nil {
			return found, units, err
		}
	}
	return found, units, nil
}

// readPageInput reads the IR of a document of one page.
func readPageInput(ir []byte) (entity.PageInput, error) {
	dec := json.NewDecoder(bytes.NewReader(ir))
	var page model.Page
	if err := dec.Decode(&page); err != nil {
		return entity.PageInput{}, err
	}
	var units []model.Unit
	for dec.More() {
		var u model.Unit
		if err := dec.Decode(&u); err != nil {
			return entity.PageInput{}, err
		}
		units = append(units, u)
	}
	return entity.PageOf(page, units, nil), nil
}

// drawPages writes the files of pages into a folder and returns their names.
func drawPages(ctx context.Context, dir string, pages []entityset.Page) ([]string, error) {
	cache, err := os.MkdirTemp("", "colophon-engine-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(cache) }()
	engine, err := pdfium.Open(ctx, pdfium.Config{CacheDir: cache})
	if err != nil {
		return nil, err
	}
	defer func() { _ = engine.Close(ctx) }()
	var names []string
	for _, p := range pages {
		data, err := entityset.Draw(ctx, engine, p)
		if err != nil {
			return nil, err
		}
		names = append(names, fileOf(p))
		if err := os.WriteFile(filepath.Join(dir, names[len(names)-1]), data, 0o600); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// foundEntity is an entity as convert writes it.
type foundEntity struct {
	Type       string
	Values     map[string]any // of JSON; periods as their ends
	Evidence   []string
	Grounds    []foundGround
	Confidence float64
	FoundBy    string
	Ungrounded []string // values for which nothing stands where they say
}

type foundGround struct {
	Field    string `json:"field"`
	Evidence int    `json:"evidence"`
	IRID     string `json:"ir_id"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Text     string `json:"text"`
	RowText  string `json:"row_text"`
}

// listsOf are the lists of a page and the type of what they hold (seeds#extraction).
func listsOf() map[string]string {
	return map[string]string{"goals": "goal", "bmps": "bmp", "implementation": "implementation", "monitoring": "monitoring",
		"outreach": "outreach", "geographicAreas": "geographicArea"}
}

// sameThing are names of the canonical schema beside those of the prompt, and what is no value.
func sameThing() []string {
	return []string{"id", "evidence", "grounds", "confidence", "origin", "found_by", "startDate", "endDate", "metric", "station"}
}

// readEntities reads what convert --to entities and --to ir wrote of one document.
func readEntities(data, ir []byte) (out []foundEntity, err error) {
	var doc struct {
		Pages []map[string]json.RawMessage `json:"pages"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	texts, err := readUnitTexts(ir)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]string)
	for _, u := range texts {
		byID[u.id] = u.text
	}
	for _, page := range doc.Pages {
		for list, typ := range listsOf() {
			var items []json.RawMessage
			if err := json.Unmarshal(page[list], &items); err != nil {
				return nil, fmt.Errorf("%s: %w", list, err)
			}
			for _, item := range items {
				e, err := readEntity(typ, item)
				if err != nil {
					return nil, err
				}
				e.Ungrounded = ungrounded(e, byID)
				out = append(out, e)
			}
		}
	}
	return out, nil
}

func readEntity(typ string, item []byte) (foundEntity, error) {
	e := foundEntity{Type: typ}
	var of struct {
		Evidence   []string      `json:"evidence"`
		Grounds    []foundGround `json:"grounds"`
		Confidence float64       `json:"confidence"`
		FoundBy    string        `json:"found_by"`
	}
	if err := json.Unmarshal(item, &of); err != nil {
		return e, err
	}
	if err := json.Unmarshal(item, &e.Values); err != nil {
		return e, err
	}
	e.Evidence, e.Grounds, e.Confidence, e.FoundBy = of.Evidence, of.Grounds, of.Confidence, of.FoundBy
	for _, name := range sameThing() {
		if typ == "implementation" && name == "metric" {
			continue
		}
		delete(e.Values, name)
	}
	if typ == "implementation" {
		delete(e.Values, "name")
	}
	for name, v := range e.Values {
		list, isList := v.([]any)
		if v == nil || isList && len(list) == 0 {
			delete(e.Values, name)
		}
	}
	if period, ok := e.Values["schedule"].(map[string]any); ok {
		delete(e.Values, "schedule")
		for _, end := range []string{"start", "end"} {
			if period[end] != nil {
				e.Values["schedule."+end] = period[end]
			}
		}
	}
	return e, nil
}
