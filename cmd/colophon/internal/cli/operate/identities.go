package operate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nats-io/nkeys"
	"github.com/spf13/cobra"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
)

// identityFlags choose what provision prints in place of its work.
type identityFlags struct {
	accounts  bool
	form      access.AccountForm
	seeds     []string // folders of the nkey seeds: where new ones are made first, then those of before
	policies  string   // folder of the S3 policies
	crawlers  []string
	consumers []string
	sinks     []string
}

func (f *identityFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.accounts, "print-accounts", false, "only print the configuration of a NATS server with one user a role")
	flags.BoolVar(&f.form.Inside, "inside-accounts", false, "with --print-accounts: the account alone, to be included inside the block accounts { } of servers that have other accounts: "+
		"of two such blocks they take the later one only")
	flags.StringVar(&f.form.Disk, "account-disk", "", "with --print-accounts: the most that the account's streams may take over all replicas, in `bytes` or as 40G; without, all that the servers have")
	flags.StringArrayVar(&f.seeds, "seeds", nil, "with --print-accounts: `folder` of the users' secret nkey seeds, one file ROLE.nk each, made where it is missing; "+
		"a second one names seeds of before, which stay good beside them until the accounts are printed without it")
	flags.StringVar(&f.policies, "print-policies", "", "only write the S3 policies of the roles, one file ROLE.json each, into this `folder`")
	flags.StringArrayVar(&f.crawlers, "crawler", nil, "a `source` whose crawler gets an identity of its own, crawler-SOURCE (may be repeated)")
	flags.StringArrayVar(&f.consumers, "consumer", nil, "the `name` of a program that follows chunks and gets an identity of its own, consumer-NAME (may be repeated)")
	flags.StringArrayVar(&f.sinks, "sink", nil, "the `name` of a sink that gets an identity of its own, sink-NAME (may be repeated)")
}

// wanted reports whether something is to be printed, and nothing else to be done.
func (f *identityFlags) wanted() bool { return f.accounts || f.policies != "" }

// identityName is what the name of a crawler's source, of a consumer or of a sink may be: it is a
// part of subjects, of keys, and of a file's name.
var identityName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$`)

// diskSize is a number of bytes as the configuration of NATS has it.
var diskSize = regexp.MustCompile(`^([1-9][0-9]{0,17}|[1-9][0-9]{0,5}[KMGT](i|B|iB)?)$`)

func (f *identityFlags) check() error {
	for _, name := range slices.Concat(f.crawlers, f.consumers, f.sinks) {
		if !identityName.MatchString(name) {
			return cli.Usagef("%q cannot be the name of an identity: letters, digits, - and _ only", name)
		}
	}
	switch {
	case f.accounts && len(f.seeds) == 0:
		return cli.Usagef("--print-accounts needs --seeds FOLDER: the secret seeds are written there, and never printed")
	case !f.accounts && len(f.seeds) > 0:
		return cli.Usagef("--seeds belongs to --print-accounts")
	case !f.accounts && f.form != access.AccountForm{}:
		return cli.Usagef("--inside-accounts and --account-disk belong to --print-accounts")
	case f.form.Disk != "" && !diskSize.MatchString(f.form.Disk):
		return cli.Usagef("--account-disk %q: must be a number of bytes, or as 500M, 40G, 2T", f.form.Disk)
	case !f.wanted() && len(f.crawlers)+len(f.consumers)+len(f.sinks) > 0:
		return cli.Usagef("--crawler, --consumer and --sink belong to --print-accounts and --print-policies")
	}
	return nil
}

// roles returns the roles of the installation with those of the crawlers, consumers and
// sinks that were named; the templates themselves where none was.
func (f *identityFlags) roles(names access.Names) []access.Role {
	var roles []access.Role
	add := func(names access.Names, chosen func(access.Role) bool) {
		for _, r := range access.Roles(names) {
			if chosen(r) {
				roles = append(roles, r)
			}
		}
	}
	template := func(kind string) func(access.Role) bool {
		return func(r access.Role) bool { return r.Kind == access.Template && strings.HasPrefix(r.Name, kind+"-") }
	}
	add(names, func(r access.Role) bool { return r.Kind != access.Template })
	for _, source := range f.crawlers {
		names.Source = source
		add(names, template(access.Crawler))
	}
	for _, consumer := range f.consumers {
		names.Consumer = consumer
		add(names, template(access.Consumer))
	}
	for _, sink := range f.sinks {
		names.Consumer = sink
		add(names, template(access.Sink))
	}
	return roles
}

// identitySettings are the names of an installation, without which no identity can be
// told; where the servers are, and secrets, are not asked for.
type identitySettings struct {
	Subjects string `env:"SUBJECT_PREFIX" envDefault:"colophon" help:"First token of every subject."`
	Streams  string `env:"STREAM_PREFIX" help:"Put in front of the name of every stream; consumers keep their names, within their streams."`
	Buckets  string `env:"S3_BUCKET_PREFIX" help:"Put in front of the names of the buckets raw, derived, inbox and bundles."`
}

// provisionSettings are all that provision needs beside its flags.
type provisionSettings struct {
	NATS    config.NATS
	S3      config.S3
	Runner  config.Runner
	Streams config.Streams
	OCR     config.OCR
}

// migrateSettings are all that migrate needs.
type migrateSettings struct {
	Postgres config.Postgres
}

// printIdentities writes what was asked for.
func (c commands) printIdentities(f *identityFlags) error {
	s, _, err := cli.Load[identitySettings](c.Tool)
	if errors.Is(err, config.ErrNoEndpoints) { // no server is asked: where there is none, the environment says all
		s, err = config.Load[identitySettings]()
	}
	if err != nil {
		return err
	}
	names := access.Default()
	names.Subjects, names.Streams, names.Buckets = s.Subjects, s.Streams, s.Buckets
	roles := f.roles(names)
	if f.policies != "" {
		if err := writePolicies(f.policies, roles, names); err != nil {
			return err
		}
	}
	if !f.accounts {
		return nil
	}
	keys := make(map[string][]string)
	for _, r := range roles {
		if len(r.Bus) == 0 {
			continue
		}
		if keys[r.Name], err = publicKeys(f.seeds, r.Name+".nk"); err != nil {
			return fmt.Errorf("nkey of %s: %w", r.Name, err)
		}
	}
	for _, r := range access.Roles(names) { // the templates, as comments
		if r.Kind == access.Template && len(keys[r.Name]) == 0 {
			roles = append(roles, r)
		}
	}
	_, err = io.WriteString(c.Out, access.NATS(roles, func(role string) []string { return keys[role] }, f.form))
	return err
}

// publicKeys returns the public key of the seed in the first folder, which is made where
// it is not there, and those of the seeds that further folders hold.
func publicKeys(folders []string, name string) ([]string, error) {
	var keys []string
	for i, folder := range folders {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); i > 0 && errors.Is(err, fs.ErrNotExist) {
			continue // a role that is new
		}
		key, err := publicKey(path)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

func writePolicies(dir string, roles []access.Role, names access.Names) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, r := range roles {
		text, needed, err := access.Policy(r, names)
		if err != nil {
			return err
		}
		if needed {
			if err := os.WriteFile(filepath.Join(dir, r.Name+".json"), text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// publicKey returns the public key of the seed in a file, which is made where it is not
// there.
func publicKey(path string) (string, error) {
	seed, err := secretIn(path, func() ([]byte, error) {
		pair, err := nkeys.CreateUser()
		if err != nil {
			return nil, err
		}
		seed, err := pair.Seed()
		return slices.Clone(seed), err
	})
	if err != nil {
		return "", err
	}
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return "", fmt.Errorf("%s holds no nkey seed", path)
	}
	defer pair.Wipe()
	public, err := pair.PublicKey()
	if err == nil && !strings.HasPrefix(public, "U") {
		err = fmt.Errorf("%s holds the seed of something else than a user", path)
	}
	return public, err
}

// secretIn returns the secret in a file, without white space around it. Where there
// is no file it is made, for its owner alone.
func secretIn(path string, create func() ([]byte, error)) ([]byte, error) {
	known, err := os.ReadFile(path)
	if err == nil {
		known = []byte(strings.TrimSpace(string(known)))
		if len(known) == 0 {
			return nil, fmt.Errorf("%s is empty", path)
		}
		return known, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	made, err := create()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(append(made, '\n'))
	return made, errors.Join(err, file.Sync(), file.Close())
}

// roleFlags say which roles migrate makes in the database server.
type roleFlags struct {
	roles     bool
	grants    bool // of the roles that are there
	prefix    string
	passwords string // folder
}

func (f *roleFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.roles, "roles", false, "make one role a service, and grant each what it needs and nothing else")
	flags.BoolVar(&f.grants, "grants", false, "grant what --roles grants, but only to the roles that are there: needs no right to make roles")
	flags.StringVar(&f.prefix, "role-prefix", "colophon_", "with --roles or --grants: what the names of the roles begin with; they belong to the whole database server")
	flags.StringVar(&f.passwords, "passwords", "", "with --roles: `folder` of the roles' passwords, one file each, made where it is missing; without, passwords stay as they are")
}

func (f *roleFlags) check() error {
	switch {
	case !f.roles && f.passwords != "":
		return cli.Usagef("--passwords belongs to --roles")
	case f.roles && f.grants:
		return cli.Usagef("--roles grants too: leave --grants out")
	}
	return nil
}

// grant makes the roles, or only grants to those that are there, and returns the names
// of those that have their grants, and of those that are missing.
func (f *roleFlags) grant(ctx context.Context, db *catalog.DB, views bool) (granted, missing []string, err error) {
	if !f.roles && !f.grants {
		return nil, nil, nil
	}
	var identities []catalog.Identity
	for _, r := range access.Roles(access.Default()) {
		if !r.OfCatalog() || !views && r.Name == access.Reader {
			continue
		}
		one := catalog.Identity{Role: r, Name: f.prefix + r.Name}
		if f.passwords != "" {
			password, err := secretIn(filepath.Join(f.passwords, one.Name), func() ([]byte, error) { return []byte(rand.Text()), nil })
			if err != nil {
				return nil, nil, fmt.Errorf("password of %s: %w", one.Name, err)
			}
			one.Password = string(password)
		}
		identities, granted = append(identities, one), append(granted, one.Name)
	}
	if f.roles {
		return granted, nil, db.GrantRoles(ctx, identities)
	}
	missing, err = db.GrantThere(ctx, identities)
	return slices.DeleteFunc(granted, func(name string) bool { return slices.Contains(missing, name) }), missing, err
}
