package quality

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// document is a file of a corpus and its files of ground truth.
type document struct {
	path    string // relative to the corpus, with forward slashes
	scanned bool   // pages without a text layer are among its pages
	truth   []string

	languages []string // ISO 639-1, as far as the manifest says
}

func (d document) isPDF() bool { return strings.EqualFold(path.Ext(d.path), ".pdf") }

func (d document) isHTML() bool {
	switch strings.ToLower(path.Ext(d.path)) {
	case ".html", ".htm", ".xhtml":
		return true
	default:
		return false
	}
}

func (d document) isText() bool {
	switch strings.ToLower(path.Ext(d.path)) {
	case ".txt", ".md", ".csv", ".json", ".xml":
		return true
	default:
		return false
	}
}

// counts reports whether there is something to measure about a document.
func (d document) counts() bool {
	return d.isTable() || len(d.truth) > 0 && (d.isPDF() || d.isHTML() || d.isText())
}

// truthFile returns the first file of ground truth that ends in one of the
// endings, the first ending first, or "".
func (d document) truthFile(endings ...string) string {
	for _, ending := range endings {
		for _, t := range d.truth {
			if strings.HasSuffix(t, ending) {
				return t
			}
		}
	}
	return ""
}

// readCorpus returns the documents below root that have ground truth, and the
// tables of paragraphs, by path: those of MANIFEST.tsv or, without one, those
// that have it beside them.
func readCorpus(root string) ([]document, error) {
	documents, err := readManifest(filepath.Join(root, "MANIFEST.tsv"))
	if errors.Is(err, fs.ErrNotExist) {
		documents, err = walkCorpus(root)
	}
	if err != nil {
		return nil, err
	}
	documents = slices.DeleteFunc(documents, func(d document) bool { return !d.counts() })
	slices.SortFunc(documents, func(a, b document) int { return strings.Compare(a.path, b.path) })
	return documents, nil
}

// readManifest reads the columns path, kind, ground_truth (paths divided by
// semicolons, or "-") and, where there is one, language (divided by commas) of a table of tab-separated values with a heading.
func readManifest(file string) ([]document, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(string(data), "\r\n"), "\n")
	heading := strings.Split(strings.TrimRight(lines[0], "\r"), "\t")
	language := slices.Index(heading, "language")
	name, kind, truth := slices.Index(heading, "path"), slices.Index(heading, "kind"), slices.Index(heading, "ground_truth")
	if name < 0 || kind < 0 || truth < 0 {
		return nil, fmt.Errorf("%s: the heading must name path, kind and ground_truth", file)
	}
	var documents []document
	for i, line := range lines[1:] {
		fields := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if len(fields) <= max(name, kind, truth) {
			return nil, fmt.Errorf("%s: line %d has %d columns", file, i+2, len(fields))
		}
		d := document{path: fields[name], scanned: strings.Contains(fields[kind], "scan") || strings.Contains(fields[kind], "mixed")}
		if language >= 0 && language < len(fields) && fields[language] != "" {
			d.languages = strings.Split(fields[language], ",")
		}
		if t := fields[truth]; t != "" && t != "-" {
			d.truth = strings.Split(t, ";")
		}
		documents = append(documents, d)
	}
	return documents, nil
}

// walkCorpus gives each file the ground truth beside it: STEM.gt.txt,
// STEM.tables.json, expected.html for source.html, and an evaldata.json that
// names it.
func walkCorpus(root string) ([]document, error) {
	var documents []document
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		d := document{path: filepath.ToSlash(name)}
		folder, base := path.Split(d.path)
		stem := strings.TrimSuffix(d.path, path.Ext(base))
		beside := []string{stem + ".gt.txt", stem + ".tables.json"}
		if base == "source.html" {
			beside = append(beside, folder+"expected.html")
		}
		for _, t := range beside {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(t))); err == nil {
				d.truth = append(d.truth, t)
			}
		}
		listed := folder + "evaldata.json"
		switch _, err := readSegments(filepath.Join(root, filepath.FromSlash(listed)), base); {
		case err == nil:
			d.truth = append(d.truth, listed)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		documents = append(documents, d)
		return nil
	})
	return documents, err
}

// readSegments reads the segments of one page, by its file name, from an
// object of objects with file, with and without. The error is fs.ErrNotExist
// when it is not there.
func readSegments(file, base string) (Segments, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Segments{}, err
	}
	var pages map[string]struct {
		File string `json:"file"`
		Segments
	}
	if err := json.Unmarshal(data, &pages); err != nil {
		return Segments{}, fmt.Errorf("%s: %w", file, err)
	}
	for _, p := range pages {
		if p.File == base {
			return p.Segments, nil
		}
	}
	return Segments{}, fmt.Errorf("%s: %s: %w", file, base, fs.ErrNotExist)
}

// readTables reads an object with tables, each with its page and cells.
func readTables(file string) ([]Table, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all struct {
		Tables []Table `json:"tables"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return all.Tables, nil
}

// readText reads a text of ground truth: HTML as its visible text, Markdown
// without comments and entities.
func readText(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	switch filepath.Ext(file) {
	case ".html", ".md":
		return VisibleText(text), nil
	default:
		return text, nil
	}
}
