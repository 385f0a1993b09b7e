package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// EndpointsFile is the name of the file in a development folder that says where
// its servers are (contracts#endpoints).
const EndpointsFile = "endpoints.env"

// FormatFile returns values as lines that ParseFile and a POSIX shell
// understand, sorted by name. A value of several lines is an error.
func FormatFile(values map[string]string) (string, error) {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !isName(name) || strings.ContainsAny(values[name], "\n\r\x00") {
			return "", fmt.Errorf("%s cannot be written to a file of settings", name)
		}
		fmt.Fprintf(&text, "%s='%s'\n", name, strings.ReplaceAll(values[name], "'", quotedQuote))
	}
	return text.String(), nil
}

// WriteFile writes values to a file that only its owner may read. The file is
// replaced as a whole.
func WriteFile(path string, values map[string]string) error {
	text, err := FormatFile(values)
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return fmt.Errorf("writing settings: %w", err)
	}
	_, err = temporary.WriteString(text)
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
		return fmt.Errorf("writing settings: %w", err)
	}
	return nil
}

// quotedQuote is how a shell wants a quotation mark inside quotation marks.
const quotedQuote = `'\''`

// ReadFile reads a file of settings; see ParseFile.
func ReadFile(path string) (map[string]string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading settings: %w", err)
	}
	values, err := ParseFile(string(content))
	if err != nil {
		return nil, fmt.Errorf("reading settings of %s: %w", path, err)
	}
	return values, nil
}

// ParseFile reads lines of NAME=VALUE. A value may stand in single quotation
// marks; empty lines and those that start with # are passed over. An error names
// the line, not what is in it.
func ParseFile(content string) (map[string]string, error) {
	values := make(map[string]string)
	number := 0
	for line := range strings.Lines(content) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || !isName(name) {
			return nil, fmt.Errorf("line %d is not NAME=VALUE", number)
		}
		if strings.HasPrefix(value, "'") {
			if len(value) < 2 || !strings.HasSuffix(value, "'") {
				return nil, fmt.Errorf("line %d has an open quotation mark", number)
			}
			value = strings.ReplaceAll(value[1:len(value)-1], quotedQuote, "'")
		}
		values[name] = value
	}
	return values, nil
}

// isName reports whether name can be that of a variable.
func isName(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// ErrNoEndpoints says that neither the environment nor a development folder
// tells where the system is.
var ErrNoEndpoints = errors.New("no system found")

// Found are the settings of a command, and where they come from.
type Found struct {
	Values  map[string]string
	File    string // the endpoints file that is among them; empty: none
	LeftOut string // an endpoints file that is not among them
	Because string // the variable of the environment for which it was left out
}

// ForCommand returns the settings of a command: the environment, on top of the
// endpoints file of the development folder dir. A command never speaks to half of
// one system and half of another: when the environment sets any variable that the
// file sets, the file is left out, or, when the user has named the folder, what
// the environment says of them. Without the file and without a variable that says
// where a server is, the error is ErrNoEndpoints.
func ForCommand(environment map[string]string, dir string, named bool) (Found, error) {
	path := filepath.Join(dir, EndpointsFile)
	values, err := ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		for _, name := range []string{"NATS_URL", "POSTGRES_URL", "S3_ENDPOINT", "QDRANT_ADDR", "GATEWAY_URL"} {
			if environment[Prefix+name] != "" || environment[Prefix+name+fileSuffix] != "" {
				return Found{Values: environment}, nil
			}
		}
		return Found{}, fmt.Errorf("%w: there is no %s, and no variable such as %sPOSTGRES_URL is set; `colophon dev` starts one", ErrNoEndpoints, path, Prefix)
	}
	if err != nil {
		return Found{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !named && (environment[name] != "" || environment[name+fileSuffix] != "") {
			return Found{Values: environment, LeftOut: path, Because: name}, nil
		}
	}
	all := maps.Clone(environment)
	for name, value := range values {
		all[name] = value
		delete(all, name+fileSuffix)
	}
	return Found{Values: all, File: path}, nil
}
