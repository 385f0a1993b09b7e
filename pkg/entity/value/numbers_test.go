package value

import (
	"fmt"
	"strings"
	"testing"
)

// shown writes what was read as one line.
func shown(t Text) string {
	var out []string
	for _, n := range t.Numbers {
		s := ""
		switch {
		case n.IsDate:
			s = "date"
		case n.IsLabel:
			s = "label"
		case len(n.Readings) == 0:
			s = "none"
		}
		for i, r := range n.Readings {
			if i > 0 {
				s += "|"
			}
			s += fmt.Sprint(r)
		}
		if n.Unit.Canonical != "" {
			s += " " + n.Unit.Canonical
		}
		if n.Currency != "" {
			s += " " + n.Currency
		}
		if n.PerUnit {
			s += " each"
		}
		s += [...]string{"", " low", " high"}[n.Range]
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// Numbers are read by value, in figures and in words, with units, money and ranges.
func TestRead(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"en", "Reduce TN by 30%.", "30 %"},
		{"en", "thirty percent of farms", "30 %"},
		{"en", "thirty (30) percent", "30; 30 %"},
		{"en", "twenty-five acres and two hundred and fifty trees", "25 ac; 250"},
		{"en", "one hundred twenty-three thousand four hundred fifty-six", "123456"},
		{"en", "two and a half million dollars", "2.5e+06 USD"},
		{"en", "two point five mg/L", "2.5 mg/L"},
		{"en", "1,200.5 kg/yr", "1200.5 kg/yr"},
		{"en", "1,200 lbs per acre per year", "1200 lb/ac/yr"},
		{"en", "0.350 mg/l and 0,5", "0.35 mg/L; 0.5"},
		{"en", "$1.2 million and $300,000", "1.2e+06 USD; 300000 USD"},
		{"en", "$1.5M, € 3k and 450 EUR", "1.5e+06 USD; 3000 EUR; 450 EUR"},
		{"en", "$30 per acre", "30 USD each"},
		{"en", "10–20 %", "10 % low; 20 % high"},
		{"en", "from 10 to 20 mg/L", "10 mg/L low; 20 mg/L high"},
		{"en", "between 5 and 7 NTU", "5 NTU low; 7 NTU high"},
		{"en", "5 and 7 NTU", "5; 7 NTU"},
		{"en", "by 30 June 2026 plant 2,026 trees", "date; date; 2026"},
		{"en", "2000 trees", "2000"},
		{"en", "a 30-acre wetland", "30 ac"},
		{"en", "-5 °C, 126 MPN/100 mL, 4.5 × 10^6 CFU", "-5 °C; 126 MPN/100 mL; 4.5e+06 CFU"},
		{"en", "N2, COVID-19, 3rd, 1.2.3, 10² and #7", "none; none; none; none; none; none"},
		{"en", "Goal 2: 45 % by Table 3", "label; 45 %; label"},
		{"en", "12 cfs, 0.5 m³/s, 200 kg N/ha", "12 cfs; 0.5 m³/s; 200 kg/ha"},
		{"en", "5 mg L⁻¹ and 3 cubic feet per second", "5 mg/L; 3 cfs"},
		{"fr", "1.200,5 kg/an", "1200.5 kg/yr"},
		{"fr", "12 300 m² et 1 200,5 €", "12300 m²; 1200.5 EUR"},
		{"fr", "trente pour cent", "30 %"},
		{"fr", "quatre-vingt-dix-sept hectares", "97 ha"},
		{"fr", "soixante et onze", "71"},
		{"fr", "soixante-dix-huit, septante-deux, dix-sept", "78; 72; 17"},
		{"fr", "deux cent cinquante mille euros", "250000 EUR"},
		{"fr", "3 millions d'euros et 2,5 M€", "3e+06 EUR; 2.5e+06 EUR"},
		{"fr", "de 10 à 20 %", "10 % low; 20 % high"},
		{"fr", "entre 10 et 20 mg/l", "10 mg/L low; 20 mg/L high"},
		{"fr", "une réduction de 12,5 % par an", "12.5 %/yr"},
		{"pt", "1.200,5 kg por ano", "1200.5 kg/yr"},
		{"pt", "cento e vinte e cinco hectares", "125 ha"},
		{"pt", "dois mil e trezentos metros", "2300 m"},
		{"pt", "R$ 1,5 milhão e 3 mil milhões de euros", "1.5e+06 BRL; 3e+09 EUR"},
		{"pt", "trinta por cento", "30 %"},
		{"it", "duecentocinquanta ettari", "250 ha"},
		{"it", "ventotto e trentuno per cento", "28; 31 %"},
		{"it", "milleduecento, duemila, centotré euro", "1200; 2000; 103 EUR"},
		{"it", "1.200.000 euro e 3 mln €", "1.2e+06 EUR; 3e+06 EUR"},
		{"", "1.200 and 1,200.5", "1200|1.2; 1200.5"},
		{"en", "a one-time cost, no one", ""},
		{"fr", "un plan pour une commune", ""},
		{"fr", "cent pour cent", "100 %"},
		{"en", "US$ 5 million", "5e+06 USD"},
		{"en", "C$40", "40 CAD"},
		{"en", "the sum of 5 MW and 5 mW", "5 MW; 5 mW"},
	} {
		if got := shown(Read(c.text, c.lang)); got != c.want {
			t.Errorf("%s %q:\n got  %s\n want %s", c.lang, c.text, got, c.want)
		}
	}
}

// Dates are read to the day, month or year that the page says, in one way only.
func TestDates(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"en", "by June 2026", "2026-06"},
		{"en", "on June 30, 2026", "2026-06-30"},
		{"en", "on 30 June 2026 and 2026-07-01", "2026-06-30 2026-07-01"},
		{"en", "12/31/2026 and 06/07/2026", "2026-12-31 2026"},
		{"en", "FY2025 and 2010-11 and 2024–2026", "2025 2010 2024 2026"},
		{"en", "2,026 acres, 2000 trees, $2026, 2026 acres", ""},
		{"fr", "avant le 1er juin 2026", "2026-06-01"},
		{"fr", "06/07/2026", "2026-07-06"},
		{"fr", "d'ici 2030", "2030"},
		{"pt", "até 30 de junho de 2026", "2026-06-30"},
		{"pt", "em março de 2027", "2027-03"},
		{"it", "entro il 15 marzo 2026 e nel 2028", "2026-03-15 2028"},
		{"en", "31 February 2026", "2026-02"},
		{"en", "05/2026", "2026-05"},
		{"en", "section 1.2026 and 12.2026.5", ""},
	} {
		var got []string
		for _, d := range Dates(c.text, c.lang) {
			got = append(got, d.Value)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s %q: %q, want %q", c.lang, c.text, s, c.want)
		}
	}
}
