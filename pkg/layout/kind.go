package layout

import "github.com/colophon-dev/colophon/pkg/model"

// UnitType returns the unit type of a block of text of this kind.
func (k Kind) UnitType() model.UnitType {
	switch k {
	case Heading:
		return model.UnitHeading
	case ListItem:
		return model.UnitListItem
	case Caption:
		return model.UnitCaption
	case Footnote:
		return model.UnitFootnote
	case PageHeader:
		return model.UnitPageHeader
	case PageFooter:
		return model.UnitPageFooter
	case Code:
		return model.UnitCode
	default:
		return model.UnitParagraph
	}
}
