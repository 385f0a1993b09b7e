package guard

import (
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// findCode finds a hydrologic unit code by its digits, where the page calls it one.
func (c *checker) findCode(s string) (out []hit) {
	if !value.CheckHUC(s) || isLevel(s) {
		return nil
	}
	for i, q := range c.quotes {
		for p, inside := range q.parts {
			if p.void || !namesCode(p.text.Text) && !namesCode(p.head) {
				continue
			}
			for _, at := range value.Codes(p.text.Text, s) {
				if inside.Start <= at.Start && at.End <= inside.End {
					out = append(out, hit{quote: i, block: q.block, part: p, at: value.Span{Start: p.Start + at.Start, End: p.Start + at.End}, rival: -1})
				}
			}
		}
	}
	return out
}

// isLevel reports whether a code of two digits is also the name of a level: HUC 12.
func isLevel(s string) bool { return slices.Contains([]string{"08", "10", "12", "14", "16"}, s) }

func namesCode(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(lower, "huc") || strings.Contains(lower, "hydrologic")
}

// findPoints finds coordinates by value; those that are not found are left out.
func (c *checker) findPoints(points []entity.Point) (hits []hit, v any, reason string) {
	var kept []entity.Point
	for _, point := range points {
		if slices.Contains(kept, point) {
			continue
		}
		found := false
		for i, q := range c.quotes {
			for p, inside := range q.parts {
				for _, at := range value.Places(p.text.Text) {
					if found || p.void || at.Lat != point.Lat || at.Lon != point.Lon || at.Start < inside.Start || at.End > inside.End {
						continue
					}
					found = true
					hits = append(hits, hit{quote: i, block: q.block, part: p, at: value.Span{Start: p.Start + at.Start, End: p.Start + at.End}, rival: -1})
					kept = append(kept, point)
				}
			}
		}
	}
	return hits, kept, ValueNotFound
}
