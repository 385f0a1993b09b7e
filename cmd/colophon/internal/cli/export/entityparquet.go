package export

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// groupRows is how many entities are in a row group, which is held in memory while it is written.
const groupRows = 5000

// parquet writes a row for each entity, compressed by zstd. What an entity has no value for is null.
func (e *entityExport) parquet(ctx context.Context, w io.Writer) error {
	columns, err := e.columns(ctx)
	if err != nil {
		return err
	}
	group := make(parquet.Group, len(columns))
	byName := make(map[string]column, len(columns))
	for _, c := range columns {
		node := parquet.String()
		switch c.form {
		case number:
			node = parquet.Leaf(parquet.DoubleType)
		case whole:
			node = parquet.Int(64)
		}
		group[c.name], byName[c.name] = parquet.Optional(node), c
	}
	schema := parquet.NewSchema("entity", group)
	order := make([]column, 0, len(columns)) // parquet has its columns in the order of their names
	for _, f := range schema.Fields() {
		order = append(order, byName[f.Name()])
	}
	out := parquet.NewWriter(w, schema, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(groupRows))
	err = e.rows(ctx, func(d catalog.DocumentEntities, row model.EntityRow) error {
		values, err := flatten(d, row)
		if err != nil {
			return err
		}
		cells := make(parquet.Row, len(order))
		for i, c := range order {
			if cells[i], err = c.parquet(values, i); err != nil {
				return fmt.Errorf("entity %s of page %d of %s: %w", row.ID, row.PageNo, row.SnapshotID, err)
			}
		}
		_, err = out.WriteRows([]parquet.Row{cells})
		return err
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// parquet returns a cell of the column with this number.
func (c column) parquet(values map[string]string, at int) (v parquet.Value, err error) {
	text := c.of(values)
	if text == "" {
		return parquet.NullValue().Level(0, 0, at), nil
	}
	switch c.form {
	case number:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return v, fmt.Errorf("column %s: %w", c.name, err)
		}
		v = parquet.DoubleValue(n)
	case whole:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return v, fmt.Errorf("column %s: %w", c.name, err)
		}
		v = parquet.Int64Value(n)
	default:
		v = parquet.ByteArrayValue([]byte(text))
	}
	return v.Level(0, 1, at), nil
}
