package redact

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// ruleset is what one version of the rules knows: names, forms of credentials, and how
// values are judged.
type ruleset struct {
	names  *nameTable
	known  []knownForm
	newest bool // of redact_v4: paths, commands and statements are looked at, too
}

var (
	rules3 = &ruleset{names: names3, known: []knownForm{{hints3, known3}}}
	rules4 = &ruleset{names: names4, known: append([]knownForm{{hints3, known3}}, compileForms(forms4)...), newest: true}
)

// rules returns the rules of a form. Of redact_v2 only names and how values are judged were
// kept, which classifyV2 and treatV2 are; else those of redact_v3 stand in.
func (f Form) rules() *ruleset {
	if f >= IdentityV3 {
		return rules3
	}
	return rules4
}

// base64KeyMin is the least length of a key in base64 that has its signs "/" and "+", in
// characters: of 192 bits.
const base64KeyMin = 32

// base64Alphabet is what base64 is written in (RFC 4648, 4), with the padding at the end.
var base64Alphabet = regexp.MustCompile(`^[A-Za-z0-9+/]{32,}={0,2}$`)

// isBase64Key reports whether a value is a key in base64 that its signs "/" and "+" part into
// what looks like words: its kinds of characters change as often as random ones do, and
// there are not many of these signs, as in the path of a file.
func isBase64Key(value string) bool {
	if len(value) < base64KeyMin || !strings.ContainsAny(value, "+/") || strings.HasPrefix(value, "/") || !base64Alphabet.MatchString(value) {
		return false
	}
	plain := strings.NewReplacer("/", "", "+", "", "=", "").Replace(value)
	counts, changes := countKinds(plain)
	signs := strings.Count(value, "/") + strings.Count(value, "+")
	return counts[lower] > 0 && counts[upper] > 0 && counts[digit] > 0 && changes*10 >= len(plain)*3 && signs*8 <= len(value)
}

// isBasicPair reports whether a value is "user:password" in base64, as HTTP has it.
func isBasicPair(value string) bool {
	const least = 8
	if len(value) < least {
		return false
	}
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	return err == nil && strings.IndexByte(string(plain), ':') > 0 && strings.IndexFunc(string(plain), func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

var (
	// userPair is a user and a password, and no address.
	userPair = regexp.MustCompile(`^[^\s:/?#&=]+:[^\s/]\S*$`)
	// groupedCode are groups of letters and digits, as codes are written that somebody keeps.
	groupedCode = regexp.MustCompile(`^[A-Za-z0-9]{3,8}(?:[- ][A-Za-z0-9]{3,8}){1,12}$`)
	// wordList is a list of words as those from which a wallet is made again (BIP 39).
	wordList = regexp.MustCompile(`^\pL{3,8}(?:[ ,_+-]{1,2}\pL{3,8}){11,23}$`)
	// postalNumber is one of a district in India, where it is called a PIN, too.
	postalNumber = regexp.MustCompile(`^[1-8][0-9]{5}$`)
)

// judgeMore judges values under names whose values have a form of their own; decided is false
// where nothing is to be said beyond what judge has found.
func (r *ruleset) judgeMore(c class, plain string, found treatment, inURL bool) (as treatment, decided bool) {
	if !r.newest {
		return found, false
	}
	switch {
	case c == likelyLine:
		if wordList.MatchString(strings.TrimSpace(plain)) {
			return hidden, true
		}
		if r.looksRandom(plain) {
			return tagged, true // as what is marked under such a name is taken
		}
		return kept, true
	case c == likelyPin && isShortCode(plain) && (!inURL || !postalNumber.MatchString(plain)):
		return hidden, true
	case c == likelyPair && (userPair.MatchString(plain) && !strings.Contains(plain, "://") || isBasicPair(plain)):
		return hidden, true
	case c == likelyCode && groupedCode.MatchString(plain) && found != hidden:
		return judgeGroups(strings.FieldsFunc(plain, isNoRecordRune)), true
	}
	return found, false
}

// judgeGroups judges a code in groups. One of equal groups with digits is a secret but for
// years; one of letters may be two words, and keeps documents apart.
func judgeGroups(groups []string) treatment {
	years, digits := 0, false
	for _, group := range groups {
		if len(group) != len(groups[0]) {
			return kept
		}
		if isYear(group) {
			years++
		}
		digits = digits || strings.ContainsAny(group, "0123456789")
	}
	switch {
	case years == len(groups):
		return kept
	case digits:
		return hidden
	}
	return tagged
}
