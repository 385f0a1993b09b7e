package vectorstore

import (
	"context"
	"slices"

	"github.com/qdrant/go-client/qdrant"
)

// IDs returns the ids of at most limit points behind the id after, ascending, numbers
// before UUIDs; "" is before all. Fewer than limit means that there are no more.
func (c *Collection) IDs(ctx context.Context, after string, limit int) ([]string, error) {
	ids := make([]string, 0, limit)
	var offset *qdrant.PointId
	if after != "" {
		offset = driverID(after)
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
				if id := idOf(record.GetId()); id != after && len(ids) < limit {
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

// Standing is what a point says of what changes about its chunk. What it does not say is
// "".
type Standing struct{ Layer, DuplicateOf string }

// Standings returns those of the points that are there, by id.
func (c *Collection) Standings(ctx context.Context, ids []string) (map[string]Standing, error) {
	standings := make(map[string]Standing, len(ids))
	for batch := range slices.Chunk(ids, batchPoints) {
		err := c.call(ctx, "get from", func(ctx context.Context, driver *qdrant.Client) error {
			records, err := driver.Get(ctx, &qdrant.GetPoints{
				CollectionName: c.name, Ids: driverIDs(batch),
				WithPayload: qdrant.NewWithPayloadInclude(layerField, duplicateField), WithVectors: qdrant.NewWithVectors(false),
			})
			for _, record := range records {
				says := record.GetPayload()
				standings[idOf(record.GetId())] = Standing{says[layerField].GetStringValue(), says[duplicateField].GetStringValue()}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return standings, nil
}
