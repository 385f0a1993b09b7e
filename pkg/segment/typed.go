package segment

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/colophon-dev/colophon/pkg/model"
)

// OfType returns the units of one type of the i-th page, verified, in their order. It
// takes a small part of the time and memory of Frame where there are few of them.
func (r *Reader) OfType(i int, t model.UnitType) ([]model.Unit, error) {
	frame, err := r.Raw(i)
	if err != nil {
		return nil, err
	}
	units, err := decodeOfType(frame, t)
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", r.idx.Pages[i].PageNo, err)
	}
	return units, nil
}

// decodeOfType reads the units of one type out of one compressed page frame.
func decodeOfType(frame []byte, t model.UnitType) ([]model.Unit, error) {
	raw, err := Decompress(frame)
	if err != nil {
		return nil, err
	}
	var units []model.Unit
	sign := []byte(`"type":"` + string(t) + `"`) // a text never has it: its quotation marks are escaped
	n := 0
	for line := range bytes.Lines(raw) {
		if n++; n == 1 || !bytes.Contains(line, sign) { // the page's record
			continue
		}
		var u model.Unit
		if err := json.Unmarshal(line, &u); err != nil {
			return nil, fmt.Errorf("unit %d: %w", n-2, err)
		}
		if u.Type == t {
			units = append(units, u)
		}
	}
	return units, nil
}
