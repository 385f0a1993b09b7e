package images

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// image is one that was unpacked.
type image struct {
	name   string
	root   string // folder of its file system
	config v1.Config
	size   int64 // bytes of its files
}

// unpack lays out the image of an OCI archive below dir.
func unpack(t *testing.T, archive, dir string) image {
	t.Helper()
	img := image{name: strings.TrimSuffix(filepath.Base(archive), ".tar"), root: filepath.Join(dir, "root")}
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := untar(file, filepath.Join(dir, "oci")); err != nil {
		t.Fatal(err)
	}
	index, err := layout.ImageIndexFromPath(filepath.Join(dir, "oci"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		t.Fatalf("%s: want one image: %v", archive, err)
	}
	found, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := found.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	img.config = config.Config
	flat := mutate.Extract(found)
	defer func() { _ = flat.Close() }()
	if img.size, err = untar(flat, img.root); err != nil {
		t.Fatal(err)
	}
	return img
}

// untar writes a tar file's entries below dir with their modes and, as root,
// owners, and returns the bytes of its files. The archives are ours.
func untar(r io.Reader, dir string) (int64, error) {
	root, err := openRoot(dir)
	if err != nil {
		return 0, err
	}
	defer func() { _ = root.Close() }()
	var size int64
	for entries := tar.NewReader(r); ; {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return size, nil
		}
		if err != nil {
			return 0, err
		}
		name := filepath.Clean(strings.TrimPrefix(h.Name, "/"))
		if name == "." {
			continue
		}
		size += h.Size
		if err := writeEntry(root, name, h, entries); err != nil {
			return 0, fmt.Errorf("%s: %w", h.Name, err)
		}
	}
}

func openRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

func writeEntry(root *os.Root, name string, h *tar.Header, content io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		if err := root.MkdirAll(name, 0o755); err != nil {
			return err
		}
	case tar.TypeSymlink:
		return root.Symlink(h.Linkname, name)
	case tar.TypeLink:
		return root.Link(filepath.Clean(strings.TrimPrefix(h.Linkname, "/")), name)
	case tar.TypeReg:
		f, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, content)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		return nil // of /dev, which the runtime mounts
	default:
		return fmt.Errorf("an entry of type %q", h.Typeflag)
	}
	if os.Getuid() == 0 {
		if err := root.Chown(name, h.Uid, h.Gid); err != nil {
			return err
		}
	}
	return root.Chmod(name, h.FileInfo().Mode())
}
