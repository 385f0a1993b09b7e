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

What is under way is no break: rows that moved within ` + "`--age`" + ` (10 minutes) are left out
where that matters. A row that a service of an older build has written beside this
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
