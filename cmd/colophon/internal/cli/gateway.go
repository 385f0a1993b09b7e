package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// problem is RFC 9457's problem details, as far as they are shown.
type problem struct {
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

// Get asks the gateway and decodes its answer into out.
func (c *Tool) Get(ctx context.Context, path string, query url.Values, out any) error {
	gateway, found, err := Load[gatewayAddress](c)
	if err != nil {
		return err
	}
	if found.File != "" && found.Values["COLOPHON_GATEWAY_URL"] == "" {
		return fault.Unavailable(fmt.Errorf("no gateway runs in the system of %s, as with `colophon dev --only servers`: set COLOPHON_GATEWAY_URL to the address of one", c.Dir))
	}
	if base, err := url.Parse(gateway.URL); err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return Usagef("COLOPHON_GATEWAY_URL is %q; allowed is an address such as http://127.0.0.1:8080", gateway.URL)
	}
	address := strings.TrimRight(gateway.URL, "/") + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fault.Unavailable(fmt.Errorf("the gateway does not answer: %w", err))
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusOK {
		return json.Unmarshal(body, out)
	}
	var p problem
	if json.Unmarshal(body, &p) != nil || p.Detail == "" {
		p.Detail = http.StatusText(resp.StatusCode)
	}
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s: %w", strings.TrimSuffix(p.Detail, ": "+catalog.ErrNotFound.Error()), catalog.ErrNotFound)
	case resp.StatusCode == http.StatusBadRequest:
		return Usage(errors.New(p.Detail))
	case resp.StatusCode == http.StatusServiceUnavailable:
		return fault.Unavailable(errors.New(p.Detail))
	default:
		return errors.New(p.Detail)
	}
}
