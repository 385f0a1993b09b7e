package blobstore_test

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/blobstore"
)

func TestKeys(t *testing.T) {
	sum := strings.Repeat("ab12", 16)
	raw, err := blobstore.RawKey("town", "sha256:"+sum)
	if err != nil {
		t.Fatal(err)
	}
	for got, want := range map[string]string{
		raw: "town/sha256/ab/" + sum,
		blobstore.FactsKey("town", "0123456789abcdef", "snap_x", sum):           "town/facts/0123456789abcdef/snap_x." + sum + ".json.zst",
		blobstore.SegmentKey("town", "0123456789abcdef", "snap_x", 17, 32, sum): "town/ir/0123456789abcdef/snap_x/17-32." + sum + ".jsonl.zst",
		blobstore.OCRKey("town", "tesseract", "5.3.0", sum):                     "town/ocr/tesseract/5.3.0/" + sum + ".json.zst",
		blobstore.LLMKey("town", "maker/model:7b", "p1", sum):                   "town/llm/maker%2Fmodel:7b/p1/" + sum + ".json",
		blobstore.FigureKey("town", sum):                                        "town/figures/" + sum + ".png",
		blobstore.ThumbKey("town", "snap_x", 3, 320):                            "town/thumbs/snap_x/3-320.png",
		blobstore.InboxKey("town", "2026/a.pdf"):                                "town/2026/a.pdf",
		blobstore.SourcePrefix("town"):                                          "town/",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, bad := range []string{"", sum, "sha256:" + sum[:63], "sha256:../" + sum[3:]} {
		if key, err := blobstore.RawKey("town", bad); err == nil {
			t.Errorf("RawKey(%q) = %s, want an error", bad, key)
		}
	}
}

func TestCheckInboxKey(t *testing.T) {
	for _, key := range []string{"town/a.pdf", "town/2026/11/b c.html", "town/é.txt"} {
		if err := blobstore.CheckInboxKey("town", key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, key := range []string{"", "town", "town/", "township/a", "other/a", "/town/a", "town/../other/a", "town/./a", "town//a", "town/" + strings.Repeat("x", 1024)} {
		if blobstore.CheckInboxKey("town", key) == nil {
			t.Errorf("%.40q was taken", key)
		}
	}
}
