package filter_test

import (
	"slices"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
)

func TestIDOrder(t *testing.T) {
	low, high := "00000000-0000-0000-0000-000000000001", "FFFFFFFF-0000-0000-0000-000000000000"
	ids, err := filter.ParseIDs([]*pb.PointId{
		pb.NewIDUUID(high), pb.NewIDNum(1 << 63), pb.NewIDUUID("urn:uuid:" + low), pb.NewIDNum(2)})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(ids, filter.ID.Compare)
	got := ""
	for _, id := range ids {
		got += id.String() + " "
	}
	if want := "2 9223372036854775808 " + low + " ffffffff-0000-0000-0000-000000000000 "; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	if ids[3].Proto().GetUuid() != "ffffffff-0000-0000-0000-000000000000" {
		t.Errorf("written as %v", ids[3].Proto())
	}
}

func TestBadIDs(t *testing.T) {
	for _, bad := range []*pb.PointId{nil, {}, pb.NewIDUUID(""), pb.NewIDUUID("12")} {
		if id, err := filter.ParseID(bad); err == nil {
			t.Errorf("%v was read as %v", bad, id)
		}
	}
}
