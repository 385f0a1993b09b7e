// Package access says who may what: one identity a role, with its rights on the
// bus, the object store and the catalog, and the reason for each. The
// configuration of a NATS server, the S3 policies, the grants in PostgreSQL and
// docs/access.md are all rendered from this one table. It does nothing itself.
package access

import "slices"

// Names are what an installation has called its parts. The rights of a role are
// on these and on nothing else.
type Names struct {
	Subjects string // first token of every subject, such as colophon
	Streams  string // in front of every stream's name; may be empty
	Buckets  string // in front of every bucket's name; may be empty

	Source   string // the source_id that a crawler hands over for
	Consumer string // the name of a consumer outside of the chain, or of a sink
}

// Default returns the names of an installation that has set none.
func Default() Names { return Names{Subjects: "colophon", Source: "SOURCE", Consumer: "NAME"} }

// Role is one identity.
type Role struct {
	Name    string   // capturer, or for a template crawler-SOURCE
	Is      string   // what the identity is for, in a sentence
	Kind    string   // Service, People, or Template
	Bus     []Bus    // on the bus
	Objects []Object // in the object store
	Tables  []Table  // in the catalog
	Views   []Views  // beside the catalog: of the founding documents
	Owner   bool     // owns the catalog's schema: every right there
}

// The kinds of roles.
const (
	Service  = "service"  // a process of the chain
	People   = "operator" // who makes, runs and reads the installation: the Jobs, the commands, and SQL by hand
	Template = "template" // for programs outside: one identity for each name
)

// Bus is a right to publish to subjects, or to subscribe to them.
type Bus struct {
	Subscribe bool     // else it is to publish
	Subject   string   // as NATS writes it, with * and >
	Except    []string // subjects among these that are refused all the same
	Why       string
}

// Verb is what can be done with an object or a bucket.
type Verb string

// The verbs of the object store. Look is asking whether a bucket is there, and,
// in it, whether an object is: without it S3 refuses to say that one is missing.
const (
	Look   Verb = "look"   // s3:ListBucket
	Get    Verb = "get"    // s3:GetObject
	Put    Verb = "put"    // s3:PutObject, and parts of large ones
	Delete Verb = "delete" // s3:DeleteObject
	Make   Verb = "make"   // s3:CreateBucket
)

// Object is a right on a bucket (Look, Make) or on keys in it.
type Object struct {
	Bucket string // raw, derived, inbox or bundles, without the installation's prefix
	Verb   Verb
	Keys   []string // patterns in which * is anything; none for Look and Make
	Why    string
}

// Table is a right on a table of the catalog.
type Table struct {
	Name   string
	Select bool
	Insert bool
	Update []string // the columns that may change; the one element * is all
	Delete bool
	Why    string
}

// Views is the right to read all views of a schema that shows the catalog under the names
// of a founding document.
type Views struct {
	Seed string // seed003 or seed004
	Why  string
}

// Seeds are the schemas of views that a catalog has, as they are called beside the schema
// colophon.
func Seeds() []string { return []string{"seed003", "seed004"} }

// defaultSchema is the schema of a catalog whose views have no schema in front of them.
const defaultSchema = "colophon"

// schemaRoom is how many bytes of a schema's name stand in front of that of its views:
// PostgreSQL cuts names at 63.
const schemaRoom = 63 - len("_seed003")

// SeedSchema returns the name of a schema of views: that of the seed, and beside any other
// catalog than that of schema colophon with its schema in front.
func SeedSchema(schema, seed string) string {
	if schema == defaultSchema {
		return seed
	}
	return schema[:min(len(schema), schemaRoom)] + "_" + seed
}

// OfCatalog reports whether the role logs in to the catalog's server with rights of its own.
func (r Role) OfCatalog() bool { return len(r.Tables) > 0 || len(r.Views) > 0 }

// The names of the roles, without what a template's name ends in.
const (
	Capturer  = "capturer"
	Splitter  = "splitter"
	Extract   = "extract"
	OCR       = "ocr"
	Chunker   = "chunker"
	Indexer   = "indexer"
	Gateway   = "gateway"
	Janitor   = "janitor"
	Annotator = "annotator"
	Operator  = "operator"
	Provision = "provision"
	Verify    = "verify"
	Reader    = "reader"
	Crawler   = "crawler"
	Consumer  = "consumer"
	Sink      = "sink"
)

// Roles returns the whole table under the names of an installation. The last three
// are templates, under the names Source and Consumer.
func Roles(n Names) []Role {
	roles := []Role{
		capturer(n), splitter(n), extract(n), ocr(n), chunker(n), annotator(n), indexer(n), gateway(n), janitor(n), provision(n), operator(n), verify(), reader(),
		crawler(n), consumer(n), sink(n),
	}
	for i := range roles {
		if len(roles[i].Bus) > 0 {
			roles[i].Bus = append(roles[i].Bus, Bus{
				Subscribe: true, Subject: Inbox(roles[i].Name) + ".>", Why: "answers to what it asks come to an inbox of its own",
			})
		}
	}
	return roles
}

// Find returns the role of a name, and whether there is one.
func Find(n Names, name string) (Role, bool) {
	roles := Roles(n)
	i := slices.IndexFunc(roles, func(r Role) bool { return r.Name == name })
	if i < 0 {
		return Role{}, false
	}
	return roles[i], true
}

// Inbox returns what the subjects begin with on which a role is answered. With one
// for all, each could read what is handed to the others.
func Inbox(role string) string { return "_INBOX." + role }
