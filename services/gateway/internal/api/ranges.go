package api

import (
	"errors"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// rangesForm is the grammar of a Range header in bytes (RFC 9110, 14.1.1).
var rangesForm = regexp.MustCompile(`^bytes=[ \t]*(?:[0-9]+-[0-9]*|-[0-9]+)(?:[ \t]*,[ \t]*(?:[0-9]+-[0-9]*|-[0-9]+))*[ \t]*$`)

// serveContent answers with content, or the ranges of it that are asked for. A
// Range header that is malformed or of another unit is ignored (RFC 9110, 14.2);
// one that lies behind the end is a problem like any other.
func (a *API) serveContent(w http.ResponseWriter, r *http.Request, content io.ReadSeeker) {
	http.ServeContent(&rangeWriter{ResponseWriter: w, api: a}, withRange(r), "", time.Time{}, content)
}

// withRange returns a request without a Range header that is to be ignored.
func withRange(r *http.Request) *http.Request {
	if given := r.Header.Get("Range"); given != "" && !wellFormed(given) {
		r = r.Clone(r.Context())
		r.Header.Del("Range")
	}
	return r
}

// sendsContent reports whether an answer with these headers has some of a content of size
// bytes: a GET whose conditions hold, and whose ranges are there.
func sendsContent(r *http.Request, of http.Header, size int64) bool {
	if r.Method != http.MethodGet {
		return false
	}
	r = withRange(r).Clone(r.Context())
	r.Method = http.MethodHead
	answer := &statusOnly{header: of.Clone()}
	http.ServeContent(answer, r, "", time.Time{}, unread(size))
	return answer.status == http.StatusOK || answer.status == http.StatusPartialContent
}

// statusOnly notes the status of an answer that is not sent.
type statusOnly struct {
	header http.Header
	status int
}

func (s *statusOnly) Header() http.Header         { return s.header }
func (s *statusOnly) WriteHeader(status int)      { s.status = status }
func (s *statusOnly) Write(p []byte) (int, error) { return len(p), nil }

// unread returns a content of which only the size is known, in bytes.
func unread(size int64) io.ReadSeeker { return io.NewSectionReader(noBytes{}, 0, size) }

type noBytes struct{}

func (noBytes) ReadAt([]byte, int64) (int, error) {
	return 0, errors.New("bytes were not fetched")
}

// wellFormed reports whether a Range header can be answered: no range of it ends
// before it begins.
func wellFormed(header string) bool {
	if !rangesForm.MatchString(header) {
		return false
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(header, "bytes="), ",") {
		first, last, _ := strings.Cut(strings.TrimSpace(part), "-")
		from, fromErr := strconv.ParseInt(first, 10, 64)
		to, toErr := strconv.ParseInt(last, 10, 64)
		if first != "" && fromErr != nil || last != "" && toErr != nil || first != "" && last != "" && to < from {
			return false
		}
	}
	return true
}

// rangeWriter turns the plain text of a range that cannot be answered into a
// problem.
type rangeWriter struct {
	http.ResponseWriter
	api     *API
	refused bool
}

func (w *rangeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *rangeWriter) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		w.refused = true
		w.Header().Del("Content-Length")
		w.api.problem(w.ResponseWriter, status, "the range lies behind the end; Content-Range says how many bytes there are")
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *rangeWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
