package spool

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/colophon-dev/colophon/pkg/digest"
)

func TestReadKeepsSmallInMemoryAndLargeInAFile(t *testing.T) {
	for _, n := range []int{0, 1, 99, 100, 101, 5000} {
		dir := t.TempDir()
		body := strings.Repeat("x", n)
		c, err := Spooler{Dir: dir, Memory: 100}.Read(iotest.HalfReader(strings.NewReader(body)), 10_000)
		if err != nil {
			t.Fatal(n, err)
		}
		data, inMemory := c.InMemory()
		if inMemory != (n <= 100) || inMemory && string(data) != body {
			t.Errorf("%d bytes: in memory %v", n, inMemory)
		}
		if c.Size != int64(n) || c.Hash != digest.Content([]byte(body)) {
			t.Errorf("%d bytes: size %d, hash %s", n, c.Size, c.Hash)
		}
		for range 2 {
			if all, err := io.ReadAll(c.Open()); err != nil || string(all) != body {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
		if head, err := c.Head(150); err != nil || string(head) != body[:min(n, 150)] {
			t.Errorf("%d bytes: head %q, %v", n, head, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%d bytes: %v is left, %v", n, left, err)
		}
	}
}

func TestReadHoldsItsLimit(t *testing.T) {
	for _, memory := range []int64{10, 1000, 2000} {
		dir := t.TempDir()
		s := Spooler{Dir: dir, Memory: memory}
		if c, err := s.Read(strings.NewReader(strings.Repeat("x", 1000)), 1000); err != nil {
			t.Error(err)
		} else if err := c.Close(); err != nil {
			t.Error(err)
		}
		if _, err := s.Read(strings.NewReader(strings.Repeat("x", 1001)), 1000); !errors.Is(err, ErrTooLarge) {
			t.Errorf("memory %d: %v", memory, err)
		}
		broken := errors.New("broken")
		if _, err := s.Read(io.MultiReader(strings.NewReader(strings.Repeat("x", 500)), iotest.ErrReader(broken)), 1000); !errors.Is(err, broken) {
			t.Errorf("memory %d: %v", memory, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
}

// What is announced is no promise.
func TestReadSized(t *testing.T) {
	body := strings.Repeat("x", 3<<20)
	for _, c := range []struct {
		size     int64
		inMemory bool
	}{{-1, false}, {0, true}, {100, true}, {3 << 20, true}, {5 << 20, false}} {
		dir := t.TempDir()
		got, err := Spooler{Dir: dir, Memory: 4 << 20}.ReadSized(strings.NewReader(body), c.size, 10<<20)
		if err != nil {
			t.Fatal(err)
		}
		if _, inMemory := got.InMemory(); inMemory != c.inMemory || got.Size != 3<<20 || got.Hash != digest.Content([]byte(body)) {
			t.Errorf("announced %d: %d bytes, in memory %v", c.size, got.Size, inMemory)
		}
		if err := got.Close(); err != nil {
			t.Error(err)
		}
		if _, err := (Spooler{Dir: dir, Memory: 1 << 20}).ReadSized(strings.NewReader(body), c.size, 2<<20); !errors.Is(err, ErrTooLarge) {
			t.Errorf("announced %d: %v", c.size, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
}
