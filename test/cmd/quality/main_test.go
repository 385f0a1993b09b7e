package main

import (
	"strings"
	"testing"
)

func TestWithoutCorpus(t *testing.T) {
	var b strings.Builder
	if err := run(t.Context(), nil, &b); err != nil || !strings.Contains(b.String(), "make quality CORPUS=DIR") {
		t.Errorf("%q, %v", b.String(), err)
	}
	if err := run(t.Context(), []string{"-corpus", t.TempDir()}, &b); err == nil {
		t.Error("an empty folder must be an error")
	}
}
