package value

import "testing"

// Units as pages of four languages print them, and what they are normalised to (seeds#extraction).
func TestCanonicalUnits(t *testing.T) {
	for _, tt := range []struct{ language, printed, want string }{
		{"en", "%", "%"}, {"en", "percent", "%"}, {"fr", "pour cent", "%"}, {"pt", "por cento", "%"}, {"it", "per cento", "%"},
		{"en", "mg/L", "mg/L"}, {"en", "mg/l", "mg/L"}, {"en", "milligrams per liter", "mg/L"}, {"fr", "milligrammes par litre", "mg/L"}, {"pt", "mg por litro", "mg/L"},
		{"en", "kg/yr", "kg/yr"}, {"en", "kilograms per year", "kg/yr"}, {"fr", "kg/an", "kg/yr"}, {"pt", "kg/ano", "kg/yr"}, {"it", "kg/anno", "kg/yr"},
		{"en", "lb/yr", "lb/yr"}, {"en", "lbs/year", "lb/yr"}, {"en", "pounds per year", "lb/yr"}, {"fr", "t/an", "t/yr"},
		{"en", "NTU", "NTU"}, {"en", "acres", "ac"}, {"en", "acre", "ac"}, {"en", "ha", "ha"}, {"fr", "hectares", "ha"}, {"it", "ettari", "ha"},
		{"en", "m³/s", "m³/s"}, {"en", "m3/s", "m³/s"}, {"en", "cfs", "cfs"}, {"en", "ppm", "ppm"}, {"en", "MPN/100 mL", "MPN/100 mL"}, {"en", "cfu/100 mL", "CFU/100 mL"},
		{"fr", "UFC/100 mL", "CFU/100 mL"}, {"pt", "NMP/100 mL", "MPN/100 mL"}, {"en", "µg/L", "µg/L"}, {"en", "ug/L", "µg/L"}, {"en", "km²", "km²"}, {"en", "square miles", "mi²"},
	} {
		got, rest, ok := CanonicalUnit(tt.printed, tt.language)
		if !ok || got != tt.want || rest != "" {
			t.Errorf("%s %q: %q %q %v, want %q", tt.language, tt.printed, got, rest, ok, tt.want)
		}
	}
	for _, none := range []string{"workshops", "Mill Run", "mg/", "/L", ""} {
		if got, _, ok := CanonicalUnit(none, "en"); ok {
			t.Errorf("%q is %q", none, got)
		}
	}
}

// Codes of hydrologic units are an even number of digits, 2 to 16; coordinates are in range.
func TestCodesAndPlaces(t *testing.T) {
	for code, want := range map[string]bool{"05": true, "0508000201": true, "050800020101": true, "0508000201010203": true, "050": false, "": false, "05080002010102031": false, "05x8": false} {
		if CheckHUC(code) != want {
			t.Errorf("%q: %v", code, !want)
		}
	}
	for text, want := range map[string]int{"40.1250° N, 84.2031° W": 1, "The site is at 91.5° N, 12.0° E.": 0, "12.5° N, 181.2° E": 0, "30 acres, 12 sites": 0} {
		if got := len(Places(text)); got != want {
			t.Errorf("%q: %d places, want %d", text, got, want)
		}
	}
}

// Dates are as fine as the page says, and money has its ISO 4217 code.
func TestDatesAndMoney(t *testing.T) {
	for _, tt := range []struct{ language, printed, want string }{
		{"en", "2030", "2030"}, {"en", "June 2028", "2028-06"}, {"en", "3 May 2024", "2024-05-03"}, {"fr", "décembre 2028", "2028-12"}, {"pt", "março de 2025", "2025-03"}, {"it", "settembre 2026", "2026-09"}, {"en", "2026-04", "2026-04"},
	} {
		if got, ok := ParseDate(tt.printed, tt.language); !ok || got != tt.want {
			t.Errorf("%s %q: %q %v, want %q", tt.language, tt.printed, got, ok, tt.want)
		}
	}
	for printed, want := range map[string]string{"$12,400": "USD", "12,400 dollars": "USD", "€1,200": "EUR", "1,200 euros": "EUR", "£30": "GBP", "CHF 900": "CHF"} {
		got := Read(printed, "en")
		if len(got.Numbers) != 1 || got.Numbers[0].Currency != want {
			t.Errorf("%q: %+v, want %s", printed, got.Numbers, want)
		}
	}
}
