package vectorstore

import (
	"context"
	"fmt"

	"github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// The names of a point's two vectors.
const (
	denseVector  = "dense"
	sparseVector = "sparse"
)

// Collection is a set of points: chunks with their vectors and payloads. It is
// good for use by many goroutines.
type Collection struct {
	client *Client
	name   string
}

// Name returns the name, or the alias, that the collection was asked for by.
func (c *Collection) Name() string { return c.name }

// Ensure makes the collection when it is not there: dense vectors of so many
// dimensions compared by cosine, sparse vectors weighed by inverse document
// frequency, and the payload indexes, which must be there before data
// (contracts#payload-indexes). A collection that is there gets the indexes that it lacks;
// when its vectors are others the error is ErrMismatch. Several may ensure at
// the same time.
func (c *Collection) Ensure(ctx context.Context, dimensions int) error {
	if dimensions <= 0 {
		return fmt.Errorf("vector store: ensure collection %s: %d dimensions", c.name, dimensions)
	}
	var info *qdrant.CollectionInfo
	err := c.call(ctx, "ensure", func(ctx context.Context, driver *qdrant.Client) error {
		exists, err := driver.CollectionExists(ctx, c.name)
		if err != nil {
			return err
		}
		var refused error
		if !exists {
			refused = driver.CreateCollection(ctx, creation(c.name, dimensions))
		}
		info, err = driver.GetCollectionInfo(ctx, c.name)
		if err != nil && refused != nil {
			return refused
		}
		if err != nil {
			return err
		}
		// A refusal means that another was first, if the collection is there.
		return matches(info, dimensions)
	})
	if err != nil {
		return err
	}
	for _, index := range payloadIndexes(c.name) {
		if _, ok := info.GetPayloadSchema()[index.FieldName]; ok {
			continue
		}
		err := c.call(ctx, "index "+index.FieldName, func(ctx context.Context, driver *qdrant.Client) error {
			return completed(driver.CreateFieldIndex(ctx, index))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Check asks whether the collection is there with the vectors that Ensure would
// make: the error is ErrNotFound or ErrMismatch otherwise.
func (c *Collection) Check(ctx context.Context, dimensions int) error {
	return c.call(ctx, "check", func(ctx context.Context, driver *qdrant.Client) error {
		exists, err := driver.CollectionExists(ctx, c.name)
		if err != nil {
			return err
		}
		if !exists {
			return ErrNotFound
		}
		info, err := driver.GetCollectionInfo(ctx, c.name)
		if err != nil {
			return err
		}
		return matches(info, dimensions)
	})
}

// Drop deletes the collection with all its points. One that is not there is no
// error.
func (c *Collection) Drop(ctx context.Context) error {
	return c.call(ctx, "drop", func(ctx context.Context, driver *qdrant.Client) error {
		exists, err := driver.CollectionExists(ctx, c.name)
		if err != nil || !exists {
			return err
		}
		return driver.DeleteCollection(ctx, c.name)
	})
}

func (c *Collection) call(ctx context.Context, what string, f func(context.Context, *qdrant.Client) error) error {
	return c.client.call(ctx, what+" collection "+c.name, f)
}

func creation(name string, dimensions int) *qdrant.CreateCollection {
	return &qdrant.CreateCollection{
		CollectionName: name,
		VectorsConfig: qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{
			denseVector: {Size: uint64(dimensions), Distance: qdrant.Distance_Cosine},
		}),
		SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{
			sparseVector: {Modifier: qdrant.Modifier_Idf.Enum()},
		}),
	}
}

func matches(info *qdrant.CollectionInfo, dimensions int) error {
	params := info.GetConfig().GetParams()
	dense := params.GetVectorsConfig().GetParamsMap().GetMap()[denseVector]
	sparse := params.GetSparseVectorsConfig().GetMap()[sparseVector]
	if dense.GetSize() == uint64(dimensions) && dense.GetDistance() == qdrant.Distance_Cosine &&
		sparse.GetModifier() == qdrant.Modifier_Idf {
		return nil
	}
	return fault.Permanent(fault.Internal, fmt.Errorf("%w: wanted dense %d by cosine and sparse by idf; dense is %d by %s, sparse by %s",
		ErrMismatch, dimensions, dense.GetSize(), dense.GetDistance(), sparse.GetModifier()))
}

// payloadIndexes lists the indexes (contracts#payload-indexes). source_id divides the
// tenants: points of one source lie together.
func payloadIndexes(collection string) []*qdrant.CreateFieldIndexCollection {
	wait := true
	indexes := []*qdrant.CreateFieldIndexCollection{{
		CollectionName:   collection,
		Wait:             &wait,
		FieldName:        "source_id",
		FieldType:        qdrant.FieldType_FieldTypeKeyword.Enum(),
		FieldIndexParams: qdrant.NewPayloadIndexParamsKeyword(&qdrant.KeywordIndexParams{IsTenant: &wait}),
	}}
	for _, list := range []struct {
		kind   qdrant.FieldType
		fields []string
	}{
		{qdrant.FieldType_FieldTypeDatetime, []string{"info_date", "pushed_at"}},
		{qdrant.FieldType_FieldTypeInteger, []string{"chunk_index", "text_len", "tokens", "page_hint"}},
		{qdrant.FieldType_FieldTypeKeyword, []string{
			"doc_hash", "chunk_id", "snapshot_id", "type", "status", layerField, "language", "territory", "domain", "host",
			sourceTypeField, knowledgeTypeField, "doc_type", "url", "title", "anchor_type", "anchor_text", duplicateField,
		}},
	} {
		for _, field := range list.fields {
			indexes = append(indexes, &qdrant.CreateFieldIndexCollection{
				CollectionName: collection, Wait: &wait, FieldName: field, FieldType: list.kind.Enum(),
			})
		}
	}
	return indexes
}
