package access

import (
	"encoding/json"
	"fmt"
	"slices"
)

// actions returns what S3 calls a verb.
func (v Verb) actions() []string {
	switch v {
	case Look:
		return []string{"s3:ListBucket"}
	case Get:
		return []string{"s3:GetObject"}
	case Put:
		return []string{"s3:AbortMultipartUpload", "s3:PutObject"}
	case Delete:
		return []string{"s3:DeleteObject"}
	case Make:
		return []string{"s3:CreateBucket"}
	}
	return nil
}

// policy is an S3 policy in the form that all stores take.
type policy struct {
	Version   string
	Statement []statement
}

type statement struct {
	Sid      string
	Effect   string
	Action   []string
	Resource []string
}

// Policy returns a role's S3 policy as JSON, and whether it needs the object store
// at all.
func Policy(r Role, n Names) (text []byte, needed bool, err error) {
	made := policy{Version: "2012-10-17"}
	byVerb := make(map[string]int)
	for _, o := range r.Objects {
		bucket := "arn:aws:s3:::" + n.Buckets + o.Bucket
		resources := []string{bucket}
		if o.Verb != Look && o.Verb != Make {
			resources = nil
			for _, keys := range o.Keys {
				resources = append(resources, bucket+"/"+keys)
			}
		}
		i, known := byVerb[string(o.Verb)+o.Bucket]
		if !known {
			i = len(made.Statement)
			byVerb[string(o.Verb)+o.Bucket] = i
			made.Statement = append(made.Statement, statement{
				Sid: sid(o), Effect: "Allow", Action: o.Verb.actions(),
			})
		}
		all := append(made.Statement[i].Resource, resources...)
		slices.Sort(all)
		made.Statement[i].Resource = slices.Compact(all)
	}
	if len(made.Statement) == 0 {
		return nil, false, nil
	}
	text, err = json.MarshalIndent(made, "", "  ")
	if err != nil {
		return nil, true, fmt.Errorf("policy of %s: %w", r.Name, err)
	}
	return append(text, '\n'), true, nil
}

// sid names a statement: letters only, as S3 asks.
func sid(o Object) string {
	capital := func(s string) string { return string(s[0]-'a'+'A') + s[1:] }
	return capital(string(o.Verb)) + capital(o.Bucket)
}
