package pdfium

import (
	"encoding/binary"
	"math"
)

// segment is one segment of a path, in the path's own space.
type segment struct {
	point  Point
	kind   int
	closes bool
}

// The segments of a path lie one after the other in the instance's memory, and
// a segment's handle is its address: reading them there takes two calls for a
// path, where asking takes four for each segment. How a segment is laid out
// (core/fxge/cfx_path.h) is no part of the engine's interface: it is that of
// [Version]. On each page all segments of the first path are asked for as well.
const (
	segmentPoint  = 0 // x, y
	segmentKind   = 8
	segmentCloses = 9
	segmentSize   = 12
)

// trust is what came of comparing the memory with the engine's answers.
type trust int

const (
	untried trust = iota
	trusted
	refused
)

// segmentsOf returns the memory of a path's segments, of which there are count;
// nil: they must be asked for.
func (r *objectReader) segmentsOf(path uint64, count int) []byte {
	if r.segments == refused {
		return nil
	}
	e := r.engine
	first := e.invoke(r.segment, path, 0)
	last := e.invoke(r.segment, path, uint64(count-1))
	size := uint64(count) * segmentSize
	if first == 0 || last != first+size-segmentSize || size > math.MaxUint32 {
		return nil
	}
	list, ok := e.memory.Read(uint32(first), uint32(size))
	if !ok {
		return nil
	}
	if r.segments == untried {
		r.segments = trusted
		if !r.agrees(first, list) {
			r.segments = refused
			return nil
		}
	}
	return list
}

// agrees reports whether the list has of the segments from the first on what
// the engine says.
func (r *objectReader) agrees(first uint64, list []byte) bool {
	for at := 0; at < len(list); at += segmentSize {
		asked, ok := r.askSegment(first + uint64(at))
		if !ok || asked != segmentAt(list[at:]) {
			return false
		}
	}
	return true
}

// segmentAt reads a segment.
func segmentAt(b []byte) segment {
	coordinate := func(at int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[at:])))
	}
	return segment{
		point: Point{X: coordinate(segmentPoint), Y: coordinate(segmentPoint + 4)},
		kind:  int(b[segmentKind]), closes: b[segmentCloses] != 0,
	}
}

// askSegment asks the engine for a segment; not ok: there is none.
func (r *objectReader) askSegment(handle uint64) (s segment, ok bool) {
	e := r.engine
	if handle == 0 || e.call("FPDFPathSegment_GetPoint", handle, e.at(0), e.at(4)) == 0 {
		return segment{}, false
	}
	return segment{
		point:  Point{X: e.float32At(0), Y: e.float32At(4)},
		kind:   e.callInt("FPDFPathSegment_GetType", handle),
		closes: e.call("FPDFPathSegment_GetClose", handle) != 0,
	}, true
}
