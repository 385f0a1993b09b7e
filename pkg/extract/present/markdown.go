package present

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/table"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Markdown returns a unit of page pageNo in Markdown: what the extractor made of the
// captured markup, and without such the unit's structure, every character of its text
// as itself (contracts#shown-fields). An error unit has none.
func Markdown(u *model.Unit, pageNo int) string {
	n, _ := u.Position()
	return markdown(u, pageNo, n)
}

func markdown(u *model.Unit, pageNo, n int) string {
	f := &u.FieldsRaw
	if f.Markdown != "" {
		return f.Markdown
	}
	switch u.Type {
	case model.UnitError:
		return ""
	case model.UnitHeading:
		text := oneLine(f.Text)
		if text == "" {
			return ""
		}
		return strings.Repeat("#", min(max(f.Level, 1), maxLevel)) + " " + strings.ReplaceAll(escape(text, false), "#", `\#`)
	case model.UnitListItem:
		return listItem(f)
	case model.UnitQuote:
		return "> " + strings.ReplaceAll(paragraph(f.Text), "\n", "\n> ")
	case model.UnitCode:
		return fence(f.Text)
	case model.UnitTable:
		if f.Table != nil && len(f.Table.Columns) > 0 {
			return table.Markdown(f.Table)
		}
	case model.UnitFigure:
		return figure(f, pageNo, n)
	case model.UnitFootnote:
		if f.Marker != "" && !strings.HasPrefix(f.Text, f.Marker) {
			return paragraph(f.Marker + " " + f.Text)
		}
	}
	return paragraph(f.Text)
}

// maxLevel is the deepest level of headings that Markdown has.
const maxLevel = 6

// bullets are the markers of items whose order says nothing.
const bullets = "•‣◦▪●○■□–—-*·+"

// listItem writes a list item with its marker: numbers as the numbers of a list, signs
// as its bullets; a marker of another form stays a part of the text.
func listItem(f *model.Fields) string {
	marker, text := "-", f.Text
	printed := strings.TrimSpace(f.Marker)
	rest, within := strings.CutPrefix(text, printed)
	digits := strings.TrimRight(printed, ".)")
	switch {
	case printed == "":
	case digits != "" && len(digits) <= maxNumber && len(digits) == len(printed)-1 && strings.Trim(digits, "0123456789") == "":
		marker = printed
		if within {
			text = rest
		}
	case len([]rune(printed)) == 1 && strings.Contains(bullets, printed):
		if within {
			text = rest
		}
	case !within:
		text = printed + " " + text
	}
	indent := strings.Repeat("  ", min(max(f.Depth-1, 0), maxDepth))
	inner := indent + strings.Repeat(" ", len(marker)+1)
	return indent + marker + " " + strings.ReplaceAll(paragraph(text), "\n", "\n"+inner)
}

const (
	// maxNumber is how many digits the number of an item has at most (CommonMark).
	maxNumber = 9
	// maxDepth bounds how far items are indented.
	maxDepth = 16
)

// figure writes a picture with what stands beside it, and the text on it below.
func figure(f *model.Fields, pageNo, n int) string {
	alt, src := "", "figures/"+digest.FigureID(pageNo, max(n, 1))+".png"
	if len(f.Images) > 0 {
		alt = f.Images[0].Alt
		src = cmp.Or(f.Images[0].URL, src)
	}
	if captions := f.Values["caption"]; alt == "" && len(captions) > 0 {
		alt = captions[0]
	}
	out := "![" + escape(oneLine(alt), false) + "](<" + addressEscapes.Replace(src) + ">)"
	if f.Text == "" {
		return out
	}
	return out + "\n\n" + paragraph(f.Text)
}

var addressEscapes = strings.NewReplacer("<", "%3C", ">", "%3E", "\\", "%5C", "\n", "", "\r", "")

// fence returns code between fences longer than any in it.
func fence(s string) string {
	longest, run := 2, 0
	for i := range len(s) {
		if run++; s[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	marks := strings.Repeat("`", longest+1)
	return marks + "\n" + strings.TrimSuffix(s, "\n") + "\n" + marks
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// paragraph writes text line by line, each line break as one, empty lines as those
// between paragraphs.
func paragraph(text string) string {
	var b strings.Builder
	gap := ""
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r", "\n"), "\n") {
		line = oneLine(line)
		if line == "" {
			if gap != "" {
				gap = "\n\n"
			}
			continue
		}
		b.WriteString(gap)
		b.WriteString(escape(line, true))
		gap = "  \n"
	}
	return b.String()
}

// escape puts a backslash before each character of a line that would mean something in
// Markdown. opens: the line may begin a block.
func escape(line string, opens bool) string {
	var b strings.Builder
	rest := line
	if opens {
		rest = escapeStart(&b, line)
	}
	for i, r := range rest {
		switch r {
		case '\\', '`', '*', '_', '[', ']', '<', '~', '|':
			b.WriteByte('\\')
		case '&':
			if isReference(rest[i+1:]) {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// escapeStart writes what a line begins with, where that would open a heading, a list,
// a rule or a quotation, and returns the rest.
func escapeStart(b *strings.Builder, line string) string {
	if line == "" {
		return line
	}
	if strings.IndexByte("#+-=>:", line[0]) >= 0 {
		b.WriteByte('\\')
		b.WriteByte(line[0])
		return line[1:]
	}
	n := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if n > 0 && n < len(line) && (line[n] == '.' || line[n] == ')') {
		b.WriteString(line[:n] + `\` + line[n:n+1])
		return line[n+1:]
	}
	return line
}

// isReference reports whether a text behind & is a character reference.
func isReference(s string) bool {
	name, _, ended := strings.Cut(s[:min(len(s), 40)], ";") // no name is longer
	return ended && name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '#' && (r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}) < 0
}
