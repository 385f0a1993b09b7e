package devtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// findRoot returns the repository's root: the folder with go.work above this file, or above the working folder when the
// binary was built with -trimpath.
func findRoot() (string, error) {
	var starts []string
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		starts = append(starts, filepath.Dir(file))
	}
	if dir, err := os.Getwd(); err == nil {
		starts = append(starts, dir)
	}
	for _, dir := range starts {
		for {
			if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
				return dir, nil
			}
			parent := filepath.Dir(dir)
			if parent == dir {
				break
			}
			dir = parent
		}
	}
	return "", fmt.Errorf("no go.work above %s", strings.Join(starts, " and above "))
}

// sourceKey is a digest of everything that the binary is made of: the sources of its module and the Go version.
func sourceKey(module string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version())
	err := filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		isSource := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		if err != nil || entry.IsDir() || !isSource && name != "go.mod" && name != "go.sum" {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		// By its place in the module: two checkouts of the same sources share a build.
		fmt.Fprintln(sum, strings.TrimPrefix(path, module))
		_, err = io.Copy(sum, file)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read the sources of the development stack: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// build returns the path of the development stack's binary, made of the present sources. Only one process may be in it.
func build(root, cache, key string) (string, error) {
	folder := filepath.Join(cache, "devstack")
	binary := filepath.Join(folder, key)
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	// Earlier builds are of no use any more; a stack that still runs on one keeps running.
	if err := os.RemoveAll(folder); err != nil {
		return "", fmt.Errorf("remove earlier builds: %w", err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the build: %w", err)
	}
	command := exec.CommandContext(context.Background(), "go", "build",
		"-C", filepath.Join(root, "devstack"), "-o", binary+".new", "./cmd/devstack")
	command.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the development stack: %w: %s", err, output)
	}
	if err := os.Rename(binary+".new", binary); err != nil {
		return "", fmt.Errorf("put the build in place: %w", err)
	}
	return binary, nil
}

// cacheDir is where the binary is kept between runs.
func cacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		base = filepath.Join(os.TempDir(), fmt.Sprintf("colophon-cache-%d", os.Getuid()))
	}
	dir := filepath.Join(base, "colophon")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the cache folder: %w", err)
	}
	return dir, nil
}

// runDir makes the folder in which stacks of one build run and their tests meet. Its path is short, for the sockets in
// it, and others may enter it, since PostgreSQL can run as another user.
func runDir(key string) (string, error) {
	base := os.TempDir()
	if len(base) > 40 {
		base = "/tmp"
	}
	dir := filepath.Join(base, fmt.Sprintf("colophon-test-%d-%s", os.Getuid(), key))
	if err := os.Mkdir(dir, 0o711); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make the folder of the stack: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("look at the folder of the stack: %w", err)
	}
	// Only its owner can set the mode, so this also refuses a folder that somebody else has put there.
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", dir)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		return "", fmt.Errorf("set the mode of the folder of the stack: %w", err)
	}
	return dir, nil
}
