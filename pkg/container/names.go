package container

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// maxPath bounds a path: it is part of a request_id.
const maxPath = 600

// escapePath makes a member's path of the bytes of its name, so that they mislead
// nobody: letters, digits, "-", ".", "_" and "/" stand for themselves, all else
// is percent-encoded, also a "/" at the beginning or behind another, and the
// dots of "." and "..". What is longer than 600 bytes is cut, and "~" with the
// first 26 characters of its sha256 in base32 stand for the rest.
func escapePath(name string) string {
	path := escape(name)
	if len(path) <= maxPath {
		return path
	}
	return path[:maxPath] + "~" + digest.Base32(sha256.Sum256([]byte(path)))
}

func escape(name string) string {
	segments := strings.Split(name, "/")
	var b strings.Builder
	for i, s := range segments {
		if i > 0 {
			if segments[i-1] == "" {
				b.WriteString("%2F")
			} else {
				b.WriteByte('/')
			}
		}
		if s == "." || s == ".." {
			b.WriteString(strings.Repeat("%2E", len(s)))
			continue
		}
		for _, c := range []byte(s) {
			if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
	}
	return b.String()
}

// end returns the last bytes of a name: it is part of messages.
func end(name string) string {
	if len(name) <= maxPath {
		return name
	}
	return "…" + strings.TrimLeft(strings.ToValidUTF8(name[len(name)-maxPath:], " "), " ")
}

// Show makes a name fit to be shown: valid UTF-8 without control characters.
func Show(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(name, "\ufffd"))
}
