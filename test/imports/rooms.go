package imports

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Rooms are the folders with Go files outside of pkg that ARCHITECTURE.md names.
type Rooms struct {
	Services []string // the first column of the chain's table
	Commands []string // of cmd/colophon: internal/cli, internal/cli/local, …
	Tools    []string // other folders of the root: devstack, test, tools
}

var inTicks = regexp.MustCompile("`([a-z/]+)`")

// ReadRooms reads the chain's table and the row of tools from the file at path. A file
// that names no services or no rooms of the command is an error.
func ReadRooms(file string) (Rooms, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Rooms{}, err
	}
	var r Rooms
	chain := false
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name := strings.TrimSpace(cells[0])
		switch {
		case name == "service":
			chain = true
		case !strings.HasPrefix(line, "|"):
			chain = false
		case chain && !strings.HasPrefix(name, "-"):
			service, _, _ := strings.Cut(name, ",") // "extractor, consumer `ocr`"
			r.Services = append(r.Services, service)
		case name == "tools" && len(cells) == 3:
			r.readTools(cells[1])
		}
	}
	if len(r.Services) == 0 || len(r.Commands) == 0 {
		return r, fmt.Errorf("%s names %d services and %d rooms of the command", file, len(r.Services), len(r.Commands))
	}
	return r, nil
}

// readTools reads the rooms of the row of tools. Its entries are parted by a dot, and
// each begins with its folder; that of the command names all that is below it, too.
func (r *Rooms) readTools(cell string) {
	for entry := range strings.SplitSeq(cell, "·") {
		for i, name := range inTicks.FindAllStringSubmatch(entry, -1) {
			switch {
			case strings.HasPrefix(name[1], "internal/"):
				r.Commands = append(r.Commands, name[1])
			case i == 0 && name[1] != "cmd/colophon":
				r.Tools = append(r.Tools, name[1])
			}
		}
	}
}

// Know reports whether a folder, relative to the repository's root, is a room or part of
// one, or is in pkg, whose rooms are those of the floors.
func (r Rooms) Know(folder string) bool {
	parts := strings.Split(folder, "/")
	switch {
	case parts[0] == "pkg":
		return true
	case parts[0] == "services" && len(parts) > 1:
		return slices.Contains(r.Services, parts[1]) && (len(parts) == 2 || parts[2] == "app" || parts[2] == "internal" && len(parts) > 3)
	case folder == "cmd/colophon":
		return true
	case within(folder, "cmd/colophon"):
		return slices.Contains(r.Commands, strings.TrimPrefix(folder, "cmd/colophon/"))
	}
	return slices.Contains(r.Tools, parts[0])
}
