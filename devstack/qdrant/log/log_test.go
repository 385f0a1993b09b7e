package log_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/colophon-dev/colophon/devstack/qdrant/log"
)

// open opens the log at path and returns what it replayed.
func open(t *testing.T, path string) (*log.Log, []string) {
	t.Helper()
	var replayed []string
	opened, err := log.Open(path, log.Options{}, func(r log.Record) error {
		replayed = append(replayed, fmt.Sprintf("%d:%s", r.Kind, r.Data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return opened, replayed
}

func closeLog(t *testing.T, l *log.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, l *log.Log, kind byte, data string) {
	t.Helper()
	position, err := l.Append(log.Record{Kind: kind, Data: []byte(data)})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Wait(position); err != nil {
		t.Fatal(err)
	}
}

func TestReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	first, replayed := open(t, path)
	if len(replayed) != 0 {
		t.Errorf("a new log holds %v", replayed)
	}
	add(t, first, 1, "one")
	add(t, first, 2, "")
	closeLog(t, first)
	second, replayed := open(t, path)
	if want := []string{"1:one", "2:"}; !slices.Equal(replayed, want) {
		t.Errorf("replayed %v, want %v", replayed, want)
	}
	add(t, second, 3, "three")
	closeLog(t, second)
	third, replayed := open(t, path)
	defer closeLog(t, third)
	if want := []string{"1:one", "2:", "3:three"}; !slices.Equal(replayed, want) {
		t.Errorf("replayed %v, want %v", replayed, want)
	}
}

// TestTornTail cuts the log at every byte of its last record, and damages every byte of it.
func TestTornTail(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	l, _ := open(t, whole)
	add(t, l, 1, "kept")
	closeLog(t, l)
	before, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	l, _ = open(t, whole)
	add(t, l, 2, "torn")
	closeLog(t, l)
	content, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "log")
	check := func(what string, damaged []byte) {
		t.Helper()
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		l, replayed := open(t, path)
		if !slices.Equal(replayed, []string{"1:kept"}) {
			t.Errorf("%s: replayed %v", what, replayed)
		}
		add(t, l, 3, "next")
		closeLog(t, l)
		l, replayed = open(t, path)
		closeLog(t, l)
		if !slices.Equal(replayed, []string{"1:kept", "3:next"}) {
			t.Errorf("%s: after the next write %v", what, replayed)
		}
	}
	for at := len(before); at < len(content); at++ {
		check(fmt.Sprintf("cut at %d", at), content[:at])
		damaged := bytes.Clone(content)
		damaged[at] ^= 0x40
		check(fmt.Sprintf("damaged at %d", at), damaged)
	}
	cut, err := os.ReadFile(path + ".cut")
	if err != nil || len(cut) == 0 {
		t.Errorf("the tail was not kept: %d bytes, %v", len(cut), err)
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("this is the diary of somebody else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := log.Open(path, log.Options{}, func(log.Record) error { return nil }); err == nil {
		closeLog(t, l)
		t.Error("a file that is no log was opened, and would have been cut")
	}
}

func TestReplayErrorStopsTheOpening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _ := open(t, path)
	add(t, l, 1, "one")
	closeLog(t, l)
	refusal := errors.New("refused")
	if _, err := log.Open(path, log.Options{}, func(log.Record) error { return refusal }); !errors.Is(err, refusal) {
		t.Errorf("opened with %v", err)
	}
}

func TestConcurrentWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _ := open(t, path)
	const writers, each = 16, 50
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() {
			for n := range each {
				position, err := l.Append(log.Record{Kind: byte(writer), Data: fmt.Appendf(nil, "%d", n)})
				if err == nil {
					err = l.Wait(position)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	closeLog(t, l)
	next := map[string]int{}
	l, replayed := open(t, path)
	defer closeLog(t, l)
	for _, record := range replayed {
		writer, n, _ := bytes.Cut([]byte(record), []byte(":"))
		if string(n) != fmt.Sprint(next[string(writer)]) {
			t.Fatalf("writer %s: %s, want %d", writer, n, next[string(writer)])
		}
		next[string(writer)]++
	}
	if len(replayed) != writers*each {
		t.Errorf("%d records, want %d", len(replayed), writers*each)
	}
}

func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _ := open(t, path)
	for range 100 {
		add(t, l, 1, "old")
	}
	closeLog(t, l)
	l, _ = open(t, path)
	if err := l.Compact(func(emit func(log.Record) error) error {
		return emit(log.Record{Kind: 2, Data: []byte("sum")})
	}); err != nil {
		t.Fatal(err)
	}
	add(t, l, 3, "new")
	if err := l.Compact(func(func(log.Record) error) error { return nil }); err == nil {
		t.Error("a log was compacted while it was written")
	}
	closeLog(t, l)
	l, replayed := open(t, path)
	defer closeLog(t, l)
	if want := []string{"2:sum", "3:new"}; !slices.Equal(replayed, want) {
		t.Errorf("replayed %v, want %v", replayed, want)
	}
}

func TestFailedCompactionKeepsTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _ := open(t, path)
	add(t, l, 1, "old")
	closeLog(t, l)
	l, _ = open(t, path)
	refusal := errors.New("refused")
	if err := l.Compact(func(func(log.Record) error) error { return refusal }); !errors.Is(err, refusal) {
		t.Errorf("compacted with %v", err)
	}
	add(t, l, 2, "new")
	closeLog(t, l)
	l, replayed := open(t, path)
	defer closeLog(t, l)
	if want := []string{"1:old", "2:new"}; !slices.Equal(replayed, want) {
		t.Errorf("replayed %v, want %v", replayed, want)
	}
}

func TestClosedLogRefuses(t *testing.T) {
	l, _ := open(t, filepath.Join(t.TempDir(), "log"))
	closeLog(t, l)
	if _, err := l.Append(log.Record{Kind: 1}); err == nil {
		t.Error("a closed log took a record")
	}
}

// FuzzDecode: whatever the bytes are, Decode returns, and the part that it found good decodes to the same records.
func FuzzDecode(f *testing.F) {
	start := "colophon-vectors\x00\x01"
	one, err := log.Encode([]byte(start), log.Record{Kind: 1, Data: []byte("data")})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{})
	f.Add([]byte(start))
	f.Add(one)
	f.Add(one[:len(one)-1])
	f.Add(append(bytes.Clone(one), 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 1))
	f.Fuzz(func(t *testing.T, content []byte) {
		var records []log.Record
		keep := func(r log.Record) error {
			records = append(records, r)
			return nil
		}
		good, err := log.Decode(bytes.NewReader(content), keep)
		if good < 0 || good > int64(len(content)) {
			t.Fatalf("%d good bytes of %d", good, len(content))
		}
		if err == nil && good != int64(len(content)) {
			t.Fatalf("no error, but %d of %d bytes", good, len(content))
		}
		if good == 0 {
			return
		}
		again := []byte(start)
		for _, r := range records {
			if again, err = log.Encode(again, r); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(again, content[:good]) {
			t.Fatalf("encoding what was decoded gives other bytes")
		}
	})
}
