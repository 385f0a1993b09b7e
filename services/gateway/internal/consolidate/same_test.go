package consolidate

import (
	"fmt"
	"testing"

	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// TestFiguresOfTheSameContradict: figures of another station, measure or date are no contradiction, however alike the sentences
// are; those of the same are, whatever dates the documents have.
func TestFiguresOfTheSameContradict(t *testing.T) {
	for n, c := range []struct {
		language, x, y, want string
	}{
		{"en", "Mean turbidity at the Alder Ford station was 12 NTU in May 2025.", "Mean turbidity at the Mill Bridge station was 18 NTU in May 2025.", ""},
		{"en", "Alder had a mean summer turbidity of 12 NTU at low flow.", "Birch had a mean summer turbidity of 18 NTU at low flow.", ""},
		{"en", "Mean turbidity at the northern gauge was 12 NTU in May 2025.", "Mean turbidity at the southern gauge was 18 NTU in May 2025.", ""},
		{"en", "Mean turbidity at station 4 was 12 NTU in May 2025.", "Mean turbidity at station 5 was 18 NTU in May 2025.", ""},
		{"en", "Mean turbidity at gauge 4 of the river was 12 NTU.", "Mean turbidity at gauge 5 of the river was 18 NTU.", ""},
		{"en", "Mean turbidity of the river at MW-3 was 12 NTU.", "Mean turbidity of the river at MW-4 was 18 NTU.", ""},
		{"en", "Mean turbidity at the river station was 12 NTU.", "Mean turbidity at the river station Alder was 18 NTU.", ""},
		{"en", "Mean turbidity at the ford was 12 NTU in May 2025.", "Mean turbidity at the ford was 18 NTU in May 2024.", ""},
		{"en", "Mean turbidity at the ford was 12 NTU in May 2025.", "Mean turbidity at the ford was 18 NTU in June 2025.", ""},
		{"en", "Mean turbidity at the ford of the river was 12 NTU.", "Maximum turbidity at the ford of the river was 18 NTU.", ""},
		{"en", "The load of nitrate at the old ford was 12 mg/L.", "The load of nitrate at the old ford was 18 kg.", ""},
		{"en", "Turbidity in the dry season at the ford was 12 NTU.", "Turbidity in the wet season at the ford was 18 NTU.", ""},
		{"en", "The northern pool of the old baths was not closed to visitors.", "The southern pool of the old baths was closed to visitors.", ""},
		{"en", "The bridge of the town at the mill cost 1,200 euros.", "The bridge of the town at the mill cost 1200 euros.", ""},
		{"fr", "Le débit de la rivière à la station n° 5 était de 12 m³/s.", "Le débit de la rivière à la station n° 6 était de 18 m³/s.", ""},
		{"fr", "Le débit moyen de la rivière au moulin en mai 2025 était de 12 m³/s.", "Le débit moyen de la rivière au moulin en mai 2024 était de 18 m³/s.", ""},
		{"it", "La torbidità media alla stazione di Ponte Alto era 12 NTU nel 2025.", "La torbidità media alla stazione di Ponte Basso era 18 NTU nel 2025.", ""},
		{"pt", "A turbidez média na estação 4 do rio foi de 12 NTU em 2025.", "A turbidez média na estação 5 do rio foi de 18 NTU em 2025.", ""},

		{"en", "Mean turbidity at the Alder Ford station was 12 NTU in May 2025.", "Mean turbidity at the Alder Ford station was 18 NTU in May 2025.", "value"},
		{"en", "Mean turbidity at station 4 was 12 NTU in May 2025.", "In May 2025 mean turbidity at station 4 was 18 NTU.", "value"},
		{"en", "The stone bridge over the river cost 1,200 crowns.", "The stone bridge over the river cost 1,300 crowns in all.", "value"},
		{"en", "The pool of the old baths at the ford was not closed.", "The pool of the old baths at the ford was closed.", "negation"},
		{"fr", "Le débit de la rivière à la station n° 5 était de 12 m³/s.", "Le débit de la rivière à la station n° 5 était de 18 m³/s.", "value"},
		{"it", "La torbidità media alla stazione di Ponte Alto era 12 NTU nel 2025.", "La torbidità media alla stazione di Ponte Alto era 18 NTU nel 2025.", "value"},
		{"pt", "A turbidez média na estação 4 do rio foi de 12 NTU em 2025.", "A turbidez média na estação 4 do rio foi de 18 NTU em 2025.", "value"},
	} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			found := search.Answer{Query: "q", Hits: []search.Hit{hit("x:0", "fact", "confirmed", "2026-01-01", c.x, 0.9), hit("y:0", "fact", "confirmed", "2025-01-01", c.y, 0.8)}}
			for i := range found.Hits {
				found.Hits[i].Language = c.language
			}
			got := ""
			for _, contradiction := range consolidated(t, found, DefaultBudget).Contradictions {
				got += contradiction.Reason
			}
			if got != c.want {
				t.Errorf("%s\n%s\ncontradict each other: %q, want %q", c.x, c.y, got, c.want)
			}
		})
	}
}
