package reconcile

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
)

// orphans deletes objects that no row names.
func (p *pass) orphans(ctx context.Context) error {
	if p.options.SkipObjects {
		return nil
	}
	age := p.options.ObjectAge
	if age == 0 {
		age = DefaultObjectAge
	}
	limit := p.before.Add(p.options.Age - age)
	err := errors.Join(
		p.orphansOf(ctx, blobstore.Raw, limit, p.catalog.UnnamedRaw),
		p.orphansOf(ctx, blobstore.Derived, limit, p.catalog.UnnamedDerived))
	if err != nil || p.options.DryRun {
		return err
	}
	return p.catalog.ForgetAdopted(ctx, limit)
}

func (p *pass) orphansOf(ctx context.Context, b blobstore.Bucket, limit time.Time,
	unnamed func(context.Context, []string) ([]string, error),
) error {
	c := p.report.count(objectsOf(b))
	var keys []string
	flush := func() error {
		if len(keys) == 0 {
			return nil
		}
		left, err := unnamed(ctx, keys)
		keys = keys[:0]
		if err != nil {
			return err
		}
		if p.options.DryRun {
			c.Found, c.Deleted = c.Found+len(left), c.Deleted+len(left)
			return nil
		}
		for some := range slices.Chunk(left, deletedTogether) {
			n, err := p.catalog.DeleteOrphans(ctx, string(b), some, limit, func(ctx context.Context, key string) error {
				return p.objects.Delete(ctx, b, key)
			})
			c.Found, c.Deleted = c.Found+n, c.Deleted+n
			if err != nil {
				return err
			}
		}
		return nil
	}
	for object, err := range p.objects.List(ctx, b, "") {
		if err != nil {
			return err
		}
		if !object.Modified.Before(limit) {
			continue
		}
		if keys = append(keys, object.Key); len(keys) == pageSize {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
