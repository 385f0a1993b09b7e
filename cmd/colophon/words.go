package main

import "fmt"

// many is a number with its noun, in the plural unless it is one.
func many(n int, noun string) string { return fmt.Sprintf("%d %s", n, plural(n, noun)) }

// plural is a noun as it stands behind a number.
func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
