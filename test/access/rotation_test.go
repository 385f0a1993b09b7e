package access

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/test/secrets"
)

// TestEveryCredentialIsReplaced gives every role another nkey, password, key and
// certificate of another authority, and the servers other certificates, while documents
// are captured and no process is started again; what was good before is revoked. Nothing
// is lost or doubled, and what is revoked is of no use any more.
func TestEveryCredentialIsReplaced(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	r := startRig(t, false)
	r.explain()
	r.colophon(access.Provision, []int{0}, "provision")
	r.operator("source", "add", source, "--name", "Council", "--language", "en")
	r.startEverybody()
	f := r.startFlow()
	f.goesOn()
	before := r.snapshotOfSecrets()

	r.openToBoth()
	f.goesOn()
	r.showNext()
	r.takeNextAlone()
	f.goesOn()
	r.usedBy(everybody(), before)
	r.revoke()
	f.goesOn()
	r.forgetFirst()
	r.cutConnections()
	f.goesOn()
	for _, role := range everybody() {
		await(t, role+" is ready in the end", func() bool { return r.isReady(role) })
	}
	for _, s := range r.services {
		select {
		case <-s.ended:
			t.Errorf("%s has ended", s.role)
		default:
		}
	}
	f.nothingIsLostOrDoubled()
	r.nothingIsRefused()
	r.oldOnesAreRefused(before)
	r.secretsAreNotLogged(before)
	t.Logf("%d documents were captured meanwhile", f.done.Load())
}

// snapshotOfSecrets returns what each role shows now.
func (r *rig) snapshotOfSecrets() map[string]*secrets.Mount {
	all := make(map[string]*secrets.Mount)
	for role, m := range r.mounts {
		all[role] = secrets.NewMount(r.t, m.Now())
	}
	return all
}

// openToBoth lets servers take what is there and what will be, where they can know both:
// nkeys, certificates of clients, keys of the object store.
func (r *rig) openToBoth() {
	r.t.Helper()
	next := filepath.Join(r.dir, "seeds-next")
	r.printAccounts(next, r.bus.seeds)
	r.bus.seeds, r.bus.clients = next, []*secrets.Authority{r.first, r.second}
	r.bus.reload(r)
	r.openPostgres(r.first, r.first, r.second)
	r.changePostgres()
	r.vault.open("key-1", r.first, r.first, r.second)
}

func (r *rig) changePostgres() {
	r.t.Helper()
	if err := r.postgres.Change(r.remote); err != nil {
		r.t.Fatal(err)
	}
}

// showNext gives each role its next files, with both authorities. The passwords and the
// key of the vector store are not known to the servers yet.
func (r *rig) showNext() {
	r.t.Helper()
	r.showSeeds()
	if r.objects.enforced {
		r.objectUsers(keySuffix, filepath.Join(r.dir, "policies"))
	}
	for role, m := range r.mounts {
		m.Change(r.second.Client(rolePrefix+role, secrets.InAnHour()), map[string]string{
			"ca.crt": r.first.PEM + r.second.PEM, "apikey": "key-2",
		})
	}
	for _, role := range access.Roles(names()) {
		if !role.OfCatalog() {
			continue
		}
		folder := filepath.Join(r.dir, "passwords-next")
		password := rand.Text()
		if err := os.MkdirAll(folder, 0o700); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, rolePrefix+role.Name), []byte(password), 0o600); err != nil {
			r.t.Fatal(err)
		}
		r.showPassword(role.Name, password)
	}
}

// takeNextAlone changes what servers know only one of: passwords, the key of the vector
// store, their own certificates; the object store of the stack has but one key, too.
func (r *rig) takeNextAlone() {
	r.t.Helper()
	r.makeRoles("passwords-next")
	password := rand.Text()
	if _, err := r.admin.Exec(r.t.Context(), fmt.Sprintf("ALTER ROLE %s PASSWORD '%s'", rolePrefix+access.Operator, password)); err != nil {
		r.t.Fatal(err)
	}
	r.showPassword(access.Operator, password)
	r.objects.files.Change(certificate(r.second))
	if r.objects.enforced {
		await(r.t, "the object store shows its next certificate", func() bool { return r.objects.isOf(r.second) })
	} else {
		r.objects.stop()
		r.objects.shared = key{"seconduser", "secondpassword"}
		r.objects.start()
		for _, role := range access.Roles(names()) {
			r.showKey(role.Name, r.objects.shared)
		}
	}
	r.bus.own = r.second
	r.bus.reload(r)
	r.openPostgres(r.second, r.first, r.second)
	r.changePostgres()
	r.vault.open("key-2", r.second, r.first, r.second)
}

// usedBy waits until these roles have come to the servers with what is new: each process
// has said so of the stores that it tries credentials at, and its nkey is the next one.
func (r *rig) usedBy(roles []string, before map[string]*secrets.Mount) {
	r.t.Helper()
	for _, role := range roles {
		await(r.t, role+" uses what is new", func() bool {
			log := r.services[role].log.String()
			for _, store := range []string{"NATS", "PostgreSQL"} {
				if !slices.ContainsFunc(strings.Split(log, "\n"), func(line string) bool {
					return strings.Contains(line, "credentials have changed") && strings.Contains(line, "store="+store)
				}) {
					return false
				}
			}
			return r.isReady(role)
		})
	}
	await(r.t, "no connection to the bus is of an nkey of before", func() bool {
		return !slices.ContainsFunc(r.bus.users(), func(user string) bool {
			role := r.bus.roles[user]
			return role != "" && publicKey(r.t, before[role].Path("seed")) == user
		})
	})
}

// revoke ends what was good before.
func (r *rig) revoke() {
	r.t.Helper()
	r.printAccounts(r.bus.seeds)
	r.bus.clients = []*secrets.Authority{r.second}
	r.bus.reload(r)
	if r.objects.enforced {
		r.minioUsers("--remove", r.objects.endpoint, filepath.Join(r.dir, "policies"))
	}
	r.openPostgres(r.second, r.second)
	r.changePostgres()
	r.vault.open("key-2", r.second, r.second)
}

// forgetFirst lets the roles trust the second authority alone.
func (r *rig) forgetFirst() {
	r.t.Helper()
	for _, m := range r.mounts {
		m.Change(map[string]string{"ca.crt": r.second.PEM})
	}
}

// cutConnections ends what lives on what it was opened with.
func (r *rig) cutConnections() {
	r.t.Helper()
	if _, err := r.admin.Exec(r.t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE '"+rolePrefix+"%'"); err != nil {
		r.t.Fatal(err)
	}
	for _, c := range r.bus.connections() {
		if err := r.bus.server.DisconnectClientByID(c.Cid); err != nil {
			r.t.Logf("connection %d: %v", c.Cid, err)
		}
	}
}

// oldOnesAreRefused tries what was good before at each server, one credential at a time.
func (r *rig) oldOnesAreRefused(before map[string]*secrets.Mount) {
	t := r.t
	t.Helper()
	mustFail := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s is still good", what)
		}
	}
	now := r.mounts
	for _, role := range []string{access.Capturer, access.Indexer, access.Crawler + "-" + source} {
		old, next := before[role].Now(), now[role].Now()
		with := func(names ...string) *rig { // what is new, but for these files
			files := []map[string]string{next}
			for _, name := range names {
				files = append(files, map[string]string{name: old[name]})
			}
			other := *r // the mutexes of servers are behind pointers
			other.mounts = map[string]*secrets.Mount{role: secrets.NewMount(t, files...)}
			return &other
		}
		connect := func(r *rig) error {
			nc, err := r.tryConnect(role, nats.MaxReconnects(0))
			if err == nil {
				nc.Close()
			}
			return err
		}
		if err := connect(with()); err != nil {
			t.Errorf("%s at the bus with what is new: %v", role, err)
		}
		mustFail(role+"'s nkey", connect(with("seed")))
		mustFail(role+"'s certificate at the bus", connect(with("tls.crt", "tls.key")))
		if old["url"] == "" {
			continue
		}
		open := func(r *rig) error {
			conn, err := r.openAs(role)
			if err == nil {
				_ = conn.Close(t.Context())
			}
			return err
		}
		if err := open(with()); err != nil {
			t.Errorf("%s at the catalog with what is new: %v", role, err)
		}
		mustFail(role+"'s password", open(with("url")))
		mustFail(role+"'s certificate at the catalog", open(with("tls.crt", "tls.key")))
	}
	old := before[access.Capturer].Now()
	var refused error
	for o := range r.objectClient(key{old["access"], old["secret"]}).ListObjects(t.Context(), names().Buckets+"raw", minio.ListObjectsOptions{MaxKeys: 1}) {
		refused = o.Err
	}
	if code := minio.ToErrorResponse(refused).Code; !slices.Contains([]string{"AccessDenied", "InvalidAccessKeyId", "XAdminUserNotFound"}, code) {
		t.Errorf("the capturer's key of before at the object store: %q, %v", code, refused)
	}
	server, err := tls.Dial("tcp", strings.TrimPrefix(r.objects.endpoint, "https://"), &tls.Config{RootCAs: secrets.Pool(r.second), MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Errorf("the object store has its certificate of before: %v", err)
	} else {
		_ = server.Close()
	}
	mustFail("the key of the vector store", r.askVectors(before[access.Indexer].Path("apikey"), now[access.Indexer]))
	mustFail("the indexer's certificate at the vector store", r.askVectors(now[access.Indexer].Path("apikey"), before[access.Indexer]))
	if err := r.askVectors(now[access.Indexer].Path("apikey"), now[access.Indexer]); err != nil {
		t.Errorf("the vector store with what is new: %v", err)
	}
}

// askVectors asks the vector store with a key, and with the certificate of a folder.
func (r *rig) askVectors(key string, shows *secrets.Mount) error {
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	client, err := vectorstore.Open(ctx, vectorstore.Config{
		Addr: r.vectors.Addr(), APIKeyFile: key, CAFile: r.mounts[access.Indexer].Path("ca.crt"), CertFile: shows.Path("tls.crt"), KeyFile: shows.Path("tls.key"),
		Timeout: 5 * time.Second,
	})
	if err != nil {
		return err
	}
	defer client.Close()
	_, err = client.Ping(ctx)
	return err
}

// secretsAreNotLogged fails when a service has logged a secret, of before or of now.
func (r *rig) secretsAreNotLogged(before map[string]*secrets.Mount) {
	r.t.Helper()
	for role, s := range r.services {
		log := []byte(s.log.String())
		for _, files := range []map[string]string{before[role].Now(), r.mounts[role].Now()} {
			_, password, _ := strings.Cut(strings.TrimPrefix(files["url"], "postgres://"), ":")
			password, _, _ = strings.Cut(password, "@")
			for what, secret := range map[string]string{"seed": strings.TrimSpace(files["seed"]), "password": password, "secret key": files["secret"], "key of vectors": files["apikey"]} {
				if secret != "" && bytes.Contains(log, []byte(secret)) {
					r.t.Errorf("%s has logged its %s", role, what)
				}
			}
		}
	}
}
