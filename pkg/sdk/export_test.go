package sdk

import "time"

// SetLookAfter has a client look sooner whether the catalog was restored.
func (c *Client) SetLookAfter(d time.Duration) { c.lookAfter = d }
