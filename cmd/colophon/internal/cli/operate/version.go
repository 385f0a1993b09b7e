package operate

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	capturer "github.com/colophon-dev/colophon/services/capturer/app"
)

// Versions are those of the program and of the rules that it works by.
type Versions struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`   // that it was built from
	Modified bool   `json:"modified,omitempty"` // with changes that are in no commit
	Go       string `json:"go"`
	Parser   string `json:"parser_version"`
	Chunker  string `json:"chunker_version"`
	Header   string `json:"header_version"`
	Typing   string `json:"typing_version"`
}

// VersionsOf reads them from what the linker says; info is nil in a program without.
func VersionsOf(info *debug.BuildInfo) Versions {
	v := Versions{
		Version: "devel", Parser: extract.ParserVersion, Chunker: model.ChunkerVersion, Header: header.Version, Typing: capturer.TypingVersion,
	}
	if info == nil {
		return v
	}
	v.Go = info.GoVersion
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// String is the line that is printed for people.
func (v Versions) String() string {
	from := ""
	if v.Commit != "" {
		from = " of commit " + v.Commit[:min(len(v.Commit), 12)]
	}
	if v.Modified {
		from += " with changes"
	}
	return fmt.Sprintf("colophon %s%s (%s), parser %s, chunker %s, header %s, typing %s",
		v.Version, from, v.Go, v.Parser, v.Chunker, v.Header, v.Typing)
}

func (c commands) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the versions of program and rules", Example: "  colophon version --json",
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			v := VersionsOf(info)
			return c.Print(v, func(w io.Writer) { fmt.Fprintln(w, v) })
		},
	}
}
