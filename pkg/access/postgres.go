package access

import (
	"slices"
	"strings"
)

// Grants returns what a role is to be granted in a schema, one statement each, in
// which all names are quoted. It does not take away what the role has beside.
func Grants(r Role, schema, role string) []string {
	to := " TO " + quote(role)
	var grants []string
	if len(r.Tables) > 0 {
		grants = append(grants, "GRANT USAGE ON SCHEMA "+quote(schema)+to)
	}
	for _, v := range r.Views { // views that are made later, too: an upgrade makes them again
		views := quote(SeedSchema(schema, v.Seed))
		grants = append(grants, "GRANT USAGE ON SCHEMA "+views+to, "GRANT SELECT ON ALL TABLES IN SCHEMA "+views+to,
			"ALTER DEFAULT PRIVILEGES IN SCHEMA "+views+" GRANT SELECT ON TABLES"+to)
	}
	for _, t := range r.Tables {
		if verbs := t.verbs(); len(verbs) > 0 {
			grants = append(grants, "GRANT "+strings.Join(verbs, ", ")+" ON TABLE "+quote(schema)+"."+quote(t.Name)+to)
		}
		if sequence := sequenceOf(t.Name); sequence != "" && t.Insert {
			grants = append(grants, "GRANT USAGE ON SEQUENCE "+quote(schema)+"."+quote(sequence)+to)
		}
	}
	return grants
}

func (t Table) verbs() []string {
	var verbs []string
	if t.Select {
		verbs = append(verbs, "SELECT")
	}
	if t.Insert {
		verbs = append(verbs, "INSERT")
	}
	switch {
	case slices.Equal(t.Update, []string{"*"}):
		verbs = append(verbs, "UPDATE")
	case len(t.Update) > 0:
		columns := make([]string, len(t.Update))
		for i, c := range t.Update {
			columns[i] = quote(c)
		}
		verbs = append(verbs, "UPDATE ("+strings.Join(columns, ", ")+")")
	}
	if t.Delete {
		verbs = append(verbs, "DELETE")
	}
	return verbs
}

// sequenceOf returns the sequence that the rows of a table are numbered by, if any.
func sequenceOf(table string) string {
	switch table {
	case "audit", "chunk_log":
		return table + "_seq_seq"
	}
	return ""
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
