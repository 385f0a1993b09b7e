package catalog

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

func TestOperationsOfStatements(t *testing.T) {
	known := instrument.Operations(instrument.StoreCatalog)
	for sql, want := range map[string]string{
		"SELECT 1": "select", "\n\t insert INTO x": "insert", "(SELECT 1) UNION": "select", "WITH a AS (SELECT 1) DELETE": "with",
		"begin": "begin", "commit;": "commit", "UPDATE\nx": "update",
	} {
		if got := operationOf(sql); got != want || !slices.Contains(known, got) {
			t.Errorf("%q is %q, want %q", sql, got, want)
		}
	}
}

func TestOutcomesOfStatements(t *testing.T) {
	for _, c := range []struct {
		err  error
		want instrument.Outcome
	}{
		{nil, instrument.OutcomeOK}, {pgx.ErrNoRows, instrument.OutcomeNotFound}, {context.Canceled, instrument.OutcomeCancelled},
		{io.EOF, instrument.OutcomeUnavailable}, {&pgconn.PgError{Code: "53100"}, instrument.OutcomeUnavailable},
		{&pgconn.PgError{Code: "40P01"}, instrument.OutcomeConflict}, {&pgconn.PgError{Code: "42601"}, instrument.OutcomeRefused},
		{errors.New("anything"), instrument.OutcomeRefused},
	} {
		if got := outcomeOf(c.err); got != c.want {
			t.Errorf("%v is %s, want %s", c.err, got, c.want)
		}
	}
}
