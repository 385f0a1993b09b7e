package blobstore

import "github.com/colophon-dev/colophon/pkg/config"

// ConfigOf turns a service's settings into a Config.
func ConfigOf(s config.S3) Config {
	return Config{
		Endpoint: s.Endpoint, AccessKey: s.AccessKey.Value(), SecretKey: s.SecretKey.Value(), Region: s.Region,
		BucketPrefix: s.BucketPrefix, Timeout: s.Timeout, TempDir: s.TempDir,
	}
}
