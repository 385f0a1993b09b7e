package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// known3 finds what redact_v3 took for a credential by its form, whatever its name: the
// prefixes that issuers give to their tokens, web tokens (RFC 7519) and private
// keys. A prefix that may also begin a word asks for a long run without separators.
var known3 = compileKnown(forms3)

var forms3 = []string{
	`eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{4,})(?:\.[A-Za-z0-9_-]*){1,3}`,
	`gh[opusr]_[A-Za-z0-9]{16,}`, `github_pat_[A-Za-z0-9_]{16,}`, `gl(?:pat|dt|rt|cbt|ptt|soat)-[A-Za-z0-9_-]{16,}`,
	`xox[abeoprs]-[A-Za-z0-9-]{10,}`, `xapp-[A-Za-z0-9-]{16,}`,
	`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}`, `AKID[A-Za-z0-9]{32}`, `AIza[A-Za-z0-9_-]{30,}`, `ya29\.[A-Za-z0-9_-]{16,}`, `1//0[A-Za-z0-9_-]{20,}`,
	`SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`, `(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}`, `whsec_[A-Za-z0-9+/=]{16,}`,
	`sk-(?:[a-z0-9]+-)*[A-Za-z0-9_]{20,}`, `key-[0-9a-f]{32}`, `hf_[A-Za-z0-9]{20,}`, `hvs\.[A-Za-z0-9_-]{20,}`,
	`npm_[A-Za-z0-9]{30,}`, `pypi-[A-Za-z0-9_-]{30,}`, `do[opr]_v1_[0-9a-f]{32,}`, `shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{20,}`,
	`sq0[a-z]{3}-[A-Za-z0-9_-]{20,}`, `EAACEdEose0cBA[A-Za-z0-9]+`, `dckr_pat_[A-Za-z0-9_-]{16,}`, `lin_api_[A-Za-z0-9]{16,}`,
	`glsa_[A-Za-z0-9]{16,}(?:_[0-9a-f]{8})?`, `ATATT3x[A-Za-z0-9_=-]{16,}`, `EAAA[A-Za-z0-9_-]{40,}`, `dapi[0-9a-f]{32}(?:-[0-9])?`,
	`figd_[A-Za-z0-9_-]{16,}`, `sntrys_[A-Za-z0-9+/=_-]{16,}`, `NRAK-[A-Z0-9]{20,}`, `tskey-[a-z]+-[A-Za-z0-9-]{10,}`,
	`AGE-SECRET-KEY-1[A-Z0-9]{20,}`, `[ps]k\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`, `v[1-4]\.(?:local|public)\.[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]+)?`,
	`(?:bot)?[0-9]{6,12}:AA[A-Za-z0-9_-]{30,}`, `(?:PGTIOU|TGT|PGT|PT|ST)-[0-9]+-[A-Za-z0-9]{20,}`, `(?:[a-z]{2,4}=[^~&\s"'<>]*~)+hmac=[0-9a-f]{20,}`, // of chats, and of a content network
	`-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]|-[^-])*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
}

// compileKnown returns an expression whose second group is one of some forms.
func compileKnown(forms []string) *regexp.Regexp {
	return regexp.MustCompile(`(^|[^A-Za-z0-9])(` + strings.Join(forms, "|") + `)`)
}

// mayBe reports whether a text is long enough to hold a known credential and has
// what one begins with.
func (k knownForm) mayBe(s string) bool {
	return len(s) >= knownMin && slices.ContainsFunc(k.hints, func(hint string) bool { return strings.Contains(s, hint) })
}

// knownForm finds credentials by their form.
type knownForm struct {
	hints []string       // one of which stands in each of them
	form  *regexp.Regexp // its second group is the credential
}

// hints3 are what the forms of known3 have in common with few other texts.
var hints3 = []string{"_", "eyJ", "gl", "xox", "xapp-", "AKIA", "AKID", "ASIA", "ABIA", "ACCA", "AIza", "ya29.", "1//0", "SG.", "sk-", "key-",
	"hvs.", "pypi-", "sq0", "EAACEdEose0cBA", "-----BEGIN",
	"ATATT3x", "EAAA", "dapi", "NRAK-", "AGE-", ".local.", ".public.", ":AA", "~hmac=", "GT-", "ST-", "PT-", "IOU-"}

// knownMin is the length of the shortest known credential, in bytes.
const knownMin = 14

// The least lengths, in letters and digits, of a value that looks random: of capital
// and small letters and digits, and of two of these kinds.
const (
	mixedMin = 12
	plainMin = 16
)

// isCredential reports whether a value under a name that may be a secret's looks
// like one: it has a known form, or it is long and its letters, digits and capitals
// follow each other without the order that words, numbers, dates, UUIDs, hex
// digests and record numbers have.
func (r *ruleset) isCredential(value string) bool {
	value = decodeAll(value)
	return r.holdsKnown(value) || r.looksRandom(value)
}

// looksRandom reports whether a value has none of the order of words, numbers and dates.
func (r *ruleset) looksRandom(value string) bool {
	if r.newest {
		if isBase64Key(value) {
			return true
		}
		if marks.MatchString(value) { // what was random in it was found before
			return false
		}
	}
	if strings.ContainsAny(value, " \t\r\n") || isHex(value) {
		return false
	}
	counts, changes := countKinds(value)
	if !isMixed(counts, changes, counts[lower]+counts[upper]+counts[digit]) {
		return false
	}
	// What is left without the numbers of records is to be as mixed.
	parts := strings.FieldsFunc(value, isNoRecordRune)
	rest := strings.Join(slices.DeleteFunc(parts, func(part string) bool { return isRecordPart(part) || isRecordNumber(part) }), "-")
	counts, changes = countKinds(rest)
	return isMixed(counts, changes, counts[lower]+counts[upper]+counts[digit])
}

// marks are what mark leaves of secrets within a value.
var marks = regexp.MustCompile(Marker + `(?:-[0-9a-f]{16})?`)

// countKinds counts the characters of a value by kind, and the places where one of
// another kind than the one before follows, but for a word with a capital.
func countKinds(value string) (counts [4]int, changes int) {
	run := 0
	before := separator
	for i := range len(value) {
		here := kindOf(value[i])
		counts[here]++
		if here != before && here != separator && before != separator && (before != upper || here != lower || run > 1) {
			changes++
		}
		if here != before {
			run = 0
		}
		run++
		before = here
	}
	return counts, changes
}

// isMixed reports whether so many letters and digits change as often as random ones do.
func isMixed(counts [4]int, changes, all int) bool {
	switch {
	case counts[lower] > 0 && counts[upper] > 0 && counts[digit] > 0:
		// Of 20 random characters 9 differ in kind from the one before; of words in
		// capitals and numbers one in five at most.
		return all >= mixedMin && changes >= 3 && changes*9 >= all*2
	case counts[lower] > 0 && counts[upper] > 0:
		return all >= plainMin && changes*4 >= all
	default:
		// A record number has one place or two where letters and digits meet, and is
		// mostly digits; of 20 random characters of base 32 six differ.
		return all >= plainMin && changes >= 3 && changes*8 >= all && counts[digit]*5 <= all*3
	}
}

// isHex reports whether a value is of hex digits, as digests and UUIDs are: in groups,
// of one case.
func isHex(value string) bool {
	return strings.Trim(value, "0123456789abcdef-_.:{}") == "" || strings.Trim(value, "0123456789ABCDEF-_.:{}") == ""
}

// isKnown reports whether all of a value is a known credential.
func (r *ruleset) isKnown(value string) bool {
	value = decodeAll(value)
	return slices.ContainsFunc(r.known, func(k knownForm) bool {
		if !k.mayBe(value) {
			return false
		}
		at := k.form.FindStringIndex(value)
		return at != nil && at[0] == 0 && at[1] == len(value)
	})
}

// holdsKnown reports whether a known credential stands somewhere in a value.
func (r *ruleset) holdsKnown(value string) bool {
	return slices.ContainsFunc(r.known, func(k knownForm) bool { return k.mayBe(value) && k.form.MatchString(value) })
}

// markKnown replaces the known credentials in a text.
func markKnown(s string, form Form) string {
	for _, known := range form.rules().known {
		if !known.mayBe(s) {
			continue
		}
		s = known.form.ReplaceAllStringFunc(s, func(found string) string {
			at := known.form.FindStringSubmatchIndex(found)
			if at == nil {
				return found
			}
			return found[:at[4]] + form.mark(found[at[4]:], digested)
		})
	}
	return s
}

// isShortCode reports whether a value is a number as those that are used once.
func isShortCode(value string) bool {
	return len(value) >= 4 && len(value) <= 8 && strings.Trim(value, "0123456789") == ""
}

// hexKeyMin is the least length of a key or a signature, in hex digits: of 80 bits.
const hexKeyMin = 20

// isHexKey reports whether a value is of hex digits, letters and digits among them, as a
// key is and no number: 20 of them or more, or a UUID. A digest of 16 is none.
func isHexKey(value string) bool {
	return len(value) >= hexKeyMin && isHex(value) && strings.ContainsAny(value, "abcdefABCDEF") && strings.ContainsAny(value, "0123456789")
}

// expiring is a signature behind the time until which it holds, in seconds since 1970.
var expiring = regexp.MustCompile(`^1[4-9][0-9]{8}[-_.:~](?:[0-9]+[-_.:~]){0,3}(?:[0-9a-f]{32,}|[A-Za-z0-9+/_-]{40,}={0,2})$`)

// isWord reports whether a value is letters only.
func isWord(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}
