package credential

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// TLSFiles names the files, in PEM, of one side of TLS connections. Empty is none.
type TLSFiles struct {
	CA   string // authorities that the other side's certificate must come from; none: those of the system
	Cert string // our own certificate, and what leads from it to its authority
	Key  string // its key
}

// ErrPair says that of a certificate and its key only one is named.
var ErrPair = errors.New("a certificate needs both its file and that of its key")

// Named reports whether there is any file. ErrPair is its only error.
func (f TLSFiles) Named() (bool, error) {
	if (f.Cert == "") != (f.Key == "") {
		return false, ErrPair
	}
	return f.CA != "" || f.Cert != "", nil
}

// Client makes the settings of connections to a server, which prove themselves by our
// own certificate when there is one. The caller may set the ServerName, and nothing
// else, on a clone. Errors are ErrFile.
func (f TLSFiles) Client(read Read) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.CA != "" {
		pool, err := f.authorities(read)
		if err != nil {
			return nil, err
		}
		c.RootCAs = pool
	}
	if f.Cert != "" {
		pair, err := f.Pair(read)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{*pair}
	}
	return c, nil
}

func (f TLSFiles) authorities(read Read) (*x509.CertPool, error) {
	data, err := read(f.CA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("%w: %s holds no certificate", ErrFile, f.CA)
	}
	return pool, nil
}

// Pair reads the certificate and its key. Errors are ErrFile.
func (f TLSFiles) Pair(read Read) (*tls.Certificate, error) {
	cert, err := read(f.Cert)
	if err != nil {
		return nil, err
	}
	key, err := read(f.Key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil { // the texts name what is wrong, and hold nothing of the files
		return nil, fmt.Errorf("%w: %s and %s: %w", ErrFile, f.Cert, f.Key, err)
	}
	return &pair, nil
}
