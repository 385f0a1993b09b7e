package imports

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Floor is a row of ARCHITECTURE.md's table of what may import what in pkg/.
type Floor struct {
	Name  string   // as words, craft, stores
	Rooms []string // folders of pkg/, the first part of their path only
	May   []string // what the last column says: names of floors, "each other", "all below"

	below []string // floors of the rows above this one
}

// Floors are the rows of the table that are about pkg/, in its order.
type Floors []Floor

// roomName is what begins an entry of the column of rooms.
var roomName = regexp.MustCompile("^`([a-z]+)(?:/[a-z]+)*`")

// ReadFloors reads the table from the file at path. A row whose entries do not begin
// with the name of a room, a room in two rows, and an unknown floor in the last column are errors.
func ReadFloors(path string) (Floors, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var floors Floors
	var names []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name, _, ours := strings.Cut(strings.TrimSpace(cells[0]), ", `pkg/`")
		if !ours || len(cells) != 3 {
			continue
		}
		floor := Floor{Name: name, below: slices.Clone(names)}
		for entry := range strings.SplitSeq(cells[1], "·") {
			found := roomName.FindStringSubmatch(strings.TrimSpace(entry))
			if found == nil {
				return nil, fmt.Errorf("%s: floor %s: %q begins with no room", path, name, entry)
			}
			if !slices.Contains(floor.Rooms, found[1]) {
				floor.Rooms = append(floor.Rooms, found[1])
			}
			if other := floors.of("pkg/" + found[1]); other != nil {
				return nil, fmt.Errorf("%s: room %s is on the floors %s and %s", path, found[1], other.Name, name)
			}
		}
		for may := range strings.SplitSeq(cells[2], ",") {
			may = strings.TrimSpace(may)
			if may != "each other" && may != "all below" && !slices.Contains(names, may) {
				return nil, fmt.Errorf("%s: floor %s may import %q, which is no floor below it", path, name, may)
			}
			floor.May = append(floor.May, may)
		}
		floors, names = append(floors, floor), append(names, name)
	}
	if len(floors) == 0 {
		return nil, fmt.Errorf("%s has no table of floors", path)
	}
	return floors, nil
}

// of returns the floor of a folder of pkg/, or nil where the table names none.
func (f Floors) of(folder string) *Floor {
	for i := range f {
		if within(folder, "pkg") && slices.Contains(f[i].Rooms, room(folder)) {
			return &f[i]
		}
	}
	return nil
}

// mayImport reports whether rooms of a floor may import those of another.
func (f *Floor) mayImport(to *Floor) bool {
	switch {
	case f.Name == to.Name:
		return slices.Contains(f.May, "each other")
	case slices.Contains(f.May, "all below") && slices.Contains(f.below, to.Name):
		return true
	default:
		return slices.Contains(f.May, to.Name)
	}
}

// room is the second part of a path, as catalog of pkg/catalog/migrations.
func room(folder string) string {
	_, rest, _ := strings.Cut(folder, "/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}
