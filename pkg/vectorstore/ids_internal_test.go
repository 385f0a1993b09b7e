package vectorstore

import (
	"math"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestIDsOnTheWire: an id that stands for a number goes as that number, and comes back as
// it went.
func TestIDsOnTheWire(t *testing.T) {
	for _, n := range []uint64{0, 7, 1 << 53, math.MaxUint64} {
		id := digest.NumberUUID(n)
		if wire := driverID(id); wire.GetUuid() != "" || wire.GetNum() != n || idOf(wire) != id {
			t.Errorf("%d is %v on the wire, and %s", n, wire, idOf(wire))
		}
	}
	id := digest.PointID("a:0")
	if wire := driverID(id); wire.GetUuid() != id || idOf(wire) != id {
		t.Errorf("%s is %v on the wire", id, wire)
	}
}

// TestSourceTypeOfTheFoundingDataModel: the payload has its source_type, and a search by
// ours finds both.
func TestSourceTypeOfTheFoundingDataModel(t *testing.T) {
	chunk := model.Chunk{SourceType: "official", DocType: "pdf"}
	if p := PayloadOf(chunk, model.ChunkState{}, "c"); p.SourceType != "official" || p.KnowledgeType != "" || p.DocType != "pdf" {
		t.Errorf("%+v", p)
	}
	chunk.RuleVersions = map[string]string{model.RuleIDs: model.IDs004}
	if p := PayloadOf(chunk, model.ChunkState{}, "c"); p.SourceType != "pdf" || p.KnowledgeType != "official" || p.DocType != "pdf" {
		t.Errorf("%+v", p)
	}
	conditions := Filter{SourceTypes: []string{"official"}}.conditions()
	if len(conditions) != 1 || len(conditions[0].GetFilter().GetShould()) != 2 {
		t.Errorf("%v", conditions)
	}
}
