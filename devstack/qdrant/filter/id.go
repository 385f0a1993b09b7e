package filter

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/google/uuid"
	pb "github.com/qdrant/go-client/qdrant"
)

// ID is a point's id, a number or a UUID, as a comparable value.
type ID struct {
	isUUID bool
	num    uint64
	uuid   uuid.UUID
}

// ParseID reads an id as it comes in a request. A UUID may be written in any of its usual forms.
func ParseID(id *pb.PointId) (ID, error) {
	switch kind := id.GetPointIdOptions().(type) {
	case *pb.PointId_Num:
		return ID{num: kind.Num}, nil
	case *pb.PointId_Uuid:
		parsed, err := uuid.Parse(kind.Uuid)
		if err != nil {
			return ID{}, fmt.Errorf("unable to parse UUID: %s", kind.Uuid)
		}
		return ID{isUUID: true, uuid: parsed}, nil
	default:
		return ID{}, errors.New("empty id is not allowed")
	}
}

// ParseIDs reads several ids; all must be good.
func ParseIDs(ids []*pb.PointId) ([]ID, error) {
	parsed := make([]ID, len(ids))
	for i, id := range ids {
		var err error
		if parsed[i], err = ParseID(id); err != nil {
			return nil, err
		}
	}
	return parsed, nil
}

// Proto writes the id as an answer holds it.
func (id ID) Proto() *pb.PointId {
	if id.isUUID {
		return pb.NewIDUUID(id.uuid.String())
	}
	return pb.NewIDNum(id.num)
}

// String writes the id as error messages show it.
func (id ID) String() string {
	if id.isUUID {
		return id.uuid.String()
	}
	return fmt.Sprint(id.num)
}

// Compare orders ids as a scroll does: numbers before UUIDs, each in ascending order.
func (id ID) Compare(other ID) int {
	if id.isUUID != other.isUUID {
		if id.isUUID {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(id.num, other.num), bytes.Compare(id.uuid[:], other.uuid[:]))
}
