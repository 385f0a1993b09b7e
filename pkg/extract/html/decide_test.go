package html

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract/charset"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestTrees says that each feature and branch of the model exists, so that no page can
// lead beside it, and that every path ends.
func TestTrees(t *testing.T) {
	for i, tree := range contentTrees {
		for k, s := range tree {
			if s.feature == leafSplit {
				continue
			}
			if int(s.left) <= k || int(s.right) <= k || int(s.left) >= len(tree) || int(s.right) >= len(tree) || int(s.feature) >= maxFeatures {
				t.Errorf("tree %d, split %d: %+v", i, k, s)
			}
		}
	}
}

// TestLongTextIsKept scores all of a page's text as furniture: it stays, in doubt.
func TestLongTextIsKept(t *testing.T) {
	c := &contentPage{}
	for range 4 {
		c.passages = append(c.passages, passage{letters: 400})
	}
	scores := []int32{furnitureScore, furnitureScore + 5, furnitureScore, 0}
	c.keepLongText(scores)
	if slices.Max(scores) >= furnitureScore || scores[0] < doubtScore {
		t.Errorf("scores %v", scores)
	}
	scores = []int32{furnitureScore, 0, 0, 0}
	if c.keepLongText(scores); scores[0] < furnitureScore {
		t.Errorf("a small part of the text was kept: %v", scores)
	}
	for i := range c.passages {
		c.passages[i].letters = 40
	}
	scores = []int32{furnitureScore, furnitureScore, furnitureScore, 0}
	if c.keepLongText(scores); slices.Max(scores) >= furnitureScore {
		t.Errorf("a page of short texts loses most of them: %v", scores)
	}
}

// TestHeadingsStayWithTheirText scores two headings as furniture, of which one has
// text below it that stays.
func TestHeadingsStayWithTheirText(t *testing.T) {
	doc := charset.Open([]byte("<h2>One</h2><p>Text</p><h2>Two</h2><p>Text</p>"), charset.Choose(nil, charset.Declared{HTTP: "utf-8"}))
	root, _, err := parse(doc, false)
	if err != nil {
		t.Fatal(err)
	}
	c := &contentPage{}
	for _, n := range find(root, "body").kids {
		c.passages = append(c.passages, passage{owner: n, letters: 100})
	}
	scores := []int32{furnitureScore, 0, furnitureScore, furnitureScore}
	c.keepHeadings(scores)
	if scores[0] >= furnitureScore || scores[2] < furnitureScore {
		t.Errorf("scores %v", scores)
	}
}

// TestDoubtIsSaid: of the pages of this folder, what may be furniture has the flag, and keeps
// its type; long prose has not.
func TestDoubtIsSaid(t *testing.T) {
	files, err := filepath.Glob("testdata/pages/*.html")
	if err != nil {
		t.Fatal(err)
	}
	flagged := 0
	for _, file := range files {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range extract(t, string(page)).Blocks {
			if !slices.Contains(u.Flags, FlagMaybeFurniture) {
				continue
			}
			if flagged++; u.Type == model.UnitFurniture || len(u.Text) > 300 {
				t.Errorf("%s: %q, a unit of type %s, may be furniture", file, u.Text, u.Type)
			}
		}
	}
	if flagged == 0 {
		t.Error("nothing is in doubt")
	}
}
