//go:build !faultpoints

package faultpoint

// Reach does nothing.
func Reach(string) {}

// ReachFor does nothing.
func ReachFor(string, string) {}
