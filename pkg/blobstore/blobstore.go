// Package blobstore keeps objects (contracts#objects) in any store that speaks the
// S3 API, and is the only importer of its client. One door leads in and one
// out: PutOnce never replaces what is there, Get verifies what it reads.
//
// An object is put before the row that names it, so a crash in between leaves
// an orphan and nothing else. Some stores ignore the condition of a conditional
// PUT: the row in the catalog says which object counts, never the put.
//
// Errors carry their kind (pkg/fault): a store that is away, too slow, in
// trouble, without the bucket or refusing the key is Unavailable, and so is one
// that gives an answer which says nothing of the request; what it would refuse
// every time is permanent. ErrNotFound, ErrDamaged and ErrTooLarge are
// not marked: only the caller knows what they mean.
package blobstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/colophon-dev/colophon/pkg/credential"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// Bucket is one of the buckets (contracts#keys); its name in the store has the
// configured prefix in front.
type Bucket string

// The buckets (contracts#keys).
const (
	Raw     Bucket = "raw"     // captured bytes
	Derived Bucket = "derived" // what was made of them
	Inbox   Bucket = "inbox"   // what crawlers hand over by reference
	Bundles Bucket = "bundles" // offline bundles
)

// Buckets returns all buckets.
func Buckets() []Bucket { return []Bucket{Raw, Derived, Inbox, Bundles} }

const (
	defaultTimeout = 30 * time.Second
	// tries bounds the client's own attempts at one request, about a second in
	// all. Whoever waits longer for a store does so in the runner.
	tries = 3
	// singlePutLimit is S3's limit for one PUT. Above it there is only
	// multipart, which ignores conditions in some stores.
	singlePutLimit = 5 << 30
	partSize       = 64 << 20
)

// Config says where the store is.
type Config struct {
	Endpoint     string // URL (http://host:port), or host:port with TLS beside it
	AccessKey    string
	SecretKey    string // a secret
	SessionToken string // where the keys are temporary ones; a secret
	Region       string // default us-east-1
	TLS          bool   // for an Endpoint without a scheme
	BucketPrefix string // before each bucket's name, like "colophon-"

	// WriteOnly is for a key that may put and nothing else: what is in its place is
	// not asked for, and replaced.
	WriteOnly bool

	Timeout time.Duration // of one request for an object in memory, default 30 s
	TempDir string        // for GetFile; default the system's

	AccessKeyFile    string // file that holds the key in its place, as for the next two; empty: none
	SecretKeyFile    string
	SessionTokenFile string
	CAFile           string // authorities of the store's certificate, PEM; empty: those of the system
	CertFile         string // our own certificate, PEM; empty: none
	KeyFile          string // its key, PEM

	CheckEvery time.Duration // how old what was read of the files may be, default 5 s
	Logger     *slog.Logger  // told of credentials that change or are refused; nil: quiet

	// Adopt, when set, is told of each object that a put finds in its place, and
	// answers whether no row names it: then it may have been deleted meanwhile,
	// and the put looks again. Its errors are classified.
	Adopt func(ctx context.Context, b Bucket, key string) (orphan bool, err error)

	observe *observer // see Traced; nil: nothing is measured
}

// Store is the object store. It is safe for concurrent use.
type Store struct {
	client      minio.Core
	config      Config
	standing    credential.Standing
	conditional atomic.Int32 // unknown, obeyed or ignored
}

// Open checks the settings; it does not connect, so that a service can start
// before its store. Files of credentials are read again when they change and when the
// store refuses what they held; one that is not there is an Unavailable error of what
// needs it.
func Open(_ context.Context, c Config) (*Store, error) {
	host, secure, err := endpoint(c.Endpoint, c.TLS)
	if err != nil {
		return nil, err
	}
	if c.Region == "" {
		c.Region = "us-east-1" // else the client asks the store for it first
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	transport, keys, err := connect(c, secure)
	if err != nil {
		return nil, err
	}
	client, err := minio.NewCore(host, &minio.Options{
		Creds:           keys,
		Secure:          secure,
		Region:          c.Region,
		Transport:       c.observe.over(transport),
		TrailingHeaders: true,
		MaxRetries:      tries,
	})
	if err != nil {
		return nil, fmt.Errorf("opening the object store: %w", err)
	}
	return &Store{client: *client, config: c, standing: credential.Standing{Log: c.Logger}}, nil
}

// endpoint takes host and scheme out of a setting that may have both.
func endpoint(setting string, tls bool) (host string, secure bool, err error) {
	if !strings.Contains(setting, "://") {
		if setting == "" {
			return "", false, errors.New("the object store's endpoint is not set")
		}
		return setting, tls, nil
	}
	u, err := url.Parse(setting)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || strings.Trim(u.Path, "/") != "" || u.User != nil {
		return "", false, errors.New("the object store's endpoint must be http://host:port or https://host:port")
	}
	return u.Host, u.Scheme == "https", nil
}

// name returns the bucket's name in the store.
func (s *Store) name(b Bucket) string { return s.config.BucketPrefix + string(b) }

// EnsureBuckets makes those of the buckets that are missing; none given means
// all. Any number of processes may do so at once.
func (s *Store) EnsureBuckets(ctx context.Context, buckets ...Bucket) error {
	if len(buckets) == 0 {
		buckets = Buckets()
	}
	for _, b := range buckets {
		exists, err := s.client.BucketExists(ctx, s.name(b))
		if err == nil && !exists {
			err = s.client.MakeBucket(ctx, s.name(b), minio.MakeBucketOptions{Region: s.config.Region})
			if err != nil { // another may have made it first
				if now, _ := s.client.BucketExists(ctx, s.name(b)); now {
					err = nil
				}
			}
		}
		if err != nil {
			return fmt.Errorf("making bucket %s: %w", s.name(b), classify(ctx, b, err))
		}
	}
	return nil
}

// readyKey names an object that need not exist.
const readyKey = ownPrefix + "ready"

// Ready answers whether the store answers and has these buckets: the probe of the
// runner and of readiness. A service names those that it works with: it has no right to
// ask for others.
func (s *Store) Ready(ctx context.Context, buckets ...Bucket) error {
	limited, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	for _, b := range buckets {
		exists, err := s.client.BucketExists(limited, s.name(b))
		if err != nil {
			err = classify(ctx, b, s.explain(limited, b, readyKey, err))
			return s.note(ctx, fmt.Errorf("asking the object store for bucket %s: %w", s.name(b), err))
		}
		if !exists {
			if err := classify(ctx, b, s.explain(limited, b, readyKey, errNoBucket())); errors.Is(err, credential.ErrRefused) {
				return s.note(ctx, fmt.Errorf("asking the object store for bucket %s: %w", s.name(b), err))
			}
			return fault.Unavailable(fmt.Errorf("the object store has no bucket %s", s.name(b)))
		}
	}
	return s.note(ctx, nil)
}
