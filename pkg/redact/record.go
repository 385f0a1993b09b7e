package redact

import (
	"regexp"
	"slices"
	"strings"
)

// The bounds of what is no secret under a likely name: words, numbers and the numbers
// of records, in bytes and in parts that separators divide.
const (
	recordMax      = 100
	recordPartsMax = 16
)

// recordLength is the length, in letters and digits, above which nothing is the number of
// a record because of a date or a word in it: random characters hold some by chance.
const recordLength = 32

// keyLength is the length of the keys of a well-known register of customers, 15 characters
// and 18, which have a row of zeros among letters.
const keyLength = 18

// sureMin is the length, in letters and digits, from which a value under a likely name that
// is no number of a record is surely a secret: shorter ones may be either.
const sureMin = 26

var (
	// recordPart is a word, a number or a short number with letters: "StAZH", "A12", "2024R".
	recordPart = regexp.MustCompile(`^(?:\pL{1,40}|[0-9]{1,10}|\pL{1,4}[0-9]{1,4}\pL?|[0-9]{1,5}\pL{1,3}[0-9]{0,4})$`)

	// numberedPart are those of call numbers, permits and sittings: abbreviations with a
	// capital and numbers in turn ("Cgm34Bd2Tl1"), a number of four digits or more with few
	// letters around it ("HStAS12345678", "1254aXII"), one with a Roman numeral
	// ("Hann92aXII").
	numberedPart = regexp.MustCompile(`^(?:(?:\p{Lu}\p{Ll}{0,4}[0-9]{1,6}){2,3}\p{Ll}?|\pL{0,5}[0-9]{4,10}\pL{0,4}|\p{Lu}{1,5}[0-9]{4,8}\pL{1,3}[0-9]{1,2}|\pL{0,5}[0-9]{1,6}[a-z]?[IVXLC]{1,7}|[0-9]{1,2}\p{Lu}\p{Ll}{1,3}[0-9]{3,6}[a-z]?[0-9]{0,2})$`)

	// dated are days and times, with a few letters around them: "20231114T090000Z",
	// "PV20231114SEANCE1".
	dated = regexp.MustCompile(`^\p{Lu}{0,4}(?:1[89]|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:T?[0-9]{4}(?:[0-9]{2})?Z?|\p{Lu}{0,10}[0-9]{0,3})$`)

	// publicNumber are numbers that registers give: of persons (codice fiscale) and vehicles.
	publicNumber = regexp.MustCompile(`^(?:[A-Z]{6}[0-9]{2}[A-Z][0-9]{2}[A-Z][0-9]{3}[A-Z]|[A-HJ-NPR-Z0-9]{11}[0-9]{6})$`)

	// longWord is a word as names have them, and none that random letters hold.
	longWord = regexp.MustCompile(`\p{Lu}?(?:[b-df-hj-np-tv-xzß]{0,3}[aeiouyäöüéè]{1,2})+[b-df-hj-np-tv-xzß]{0,3}`)

	digitRun = regexp.MustCompile(`[0-9]{4,}`)
)

// authValue is what the Authorization of a request looks like (RFC 9110, 11.4).
var authValue = regexp.MustCompile(`^(?i)(?:bearer|basic|digest|negotiate|apikey|token)[ +]\S+$`)

// isRecordNumber reports whether a value whose letters and digits change as often as random
// ones is one of a register: it has a long number or a year, or is mostly words.
func isRecordNumber(value string) bool {
	if publicNumber.MatchString(value) {
		return true
	}
	counts, changes := countKinds(value)
	all := counts[lower] + counts[upper] + counts[digit]
	if all > recordLength || changes*2 > all && all > keyLength {
		return false
	}
	longest := 5 // of random letters of both cases and digits one in a hundred holds so many digits in a row
	switch {
	case counts[lower] == 0:
		longest = 4 // of capitals and digits: one in fifteen of 16
	case counts[upper] == 0:
		longest = 6
	}
	for _, run := range digitRun.FindAllString(value, -1) {
		if all <= keyLength && len(run) < 5 && changes*2 > all {
			continue
		}
		if len(run) >= longest || isYear(run) {
			return true
		}
	}
	if counts[upper] == 0 || counts[lower] == 0 {
		return false
	}
	inWords := 0
	for _, word := range longWord.FindAllString(value, -1) {
		if len(word) >= 4 {
			inWords += len(word)
		}
	}
	return inWords*2 >= counts[lower]+counts[upper]
}

func isYear(run string) bool {
	return len(run) == 4 && (run[:2] == "18" || run[:2] == "19" || run[:2] == "20")
}

// judge says what a value under a likely name is: kept when it is made of words, numbers
// and the numbers of records; hidden when it can be nothing but a secret; tagged when
// it may be either, so that nobody reads it and no two documents become one.
func (r *ruleset) judge(value string) treatment {
	value = decodeAll(value)
	if r.newest {
		value = marks.ReplaceAllString(value, "") // what was found in it already
	}
	prose := strings.Contains(value, " ")
	switch {
	case strings.TrimSpace(value) == "":
		return kept
	case !prose && len(value) > recordMax || authValue.MatchString(value) || r.holdsKnown(value):
		return hidden
	}
	parts := strings.FieldsFunc(value, isNoRecordRune)
	switch {
	case len(parts) == 0 || !prose && len(parts) > recordPartsMax:
		return hidden
	case isUUID(value):
		return tagged
	case !slices.ContainsFunc(parts, func(part string) bool { return !isRecordPart(part) }) && !hasOddSigns(value, prose):
		return kept
	case r.looksRandom(value), slices.ContainsFunc(parts, isHexSecret), prose:
		return hidden
	}
	counts, _ := countKinds(value)
	if n := counts[lower] + counts[upper] + counts[digit]; n >= sureMin || hasOddSigns(value, prose) {
		return hidden
	}
	return tagged
}

// hasOddSigns reports whether a value has signs that call numbers do not have.
func hasOddSigns(value string, prose bool) bool {
	return strings.Contains(value, "=") || !prose && strings.ContainsAny(value, `%$^{}\~!`)
}

// isRecordPart reports whether a part of a value without separators is that of a record's
// number.
func isRecordPart(part string) bool {
	counts, changes := countKinds(part)
	all := counts[lower] + counts[upper] + counts[digit]
	switch {
	case recordPart.MatchString(part):
		return !isMixed(counts, changes, all)
	case all > recordLength || isHexSecret(part):
		return false
	case numberedPart.MatchString(part) || dated.MatchString(part):
		return true
	case counts[lower] > 0:
		return false
	// Capitals and digits: a number when it is short, and holds a number or a word.
	case all < mixedMin:
		return changes*2 <= all || all <= 6
	case all < plainMin:
		return changes*3 <= all+1
	default:
		return isRecordNumber(part)
	}
}

// isHexSecret reports whether a value is made of so many hex digits that it is nobody's
// number: 26 of them or more.
func isHexSecret(value string) bool {
	return len(value) >= sureMin && isHex(value) && strings.ContainsAny(value, "abcdefABCDEF") && strings.ContainsAny(value, "0123456789")
}

// uuid is also the form of keys of records.
var uuid = regexp.MustCompile(`^[{]?[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}[}]?$`)

func isUUID(value string) bool { return uuid.MatchString(value) }
