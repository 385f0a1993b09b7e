package verify

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
)

// answers returns the answers of models whose object is not there, or is another one than was
// kept, or whose key is not made of what was asked (contracts#llm-answers).
func (r *Reader) answers(ctx context.Context) (breaks []proof.Break, err error) {
	var last model.LLMAnswer
	for {
		page, err := r.Catalog.LLMAnswersAfter(ctx, last, batch)
		if err != nil || len(page) == 0 {
			return breaks, err
		}
		last = page[len(page)-1]
		for _, a := range page {
			what, err := r.answer(ctx, a)
			if err != nil {
				return breaks, err
			}
			if what != "" {
				breaks = append(breaks, proof.Break{Step: "g", What: what,
					Where: fmt.Sprintf("answer of %s to %s, source %s, prompt version %d", a.Model, a.InputHash, a.SourceID, a.PromptVersion)})
			}
		}
	}
}

// answer says what is wrong with an answer, "" for nothing.
func (r *Reader) answer(ctx context.Context, a model.LLMAnswer) (what string, err error) {
	if blobstore.LLMKey(a.SourceID, a.Model, strconv.Itoa(a.PromptVersion), a.InputHash) != a.ObjectKey {
		return "its object_key is not made of source, model, prompt version and what was asked", nil
	}
	switch _, err := r.Blobs.Get(ctx, blobstore.Derived, a.ObjectKey, a.Digest); {
	case errors.Is(err, blobstore.ErrNotFound):
		return "its object does not exist", nil
	case errors.Is(err, blobstore.ErrDamaged):
		return "its object is not what was kept", nil
	case err != nil:
		return "", err
	}
	return "", nil
}
