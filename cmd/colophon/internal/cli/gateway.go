package cli

import (
	"bytes"
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
	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// problem is RFC 9457's problem details, as far as they are shown.
type problem struct {
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

// Get asks the gateway and decodes its answer into out.
func (c *Tool) Get(ctx context.Context, path string, query url.Values, out any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.ask(ctx, http.MethodGet, path, nil, out)
}

// Post asks the gateway with a body of JSON and decodes its answer into out.
func (c *Tool) Post(ctx context.Context, path string, body, out any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.ask(ctx, http.MethodPost, path, content, out)
}

// Client returns what asks the gateway, for who does it himself, and its address. An
// address that is none is wrong usage.
func (g GatewayAddress) Client() (address string, client *http.Client, err error) {
	base, err := url.Parse(g.URL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return "", nil, Usagef("COLOPHON_GATEWAY_URL is %q; allowed is an address such as http://127.0.0.1:8080", g.URL)
	}
	if client, err = g.client(base.Scheme); err != nil {
		return "", nil, fmt.Errorf("COLOPHON_GATEWAY_CA_FILE: %w", err)
	}
	return strings.TrimRight(g.URL, "/"), client, nil
}

// client returns what asks a gateway: its certificate must come from an authority of the
// file, where one is named. The file of a gateway that shows no certificate is not read.
// Errors are credential.ErrFile.
func (g GatewayAddress) client(scheme string) (*http.Client, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if scheme == "https" && g.CAFile != "" {
		trusted, err := credential.Watch(credential.Options{Store: "the gateway"}, credential.TLSFiles{CA: g.CAFile}.Client).Now()
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = trusted
	}
	return &http.Client{Transport: transport}, nil
}

func (c *Tool) ask(ctx context.Context, method, path string, content []byte, out any) error {
	gateway, found, err := Load[GatewayAddress](c)
	if err != nil {
		return err
	}
	if found.File != "" && found.Values["COLOPHON_GATEWAY_URL"] == "" {
		return fault.Unavailable(fmt.Errorf("no gateway runs in the system of %s, as with `colophon dev --only servers`: set COLOPHON_GATEWAY_URL to the address of one", c.Dir))
	}
	base, client, err := gateway.Client()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	address := base + path
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(req)
	if err != nil {
		return fault.Unavailable(fmt.Errorf("the gateway does not answer: %w", err))
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusOK {
		if raw, ok := out.(*[]byte); ok {
			*raw = body
			return nil
		}
		return json.Unmarshal(body, out)
	}
	var p problem
	if json.Unmarshal(body, &p) != nil || p.Detail == "" {
		p.Detail = http.StatusText(resp.StatusCode)
	}
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s: %w", strings.TrimSuffix(p.Detail, ": "+catalog.ErrNotFound.Error()), catalog.ErrNotFound)
	case resp.StatusCode == http.StatusBadRequest, resp.StatusCode == http.StatusRequestEntityTooLarge:
		return Usage(errors.New(p.Detail))
	case resp.StatusCode == http.StatusServiceUnavailable:
		return fault.Unavailable(errors.New(p.Detail))
	default:
		return errors.New(p.Detail)
	}
}
