package typing

import (
	"mime"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// maxName bounds a file's name in bytes, as file systems do.
const maxName = 255

// maxExt bounds an extension, as the url_ext of seeds#store does.
const maxExt = 16

// mediaType returns the media type of a Content-Type header in lower case,
// without its parameters, however broken those are.
func mediaType(header string) string {
	name, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(name))
}

// extendedName is a name that says its character set (RFC 5987, RFC 8187).
var extendedName = regexp.MustCompile(`(?i)(?:^|[;\s])filename\*\s*=\s*"?([a-z0-9_.:-]+)'[^']*'([^;"\s]*)`)

// dispositionName returns the file name of a Content-Disposition header (RFC
// 6266, with the extended names of RFC 2231 and RFC 8187), "" when there is none.
// A name that says its character set is better than one that does not.
func dispositionName(header string) string {
	if header == "" {
		return ""
	}
	if m := extendedName.FindStringSubmatch(header); m != nil {
		if name := decodeName(m[1], m[2]); name != "" {
			return baseName(name)
		}
	}
	if !utf8.ValidString(header) { // against the rules, and what servers in Europe then mean
		if latin, err := charmap.Windows1252.NewDecoder().String(header); err == nil {
			header = latin
		}
	}
	_, params, err := mime.ParseMediaType(header)
	if err != nil {
		// Some servers send the parameters alone, or a name without quotation marks.
		_, name, ok := strings.Cut(header, "filename=")
		if !ok {
			return ""
		}
		name, _, _ = strings.Cut(name, ";")
		return baseName(strings.Trim(strings.TrimSpace(name), `"'`))
	}
	name := params["filename"]
	if decoded, err := new(mime.WordDecoder).DecodeHeader(name); err == nil {
		name = decoded
	}
	return baseName(name)
}

// decodeName returns a percent-encoded name of a character set, "" when it is
// none or the set is not known.
func decodeName(label, encoded string) string {
	raw, err := url.PathUnescape(encoded)
	if err != nil {
		return ""
	}
	set, err := htmlindex.Get(label)
	if err != nil {
		return ""
	}
	name, err := set.NewDecoder().String(raw)
	if err != nil {
		return ""
	}
	return name
}

// baseName returns the last part of a path of any system, without control
// characters, "" when nothing is left.
func baseName(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, name)
	name = strings.TrimSpace(name[strings.LastIndexAny(name, `/\`)+1:])
	if name == "." || name == ".." {
		return ""
	}
	if len(name) > maxName {
		ext := path.Ext(name)
		if len(ext) > maxExt+1 {
			ext = ""
		}
		cut := maxName - len(ext)
		for !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + ext
	}
	return name
}

// extOf returns the extension of a file's name without the dot, in lower case,
// "" when it has none that is plausible.
func extOf(name string) string {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if len(ext) > maxExt || strings.ContainsFunc(ext, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		return ""
	}
	return ext
}

// urlExt returns the extension of the last segment of a URL's path.
func urlExt(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return extOf(path.Base(u.Path))
}
