package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/redact"
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
// letter: inline bytes, credentials and signatures in addresses and texts, headers
// that may hold a secret. It names what is lost. Of what is no JSON object nothing
// but the length is kept. Names are matched as encoding/json does, without case.
func redactRequest(payload []byte) (redacted []byte, lost []string) {
	var request map[string]json.RawMessage
	if json.Unmarshal(payload, &request) != nil || request == nil {
		return nil, []string{fmt.Sprintf("payload of %d bytes", len(payload))}
	}
	for name, value := range request {
		var clean json.RawMessage
		var changed bool
		switch strings.ToLower(name) {
		case "inline":
			clean, changed = nil, true
		case "headers":
			clean, changed = redactHeaders(value)
		case "metadata":
			clean, changed = redactMetadata(value)
		case "url":
			clean, changed = redactText(value)
		case "redirect_chain":
			clean, changed = redactList(value)
		case "request_id", "source_id", "source_record_id", "content_type", "encoding", "fetch_tool_version", "robots_policy_notes",
			"snapshot_group_id", "filename", "last_modified_origin", "language", "region":
			clean, changed = redactField(name, value)
		case "http_status":
			clean, changed = keptAs[int](value)
		case "force":
			clean, changed = keptAs[bool](value)
		case "retrieved_at", "last_modified":
			clean, changed = keptAs[time.Time](value)
		case "object", "warc":
			clean, changed = keptAs[event.Object](value)
		default: // nothing reads it
			clean, changed = nil, true
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
	redacted := redact.URL(address, redact.Stored)
	return encoded(value, redacted, redacted != address)
}

func redactList(value json.RawMessage) (clean json.RawMessage, changed bool) {
	var addresses []string
	if json.Unmarshal(value, &addresses) != nil {
		return nil, true
	}
	for i, address := range addresses {
		addresses[i] = redact.URL(address, redact.Stored)
		changed = changed || addresses[i] != address
	}
	return encoded(value, addresses, changed)
}

func redactMetadata(value json.RawMessage) (clean json.RawMessage, changed bool) {
	var texts map[string]string
	if json.Unmarshal(value, &texts) != nil {
		return nil, true
	}
	kept := make(map[string]string, len(texts))
	for name, text := range texts {
		name, cleaned := redact.Text(name, redact.Stored), redact.Value(name, text, redact.Stored)
		changed = changed || texts[name] != cleaned
		kept[name] = cleaned
	}
	return encoded(value, kept, changed || len(kept) != len(texts))
}

// redactField cleans a text.
func redactField(name string, value json.RawMessage) (clean json.RawMessage, changed bool) {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return nil, true
	}
	redacted := redact.Value(name, text, redact.Stored)
	return encoded(value, redacted, redacted != text)
}

// keptAs keeps a value when it is what its field must be: as anything else it may
// hold a secret.
func keptAs[T any](value json.RawMessage) (clean json.RawMessage, changed bool) {
	var v T
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&v) != nil {
		return nil, true
	}
	return value, false
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
