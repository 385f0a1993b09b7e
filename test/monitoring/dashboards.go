package monitoring

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Dashboard is one dashboard of Grafana.
type Dashboard struct {
	UID, Title, About string
	Rows              []Row
}

// Row is a line of panels with a title. Its panels share the width.
type Row struct {
	Title  string
	Panels []Panel
}

// Panel shows queries over time, or what they say now.
type Panel struct {
	Title   string
	About   string // what it means, and what to do when it looks bad
	Unit    string // of Grafana: s, bytes, short, reqps, percentunit
	Now     bool   // a number in place of lines
	Red     float64
	Below   bool // red is below Red, else from it on; a Red of 0 with Below false is no colour
	Queries []Query
}

// Query is one query of a panel, and what its lines are called.
type Query struct{ Expr, Legend string }

// The size of Grafana's grid, and of panels on it.
const (
	gridWidth  = 24
	rowHeight  = 1
	nowHeight  = 4
	lineHeight = 8
)

// schemaVersion is that of the JSON below: Grafana 10 and later read it, and bring it to
// their own.
const schemaVersion = 39

// source is the data source, which whoever looks chooses.
func source() map[string]any {
	return map[string]any{"type": "prometheus", "uid": "${datasource}"}
}

// JSON returns the dashboard as Grafana reads it. Its bytes depend on the table alone.
func (d Dashboard) JSON() ([]byte, error) {
	var panels []map[string]any
	id, y := 0, 0
	for _, row := range d.Rows {
		id++
		panels = append(panels, map[string]any{
			"id": id, "type": "row", "title": row.Title, "collapsed": false, "panels": []any{},
			"gridPos": grid(0, y, gridWidth, rowHeight),
		})
		y += rowHeight
		width, height := gridWidth/len(row.Panels), nowHeight
		if slices.ContainsFunc(row.Panels, func(p Panel) bool { return !p.Now }) {
			height = lineHeight
		}
		for i, p := range row.Panels {
			id++
			panels = append(panels, p.json(id, grid(i*width, y, width, height)))
		}
		y += height
	}
	data, err := json.MarshalIndent(map[string]any{
		"uid": d.UID, "title": d.Title, "description": d.About, "tags": []string{"colophon"}, "editable": true,
		"schemaVersion": schemaVersion, "version": 1, "refresh": "30s", "timezone": "browser", "graphTooltip": 1,
		"time":   map[string]any{"from": "now-3h", "to": "now"},
		"panels": panels,
		"links": []any{map[string]any{"type": "dashboards", "title": "Colophon", "tags": []string{"colophon"}, "asDropdown": true,
			"includeVars": true, "keepTime": true, "targetBlank": false, "icon": "external link", "url": "", "tooltip": ""}},
		"annotations": map[string]any{"list": []any{}},
		"templating": map[string]any{"list": []any{map[string]any{
			"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "hide": 0,
			"multi": false, "includeAll": false, "refresh": 1, "regex": "", "options": []any{}, "current": map[string]any{},
		}, map[string]any{
			"name": "namespace", "label": "Namespace", "type": "query", "query": "label_values(colophon_ready, namespace)", "datasource": source(), "hide": 0,
			"multi": true, "includeAll": true, "allValue": ".*", "refresh": 2, "regex": "", "sort": 1, "options": []any{},
			"current": map[string]any{"text": "All", "value": "$__all"},
		}}},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("dashboard %s: %w", d.UID, err)
	}
	return append(data, '\n'), nil
}

// selected is a series in a query, with the bracket of its matchers; in quotes nothing is one.
var selected = regexp.MustCompile(`"[^"]*"|\b(?:colophon|http|go|process)_[a-z_0-9]+\b\{?`)

// ofNamespace returns a query that asks only for the installations that are chosen in the
// dashboard. Where nothing adds a label `namespace` to series, all are.
func ofNamespace(query string) string {
	const chosen = `namespace=~"$namespace"`
	return selected.ReplaceAllStringFunc(query, func(found string) string {
		switch {
		case found[0] == '"', found == "http_route", found == "http_response_status_code": // labels
			return found
		case strings.HasSuffix(found, "{"):
			return found + chosen + ","
		}
		return found + "{" + chosen + "}"
	})
}

func grid(x, y, w, h int) map[string]any { return map[string]any{"x": x, "y": y, "w": w, "h": h} }

func (p Panel) json(id int, at map[string]any) map[string]any {
	kind := "timeseries"
	options := map[string]any{
		"legend":  map[string]any{"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []any{}},
		"tooltip": map[string]any{"mode": "multi", "sort": "desc"},
	}
	if p.Now {
		kind = "stat"
		options = map[string]any{
			"reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
			"colorMode":     "background", "graphMode": "area", "textMode": "auto", "justifyMode": "auto", "orientation": "auto",
		}
	}
	steps := []any{map[string]any{"color": "green", "value": nil}}
	switch {
	case p.Below:
		steps = []any{map[string]any{"color": "red", "value": nil}, map[string]any{"color": "green", "value": p.Red}}
	case p.Red > 0:
		steps = append(steps, map[string]any{"color": "red", "value": p.Red})
	}
	var targets []any
	for i, q := range p.Queries {
		targets = append(targets, map[string]any{
			"refId": string(rune('A' + i)), "expr": ofNamespace(q.Expr), "legendFormat": q.Legend, "datasource": source(),
			"editorMode": "code", "range": !p.Now, "instant": p.Now, "exemplar": !p.Now,
		})
	}
	return map[string]any{
		"id": id, "type": kind, "title": p.Title, "description": p.About, "gridPos": at, "datasource": source(),
		"targets": targets, "options": options,
		"fieldConfig": map[string]any{
			"defaults": map[string]any{
				"unit": p.Unit, "min": 0, "thresholds": map[string]any{"mode": "absolute", "steps": steps},
				"color": map[string]any{"mode": map[bool]string{true: "thresholds", false: "palette-classic"}[p.Now]},
			},
			"overrides": []any{},
		},
	}
}
