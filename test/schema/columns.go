package schema

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/catalog"
)

const columnsHead = `# What ` + "`verify --all`" + ` holds together

Every column of the catalog is of one of four classes. This page is written from the
table in ` + "`pkg/catalog/columns.go`" + `; ` + "`TestRows`" + ` of ` + "`cmd/colophon`" + ` changes a value of each
derived and each bound column in rows of every kind, loses rows and adds some, and
sees that each is found.

| class | means | a change by somebody else |
|---|---|---|
| derived | it is made again out of other rows, objects or points, by the function that made it | is found |
| bound | its digest stands in another row, or it is a digest of what is stored elsewhere | is found |
| primary | only the row says so: **a backup is its only copy** | need not be found |
| working | leases, counters and clocks of the running system: nothing is proved by it | need not be found |

A row that is lost, and one that is added, is found in every table that has a derived
or a bound column. Two changes that agree with each other, in a row and in the digest
that binds it, are not found: a digest of the same database is no seal against who owns
the database. The raw bytes, the segments and the chunks do not rest on these digests:
they are hashed, extracted and cut again.

What a row holds never ends the pass, whatever it is: a value that nothing writes is a
break that names its row, what cannot be read for it is left out, and all else is looked
at. The command ends with 3 then; with another error only when a store does not answer,
or this machine is in trouble. A check lists its first 100 breaks, and says how many more
there are.

JSON is held by what it says: a record that is written otherwise and decoded to the same
values, such as ` + "`1.50`" + ` for ` + "`1.5`" + `, an empty field that was left out,
or a key that nothing reads, is the same record
where nothing else binds its text. Such a change is not found.

## Who proves

To prove is to parse hostile documents again, and to change nothing. The identity ` + "`verify`" + ` of
[access.md](access.md#verify) may read the tables that are held together here, the buckets ` + "`raw`" + `
and ` + "`derived`" + `, and the vectors, and nothing else: work as it rather than as the schema's owner. On
Kubernetes the Job of each week does.

## What is looked at beside the rows

Each object in the buckets raw and derived must be named by a row, unless it is younger than
two days, or than ` + "`--age`" + ` when that is given; one whose name is none that the product writes
is found, too; ` + "`.colophon/probe`" + ` is the product's. What no row names need not be damage:
bytes that were put for a request whose rows were refused then, as when a request_id is used
twice for different things, are left for the janitor, which deletes them. No row names pictures that are drawn on demand: figures are not looked at, and
of small pictures of pages only that their snapshot is there. The inbox belongs to the
crawlers, and bundles to who has made them: neither is looked at.

Each chunk that stands has one point in the collection that is searched, with its payload, a
dense and a sparse vector. The sparse one, and the dense one of the built-in embedder, are
computed again from the text, and must be equal to within 1e-5; of another embedder's dense
vector only is seen that it is there and not all zeros. A collection that is being built, and
is not searched yet, is held against the rows of ` + "`chunk_vectors`" + ` alone. A payload's
` + "`pushed_at`" + ` must be a time in UTC that is not to come; which one is not compared: it is the
indexer's clock. A collection that is called as the alias makes its names, and that no row
names, is a break, and so is another alias that leads to a collection of ours; what others
keep in the same vector store is not looked at.

A [note](contracts.md#notes) is proved with what it points to: a chunk that it names and that is lost, a quotation that is
not in it, and evidence that is not proved itself are breaks of the note.

The tables and columns themselves are held against those of this build first. What lacks is
named, and all that does not need it is verified.

## What is under way

What is under way is no break: rows that moved within ` + "`--age`" + ` (10 minutes) are left out
where that matters. Where catalog and vector store seem to differ, both are asked again: the
catalog, the point, and the catalog once more. A chunk that has moved in between is looked at
anew; one whose newest state is recorded as pushed and whose point is another is a break, and
so is one that was to be pushed for longer than ` + "`--age`" + `. A capture that makes no run
can change what is current: until the chunker has decided that, however long it takes, the
states are held against the version that the document's row names, and ` + "`status`" + ` counts the
document as unsettled. When reconcile has given it up it is under way no more.
A row that a service of an older build has written beside this
schema has no digest: ` + "`colophon migrate`" + ` binds it.
`

// columns returns the page that says of each column how it is verified.
func columns() []byte {
	var b bytes.Buffer
	b.WriteString(columnsHead)
	table := ""
	for _, c := range catalog.Columns() {
		if c.Table != table {
			table = c.Table
			fmt.Fprintf(&b, "\n## %s\n\n| column | class | by what, or who writes it |\n|---|---|---|\n", table)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, c.Class, strings.ReplaceAll(c.Why, "|", `\|`))
	}
	return b.Bytes()
}
