//go:build !faultpoints

package faultpoint

// Reach does nothing.
func Reach(string) {}

// ReachFor does nothing.
func ReachFor(string, string) {}

// Environment is empty.
func Environment() []string { return nil }
