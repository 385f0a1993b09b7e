package vectorstore

import (
	"context"
	"slices"

	"github.com/qdrant/go-client/qdrant"
)

// IDs returns the ids of at most limit points behind the id after, ascending; ""
// is before all. Fewer than limit means that there are no more. Points whose id is
// a number are none of ours and passed over.
func (c *Collection) IDs(ctx context.Context, after string, limit int) ([]string, error) {
	ids := make([]string, 0, limit)
	var offset *qdrant.PointId
	if after != "" {
		offset = qdrant.NewIDUUID(after)
	}
	for len(ids) < limit {
		err := c.call(ctx, "scroll", func(ctx context.Context, driver *qdrant.Client) error {
			size := uint32(batchPoints)
			records, next, err := driver.ScrollAndOffset(ctx, &qdrant.ScrollPoints{
				CollectionName: c.name, Offset: offset, Limit: &size, WithPayload: qdrant.NewWithPayload(false),
			})
			if err != nil {
				return err
			}
			offset = next
			for _, record := range records {
				if id := record.GetId().GetUuid(); id != "" && id != after && len(ids) < limit {
					ids = append(ids, id)
				}
			}
			return nil
		})
		if err != nil || offset == nil {
			return ids, err
		}
	}
	return ids, nil
}

// Layers returns the layers of those of the points that are there, by id; "" of a
// point that says none.
func (c *Collection) Layers(ctx context.Context, ids []string) (map[string]string, error) {
	layers := make(map[string]string, len(ids))
	for batch := range slices.Chunk(ids, batchPoints) {
		err := c.call(ctx, "get from", func(ctx context.Context, driver *qdrant.Client) error {
			records, err := driver.Get(ctx, &qdrant.GetPoints{
				CollectionName: c.name, Ids: driverIDs(batch),
				WithPayload: qdrant.NewWithPayloadInclude("layer"), WithVectors: qdrant.NewWithVectors(false),
			})
			for _, record := range records {
				layers[record.GetId().GetUuid()] = record.GetPayload()["layer"].GetStringValue()
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return layers, nil
}
