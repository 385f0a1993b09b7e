package warc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Field is one named field of a header.
type Field struct{ Name, Value string }

// Fields are those of a header, in the order of the file.
type Fields []Field

// Get returns the first value of a name, whatever its case; "" when there is none.
func (f Fields) Get(name string) string {
	for _, field := range f {
		if strings.EqualFold(field.Name, name) {
			return field.Value
		}
	}
	return ""
}

var errLongHeader = fmt.Errorf("its header has more than %d bytes or %d fields", maxHeader, maxFields)

// readHeader reads a record's version and fields and returns them with the
// number of bytes that they took.
func readHeader(r *bufio.Reader) (*Record, int64, error) {
	lines := lineReader{r: r}
	first, err := lines.next()
	if err != nil {
		return nil, 0, err
	}
	version, ok := strings.CutPrefix(first, string(magic))
	if !ok {
		return nil, 0, fmt.Errorf("it begins with %.40q, not with a version", first)
	}
	record := &Record{Version: version}
	if record.Fields, err = lines.fields(); err != nil {
		return nil, 0, err
	}
	if record.Type() == "" {
		return nil, 0, errors.New("it has no WARC-Type")
	}
	value := strings.TrimSpace(record.Fields.Get("Content-Length"))
	if record.Length, err = strconv.ParseInt(value, 10, 64); err != nil || record.Length < 0 {
		return nil, 0, fmt.Errorf("its Content-Length is %.40q", value)
	}
	return record, lines.read, nil
}

// lineReader reads the lines of one header.
type lineReader struct {
	r    *bufio.Reader
	read int64
}

// next returns a line without its end. A line that does not end is an error.
func (l *lineReader) next() (string, error) {
	var b strings.Builder
	for {
		part, err := l.r.ReadSlice('\n')
		l.read += int64(len(part))
		if l.read > maxHeader {
			return "", errLongHeader
		}
		b.Write(part)
		switch {
		case err == nil:
			return strings.TrimSuffix(strings.TrimSuffix(b.String(), "\n"), "\r"), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return "", fmt.Errorf("its header ends early: %w", io.ErrUnexpectedEOF)
		default:
			return "", fmt.Errorf("its header: %w", err)
		}
	}
}

// fields reads named fields up to an empty line. A line that begins with white
// space goes on with the value before it; one without a colon is left out, as
// archives hold the headers of servers that do not know the rules.
func (l *lineReader) fields() (Fields, error) {
	var fields Fields
	for {
		line, err := l.next()
		switch {
		case err != nil:
			return fields, err
		case line == "":
			return fields, nil
		case len(fields) == maxFields:
			return nil, errLongHeader
		case line[0] == ' ' || line[0] == '\t':
			if len(fields) > 0 {
				last := &fields[len(fields)-1]
				last.Value = strings.TrimSpace(last.Value + " " + strings.TrimSpace(line))
			}
			continue
		}
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) != "" {
			fields = append(fields, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
}
