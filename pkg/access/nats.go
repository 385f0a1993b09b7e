package access

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Account is the name of the NATS account that all identities are users of.
const Account = "COLOPHON"

// AccountForm says in which form NATS writes the account.
type AccountForm struct {
	// Inside leaves the block `accounts` around the account out, so that a server with
	// accounts of its own includes it inside its own block: of two such blocks the server
	// takes the later one, and forgets the accounts of the other without a word.
	Inside bool
	// Disk is the most that the streams of the account may take, over all replicas, as NATS
	// writes it (bytes, or 40G); empty: all that the servers have.
	Disk string
}

// NATS returns the part of a NATS server's configuration that has an account with
// the users of the roles. keys returns the public nkeys (U…) of a role, each of which
// is a user with the role's rights: several while one takes the place of another. A
// role without any is written as a comment, to be filled in.
func NATS(roles []Role, keys func(role string) []string, form AccountForm) string {
	var out strings.Builder
	out.WriteString("# Who may what on the bus. Made by `colophon provision --print-accounts`: do not edit, make it again.\n")
	if form.Inside {
		out.WriteString("# Stands inside the block accounts { } of your servers: include it there, with the accounts that you have.\n")
	} else {
		out.WriteString("# For servers that have no accounts of their own: of two blocks accounts { } NATS takes the later one alone,\n" +
			"# without a word. Where there is one, print with --inside-accounts, and include that inside it.\naccounts {\n")
	}
	jetstream := "enabled"
	if form.Disk != "" {
		jetstream = "{ max_file: " + form.Disk + " }"
	}
	fmt.Fprintf(&out, "  %s {\n    jetstream: %s\n    users: [\n", Account, jetstream)
	for _, r := range roles {
		if len(r.Bus) == 0 {
			continue
		}
		fmt.Fprintf(&out, "      # %s: %s\n", r.Name, r.Is)
		publics := keys(r.Name)
		for _, public := range publics {
			out.WriteString(natsUser(r, public))
		}
		if len(publics) == 0 {
			text := natsUser(r, "U…")
			out.WriteString("      #" + strings.TrimPrefix(strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n      #"), "      ") + "\n")
		}
	}
	out.WriteString("    ]\n  }\n")
	if !form.Inside {
		out.WriteString("}\n")
	}
	return out.String()
}

func natsUser(r Role, public string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "      {\n        nkey: %s\n        permissions: {\n", public)
	for _, side := range []struct {
		name      string
		subscribe bool
	}{{"publish", false}, {"subscribe", true}} {
		allow, deny := r.Subjects(side.subscribe)
		if len(allow) == 0 {
			continue
		}
		fmt.Fprintf(&out, "          %s: {\n            allow: [%s]\n", side.name, quoted(allow, "\n              "))
		if len(deny) > 0 {
			fmt.Fprintf(&out, "            deny: [%s]\n", quoted(deny, "\n              "))
		}
		out.WriteString("          }\n")
	}
	out.WriteString("        }\n      }\n")
	return out.String()
}

func quoted(subjects []string, between string) string {
	var out strings.Builder
	for _, s := range subjects {
		out.WriteString(between + strconv.Quote(s))
	}
	return out.String() + strings.TrimSuffix(between, "  ")
}

// Subjects returns the subjects that a role may publish to, or subscribe to, and
// those among them that it may not, each once and in order.
func (r Role) Subjects(subscribe bool) (allow, deny []string) {
	for _, b := range r.Bus {
		if b.Subscribe == subscribe {
			allow = append(allow, b.Subject)
			deny = append(deny, b.Except...)
		}
	}
	slices.Sort(allow)
	slices.Sort(deny)
	return slices.Compact(allow), slices.Compact(deny)
}
