package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
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
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	resp, client, err := c.send(ctx, method, path, content, "application/json")
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
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
	return refused(resp.StatusCode, body)
}

// send sends a request to the gateway. The client's idle connections are to be closed.
func (c *Tool) send(ctx context.Context, method, path string, content []byte, accept string) (resp *http.Response, client *http.Client, err error) {
	gateway, found, err := Load[GatewayAddress](c)
	if err != nil {
		return nil, nil, err
	}
	if found.File != "" && found.Values["COLOPHON_GATEWAY_URL"] == "" {
		return nil, nil, fault.Unavailable(fmt.Errorf("no gateway runs in the system of %s, as with `colophon dev --only servers`: set COLOPHON_GATEWAY_URL to the address of one", c.Dir))
	}
	base, client, err := gateway.Client()
	if err != nil {
		return nil, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(content))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Accept", accept)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if resp, err = client.Do(req); err != nil {
		client.CloseIdleConnections()
		return nil, nil, fault.Unavailable(fmt.Errorf("the gateway does not answer: %w", err))
	}
	return resp, client, nil
}

// How long an answer may take that comes in parts, and how large one of its lines may be.
const (
	eventsTime = 3 * time.Minute
	mostLine   = 16 << 20
)

// PostEvents asks the gateway with a body of JSON, and hands over the events of its answer as they come; an
// answer that has none is handed over as one without a name. Of an answer that is a problem the body is
// returned beside the error.
func (c *Tool) PostEvents(ctx context.Context, path string, body any, accept string, each func(name string, data []byte) error) (problem []byte, err error) {
	content, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, eventsTime)
	defer cancel()
	resp, client, err := c.send(ctx, http.MethodPost, path, content, accept)
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	defer func() { _ = resp.Body.Close() }()
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); resp.StatusCode == http.StatusOK && kind == "text/event-stream" {
		return nil, readEvents(resp.Body, each)
	}
	whole, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return nil, fault.Unavailable(fmt.Errorf("the gateway ended its answer midway: %w", err))
	case resp.StatusCode == http.StatusOK:
		return nil, each("", whole)
	}
	return whole, refused(resp.StatusCode, whole)
}

// readEvents reads server-sent events, each with one line of data.
func readEvents(body io.Reader, each func(name string, data []byte) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, bufio.MaxScanTokenSize), mostLine)
	name := ""
	for lines.Scan() {
		line := lines.Text()
		if said, ok := strings.CutPrefix(line, "event: "); ok {
			name = said
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if err := each(name, []byte(data)); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fault.Unavailable(fmt.Errorf("the gateway ended its answer midway: %w", err))
	}
	return nil
}

// refused is the error of an answer that is a problem.
func refused(status int, body []byte) error {
	var p problem
	if json.Unmarshal(body, &p) != nil || p.Detail == "" {
		p.Detail = http.StatusText(status)
	}
	switch {
	case status == http.StatusNotFound:
		return fmt.Errorf("%s: %w", strings.TrimSuffix(p.Detail, ": "+catalog.ErrNotFound.Error()), catalog.ErrNotFound)
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge:
		return Usage(errors.New(p.Detail))
	case status == http.StatusServiceUnavailable:
		return fault.Unavailable(errors.New(p.Detail))
	default:
		return errors.New(p.Detail)
	}
}
