package s3

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"

	"github.com/colophon-dev/colophon/devstack/child"
)

const (
	// healthPath cannot be the name of a bucket, so it hides none.
	healthPath = "/_health"
	// portTries bounds the search for a port that nobody takes between its choice and its use.
	portTries = 5
	// handover is how long a child waits for one before it whose parent was killed.
	handover = 10 * time.Second
	// stopGrace is how long requests in flight may take after the end was asked for.
	stopGrace = 3 * time.Second
	// multipartParts and copyThreshold are the limits of Amazon's S3.
	multipartParts = 10000
	copyThreshold  = 5 << 30
	// connections and fileActions bound what one gateway does at once.
	connections = 4096
	fileActions = 64
)

// Role serves the object store inside a child process until ctx ends, and reports its address.
func Role(ctx context.Context, config []byte, ready func(report string)) error {
	var options Options
	if err := json.Unmarshal(config, &options); err != nil {
		return fmt.Errorf("s3 settings: %w", err)
	}
	waiting, cancel := context.WithTimeout(ctx, handover)
	defer cancel()
	lock, err := child.Lock(waiting, filepath.Join(options.Dir, "lock"))
	if err != nil {
		return err
	}
	defer lock.Close()
	backend, err := openBackend(options.Dir)
	if err != nil {
		return err
	}
	tries := 1
	if strings.HasSuffix(options.Addr, ":0") {
		tries = portTries
	}
	for ; ; tries-- {
		err = serve(ctx, backend, options, ready)
		if err == nil || tries <= 1 || ctx.Err() != nil {
			return err
		}
	}
}

// openBackend keeps metadata in extended attributes where the file system has them, else in files beside the objects.
// The choice is made once: objects written one way cannot be read the other way.
func openBackend(dir string) (*posix.Posix, error) {
	data, sidecar := filepath.Join(dir, "data"), filepath.Join(dir, "meta")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, fmt.Errorf("make s3 data folder: %w", err)
	}
	opts := posix.PosixOpts{Concurrency: fileActions, CopyObjectThreshold: copyThreshold}
	var store meta.MetadataStorer = meta.XattrMeta{}
	chosen, err := exists(sidecar)
	if err != nil {
		return nil, err
	}
	if chosen || !hasAttributes(data) {
		if err := os.MkdirAll(sidecar, 0o700); err != nil {
			return nil, fmt.Errorf("make s3 side-car folder: %w", err)
		}
		if store, err = meta.NewSideCar(sidecar); err != nil {
			return nil, fmt.Errorf("open s3 side-car folder: %w", err)
		}
		opts.SideCarDir = sidecar
	}
	backend, err := posix.New(data, store, opts)
	if err != nil {
		return nil, fmt.Errorf("open s3 folder: %w", err)
	}
	return backend, nil
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err == nil, nil
	}
	return false, fmt.Errorf("look for %s: %w", path, err)
}

// hasAttributes reports whether files in dir can carry user attributes, by giving one to a file.
func hasAttributes(dir string) bool {
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return false
	}
	defer func() { _ = os.Remove(probe.Name()) }()
	defer probe.Close()
	return meta.XattrMeta{}.StoreAttribute(probe, "", "", "probe", []byte("1")) == nil
}

// serve runs the gateway on the address of the options, or on a free port when that is 0.
func serve(ctx context.Context, backend *posix.Posix, options Options, ready func(report string)) error {
	addr, err := choosePort(ctx, options.Addr)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- embedgw.RunVersityGW(ctx, backend, &embedgw.Config{
			RootUserAccess:    options.AccessKey,
			RootUserSecret:    options.SecretKey,
			Ports:             []string{addr},
			MaxConnections:    connections,
			MaxRequests:       connections,
			MultipartMaxParts: multipartParts,
			KeepAlive:         true,
			Quiet:             true,
			HealthPath:        healthPath,
			CertFile:          options.CertFile,
			KeyFile:           options.KeyFile,
		})
	}()
	if err := awaitHealth(ctx, options.scheme()+addr, ended); err != nil {
		return err
	}
	ready(addr)
	select {
	case err := <-ended:
		return fmt.Errorf("s3 gateway ended: %w", err)
	case <-ctx.Done():
	}
	select {
	case <-ended:
	case <-time.After(stopGrace):
	}
	return nil
}

// choosePort replaces port 0 by one that is free now. Another port must be free: whoever listens there already would
// answer in the gateway's place.
func choosePort(ctx context.Context, addr string) (string, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return "", fmt.Errorf("s3 gateway on %s: %w", addr, err)
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

// awaitHealth waits until the gateway answers, or has ended.
func awaitHealth(ctx context.Context, url string, ended <-chan error) error {
	// What is asked is the process that was just started, for a sign of life.
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+healthPath, nil)
	if err != nil {
		return fmt.Errorf("s3 health request: %w", err)
	}
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("s3 gateway on %s: %w", url, err)
		case <-time.After(5 * time.Millisecond):
		}
		response, err := client.Do(request)
		if err != nil {
			continue
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return nil
		}
	}
}
