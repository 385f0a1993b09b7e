package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"

	"github.com/colophon-dev/colophon/services/gateway/internal/quote"
)

// MaxBody is the largest body of a request in bytes: a quotation in which each character is
// escaped, and its filters.
const MaxBody = 64 << 10

// maxPlaces is how many places of a quotation are told at most.
const maxPlaces = 50

// QuoteChecker says where quotations stand.
type QuoteChecker interface {
	Check(ctx context.Context, r quote.Request) (quote.Answer, error)
}

// errTooLarge says that a body is larger than any that can be answered.
var errTooLarge = errors.New("the body is too large")

// errQuoteLimit says that a quotation's limit is out of its bounds.
var errQuoteLimit = bad("limit must be a whole number from 1 to %d", maxPlaces)

// errNoJSON says that a body is of another media type.
var errNoJSON = errors.New("the body must be application/json")

// quoteBody is what a quotation is asked with: a limit of 0, or a day of no letters, is not
// one that was not given.
type quoteBody struct {
	quote.Request
	Limit *int    `json:"limit"`
	AsOf  *string `json:"as_of"`
}

// checkQuote answers where a quotation stands.
func (a *API) checkQuote(w http.ResponseWriter, r *http.Request) error {
	var body quoteBody
	if err := readBody(r, &body); err != nil {
		return err
	}
	req := body.Request
	if body.Limit != nil {
		if req.Limit = *body.Limit; req.Limit < 1 {
			return errQuoteLimit
		}
	}
	if body.AsOf != nil {
		req.AsOf = *body.AsOf
		if _, err := day(url.Values{"as_of": {req.AsOf}}, "as_of"); err != nil {
			return err
		}
	}
	if err := checkQuoteRequest(req); err != nil {
		return err
	}
	answer, err := a.Quotes.Check(r.Context(), req)
	if err != nil {
		return err
	}
	return a.answer(w, answer)
}

func checkQuoteRequest(req quote.Request) error {
	if req.Quote == "" {
		return bad("quote must be given")
	}
	if err := checkLength("quote", req.Quote, quote.MaxQuote); err != nil {
		return err
	}
	for name, values := range map[string][]string{"source": req.Source, "language": req.Languages, "document": {req.Document}} {
		if len(values) > maxValues {
			return bad("%s: %d values, limit %d", name, len(values), maxValues)
		}
		for _, value := range values {
			if err := checkText(name, value, maxValue); err != nil {
				return err
			}
		}
	}
	if req.Limit > maxPlaces {
		return errQuoteLimit
	}
	return nil
}

// readBody decodes a request's body, in which only known fields are allowed, null is no
// value, and a number without a fraction is whole however it is written: 38.0 is 38.
func readBody(r *http.Request, into any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return errNoJSON
	}
	decoder := json.NewDecoder(r.Body)
	decoder.UseNumber()
	var given any
	err := decoder.Decode(&given)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return errTooLarge
	case err != nil:
		return bad("the body cannot be read as JSON: %s", redactedJSON(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		if errors.As(err, &large) {
			return errTooLarge
		}
		return bad("the body has more than one JSON value")
	}
	if given, err = plainJSON(given); err != nil {
		return err
	}
	plain, err := json.Marshal(given)
	if err != nil {
		return err
	}
	strict := json.NewDecoder(bytes.NewReader(plain))
	strict.DisallowUnknownFields()
	if err := strict.Decode(into); err != nil {
		return bad("the body cannot be read as JSON: %s", redactedJSON(err))
	}
	return nil
}

// plainJSON returns a JSON value with its whole numbers written as such. Null is an error:
// nothing that is asked may be null, and it would count as not given.
func plainJSON(value any) (any, error) {
	const exact = 1 << 53 // up to which each whole number is one float64
	var err error
	switch v := value.(type) {
	case nil:
		return nil, bad("the body cannot be read as JSON: null is no value")
	case json.Number:
		n, wrong := v.Float64()
		if wrong == nil && math.Abs(n) < exact && n == math.Trunc(n) {
			return int64(n), nil
		}
	case []any:
		for i := range v {
			if v[i], err = plainJSON(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range v {
			if v[name], err = plainJSON(v[name]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// redactedJSON says what is wrong with a body, without what it holds.
func redactedJSON(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return clip(wrong.Field) + " is of another type"
	}
	return clip(err.Error())
}
