package stream

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// keptHeader reports whether an HTTP header of a request says something about
// its document and can hold no secret.
func keptHeader(name string) bool {
	switch strings.ToLower(name) {
	case "cache-control", "content-encoding", "content-language", "content-length", "content-type",
		"date", "etag", "expires", "last-modified", "vary":
		return true
	}
	return false
}

// redactRequest takes out of a capture request what must not be kept in a dead
// letter: inline bytes, credentials and signatures in addresses, headers that
// may hold a secret. It names what is lost. Of what is no JSON object nothing
// but the length is kept. Names are matched as encoding/json does, without case.
func redactRequest(payload []byte) (redacted []byte, lost []string) {
	var request map[string]json.RawMessage
	if json.Unmarshal(payload, &request) != nil || request == nil {
		return nil, []string{fmt.Sprintf("payload of %d bytes", len(payload))}
	}
	for name, value := range request {
		clean, changed := value, false
		switch strings.ToLower(name) {
		case "inline":
			clean, changed = nil, true
		case "headers":
			clean, changed = redactHeaders(value)
		case "url":
			clean, changed = redactText(value)
		case "redirect_chain":
			clean, changed = redactList(value)
		}
		if changed {
			lost = append(lost, name)
		}
		if clean == nil {
			delete(request, name)
		} else {
			request[name] = clean
		}
	}
	slices.Sort(lost)
	redacted, err := json.Marshal(request)
	if err != nil {
		return nil, []string{fmt.Sprintf("payload of %d bytes", len(payload))}
	}
	return redacted, lost
}

// redactText cleans an address. What is no text is dropped, here and below.
func redactText(value json.RawMessage) (clean json.RawMessage, changed bool) {
	var address string
	if json.Unmarshal(value, &address) != nil {
		return nil, true
	}
	redacted := digest.RedactURL(address)
	return encoded(value, redacted, redacted != address)
}

func redactList(value json.RawMessage) (clean json.RawMessage, changed bool) {
	var addresses []string
	if json.Unmarshal(value, &addresses) != nil {
		return nil, true
	}
	for i, address := range addresses {
		addresses[i] = digest.RedactURL(address)
		changed = changed || addresses[i] != address
	}
	return encoded(value, addresses, changed)
}

func redactHeaders(value json.RawMessage) (clean json.RawMessage, changed bool) {
	var headers map[string]json.RawMessage
	if json.Unmarshal(value, &headers) != nil {
		return nil, true
	}
	for name := range headers {
		if !keptHeader(name) {
			delete(headers, name)
			changed = true
		}
	}
	return encoded(value, headers, changed)
}

// encoded is value as it was unless it has changed.
func encoded(value json.RawMessage, after any, changed bool) (json.RawMessage, bool) {
	if !changed {
		return value, false
	}
	clean, err := json.Marshal(after)
	if err != nil {
		return nil, true
	}
	return clean, true
}
