// Package faultpoint names the places between two writes of a stage, so that
// tests can let the process die at any of them (ARCHITECTURE.md, "The order of writes"). In a
// binary built without the tag "faultpoints" it is nothing at all.
//
// With the tag, the process kills itself hard when it reaches the point that
// the file named by COLOPHON_FAULTPOINT_FILE names. The file holds the point,
// and optionally whom it is for: "stream.handled extract". It is removed first,
// so that it arms one death. The file of that name with ".always" at its end is
// read too, and is never removed: it makes an event that kills its process
// whenever it is handled. At the point that the file with ".hold" at its end
// names, whoever reaches it stands still for as long as the file names it; the
// file with ".hold.reached" says that somebody does.
//
// A point is named by a literal, so that test/fault finds all of them in the
// sources.
package faultpoint
