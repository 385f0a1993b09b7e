package blobstore

import (
	"strings"
	"testing"
)

// What the functions of keys make is written, and nothing that is like it.
func TestWritten(t *testing.T) {
	sum := strings.Repeat("0a", 32)
	raw, err := RawKey("council", "sha256:"+sum)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		FactsKey("council", "0123456789abcdef", "snap_abc", sum), SegmentKey("council", "0123456789abcdef", "snap_abc", 1, 16, sum),
		OCRKey("council", "tesseract/5", "5.3 a%b", sum), LLMKey("council", "maker/model:7b", "2", sum), FigureKey("council", sum), ThumbKey("council", "snap_abc", 1, 320),
	} {
		if !Written(Derived, key) {
			t.Errorf("%s is not written", key)
		}
		for _, other := range []string{key + "x", "/" + key, strings.Replace(key, "/", "//", 1), "Council" + key, key[:len(key)-1], strings.Replace(key, "council/", "", 1)} {
			if Written(Derived, other) {
				t.Errorf("%s is written", other)
			}
		}
		if Written(Raw, key) || Written(Inbox, key) {
			t.Errorf("%s is written to another bucket", key)
		}
	}
	if !Written(Raw, raw) || Written(Derived, raw) {
		t.Errorf("%s", raw)
	}
	for _, key := range []string{
		"", " ", "/", "council", "council/", "council/sha256/0a/" + sum + "/", "council/sha256/ff/" + sum, "council/sha256/0a/" + strings.ToUpper(sum),
		"council/md5/0a/" + sum, "readme.txt", "../" + raw, raw + ".bak",
	} {
		if Written(Raw, key) {
			t.Errorf("%q is written", key)
		}
	}
	for _, key := range []string{
		SegmentKey("council", "x", "snap_abc", 16, 1, sum), SegmentKey("council", "x", "snap_abc", 0, 1, sum), SegmentKey("council", "", "snap_abc", 1, 1, sum),
		LLMKey("", "m", "1", sum), LLMKey("council", "m", "1", "1"), "council/ir", "council/ir/", "council/other/" + sum, OCRKey("council", "", "5", sum), OCRKey("", "t", "5", sum),
	} {
		if Written(Derived, key) {
			t.Errorf("%q is written", key)
		}
	}
	if id := SnapshotOfThumb(ThumbKey("council", "snap_abc", 1, 320)); id != "snap_abc" {
		t.Errorf("the small picture is of %q", id)
	}
	if id := SnapshotOfThumb(FigureKey("council", sum)); id != "" {
		t.Errorf("a figure is of %q", id)
	}
}

func FuzzWritten(f *testing.F) {
	f.Add("council/sha256/0a/" + strings.Repeat("0a", 32))
	f.Add("council/ocr/a%2Fb/5/" + strings.Repeat("0a", 32) + ".json.zst")
	f.Fuzz(func(t *testing.T, key string) {
		for _, b := range []Bucket{Raw, Derived, Inbox, Bundles} {
			if Written(b, key) && (strings.Contains(key, "//") || strings.HasPrefix(key, "/") || strings.HasSuffix(key, "/") || strings.ContainsAny(key, "\x00\n ")) {
				t.Errorf("%q is written to %s", key, b)
			}
		}
	})
}
