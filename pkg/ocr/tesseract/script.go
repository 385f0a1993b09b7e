//go:build ocr && cgo

package tesseract

/*
#cgo LDFLAGS: -ltesseract -lleptonica
#include <stdlib.h>
#include <tesseract/capi.h>

static TessBaseAPI *openOrientation(const char *folder) {
	TessBaseAPI *api = TessBaseAPICreate();
	if (TessBaseAPIInit3(api, folder, "osd") != 0) {
		TessBaseAPIDelete(api);
		return NULL;
	}
	TessBaseAPISetPageSegMode(api, PSM_OSD_ONLY);
	return api;
}

static const char *scriptOf(TessBaseAPI *api, unsigned char *grey, int wide, int high, int stride, int dpi, float *sure) {
	int degrees;
	float level;
	const char *script = NULL;
	TessBaseAPISetImage(api, grey, wide, high, 1, stride);
	TessBaseAPISetSourceResolution(api, dpi);
	if (!TessBaseAPIDetectOrientationScript(api, &degrees, &level, &script, sure)) {
		script = NULL;
	}
	return script;
}
*/
import "C"

import (
	"image"
	"unsafe"

	"github.com/colophon-dev/colophon/pkg/ocr"
)

// scripts tells scripts by the engine's data for orientation and script; api is nil as long as
// nobody has asked, and where these data are not installed.
type scripts struct {
	api   *C.TessBaseAPI
	tried bool
}

// Script implements ocr.Reader. Without the trained data "osd" it knows no script.
func (r *reader) Script(g *image.Gray, dpi int) (ocr.Script, error) {
	if !r.scripts.tried {
		r.scripts.tried = true
		var folder *C.char
		if r.dataDir != "" {
			folder = C.CString(r.dataDir)
			defer C.free(unsafe.Pointer(folder))
		}
		r.scripts.api = C.openOrientation(folder)
	}
	if r.scripts.api == nil || g.Rect.Empty() {
		return ocr.Script{}, nil
	}
	grey := C.CBytes(g.Pix) // which the engine keeps until it is cleared
	defer C.free(grey)
	var sure C.float
	name := C.scriptOf(r.scripts.api, (*C.uchar)(grey), C.int(g.Rect.Dx()), C.int(g.Rect.Dy()), C.int(g.Stride), C.int(dpi), &sure)
	script := ocr.Script{Confidence: float64(sure)}
	if name != nil {
		script.Name = C.GoString(name)
	}
	C.TessBaseAPIClear(r.scripts.api)
	return script, nil
}

func (s *scripts) close() {
	if s.api != nil {
		C.TessBaseAPIEnd(s.api)
		C.TessBaseAPIDelete(s.api)
	}
	*s = scripts{}
}
