package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const sample = `package p

import "fmt"

func f(a, b int) (bool, error) {
	faultpoint.Reach("place")
	s.Log.WarnContext(ctx, "said")
	if a < b && !done {
		n++
		v = min(a, 7)
	}
	for _, x := range all {
		use(x, "word")
	}
	if err := g(); err != nil {
		return false, err
	}
	return true, fmt.Errorf("a sentence of %d", a)
}
`

// TestAlterations: what is altered of a function, each time in one place; what only
// writes to logs, marks a place or words an error is left alone.
func TestAlterations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := alterationsOf(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range found {
		got = append(got, fmt.Sprintf("%d %s", a.line, a.what))
		if _, err := parser.ParseFile(token.NewFileSet(), file, a.text, 0); err != nil {
			t.Errorf("%s: %v", a.what, err)
		}
	}
	want := []string{
		"8 a < b && !done → !(a < b && !done)", "8 a < b && !done → (a < b && !done) && false", "8 a < b && !done → (a < b && !done) || true",
		"8 && → ||", "8 a < b && !done → a < b", "8 a < b && !done → !done", "8 < → <=", "8 < → >", "8 ! →",
		"9 n++ →", "10 v = min(a, 7) → _ = min(a, 7);", "10 min → max", "10 7 → 8",
		"12 → break;", "13 use(x, \"word\") →", "13 \"word\" → \"word~\"",
		"15 err != nil → !(err != nil)", "15 err != nil → (err != nil) && false", "15 err != nil → (err != nil) || true", "15 != → ==",
		"16 err → nil", "18 true → false",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("it alters\n%q\nwant\n%q", got, want)
	}
}

// TestTry tells apart what a test notices, what none does, and what does not compile.
func TestTry(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	for name, text := range map[string]string{
		"go.mod":    "module p\n\ngo 1.24\n",
		"p.go":      "package p\n\nfunc Half(n int) int { return n / 2 }\n",
		"p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) {\n\tif Half(4) != 2 {\n\t\tt.Error(Half(4))\n\t}\n}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for body, want := range map[string]outcome{"n / 2": survived, "n / 3": noticed, "half": invalid} {
		a := alteration{file: "p.go", text: []byte("package p\n\nfunc Half(n int) int { return " + body + " }\n")}
		if got, err := try(t.Context(), t.TempDir(), a, []string{"."}); got != want || err != nil {
			t.Errorf("%s: %d, %v, want %d", body, got, err, want)
		}
	}
}
