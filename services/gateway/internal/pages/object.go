package pages

import (
	"context"

	"github.com/colophon-dev/colophon/pkg/blobstore"
)

// How much is asked of an object at once, in bytes. Each question to the store takes
// about as long as the transfer of wholeObject bytes, so small segments are read
// whole. Of others the index lies in their last tailBytes (16 pages take about 2 KiB),
// and most frames are shorter than frameBytes, so that their head, which says how
// large they are when decompressed, comes together with the rest.
const (
	wholeObject = 64 << 10
	tailBytes   = 4 << 10
	frameBytes  = 32 << 10
)

// object is io.ReaderAt over one object. It asks for more than it is asked for and
// keeps what it got: an index is read in two steps and a frame in two, next to each
// other. It is for one goroutine.
type object struct {
	ctx     context.Context
	objects Objects
	key     string
	size    int64

	parts []part
}

// part is what an object holds from a place on.
type part struct {
	off  int64
	data []byte
}

// ReadAt implements io.ReaderAt.
func (o *object) ReadAt(p []byte, off int64) (int, error) {
	end := off + int64(len(p))
	for _, known := range o.parts {
		if known.off <= off && end <= known.off+int64(len(known.data)) {
			return copy(p, known.data[off-known.off:]), nil
		}
	}
	from, to := off, max(end, min(off+frameBytes, o.size))
	switch {
	case end > o.size: // the store says what is wrong with that
		to = end
	case o.size <= wholeObject:
		from, to = 0, o.size
	case off >= o.size-tailBytes:
		from, to = o.size-tailBytes, o.size
	}
	data, err := o.objects.GetRange(o.ctx, blobstore.Derived, o.key, from, to-from)
	if err != nil {
		return 0, err
	}
	o.parts = append(o.parts, part{from, data})
	return copy(p, data[off-from:]), nil
}
