package app

import (
	"context"

	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/pkg/verify"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// vectors is the vector store: the gateway starts also while it is away.
type vectors struct{ *vectorstore.Lazy }

// openCollection returns a collection for the search.
func (v vectors) openCollection(ctx context.Context, collection string) (search.Points, error) {
	client, err := v.Client(ctx)
	if err != nil {
		return nil, err
	}
	return client.Collection(collection), nil
}

// prover proves chunks over the stores.
type prover struct {
	reader  verify.Reader // without Vectors
	vectors vectors
}

// Prove implements api.Prover.
func (p prover) Prove(ctx context.Context, items []proof.Item) ([]proof.Proof, error) {
	client, err := p.vectors.Client(ctx)
	if err != nil {
		return nil, err
	}
	reader := p.reader
	reader.Vectors = client
	return proof.Verify(ctx, &reader, items)
}
