package app

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// writeCertificate puts a certificate with this number, signed by itself, and its key
// into files.
func writeCertificate(t *testing.T, h HTTP, number int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(number), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{h.Cert: {Type: "CERTIFICATE", Bytes: cert}, h.Key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheAPIHasACertificate: one that is not there at first, and then another.
func TestTheAPIHasACertificate(t *testing.T) {
	dir := t.TempDir()
	h := HTTP{Cert: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")}
	settings, err := certificateOf(h, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := settings.GetCertificate(nil); err == nil {
		t.Error("ready without a certificate")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.Conns = 8
	d := newDrainingServer(listener, &http.Server{TLSConfig: settings, Handler: http.NotFoundHandler()}, h)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- d.serveUntilStopped(ctx) }()
	for number := int64(1); number <= 2; number++ {
		writeCertificate(t, h, number)
		deadline := time.Now().Add(time.Minute)
		for {
			// Which certificate it is, is what is asked.
			conn, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{InsecureSkipVerify: true})
			if err != nil {
				t.Fatal(err)
			}
			got := conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
			_ = conn.Close()
			if got == number {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("certificate %d, want %d", got, number)
			}
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if settings, err := certificateOf(HTTP{}, nil); settings != nil || err != nil {
		t.Errorf("without files: %v, %v", settings, err)
	}
	if _, err := certificateOf(HTTP{Cert: "x"}, nil); err == nil {
		t.Error("a certificate without a key was taken")
	}
}
