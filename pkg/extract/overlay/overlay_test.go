package overlay

import (
	"image"
	"image/color"
	"reflect"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
)

func unit(kind model.UnitType, f model.Fields, boxes ...model.BBox) model.Unit {
	u := model.Unit{Type: kind, FieldsRaw: f}
	for i := range boxes {
		u.Evidence = append(u.Evidence, model.Evidence{BBox: &boxes[i]})
	}
	return u
}

func TestMarks(t *testing.T) {
	a, b := model.BBox{X: 0.1, Y: 0.1, W: 0.2, H: 0.1}, model.BBox{X: 0.5, Y: 0.3, W: 0.2, H: 0.2}
	whole := model.BBox{X: 0.05, Y: 0.05, W: 0.9, H: 0.5}
	table := &model.Table{HeaderRows: 1, Rows: make([][]model.Cell, 2), Columns: []string{"x", "y"}, Source: "ruled", Confidence: 0.9,
		BBox: &whole, ColumnEdges: []float64{0.05, 0.5, 0.95}}
	marks := Marks([]model.Unit{
		unit(model.UnitHeading, model.Fields{Level: 2}, a),
		{Type: model.UnitParagraph, Evidence: []model.Evidence{{ByteSpan: &model.Span{}}}}, // of HTML: it has no place
		unit(model.UnitParagraph, model.Fields{Continues: true}, a, b),
		unit(model.UnitTable, model.Fields{Table: table}, b),
		unit(model.UnitListItem, model.Fields{Depth: 2, Continued: true}, a),
	})
	want := []string{"1 heading 2", "3 paragraph >", "4 table 3x2 ruled 0.90", "5 list_item 2 <"}
	if len(marks) != len(want) {
		t.Fatalf("%d marks, want %d", len(marks), len(want))
	}
	for i, m := range marks {
		if m.Label != want[i] {
			t.Errorf("label %q, want %q", m.Label, want[i])
		}
	}
	if len(marks[0].Parts) != 0 || len(marks[1].Parts) != 2 {
		t.Errorf("parts of the first two: %d, %d", len(marks[0].Parts), len(marks[1].Parts))
	}
	if got := marks[1].Box; got.X != 0.1 || got.Y != 0.1 || got.X+got.W != 0.7 || got.Y+got.H != 0.5 {
		t.Errorf("the box around both parts is %+v", got)
	}
	if marks[2].Box != whole || len(marks[2].Columns) != 3 {
		t.Errorf("a table is drawn as %+v", marks[2])
	}
}

func TestCells(t *testing.T) {
	whole := model.BBox{W: 1, H: 1}
	table := &model.Table{HeaderRows: 1, Rows: make([][]model.Cell, 2), Columns: []string{"x", "y"}, BBox: &whole,
		ColumnEdges: []float64{0, 0.5, 1}, RowEdges: []float64{0, 0.25, 0.5, 1}, Spans: []model.TableSpan{{Row: 0, Col: 0, ColSpan: 2}, {Row: 1, Col: 1, RowSpan: 2}}}
	marks := Marks([]model.Unit{unit(model.UnitTable, model.Fields{Table: table}, whole)})
	want := []model.BBox{{W: 1, H: 0.25}, {Y: 0.25, W: 0.5, H: 0.25}, {X: 0.5, Y: 0.25, W: 0.5, H: 0.75}, {Y: 0.5, W: 0.5, H: 0.5}}
	if got := marks[0].Cells; !reflect.DeepEqual(got, want) || marks[0].Columns != nil {
		t.Errorf("cells %v, want %v", got, want)
	}
	picture := image.NewRGBA(image.Rect(0, 0, 100, 100))
	Draw(picture, marks, nil)
	purple := colorOf(model.UnitTable)
	if picture.RGBAAt(25, 50) != purple || picture.RGBAAt(75, 50) == purple || picture.RGBAAt(50, 40) != purple {
		t.Error("the cells are not drawn, or the merged one is cut")
	}
	table.Spans[1].Col, table.Spans[1].RowSpan = 9, 9 // from elsewhere: it must not panic
	Marks([]model.Unit{unit(model.UnitTable, model.Fields{Table: table}, whole)})
}

func TestDraw(t *testing.T) {
	picture := image.NewRGBA(image.Rect(0, 0, 200, 100))
	Draw(picture, []Mark{
		{Type: model.UnitTable, Label: "1 table", Box: model.BBox{X: 0.25, Y: 0.5, W: 0.5, H: 0.4}, Columns: []float64{0.5}},
		{Type: model.UnitParagraph, Label: "2 a label that would leave the page", Box: model.BBox{X: 0.9, W: 0.1, H: 0.1}},
	}, nil)
	purple := colorOf(model.UnitTable)
	for _, at := range []image.Point{{50, 70}, {100, 70}, {149, 70}, {75, 50}, {75, 89}} {
		if picture.RGBAAt(at.X, at.Y) != purple {
			t.Errorf("at %v there is no line of the table", at)
		}
	}
	if (picture.RGBAAt(75, 70) != color.RGBA{}) {
		t.Error("the inside of a box is painted over")
	}
	white := 0
	for y := 39; y < 50; y++ {
		for x := 50; x < 100; x++ {
			if (picture.RGBAAt(x, y) == color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}) {
				white++
			}
		}
	}
	if white < 30 {
		t.Errorf("the label above the table has %d pixels", white)
	}
}

// Words lie where the page is drawn: turned with it, or as its file shows it.
func TestWords(t *testing.T) {
	results := []ocr.Result{{Rotation: 90, Words: []ocr.Word{
		{Text: "sure", Box: model.BBox{X: 0.5, Y: 0.25, W: 0.25, H: 0.125}, Confidence: 0.9},
		{Text: "low", Box: model.BBox{W: 0.125, H: 0.125}, Confidence: 0.3},
	}}}
	if got, want := Words(results, true), []Word{{Box: model.BBox{X: 0.5, Y: 0.25, W: 0.25, H: 0.125}}, {Box: model.BBox{W: 0.125, H: 0.125}, Low: true}}; !reflect.DeepEqual(got, want) {
		t.Errorf("upright: %v, want %v", got, want)
	}
	shown := Words(results, false)
	if want := []Word{{Box: model.BBox{X: 0.25, Y: 0.25, W: 0.125, H: 0.25}}, {Box: model.BBox{Y: 0.875, W: 0.125, H: 0.125}, Low: true}}; !reflect.DeepEqual(shown, want) {
		t.Errorf("as shown: %v, want %v", shown, want)
	}
	picture := image.NewRGBA(image.Rect(0, 0, 80, 80))
	Draw(picture, nil, shown)
	if picture.RGBAAt(20, 30) != sureWord || picture.RGBAAt(1, 75) != lowWord || picture.RGBAAt(25, 30) == sureWord {
		t.Error("the words are not drawn")
	}
}
