// Command mutate asks whether tests notice when the code changes. It alters one
// place of a package at a time (a condition, a comparison, a constant, a returned
// error, a statement that is left out), runs the tests with the altered file laid over
// the tree, which itself stays as it is, and reports the alterations that no test noticed.
//
//	mutate [-n 20] [-seed 1] [-test PATTERN,…] [-run REGEXP] [-skip REGEXP] FOLDER…
//
// It is run from the folder of a module; -test names the packages whose tests are run
// (default: those of the folders themselves), -run and -skip are go test's. Calls of faultpoint.Reach, which do
// nothing in a test, and what is only written to logs are not altered. The exit status
// is 1 when an alteration survives.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// patience is how long the tests of one alteration may take; an alteration that makes
// them hang is noticed.
const patience = 2 * time.Minute

// outcome is what became of one alteration.
type outcome int

const (
	noticed  outcome = iota // a test failed
	survived                // all tests passed
	invalid                 // it does not compile
)

func main() {
	count := flag.Int("n", 20, "how many alterations to try, at most one a line; 0 is all, any number a line")
	seed := flag.Uint64("seed", 1, "seed of the draw")
	tests := flag.String("test", "", "packages whose tests are run, divided by commas (default: the folders)")
	run := flag.String("run", "", "regular expression of the tests that are run (default: all)")
	skip := flag.String("skip", "", "regular expression of the tests that are not run")
	flag.Parse()
	packages := flag.Args()
	if *tests != "" {
		packages = strings.Split(*tests, ",")
	}
	survivors, err := mutate(context.Background(), flag.Args(), append([]string{"-run", *run, "-skip", *skip}, packages...), *count, *seed)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case survivors > 0:
		os.Exit(1)
	}
}

// mutate tries count alterations of the folders' code under the tests that go test runs
// with tests as its last arguments, and returns how many survived.
func mutate(ctx context.Context, folders, tests []string, count int, seed uint64) (survivors int, err error) {
	var all []alteration
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			return 0, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			found, err := alterationsOf(file)
			if err != nil {
				return 0, err
			}
			all = append(all, found...)
		}
	}
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	lines := make(map[string]bool)
	tried := 0
	for _, a := range all {
		if count > 0 && (tried == count || lines[a.place()]) {
			continue
		}
		became, err := try(ctx, dir, a, tests)
		if err != nil {
			return survivors, err
		}
		if became == invalid {
			continue
		}
		tried++
		lines[a.place()] = true
		word := "noticed "
		if became == survived {
			survivors++
			word = "survived"
		}
		fmt.Printf("%s %s: %s\n", word, a.place(), a.what)
	}
	fmt.Printf("%d of %d alterations noticed, of %d that there are\n", tried-survivors, tried, len(all))
	return survivors, nil
}

// try runs the tests with one alteration.
func try(ctx context.Context, dir string, a alteration, tests []string) (outcome, error) {
	original, err := filepath.Abs(a.file)
	if err != nil {
		return invalid, err
	}
	altered, overlay := filepath.Join(dir, "altered.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {original: altered}})
	if err != nil {
		return invalid, err
	}
	if err := errors.Join(os.WriteFile(altered, a.text, 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return invalid, err
	}
	args := append([]string{"test", "-overlay", overlay, "-vet=off", "-count=1", "-failfast", "-timeout", patience.String()}, tests...)
	said, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return survived, nil
	case !errors.As(err, &failed):
		return invalid, err
	case strings.Contains(string(said), "[build failed]") || strings.Contains(string(said), "[setup failed]"):
		return invalid, nil
	default:
		return noticed, nil
	}
}
