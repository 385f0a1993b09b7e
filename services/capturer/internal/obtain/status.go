package obtain

import "net/http"

// The values of fetch_status (seeds#store).
const (
	statusOK         = "ok"
	statusRedirected = "redirected"
	statusBlocked    = "blocked"
	statusError      = "error"
)

// isBlockingStatus reports whether an HTTP status says that the server does not let us in.
func isBlockingStatus(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests,
		http.StatusUnavailableForLegalReasons:
		return true
	default:
		return false
	}
}

// FetchStatus is the fetch_status of what was captured (seeds#store).
func (d *Document) FetchStatus() string {
	switch {
	case isBlockingStatus(d.Status):
		return statusBlocked
	case d.Status >= 400:
		return statusError
	case len(d.Chain) > 0:
		return statusRedirected
	default:
		return statusOK
	}
}
