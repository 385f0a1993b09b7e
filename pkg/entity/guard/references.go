package guard

import (
	"slices"

	"github.com/colophon-dev/colophon/pkg/entity"
)

// resolve replaces what references name, a proposed id or a title, by ids of the page, and drops the others: those that
// name nothing, and those that name several.
func (r *Result) resolve(in entity.PageInput, called map[string]string) {
	ids := make(map[string][]string) // by type and title
	for _, e := range r.Entities {
		if title := fold(e.Title(), false).text; title != "" {
			ids[e.Type+" "+title] = append(ids[e.Type+" "+title], e.ID)
		}
	}
	for i := range r.Entities {
		e := &r.Entities[i]
		t, _ := in.TypeOf(e.Type)
		for _, f := range t.Fields {
			names, ok := e.Values[f.Name].([]string)
			if !ok {
				continue
			}
			var kept []string
			for _, name := range names {
				title, known := called[f.Refers+" "+name]
				if !known {
					title = name
				}
				of := ids[f.Refers+" "+fold(title, false).text]
				if len(of) != 1 || of[0] == e.ID && f.Refers == e.Type {
					r.Drops = append(r.Drops, drop(*e, f.Name, ReferenceUnknown, name))
				} else if !slices.Contains(kept, of[0]) {
					kept = append(kept, of[0])
				}
			}
			if len(kept) == 0 {
				delete(e.Values, f.Name)
			} else {
				e.Values[f.Name] = kept
			}
		}
	}
}
