package blobstore

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/patience"
)

// store is the object store's name in errors and log lines about credentials.
const store = "S3"

// keysOf makes the keys of requests, all of one moment.
func keysOf(c Config) func(read credential.Read) (*credentials.Value, error) {
	return func(read credential.Read) (*credentials.Value, error) {
		v := &credentials.Value{SignerType: credentials.SignatureV4}
		var err error
		for _, one := range []struct {
			into        *string
			value, path string
		}{
			{&v.AccessKeyID, c.AccessKey, c.AccessKeyFile},
			{&v.SecretAccessKey, c.SecretKey, c.SecretKeyFile},
			{&v.SessionToken, c.SessionToken, c.SessionTokenFile},
		} {
			if *one.into, err = credential.Text(read, one.value, one.path); err != nil {
				return nil, err
			}
		}
		return v, nil
	}
}

// provider gives the driver the keys of now for each request.
type provider struct {
	keys *credential.Watched[*credentials.Value]

	mu    sync.Mutex
	given *credentials.Value
}

// RetrieveWithCredContext implements credentials.Provider.
func (p *provider) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	now, err := p.keys.Now()
	if err != nil {
		return credentials.Value{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.given = now
	return *now, nil
}

// Retrieve implements credentials.Provider.
func (p *provider) Retrieve() (credentials.Value, error) { return p.RetrieveWithCredContext(nil) }

// IsExpired implements credentials.Provider: whether there are other keys than those
// that were given.
func (p *provider) IsExpired() bool {
	now, err := p.keys.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	return err != nil || now != p.given
}

// transport sends requests over connections that are made with the certificates of
// now. With others than before it makes new ones; those of before end when they are
// idle.
type transport struct {
	config       Config
	secure       bool
	keys         *credential.Watched[*credentials.Value]
	certificates *credential.Watched[*tls.Config]

	mu   sync.Mutex
	made *tls.Config // what http was made with
	http *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	current, err := t.current()
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	answer, err := current.RoundTrip(r)
	if err == nil && (answer.StatusCode == http.StatusBadRequest || answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden) {
		t.keys.Doubt() // the next attempt has what the files hold then
	}
	if credential.OfCertificate(err) {
		t.certificates.Doubt()
	}
	return answer, err
}

func (t *transport) current() (*http.Transport, error) {
	settings, err := t.certificates.Now()
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.http != nil && t.made == settings {
		return t.http, nil
	}
	fresh, err := minio.DefaultTransport(t.secure)
	if err != nil {
		return nil, fmt.Errorf("connecting to the object store: %w", err)
	}
	fresh.ResponseHeaderTimeout = t.config.Timeout
	fresh.DialContext = patience.Limit(fresh.DialContext, t.config.Timeout) // for bodies, which may take long
	if named, _ := t.config.files().Named(); named {
		fresh.TLSClientConfig = settings.Clone()
	}
	if t.http != nil {
		t.http.CloseIdleConnections()
	}
	t.made, t.http = settings, fresh
	return fresh, nil
}

func (c Config) files() credential.TLSFiles {
	return credential.TLSFiles{CA: c.CAFile, Cert: c.CertFile, Key: c.KeyFile}
}

// connect makes what requests are sent through. Files that are not there are no error.
func connect(c Config, secure bool) (*transport, *credentials.Credentials, error) {
	named, err := c.files().Named()
	if err == nil && named && !secure {
		err = errors.New("there are files of certificates, but its endpoint is not https")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("opening the object store: %w", err)
	}
	o := credential.Options{Store: store, Every: c.CheckEvery, Log: c.Logger}
	keys := credential.Watch(o, keysOf(c))
	t := &transport{config: c, secure: secure, keys: keys, certificates: credential.Watch(o, c.files().Client)}
	return t, credentials.New(&provider{keys: keys}), nil
}

// explain asks for the reason of a refusal that came without one: the answer to a
// question for an object's or a bucket's head has no body, and so does not say whether
// the keys, the right or the thing is missing. Some stores say of keys that they do not
// know that the thing is not there.
func (s *Store) explain(ctx context.Context, b Bucket, key string, err error) error {
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return err
	}
	switch answer.StatusCode {
	case http.StatusForbidden, http.StatusUnauthorized, http.StatusBadRequest, http.StatusNotFound:
	default:
		return err
	}
	body, _, _, why := s.client.GetObject(ctx, s.name(b), key, minio.GetObjectOptions{})
	if why == nil {
		_ = body.Close()
		return err
	}
	if errors.As(why, &answer) && ofKeys(answer) {
		return why
	}
	return err
}

// errNoBucket is what Ready has explained when a bucket seems not to be there.
func errNoBucket() error {
	return minio.ErrorResponse{StatusCode: http.StatusNotFound, Code: minio.NoSuchBucket}
}

// note says once in the log that the store refuses our credentials.
func (s *Store) note(ctx context.Context, err error) error { return s.standing.Note(ctx, store, err) }
