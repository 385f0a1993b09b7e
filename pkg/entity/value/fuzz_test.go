package value

import "testing"

// Whatever a text holds, what is read in it lies inside of it, and nothing panics.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"thirty (30) percent by June 30, 2026", "1.200,5 kg/an", "$1.2M–$3M per acre", "4.5 × 10⁶ CFU/100 mL", "duecentocinquanta", "44.05° N, 121.3° W", "n't 'n' l’azote", "\xff5%\u2212"} {
		for _, lang := range []string{"en", "fr", "pt", "it", ""} {
			f.Add(s, lang)
		}
	}
	f.Fuzz(func(t *testing.T, s, lang string) {
		r := Read(s, lang)
		in := func(sp Span) bool { return sp.Start >= 0 && sp.Start <= sp.End && sp.End <= len(s) }
		for _, n := range r.Numbers {
			if !in(n.Span) || !in(n.Unit.Span) || !in(n.Money) || n.End == n.Start {
				t.Fatalf("%q: %+v", s, n)
			}
		}
		for _, d := range r.Dates {
			if !in(d.Span) || !CheckDate(d.Value) {
				t.Fatalf("%q: %+v", s, d)
			}
		}
		for _, w := range r.Words {
			if !in(w.Span) {
				t.Fatalf("%q: %+v", s, w)
			}
		}
		for _, p := range Places(s) {
			if !in(p.Span) || p.Lat < -90 || p.Lat > 90 || p.Lon < -180 || p.Lon > 180 {
				t.Fatalf("%q: %+v", s, p)
			}
		}
		if v, ok := ParseDate(s, lang); ok && !CheckDate(v) {
			t.Fatalf("%q: %q", s, v)
		}
		Codes(s, "10190004")
		UnitIn(s, lang)
		CurrencyIn(s, lang)
		ScaleIn(s, lang)
		CanonicalUnit(s, lang)
	})
}
