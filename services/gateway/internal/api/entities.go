package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/model"
)

// EntityCatalog says what pages say of goals, practices and the like.
type EntityCatalog interface {
	EntityPages(ctx context.Context, snapshotID string) ([]model.EntityPage, error)
	EntitiesOf(ctx context.Context, snapshotID string) ([]model.EntityRow, error)
	EntitiesOfPage(ctx context.Context, snapshotID string, pageNo int) ([]model.EntityRow, error)
	Entities(ctx context.Context, f catalog.EntityFilter) ([]catalog.ListedEntity, error)
}

// EntitiesAnswer is the answer of /v1/documents/{id}/entities: the founding document's
// ExtractedDocument, of the current version.
type EntitiesAnswer struct {
	UploadID   string         `json:"uploadId"` // the snapshot that is current; "" where none is
	Slug       string         `json:"slug"`
	DocumentID string         `json:"document_id"`
	Pages      []EntitiesPage `json:"pages"`  // those that were read, in their order
	Rollup     Rollup         `json:"rollup"` // what they add up to
}

// Rollup is what the entities of a document add up to.
type Rollup struct {
	TotalGoals     int      `json:"totalGoals"`             // how many goals
	TotalBMPs      int      `json:"totalBMPs"`              // how many practices
	CompletionRate *float64 `json:"completionRate"`         // percent, 0 to 100: mean of the progress of goals, practices and activities; null where fewer than two say it
	CompletionOf   []string `json:"completionOf,omitempty"` // ids of the entities that it is the mean of
}

// EntitiesPage is its ExtractedPage, and what became of it.
type EntitiesPage struct {
	PageID          string           `json:"pageId"`          // UUID of the page
	PageNo          int              `json:"pageNo"`          // from 1
	Goals           []map[string]any `json:"goals"`           // entities of a type have the fields of docs/entities.md, with evidence and grounds
	BMPs            []map[string]any `json:"bmps"`            // best management practices
	Implementation  []map[string]any `json:"implementation"`  // activities
	Monitoring      []map[string]any `json:"monitoring"`      // measurements
	Outreach        []map[string]any `json:"outreach"`        // activities of outreach
	GeographicAreas []map[string]any `json:"geographicAreas"` // areas
	// Own are entities of the source's own schemas, by their types' names in full, as permits.permit.
	Own              map[string][]map[string]any `json:"own,omitempty"`
	Confidence       float64                     `json:"confidence"`        // mean of the entities'; 0 without any
	Dropped          map[string]int              `json:"dropped,omitempty"` // what the guard did not find on the page, by reason
	Status           model.PageStatus            `json:"status"`            // processed, failed, or pending when it is queued again
	Reason           string                      `json:"reason,omitempty"`
	Message          string                      `json:"error_message,omitempty"`
	ExtractorVersion int                         `json:"extractor_version"` // of the rules
	PromptVersion    int                         `json:"prompt_version"`    // 0 without a model
}

func (a *API) documentEntities(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	ctx := r.Context()
	d, err := a.Catalog.Document(ctx, id)
	if err != nil {
		return err
	}
	answer := EntitiesAnswer{UploadID: d.CurrentSnapshotID, Slug: d.Slug, DocumentID: id, Pages: []EntitiesPage{}}
	if d.CurrentSnapshotID == "" {
		return a.answer(w, answer)
	}
	pages, err := a.Catalog.EntityPages(ctx, d.CurrentSnapshotID)
	if err != nil {
		return err
	}
	rows, err := a.Catalog.EntitiesOf(ctx, d.CurrentSnapshotID)
	if err != nil {
		return err
	}
	of := make(map[int][]model.EntityRow)
	for _, row := range rows {
		of[row.PageNo] = append(of[row.PageNo], row)
	}
	var extracted []entity.Page
	for _, p := range pages {
		page, found, err := answerEntities(p, of[p.PageNo])
		if err != nil {
			return err
		}
		answer.Pages, extracted = append(answer.Pages, page), append(extracted, found)
	}
	answer.Rollup = Rollup(entity.NewDocument(d.CurrentSnapshotID, d.Slug, extracted).Rollup)
	return a.answer(w, answer)
}

// answerEntities returns a page as it is answered, and as rollups are made of it.
func answerEntities(p model.EntityPage, rows []model.EntityRow) (EntitiesPage, entity.Page, error) {
	lists := make(map[string][]map[string]any)
	found := entity.Page{PageNo: p.PageNo}
	for _, row := range rows {
		e, err := entity.Restored(row.Type, row.Payload)
		if err != nil {
			return EntitiesPage{}, found, err
		}
		record, err := recordOf(row)
		if err != nil {
			return EntitiesPage{}, found, err
		}
		found.Entities, lists[row.Type] = append(found.Entities, e), append(lists[row.Type], record)
	}
	list := func(typ string) []map[string]any {
		if l := lists[typ]; l != nil {
			return l
		}
		return []map[string]any{}
	}
	own := make(map[string][]map[string]any)
	for typ, list := range lists {
		if entity.IsOwn(typ) {
			own[typ] = list
		}
	}
	return EntitiesPage{
		Own:    own,
		PageID: digest.PageID(p.SnapshotID, p.PageNo), PageNo: p.PageNo, Goals: list(entity.Goal), BMPs: list(entity.BMP),
		Implementation: list(entity.Implementation), Monitoring: list(entity.Monitoring), Outreach: list(entity.Outreach),
		GeographicAreas: list(entity.GeographicArea), Confidence: p.Result.Confidence, Dropped: p.Result.Dropped,
		Status: p.Status, Reason: p.Reason, Message: p.Message, ExtractorVersion: p.ExtractorVersion, PromptVersion: p.PromptVersion,
	}, found, nil
}

func recordOf(row model.EntityRow) (map[string]any, error) {
	var record map[string]any
	if err := json.Unmarshal(row.Payload, &record); err != nil {
		return nil, fmt.Errorf("entity %s of page %d of %s: %w", row.ID, row.PageNo, row.SnapshotID, err)
	}
	return record, nil
}

// EntityListAnswer is the answer of /v1/entities.
type EntityListAnswer struct {
	Entities []EntityListed `json:"entities"` // of current versions, in the order of their keys
	Next     string         `json:"next"`     // what after is asked with for those behind them; "" when these are the last
}

// EntityListed is an entity with the page that it stands on.
type EntityListed struct {
	Type       string         `json:"type"` // goal, bmp, implementation, monitoring, outreach or geographicArea, or one of a source's own schemas, as permits.permit
	SourceID   string         `json:"source_id"`
	DocumentID string         `json:"document_id"`
	SnapshotID string         `json:"snapshot_id"`
	PageNo     int            `json:"page_no"` // from 1
	Entity     map[string]any `json:"entity"`  // its fields, with evidence and grounds
}

// What ids look like, as regular expressions.
const (
	formSource   = `^[a-z0-9_-]{1,64}$`
	formDocument = `^doc_[a-z2-7]{26}$`
)

// formEntityType is the form of a type: one of the six, or {schema}.{type} of a source's own.
func formEntityType() string {
	var types []string
	for _, t := range entity.Types() {
		types = append(types, t.Name)
	}
	return "^(" + strings.Join(types, "|") + `|[a-z][a-z0-9_]{0,63}\.[a-zA-Z][a-zA-Z0-9_]{0,63})$`
}

// entityForms are what parameters of /v1/entities look like.
var entityForms = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"type": regexp.MustCompile(formEntityType()), "source": regexp.MustCompile(formSource), "document": regexp.MustCompile(formDocument),
		"after": regexp.MustCompile(catalog.PlaceForm),
	}
})

// ofForm refuses a parameter that is given more than once, or does not look as it must.
func ofForm(values url.Values, name string, form *regexp.Regexp) error {
	given := values[name]
	switch {
	case len(given) > 1:
		return bad("%s is given %d times", name, len(given))
	case len(given) == 1 && !form.MatchString(given[0]):
		return bad("%s: %q does not look like one: %s", name, clip(given[0]), form)
	}
	return nil
}

func (a *API) entities(w http.ResponseWriter, r *http.Request) error {
	values, err := query(r, "type", "source", "document", "q", "after", "limit")
	if err != nil {
		return err
	}
	limit, err := number(values, "limit", maxLimit, 1, maxLimit)
	if err != nil {
		return err
	}
	for name, form := range entityForms() {
		if err := ofForm(values, name, form); err != nil {
			return err
		}
	}
	f := catalog.EntityFilter{Type: values.Get("type"), SourceID: values.Get("source"), DocumentID: values.Get("document"),
		Query: values.Get("q"), After: values.Get("after"), Limit: int(limit)}
	found, err := a.Catalog.Entities(r.Context(), f)
	if err != nil {
		return err
	}
	answer := EntityListAnswer{Entities: []EntityListed{}}
	for _, e := range found {
		record, err := recordOf(e.EntityRow)
		if err != nil {
			return err
		}
		answer.Entities = append(answer.Entities, EntityListed{Type: e.Type, SourceID: e.SourceID, DocumentID: e.DocumentID,
			SnapshotID: e.SnapshotID, PageNo: e.PageNo, Entity: record})
		answer.Next = e.Place
	}
	if len(found) < f.Limit {
		answer.Next = ""
	}
	return a.answer(w, answer)
}
