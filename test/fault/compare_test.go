package fault

import (
	"fmt"
	"testing"
)

func TestCompare(t *testing.T) {
	missing, extra := compare("a\nb\nd\n", "a\nc\nd\nd\n")
	if fmt.Sprint(missing, extra) != "[b] [c d]" {
		t.Errorf("missing %v, too much %v", missing, extra)
	}
}

func TestGuiltyAreLeftOut(t *testing.T) {
	dump := `{"row":{"doc_hash":"h1","document_id":"doc_1","snapshot_id":"snap_1","text_hash":"t1"}}
{"row":{"collection":"c","text_hash":"t1"}}
{"row":{"doc_hash":"h2","snapshot_id":"snap_2"}}`
	names := namesOf(dump, "snap_1")
	if fmt.Sprint(names) != "[snap_1 doc_1 h1 t1]" {
		t.Errorf("it is called %v", names)
	}
	if got := without(dump, names); got != `{"row":{"doc_hash":"h2","snapshot_id":"snap_2"}}` {
		t.Errorf("what is left: %s", got)
	}
}
