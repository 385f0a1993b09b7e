package modified

import (
	"regexp"
	"strconv"
	"time"
)

// The places at which a PDF says when it was changed, as far as they are neither
// compressed nor encrypted: its information dictionary (ISO 32000-1, 14.3.3) and
// its XMP packet, as an element or an attribute.
var (
	modDate = regexp.MustCompile(`/ModDate\s*\(\s*(D:[0-9Z+' -]{4,30})\)`)
	xmpDate = regexp.MustCompile(`xmp:ModifyDate\s*(?:>|=\s*["'])\s*([0-9T:.Z+-]{4,40})\s*[<"']`)
	pdfDate = regexp.MustCompile(`^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:Z.*|([+-])(\d\d)'?(\d\d)?'?)?$`)
)

// readPDFBytes returns the last date of change that a piece of a PDF says: a
// file that was changed has the older ones before it.
func readPDFBytes(piece []byte) (time.Time, bool) {
	if all := modDate.FindAllSubmatch(piece, -1); all != nil {
		if t, ok := parsePDF(string(all[len(all)-1][1])); ok {
			return t, true
		}
	}
	if all := xmpDate.FindAllSubmatch(piece, -1); all != nil {
		return parse(string(all[len(all)-1][1]))
	}
	return time.Time{}, false
}

// parsePDF reads a date of ISO 32000-1, 7.9.4: what is left out at its end is
// the beginning, and without a zone it is UTC.
func parsePDF(s string) (time.Time, bool) {
	m := pdfDate.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	number := func(i, without int) int {
		if n, err := strconv.Atoi(m[i]); err == nil {
			return n
		}
		return without
	}
	month, day, hour, minute, second := number(2, 1), number(3, 1), number(4, 0), number(5, 0), number(6, 0)
	t := time.Date(number(1, 0), time.Month(month), day, hour, minute, second, 0, time.UTC)
	if int(t.Month()) != month || t.Day() != day || t.Hour() != hour || t.Minute() != minute {
		return time.Time{}, false // no such day or time
	}
	offset := time.Duration(number(8, 0))*time.Hour + time.Duration(number(9, 0))*time.Minute
	if m[7] == "-" {
		offset = -offset
	}
	t = t.Add(-offset)
	return t, plausible(t)
}
