package changes

import (
	"reflect"
	"slices"

	"github.com/colophon-dev/colophon/pkg/model"
)

// pairing says which units of the two sides are each other: -1 for none.
type pairing struct {
	from, to []int
	moved    map[int]bool // units of the newer side out of the order of the others
}

// pair finds, in turn: equal texts in the same order, equal texts out of order,
// and units at the same place.
func (p *pairing) pair(a, b []model.Unit) {
	for i := range p.from {
		p.from[i] = -1
	}
	for i := range p.to {
		p.to[i] = -1
	}
	for _, m := range inOrder(a, b) {
		p.join(m[0], m[1])
	}
	left := make(map[string][]int) // by text
	for i := range a {
		if p.from[i] < 0 && a[i].FieldsRaw.Text != "" {
			left[a[i].FieldsRaw.Text] = append(left[a[i].FieldsRaw.Text], i)
		}
	}
	for i := range b {
		if same := left[b[i].FieldsRaw.Text]; p.to[i] < 0 && len(same) > 0 {
			p.join(same[0], i)
			p.moved[i] = true
			left[b[i].FieldsRaw.Text] = same[1:]
		}
	}
	for i := range b {
		if p.to[i] >= 0 {
			continue
		}
		best, at := 0.5, -1
		for k := range a {
			if p.from[k] < 0 {
				if o := overlap(&a[k], &b[i]); o > best {
					best, at = o, k
				}
			}
		}
		if at >= 0 {
			p.join(at, i)
			p.moved[i] = p.outOfOrder(at, i)
		}
	}
}

func (p *pairing) join(a, b int) { p.from[a], p.to[b] = b, a }

// outOfOrder reports whether a pair crosses one that keeps the order.
func (p *pairing) outOfOrder(a, b int) bool {
	for i, k := range p.to {
		if k >= 0 && !p.moved[i] && (i < b) != (k < a) && i != b {
			return true
		}
	}
	return false
}

// maxTable bounds the table of inOrder; larger pages are compared from both ends
// only.
const maxTable = 4_000_000

// inOrder returns the pairs of a longest common subsequence of the units by text
// and type, without units that have no text.
func inOrder(a, b []model.Unit) (pairs [][2]int) {
	equal := func(i, k int) bool {
		return a[i].FieldsRaw.Text != "" && a[i].FieldsRaw.Text == b[k].FieldsRaw.Text && a[i].Type == b[k].Type
	}
	start := 0
	for start < min(len(a), len(b)) && equal(start, start) {
		pairs = append(pairs, [2]int{start, start})
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && equal(endA-1, endB-1) {
		endA, endB = endA-1, endB-1
		pairs = append(pairs, [2]int{endA, endB})
	}
	n, m := endA-start, endB-start
	if n*m > maxTable {
		return pairs
	}
	length := make([][]int32, n+1)
	for i := range length {
		length[i] = make([]int32, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for k := m - 1; k >= 0; k-- {
			if equal(start+i, start+k) {
				length[i][k] = length[i+1][k+1] + 1
			} else {
				length[i][k] = max(length[i+1][k], length[i][k+1])
			}
		}
	}
	for i, k := 0, 0; i < n && k < m; {
		switch {
		case equal(start+i, start+k):
			pairs = append(pairs, [2]int{start + i, start + k})
			i, k = i+1, k+1
		case length[i+1][k] >= length[i][k+1]:
			i++
		default:
			k++
		}
	}
	return pairs
}

// overlap is the share of the smaller unit's place in the source that both have:
// of its bytes, else of its area.
func overlap(a, b *model.Unit) float64 {
	bytes, sizeA, sizeB := 0.0, 0.0, 0.0
	for _, e := range a.Evidence {
		for _, f := range b.Evidence {
			switch {
			case e.ByteSpan != nil && f.ByteSpan != nil:
				bytes += float64(max(0, min(e.ByteSpan.End, f.ByteSpan.End)-max(e.ByteSpan.Start, f.ByteSpan.Start)))
			case e.BBox != nil && f.BBox != nil:
				w := min(e.BBox.X+e.BBox.W, f.BBox.X+f.BBox.W) - max(e.BBox.X, f.BBox.X)
				h := min(e.BBox.Y+e.BBox.H, f.BBox.Y+f.BBox.H) - max(e.BBox.Y, f.BBox.Y)
				if w > 0 && h > 0 {
					bytes += w * h
				}
			}
		}
	}
	sizeA, sizeB = size(a), size(b)
	if smaller := min(sizeA, sizeB); smaller > 0 {
		return bytes / smaller
	}
	return 0
}

func size(u *model.Unit) (n float64) {
	for _, e := range u.Evidence {
		switch {
		case e.ByteSpan != nil:
			n += float64(e.ByteSpan.End - e.ByteSpan.Start)
		case e.BBox != nil:
			n += e.BBox.W * e.BBox.H
		}
	}
	return n
}

// fields names what differs between two units of equal text and type, but for
// their ids and the versions of their parsers.
func fields(a, b *model.Unit) (names []string) {
	v, w := reflect.ValueOf(a.FieldsRaw), reflect.ValueOf(b.FieldsRaw)
	for i := range v.NumField() {
		name := jsonName(v.Type().Field(i))
		if name != "block_id" && !reflect.DeepEqual(v.Field(i).Interface(), w.Field(i).Interface()) {
			names = append(names, name)
		}
	}
	if !reflect.DeepEqual(a.Evidence, b.Evidence) {
		names = append(names, "evidence")
	}
	if !slices.Equal(a.ParseWarnings, b.ParseWarnings) {
		names = append(names, "parse_warnings")
	}
	slices.Sort(names)
	return names
}
