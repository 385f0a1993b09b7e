package config

import (
	"fmt"
	"log/slog"
)

// Secret is a value that must not be shown: however it is printed, logged or
// encoded, it is [redacted], or nothing when it is empty.
type Secret string

const redacted = "[redacted]"

// Value returns the secret itself.
func (s Secret) Value() string { return string(s) }

// String is fmt.Stringer.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// GoString is fmt.GoStringer.
func (s Secret) GoString() string { return fmt.Sprintf("config.Secret(%q)", s.String()) }

// Format is fmt.Formatter: without it a verb that does not fit would show all.
func (s Secret) Format(state fmt.State, verb rune) {
	text := s.String()
	if verb == 'v' && state.Flag('#') {
		text = s.GoString()
	}
	_, _ = state.Write([]byte(text))
}

// MarshalText is encoding.TextMarshaler, which JSON uses too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue is slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
