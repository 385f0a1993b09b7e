package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// printed returns what provision prints of the accounts, with its seeds in a folder.
func printed(t *testing.T, settings map[string]string, seeds string, more ...string) string {
	t.Helper()
	code, out, problems := bare(t, settings, append([]string{"provision", "--print-accounts", "--seeds", seeds}, more...)...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, problems)
	}
	return out
}

// configuration reads a configuration of NATS as its server does; printed is the file
// colophon.conf beside it.
func configuration(t *testing.T, text, printed string) *server.Options {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"nats.conf": text, "colophon.conf": printed} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o, err := server.ProcessConfigFile(filepath.Join(dir, "nats.conf"))
	if err != nil {
		t.Fatalf("the server does not read it: %v\n%s", err, text+printed)
	}
	return o
}

// A team's own NATS keeps its accounts, its users and its system account where ours is
// included inside their block; that the whole block takes them away is why there is this form.
func TestOurAccountStandsBesideThoseOfATeam(t *testing.T) {
	const theirs = `
		system_account: SYS
		accounts {
		  SYS { users: [{ user: root, password: secret }] }
		  BILLING { jetstream: enabled, users: [{ user: billing, password: secret }] }
		  %
		}
	`
	seeds := filepath.Join(t.TempDir(), "seeds")
	inside := printed(t, nil, seeds, "--inside-accounts", "--account-disk", "70G")
	with := configuration(t, strings.Replace(theirs, "%", "include colophon.conf", 1), inside)
	var accounts, users []string
	for _, a := range with.Accounts {
		accounts = append(accounts, a.Name)
	}
	for _, u := range with.Users {
		users = append(users, u.Account.Name+"/"+u.Username)
	}
	slices.Sort(accounts)
	slices.Sort(users)
	if !slices.Equal(accounts, []string{"BILLING", access.Account, "SYS"}) || !slices.Equal(users, []string{"BILLING/billing", "SYS/root"}) || with.SystemAccount != "SYS" {
		t.Errorf("accounts %v with users %v, system account %q", accounts, users, with.SystemAccount)
	}
	whole := printed(t, nil, seeds)
	alone := configuration(t, "include colophon.conf\n", whole)
	if len(with.Nkeys) < 10 || len(with.Nkeys) != len(alone.Nkeys) {
		t.Errorf("%d users of ours beside theirs, %d alone", len(with.Nkeys), len(alone.Nkeys))
	}
	lost := configuration(t, strings.Replace(theirs, "%", "", 1)+"include colophon.conf\n", whole)
	if len(lost.Users) > 0 {
		t.Error("the server has learned to join two blocks: --inside-accounts and the warnings in docs/kubernetes.md and the printed file are needed no more")
	}
	if !strings.Contains(whole, "--inside-accounts") || strings.Contains(inside, "\naccounts") {
		t.Error("the file does not say in which form it is")
	}
}

// startPrinted starts a server with a configuration, and returns its URL and itself.
func startPrinted(t *testing.T, text, printed string) (string, *server.Server) {
	t.Helper()
	o := configuration(t, text, printed)
	o.Host, o.Port, o.StoreDir, o.NoSigs, o.NoLog = "127.0.0.1", server.RANDOM_PORT, t.TempDir(), true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(devtest.Patience) {
		t.Fatal("NATS is not ready")
	}
	return s.ClientURL(), s
}

// What --account-disk says is the limit of the account on a running server, over all that
// it holds.
func TestTheAccountHasTheDiskThatWasNamed(t *testing.T) {
	for disk, want := range map[string]int64{"70G": 70_000_000_000, "64MiB": 64 << 20, "1048576": 1 << 20, "": -1} {
		more := []string{"--inside-accounts"}
		if disk != "" {
			more = append(more, "--account-disk", disk)
		}
		o := configuration(t, "jetstream: enabled\naccounts {\n include colophon.conf\n}\n", printed(t, nil, filepath.Join(t.TempDir(), "seeds"), more...))
		_, s := startPrinted(t, "jetstream { max_file: 200G }\naccounts {\n include colophon.conf\n}\n", printed(t, nil, filepath.Join(t.TempDir(), "seeds"), more...))
		account, err := s.LookupAccount(access.Account)
		if err != nil || len(o.Accounts) != 1 {
			t.Fatal(err, len(o.Accounts))
		}
		if got := account.JetStreamUsage().Limits.MaxStore; got != want {
			t.Errorf("%q: the account may have %d bytes, want %d", disk, got, want)
		}
	}
	for _, args := range [][]string{
		{"provision", "--inside-accounts"}, {"provision", "--account-disk", "40G"},
		{"provision", "--print-accounts", "--seeds", "s", "--account-disk", "much"}, {"provision", "--print-accounts", "--seeds", "s", "--account-disk", "40G } x {"},
		{"provision", "--print-accounts", "--seeds", "s", "--account-disk", "0"},
	} {
		if code, _, problems := bare(t, nil, args...); code != 2 {
			t.Errorf("%v: exit %d: %s", args, code, problems)
		}
	}
}

// The likeliest mistakes of an installation: the prefixes were not set when the accounts
// were printed, and a command that is run as another role. NATS answers neither; what is said
// is not that time has run out, but that the user was refused, and what.
func TestProvisionSaysThatTheBusRefusesIt(t *testing.T) {
	seeds := filepath.Join(t.TempDir(), "seeds")
	url, _ := startPrinted(t, "jetstream: enabled\naccounts {\n include colophon.conf\n}\n", printed(t, nil, seeds, "--inside-accounts"))
	for name, c := range map[string]struct {
		role, prefix, want string
	}{
		"prefixes were not set": {"provision", "OURS_", `Permissions Violation for Publish to "$JS.API.STREAM.`},
		"as the operator":       {"operator", "", `Permissions Violation for `},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, problems := bare(t, map[string]string{
				"NATS_URL": url, "NATS_NKEY_FILE": filepath.Join(seeds, c.role+".nk"), "STREAM_PREFIX": c.prefix, "S3_ACCESS_KEY": "a", "S3_SECRET_KEY": "b",
			}, "provision")
			last := problems[strings.LastIndex(strings.TrimSpace(problems), "\n")+1:]
			if code != 4 || !strings.Contains(last, stream.ErrDenied.Error()) || !strings.Contains(last, c.want) {
				t.Errorf("exit %d: %s%s", code, out, problems)
			}
		})
	}
}

// What a service's /readyz says of its streams: verify asks as a role that may not, is told
// so at the first, and does not wait for each of the others.
func TestVerifySaysThatTheBusRefusesIt(t *testing.T) {
	seeds := filepath.Join(t.TempDir(), "seeds")
	url, _ := startPrinted(t, "jetstream: enabled\naccounts {\n include colophon.conf\n}\n", printed(t, nil, seeds, "--inside-accounts"))
	conn, err := stream.Connect(t.Context(), stream.Config{
		URL: url, NkeyFile: filepath.Join(seeds, "gateway.nk"), Role: access.Gateway, Prefix: "colophon", StreamPrefix: "OURS_", CheckEvery: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Verify(t.Context())
	if !errors.Is(err, stream.ErrDenied) || fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(err.Error(), `"$JS.API.STREAM.INFO.OURS_`) {
		t.Errorf("%v", err)
	}
	if n := strings.Count(err.Error(), "asking for"); n != 1 {
		t.Errorf("%d streams were asked for: %v", n, err)
	}
}
