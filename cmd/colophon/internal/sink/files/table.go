package files

import (
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// Form is what a column of a table holds.
type Form int

// The forms. In each of them an empty cell is null.
const (
	Words  Form = iota
	Number      // a decimal number
	Whole       // an integer
)

// Column is one of a table, by a name that no other has.
type Column struct {
	Name string
	Form Form
}

// tableRows is how many rows are in a row group, which is held in memory while it is written.
const tableRows = 5000

// WriteTable writes a table as Parquet, compressed by zstd. rows hands over each row: a cell for each column, in their
// order. Parquet has its columns in the order of their names.
func WriteTable(w io.Writer, columns []Column, rows func(write func(cells []string) error) error) error {
	group, at := make(parquet.Group, len(columns)), make(map[string]int, len(columns))
	for i, c := range columns {
		node := parquet.String()
		switch c.Form {
		case Number:
			node = parquet.Leaf(parquet.DoubleType)
		case Whole:
			node = parquet.Int(64)
		}
		group[c.Name], at[c.Name] = parquet.Optional(node), i
	}
	schema := parquet.NewSchema("table", group)
	out := parquet.NewWriter(w, schema, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(tableRows))
	err := rows(func(cells []string) error {
		row := make(parquet.Row, 0, len(cells))
		for n, f := range schema.Fields() {
			i := at[f.Name()]
			v, err := columns[i].value(cells[i], n)
			if err != nil {
				return err
			}
			row = append(row, v)
		}
		_, err := out.WriteRows([]parquet.Row{row})
		return err
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// value returns a cell as the column with this number holds it.
func (c Column) value(text string, at int) (v parquet.Value, err error) {
	if text == "" {
		return parquet.NullValue().Level(0, 0, at), nil
	}
	switch c.Form {
	case Number:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return v, fmt.Errorf("column %s: %w", c.Name, err)
		}
		v = parquet.DoubleValue(n)
	case Whole:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return v, fmt.Errorf("column %s: %w", c.Name, err)
		}
		v = parquet.Int64Value(n)
	default:
		v = parquet.ByteArrayValue([]byte(text))
	}
	return v.Level(0, 1, at), nil
}
