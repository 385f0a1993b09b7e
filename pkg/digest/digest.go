// Package digest holds every hash and every id of the project, and the two
// canonical forms (urlcanon, textnorm) that they rest on (contracts#hashes,
// contracts#letter). Its functions are pure: no I/O, no clock, no locale, no state. The
// same input gives the same output in every build, and testdata/vectors.json
// lets programs in other languages check that they agree.
//
// Ids are plain strings, since they travel in JSON, subjects and keys. All are
// lower case. Only content_hash, wire_hash and fragment_hash carry the prefix
// "sha256:"; every other hash is bare hex (contracts#hash-form).
//
// Strings are taken as UTF-8. Where one is hashed, each byte that is not valid
// UTF-8 counts as U+FFFD, as in encoding/json; bytes are hashed as they are.
package digest

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strings"
)

// Versions of the rules in this package, as records name them (rule_versions,
// url_canonicalization_version, fragment_representation_kind).
const (
	// URLCanonVersion names the rules of [URLCanonV4], under which documents are captured.
	URLCanonVersion = "urlcanon_v4"
	// URLCanonVersion3 names the rules of [URLCanonV3].
	URLCanonVersion3 = "urlcanon_v3"
	// URLCanonVersion2 names the rules of [URLCanonV2].
	URLCanonVersion2 = "urlcanon_v2"
	// URLCanonVersion1 names the rules of [URLCanonV1].
	URLCanonVersion1 = "urlcanon_v1"
	// TextNormVersion names the rules of [TextNormV1].
	TextNormVersion = "textnorm_v1"
	// LocatorKind is the fragment_representation_kind of [FragmentLocator].
	LocatorKind = "locator_jcs_v1"
)

// contentPrefix marks the hashes that name their algorithm.
const contentPrefix = "sha256:"

// Hex returns the bare hex sha256 of b: the digest of segments, frames,
// objects and of whatever has no rule of its own.
func Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Content returns the content_hash of a snapshot's bytes, and likewise the
// wire_hash of the bytes before content decoding: "sha256:" and 64 hex digits
// (contracts#content-hash).
func Content(b []byte) string {
	return contentPrefix + Hex(b)
}

// ContentOfSum returns the content_hash of bytes that were hashed while they
// were streamed; sum is their sha256.
func ContentOfSum(sum [sha256.Size]byte) string {
	return contentPrefix + hex.EncodeToString(sum[:])
}

// ContentHex returns the 64 hex digits of a hash with the prefix "sha256:", as
// object keys need them. Anything else is an error.
func ContentHex(contentHash string) (string, error) {
	digits, ok := strings.CutPrefix(contentHash, contentPrefix)
	if !ok || !isHex(digits, 2*sha256.Size) {
		return "", fmt.Errorf("content hash %q: want sha256: and 64 lower case hex digits", contentHash)
	}
	return digits, nil
}

// HashParts returns the sha256 of several parts: of their RFC 8785 (JCS)
// array. A part that is absent is "" (contracts#parts, contracts#jcs).
func HashParts(parts ...string) [sha256.Size]byte {
	return sha256.Sum256(appendStringArray(nil, parts))
}

// HexParts returns [HashParts] as 64 hex digits.
func HexParts(parts ...string) string {
	sum := HashParts(parts...)
	return hex.EncodeToString(sum[:])
}

// Base32 returns the first 26 characters of sum in RFC 4648 base32, lower case
// and without padding: its first 130 bits (contracts#base32).
func Base32(sum [sha256.Size]byte) string {
	const length = 26 // characters of 5 bits, of which 17 bytes make 28
	var out [28]byte
	lowerBase32.Encode(out[:], sum[:17])
	return string(out[:length])
}

var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// isHex tells whether s is n lower case hex digits.
func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return true
}
