package table

import "testing"

func TestEmptiestPartOfAStrip(t *testing.T) {
	words := func(of ...extent) (row []word) {
		for _, e := range of {
			row = append(row, word{extent: e})
		}
		return row
	}
	for _, test := range []struct {
		rows [][]word
		want extent
	}{
		{nil, extent{10, 30}},
		{[][]word{words(extent{0, 10}, extent{30, 40})}, extent{10, 30}},
		{[][]word{words(extent{0, 14}), words(extent{5, 12}, extent{27, 50})}, extent{14, 27}},
		{[][]word{words(extent{0, 12}, extent{15, 16}), words(extent{24, 25})}, extent{16, 24}},
		{[][]word{words(extent{0, 40}), words(extent{12, 20}), words(extent{20, 22})}, extent{22, 30}},
		{[][]word{words(extent{0, 20}), words(extent{20, 40})}, extent{10, 30}}, // one everywhere
	} {
		if got := emptiest(test.rows, extent{10, 30}); got != test.want {
			t.Errorf("%v: got %v, want %v", test.rows, got, test.want)
		}
	}
}
