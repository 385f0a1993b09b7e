package model

// TextClasses are the characters between the tags of web pages by what they are, white
// space not counted: each is in one class (contracts#coverage-html).
type TextClasses struct {
	Text        int `json:"text,omitempty"`        // in units of the page's own matter
	Furniture   int `json:"furniture,omitempty"`   // in units of navigation, banners and the like
	Head        int `json:"head,omitempty"`        // the title, and what else stands in the head
	Hidden      int `json:"hidden,omitempty"`      // not shown
	Script      int `json:"script,omitempty"`      // programs, and data for them
	Style       int `json:"style,omitempty"`       // style sheets
	Template    int `json:"template,omitempty"`    // templates, which a script may put into the page
	Alternative int `json:"alternative,omitempty"` // shown only where a frame, a film or an object cannot be
	Lost        int `json:"lost,omitempty"`        // shown, and in no unit
}

// of returns where a class is counted that a ledger has skipped for a reason, nil for
// one that is no class.
func (c *TextClasses) of(reason string) *int {
	switch reason {
	case ClassFurniture:
		return &c.Furniture
	case ClassHead:
		return &c.Head
	case ClassHidden:
		return &c.Hidden
	case ClassScript:
		return &c.Script
	case ClassStyle:
		return &c.Style
	case ClassTemplate:
		return &c.Template
	case ClassAlternative:
		return &c.Alternative
	}
	return nil
}

// The classes of text that is not of a web page's own matter, as its ledger has them
// among its reasons.
const (
	ClassFurniture   = "furniture"
	ClassHead        = "head"
	ClassHidden      = "hidden"
	ClassScript      = "script"
	ClassStyle       = "style"
	ClassTemplate    = "template"
	ClassAlternative = "alternative"
)

// Sum is how many characters there are in all classes together.
func (c TextClasses) Sum() int {
	return c.Text + c.Furniture + c.Head + c.Hidden + c.Script + c.Style + c.Template + c.Alternative + c.Lost
}

func (c TextClasses) plus(o TextClasses) TextClasses {
	return TextClasses{
		Text: c.Text + o.Text, Furniture: c.Furniture + o.Furniture, Head: c.Head + o.Head, Hidden: c.Hidden + o.Hidden,
		Script: c.Script + o.Script, Style: c.Style + o.Style, Template: c.Template + o.Template,
		Alternative: c.Alternative + o.Alternative, Lost: c.Lost + o.Lost,
	}
}

// classesOf are the classes of a page of the web, by its ledger; zero where it has none.
func classesOf(l *Ledger) TextClasses {
	if l == nil {
		return TextClasses{}
	}
	c := TextClasses{Text: l.Characters.Placed, Lost: l.Characters.Failed}
	for _, s := range l.Characters.Skipped {
		if class := c.of(s.Reason); class != nil {
			*class += s.Count
		}
	}
	return c
}
