package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/redact"
)

// What the tag redact of a field of [CaptureRequested] says: what may be kept of it
// where requests are kept that nobody could handle. The other events are ours: what
// stands in them has been redacted already.
const (
	redactURL     = "url"     // an address, or a list: without credentials and signatures
	redactText    = "text"    // a text, or names with texts: without secrets
	redactHeaders = "headers" // header fields of an answer: those that redact.KeepsHeader names, redacted
	redactType    = "type"    // kept where it is what the field's Go type says: as anything else it may hold a secret
	redactDrop    = "drop"    // never kept
)

// RedactRequest takes out of the payload of a capture request, which anybody may have
// written, what must not be kept. It names what is lost. What no field reads goes, and of
// what is no JSON object nothing but the length is kept. Names are matched as
// encoding/json does, without case.
func RedactRequest(payload []byte) (redacted []byte, lost []string) {
	var request map[string]json.RawMessage
	if json.Unmarshal(payload, &request) != nil || request == nil {
		return nil, []string{fmt.Sprintf("payload of %d bytes", len(payload))}
	}
	fields := requestFields()
	for name, value := range request {
		var clean json.RawMessage
		changed := true
		if field, known := fields[strings.ToLower(name)]; known {
			clean, changed = redactField(field, name, value)
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

// requestFields are the fields of a request by their names in JSON, in lower case.
func requestFields() map[string]reflect.StructField {
	fields := make(map[string]reflect.StructField)
	for _, field := range reflect.VisibleFields(reflect.TypeFor[CaptureRequested]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		fields[strings.ToLower(name)] = field
	}
	return fields
}

// redactField returns what may be kept of a value, nil for nothing, and whether that is
// less than there was. What is not of its field's form is not kept.
func redactField(field reflect.StructField, name string, value json.RawMessage) (clean json.RawMessage, changed bool) {
	switch field.Tag.Get("redact") {
	case redactURL:
		if field.Type.Kind() == reflect.Slice {
			return redactAs(value, redactAddresses)
		}
		return redactAs(value, redactAddress)
	case redactText:
		if field.Type.Kind() == reflect.Map {
			return redactAs(value, redactTexts)
		}
		return redactAs(value, func(text string) string { return redact.Value(name, text, redact.Stored) })
	case redactHeaders:
		return redactAs(value, redactFields)
	case redactType:
		decoder := json.NewDecoder(bytes.NewReader(value))
		decoder.DisallowUnknownFields()
		if decoder.Decode(reflect.New(field.Type).Interface()) != nil {
			return nil, true
		}
		return value, false
	default: // redactDrop
		return nil, true
	}
}

// redactAs decodes a value and returns what redacted leaves of it: as it was written,
// unless that is something else.
func redactAs[T any](value json.RawMessage, redacted func(T) T) (clean json.RawMessage, changed bool) {
	var before T
	if json.Unmarshal(value, &before) != nil {
		return nil, true
	}
	after := redacted(before)
	if reflect.DeepEqual(before, after) {
		return value, false
	}
	clean, err := json.Marshal(after)
	if err != nil {
		return nil, true
	}
	return clean, true
}

// redactAddress redacts what may be no address at all, but the line of a header or a
// command that holds one.
func redactAddress(address string) string {
	address = redact.URL(address, redact.Stored)
	if !strings.Contains(address, "://") || strings.ContainsAny(address, " \t\r\n") {
		address = redact.Text(address, redact.Stored)
	}
	return address
}

func redactAddresses(addresses []string) []string {
	kept := slices.Clone(addresses)
	for i, address := range kept {
		kept[i] = redactAddress(address)
	}
	return kept
}

func redactTexts(texts map[string]string) map[string]string {
	if texts == nil {
		return nil
	}
	kept := make(map[string]string, len(texts))
	for name, text := range texts {
		kept[redact.Text(name, redact.Stored)] = redact.Value(name, text, redact.Stored)
	}
	return kept
}

// redactFields keeps header fields that say something about the document.
func redactFields(headers map[string][]string) map[string][]string {
	kept := maps.Clone(headers)
	for name, values := range headers {
		canonical := http.CanonicalHeaderKey(name)
		if !redact.KeepsHeader(canonical) {
			delete(kept, name)
			continue
		}
		kept[name] = slices.Clone(values)
		for i, value := range values {
			kept[name][i] = redact.Header(canonical, value)
		}
	}
	return kept
}
