package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/services/gateway/internal/pages"
	"github.com/colophon-dev/colophon/services/gateway/internal/room"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// Problem is RFC 9457's problem details.
type Problem struct {
	Type   string `json:"type"`   // about:blank: the status says it all
	Title  string `json:"title"`  // the status in words
	Status int    `json:"status"` // the HTTP status
	Detail string `json:"detail"` // what is wrong, as a sentence
}

// The limits of what may be asked, in characters and numbers.
const (
	maxQuery  = 1000
	maxValue  = 200 // of a filter or an id
	maxValues = 50  // of one filter

	maxLongValue  = 2000 // of a URL or a title, as long as they are stored
	maxLongValues = 15   // of these: as many of the longest as the header of a request holds (32 KiB)
	maxLimit      = 100
)

// NotReady says that parts are missing without which nothing can be found. Its names
// are told to everybody; what is wrong with the parts may hold addresses, and is logged
// only.
type NotReady struct {
	Missing []string // names of parts, for people
	Err     error    // what is wrong with them
}

// Error tells what is wrong.
func (n NotReady) Error() string { return n.Err.Error() }

// Unwrap gives it.
func (n NotReady) Unwrap() error { return n.Err }

// badRequest is the caller's fault; its text is told.
type badRequest struct{ error }

func bad(format string, args ...any) error { return badRequest{fmt.Errorf(format, args...)} }

// statusOf returns the HTTP status of an error, and what may be told of it.
func statusOf(ctx context.Context, err error) (status int, detail string) {
	var (
		wrong badRequest
		away  NotReady
	)
	switch {
	case errors.As(err, &wrong):
		return http.StatusBadRequest, wrong.Error()
	case errors.Is(err, search.ErrCursor):
		return http.StatusConflict, search.ErrCursor.Error()
	case errors.Is(err, errTooLarge):
		return http.StatusRequestEntityTooLarge, err.Error()
	case errors.Is(err, errNoJSON):
		return http.StatusUnsupportedMediaType, err.Error()
	case errors.Is(err, room.ErrFull):
		return http.StatusServiceUnavailable, room.ErrFull.Error() + ": ask again"
	case errors.As(err, &away):
		return http.StatusServiceUnavailable, "not ready: " + strings.Join(away.Missing, ", ")
	case errors.Is(err, catalog.ErrNotFound), errors.Is(err, pages.ErrNoPage):
		return http.StatusNotFound, err.Error()
	case errors.Is(err, errNoPicture):
		return http.StatusNotFound, err.Error()
	case errors.Is(err, blobstore.ErrNotFound), errors.Is(err, blobstore.ErrDamaged):
		return http.StatusInternalServerError, "the stored bytes are gone or damaged"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return http.StatusGatewayTimeout, "it took too long"
	case fault.KindOf(err) == fault.KindUnavailable, fault.KindOf(err) == fault.KindDeferred:
		return http.StatusServiceUnavailable, "a part that is needed does not answer"
	default:
		return http.StatusInternalServerError, "an internal error: the gateway's log has it"
	}
}

func (a *API) problem(w http.ResponseWriter, status int, detail string) {
	body, err := json.Marshal(Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail})
	if err != nil {
		body = nil // four plain fields always encode
	}
	h := w.Header()
	h.Del("Content-Disposition")
	h.Del("ETag")
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}

// query returns a request's parameters, of which only those known are allowed:
// a mistyped filter must not look like one that lets everything through.
func query(r *http.Request, known ...string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, bad("the query string cannot be read")
	}
	for name, given := range values {
		allowed := false
		for _, k := range known {
			allowed = allowed || k == name
		}
		if !allowed {
			return nil, bad("there is no parameter %q here", clip(name))
		}
		limit, most := maxValue, maxValues
		switch name {
		case "q":
			limit = maxQuery
		case "url", "title":
			limit, most = maxLongValue, maxLongValues
		}
		if len(given) > most {
			return nil, bad("%s: %d values, limit %d", name, len(given), most)
		}
		for _, value := range given {
			if err := checkText(name, value, limit); err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}

func checkLength(name, value string, limit int) error {
	if !utf8.ValidString(value) {
		return bad("%s: it is not UTF-8", name)
	}
	if n := utf8.RuneCountInString(value); n > limit {
		return bad("%s: %d characters, limit %d", name, n, limit)
	}
	return nil
}

func checkText(name, value string, limit int) error {
	if err := checkLength(name, value, limit); err != nil {
		return err
	}
	for _, r := range value {
		if unicode.IsControl(r) && !(name == "q" && (r == '\n' || r == '\t' || r == '\r')) {
			return bad("%s: it holds a control character", name)
		}
	}
	return nil
}

func clip(s string) string { return s[:min(len(s), 40)] }

// pathID returns a part of the path that names something.
func pathID(r *http.Request, name string) (string, error) {
	value := r.PathValue(name)
	return value, checkText(name, value, maxValue)
}

// number returns a whole number between least and most, or preset when it is
// not given.
func number(values url.Values, name string, preset, least, most int64) (int64, error) {
	if !values.Has(name) {
		return preset, nil
	}
	n, err := strconv.ParseInt(values.Get(name), 10, 64)
	if err != nil || n < least || n > most || len(values[name]) > 1 {
		return 0, bad("%s must be one whole number from %d to %d", name, least, most)
	}
	return n, nil
}

// day returns a date, or the zero time when it is not given.
func day(values url.Values, name string) (time.Time, error) {
	if !values.Has(name) {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.DateOnly, values.Get(name))
	if at.IsZero() {
		at = at.Add(time.Nanosecond) // the first day that there is was given, too
	}
	if err != nil || len(values[name]) > 1 {
		return time.Time{}, bad("%s must be one date, YYYY-MM-DD", name)
	}
	return at, nil
}
