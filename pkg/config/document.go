package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Reader is a program and the settings that it reads.
type Reader struct {
	Name   string // of the service or command
	Config any    // its struct, or a pointer to it
}

// section is one table of the documentation.
type section struct {
	title, about string
	names        []string // of variables, in order
}

// documented is one variable of the documentation.
type documented struct {
	setting
	readers []string
}

// Document returns docs/environment.md for the readers: first the blocks that
// several of them share, then what each has for itself. A variable that two
// readers describe differently is an error.
func Document(readers ...Reader) (string, error) {
	variables := make(map[string]*documented)
	var shared, own []*section
	sections := make(map[string]*section)
	for _, reader := range readers {
		settings, err := settingsOf(reflect.TypeOf(reader.Config))
		if err != nil {
			return "", err
		}
		for _, s := range settings {
			if known := variables[s.name]; known != nil {
				if known.row() != s.row() {
					return "", fmt.Errorf("%s and %s describe %s differently", known.readers[0], reader.Name, s.name)
				}
				if !slices.Contains(known.readers, reader.Name) {
					known.readers = append(known.readers, reader.Name)
				}
				continue
			}
			variables[s.name] = &documented{setting: s, readers: []string{reader.Name}}
			title, about, isShared := heading(s.block, reader.Name)
			in := sections[title]
			if in == nil {
				in = &section{title: title, about: about}
				sections[title] = in
				if isShared {
					shared = append(shared, in)
				} else {
					own = append(own, in)
				}
			}
			in.names = append(in.names, s.name)
		}
	}
	var out strings.Builder
	out.WriteString(introduction)
	for _, in := range slices.Concat(shared, own) {
		fmt.Fprintf(&out, "\n## %s\n\n", in.title)
		if in.about != "" {
			fmt.Fprintf(&out, "%s\n\n", in.about)
		}
		out.WriteString("| variable | default | allowed | what it is for | read by |\n|---|---|---|---|---|\n")
		for _, name := range in.names {
			v := variables[name]
			fmt.Fprintf(&out, "%s %s |\n", v.row(), strings.Join(v.readers, ", "))
		}
	}
	return out.String(), nil
}

const introduction = `# Environment variables

Generated from the settings' structs: do not edit.

Every setting is an environment variable; an empty one is as if it were not set. A wrong value stops the start with
a sentence that names the variable, the value and what is allowed. A secret is never shown; it can also be read from a
file: set the variable with ` + "`_FILE`" + ` at the end of its name to the file's path. Files of secrets, keys and
certificates are read again when they change ([credentials](operations.md#credentials)).
`

// heading returns the section that a block's settings stand in: the block's own
// when it says what it is about, else the reader's.
func heading(block reflect.Type, reader string) (title, about string, shared bool) {
	if b, ok := reflect.Zero(block).Interface().(interface{ About() string }); ok {
		return block.Name(), b.About(), block.PkgPath() == reflect.TypeFor[setting]().PkgPath()
	}
	return reader, "", false
}

// row returns a setting's line of the table without its readers.
func (s setting) row() string {
	preset := "`" + s.preset + "`"
	switch {
	case s.required:
		preset = "must be set"
	case s.preset == "":
		preset = "none"
	}
	name := "`" + s.name + "`"
	if s.secret() {
		name += ", `" + s.name + fileSuffix + "`"
	}
	cells := []string{name, preset, s.allows(), s.help}
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |"
}
