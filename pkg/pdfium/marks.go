package pdfium

import "encoding/binary"

const (
	// maxMarks is how many marks of an object are looked at: they are as deep as its
	// marked content is nested.
	maxMarks = 8
	// markBytes is room for the name of a mark, in UTF-16; a longer one is none that
	// is looked for.
	markBytes = 64
)

// isArtifact reports whether the object lies in marked content that the file calls
// an artifact (ISO 32000-1, 14.8.2.2). Which kind of artifact it is the engine does
// not say: it has no call for names among a mark's properties. What lies in a form
// XObject counts for itself.
func (d *Document) isArtifact(object uint64) bool {
	e := d.engine
	for i := range min(e.callInt("FPDFPageObj_CountMarks", object), maxMarks) {
		if mark := e.call("FPDFPageObj_GetMark", object, uint64(i)); mark != 0 && e.markName(mark) == "Artifact" {
			return true
		}
	}
	return false
}

// markName is the name of a mark, "" for one that is longer than markBytes.
func (e *engine) markName(mark uint64) string {
	binary.LittleEndian.PutUint32(e.bytes(markBytes + 4)[markBytes:], 0)
	if e.call("FPDFPageObjMark_GetName", mark, e.at(0), markBytes, e.at(markBytes)) == 0 {
		return ""
	}
	n := e.uint32At(markBytes)
	if n > markBytes {
		return ""
	}
	return decodeUTF16(e.bytes(n))
}
