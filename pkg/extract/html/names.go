package html

import "fmt"

// featureNames returns what the features are called, in their order.
func featureNames() []string {
	names := []string{"letters", "per mille of links", "sentences", "commas", "kind of its end", "per mille of digits", "per mille of capitals", "role by rules", "passages like it", "kind of its beginning",
		"in a list", "in a cell", "in a quotation", "in a figure", "in article or main", "depth", "links", "per mille of the page in the element with a role",
		"per mille of the passages before it", "per mille of the prose before it", "per mille of the prose after it", "before or after the headline", "in the main element", "prose of the page"}
	for _, where := range []string{"two before it", "before it", "after it", "two after it"} {
		for _, what := range []string{"letters", "per mille of links", "role by rules", "heading"} {
			names = append(names, what+", "+where)
		}
	}
	names = append(names, "passages back to long text", "passages on to long text", "passages since a heading", "elements up to the text's column", "elements down from there")
	for k, where := range []string{"its branch of the column", "its element", "the element around it", "the element around that"} {
		whats := []string{"letters", "per mille of links", "headings", "fields", "buttons", "elements like it", "kind"}
		if k != 1 {
			whats = append(whats, "children", "headings that lead away", "per mille of the page", "per mille of the prose")
		}
		for _, what := range whats {
			names = append(names, fmt.Sprintf("%s of %s", what, where))
		}
	}
	names = moreNames(names)
	for _, of := range []string{"classes", "words", "headings' words"} {
		names = append(names, "strongest of its "+of+" for furniture", "strongest of its "+of+" against it", "sum of its "+of)
	}
	return names
}

// moreNames adds what moreFeatures are called.
func moreNames(names []string) []string {
	for _, of := range []string{"the densest element", "the densest element that the rules keep"} {
		names = append(names, "in or beside "+of, "per mille of the score of "+of+" around it", "elements up to what holds "+of+" too", "elements down to "+of,
			"per mille of the prose in "+of, "the main element and "+of)
	}
	names = append(names, "elements up to what holds the headline too", "elements down to the headline", "passages since the headline", "prose since the headline",
		"in the body of an article", "what it describes", "part of the page around it", "articles around it", "articles of the page", "per mille of the prose in its article", "elements up to its article")
	for _, of := range []string{"passages at such a place", "passages at such a place with its classes"} {
		names = append(names, of, "letters of "+of, "per mille of links of "+of, "per mille of the prose in "+of, "per mille of links whole among "+of, "per mille of dates among "+of)
	}
	for _, in := range []string{"3 around it", "8 around it"} {
		names = append(names, "short ones in "+in, "links whole in "+in, "dates in "+in, "headings in "+in, "passages like it in "+in, "letters of "+in, "per mille of prose of "+in)
	}
	for _, of := range []string{"the long text before it", "the long text after it"} {
		names = append(names, "elements up to what holds "+of+" too", "elements down to "+of, "as "+of+" is", "letters up to "+of, "prose of "+of)
	}
	return append(names, "pictures in its element", "pictures in the element around it", "pictures in the element around that")
}
