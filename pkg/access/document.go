package access

import (
	"fmt"
	"slices"
	"strings"
)

// Document returns docs/access.md: each right of each role with its reason, under the
// names of an installation that has set none.
func Document() string {
	var out strings.Builder
	out.WriteString(documentHead)
	for _, r := range Roles(Default()) {
		fmt.Fprintf(&out, "\n## %s\n\n%s.\n", r.Name, strings.ToUpper(r.Is[:1])+r.Is[1:])
		documentBus(&out, r)
		documentObjects(&out, r)
		documentTables(&out, r)
		documentViews(&out, r)
	}
	return out.String()
}

func documentBus(out *strings.Builder, r Role) {
	if len(r.Bus) == 0 {
		return
	}
	out.WriteString("\n| bus | subject | why |\n|---|---|---|\n")
	for _, b := range r.Bus {
		verb := "publish"
		if b.Subscribe {
			verb = "subscribe"
		}
		subject := "`" + b.Subject + "`"
		if len(b.Except) > 0 {
			subject += ", but not `" + strings.Join(b.Except, "`, `") + "`"
		}
		fmt.Fprintf(out, "| %s | %s | %s |\n", verb, subject, b.Why)
	}
}

func documentObjects(out *strings.Builder, r Role) {
	if len(r.Objects) == 0 {
		return
	}
	out.WriteString("\n| bucket | may | keys | why |\n|---|---|---|---|\n")
	for _, o := range r.Objects {
		keys := "all of it"
		if len(o.Keys) > 0 {
			keys = "`" + strings.Join(o.Keys, "`, `") + "`"
		}
		fmt.Fprintf(out, "| `%s` | %s (`%s`) | %s | %s |\n", o.Bucket, o.Verb, strings.Join(o.Verb.actions(), "`, `"), keys, o.Why)
	}
}

func documentTables(out *strings.Builder, r Role) {
	if r.Owner {
		out.WriteString("\nIt owns the catalog's schema, which `colophon migrate` makes: every right there. " +
			"It is whoever `COLOPHON_POSTGRES_URL` of these commands, and of migrate, names, and is not made by `migrate --roles`.\n")
	}
	if len(r.Tables) == 0 {
		return
	}
	out.WriteString("\n| table | may | columns that may change | why |\n|---|---|---|---|\n")
	tables := slices.SortedFunc(slices.Values(r.Tables), func(a, b Table) int { return strings.Compare(a.Name, b.Name) })
	for _, t := range tables {
		var verbs []string
		for _, v := range []struct {
			has  bool
			verb string
		}{{t.Select, "read"}, {t.Insert, "insert"}, {len(t.Update) > 0, "update"}, {t.Delete, "delete"}} {
			if v.has {
				verbs = append(verbs, v.verb)
			}
		}
		columns := slices.Compact(slices.Sorted(slices.Values(t.Update)))
		fmt.Fprintf(out, "| `%s` | %s | %s | %s |\n", t.Name, strings.Join(verbs, ", "), strings.Join(columns, ", "), t.Why)
	}
}

func documentViews(out *strings.Builder, r Role) {
	if len(r.Views) == 0 {
		return
	}
	out.WriteString("\n| schema of views | may | why |\n|---|---|---|\n")
	for _, v := range r.Views {
		fmt.Fprintf(out, "| `%s` | read | %s |\n", SeedSchema(defaultSchema, v.Seed), v.Why)
	}
}

const documentHead = `# Who may what

Generated from pkg/access: do not edit. ` + "`test/access`" + ` runs the chain, its faults and a rotation of every credential as these
identities, by nkeys, SCRAM passwords and certificates, on a NATS server, a PostgreSQL and, with ` + "`make access-test`" + `, an S3
server that enforce them: nothing that is needed is refused, every right is used or has a reason in that test, and everything
else is tried and refused.

The names below are those of an installation without prefixes. ` + "`COLOPHON_SUBJECT_PREFIX`" + `, ` + "`COLOPHON_STREAM_PREFIX`" + `,
` + "`COLOPHON_S3_BUCKET_PREFIX`" + ` and ` + "`COLOPHON_POSTGRES_SCHEMA`" + ` are taken into account by what renders them:

* **NATS.** ` + "`colophon provision --print-accounts --seeds DIR --crawler SOURCE --consumer NAME --sink NAME > accounts.conf`" + ` prints an account
  with one user a role, to be included by the configuration of servers that have no other accounts. Servers with a block ` + "`accounts { }`" + `
  of their own include inside it what ` + "`--inside-accounts`" + ` prints, the account alone: of two such blocks NATS takes the later one, and
  forgets the accounts of the other without a word. ` + "`--account-disk 40G`" + ` bounds what the account's streams may take, over all
  replicas. The secret seeds are files ` + "`DIR/ROLE.nk`" + `, made where they
  are missing and never printed; printed again, the configuration has the same users. With a second ` + "`--seeds`" + ` the seeds in
  that folder stay good beside those of the first, until accounts are printed without it. Templates that were not named are comments.
  Servers read their configuration again when they are told to reload.
  An identity of its own answers on an inbox of its own: programs that do not use our SDK set the prefix of their inbox to
  ` + "`_INBOX.crawler-SOURCE`" + ` or ` + "`_INBOX.consumer-NAME`" + `.
* **S3.** ` + "`colophon provision --print-policies DIR --crawler SOURCE`" + ` writes one policy a role, ` + "`DIR/ROLE.json`" + `, to be given to one key
  each. Who may look at a bucket may list its keys: S3 has no smaller right with which a missing object is told from a refused one.
* **PostgreSQL.** ` + "`colophon migrate --roles --passwords DIR`" + ` makes roles ` + "`colophon_ROLE`" + ` (` + "`--role-prefix`" + ` names them otherwise, since they
  belong to the whole server), and makes the grants of each in this schema those below, in one transaction. Passwords are files
  ` + "`DIR/colophon_ROLE`" + `, made where they are missing; the server is sent SCRAM verifiers only. Without ` + "`--passwords`" + ` they stay as they are,
  and roles that somebody else has made are only granted: then no CREATEROLE is needed, but the schema's owner.
  ` + "`colophon migrate --grants`" + ` makes no role and grants to those that are there: run one of the two after each upgrade, as the
  Job of deploy/k8s does.

The janitor alone deletes objects, and the capturer alone writes captured bytes. An extractor that works on both its consumers
would need both identities: run two, with ` + "`COLOPHON_EXTRACTOR_CONSUMERS`" + `. ` + "`colophon reconcile`" + ` works as the janitor.

**Not promised.** A role's rights on the bus are on subjects, not on what is in a message: a capturer that is taken over may tell of
snapshots that there are not, which the next stage asks the catalog for. Of JetStream, whoever may ask for messages chooses where the
answer goes, and may so send a message of its stream, as it is, to any subject: what takes it sees that it is not what the subject
says. Rights on tables are on rows of all sources. The vector store has one key for all who use it.
`
