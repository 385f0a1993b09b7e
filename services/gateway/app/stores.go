package app

import (
	"context"
	"sync"

	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/pkg/verify"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// vectors is the vector store, which is connected to when it is first needed:
// the gateway starts also while it is away.
type vectors struct {
	config vectorstore.Config

	mu     sync.Mutex
	opened *vectorstore.Client
}

func (v *vectors) client(ctx context.Context) (*vectorstore.Client, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.opened == nil {
		client, err := vectorstore.Open(ctx, v.config)
		if err != nil {
			return nil, err
		}
		v.opened = client
	}
	return v.opened, nil
}

func (v *vectors) ping(ctx context.Context) error {
	client, err := v.client(ctx)
	if err == nil {
		_, err = client.Ping(ctx)
	}
	return err
}

// points returns a collection for the search.
func (v *vectors) points(ctx context.Context, collection string) (search.Points, error) {
	client, err := v.client(ctx)
	if err != nil {
		return nil, err
	}
	return client.Collection(collection), nil
}

func (v *vectors) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.opened == nil {
		return nil
	}
	return v.opened.Close()
}

// prover proves chunks over the stores.
type prover struct {
	reader  verify.Reader // without Vectors
	vectors *vectors
}

// Prove implements api.Prover.
func (p prover) Prove(ctx context.Context, items []proof.Item) ([]proof.Proof, error) {
	client, err := p.vectors.client(ctx)
	if err != nil {
		return nil, err
	}
	reader := p.reader
	reader.Vectors = client
	return proof.Verify(ctx, &reader, items)
}
