package guard_test

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/pagetest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// attack is a value that is claimed of a page that consists of its quote, and whether it stands there.
type attack struct {
	class, lang, text, typ, field string
	claim                         any
	want                          bool
	with                          map[string]any // other values of the entity
	quote                         string         // of the text; empty: all of it
}

func eur(n float64) entity.Money { return entity.Money{Value: n, Currency: "EUR"} }
func from(start string) entity.Period {
	return entity.Period{Start: &start}
}

// Numbers that look like the claimed one, or hold it, are others.
func attacksOnNumbers() []attack {
	bmp, kg := "bmp", "quantity"
	return []attack{
		{"minus of another kind", "en", "The change was –5 °C.", "monitoring", "threshold", q(5, "°C"), false, v("parameter", "change"), ""},
		{"minus of another kind", "en", "The change was －5 °C.", "monitoring", "threshold", q(5, "°C"), false, v("parameter", "change"), ""},
		{"minus of another kind", "en", "The change was —5 °C.", "monitoring", "threshold", q(5, "°C"), false, v("parameter", "change"), ""},
		{"minus of another kind", "en", "The change was –5 °C.", "monitoring", "threshold", q(-5, "°C"), true, v("parameter", "change"), ""},
		{"minus with a space", "en", "Change: - 5 %.", "goal", "target", q(5, "%"), false, nil, ""},
		{"minus in words", "en", "The change was minus 5 °C.", "monitoring", "threshold", q(5, "°C"), false, v("parameter", "change"), ""},
		{"minus in words", "fr", "La variation est de moins 5 °C.", "monitoring", "threshold", q(5, "°C"), false, v("parameter", "variation"), ""},
		{"minus in words", "en", "The change was five °C below zero.", "monitoring", "threshold", q(5, "°C"), false, v("parameter", "change"), ""},
		{"negative in brackets", "en", "Item | Cost\nBuffers | ($1,200)", bmp, "cost", usd(1200), false, v("name", "Buffers"), ""},
		{"tolerance", "en", "The reading is 20 ± 5 mg/L of nitrate.", "monitoring", "threshold", q(5, "mg/L"), false, v("parameter", "nitrate"), ""},
		{"below a detection limit", "en", "Nitrate was < 5 mg/L.", "monitoring", "value", 5.0, false, v("parameter", "Nitrate", "unit", "mg/L"), ""},
		{"below a detection limit", "en", "Nitrate was less than 5 mg/L.", "monitoring", "value", 5.0, false, v("parameter", "Nitrate", "unit", "mg/L"), ""},
		{"below a detection limit", "fr", "Les nitrates sont à moins de 5 mg/L.", "monitoring", "value", 5.0, false, v("parameter", "nitrates", "unit", "mg/L"), ""},
		{"below a detection limit", "en", "Nitrate must stay below 5 mg/L.", "monitoring", "threshold", q(5, "mg/L"), true, v("parameter", "Nitrate"), ""},
		{"limit for a reading", "en", "The limit for nitrate is 5 mg/L.", "monitoring", "value", 5.0, false, v("parameter", "nitrate", "unit", "mg/L"), ""},
		{"space of thousands", "en", "The town planted 1 200 trees.", bmp, kg, q(200, "trees"), false, v("name", "trees"), ""},
		{"space of thousands", "fr", "La ville a planté 1 200 arbres.", bmp, kg, q(1200, "arbres"), true, v("name", "arbres"), ""},
		{"leading zero", "fr", "Le seuil des nitrates est de 0.350 mg/L.", "monitoring", "threshold", q(350, "mg/L"), false, v("parameter", "nitrates"), ""},
		{"leading zero", "fr", "Le seuil des nitrates est de 0.350 mg/L.", "monitoring", "threshold", q(0.35, "mg/L"), true, v("parameter", "nitrates"), ""},
		{"leading zero", "en", "The limit for nitrate is 0,350 mg/L.", "monitoring", "threshold", q(350, "mg/L"), false, v("parameter", "nitrate"), ""},
		{"decimals without a whole", "en", "The limit for nitrate is .5 mg/L.", "monitoring", "threshold", q(5, "mg/L"), false, v("parameter", "nitrate"), ""},
		{"decimals without a whole", "en", "The limit for nitrate is .5 mg/L.", "monitoring", "threshold", q(0.5, "mg/L"), true, v("parameter", "nitrate"), ""},
		{"time of day", "en", "Walks begin at 7:30 near wetlands.", bmp, kg, q(30, ""), false, v("name", "wetlands"), ""},
		{"ratio", "en", "Buffers are seeded 3:1 with grass.", bmp, kg, q(3, ""), false, v("name", "Buffers"), ""},
		{"fraction", "en", "Buffers cover 3/4 acres.", bmp, kg, q(4, "acres"), false, v("name", "Buffers"), ""},
		{"fraction", "en", "Buffers cover 1 1/2 acres.", bmp, kg, q(2, "acres"), false, v("name", "Buffers"), ""},
		{"fraction", "en", "The town planted 1½ trees.", bmp, kg, q(1, "trees"), false, v("name", "trees"), ""},
		{"fraction", "en", "Buffers cover 1½ acres.", bmp, kg, q(1.5, "acres"), true, v("name", "Buffers"), ""},
		{"fraction", "en", "Buffers cover ½ acre.", bmp, kg, q(0.5, "acre"), true, v("name", "Buffers"), ""},
		{"fraction in words", "en", "Three quarters of farmers came to workshops.", "outreach", "count", q(3, "farmers"), false, v("activity", "workshops"), ""},
		{"fraction in words", "en", "Two-thirds of farmers came.", "outreach", "count", q(2, "farmers"), false, v("audience", "farmers"), ""},
		{"fraction in words", "fr", "Trois quarts des agriculteurs sont venus.", "outreach", "count", q(3, ""), false, v("audience", "agriculteurs"), ""},
		{"fraction in words", "it", "Due terzi degli agricoltori sono venuti.", "outreach", "count", q(2, ""), false, v("audience", "agricoltori"), ""},
		{"one of so many", "en", "One in five farmers came.", "outreach", "count", q(5, "farmers"), false, v("audience", "farmers"), ""},
		{"one of so many", "en", "Only 3 out of 10 farmers came.", "outreach", "count", q(10, "farmers"), false, v("audience", "farmers"), ""},
		{"ordinal", "en", "The twenty-first workshop was for farmers.", "outreach", "count", q(20, "workshop"), false, v("audience", "farmers"), ""},
		{"ordinal", "fr", "La trente-deuxième réunion a réuni les agriculteurs.", "outreach", "count", q(30, "réunion"), false, v("audience", "agriculteurs"), ""},
		{"ordinal", "pt", "O 5.º workshop foi para agricultores.", "outreach", "count", q(5, "workshop"), false, v("audience", "agricultores"), ""},
		{"ordinal", "fr", "La 5ème réunion a réuni les agriculteurs.", "outreach", "count", q(5, "réunion"), false, v("audience", "agriculteurs"), ""},
		{"power of ten", "en", "Counts of bacteria reached 10^6 CFU.", "monitoring", "value", 6.0, false, v("parameter", "bacteria", "unit", "CFU"), ""},
		{"power of ten", "en", "Counts of bacteria reached 1.5E+06 CFU.", "monitoring", "value", 6.0, false, v("parameter", "bacteria", "unit", "CFU"), ""},
		{"power of ten", "en", "Nitrate was 2 × 10⁻³ mg/L.", "monitoring", "value", 2.0, false, v("parameter", "Nitrate"), ""},
		{"power of ten", "en", "Counts of bacteria reached 2·10⁶ CFU.", "monitoring", "value", 2.0, false, v("parameter", "bacteria"), ""},
		{"product", "en", "Plots of buffers are 10 x 20 m.", bmp, kg, q(20, "m"), false, v("name", "buffers"), ""},
		{"fold", "en", "A 5-fold rise in buffers is planned.", bmp, kg, q(5, ""), false, v("name", "buffers"), ""},
		{"points of percent", "en", "Cut nitrogen by 5 % points.", "goal", "target", q(5, "%"), false, v("pollutant", "nitrogen"), ""},
		{"points of percent", "en", "Cut nitrogen by 5 percent points.", "goal", "target", q(5, "%"), false, v("pollutant", "nitrogen"), ""},
		{"divisor", "en", "There are 12 wells per 1,000 farms.", "outreach", "count", q(1000, "farms"), false, v("audience", "farms"), ""},
		{"in an address", "en", "See https://example.org/30-acres for buffers.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"in an address", "en", "Write to buffers@30acres.org or 30-acres@example.org.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"in an identifier", "en", "Permit BMP-30 acres of buffers.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"in an identifier", "en", "Call 555-0142 for buffers.", bmp, kg, q(142, ""), false, v("name", "buffers"), ""},
		{"in an identifier", "en", "Parcel 12-345-30 acres of buffers.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"in an identifier", "en", "Site # 30 has buffers.", bmp, kg, q(30, ""), false, v("name", "buffers"), ""},
		{"in an identifier", "en", "Buffers [12] hold soil.", bmp, kg, q(12, ""), false, v("name", "Buffers"), ""},
		{"in a name", "en", "Buffers stand along Twenty Mile Creek.", bmp, kg, q(20, "mile"), false, v("name", "Buffers"), ""},
		{"in a name", "en", "Buffers stand near Nine Springs Farm.", bmp, kg, q(9, "Springs"), false, v("name", "Buffers"), ""},
		{"in a name", "en", "Buffers stand at 12 Oaks Farm.", bmp, kg, q(12, "oaks"), false, v("name", "Buffers"), ""},
		{"dozen", "en", "The town planted 3 dozen trees.", bmp, kg, q(3, "trees"), false, v("name", "trees"), ""},
		{"hundred", "en", "The town planted 3 hundred trees.", bmp, kg, q(3, "trees"), false, v("name", "trees"), ""},
		{"two numbers for one", "en", "Cut nitrogen by thirty (50) percent.", "goal", "target", q(50, "%"), false, v("pollutant", "nitrogen"), ""},
		{"two numbers for one", "en", "Cut nitrogen by thirty (30) percent.", "goal", "target", q(30, "%"), true, v("pollutant", "nitrogen"), ""},
		{"range by another sign", "it", "Ridurre l'azoto del 10÷20 %.", "goal", "target", q(20, "%"), false, v("pollutant", "azoto"), ""},
		{"range by another sign", "en", "Cut nitrogen by 10..20 %.", "goal", "target", q(20, "%"), false, v("pollutant", "nitrogen"), ""},
		{"range by another sign", "en", "Cut nitrogen by 10~20 %.", "goal", "target", q(20, "%"), false, v("pollutant", "nitrogen"), ""},
		{"other digits", "en", "Cut nitrogen by １30 %.", "goal", "target", q(30, "%"), false, v("pollutant", "nitrogen"), ""},
		{"other digits", "en", "The town planted 30０ trees.", bmp, kg, q(30, "trees"), false, v("name", "trees"), ""},
		{"invisible in a number", "en", "Cut nitrogen by 1\u200b30 %.", "goal", "target", q(30, "%"), false, v("pollutant", "nitrogen"), ""},
		{"invisible in a number", "en", "Cut nitrogen by 1\u00ad30 %.", "goal", "target", q(30, "%"), false, v("pollutant", "nitrogen"), ""},
		{"mark on a number", "en", "Cut nitrogen by 3\u03360\u0336 %.", "goal", "target", q(3, ""), false, v("pollutant", "nitrogen"), ""},
		{"turned by bidi", "en", "Cut nitrogen by \u202e03\u202c %.", "goal", "target", q(3, ""), false, v("pollutant", "nitrogen"), ""},
		{"turned by bidi", "en", "Cut nitrogen by \u202e 03 % \u202c now.", "goal", "target", q(3, "%"), false, v("pollutant", "nitrogen"), ""},
		{"year as a number", "en", "Practice | Year | Acres\nBuffers | 2024 | 30", bmp, kg, q(2024, ""), false, v("name", "Buffers"), "Buffers 2024 30"},
		{"label as a number", "en", "Practice | Page | Acres\nBuffers | 12 | 30", bmp, kg, q(12, ""), false, v("name", "Buffers"), "Buffers 12 30"},
		{"label as a number", "en", "Practice | No. | Acres\nBuffers | 12 | 30", bmp, kg, q(12, ""), false, v("name", "Buffers"), "Buffers 12 30"},
	}
}

// Units, currencies and scales belong to one number, and are read whole.
func attacksOnUnits() []attack {
	bmp, kg := "bmp", "quantity"
	return []attack{
		{"mega and milli", "en", "Basins hold 5 ML.", bmp, kg, q(5, "mL"), false, v("name", "Basins"), ""},
		{"mega and milli", "en", "Basins remove 5 Mg.", bmp, kg, q(5, "mg"), false, v("name", "Basins"), ""},
		{"mega and milli", "en", "Basins hold 5 MG of water.", bmp, kg, q(5, "mg"), false, v("name", "Basins"), ""},
		{"mega and milli", "en", "Keep nitrate below 5 MG/L.", "monitoring", "threshold", q(5, "mg/L"), true, v("parameter", "nitrate"), ""},
		{"square and cube", "en", "Basins cover 30 m^2.", bmp, kg, q(30, "m"), false, v("name", "Basins"), ""},
		{"square and cube", "en", "Basins cover 30 m 2 of land.", bmp, kg, q(30, "m"), false, v("name", "Basins"), ""},
		{"square and cube", "fr", "Les mares couvrent 30 m carrés.", bmp, kg, q(30, "m"), false, v("name", "mares"), ""},
		{"square and cube", "en", "Basins cover 30 m².", bmp, kg, q(30, "m²"), true, v("name", "Basins"), ""},
		{"compound", "en", "Pumps use 5 kW·h at basins.", bmp, kg, q(5, "kW"), false, v("name", "basins"), ""},
		{"compound", "en", "Lamps of 30 foot-candles stand at basins.", bmp, kg, q(30, "foot"), false, v("name", "basins"), ""},
		{"rate as amount", "en", "Basins take 300 kg per cow.", bmp, kg, q(300, "kg"), false, v("name", "Basins"), ""},
		{"rate as amount", "en", "Basins take 300 kg/cow.", bmp, kg, q(300, "kg"), false, v("name", "Basins"), ""},
		{"rate as amount", "en", "Basins take 300 kg/(ha·yr).", bmp, kg, q(300, "kg"), false, v("name", "Basins"), ""},
		{"price of one", "en", "Trees cost $300 per tree.", bmp, "cost", usd(300), false, v("name", "Trees"), ""},
		{"price of one", "en", "Trees cost $300 each.", bmp, "cost", usd(300), false, v("name", "Trees"), ""},
		{"price of one", "en", "Trees cost $300 a tree.", bmp, "cost", usd(300), false, v("name", "Trees"), ""},
		{"price of one", "en", "Trees cost $300/tree.", bmp, "cost", usd(300), false, v("name", "Trees"), ""},
		{"price of one", "fr", "Les haies coûtent 300 € par arbre.", bmp, "cost", eur(300), false, v("name", "haies"), ""},
		{"price of one", "fr", "Les haies sont payées 300 € par la commune.", bmp, "cost", eur(300), true, v("name", "haies"), ""},
		{"price of one", "it", "Le siepi costano 300 € ciascuna.", bmp, "cost", eur(300), false, v("name", "siepi"), ""},
		{"price of one", "en", "Practice | Cost per acre ($)\nBuffers | 300", bmp, "cost", usd(300), false, v("name", "Buffers"), "Buffers 300"},
		{"price of one", "en", "Practice | Unit cost ($)\nBuffers | 300", bmp, "cost", usd(300), false, v("name", "Buffers"), "Buffers 300"},
		{"noun of another", "en", "Hold 9 workshops for farmers.", "outreach", "count", q(9, "farmers"), false, nil, ""},
		{"noun of another", "fr", "La ville tient 9 réunions d'agriculteurs.", "outreach", "count", q(9, "agriculteurs"), false, nil, ""},
		{"noun of another", "en", "Hold 12 farmer workshops.", "outreach", "count", q(12, "farmers"), false, nil, ""},
		{"noun of another", "en", "Hold 12 workshops teaching farmers.", "outreach", "count", q(12, "farmers"), false, nil, ""},
		{"noun of another", "en", "Build 12 new stone check dams.", bmp, kg, q(12, "check dams"), true, v("name", "check dams"), ""},
		{"less for more", "en", "Cut nitrogen: 30% less is allowed.", "goal", "target", q(30, "% more"), false, v("pollutant", "nitrogen"), ""},
		{"signs behind a unit", "en", "Cut nitrogen by 30%.", "goal", "target", q(30, "% ‰"), false, v("pollutant", "nitrogen"), ""},
		{"unit left out", "en", "The angle of buffers is 30 °.", bmp, kg, q(30, ""), false, v("name", "buffers"), ""},
		{"unit left out", "en", "Buffers cover 30, 40 and 50 acres.", bmp, kg, q(30, ""), false, v("name", "Buffers"), ""},
		{"currency of another", "en", "Buffers cost CAD $300.", bmp, "cost", usd(300), false, v("name", "Buffers"), ""},
		{"currency of another", "en", "Buffers cost $300 (CAD).", bmp, "cost", usd(300), false, v("name", "Buffers"), ""},
		{"currency of another", "en", "Buffers cost $300 Canadian.", bmp, "cost", usd(300), false, v("name", "Buffers"), ""},
		{"currency of another", "fr", "Les haies coûtent 300 $ canadiens.", bmp, "cost", usd(300), false, v("name", "haies"), ""},
		{"currency not quoted", "en", "Buffers cost USD 300 in all.", bmp, "cost", usd(300), false, nil, "300 in all."},
		{"scale joined", "en", "A $1.2-million plan pays for buffers.", bmp, "cost", usd(1.2), false, v("name", "buffers"), ""},
		{"scale joined", "en", "A $1.2-million plan pays for buffers.", bmp, "cost", usd(1200000), true, v("name", "buffers"), ""},
		{"scale by a letter", "en", "Buffers cost $3B.", bmp, "cost", usd(3), false, v("name", "Buffers"), ""},
		{"scale by a letter", "en", "Buffers cost $3 bil.", bmp, "cost", usd(3), false, v("name", "Buffers"), ""},
		{"scale of a range", "en", "Buffers cost $1.2 to $1.5 million.", bmp, "cost", usd(1.2), false, v("name", "Buffers"), ""},
		{"scale of a range", "en", "Buffers cost between 10 and 20 million dollars.", bmp, "cost", usd(10), false, v("name", "Buffers"), ""},
		{"scale by language", "fr", "Les haies coûtent 3 billions d'euros.", bmp, "cost", eur(3e9), false, v("name", "haies"), ""},
		{"scale by language", "fr", "On compte 3 billions de haies.", bmp, kg, q(3, ""), false, v("name", "haies"), ""},
		{"scale by language", "pt", "Contam-se 3 biliões de sebes.", bmp, kg, q(3, ""), false, v("name", "sebes"), ""},
		{"scale by language", "en", "There are 3 trillion trees.", bmp, kg, q(3, "trees"), false, v("name", "trees"), ""},
		{"scale by language", "fr", "Les haies coûtent 3 milliards d'euros.", bmp, "cost", eur(3e9), true, v("name", "haies"), ""},
		{"scale in the head", "en", "Practice | Cost (in thousands)\nBuffers | $30", bmp, "cost", usd(30), false, v("name", "Buffers"), "Buffers $30"},
		{"scale in the head", "en", "Practice | Cost (in thousands)\nBuffers | $30", bmp, "cost", usd(30000), true, v("name", "Buffers"), "Buffers $30"},
	}
}

// What a page says of something else, asks, or says that it is not so.
func attacksOnMeaning() []attack {
	bmp, kg, act := "bmp", "quantity", "implementation"
	return []attack{
		{"change as a range", "en", "Reduce nitrate from 12 mg/L to 10 mg/L.", "goal", "target", q(12, "mg/L"), false, v("pollutant", "nitrate"), ""},
		{"change as a range", "en", "Reduce nitrate from 12 mg/L to 10 mg/L.", "goal", "target", q(10, "mg/L"), true, v("pollutant", "nitrate"), ""},
		{"change as a range", "fr", "Porter les haies de 20 % à 30 %, soit une augmentation.", "goal", "target", q(20, "%"), false, v("pollutant", "haies"), ""},
		{"baseline for a target", "en", "The baseline for nitrate is 12 mg/L.", "goal", "target", q(12, "mg/L"), false, v("pollutant", "nitrate"), ""},
		{"baseline for a target", "en", "Nitrate is currently 12 mg/L.", "goal", "target", q(12, "mg/L"), false, v("pollutant", "Nitrate"), ""},
		{"what remains", "en", "Of the work 35% remains before it is complete.", act, "progress", q(35, "%"), false, v("action", "work"), ""},
		{"what remains", "en", "The work is 35% incomplete, not yet achieved.", act, "progress", q(35, "%"), false, v("action", "work"), ""},
		{"change of a cost", "en", "The cost of buffers rose by $300.", bmp, "cost", usd(300), false, v("name", "buffers"), ""},
		{"question", "en", "Will the town plant 30 acres of buffers?", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"denied by the next", "en", "The town planted 30 acres of buffers. This is not true.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), "The town planted 30 acres of buffers."},
		{"denied in other words", "en", "Nothing was planted on 30 acres of buffers.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"denied in other words", "en", "The town voted against planting 30 acres of buffers.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"denied in other words", "en", "The town abandoned 30 acres of buffers.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"denied in other words", "en", "The town would have planted 30 acres of buffers.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"denied in other words", "en", "The town fell short of 30 acres of buffers.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"denied in other words", "en", "All land except 30 acres of buffers is wet.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"denied in other words", "fr", "Rien n'a été fait sur 30 hectares de haies.", bmp, kg, q(30, "hectares"), false, v("name", "haies"), ""},
		{"denied in other words", "fr", "Faute de moyens, 30 hectares de haies sont restés nus.", bmp, kg, q(30, "hectares"), false, v("name", "haies"), ""},
		{"denied in other words", "pt", "Nada foi feito em 30 hectares de sebes.", bmp, kg, q(30, "hectares"), false, v("name", "sebes"), ""},
		{"denied in other words", "it", "Niente è stato fatto su 30 ettari di siepi.", bmp, kg, q(30, "ettari"), false, v("name", "siepi"), ""},
		{"denied by a heading above", "en", "# Rejected alternatives\n## Costs\nBuffers cover 30 acres.", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), "Buffers cover 30 acres."},
		{"denied by what opens a list", "en", "The council rejected the following measures.\n- Buffers on 30 acres", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), "Buffers on 30 acres"},
		{"denied by a cell", "en", "Practice | Acres | Status\nBuffers | 30 | Rejected", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), "Buffers 30 Rejected"},
		{"denied by a head", "en", "Practice | Not planted (acres)\nBuffers | 30", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), "Buffers 30"},
		{"denied prefix", "en", "The non structural measures are ten.", bmp, "type", "structural", false, v("name", "measures"), ""},
		{"to be completed", "en", "Stream fencing is to be completed.", act, "status", "completed", false, v("action", "Stream fencing"), ""},
		{"to be completed", "en", "Stream fencing will be completed soon.", act, "status", "completed", false, v("action", "Stream fencing"), ""},
		{"to be completed", "en", "Stream fencing is half-finished.", act, "status", "completed", false, v("action", "Stream fencing"), ""},
		{"to be completed", "en", "Stream fencing is 50% complete.", act, "status", "completed", false, v("action", "Stream fencing"), ""},
		{"to be completed", "en", "Stream fencing is complete.", act, "status", "completed", true, v("action", "Stream fencing"), ""},
		{"to be completed", "fr", "La clôture sera terminée.", act, "status", "completed", false, v("action", "clôture"), ""},
		{"state of another", "en", "Fencing is planned. Ponds are completed.", act, "status", "completed", false, v("action", "Fencing"), ""},
		{"state of another cell", "en", "Activity | Status\nCompleted streets | Planned", act, "status", "completed", false, v("action", "Completed streets"), "Completed streets Planned"},
	}
}

// Dates are of one role, and read in one way.
func attacksOnDates() []attack {
	act := "implementation"
	return []attack{
		{"end for a start", "en", "Fencing ends by 2026.", act, "start", "2026", false, v("action", "Fencing"), ""},
		{"end for a start", "en", "Fencing runs until 2026.", act, "start", "2026", false, v("action", "Fencing"), ""},
		{"before for at", "en", "Fencing began before 2020.", act, "start", "2020", false, v("action", "Fencing"), ""},
		{"before for at", "en", "Fencing ended before 2020.", act, "end", "2020", false, v("action", "Fencing"), ""},
		{"after for at", "en", "Fencing starts after 2020.", act, "start", "2020", false, v("action", "Fencing"), ""},
		{"start for an end", "en", "Fencing started in 2020.", act, "end", "2020", false, v("action", "Fencing"), ""},
		{"start for an end", "fr", "La clôture se fait depuis 2020.", act, "end", "2020", false, v("action", "clôture"), ""},
		{"start", "en", "Fencing started in 2020.", act, "start", "2020", true, v("action", "Fencing"), ""},
		{"baseline for a deadline", "en", "Reduce nitrogen by 30% from 2010 levels.", "goal", "deadline", "2010", false, v("pollutant", "nitrogen"), ""},
		{"baseline for a deadline", "en", "Reduce nitrogen by 30% compared with 2010.", "goal", "deadline", "2010", false, v("pollutant", "nitrogen"), ""},
		{"baseline for a deadline", "fr", "Réduire l'azote de 30 % par rapport à 2010.", "goal", "deadline", "2010", false, v("pollutant", "azote"), ""},
		{"source for a deadline", "en", "Nitrogen fell by 30% (Smith 2010).", "goal", "deadline", "2010", false, v("pollutant", "Nitrogen"), ""},
		{"half of a year's span", "en", "Fencing is built in 2024/25.", act, "end", "2024", false, v("action", "Fencing"), ""},
		{"half of a year's span", "en", "Fencing is built in 2024-25.", act, "end", "2024", false, v("action", "Fencing"), ""},
		{"two digits of a year", "en", "Fencing ends by 06/07/26.", act, "end", "2026-06-07", false, v("action", "Fencing"), ""},
		{"order of day and month", "en", "Fencing ends by 06/07/2026.", act, "end", "2026-07-06", false, v("action", "Fencing"), ""},
		{"number of a document", "en", "Resolution 2026 is due for nitrogen.", "goal", "deadline", "2026", false, v("pollutant", "nitrogen"), ""},
		{"end for a start in a table", "en", "Activity | Start | End\nFencing | 2024 | 2026", act, "start", "2026", false, v("action", "Fencing"), "Fencing 2024 2026"},
		{"end for a start in a table", "en", "Activity | Start | End\nFencing | 2024 | 2026", act, "end", "2026", true, v("action", "Fencing"), "Fencing 2024 2026"},
		{"schedule", "en", "Hold 9 workshops until 2026.", "outreach", "schedule", from("2026"), false, v("activity", "workshops"), ""},
	}
}

// Names are whole, of one place, and say something.
func attacksOnNames() []attack {
	area := "geographicArea"
	return []attack{
		{"part of a name", "en", "Work at Clear Creek goes on.", area, "name", "Clear", false, nil, ""},
		{"part of a name", "en", "Work at Clear Creek goes on.", area, "name", "Creek", false, nil, ""},
		{"part of a name", "en", "Work at Clear Creek goes on.", area, "name", "Clear Creek", true, nil, ""},
		{"part of a name", "pt", "A obra no Rio de Janeiro continua.", area, "name", "Rio", false, nil, ""},
		{"part of a name", "en", "Buffers are kept by O'Brien Farms.", "bmp", "responsibleParty", "Brien Farms", false, v("name", "Buffers"), ""},
		{"part of a name", "en", "Buffers are kept by J. Smith.", "bmp", "responsibleParty", "J", false, v("name", "Buffers"), ""},
		{"part of a name", "en", "Buffers are kept by Friends of Clear Creek.", "bmp", "responsibleParty", "Friends", false, v("name", "Buffers"), ""},
		{"no meaning", "en", "Work on the buffers of the town goes on.", "bmp", "name", "the", false, v("type", "buffers"), ""},
		{"no meaning", "en", "Work on the buffers of the town goes on.", "bmp", "name", "of the", false, v("type", "buffers"), ""},
		{"no meaning", "en", "Goal a is good.", "goal", "title", "a", false, nil, ""},
		{"number as a name", "en", "Buffers cover 30 acres.", "bmp", "name", "30 acres", false, v("quantity", q(30, "acres")), ""},
		{"number as a name", "en", "Buffers cover 30 acres.", "bmp", "name", "acres", false, v("quantity", q(30, "acres")), ""},
		{"number as a name", "en", "Buffers cover 30 acres.", "bmp", "name", "30", false, v("quantity", q(30, "acres")), ""},
		{"over two sentences", "en", "Reduce nitrogen. Plant trees.", "goal", "title", "nitrogen. Plant", false, nil, ""},
		{"over two cells", "en", "Practice | Place\nBuffers | Mill", "bmp", "name", "Buffers Mill", false, nil, "Buffers Mill"},
		{"look-alike", "en", "Work at Cleаr Creek goes on.", area, "name", "Clear Creek", false, nil, ""},
		{"invisible in a claim", "en", "Work at Clear Creek goes on.", area, "name", "Clear\u200b Creek", false, nil, ""},
		{"invisible in a claim", "en", "Work at Clear Creek goes on.", area, "name", "\u202eClear Creek", false, nil, ""},
		{"kind of another", "en", "Denver lies on the river.", area, "type", "hydrologic", false, v("name", "Denver"), ""},
		{"kind of another", "en", "Clear Creek lies in Boulder County.", area, "type", "hydrologic", false, v("name", "Boulder County"), ""},
		{"kind of another", "en", "Clear Creek lies in Boulder County.", area, "type", "admin", true, v("name", "Boulder County"), ""},
		{"code of another", "en", "Clear Creek (HUC 10190004) and Alder Creek (HUC 10190005) are dry.", area, "huc", "10190004", false, v("name", "Alder Creek"), ""},
		{"code of another", "en", "Clear Creek (HUC 10190004) and Alder Creek (HUC 10190005) are dry.", area, "huc", "10190005", true, v("name", "Alder Creek"), ""},
		{"code of another column", "en", "Alder Creek HUC | Boulder Creek HUC\n10190005 | 10190006", area, "huc", "10190006", false, v("name", "Alder Creek"), ""},
		{"kind below a name", "en", "Item | Boulder County\nRoads | the county", area, "type", "admin", false, v("name", "Boulder County"), ""},
		{"code without a name", "en", "The project lies in HUC 10190005.", area, "huc", "10190005", true, nil, ""},
		{"number as a code", "en", "Clear Creek has 12 acres.", area, "huc", "12", false, v("name", "Clear Creek"), ""},
		{"number as a code", "en", "Clear Creek is a HUC 12 watershed.", area, "huc", "12", false, v("name", "Clear Creek"), ""},
		{"number as a code", "en", "Clear Creek has permit 10190004.", area, "huc", "10190004", false, v("name", "Clear Creek"), ""},
		{"numbers as a place", "en", "Clear Creek had 4.2, 7.1 mg/L.", area, "coordinates", []entity.Point{{Lat: 4.2, Lon: 7.1}}, false, v("name", "Clear Creek"), ""},
		{"one letter quoted", "en", "Practice | Acres\nA | 30", "bmp", "quantity", q(30, "acres"), false, v("name", "A"), "A"},
	}
}

// What an attacker would claim does not pass, and what stands beside it does.
func TestAttacks(t *testing.T) {
	for _, list := range [][]attack{attacksOnNumbers(), attacksOnUnits(), attacksOnMeaning(), attacksOnDates(), attacksOnNames(), attacksOnAmounts(), attacksOnNeighbours(), valuesThatAreSaid()} {
		for _, a := range list {
			values := v(a.field, a.claim)
			for k, w := range a.with {
				values[k] = w
			}
			if a.quote == "" {
				a.quote = a.text
			}
			in := pagetest.Page(a.lang, a.text)
			r := guard.Check(in, []entity.Entity{{Type: a.typ, Values: values, Evidence: []string{a.quote}}})
			if got := kept(r, a.field, a.claim); got != a.want {
				t.Errorf("%s: %q: %s=%v kept %v, want %v; dropped %+v", a.class, a.text, a.field, a.claim, got, a.want, r.Drops)
			}
			checkGrounds(t, a.class, in, r)
		}
	}
}

// What is struck out in the markup, stands below a heading of another page that says so, or in a table whose caption does, is no value.
func TestWhatIsVoidByItsPlace(t *testing.T) {
	proposal := []entity.Entity{{Type: "bmp", Values: v("name", "Buffers", "quantity", q(30, "acres")), Evidence: []string{"Buffers cover 30 acres."}}}
	row := []entity.Entity{{Type: "bmp", Values: v("name", "Buffers", "cost", usd(30)), Evidence: []string{"Buffers 30"}}}
	plain := pagetest.Page("en", "Buffers cover 30 acres.")
	if !kept(guard.Check(plain, proposal), "quantity", q(30, "acres")) {
		t.Fatal("the plain page says it")
	}
	struck := pagetest.Page("en", "Buffers cover 30 acres.")
	struck.Units[0].FieldsRaw.HTML = "<p>Buffers cover <del>30</del> acres.</p>"
	below := pagetest.Page("en", "# Costs\nBuffers cover 30 acres.")
	below.Open = []model.Section{{Level: 1, Text: "Rejected alternatives"}}
	for name, in := range map[string]entity.PageInput{"struck out": struck, "open section": below} {
		if kept(guard.Check(in, proposal), "quantity", q(30, "acres")) {
			t.Errorf("%s: it passed", name)
		}
	}
	for caption, want := range map[string]bool{"Costs": true, "Rejected measures": false, "Costs in thousands": false} {
		table := pagetest.Page("en", "Practice | Cost ($)\nBuffers | 30")
		table.Units[0].FieldsRaw.Table.Caption = caption
		if got := kept(guard.Check(table, row), "cost", usd(30)); got != want {
			t.Errorf("caption %q: kept %v", caption, got)
		}
	}
}
