package changes

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The lengths of what is shown of a text, in code points.
const (
	shown   = 80 // of a text, or of each side of a difference
	context = 20 // on each side of a difference
)

// shorten returns the beginning of a text on one line.
func shorten(s string) string { return clip(strings.Join(strings.Fields(s), " "), shown) }

func clip(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}

// difference shows where two texts differ: what they have in common at both ends
// is cut to a few words.
func difference(a, b string) string {
	x, y := []rune(a), []rune(b)
	start := 0
	for start < min(len(x), len(y)) && x[start] == y[start] {
		start++
	}
	end := 0
	for end < min(len(x), len(y))-start && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	// Whole words read better.
	for start > 0 && !unicode.IsSpace(x[start-1]) && (letter(x, start) || letter(y, start)) {
		start--
	}
	for end > 0 && !unicode.IsSpace(x[len(x)-end]) && (letter(x, len(x)-end-1) || letter(y, len(y)-end-1)) {
		end--
	}
	var out strings.Builder
	if start > context {
		out.WriteString("…")
	}
	out.WriteString(string(x[max(0, start-context):start]))
	if was := string(x[start : len(x)-end]); was != "" {
		out.WriteString("[-" + clip(was, shown) + "-]")
	}
	if is := string(y[start : len(y)-end]); is != "" {
		out.WriteString("{+" + clip(is, shown) + "+}")
	}
	out.WriteString(string(x[len(x)-end : len(x)-end+min(end, context)]))
	if end > context {
		out.WriteString("…")
	}
	return strings.ReplaceAll(out.String(), "\n", "⏎")
}

// letter reports whether there is something at i that is no white space.
func letter(text []rune, i int) bool {
	return i >= 0 && i < len(text) && !unicode.IsSpace(text[i])
}

// jsonName is the name of a field as it stands in JSON.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
