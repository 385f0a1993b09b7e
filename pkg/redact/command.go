package redact

import (
	"regexp"
	"slices"
	"strings"
)

// options say how a program takes a password: in the same word as a flag, in the word that
// follows one, or there behind a user and what parts the two.
type options struct {
	joined, apart, pair []string
	split               string
	after               string // a word that stands before them: elsewhere they say something else
}

// commandTable are programs whose options for passwords have no name that says so, from their
// manual pages: by the options of one kind, the programs that have them.
var commandTable = []struct {
	programs string
	options  options
}{
	// Apart from the flag stands the name of a database.
	{"mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlbinlog mysqlslap mysqlpump mysqlsh mariadb mariadb-dump mariadb-admin mariadb-backup",
		options{joined: []string{"-p"}}},
	{"7z 7za 7zr 7zz", options{joined: []string{"-p"}}},
	{"rar unrar", options{joined: []string{"-p", "-hp"}}},
	{"sshpass mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop mongofiles cqlsh mydumper myloader rdesktop rabbitmqadmin couchbase-cli",
		options{joined: []string{"-p"}, apart: []string{"-p"}}},
	{"docker podman buildah skopeo nerdctl helm oras az cf oc argocd", options{apart: []string{"-p"}, after: "login"}},
	{"psexec psexec64 ncftp ncftpget ncftpput smbmap crackmapexec netexec nxc evil-winrm hydra influx",
		options{apart: []string{"-p"}}},
	{"redis-cli keydb-cli valkey-cli", options{apart: []string{"-a"}}},
	{"sqlcmd bcp osql isql tsql unzip zip ipmitool mosquitto_pub mosquitto_sub", options{joined: []string{"-P"}, apart: []string{"-P"}}},
	{"ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldapcompare ldapmodrdn", options{joined: []string{"-w"}, apart: []string{"-w"}}},
	{"ldappasswd", options{apart: []string{"-w", "-s", "-a"}}},
	{"xfreerdp xfreerdp3 wfreerdp sdl-freerdp", options{joined: []string{"/p:", "-p:"}, apart: []string{"-p"}}},
	{"plink pscp psftp putty klink", options{apart: []string{"-pw"}}},
	{"snmpget snmpgetnext snmpset snmpwalk snmpbulkwalk snmpbulkget snmptrap", options{apart: []string{"-c", "-A", "-X"}}},
	{"smbclient rpcclient winexe smbget smbcacls smbpasswd", options{joined: []string{"-U"}, pair: []string{"-U", "--user"}, split: "%"}},
	{"lftp", options{pair: []string{"-u", "--user"}, split: ","}},
	{"http https httpie xh", options{pair: []string{"-a", "--auth"}, split: ":"}},
	{"ab", options{pair: []string{"-A", "-P"}, split: ":"}},
	{"openssl", options{apart: []string{"-k", "-K", "-pass", "-passin", "-passout"}}},
	{"signtool schtasks", options{apart: []string{"/p", "-p", "/rp", "-rp"}}},
	{"cmdkey", options{joined: []string{"/pass:", "-pass:"}}},
	{"consul nomad", options{apart: []string{"-token"}, joined: []string{"-token="}}},
	{"swaks", options{apart: []string{"-ap"}}},
	{"sendemail", options{apart: []string{"-xp"}}},
}

// commands is commandTable by program.
var commands = commandsByName()

func commandsByName() map[string]options {
	byName := make(map[string]options)
	for _, row := range commandTable {
		for _, name := range strings.Fields(row.programs) {
			byName[name] = row.options
		}
	}
	return byName
}

// The characters before the name of a program, and of such names, which are ASCII.
const (
	commandBefore = "\t\n\f\r /\\\"'`(;|&$=,:["
	commandLetter = "abcdefghijklmnopqrstuvwxyz0123456789-_"
)

// findCommand finds the first program of commandTable at or behind a place: a name that stands alone, but for
// ".exe" and a quote behind it, before a space, a tab or a "+". It returns the name, and where
// what follows it begins.
func findCommand(s string, from int) (name string, separator int, ok bool) {
	for i := from; i < len(s); i++ {
		if s[i] != ' ' && s[i] != '\t' && s[i] != '+' {
			continue
		}
		end := i
		if end > from && (s[end-1] == '"' || s[end-1] == '\'') {
			end--
		}
		end -= len(s[from:end]) - len(strings.TrimSuffix(s[from:end], ".exe"))
		begin := end
		for begin > from && strings.IndexByte(commandLetter, s[begin-1]) >= 0 {
			begin--
		}
		if begin > 0 && (begin == from || strings.IndexByte(commandBefore, s[begin-1]) < 0) {
			continue // within a word, or of a command that was looked at
		}
		if _, known := commands[s[begin:end]]; known {
			return s[begin:end], i, true
		}
	}
	return "", 0, false
}

// commandMax is how much of a command is looked at, in bytes: commands may stand within each
// other, and the time is to be linear.
const commandMax = 512

// redactCommands redacts the passwords among the options of programs. Where "+" follows a
// program it stands for a space, as in the query of an address.
func redactCommands(s string, form Form) string {
	if !strings.ContainsAny(s, "-/") {
		return s
	}
	var b strings.Builder
	done := 0
	for {
		name, from, found := findCommand(s, done)
		if !found {
			break
		}
		separators := " \t"
		if s[from] == '+' {
			separators = "+"
		}
		end := min(len(s), from+commandMax)
		if i := strings.IndexAny(s[from:end], "\r\n|;"); i >= 0 {
			end = from + i
		}
		b.WriteString(s[done:from])
		b.WriteString(redactOptions(s[from:end], separators, commands[name], form))
		done = end
	}
	b.WriteString(s[done:])
	return b.String()
}

// redactOptions redacts the words of a command line.
func redactOptions(line, separators string, o options, form Form) string {
	var b strings.Builder
	seen := o.after == ""
	next := "" // what the word before says of this one: apart or pair
	for i := 0; i < len(line); {
		start := i
		for i < len(line) && strings.IndexByte(separators, line[i]) >= 0 {
			i++
		}
		b.WriteString(line[start:i])
		start = i
		for i < len(line) && strings.IndexByte(separators, line[i]) < 0 {
			if quote := line[i]; quote == '"' || quote == '\'' {
				if to := strings.IndexByte(line[i+1:], quote); to >= 0 {
					i += to + 1
				}
			}
			i++
		}
		word := line[start:i]
		switch {
		case word == "":
		case !seen:
			seen = word == o.after
		case next == "apart" && !strings.HasPrefix(word, "-"):
			word = markWord(word, form)
			next = ""
		case next == "pair":
			word, next = o.markPair(word, form), ""
		default:
			word, next = o.redactOption(word, form)
		}
		b.WriteString(word)
	}
	return b.String()
}

// redactOption redacts one word of a command line, and says what the next one is.
func (o options) redactOption(word string, form Form) (redacted, next string) {
	plain := strings.Trim(word, `"'`)
	switch {
	case slices.Contains(o.apart, plain):
		return word, "apart"
	case slices.Contains(o.pair, plain):
		return word, "pair"
	}
	for _, flag := range o.joined {
		value, found := strings.CutPrefix(word, flag)
		if !found || value == "" || strings.HasPrefix(value, "=") {
			continue
		}
		if o.split != "" {
			return flag + o.markPair(value, form), ""
		}
		return flag + markWord(value, form), ""
	}
	for _, flag := range o.pair {
		if value, found := strings.CutPrefix(word, flag+"="); found {
			return flag + "=" + o.markPair(value, form), ""
		}
	}
	return word, ""
}

// markPair redacts what stands behind the user in a word.
func (o options) markPair(word string, form Form) string {
	user, password, found := strings.Cut(word, o.split)
	if !found || strings.Trim(password, `"'`) == "" {
		return word
	}
	return user + o.split + markWord(password, form)
}

// markWord replaces a word but for the quotes around it, and for what closes a bracket or a
// sentence around the command.
func markWord(word string, form Form) string {
	plain := strings.Trim(word, "\"'`")
	if plain == "" || strings.HasPrefix(plain, "$") && isVariable(plain) {
		return word
	}
	return strings.Replace(word, plain, form.mark(plain, hidden), 1)
}

// variable is the name of a variable of a shell, which holds a secret and is none.
var variable = regexp.MustCompile(`^\$(?:[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\}|\([^)]*\)|[0-9])$`)

func isVariable(word string) bool { return variable.MatchString(word) }
