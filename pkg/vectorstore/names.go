package vectorstore

import (
	"context"

	"github.com/qdrant/go-client/qdrant"
)

// Names returns the names of all collections of the server, in any order, and what each
// alias leads to; those of other users of it are among them.
func (c *Client) Names(ctx context.Context) (collections []string, aliases map[string]string, err error) {
	err = c.call(ctx, "list the collections", func(ctx context.Context, driver *qdrant.Client) error {
		var err error
		if collections, err = driver.ListCollections(ctx); err != nil {
			return err
		}
		all, err := driver.ListAliases(ctx)
		aliases = make(map[string]string, len(all))
		for _, a := range all {
			aliases[a.GetAliasName()] = a.GetCollectionName()
		}
		return err
	})
	return collections, aliases, err
}
