// Package entities finds the entities of a page: by rules, which need nothing but the page, and by a model beside them.
package entities

import (
	"context"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/custom"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// Rules is the extractor of rules.
type Rules struct{}

// Versions returns the version of the rules, and that no prompt is used.
func (Rules) Versions() (extractor, prompt int) { return rules.Version, 0 }

// Page returns the entities of a page, of the six types and of schemas of one's own. A page on which the rules break is a
// permanent fault of that page.
func (Rules) Page(_ context.Context, in entity.PageInput, own custom.Set) (entity.Page, error) {
	return byRules(in, func() entity.Page { return custom.Extract(in, own) })
}

// byRules reads a page by rules.
func byRules(in entity.PageInput, read func() entity.Page) (p entity.Page, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fault.Document(fault.Internal, fmt.Errorf("the rules for entities cannot read page %d: %v", in.PageNo, broken))
		}
	}()
	return read(), nil
}
