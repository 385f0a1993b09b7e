package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// gatewayTime is how long an answer of the gateway is waited for: pages of its log
	// are some megabytes.
	gatewayTime = time.Minute
	// gatewayBytes bounds an answer: a page of the log holds at most 100 chunks, of
	// at most 900 KB each.
	gatewayBytes = 128 << 20
)

// errNotThere says that the gateway knows no such record.
var errNotThere = errors.New("there is no such record")

// get asks the gateway. What it answers 404 to is errNotThere.
func (c *Client) get(ctx context.Context, path string, out any) error {
	ctx, cancel := context.WithTimeout(ctx, gatewayTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(c.cfg.Gateway, "/")+path, nil)
	if err != nil {
		return err
	}
	resp, err := c.cfg.GatewayClient.Do(req)
	if err != nil {
		return fmt.Errorf("asking the gateway: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, gatewayBytes))
	switch {
	case err != nil:
		return fmt.Errorf("asking the gateway: %w", err)
	case resp.StatusCode == http.StatusNotFound:
		return fmt.Errorf("asking the gateway: %w: %.200s", errNotThere, body)
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("asking the gateway: %s: %.200s", resp.Status, body)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("asking the gateway: %w", err)
	}
	return nil
}
