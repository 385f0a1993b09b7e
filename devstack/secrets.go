package devstack

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// secrets are random for each stack folder and kept in it, readable by its owner alone.
type secrets struct {
	S3AccessKey string `json:"s3_access_key"`
	S3SecretKey string `json:"s3_secret_key"`
}

// loadSecrets reads the secrets at path, or makes them.
func loadSecrets(path string) (secrets, error) {
	var kept secrets
	content, err := os.ReadFile(path)
	if err == nil {
		if err := json.Unmarshal(content, &kept); err != nil {
			return secrets{}, fmt.Errorf("read %s: %w", path, err)
		}
		return kept, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return secrets{}, fmt.Errorf("read the stack's secrets: %w", err)
	}
	kept = secrets{S3AccessKey: "dev-" + rand.Text()[:12], S3SecretKey: rand.Text() + rand.Text()}
	if content, err = json.Marshal(kept); err != nil {
		return secrets{}, fmt.Errorf("encode the stack's secrets: %w", err)
	}
	// Whole or not at all: a stack killed half-way must be able to start again.
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return secrets{}, fmt.Errorf("write the stack's secrets: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return secrets{}, fmt.Errorf("write the stack's secrets: %w", err)
	}
	return kept, nil
}
