package devstack_test

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	natsclient "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	pb "github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/devstack"
)

// dirVariable makes this test binary run a stack in a folder until it is killed.
const dirVariable = "DEVSTACK_TEST_DIR"

func TestMain(m *testing.M) {
	if devstack.ChildMain() {
		return
	}
	if dir := os.Getenv(dirVariable); dir != "" {
		serveUntilKilled(dir)
	}
	os.Exit(m.Run())
}

func serveUntilKilled(dir string) {
	stack, err := devstack.Start(context.Background(), devstack.Options{Dir: dir})
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
	for _, line := range stack.Endpoints().Environ() {
		os.Stdout.WriteString(line + "\n")
	}
	os.Stdout.WriteString("ready\n")
	select {}
}

func contextOf(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func start(t *testing.T, dir string) *devstack.Stack {
	t.Helper()
	begin := time.Now()
	stack, err := devstack.Start(contextOf(t), devstack.Options{Dir: dir})
	if err != nil {
		if os.Getenv("CI") != "true" && strings.Contains(err.Error(), "not installed") {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	t.Logf("started in %v", time.Since(begin).Round(time.Millisecond))
	t.Cleanup(func() {
		if err := stack.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return stack
}

// clients reach all four parts.
type clients struct {
	stream   jetstream.JetStream
	objects  *minio.Client
	postgres *pgx.Conn
	vectors  *pb.Client
}

func connect(t *testing.T, e devstack.Endpoints) clients {
	t.Helper()
	connection, err := natsclient.Connect(e.NATSURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(connection.Close)
	stream, err := jetstream.New(connection)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := minio.New(strings.TrimPrefix(e.S3Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(e.S3AccessKey, e.S3SecretKey, ""), TrailingHeaders: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	database, err := pgx.Connect(contextOf(t), e.PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close(context.Background()) })
	return clients{stream: stream, objects: objects, postgres: database, vectors: vectorClient(t, e.QdrantAddr)}
}

// put writes one thing to each part, and each part acknowledges it.
func (c clients) put(t *testing.T) {
	t.Helper()
	ctx := contextOf(t)
	if _, err := c.stream.CreateStream(ctx, jetstream.StreamConfig{Name: "KEPT", Subjects: []string{"kept"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.stream.Publish(ctx, "kept", []byte("message")); err != nil {
		t.Fatal(err)
	}
	if err := c.objects.MakeBucket(ctx, "kept", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	body := strings.Repeat("object", 10_000)
	if _, err := c.objects.PutObject(ctx, "kept", "a/b", strings.NewReader(body), int64(len(body)),
		minio.PutObjectOptions{DisableContentSha256: true, ContentType: "text/x-kept"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.postgres.Exec(ctx, "CREATE TABLE kept AS SELECT 'row' AS value"); err != nil {
		t.Fatal(err)
	}
	makeCollection(t, c.vectors, "kept")
	wait := true
	if _, err := c.vectors.Upsert(ctx, &pb.UpsertPoints{CollectionName: "kept", Wait: &wait, Points: []*pb.PointStruct{{
		Id: pb.NewIDNum(7), Vectors: pb.NewVectors(3, 4), Payload: pb.NewValueMap(map[string]any{"value": "point"}),
	}}}); err != nil {
		t.Fatal(err)
	}
}

// check finds what put has written.
func (c clients) check(t *testing.T) {
	t.Helper()
	ctx := contextOf(t)
	stream, err := c.stream.Stream(ctx, "KEPT")
	if err != nil {
		t.Fatal(err)
	}
	if message, err := stream.GetMsg(ctx, 1); err != nil || string(message.Data) != "message" {
		t.Errorf("message: %v, %v", message, err)
	}
	if info, err := c.objects.StatObject(ctx, "kept", "a/b", minio.StatObjectOptions{}); err != nil ||
		info.Size != 60_000 || info.ContentType != "text/x-kept" {
		t.Errorf("object: %+v, %v", info, err)
	}
	var value string
	if err := c.postgres.QueryRow(ctx, "SELECT value FROM kept").Scan(&value); err != nil || value != "row" {
		t.Errorf("row: %q, %v", value, err)
	}
	points, err := c.vectors.Get(ctx, &pb.GetPoints{CollectionName: "kept", Ids: []*pb.PointId{pb.NewIDNum(7)},
		WithPayload: pb.NewWithPayload(true), WithVectors: pb.NewWithVectors(true)})
	if err != nil || len(points) != 1 || points[0].GetPayload()["value"].GetStringValue() != "point" {
		t.Errorf("point: %v, %v", points, err)
	}
}

func vectorClient(t *testing.T, addr string) *pb.Client {
	t.Helper()
	host, port, err := splitAddr(addr)
	if err != nil {
		t.Fatal(err)
	}
	client, err := pb.NewClient(&pb.Config{Host: host, Port: port, SkipCompatibilityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func makeCollection(t *testing.T, client *pb.Client, name string) {
	t.Helper()
	err := client.CreateCollection(contextOf(t), &pb.CreateCollection{CollectionName: name,
		VectorsConfig: pb.NewVectorsConfig(&pb.VectorParams{Size: 2, Distance: pb.Distance_Cosine})})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRestartKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	stack := start(t, dir)
	connect(t, stack.Endpoints()).put(t)
	if err := stack.Close(); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	again := start(t, dir)
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("a warm start took %v", took)
	}
	connect(t, again.Endpoints()).check(t)
}

// TestPartsStopAndStartAlone also shows that a part keeps its address.
func TestOnlyWhatIsWanted(t *testing.T) {
	stack, err := devstack.Start(contextOf(t), devstack.Options{Dir: t.TempDir(), Only: []string{"nats", "qdrant"}})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Join(stack.Endpoints().Environ(), " ")
	if strings.Count(lines, "=") != 2 || !strings.Contains(lines, "NATS_URL=nats://") || stack.Postgres != nil || stack.S3 != nil {
		t.Errorf("there are %s", lines)
	}
	if err := stack.Close(); err != nil {
		t.Error(err)
	}
	if _, err := devstack.Start(contextOf(t), devstack.Options{Dir: t.TempDir(), Only: []string{"mongo"}}); err == nil {
		t.Error("a part that there is not was started")
	}
}

func TestPartsStopAndStartAlone(t *testing.T) {
	ctx := contextOf(t)
	stack := start(t, t.TempDir())
	before := stack.Endpoints()
	connect(t, before).put(t)
	parts := map[string]interface {
		Start(context.Context) error
		Stop(context.Context) error
	}{"nats": stack.NATS, "s3": stack.S3, "postgres": stack.Postgres, "qdrant": stack.Qdrant}
	for name, part := range parts {
		for range 2 { // the second stop, and the second start, find nothing to do
			if err := part.Stop(ctx); err != nil {
				t.Fatalf("stop %s: %v", name, err)
			}
		}
		for range 2 {
			if err := part.Start(ctx); err != nil {
				t.Fatalf("start %s: %v", name, err)
			}
		}
	}
	if after := stack.Endpoints(); after != before {
		t.Errorf("endpoints changed: %+v, %+v", before, after)
	}
	connect(t, stack.Endpoints()).check(t)
}

func TestKilledPartsComeBack(t *testing.T) {
	ctx := contextOf(t)
	stack := start(t, t.TempDir())
	connect(t, stack.Endpoints()).put(t)
	stack.S3.Kill()
	stack.Postgres.Kill()
	if err := stack.S3.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := stack.Postgres.Start(ctx); err != nil {
		t.Fatal(err)
	}
	connect(t, stack.Endpoints()).check(t)
}

func TestKillOfTheProcessLosesNothing(t *testing.T) {
	dir := t.TempDir()
	endpoints, kill := startProcess(t, dir)
	connect(t, endpoints).put(t)
	kill()
	connect(t, start(t, dir).Endpoints()).check(t)
}

// TestKillLeavesNoProcess waits until the children of a killed process have ended by themselves.
func TestKillLeavesNoProcess(t *testing.T) {
	dir := t.TempDir()
	_, kill := startProcess(t, dir)
	pid, err := os.ReadFile(filepath.Join(dir, "postgres", "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	server, _, _ := strings.Cut(string(pid), "\n")
	kill()
	for deadline := time.Now().Add(2 * time.Minute); ; {
		if _, err := os.Stat(filepath.Join("/proc", server)); err != nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("postgres %s outlives its killed owner", server)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// startProcess runs a stack in a process of its own; kill ends that with SIGKILL.
func startProcess(t *testing.T, dir string) (devstack.Endpoints, func()) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(path)
	command.Env = append(os.Environ(), dirVariable+"="+dir)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() {
		_ = command.Process.Signal(syscall.SIGKILL)
		_ = command.Wait()
	}
	t.Cleanup(kill)
	values := map[string]string{}
	lines := bufio.NewScanner(output)
	for lines.Scan() && lines.Text() != "ready" {
		key, value, _ := strings.Cut(lines.Text(), "=")
		values[key] = value
	}
	if len(values) == 0 {
		if os.Getenv("CI") != "true" {
			t.Skip("the stack does not start here")
		}
		t.Fatal("the stack did not start")
	}
	return devstack.Endpoints{
		NATSURL: values["COLOPHON_NATS_URL"], S3Endpoint: values["COLOPHON_S3_ENDPOINT"],
		S3AccessKey: values["COLOPHON_S3_ACCESS_KEY"], S3SecretKey: values["COLOPHON_S3_SECRET_KEY"],
		PostgresURL: values["COLOPHON_POSTGRES_URL"], QdrantAddr: values["COLOPHON_QDRANT_ADDR"],
	}, kill
}

func TestOneStackInAFolder(t *testing.T) {
	dir := t.TempDir()
	start(t, dir)
	if second, err := devstack.Start(contextOf(t), devstack.Options{Dir: dir}); err == nil {
		_ = second.Close()
		t.Error("two stacks run in one folder")
	}
}

func TestSecretsAreRandomAndPrivate(t *testing.T) {
	dir := t.TempDir()
	stack := start(t, dir)
	info, err := os.Stat(filepath.Join(dir, "secrets.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("secrets: %v, %v", info.Mode(), err)
	}
	other := start(t, t.TempDir())
	if stack.Endpoints().S3SecretKey == other.Endpoints().S3SecretKey {
		t.Error("two folders share a secret")
	}
}

// TestFolderThatOthersCannotEnter: root hands PostgreSQL to another user, who must find a place all the same, and
// leaves it with the folder.
func TestFolderThatOthersCannotEnter(t *testing.T) {
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(closed, "stack")
	stack := start(t, dir)
	outside := outsideOf(t, dir)
	connect(t, stack.Endpoints()).put(t)
	if err := stack.Close(); err != nil {
		t.Fatal(err)
	}
	stack = start(t, dir)
	connect(t, stack.Endpoints()).check(t)
	if err := stack.Close(); err != nil {
		t.Fatal(err)
	}
	if err := devstack.Remove(dir); err != nil {
		t.Fatal(err)
	}
	mustBeGone(t, dir)
	mustBeGone(t, outside)
}

// TestAFolderIsRemovedWithoutItsDatabase: the next stack takes away what a temporary folder has left.
func TestAFolderIsRemovedWithoutItsDatabase(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root's databases lie outside")
	}
	left, kept := t.TempDir(), t.TempDir()
	for _, dir := range []string{left, kept} {
		if err := start(t, dir).Close(); err != nil {
			t.Fatal(err)
		}
	}
	outside, other := outsideOf(t, left), outsideOf(t, kept)
	if err := os.RemoveAll(left); err != nil {
		t.Fatal(err)
	}
	start(t, t.TempDir())
	mustBeGone(t, outside)
	if _, err := os.Stat(other); err != nil {
		t.Errorf("the database of a folder that is there: %v", err)
	}
}

// outsideOf returns the folder outside of dir in which its database lies; of users other than root there is none.
func outsideOf(t *testing.T, dir string) string {
	t.Helper()
	target, err := os.Readlink(filepath.Join(dir, "postgres", "data"))
	if os.Getuid() != 0 {
		return filepath.Join(dir, "none")
	}
	if err != nil {
		t.Fatalf("no link to the data: %v", err)
	}
	return filepath.Dir(target)
}

func mustBeGone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", path, err)
	}
}
