package postgres

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// The files in the data folder that open a server to connections over TCP.
const (
	certName     = "server.crt"
	keyName      = "server.key"
	clientCAName = "clients.crt"
	rulesName    = "pg_hba.conf"
)

// remoteFlags say where a server listens beside its socket, whose name has the same port in it.
func remoteFlags(remote *Remote) ([]string, error) {
	if remote == nil {
		return []string{"-c", "listen_addresses="}, nil
	}
	host, port, err := net.SplitHostPort(remote.Addr)
	if err != nil {
		return nil, fmt.Errorf("postgres address: %w", err)
	}
	flags := []string{"-c", "listen_addresses=" + host, "-c", "port=" + port, "-c", "ssl=on", "-c", "ssl_cert_file=" + certName, "-c", "ssl_key_file=" + keyName}
	if remote.ClientCA != "" {
		flags = append(flags, "-c", "ssl_ca_file="+clientCAName)
	}
	return flags, nil
}

// writeRemote writes the files of remote into the data folder, each as a whole, as the owner's alone.
func (o owner) writeRemote(data string, remote Remote) error {
	files := map[string]string{
		certName: remote.Cert, keyName: remote.Key,
		rulesName: "local all all trust\n" + remote.Rules,
	}
	if remote.ClientCA != "" {
		files[clientCAName] = remote.ClientCA
	}
	for name, text := range files {
		path := filepath.Join(data, name)
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			return fmt.Errorf("write postgres's files: %w", err)
		}
		if err := os.Chown(path+".new", o.uid, o.gid); err != nil {
			return fmt.Errorf("hand postgres's files over: %w", err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			return fmt.Errorf("write postgres's files: %w", err)
		}
	}
	return nil
}
