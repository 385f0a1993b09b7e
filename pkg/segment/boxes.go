package segment

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/colophon-dev/colophon/pkg/model"
)

// UnitBoxes says where the evidence of a unit stands on its page.
type UnitBoxes struct {
	IRID  string
	Boxes []*model.BBox // of each evidence, nil when it has none
}

// Boxes returns where the units of the i-th page stand, verified, in their order. It
// takes a small part of the time and memory of Frame, since it makes nothing of
// their text.
func (r *Reader) Boxes(i int) ([]UnitBoxes, error) {
	frame, err := r.Raw(i)
	if err != nil {
		return nil, err
	}
	boxes, err := decodeBoxes(frame)
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", r.idx.Pages[i].PageNo, err)
	}
	return boxes, nil
}

// decodeBoxes reads the places of units out of one compressed page frame.
func decodeBoxes(frame []byte) ([]UnitBoxes, error) {
	raw, err := Decompress(frame)
	if err != nil {
		return nil, err
	}
	_, lines, ok := bytes.Cut(raw, []byte{'\n'}) // a record's own line ends are escaped
	if !ok {
		return nil, errors.New("a frame without a page record")
	}
	// What is passed over was checked when it was written, and its digest now: names
	// that stand twice are not looked for again, which would take half of the time.
	decoder := jsontext.NewDecoder(bytes.NewBuffer(lines), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	all := make([]UnitBoxes, 0, min(bytes.Count(lines, []byte{'\n'}), usualUnits))
	for {
		u, err := readUnitBoxes(decoder)
		if errors.Is(err, io.EOF) && decoder.StackDepth() == 0 {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("unit %d: %w", len(all), err)
		}
		all = append(all, u)
	}
}

// readUnitBoxes reads one unit. The error is io.EOF behind the last one.
func readUnitBoxes(d *jsontext.Decoder) (u UnitBoxes, err error) {
	err = readFields(d, func(name string) error {
		switch name {
		case "ir_id":
			return json.UnmarshalDecode(d, &u.IRID)
		case "evidence":
			u.Boxes, err = readEvidenceBoxes(d)
			return err
		default:
			return d.SkipValue()
		}
	})
	return u, err
}

func readEvidenceBoxes(d *jsontext.Decoder) (boxes []*model.BBox, err error) {
	if d.PeekKind() == 'n' { // what has no evidence
		return nil, d.SkipValue()
	}
	if err := expect(d, '['); err != nil {
		return nil, err
	}
	for d.PeekKind() != ']' {
		var box *model.BBox
		if err := readFields(d, func(name string) error {
			if name == "bbox" {
				return json.UnmarshalDecode(d, &box)
			}
			return d.SkipValue()
		}); err != nil {
			return nil, err
		}
		boxes = append(boxes, box)
	}
	return boxes, expect(d, ']')
}

// readFields reads an object; read takes the value behind each name.
func readFields(d *jsontext.Decoder, read func(name string) error) error {
	if err := expect(d, '{'); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if err := read(name.String()); err != nil {
			return err
		}
	}
	return expect(d, '}')
}

func expect(d *jsontext.Decoder, kind jsontext.Kind) error {
	token, err := d.ReadToken()
	if err == nil && token.Kind() != kind {
		err = fmt.Errorf("%s instead of %s", token.Kind(), kind)
	}
	return err
}
