package credentials_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	//	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{t: t, cert: cert, key: key, pem: inPEM("CERTIFICATE", der)}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func inPEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// issue makes a certificate for a name and for 127.0.0.1, good until then.
func (a *authority) issue(name string, until time.Time) (cert, key string) {
	a.t.Helper()
	own := newKey(a.t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: until,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:    []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, own.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		a.t.Fatal(err)
	}
	return inPEM("CERTIFICATE", der), inPEM("PRIVATE KEY", secret)
}

// client is what a client is given: this authority, and a certificate of its own.
func (a *authority) client(name string, until time.Time) map[string]string {
	cert, key := a.issue(name, until)
	return map[string]string{"ca.crt": a.pem, "tls.crt": cert, "tls.key": key}
}

// server is the TLS of a server that asks each client for a certificate of one of the
// authorities; of none when there are none.
func (a *authority) server(clients ...*authority) *tls.Config {
	a.t.Helper()
	cert, key := a.issue("server", inAnHour())
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		a.t.Fatal(err)
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	if len(clients) > 0 {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		for _, one := range clients {
			c.ClientCAs.AddCert(one.cert)
		}
	}
	return c
}

func inAnHour() time.Time { return time.Now().Add(time.Hour) }

// mount is a folder of files as Kubernetes mounts a Secret: each is a link through one
// link that is turned to a new folder.
type mount struct {
	t   *testing.T
	dir string
	now map[string]string
}

func newMount(t *testing.T, files ...map[string]string) *mount {
	t.Helper()
	m := &mount{t: t, dir: t.TempDir(), now: make(map[string]string)}
	m.change(files...)
	return m
}

func (m *mount) path(name string) string { return filepath.Join(m.dir, name) }

// change replaces files in one step; the others stay.
func (m *mount) change(files ...map[string]string) {
	m.t.Helper()
	fresh, err := os.MkdirTemp(m.dir, "..")
	if err != nil {
		m.t.Fatal(err)
	}
	for _, some := range files {
		for name, text := range some {
			m.now[name] = text
		}
	}
	for name, text := range m.now {
		if err := os.WriteFile(filepath.Join(fresh, name), []byte(text), 0o600); err != nil {
			m.t.Fatal(err)
		}
		if _, err := os.Lstat(m.path(name)); err != nil {
			if err := os.Symlink(filepath.Join("..data", name), m.path(name)); err != nil {
				m.t.Fatal(err)
			}
		}
	}
	next := m.path("..next")
	if err := os.Symlink(filepath.Base(fresh), next); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Rename(next, m.path("..data")); err != nil {
		m.t.Fatal(err)
	}
}

// journal keeps log lines.
type journal struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.out.Write(p)
}

func (j *journal) log() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

func (j *journal) count(text string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.out.String(), text)
}

// holdsNone fails the test when a secret is in the log.
func (j *journal) holdsNone(t *testing.T, secrets ...string) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, secret := range secrets {
		if secret != "" && strings.Contains(j.out.String(), secret) {
			t.Errorf("the log holds the secret %q", secret)
		}
	}
}

func eventually(t *testing.T, what string, met func() error) {
	t.Helper()
	deadline := time.After(15 * time.Second)
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := met()
		if err == nil {
			return
		}
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("gave up waiting: %s: %v", what, err)
		}
	}
}

// holds is an error unless it is so.
func holds(so bool) error {
	if so {
		return nil
	}
	return fmt.Errorf("it is not so")
}

func onePage() model.PageRange { return model.PageRange{From: 1, To: 1} }
