package verify

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
)

// ownForm is how the name of a collection goes on behind its alias: model and dimensions.
var ownForm = regexp.MustCompile(`^_[A-Za-z0-9._-]+_[1-9][0-9]*$`)

// unregistered returns the collections of the vector store that have a name which only
// this installation gives, and that no row names, and the aliases beside the one that is
// searched which lead to collections of ours. What others keep there is theirs: a name
// that begins with a longer alias than ours is that of its user.
func (r *Reader) unregistered(ctx context.Context) ([]proof.Break, error) {
	collections, aliases, err := r.Vectors.Names(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := r.Catalog.CollectionsBefore(ctx, time.Now().Add(time.Hour))
	if err != nil {
		return nil, err
	}
	named := func(name string) bool {
		return slices.ContainsFunc(rows, func(c model.Collection) bool { return c.Name == name })
	}
	ours := func(name string) bool {
		return r.owns(name) && !slices.ContainsFunc(slices.Collect(maps.Keys(aliases)), func(alias string) bool {
			return len(alias) > len(r.Alias) && strings.HasPrefix(name, alias+"_")
		})
	}
	var breaks []proof.Break
	for _, name := range slices.Sorted(slices.Values(collections)) {
		if name != aliases[r.Alias] && !named(name) && ours(name) { // what the alias leads to is missed by itself
			breaks = append(breaks, proof.Break{Step: "g", Where: "collection " + name, What: "is called as one of alias " + r.Alias + ", and no row names it"})
		}
	}
	for _, alias := range slices.Sorted(maps.Keys(aliases)) {
		if target := aliases[alias]; alias != r.Alias && named(target) && !slices.ContainsFunc(rows, func(c model.Collection) bool { return c.Alias == alias }) {
			breaks = append(breaks, proof.Break{Step: "g", Where: "alias " + alias, What: fmt.Sprintf("leads to collection %s, and no row names it", target)})
		}
	}
	return breaks, nil
}

// owns reports whether a collection is called as this installation calls its own.
func (r *Reader) owns(name string) bool {
	rest, ours := strings.CutPrefix(name, r.Alias)
	return ours && ownForm.MatchString(rest)
}
