package api

import (
	"encoding/json"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/gateway/internal/quote"
	"github.com/colophon-dev/colophon/services/gateway/internal/refer"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// TestAnswersHaveTheValuesOfTheirRecords: each field of an answer has the value of the field
// of that name of the record that it is copied from, or what it is given beside it.
func TestAnswersHaveTheValuesOfTheirRecords(t *testing.T) {
	var (
		chunk    catalog.ChunkWithState
		run      catalog.RunProgress
		count    catalog.Count
		progress catalog.Progress
		queue    stream.Queue
	)
	holders := catalog.BlockHolders{Sources: []catalog.BlockHolder{{SourceID: "b", Source: "B", Blocks: 2, ChunkRef: "b:1", DocumentID: "doc_b", URL: "u", Title: "t", Page: 3}}, More: true}
	blocks := []search.BlockSource{{SourceID: "b", Source: "B", Blocks: 2, ChunkRef: "b:1", DocumentID: "doc_b", URL: "u", Title: "t", Page: 3}}
	ref, links, after := model.SourceRef{Kind: model.SourceWebpage}, refer.Links{Prev: "a:0"}, &quote.After{Reason: "replaced"}
	for _, c := range []struct {
		record any
		answer func() any
		beside map[string]any
	}{
		{&chunk, func() any { return answerChunk(chunk, ref, links, holders, after) }, map[string]any{"SourceRef": ref, "Links": links, "Successor": after, "BlockSources": blocks, "MoreBlockSources": true}},
		{&run, func() any { return answerRun(run) }, nil},
		{&count, func() any { return answerCount(count) }, nil},
		{&progress, func() any { return answerProgress(progress) }, nil},
		{&queue, func() any { return answerQueue(queue) }, nil},
	} {
		n := 0
		fill(reflect.ValueOf(c.record).Elem(), &n)
		answer := c.answer()
		for value, i := reflect.ValueOf(answer), 0; i < value.NumField(); i++ {
			name, got := value.Type().Field(i).Name, value.Field(i).Interface()
			want, given := c.beside[name]
			if from := reflect.ValueOf(c.record).Elem().FieldByName(name); !given && from.IsValid() {
				want = from.Interface()
			}
			if name == "Current" {
				want = chunk.State.Current
			}
			if value.Field(i).IsZero() || !reflect.DeepEqual(got, want) {
				t.Errorf("%s of %T is %v, want %v", name, answer, got, want)
			}
		}
	}
	for _, empty := range []any{answerEach(nil, answerCount), answerEach(nil, answerQueue), answerEach(nil, answerRun)} {
		if got, err := json.Marshal(empty); err != nil || string(got) != "[]" {
			t.Errorf("none is written as %s: %v", got, err)
		}
	}
}

// fill gives every number, string and flag below v a value that no other has.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(int64(*n), 0).UTC()))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.String:
		v.SetString("value " + strconv.Itoa(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n))
	default: // lists and maps: what they hold is the words' own
	}
}
