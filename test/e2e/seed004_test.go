package e2e

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/test/programs"
)

// TestIDsOfTheFoundingDataModel: a whole system with the ids of seeds#store finds, filters
// and proves what it has, and a member of an archive, which has no URL of its own, is found
// with the address of its archive.
func TestIDsOfTheFoundingDataModel(t *testing.T) {
	programs.NeedServers(t)
	files := t.TempDir()
	for name, text := range map[string]string{
		"ferry.txt": "The ferry crosses the lake at seven.", "copy.txt": "The ferry crosses the lake at seven.",
		"office.txt": "The office is shut in August, and opens again in September.",
	} {
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	zipped(t, filepath.Join(files, "box.zip"), "notes/harbour.txt", "The harbour master keeps the key of the winch.")
	w := startDev(t, t.TempDir(), []string{"COLOPHON_SEED004_IDS=true"})
	w.must(0, "source", "add", "council", "--name", "Council", "--language", "en", "--type", "official")
	w.must(0, "capture", "--wait", "--source", "council", files)
	type hit struct {
		ChunkRef   string `json:"chunk_ref"`
		URL        string `json:"url"`
		SourceType string `json:"source_type"`
		Sources    []struct {
			ChunkRef string `json:"chunk_ref"`
		} `json:"sources"`
	}
	find := func(question string, more ...string) []hit {
		t.Helper()
		var a struct {
			Hits []hit `json:"hits"`
		}
		if err := json.Unmarshal([]byte(w.must(0, slices.Concat([]string{"search", question, "--json"}, more)...).out), &a); err != nil {
			t.Fatal(err)
		}
		return a.Hits
	}
	hits := find("ferry lake", "--source-type", "official")
	if len(hits) == 0 || len(hits[0].Sources) != 2 || hits[0].SourceType != "official" {
		t.Fatalf("%+v", hits)
	}
	if found := find("ferry lake", "--source-type", "wiki"); len(found) != 0 {
		t.Errorf("found as of a wiki: %+v", found)
	}
	var shown struct {
		Chunk model.Chunk `json:"chunk"`
	}
	if err := json.Unmarshal([]byte(w.must(0, "show", "chunk", hits[0].ChunkRef, "--json").out), &shown); err != nil {
		t.Fatal(err)
	}
	if shown.Chunk.RuleVersions[model.RuleIDs] != model.IDs004 || shown.Chunk.PointID != digest.PointUUID004(shown.Chunk.ChunkRef) {
		t.Errorf("chunk %s has point %s under %v", shown.Chunk.ChunkRef, shown.Chunk.PointID, shown.Chunk.RuleVersions)
	}
	if member := find("harbour master winch"); len(member) == 0 || !strings.HasSuffix(member[0].URL, "box.zip!/notes/harbour.txt") {
		t.Errorf("the member is found as %+v", member)
	}
	w.must(0, "verify", "--all")
}

// zipped writes an archive with one member.
func zipped(t *testing.T, path, member, text string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(file)
	one, err := archive.Create(member)
	if err == nil {
		_, err = one.Write([]byte(text))
	}
	if err == nil {
		err = archive.Close()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		t.Fatal(err)
	}
}
