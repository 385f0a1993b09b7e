package quote

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestQuotationsAreExact: what is the same text in another print is found; what says
// something else, or cuts a word or a number, is not.
func TestQuotationsAreExact(t *testing.T) {
	for name, c := range map[string]struct {
		text, quote string
		want        bool
	}{
		"as it is":                       {"Le quorum est de sept membres présents.", "quorum est de sept membres", true},
		"white space":                    {"Le quorum est\n de sept membres.", "quorum  est de\tsept membres", true},
		"no-break space":                 {"Le quorum est de 1 234 membres.", "de 1\u00a0234 membres", true},
		"a hyphen at a line's end":       {"Die Gemeinde-\nverwaltung tagt", "Die Gemeindeverwaltung tagt", true},
		"one in the quotation":           {"Die Gemeindeverwaltung tagt", "Die Gemeinde-\nverwaltung tagt", true},
		"one pasted on one line":         {"Die Gemeindeverwaltung tagt", "Die Gemeinde- verwaltung tagt", true},
		"one that is the word's own":     {"a well-known rule", "a well-\nknown rule", true},
		"a hyphen within a line":         {"they re-sign the lease", "they resign the lease", false},
		"a soft hyphen":                  {"Gemeinde\u00adverwaltung tagt", "Gemeindeverwaltung tagt", true},
		"a soft hyphen at a line's end":  {"Gemeinde\u00ad\nverwaltung tagt", "Gemeindeverwaltung tagt", true},
		"ligatures":                      {"an eﬃcient oﬀer", "an efficient offer", true},
		"ligatures of the quotation":     {"an efficient offer", "an eﬃcient oﬀer", true},
		"decomposed letters":             {"le président a signé", "le pre\u0301sident a signe\u0301", true},
		"other letters":                  {"le président a signé", "le president a signe", false},
		"quotation marks":                {"he said “no” twice", "he said \"no\" twice", true},
		"guillemets":                     {"il a dit « non » deux fois", "il a dit “non” deux fois", true},
		"marks within marks":             {"he said “no” twice", "he said 'no' twice", true},
		"feet and inches":                {"a wall of 6' or so", "a wall of 6\" or so", false},
		"apostrophes":                    {"l’eau de l’île", "l'eau de l'île", true},
		"dashes":                         {"the years 2019–2020 — and", "the years 2019-2020 - and", true},
		"spaces of French":               {"Qui vote ? Personne : nul", "Qui vote? Personne: nul", true},
		"a percentage":                   {"un taux de 30 % en mars", "un taux de 30% en mars", true},
		"cells of a table":               {"São Paulo | 12.325.232 | 1.521", "São Paulo\t12.325.232\t1.521", true},
		"an ellipsis of the text":        {"well… he left the room", "well... he left the room", true},
		"another digit":                  {"a budget of 1,250 euros", "a budget of 1,260 euros", false},
		"digits changed places":          {"a budget of 1,250 euros", "a budget of 1,520 euros", false},
		"another mark of decimals":       {"a share of 1,250 in all", "a share of 1.250 in all", false},
		"a space in a number":            {"rows 10, 5 and 3", "rows 10,5 and 3", false},
		"a number cut at its end":        {"it cost 3.5 million", "it cost 3", false},
		"cut at its thousands":           {"it cost 3 500 euros", "it cost 3", false},
		"cut at its beginning":           {"it cost 12.5 million", "5 million", false},
		"a digit cut off":                {"it cost 125 million", "25 million", false},
		"a date cut off":                 {"it ended 12/03/2024 at", "it ended 12/03", false},
		"a fraction cut off":             {"in 1/2 of all cases", "2 of all cases", false},
		"a minus left out":               {"a change of -5 percent", "5 percent", false},
		"a minus added":                  {"a change of 5 percent", "-5 percent", false},
		"a minus":                        {"a change of −5 percent", "-5 percent", true},
		"an item of a list":              {"- 5 percent of all", "5 percent of all", true},
		"a word cut at its end":          {"the mayor refused it", "the mayor refuse", false},
		"a word cut at its beginning":    {"the unlawful act", "lawful act", false},
		"an exponent":                    {"of 10² units", "of 102 units", false},
		"a negation left out":            {"the mayor did not sign", "the mayor did sign", false},
		"a negation added":               {"the mayor did sign", "the mayor did not sign", false},
		"punctuation left out":           {"Let's eat, Anna", "Let's eat Anna", false},
		"a letter that looks alike":      {"the mayor signed", "the mаyor signed", false},
		"no spaces between words":        {"市长签署了预算案的文件", "长签署了预算", true},
		"lines within them":              {"市长签署\n了预算案", "市长签署了预算案", true},
		"a bracket that someone put in":  {"he said so", "[he] said so", false},
		"a bracket within":               {"and he said so", "and [he] said so", false},
		"the end of a sentence":          {"He said so. She left.", "said so.", true},
		"a sentence's end that is wrong": {"He said so. She left.", "said so! She left", false},
	} {
		found, done := find(fold(c.text), fold(c.quote))
		if got := len(found) > 0; got != c.want || !done {
			t.Errorf("%s: %q in %q: %v", name, c.quote, c.text, got)
		}
	}
}

// TestCaseIsSaid: another case of the first letter is nothing, elsewhere it is said.
func TestCaseIsSaid(t *testing.T) {
	for _, c := range []struct {
		quote string
		cased bool
	}{{"The mayor signed", false}, {"the mayor signed", false}, {"the Mayor signed", true}, {"THE MAYOR SIGNED", true}} {
		found, _ := find(fold("and the mayor signed it"), fold(c.quote))
		if len(found) != 1 || found[0].cased != c.cased {
			t.Errorf("%q: %+v", c.quote, found)
		}
	}
}

// TestOmissionsDivide: an ellipsis, in brackets or not, divides a quotation.
func TestOmissionsDivide(t *testing.T) {
	for _, c := range []string{"the mayor … signed it", "the mayor [...] signed it", "the mayor (…) signed it", "… the mayor . . . signed it …"} {
		var parts []string
		for _, p := range partsOf(c) {
			parts = append(parts, p.letters)
		}
		if !slices.Equal(parts, []string{"themayor", "signedit"}) {
			t.Errorf("%q: %q", c, parts)
		}
	}
}

// TestAQuotationOfOneLetterEnds: a text of one letter fits everywhere and nowhere; it is
// given up after a bounded number of comparisons.
func TestAQuotationOfOneLetterEnds(t *testing.T) {
	text := fold(strings.Repeat("a", 120<<10))
	if found, done := find(text, fold(strings.Repeat("a", 2000)+"-"+strings.Repeat("a", 1990))); len(found) > 0 || done && len(found) > 0 {
		t.Errorf("%d places", len(found))
	}
}

// TestManyHyphensMakeFewForms: the words of a quotation are as many as it has, whatever
// joins them; none has more forms than the letters that the index has of it.
func TestManyHyphensMakeFewForms(t *testing.T) {
	for _, part := range []string{"a-", "é\u00ad\n", "a-\n", "\u0301-", "字-"} {
		words := wordsOf(fold("first " + strings.Repeat(part, 1300) + " last"))
		forms := 0
		for _, w := range words {
			forms += len(w.forms)
		}
		if forms > 1500 || !slices.ContainsFunc(words, func(w word) bool { return w.forms[0] == "first" }) {
			t.Errorf("%q: %d words with %d forms", part, len(words), forms)
		}
	}
}

// FuzzFind: what is found is there. A match has the letters of the quotation and lies
// within the text; a text that is quoted whole is found; folding again what was found gives
// the same letters; nothing hangs or breaks.
func FuzzFind(f *testing.F) {
	f.Add("Le quorum est de sept membres présents.", "quorum est")
	f.Add("Gemeinde-\nverwaltung 1 234,5 « x » ﬁ", "Gemeindeverwaltung 1\u00a0234,5")
	f.Add("-5 - 5–6 1/2 10, 5", "5 - 5")
	f.Add("a\u0301\u0301\u0301é市长|x\x00\xff\u200d", "é市")
	f.Fuzz(func(t *testing.T, text, quotation string) {
		if len(text) > 1<<14 || len(quotation) > 1<<12 {
			return
		}
		folded, q := fold(text), fold(quotation)
		found, _ := find(folded, q)
		for _, m := range found {
			if folded.part(m.from, m.to) != q.letters {
				t.Fatalf("%q in %q: %q", quotation, text, folded.part(m.from, m.to))
			}
			start, end := folded.symbols[m.from].start, folded.symbols[m.to-1].end
			if start < 0 || end > len(text) || start >= end {
				t.Fatalf("[%d, %d) of %d bytes", start, end, len(text))
			}
			if utf8.ValidString(text) && !strings.Contains(fold(text[start:end]).letters, q.letters) {
				t.Fatalf("%q is not %q", text[start:end], quotation)
			}
		}
		if all, _ := find(folded, folded); folded.Len() > 0 && len(all) == 0 {
			t.Fatalf("%q is not in itself", text)
		}
		wordsOf(q)
		partsOf(quotation)
	})
}
