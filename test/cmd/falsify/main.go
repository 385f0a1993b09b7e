// Command falsify runs pairs of evidence and value, true ones and altered ones, against the guard
// of entities, and prints how many pass by recipe. See test/entities/README.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/colophon-dev/colophon/test/entities"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "falsify:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	flags := flag.NewFlagSet("falsify", flag.ExitOnError)
	write := flags.String("write", "", "file to write the pairs to, as JSON lines, instead of running them")
	read := flags.String("pairs", "", "file of pairs to run instead of those that come with the project")
	if err := flags.Parse(args); err != nil {
		return err
	}
	pairs, err := pairsFrom(*read)
	if err != nil {
		return err
	}
	if *write != "" {
		f, err := os.Create(*write)
		if err != nil {
			return err
		}
		return errors.Join(entities.WritePairs(f, pairs), f.Close())
	}
	figures, err := entities.Measure(pairs)
	if err != nil {
		return err
	}
	if err := entities.Write(w, figures); err != nil {
		return err
	}
	for _, f := range figures {
		for _, id := range f.Wrong {
			fmt.Fprintln(w, "wrong:", id)
		}
	}
	return nil
}

func pairsFrom(path string) ([]entities.Pair, error) {
	if path == "" {
		return entities.Pairs()
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return entities.ReadPairs(f)
}
