package vectorstore

import (
	"context"
	"iter"
	"slices"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	"github.com/colophon-dev/colophon/pkg/digest"
)

const (
	// batchPoints and batchBytes bound one call. A point of a largest chunk
	// (contracts#event-size: 128 KiB of text) keeps a full batch below 64 MB.
	batchPoints = 256
	batchBytes  = 32 << 20
)

// Point is a chunk in the store.
type Point struct {
	ID      string    // a UUID (contracts#point-id); one that is a number has the form of digest.NumberUUID
	Dense   []float32 // comes back at length 1; nil where it was not asked for
	Sparse  Sparse
	Payload Payload
	// Wrong says what of a read point's payload is not of Payload's form: then
	// Payload holds the rest of it. It is "" for every point that was upserted.
	Wrong string
}

// Sparse is a sparse vector: Values[i] stands at place Indices[i]. Indices are
// unique.
type Sparse struct {
	Indices []uint32
	Values  []float32
}

// Change is what may change on a point that stays otherwise as it is. An empty
// field changes nothing.
type Change struct {
	Layer    string
	Status   string
	Type     string
	PushedAt string

	DuplicateOf *string // "" takes it away, nil changes nothing
}

// Upsert writes points whole: each replaces the one of its id, and the last of
// one id wins. A point without sparse indices has no sparse vector. After an
// error any of the points may be there: send them again.
func (c *Collection) Upsert(ctx context.Context, points []Point) error {
	wait := true
	var batch []*qdrant.PointStruct
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		request := &qdrant.UpsertPoints{CollectionName: c.name, Wait: &wait, Points: batch}
		batch, size = nil, 0
		return c.call(ctx, "upsert into", func(ctx context.Context, driver *qdrant.Client) error {
			return completed(driver.Upsert(ctx, request))
		})
	}
	for _, point := range points {
		next := point.driver()
		bytes := proto.Size(next)
		if len(batch) == batchPoints || size+bytes > batchBytes {
			if err := flush(); err != nil {
				return err
			}
		}
		batch = append(batch, next)
		size += bytes
	}
	return flush()
}

// Delete removes points. Ids that are not there are passed over.
func (c *Collection) Delete(ctx context.Context, ids []string) error {
	wait := true
	for batch := range slices.Chunk(ids, batchPoints) {
		err := c.call(ctx, "delete from", func(ctx context.Context, driver *qdrant.Client) error {
			return completed(driver.Delete(ctx, &qdrant.DeletePoints{
				CollectionName: c.name,
				Wait:           &wait,
				Points:         qdrant.NewPointsSelectorIDs(driverIDs(batch)),
			}))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// SetPayload changes the payload of points that are there. When one is missing
// the error is ErrNotFound and the others may be changed all the same
// (contracts#sync): upsert the whole points then.
func (c *Collection) SetPayload(ctx context.Context, ids []string, change Change) error {
	values := change.values()
	if len(values) == 0 {
		return nil
	}
	wait := true
	for batch := range slices.Chunk(ids, batchPoints) {
		err := c.call(ctx, "set payload in", func(ctx context.Context, driver *qdrant.Client) error {
			return completed(driver.SetPayload(ctx, &qdrant.SetPayloadPoints{
				CollectionName: c.name,
				Wait:           &wait,
				Payload:        values,
				PointsSelector: qdrant.NewPointsSelectorIDs(driverIDs(batch)),
			}))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Get returns the points of ids in the order of ids, leaving out those that
// are not there. The vectors are read only when asked for.
func (c *Collection) Get(ctx context.Context, ids []string, withVectors bool) ([]Point, error) {
	found := make(map[string]Point, len(ids))
	for batch := range slices.Chunk(ids, batchPoints) {
		err := c.call(ctx, "get from", func(ctx context.Context, driver *qdrant.Client) error {
			records, err := driver.Get(ctx, &qdrant.GetPoints{
				CollectionName: c.name,
				Ids:            driverIDs(batch),
				WithPayload:    qdrant.NewWithPayload(true),
				WithVectors:    qdrant.NewWithVectors(withVectors),
			})
			if err != nil {
				return err
			}
			for _, record := range records {
				point := pointOf(record)
				found[point.ID] = point
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	points := make([]Point, 0, len(found))
	for _, id := range ids {
		if point, ok := found[id]; ok {
			points = append(points, point)
		}
	}
	return points, nil
}

// Scroll yields the points that pass the filter, without vectors, in the order
// of their ids; without payload a point is its id. It ends at the first error.
// Points that are written meanwhile may be among them or not.
func (c *Collection) Scroll(ctx context.Context, filter Filter, withPayload bool) iter.Seq2[Point, error] {
	return func(yield func(Point, error) bool) {
		var offset *qdrant.PointId
		for {
			var page []Point
			err := c.call(ctx, "scroll", func(ctx context.Context, driver *qdrant.Client) error {
				limit := uint32(batchPoints)
				records, next, err := driver.ScrollAndOffset(ctx, &qdrant.ScrollPoints{
					CollectionName: c.name,
					Filter:         filter.driver(),
					Offset:         offset,
					Limit:          &limit,
					WithPayload:    qdrant.NewWithPayload(withPayload),
				})
				if err != nil {
					return err
				}
				offset = next
				for _, record := range records {
					page = append(page, pointOf(record))
				}
				return nil
			})
			if err != nil {
				yield(Point{}, err)
				return
			}
			for _, point := range page {
				if !yield(point, nil) {
					return
				}
			}
			if offset == nil {
				return
			}
		}
	}
}

// Count returns how many points pass the filter, exactly.
func (c *Collection) Count(ctx context.Context, filter Filter) (count int, err error) {
	exact := true
	err = c.call(ctx, "count", func(ctx context.Context, driver *qdrant.Client) error {
		n, err := driver.Count(ctx, &qdrant.CountPoints{
			CollectionName: c.name,
			Filter:         filter.driver(),
			Exact:          &exact,
		})
		count = int(n)
		return err
	})
	return count, err
}

func (p Point) driver() *qdrant.PointStruct {
	vectors := map[string]*qdrant.Vector{denseVector: qdrant.NewVectorDense(p.Dense)}
	if len(p.Sparse.Indices) > 0 {
		vectors[sparseVector] = qdrant.NewVectorSparse(p.Sparse.Indices, p.Sparse.Values)
	}
	return &qdrant.PointStruct{
		Id:      driverID(p.ID),
		Payload: p.Payload.values(),
		Vectors: qdrant.NewVectorsMap(vectors),
	}
}

func pointOf(record *qdrant.RetrievedPoint) Point {
	payload, wrong := readPayload(record.GetPayload())
	vectors := record.GetVectors().GetVectors().GetVectors()
	dense, sparse := vectors[denseVector], vectors[sparseVector].GetSparse()
	return Point{
		ID:      idOf(record.GetId()),
		Dense:   dense.GetDense().GetData(),
		Sparse:  Sparse{Indices: sparse.GetIndices(), Values: sparse.GetValues()},
		Payload: payload,
		Wrong:   wrong,
	}
}

func (c Change) values() map[string]*qdrant.Value {
	changed := Payload{Layer: c.Layer, Status: c.Status, Type: c.Type, PushedAt: c.PushedAt}
	values := make(map[string]*qdrant.Value)
	for _, f := range changed.texts() {
		if *f.value != "" {
			values[f.key] = qdrant.NewValueString(*f.value)
		}
	}
	switch {
	case c.DuplicateOf == nil:
	case *c.DuplicateOf == "": // the server takes the key of a null away
		values[duplicateField] = qdrant.NewValueNull()
	default:
		values[duplicateField] = qdrant.NewValueString(*c.DuplicateOf)
	}
	return values
}

func driverIDs(ids []string) []*qdrant.PointId {
	list := make([]*qdrant.PointId, len(ids))
	for i, id := range ids {
		list[i] = driverID(id)
	}
	return list
}

// driverID returns an id as the server wants it: a number, where it stands for one.
func driverID(id string) *qdrant.PointId {
	if n, ok := digest.UUIDNumber(id); ok {
		return qdrant.NewIDNum(n)
	}
	return qdrant.NewIDUUID(id)
}

// idOf is the inverse of driverID.
func idOf(id *qdrant.PointId) string {
	if uuid := id.GetUuid(); uuid != "" {
		return uuid
	}
	return digest.NumberUUID(id.GetNum())
}
