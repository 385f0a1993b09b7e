package catalog

// boundContradictions hold rows against the digests that bind them, both ways.
func boundContradictions() []string {
	var all []string
	for _, b := range bindings() {
		where := b.where
		if where == "" {
			where = `WHERE true`
		}
		all = append(all,
			`SELECT '`+b.name+` ' || n.key, CASE WHEN o.key IS NULL THEN 'no digest of its `+b.kind+` is there'
				ELSE 'the digest of its `+b.kind+` is of something else' END
			FROM (`+b.selected(b.rows, where+` AND ($1 = '' OR `+b.mine+`)`)+`) n
			LEFT JOIN bindings o ON o.kind = n.kind AND o.key = n.key WHERE o.digest IS DISTINCT FROM n.digest`,

			`SELECT '`+b.name+` ' || o.key, 'there is a digest of its `+b.kind+`, and it has none'
			FROM bindings o WHERE $1 = '' AND o.kind = '`+b.kind+`'
			AND NOT EXISTS (SELECT 1 FROM (SELECT `+b.key+` AS key FROM `+b.rows+` `+where+`) n WHERE n.key = o.key)`)
	}
	return append(all, `SELECT 'digest of ' || o.key, 'is of no known kind: ' || o.kind FROM bindings o
		WHERE $1 = '' AND o.kind <> ALL ('{`+kindsOfBindings()+`}')`)
}

func kindsOfBindings() string {
	kinds := ""
	for i, b := range bindings() {
		if i > 0 {
			kinds += ","
		}
		kinds += b.kind
	}
	return kinds
}
