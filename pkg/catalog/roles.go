package catalog

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/access"
)

// Identity is a role of the database server that one of the table's roles has.
type Identity struct {
	Role     access.Role
	Name     string // of the server's role
	Password string // a secret; empty: what it has stays
}

// GrantRoles makes the roles that are missing, gives each what the table says in this
// schema, and takes from it whatever else it has there, in one transaction: who is at
// work sees no moment without its rights. It may be repeated. Roles that are there
// are taken as they are, so that somebody else may make them; making one, or setting
// a password, needs CREATEROLE, and granting needs the owner of the schema.
func (db *DB) GrantRoles(ctx context.Context, identities []Identity) error {
	_, err := db.grantRoles(ctx, identities, db.makeRole)
	return err
}

// GrantThere is GrantRoles for who may make no role: it grants to the roles that are
// there, leaves all passwords as they are, and returns the names of those that are missing.
func (db *DB) GrantThere(ctx context.Context, identities []Identity) (missing []string, err error) {
	return db.grantRoles(ctx, identities, func(context.Context, pgx.Tx, Identity) error { return nil })
}

// grantRoles lets create see each role, and grants to those that are there then.
func (db *DB) grantRoles(ctx context.Context, identities []Identity, create func(context.Context, pgx.Tx, Identity) error) (missing []string, err error) {
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		missing = nil // it may be repeated
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, db.lockKey("roles", "")); err != nil {
			return err
		}
		for _, one := range identities {
			if err := create(ctx, tx, one); err != nil {
				return fmt.Errorf("role %s: %w", one.Name, err)
			}
			there, err := hasRole(ctx, tx, one.Name)
			if err != nil {
				return err
			}
			if !there {
				missing = append(missing, one.Name)
				continue
			}
			for _, statement := range db.grantsOf(one) {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return fmt.Errorf("%s: %w", statement, err)
				}
			}
		}
		return nil
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == insufficientPrivilege {
		err = fmt.Errorf("this user may not make or grant roles: it needs CREATEROLE to make them, and must own schema %s to grant: %w", db.schema, err)
	}
	return missing, err
}

// hasRole reports whether the server has a role of this name.
func hasRole(ctx context.Context, tx pgx.Tx, name string) (there bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)`, name).Scan(&there)
	return there, err
}

// insufficientPrivilege is PostgreSQL's code for it.
const insufficientPrivilege = "42501"

// makeRole makes a role of the server unless it is there, and sets its password when
// one is given.
func (db *DB) makeRole(ctx context.Context, tx pgx.Tx, one Identity) error {
	name := pgx.Identifier{one.Name}.Sanitize()
	there, err := hasRole(ctx, tx, one.Name)
	if err != nil {
		return err
	}
	if !there {
		if _, err := tx.Exec(ctx, "CREATE ROLE "+name+" LOGIN NOINHERIT"); err != nil {
			return err
		}
	}
	if one.Password == "" {
		return nil
	}
	salt := make([]byte, scramSalt)
	_, _ = rand.Read(salt) // never fails
	verifier, err := scramVerifier(one.Password, salt)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "ALTER ROLE "+name+" PASSWORD '"+verifier+"'") // base64 and digits: nothing to quote
	return err
}

// grantsOf returns the statements that make the rights of a role those of the table.
// Whatever it has of the same is taken away first, column by column too.
func (db *DB) grantsOf(one Identity) []string {
	role := pgx.Identifier{one.Name}.Sanitize()
	var statements []string
	for _, name := range append([]string{db.schema}, seedSchemaNames(db.schema)...) {
		schema := pgx.Identifier{name}.Sanitize()
		statements = append(statements,
			"REVOKE ALL ON SCHEMA "+schema+" FROM "+role,
			"REVOKE ALL ON ALL TABLES IN SCHEMA "+schema+" FROM "+role,
			"REVOKE ALL ON ALL SEQUENCES IN SCHEMA "+schema+" FROM "+role)
		if name != db.schema {
			statements = append(statements, "ALTER DEFAULT PRIVILEGES IN SCHEMA "+schema+" REVOKE ALL ON TABLES FROM "+role)
		}
	}
	return append(statements, access.Grants(one.Role, db.schema, one.Name)...)
}

const (
	scramIterations = 4096 // PostgreSQL's own number
	scramSalt       = 16   // bytes, as PostgreSQL takes
)

// scramVerifier is what PostgreSQL keeps of a password under SCRAM-SHA-256 (RFC 5802,
// RFC 7677). It is made here, so that no password is in a statement or in the log of
// the server. Passwords are taken as they are: those made by us are ASCII.
func scramVerifier(password string, salt []byte) (string, error) {
	salted, err := pbkdf2.Key(sha256.New, password, salt, scramIterations, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("deriving a key of a password: %w", err)
	}
	keyed := func(key []byte, text string) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	stored := sha256.Sum256(keyed(salted, "Client Key"))
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", scramIterations, encode(salt),
		encode(stored[:]), encode(keyed(salted, "Server Key"))), nil
}
