package access

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/colophon-dev/colophon/devstack/s3"
	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/secrets"
)

// objects is the object store with its keys.
type objects struct {
	endpoint string         // https://host:port
	enforced bool           // whether each key has its own rights
	shared   key            // of the store's root
	files    *secrets.Mount // the server's certificate
	log      *objectLog
	start    func()
	stop     func()
}

type key struct{ access, secret string }

// client returns a client of the store itself, which asks nothing on its own.
func (r *rig) objectClient(k key) *minio.Client {
	r.t.Helper()
	client, err := minio.New(strings.TrimPrefix(r.objects.endpoint, "https://"), &minio.Options{
		Creds: credentials.NewStaticV4(k.access, k.secret, ""), Region: "us-east-1", MaxRetries: 1, Secure: true, Transport: r.trusting(),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return client
}

// trusting is how these tests themselves reach servers.
func (r *rig) trusting() *http.Transport {
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: secrets.Pool(r.first, r.second), MinVersion: tls.VersionTLS12}, DisableKeepAlives: true}
}

// certificate are the files of a server, as MinIO calls them.
func certificate(by *secrets.Authority) map[string]string {
	cert, key := by.Issue("server", secrets.InAnHour())
	return map[string]string{"public.crt": cert, "private.key": key}
}

// startObjects returns the object store: MinIO with one user and policy a role, where
// its program was given, else one with one key for all.
func (r *rig) startObjects() objects {
	r.t.Helper()
	address := devtest.FreeAddress(r.t)
	o := objects{
		endpoint: "https://" + address, enforced: *minioPath != "", shared: key{"rootuser", "rootpassword"},
		files: secrets.NewMount(r.t, certificate(r.first)),
	}
	r.objects = o
	if !o.enforced {
		for _, role := range access.Roles(names()) {
			r.showKey(role.Name, o.shared)
		}
		var running *s3.Server
		o.start = func() {
			var err error
			running, err = s3.New(s3.Options{
				Dir: filepath.Join(r.dir, "s3"), Addr: address, AccessKey: r.objects.shared.access, SecretKey: r.objects.shared.secret,
				CertFile: o.files.Path("public.crt"), KeyFile: o.files.Path("private.key"),
			})
			if err == nil {
				err = running.Start(r.t.Context())
			}
			if err != nil {
				r.t.Fatal(err)
			}
		}
		o.stop = func() { running.Kill() }
		o.start()
		r.t.Cleanup(o.stop)
		return o
	}
	o.log = &objectLog{all: make(map[string]bool)}
	audit := httptest.NewServer(o.log)
	r.t.Cleanup(audit.Close)
	var cmd *exec.Cmd
	var ended chan struct{}
	o.start = func() {
		cmd = exec.Command(*minioPath, "server", "--address", address, "--quiet", "--certs-dir", filepath.Dir(o.files.Path("public.crt")), filepath.Join(r.dir, "minio"))
		output := new(lockedBuffer)
		cmd.Stdout, cmd.Stderr = output, output
		cmd.Env = append(os.Environ(), "MINIO_ROOT_USER="+o.shared.access, "MINIO_ROOT_PASSWORD="+o.shared.secret, "MINIO_BROWSER=off", "HOME="+r.dir,
			"MINIO_AUDIT_WEBHOOK_ENABLE_test=on", "MINIO_AUDIT_WEBHOOK_ENDPOINT_test="+audit.URL)
		ended = r.run(cmd)
		client := &http.Client{Transport: r.trusting()}
		await(r.t, "the object store is ready", func() bool {
			select {
			case <-ended:
				r.t.Fatalf("the object store ended: %s", output)
			default:
			}
			answer, err := client.Get(o.endpoint + "/minio/health/cluster")
			if err == nil {
				_ = answer.Body.Close()
			}
			return err == nil && answer.StatusCode == http.StatusOK
		})
	}
	o.stop = func() { end(cmd, ended) }
	o.start()
	return o
}

// isOf reports whether the store shows a certificate of this authority: MinIO looks at its
// files each ten seconds.
func (o objects) isOf(by *secrets.Authority) bool {
	c, err := tls.Dial("tcp", strings.TrimPrefix(o.endpoint, "https://"), &tls.Config{RootCAs: secrets.Pool(by), MinVersion: tls.VersionTLS12})
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}

// showKey gives a role its key of the object store.
func (r *rig) showKey(role string, k key) {
	r.mount(role).Change(map[string]string{"access": k.access, "secret": k.secret})
}

// makeObjectUsers gives each role a user of the object store with the policy that
// `provision --print-policies` has written.
func (r *rig) makeObjectUsers() {
	r.t.Helper()
	if r.objects.enforced {
		policies := filepath.Join(r.dir, "policies")
		r.operator("provision", "--print-policies", policies, "--crawler", source)
		r.objectUsers("", policies)
	}
}

// objectUsers makes one user for each policy in a folder, whose name ends so, and shows
// it to its role.
func (r *rig) objectUsers(suffix, policies string) {
	r.t.Helper()
	for line := range strings.Lines(r.minioUsers(r.objects.endpoint, policies, suffix)) {
		name, secret, _ := strings.Cut(strings.TrimSpace(line), " ")
		r.showKey(strings.TrimSuffix(name, suffix), key{name, secret})
	}
}

// minioUsers runs the program that makes and removes users.
func (r *rig) minioUsers(args ...string) string {
	r.t.Helper()
	cmd := exec.Command(filepath.Join(filepath.Dir(*minioPath), "minio-users"), args...)
	authorities := filepath.Join(r.dir, "authorities.pem")
	if err := os.WriteFile(authorities, []byte(r.first.PEM+r.second.PEM), 0o600); err != nil {
		r.t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "MINIO_ROOT_USER="+r.objects.shared.access, "MINIO_ROOT_PASSWORD="+r.objects.shared.secret, "SSL_CERT_FILE="+authorities)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("users of the object store: %v: %s", err, errs.String())
	}
	return string(out)
}

// objectLog hears what the store says of each request.
type objectLog struct {
	mu       sync.Mutex
	all      map[string]bool
	refusals []string
}

// ServeHTTP implements http.Handler: one entry, or several, of the store's audit.
func (l *objectLog) ServeHTTP(_ http.ResponseWriter, q *http.Request) {
	var entry struct {
		API struct {
			Name, Bucket, Object string
			StatusCode           int
		}
		AccessKey string
	}
	for decoder := json.NewDecoder(q.Body); decoder.Decode(&entry) == nil; {
		l.mu.Lock()
		if entry.API.StatusCode == http.StatusForbidden {
			l.refusals = append(l.refusals, entry.AccessKey+" "+entry.API.Name+" "+entry.API.Bucket+"/"+entry.API.Object)
		}
		role, _, _ := strings.Cut(entry.AccessKey, keySuffix)
		l.all[role+" "+verbOf(entry.API.Name)+" "+strings.TrimPrefix(entry.API.Bucket, names().Buckets)] = true
		l.mu.Unlock()
	}
}

func verbOf(api string) string {
	switch api {
	case "HeadBucket", "ListObjectsV2", "ListObjectsV1":
		return "look"
	case "GetObject", "HeadObject":
		return "get"
	case "PutObject", "NewMultipartUpload", "PutObjectPart", "CompleteMultipartUpload":
		return "put"
	case "DeleteObject", "DeleteMultipleObjects":
		return "delete"
	case "PutBucket":
		return "make"
	}
	return api
}

// uses returns what was done in the store, as lines: role, verb, bucket; and what was
// refused.
func (o objects) uses() (uses, refusals []string) {
	if o.log == nil {
		return nil, nil
	}
	o.log.mu.Lock()
	defer o.log.mu.Unlock()
	for u := range o.log.all {
		uses = append(uses, u)
	}
	return uses, slices.Clone(o.log.refusals)
}

// orphans puts objects that no row names into the store, where the janitor is to find
// them when they are old enough.
func (r *rig) orphans() (gone func() bool) {
	client := r.objectClient(r.objects.shared)
	sum := strings.Repeat("ab", 32)
	orphans := map[string]string{
		names().Buckets + "raw":     "night/sha256/ab/" + sum,
		names().Buckets + "derived": blobstore.SegmentKey("night", "x", "snap_x", 1, 1, sum),
	}
	for bucket, key := range orphans {
		if _, err := client.PutObject(r.t.Context(), bucket, key, strings.NewReader("x"), 1, minio.PutObjectOptions{DisableContentSha256: true}); err != nil {
			r.t.Fatal(err)
		}
	}
	return func() bool {
		for bucket, key := range orphans {
			if _, err := client.StatObject(r.t.Context(), bucket, key, minio.StatObjectOptions{}); err == nil {
				return false
			}
		}
		return true
	}
}

// refusedByObjects tries every verb on every bucket, and on keys within and beside
// those of the table, as every role.
func (r *rig) refusedByObjects(t *testing.T) {
	if !r.objects.enforced {
		t.Skip("this object store knows one key: make access-test runs with one that enforces policies")
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	n := names()
	cells := 0
	for _, role := range access.Roles(n) {
		shown := r.mount(role.Name).Now()
		if shown["access"] == "" {
			if len(role.Objects) > 0 {
				t.Errorf("%s has no user", role.Name)
			}
			continue
		}
		client := r.objectClient(key{shown["access"], shown["secret"]})
		for _, bucket := range blobstore.Buckets() {
			full := n.Buckets + string(bucket)
			try := func(verb access.Verb, object string, do func() error) {
				cells++
				denied := minio.ToErrorResponse(do()).Code == "AccessDenied"
				if may := mayObject(role, string(bucket), verb, object); denied == may {
					t.Errorf("%s %s %s/%s: refused %v, must be %v", role.Name, verb, full, object, denied, !may)
				}
			}
			try(access.Look, "", func() error {
				for o := range client.ListObjects(ctx, full, minio.ListObjectsOptions{MaxKeys: 1}) {
					return o.Err
				}
				return nil
			})
			try(access.Make, "", func() error { return client.MakeBucket(ctx, full, minio.MakeBucketOptions{}) })
			for _, object := range []string{
				"night/sha256/aa/bb", "night/ir/x/y", "night/facts/x/y", "night/ocr/x/y", "night/figures/x", "night/thumbs/x", "night/llm/x",
				source + "/file", source + "x/file", "file", ".colophon/probe", ".colophon/other",
			} {
				try(access.Get, object, func() error {
					_, _, _, err := minio.Core{Client: client}.GetObject(ctx, full, object, minio.GetObjectOptions{})
					return err
				})
				try(access.Put, object, func() error {
					_, err := client.PutObject(ctx, full, object, bytes.NewReader(nil), 0, minio.PutObjectOptions{DisableContentSha256: true})
					return err
				})
				try(access.Delete, object, func() error { return client.RemoveObject(ctx, full, object, minio.RemoveObjectOptions{}) })
			}
			cells++
			if err := client.RemoveBucket(ctx, full); minio.ToErrorResponse(err).Code != "AccessDenied" {
				t.Errorf("%s may remove bucket %s: %v", role.Name, full, err)
			}
			cells++
			if err := client.MakeBucket(ctx, "other-"+string(bucket), minio.MakeBucketOptions{}); minio.ToErrorResponse(err).Code != "AccessDenied" {
				t.Errorf("%s may make a bucket of another installation: %v", role.Name, err)
			}
		}
	}
	t.Logf("%d cells", cells)
}

// mayObject says what the table says of a verb on a key, or on the bucket.
func mayObject(role access.Role, bucket string, verb access.Verb, object string) bool {
	return slices.ContainsFunc(role.Objects, func(o access.Object) bool {
		if o.Bucket != bucket || o.Verb != verb {
			return false
		}
		return object == "" || slices.ContainsFunc(o.Keys, func(pattern string) bool { return matchesKey(pattern, object) })
	})
}

// matchesKey matches as S3 does: * is any text, also with slashes.
func matchesKey(pattern, object string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == object
	}
	if !strings.HasPrefix(object, first) {
		return false
	}
	for i := len(first); i <= len(object); i++ {
		if matchesKey(rest, object[i:]) {
			return true
		}
	}
	return false
}

// orphanAge is how old an object without a row must be before the janitor of these
// tests deletes it: the least that its setting takes.
const orphanAge = time.Minute

// keySuffix is what the second key of a role has behind its name.
const keySuffix = "-second"
