package language

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/abadojack/whatlanggo"
)

// TestLatinLikeLibrary compares detectLatin with the library, on pieces of text
// in several languages and on noise, among all languages, some, one and two.
func TestLatinLikeLibrary(t *testing.T) {
	sources := []string{
		"Le conseil municipal s'est réuni le 12 mars 2026 à 18 h 30 ; l'ordre du jour comprenait l'examen du budget, la voirie et l'école.",
		"The committee recorded 45 samples at the station; the relative difference between duplicates stayed below 6 percent, as in 2025.",
		"O quórum mínimo para a instalação das sessões do Plenário é de um terço dos conselheiros titulares, apurado pela Secretaria.",
		"Il consiglio comunale è convocato per il giorno 14 maggio alle ore 21: approvazione del bilancio e della variante urbanistica.",
		"Der Gemeinderat hat beschlossen, die Straße über den Fluß bis Ende des Jahres für den Verkehr zu öffnen; Kosten: 2.400 €.",
		"Hội đồng nhân dân thành phố đã họp và thông qua nghị quyết về ngân sách năm 2026.",
		"12 345,67 %% -- (a) [b] {c} \u0301\u0302 ﬁ ﬂ İ ẞ \x00\x01 é\u0301",
	}
	list := func(all ...whatlanggo.Lang) map[whatlanggo.Lang]bool {
		out := map[whatlanggo.Lang]bool{}
		for _, l := range all {
			out[l] = true
		}
		return out
	}
	lists := []map[whatlanggo.Lang]bool{
		nil, list(whatlanggo.Fra), list(whatlanggo.Eng, whatlanggo.Deu),
		list(whatlanggo.Fra, whatlanggo.Eng, whatlanggo.Por, whatlanggo.Ita, whatlanggo.Spa, whatlanggo.Deu, whatlanggo.Ron),
		list(whatlanggo.Rus),
	}
	random := rand.New(rand.NewPCG(1, 2))
	latin := 0
	for range 800 {
		var b strings.Builder
		for range 1 + random.IntN(3) {
			s := []rune(sources[random.IntN(len(sources))])
			from := random.IntN(len(s))
			b.WriteString(string(s[from : from+random.IntN(len(s)-from)]))
		}
		if random.IntN(4) == 0 {
			b.WriteString(strings.Repeat(string(rune('a'+random.IntN(26)))+string(rune('\u00C0'+random.IntN(300))), random.IntN(40)))
		}
		text := b.String()
		if whatlanggo.DetectScript(text) == nil {
			continue
		}
		latin++
		for _, among := range lists {
			want := whatlanggo.DetectWithOptions(text, whatlanggo.Options{Whitelist: among})
			lang, confidence := detectAmong(text, among)
			if want.Confidence == 0 && confidence == 0 {
				continue // a draw
			}
			if lang != want.Lang || confidence != want.Confidence {
				t.Fatalf("%q among %v: %v %v, the library says %v %v", text, among, lang, confidence, want.Lang, want.Confidence)
			}
		}
	}
	if latin < 500 {
		t.Errorf("only %d texts were compared", latin)
	}
}

func BenchmarkBlock(b *testing.B) {
	d := New(Hints{}, "")
	text := strings.Repeat("The committee recorded 45 samples at the station in the meadow above the old bridge. ", 5)
	b.ReportAllocs()
	for b.Loop() {
		d.Block(text, "")
	}
}
