package model

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestCellJSON(t *testing.T) {
	row := []Cell{
		{Formatted: "Deadline <1>"}, {}, {Type: "date", Value: "2024-12-31", Formatted: "31 décembre 2024"},
		{Type: "link", URL: "doc.pdf", Formatted: "Decision p.3"}, {Type: "number", Formatted: "500,000"},
		{Type: "number", Value: "7", Formatted: "7", URL: "https://a.org/"},
	}
	want := `["Deadline \u003c1\u003e","",{"type":"date","value":"2024-12-31","formatted":"31 décembre 2024"},` +
		`{"type":"link","url":"doc.pdf","text":"Decision p.3"},{"type":"number","formatted":"500,000"},` +
		`{"type":"number","value":"7","formatted":"7","url":"https://a.org/"}]`
	got, err := json.Marshal(row)
	if err != nil || string(got) != want {
		t.Fatalf("%s, %v", got, err)
	}
	var back []Cell
	if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, row) {
		t.Errorf("%+v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`[{"type":"money","value":"1","formatted":"€ 1"}, {"formatted":"old"}]`), &back); err != nil || back[0].Value != "1" || back[1].Formatted != "old" {
		t.Errorf("%+v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`[7]`), &back); err == nil {
		t.Error("a number is no cell")
	}
}
