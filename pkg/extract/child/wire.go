package child

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// What large bytes there are, a document on its way to a child and frames on their
// way back, stand behind the JSON of a request or a response, as they are.

// encodeRequest returns a request with its document behind it, if that goes along.
func encodeRequest(req request, document []byte) ([]byte, error) {
	raw, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("request to the extraction child: %w", err)
	}
	return append(raw, document...), nil
}

// decodeRequest returns a request and what stands behind it.
func decodeRequest(raw []byte) (req request, document []byte, err error) {
	document, err = decode(raw, &req)
	if err != nil {
		return req, nil, fmt.Errorf("request: %w", err)
	}
	return req, document, nil
}

// encodeResponse returns a response with the frames of its pages behind it.
func encodeResponse(resp response) ([]byte, error) {
	size := 0
	resp.Lengths = make([]int, len(resp.Pages))
	for i, p := range resp.Pages {
		resp.Lengths[i] = len(p.Frame)
		size += len(p.Frame)
	}
	raw, err := json.Marshal(resp)
	if err != nil {
		return nil, fmt.Errorf("response: %w", err)
	}
	raw = slices.Grow(raw, size)
	for _, p := range resp.Pages {
		raw = append(raw, p.Frame...)
	}
	return raw, nil
}

// decodeResponse reads what encodeResponse made. The frames are parts of raw.
func decodeResponse(raw []byte) (resp response, err error) {
	rest, err := decode(raw, &resp)
	if err == nil && len(resp.Lengths) != len(resp.Pages) {
		err = fmt.Errorf("%d frames of %d pages", len(resp.Lengths), len(resp.Pages))
	}
	if err != nil {
		return resp, fmt.Errorf("answer of the extraction child: %w", err)
	}
	for i, n := range resp.Lengths {
		if n < 0 || n > len(rest) {
			return resp, errors.New("answer of the extraction child: its frames are cut off")
		}
		resp.Pages[i].Frame, rest = rest[:n:n], rest[n:]
	}
	resp.Lengths = nil
	return resp, nil
}

// decode reads the JSON at the beginning of raw and returns what stands behind it.
func decode(raw []byte, into any) (rest []byte, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(into); err != nil {
		return nil, err
	}
	return raw[d.InputOffset():], nil
}
