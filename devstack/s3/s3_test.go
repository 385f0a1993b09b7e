package s3_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/colophon-dev/colophon/devstack/child"
	"github.com/colophon-dev/colophon/devstack/s3"
)

func TestMain(m *testing.M) {
	if child.Main(map[string]child.Role{s3.RoleName: s3.Role}) {
		return
	}
	os.Exit(m.Run())
}

func contextOf(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func start(t *testing.T, dir string) (*s3.Server, *minio.Client) {
	t.Helper()
	server, err := s3.New(s3.Options{Dir: dir, AccessKey: "access", SecretKey: "secret-of-the-test"})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(contextOf(t)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	client, err := minio.New(strings.TrimPrefix(server.Endpoint(), "http://"), &minio.Options{
		Creds: credentials.NewStaticV4("access", "secret-of-the-test", ""), TrailingHeaders: true})
	if err != nil {
		t.Fatal(err)
	}
	return server, client
}

func put(t *testing.T, client *minio.Client, key, text string, options minio.PutObjectOptions) error {
	t.Helper()
	options.DisableContentSha256 = true
	_, err := client.PutObject(contextOf(t), "bucket", key, strings.NewReader(text), int64(len(text)), options)
	return err
}

// testStore writes, overwrites, reads, conditions and deletes, over a kill in between.
func testStore(t *testing.T, dir string) {
	t.Helper()
	ctx := contextOf(t)
	server, client := start(t, dir)
	if err := client.MakeBucket(ctx, "bucket", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := put(t, client, "a/b", "text", minio.PutObjectOptions{ContentType: "text/x-own",
		UserMetadata: map[string]string{"Own": "value"}}); err != nil {
		t.Fatal(err)
	}
	endpoint := server.Endpoint()
	server.Kill()
	if err := server.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if server.Endpoint() != endpoint {
		t.Errorf("endpoint changed from %s to %s", endpoint, server.Endpoint())
	}
	info, err := client.StatObject(ctx, "bucket", "a/b", minio.StatObjectOptions{})
	if err != nil || info.ContentType != "text/x-own" || info.UserMetadata["Own"] != "value" {
		t.Errorf("after a kill: %+v, %v", info, err)
	}
	object, err := client.GetObject(ctx, "bucket", "a/b", minio.GetObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(object); err != nil || string(text) != "text" {
		t.Errorf("after a kill: %q, %v", text, err)
	}
	once := minio.PutObjectOptions{DisableMultipart: true}
	once.SetMatchETagExcept("*")
	if err := put(t, client, "a/b", "other", once); minio.ToErrorResponse(err).Code != "PreconditionFailed" {
		t.Errorf("a conditional put over an object: %v", err)
	}
	if err := client.RemoveObject(ctx, "bucket", "a/b", minio.RemoveObjectOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := client.StatObject(ctx, "bucket", "a/b", minio.StatObjectOptions{}); err == nil {
		t.Error("a removed object is still there")
	}
	if err := server.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func TestStore(t *testing.T) { testStore(t, t.TempDir()) }

// TestStoreWithSideCar makes the folder that stands for a file system without user attributes.
func TestStoreWithSideCar(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "meta"), 0o700); err != nil {
		t.Fatal(err)
	}
	testStore(t, dir)
	if entries, err := os.ReadDir(filepath.Join(dir, "meta")); err != nil || len(entries) == 0 {
		t.Errorf("nothing in the side-car folder: %v", err)
	}
}

func TestTakenPortIsTold(t *testing.T) {
	first, _ := start(t, t.TempDir())
	second, err := s3.New(s3.Options{Dir: t.TempDir(), AccessKey: "access", SecretKey: "secret-of-the-test",
		Addr: strings.TrimPrefix(first.Endpoint(), "http://")})
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Start(contextOf(t)); err == nil {
		second.Kill()
		t.Error("two servers on one port")
	}
}

func TestNewRefuses(t *testing.T) {
	for _, options := range []s3.Options{{}, {AccessKey: "a"}, {AccessKey: "a", SecretKey: "b", Addr: "no port"}} {
		if _, err := s3.New(options); err == nil {
			t.Errorf("%+v was taken", options)
		}
	}
}
