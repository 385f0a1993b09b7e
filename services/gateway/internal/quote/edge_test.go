package quote

import "testing"

// endCases are texts and what may be quoted of them, and what says something else.
var endCases = []struct {
	name, text  string
	true, false []string
}{
	{
		"an apostrophe", "They won’t pay and the council’s plan isn't done",
		[]string{"won't pay and the council's plan", "They won’t pay"}, []string{"They won", "and the council", "the council’s plan isn", "t pay and the council's", "s plan isn't done"},
	},
	{
		"an article with an apostrophe", "la part de l’État et dell’articolo n’est pas réglée",
		[]string{"État et dell'articolo", "articolo n'est pas"}, []string{"est pas réglée", "la part de l", "part de l’État et dell"},
	},
	{
		"a hyphen of the word's own", "a non-violent, “non”-political and (un)lawful act of sub-committees",
		[]string{"non-violent, 'non'-political"}, []string{"violent, 'non'-political", "political and (un)lawful", "lawful act of", "a non", "act of sub"},
	},
	{"a dash between words", "the plan—not the budget—was approved", []string{"not the budget", "the plan", "was approved"}, nil},
	{
		"a hyphen that is kept for later", "Haupt- und Nebenstraßen der Stadt",
		[]string{"und Nebenstraßen der", "Haupt- und Nebenstraßen"}, []string{"straßen der Stadt"},
	},
	{"a hyphen and a number", "the COVID-19 rules of the G-20", []string{"COVID-19 rules of the G-20"}, []string{"the COVID", "19 rules of", "rules of the G"}},
	{"a number at a line's end", "the COVID-\n19 rules of 2019-\n2020", []string{"the COVID-19 rules of 2019–2020"}, []string{"the COVID", "19 rules of", "COVID19 rules", "rules of 2019"}},
	{"a number of a quotation's line", "the COVID-19 rules of 2019–2020", []string{"the COVID-\n19 rules of 2019-\n2020", "the COVID- 19 rules"}, nil},
	{"addresses and short forms", "see example.com and e.g. www.town_hall.org. Next is km/h or R&D in C++", []string{"see example.com", "Next is km/h", "www.town_hall.org"}, []string{"see example", "and e", "Next is km", "h or R&D", "R&D in C", "hall.org. Next", "km/h or R"}},
	{"a missing space", "It was signed.Then they left", []string{"It was signed", "Then they left"}, nil},
	{
		"a minus", "one (-5), two \"-6\", three [−7], four -$8, five '-9' and − 10 percent",
		[]string{"-5), two \"-6\"", "-$8, five", "-10 percent"}, []string{"5), two", "6\", three", "7], four", "$8, five", "9' and", "10 percent", "8, five"},
	},
	{"items of a list", "- 5 boats\n- 6 cars — 7 carts", []string{"5 boats", "6 cars", "7 carts"}, []string{"-5 boats"}},
	{"a point of decimals", "between .5 and -.75 of 5 percent", []string{".5 and -.75", "-.75 of 5"}, []string{"5 and -.75", ".75 of 5", "75 of 5", "-5 percent", ".5 percent"}},
	{"the end of a sentence and a number", "No. 5 of p.7. 8 of them", []string{"5 of p.7", "8 of them"}, nil},
	{"signs of a number", "of +5 to <7 at 30% or 40 % for $9 and 11€ at 12° in §13 of 10^6", []string{"+5 to <7", "30% or 40%", "$9 and 11 €"}, []string{"5 to <7", "7 at 30", "at 30", "or 40", "9 and 11", "and 11", "at 12", "13 of", "of 10", "6"}},
	{"fractions behind a number", "some 5 ½ or 6 1/2 miles and 3 7 9", []string{"5 ½ or 6 1/2 miles", "7 9"}, []string{"some 5", "½ or 6", "or 6", "1/2 miles"}},
	{
		"boxes", "☐ I agree to it\n☒ I refuse it\n■ I was told\n[ ] I paid for it\n[x] I left it",
		[]string{"I was told", "☐ I agree to it", "☒ I refuse", "I left it", "[ ] I paid", "I was told\n[ ] I paid"}, []string{"I agree to it", "I refuse it", "■ I agree", "I paid for it", "☑ I agree", "□ I was told"},
	},
	{"boxes within a line", "Married □ yes ■ no ○ unknown", []string{"□ yes ■ no"}, []string{"■ yes □ no", "□ yes □ no", "□ yes no", "yes ■ no", "■ yes ■ no", "Married yes", "unknown", "● unknown", "no unknown"}},
	{"boxes behind words", "Fumeur □ Marié ☑\nRetraité □", []string{"Fumeur □ Marié ☑", "Marié ☑"}, []string{"Fumeur", "Retraité", "Marié ☐"}},
	{"bullets", "first point\n■ second point\n● third\n• fourth", []string{"first point second point third fourth", "first point ■ second point", "first point • second point"}, []string{"first point □ second point"}},
	{"Chinese", "市长不同意这个方案,第三百五十条是5万人,在2020年签署", []string{"市长不同意", "这个方案", "2020年签署", "条是5万人"}, []string{"同意这个方案", "第三百", "五十条是", "条是5", "万人,在2020年"}},
	{"Japanese", "市長は賛成しなかった。サーバーを止めた", []string{"サーバーを止めた", "市長は賛成しなかった", "サーバー"}, []string{"市長は賛成し", "バーを止めた", "サー"}},
	{"Thai", "นายกไม่ลงนามในกฎหมายที่เมือง", []string{"ไม่ลงนามในกฎหมาย", "กฎหมายที่เมือง"}, []string{"ลงนามในกฎหมาย", "นายกไม่ลงนามในกฎหมายท", "ลงนามใ"}},
	{"Hebrew", "זה אי־אפשר לעשות", []string{"אי־אפשר לעשות"}, []string{"אפשר לעשות", "זה אי"}},
}

// TestEndsKeepTheirSense: no quotation ends or begins within a word or a number, or leaves
// out a sign or an empty box that turns what it says.
func TestEndsKeepTheirSense(t *testing.T) {
	for _, c := range endCases {
		text := fold(c.text)
		ask := func(quotation string, want bool) {
			if found, done := find(text, fold(quotation)); !done || len(found) > 0 != want {
				t.Errorf("%s: %q in %q: found %v, want %v", c.name, quotation, c.text, len(found) > 0, want)
			}
		}
		for _, q := range c.true {
			ask(q, true)
		}
		for _, q := range c.false {
			ask(q, false)
		}
	}
}
