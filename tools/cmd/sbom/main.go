// Command sbom writes what an image holds as a CycloneDX document: the Go
// modules that its binary was linked from, as the binary itself says, and the
// Debian packages of its base. Equal images give equal documents: there is no
// serial number and no time.
package main

import (
	"bufio"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "", "the Go binary")
	flag.StringVar(&o.packages, "packages", "", "file of Debian packages: name, version, architecture, separated by tabs")
	flag.StringVar(&o.name, "name", "", "name of the image")
	flag.StringVar(&o.version, "version", "", "version of the image")
	flag.Parse()
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

type options struct{ binary, packages, name, version string }

func run(o options, w io.Writer) error {
	if o.binary == "" || o.name == "" {
		return errors.New("-binary and -name must be set")
	}
	components, err := modulesOf(o.binary)
	if err != nil {
		return err
	}
	if o.packages != "" {
		packages, err := packagesOf(o.packages)
		if err != nil {
			return err
		}
		components = append(components, packages...)
	}
	slices.SortFunc(components, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	bom := cdx.NewBOM()
	bom.SerialNumber = ""
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{
		BOMRef: "pkg:oci/" + o.name, Type: cdx.ComponentTypeContainer, Name: o.name, Version: o.version,
	}}
	bom.Components = &components
	return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).Encode(bom)
}

// modulesOf returns the modules that a Go binary was linked from, and the
// toolchain that linked it.
func modulesOf(path string) ([]cdx.Component, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out := []cdx.Component{library("golang", "stdlib", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if strings.HasPrefix(m.Path, ".") {
			continue // of this repository: the image's own version names it
		}
		out = append(out, library("golang", m.Path, m.Version, ""))
	}
	return out, nil
}

// packagesOf reads the list of Debian packages.
func packagesOf(path string) ([]cdx.Component, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var out []cdx.Component
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s: %q: want name, version and architecture", path, lines.Text())
		}
		out = append(out, library("deb/debian", fields[0], fields[1], "?arch="+fields[2]))
	}
	return out, lines.Err()
}

// library is a component named by its package URL.
func library(kind, name, version, qualifiers string) cdx.Component {
	purl := "pkg:" + kind + "/" + name + "@" + url.PathEscape(version) + qualifiers
	return cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: purl}
}
