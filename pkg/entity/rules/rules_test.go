package rules_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/pagetest"
	"github.com/colophon-dev/colophon/pkg/entity/rules"
	"github.com/colophon-dev/colophon/pkg/model"
)

var update = flag.Bool("update", false, "write the golden files again")

// pages are of our own making: tables and prose in four languages.
var pages = map[string]struct{ language, lines string }{
	"plan-en": {"en", `# Goals and Objectives
Reduce total nitrogen by 30% by 2030.
The phosphorus target is a 1,200 lb/yr reduction no later than June 2028.
# Best Management Practices
Practice | Acres | Estimated Cost ($) | Responsible Party
Riparian buffers | 30 | 9,000 | Conservation District
Cover crops | 1,250 | 62,500 | Farm Bureau
Total | 1,280 | 71,500 |
# Implementation Schedule
Activity | Start | End | Status
Fence Mill Run | 2024 | 2026 | In progress
Repair septic systems | March 2025 | 2027 | Planned
# Water Quality Monitoring
Parameter | Station | Result (mg/L) | Frequency
Nitrate | MR-1 | 4.2 | Monthly
E. coli samples must stay below 126 MPN/100 mL.
# Education and Outreach
The district will hold 9 workshops for farmers.
The plan covers the Alder Creek Watershed (HUC 10190004).`},
	"plan-fr": {"fr", `# Objectifs
Réduire l'azote de 30 % d'ici 2030.
# Mesures
Mesure | Quantité | Coût (€) | Responsable
Haies | 12 km | 45 000 | Syndicat du bassin
Zones humides | 8,5 ha | 120 000 | Commune
# Suivi
Paramètre | Station | Valeur limite | Fréquence
Nitrates | Pont-Neuf | 50 mg/L | mensuelle
# Sensibilisation
La commune organise 4 ateliers pour les agriculteurs.`},
	"plan-pt": {"pt", `# Metas
Reduzir o fósforo em trinta por cento até 2030.
# Cronograma
Ação | Início | Fim | Estado
Plantação de sebes | 2025 | 2027 | em curso
# Ações de sensibilização
Serão realizadas 6 oficinas para agricultores.`},
	"plan-it": {"it", `# Obiettivi
Ridurre l'azoto del 20 % entro il 2029.
# Interventi
Intervento | Superficie (ettari) | Importo (€)
Siepi | 12,5 | 30.000
# Monitoraggio
Parametro | Valore | Unità
Nitrati | 12,4 | mg/L`},
}

// What the rules find on pages of our own is what is written down.
func TestGolden(t *testing.T) {
	for name, p := range pages {
		page := rules.Extract(pagetest.Page(p.language, p.lines))
		data, err := json.MarshalIndent(page, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Errorf("%s is written again", path)
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(want)) != string(data) {
			t.Errorf("%s differs:\n%s", path, data)
		}
	}
}

// The open section counts although its heading stands on a page before.
func TestAnOpenSectionCounts(t *testing.T) {
	in := pagetest.Page("en", "Fence Mill Run: 2024 to 2026, planned.")
	if c := rules.Extract(in).Counts(); c["implementation"] != 0 {
		t.Errorf("without a section: %v", c)
	}
	in.Open = append(in.Open, model.Section{Kind: "implementation", Level: 1, Text: "Schedule"})
	if c := rules.Extract(in).Counts(); c["implementation"] != 1 {
		t.Errorf("%v", c)
	}
}

// How long a page takes; two milliseconds are the bound.
func BenchmarkExtract(b *testing.B) {
	in := pagetest.Page("en", pages["plan-en"].lines)
	for b.Loop() {
		rules.Extract(in)
	}
}

// What page there may be, its entities have evidence, and nothing panics.
func FuzzExtract(f *testing.F) {
	for _, p := range pages {
		f.Add(p.language, p.lines)
	}
	f.Fuzz(func(t *testing.T, language, lines string) {
		for _, e := range rules.Extract(pagetest.Page(language, lines)).Entities {
			if len(e.Evidence) == 0 || e.ID == "" || e.Confidence <= 0 || e.Origin != entity.OriginRules {
				t.Fatalf("%+v", e)
			}
		}
	})
}
