// Package images tests the images of deploy/docker: that each is as small and
// bare as it must be, and that all of them together, run as Kubernetes would run
// them, take documents to chunks. `make images-test` builds them and runs it.
package images
