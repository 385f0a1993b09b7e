package redact

import (
	"fmt"
	"strconv"
	"strings"
)

// DecodePercent replaces percent codes of the bytes that which holds for by these
// bytes, until none is left, and writes the hex digits of all other codes in upper
// case. A "%" that begins no code stays. The time is linear.
func DecodePercent(s string, which func(byte) bool) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		out = append(out, s[i])
		// What was just written may complete a code, and its character another.
		for {
			tail := max(len(out)-3, 0)
			c, ok := PercentCode(string(out[tail:]))
			if !ok {
				break
			}
			if !which(c) {
				copy(out[tail:], fmt.Sprintf("%%%02X", c))
				break
			}
			out = append(out[:tail], c)
		}
	}
	return string(out)
}

// PercentCode returns the byte that the percent code at the start of s stands for; ok is
// false when it begins with none.
func PercentCode(s string) (c byte, ok bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:3], 16, 8)
	return byte(n), err == nil
}

// decodeAll replaces all percent codes, however deep they are.
func decodeAll(s string) string { return DecodePercent(s, func(byte) bool { return true }) }

// EncodePercent replaces all but unreserved characters by their percent codes.
func EncodePercent(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if IsUnreserved(s[i]) {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", s[i])
		}
	}
	return b.String()
}

// IsUnreserved reports whether a URL may hold c anywhere as it is (RFC 3986, 2.3).
func IsUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}
