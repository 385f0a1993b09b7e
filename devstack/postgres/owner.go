package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// dataName is the entry of the options' folder that leads to the cluster: the folder itself, or a link to it.
const dataName = "data"

// A cluster outside of the options' folder lies in a folder whose name begins so, beside a file that names the former.
const (
	outsidePrefix = "colophon-"
	backName      = "of"
)

// socketPathLimit is the longest folder for the server's unix socket (107 bytes in all).
const socketPathLimit = 107 - len("/"+socketName)

// owner is who runs the server. PostgreSQL refuses to run as root, so root hands it to another user.
type owner struct {
	uid, gid   int
	credential *syscall.Credential // nil: the current user
}

func findOwner() (owner, error) {
	if os.Getuid() != 0 {
		if _, err := user.LookupId(strconv.Itoa(os.Getuid())); err != nil {
			return owner{}, fmt.Errorf("initdb refuses a user id without an entry in the user database: %w", err)
		}
		return owner{uid: os.Getuid(), gid: os.Getgid()}, nil
	}
	var errs []error
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		uid, err := strconv.ParseUint(account.Uid, 10, 32)
		if err != nil {
			return owner{}, fmt.Errorf("user id of %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(account.Gid, 10, 32)
		if err != nil {
			return owner{}, fmt.Errorf("group id of %s: %w", name, err)
		}
		return owner{uid: int(uid), gid: int(gid),
			credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return owner{}, fmt.Errorf("root cannot run PostgreSQL and finds no other user: %w", errors.Join(errs...))
}

// socketDir is a short folder that depends on dir, the current user and the folder of temporary files alone: in that
// folder unless its name is too long, or the server's user cannot get there.
func socketDir(dir string) string {
	name := fmt.Sprintf("colophon-%d-%s", os.Getuid(), keyOf(dir))
	path := filepath.Join(os.TempDir(), name)
	account, err := findOwner()
	if len(path) > socketPathLimit || err == nil && !account.reaches(path) {
		path = filepath.Join("/tmp", name)
	}
	return path
}

func keyOf(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:6])
}

// makePrivate makes path a folder that only the owner (and root) can enter. In a folder that others may write to, one
// that somebody else made is refused.
func (o owner) makePrivate(path string) error {
	err := os.Mkdir(path, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make %s: %w", path, err)
	}
	made := err == nil
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", path)
	}
	holder, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("no owner known of %s", path)
	}
	if !made && int(holder.Uid) != o.uid && int(holder.Uid) != os.Getuid() {
		return fmt.Errorf("%s belongs to user %d, not to %d", path, holder.Uid, o.uid)
	}
	if err := os.Chown(path, o.uid, o.gid); err != nil {
		return fmt.Errorf("hand %s over: %w", path, err)
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return fmt.Errorf("close %s to others: %w", path, err)
	}
	return nil
}

// reaches reports whether the owner can enter every folder above path.
func (o owner) reaches(path string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		holder, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return false
		}
		bit := fs.FileMode(0o001)
		switch {
		case int(holder.Uid) == o.uid:
			bit = 0o100
		case int(holder.Gid) == o.gid:
			bit = 0o010
		}
		if info.Mode().Perm()&bit == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// dataDir returns where the cluster of dir lies or will lie: in dir, or, when the owner cannot get there (root's home
// is closed to others), in a folder of its own below /var, to which dir then holds a link. The name of such a folder is
// new for each dir that is made, so that a dir made anew never meets the database of an older one.
func (o owner) dataDir(dir string) (string, error) {
	path := filepath.Join(dir, dataName)
	if target, err := os.Readlink(path); err == nil {
		return target, nil
	}
	if o.credential == nil || o.reaches(path) {
		return path, nil
	}
	var errs []error
	for _, base := range []string{"/var/lib", "/var/tmp"} {
		if !o.reaches(filepath.Join(base, "x")) {
			continue
		}
		sweep(base)
		outside, err := os.MkdirTemp(base, outsidePrefix+keyOf(dir)+"-")
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if err := os.Chmod(outside, 0o711); err != nil {
			return "", fmt.Errorf("open %s: %w", outside, err)
		}
		target := filepath.Join(outside, dataName)
		if err := os.Symlink(target, path); err != nil {
			return "", fmt.Errorf("link to %s: %w", target, err)
		}
		// Last: a folder that names a dir without a link to it may be swept.
		if err := os.WriteFile(filepath.Join(outside, backName), []byte(dir), 0o600); err != nil {
			return "", fmt.Errorf("name the folder of %s: %w", target, err)
		}
		return target, nil
	}
	return "", fmt.Errorf("user %d, who runs PostgreSQL for root, cannot enter %s, and there is no other place: %w",
		o.uid, dir, errors.Join(errs...))
}

// sweep removes the folders below base whose dir was a temporary one that is gone. Others are kept: their dir may have
// been moved, or be on a disk that is not mounted. What cannot be removed stays for the next time.
func sweep(base string) {
	found, err := filepath.Glob(filepath.Join(base, outsidePrefix+"*"))
	if err != nil {
		return
	}
	for _, outside := range found {
		dir, err := os.ReadFile(filepath.Join(outside, backName))
		if err != nil || !isTemporary(string(dir)) {
			continue
		}
		target := filepath.Join(outside, dataName)
		link, err := os.Readlink(filepath.Join(string(dir), dataName))
		gone := err == nil && link != target || errors.Is(err, fs.ErrNotExist)
		if gone && len(processesIn(target)) == 0 {
			_ = os.RemoveAll(outside)
		}
	}
}

func isTemporary(dir string) bool {
	for _, base := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		if strings.HasPrefix(dir, filepath.Clean(base)+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// Remove removes the folder of a server that was closed, and its cluster also where that lies outside of the folder.
func Remove(dir string) error {
	if target, err := os.Readlink(filepath.Join(dir, dataName)); err == nil {
		outside := filepath.Dir(target)
		if of, err := os.ReadFile(filepath.Join(outside, backName)); err == nil && string(of) == dir {
			if err := os.RemoveAll(outside); err != nil {
				return fmt.Errorf("remove the database of %s: %w", dir, err)
			}
		}
	}
	return os.RemoveAll(dir)
}
