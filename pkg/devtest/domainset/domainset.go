// Package domainset has a small document for each chunker of a domain, which that chunker
// takes. Tests of whole systems hand them over, so that what they show is shown of every
// chunker.
package domainset

import (
	"fmt"
	"slices"
	"strings"
)

// Document is one of them.
type Document struct {
	Chunker    string   // the chunker that takes it
	SourceType string   // of its source; "" for any
	Domain     string   // likewise
	HTML       string   // the whole page
	Chunks     []string // contents of its chunks; | stands for an empty line, ~ for the end of a line
}

// Name is what its file is called.
func (d Document) Name() string { return "domain-" + d.Chunker + ".html" }

// SourceID is the source that publishes it: own where any will do, else one that must be
// of SourceType and Domain.
func (d Document) SourceID(own string) string {
	if d.SourceType == "" && d.Domain == "" {
		return own
	}
	return "of-" + d.Chunker
}

// Documents returns them by the name of the chunker.
func Documents() []Document {
	all := []Document{
		{Chunker: "regulations", HTML: `<h1>Gates</h1><p>The board orders:</p><h2>Title I</h2><p>Art. 1 - Gates are shut.</p><p>§ 1. By night.</p><p>Art. 2 - Keys are kept.</p><p>Art. 3 - Art. 1 stands.</p><p>Art. 4 - It ends.</p>`,
			Chunks: []string{"Gates|The board orders:", "Gates|Title I|Art. 1 - Gates are shut.|§ 1. By night.", "Gates > Title I|Art. 2 - Keys are kept.", "Gates > Title I|Art. 3 - Art. 1 stands.", "Gates > Title I|Art. 4 - It ends."}},
		{Chunker: "minutes", HTML: `<h1>Minutes of the board</h1><p>Present: A. Corti.</p><p>Item 1: Roads</p><p>They are bad.</p><p>Item 2: Bins</p><p>Item 3: Close</p>`,
			Chunks: []string{"Minutes of the board|Present: A. Corti.", "Minutes of the board|Item 1: Roads|They are bad.", "Minutes of the board|Item 2: Bins", "Minutes of the board|Item 3: Close"}},
		{Chunker: "forum", SourceType: "forum", HTML: `<h1>Which oven?</h1><p>Lise, 3 May 2026, 10:12</p><p>Mine is cold.</p><p>Noé, 3 May 2026, 11:40</p><p>Light it.</p><p>Lise, 4 May 2026, 09:05</p><p>It burns.</p>`,
			Chunks: []string{"Which oven?|Lise, 3 May 2026, 10:12|Mine is cold.", "Which oven?|Noé, 3 May 2026, 11:40|Light it.", "Which oven?|Lise, 4 May 2026, 09:05|It burns."}},
		{Chunker: "dictionary", HTML: `<h1>B</h1><dl><dt>bara<dd>work<dt>bato<dd>boat<dt>bela<dd>stone<dt>bila<dd>to put<dt>bolo<dd>hand</dl>`,
			Chunks: []string{"B|bara|work", "B|bato|boat", "B|bela|stone", "B|bila|to put", "B|bolo|hand"}},
		{Chunker: "tables", HTML: `<h1>Lake</h1><p>Levels:</p><table><tr><th>Year of the measure<th>Height of the lake<tr><td>2025<td>3 centimetres<tr><td>2026<td>5 centimetres</table>`,
			Chunks: []string{"Lake|Levels:|Year of the measure | Height of the lake~2025 | 3 centimetres~2026 | 5 centimetres"}},
		{Chunker: "lists", Domain: "nature", HTML: `<h1>Weirs</h1><ul><li>the upper weir<li>the middle weir<ul><li>with its gate</ul><li>the lower weir<li>the mill weir</ul>`,
			Chunks: []string{"Weirs|the upper weir|the middle weir|with its gate|the lower weir|the mill weir"}},
		{Chunker: "recipes", HTML: `<h1>Winter</h1><h2>Soup</h2><h3>Ingredients</h3><ul><li>two leeks</ul><h3>Preparation</h3><p>Peel them.</p><h2>Fritters</h2><h3>Ingredients</h3><ul><li>flour</ul>`,
			Chunks: []string{"Winter|Soup|Ingredients|two leeks|Preparation|Peel them.", "Winter|Fritters|Ingredients|flour"}},
		{Chunker: "posts", HTML: `<meta property="og:type" content="article"><h1>The oven</h1><p>It was lit.</p><h2>Its bread</h2><p>It was dark.</p>`,
			Chunks: []string{"The oven|It was lit.|Its bread|It was dark."}},
	}
	for i := range all {
		all[i].HTML = fmt.Sprintf(`<!DOCTYPE html><html lang="en"><title>%s</title><main>%s</main></html>`, all[i].Chunker, all[i].HTML)
	}
	slices.SortFunc(all, func(a, b Document) int { return strings.Compare(a.Chunker, b.Chunker) })
	return all
}

// Reads returns the contents of chunks as Document has them.
func Reads(contents []string) []string {
	out := make([]string, len(contents))
	for i, c := range contents {
		out[i] = strings.ReplaceAll(strings.ReplaceAll(c, "\n\n", "|"), "\n", "~")
	}
	return out
}
