package app

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/services/chunker/internal/stage"
)

// domainPages are small pages that each chunker of a domain takes, with what is made of
// them.
var domainPages = map[string]struct {
	raw    string
	chunks []string
}{
	"regulations": {`<h1>Gates</h1><p>The board orders:</p><h2>Title I</h2><p>Art. 1 - Gates are shut.</p><p>§ 1. By night.</p><p>Art. 2 - Keys are kept.</p><p>Art. 3 - Art. 1 stands.</p><p>Art. 4 - It ends.</p>`,
		[]string{"Gates|The board orders:", "Gates|Title I|Art. 1 - Gates are shut.|§ 1. By night.", "Gates > Title I|Art. 2 - Keys are kept.", "Gates > Title I|Art. 3 - Art. 1 stands.", "Gates > Title I|Art. 4 - It ends."}},
	"minutes": {`<h1>Minutes of the board</h1><p>Present: A. Corti.</p><p>Item 1: Roads</p><p>They are bad.</p><p>Item 2: Bins</p><p>Item 3: Close</p>`,
		[]string{"Minutes of the board|Present: A. Corti.", "Minutes of the board|Item 1: Roads|They are bad.", "Minutes of the board|Item 2: Bins", "Minutes of the board|Item 3: Close"}},
	"dictionary": {`<h1>B</h1><dl><dt>bara<dd>work<dt>bato<dd>boat<dt>bela<dd>stone<dt>bila<dd>to put<dt>bolo<dd>hand</dl>`,
		[]string{"B|bara|work", "B|bato|boat", "B|bela|stone", "B|bila|to put", "B|bolo|hand"}},
	"tables": {`<h1>Lake</h1><p>Levels:</p><table><tr><th>Year of the measure<th>Height of the lake<tr><td>2025<td>3 centimetres<tr><td>2026<td>5 centimetres</table>`,
		[]string{"Lake|Levels:|Year of the measure | Height of the lake~2025 | 3 centimetres~2026 | 5 centimetres"}},
	"lists": {`<h1>Weirs</h1><ul><li>the upper weir<li>the middle weir<ul><li>with its gate</ul><li>the lower weir<li>the mill weir</ul>`,
		[]string{"Weirs|the upper weir|the middle weir|with its gate|the lower weir|the mill weir"}},
	"recipes": {`<h1>Winter</h1><h2>Soup</h2><h3>Ingredients</h3><ul><li>two leeks</ul><h3>Preparation</h3><p>Peel them.</p><h2>Fritters</h2><h3>Ingredients</h3><ul><li>flour</ul>`,
		[]string{"Winter|Soup|Ingredients|two leeks|Preparation|Peel them.", "Winter|Fritters|Ingredients|flour"}},
	"posts": {`<meta property="og:type" content="article"><h1>The oven</h1><p>It was lit.</p><h2>Its bread</h2><p>It was dark.</p>`,
		[]string{"The oven|It was lit.|Its bread|It was dark."}},
}

// TestDomains runs a page for each chunker of a domain through the stage: the manifest
// names the chunker, and every chunk is proved down to the bytes, cut again by the chunker
// that is chosen again.
func TestDomains(t *testing.T) {
	w := newWorld(t)
	w.stage = stage.New(runs{w.DB}, w.DB, locker{w.DB}, segments{w.Blobs}, slog.New(slog.DiscardHandler), stage.Options{Chunkers: chunkers()})
	for name, page := range domainPages {
		raw := fmt.Sprintf(`<!DOCTYPE html><html lang="en"><title>%s</title><main>%s</main></html>`, name, page.raw)
		_, run := w.captureHTML(raw, name)
		m, contents, broken := w.proves(run, chunkers())
		for i, c := range contents {
			contents[i] = strings.ReplaceAll(strings.ReplaceAll(c, "\n\n", "|"), "\n", "~")
		}
		if m.Meta.Chunker != name || m.Meta.ChunkerWhy == "" || !slices.Equal(contents, page.chunks) {
			t.Errorf("%s: cut by %q, since %s: %q", name, m.Meta.Chunker, m.Meta.ChunkerWhy, contents)
		}
		if len(broken) > 0 {
			t.Errorf("%s: %s", name, strings.Join(broken, "\n"))
		}
	}
}
