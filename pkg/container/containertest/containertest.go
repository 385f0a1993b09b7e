// Package containertest has a kind of container that no table names: tests add it and see
// that a new kind is a folder and a line.
package containertest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/model"
)

// magic is how a bundle begins: with what is no text, so that its file name says what it is.
const magic = "\x00\x01BUNDLE\x00\n"

// Kind is that of bundles, which are typed as a ZIP file is.
func Kind() container.Kind {
	return container.Kind{Type: model.TypeZIP, Begins: begins, Walk: walk}
}

// Bundle returns a bundle of members, each a name and a text. A name that is an address
// is that of a record.
func Bundle(members ...[2]string) []byte {
	var b strings.Builder
	b.WriteString(magic)
	for _, m := range members {
		fmt.Fprintf(&b, "%q %q\n", m[0], m[1])
	}
	return []byte(b.String())
}

func begins(f container.File) (bool, error) {
	head := make([]byte, len(magic))
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return string(head) == magic, nil
}

func walk(w *container.Walk, f container.File) error {
	lines := bufio.NewScanner(io.NewSectionReader(f, int64(len(magic)), f.Size-int64(len(magic))))
	for line := 0; lines.Scan(); line++ {
		if err := w.Entry(); err != nil {
			return err
		}
		var name, text string
		if _, err := fmt.Sscanf(lines.Text(), "%q %q", &name, &text); err != nil {
			return container.Fault(err)
		}
		open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
		var err error
		if strings.Contains(name, "://") {
			m := container.Member{Path: fmt.Sprintf("@%d", line), Name: "the line", Record: &container.Record{URL: name, ContentType: "text/plain"}}
			err = w.Record(m, open)
		} else {
			err = w.File(container.Member{}, name, func() int64 { return f.Size }, open)
		}
		if err != nil {
			return err
		}
	}
	return lines.Err()
}
