package guard_test

// What a page says in ordinary words passes, also beside what would not.
func valuesThatAreSaid() []attack {
	bmp, kg, act, mon, area := "bmp", "quantity", "implementation", "monitoring", "geographicArea"
	return []attack{
		{"it is said", "en", "Plant 1,200 trees by 2027.", bmp, kg, q(1200, "trees"), true, v("name", "trees"), ""},
		{"it is said", "en", "Install 12 new rain gardens at schools.", bmp, kg, q(12, "rain gardens"), true, v("name", "rain gardens"), ""},
		{"it is said", "en", "Nitrate was 12 mg/L, above the limit of 10 mg/L.", mon, "value", 12.0, true, v("parameter", "Nitrate", "unit", "mg/L"), ""},
		{"it is said", "en", "Nitrate was 12 mg/L, above the limit of 10 mg/L.", mon, "value", 10.0, false, v("parameter", "Nitrate", "unit", "mg/L"), ""},
		{"it is said", "en", "Buffers cost about $45,000.", bmp, "cost", usd(45000), true, v("name", "Buffers"), ""},
		{"it is said", "en", "Buffers cost $45,000 in total.", bmp, "cost", usd(45000), true, v("name", "Buffers"), ""},
		{"it is said", "en", "Buffers cost $45,000 a year.", bmp, "cost", usd(45000), false, v("name", "Buffers"), ""},
		{"it is said", "en", "Buffers (30 acres) protect the creek.", bmp, kg, q(30, "acres"), true, v("name", "Buffers"), ""},
		{"it is said", "en", "Buffers: 30 acres.", bmp, kg, q(30, "acres"), true, v("name", "Buffers"), ""},
		{"it is said", "en", "- Buffers - 30 acres", bmp, kg, q(30, "acres"), true, v("name", "Buffers"), "Buffers - 30 acres"},
		{"it is said", "en", "The work is 65% complete.", act, "progress", q(65, "%"), true, v("action", "work"), ""},
		{"it is said", "en", "The work is more than 65% complete.", act, "progress", q(65, "%"), false, v("action", "work"), ""},
		{"it is said", "en", "The goal is 30%.", "goal", "target", q(30, "%"), true, nil, ""},
		{"it is said", "en", "Reduce nitrogen loads by 25 to 30 percent by 2030.", "goal", "target", q(30, "percent"), true, v("pollutant", "nitrogen"), ""},
		{"it is said", "en", "Raise oxygen to at least 6 mg/L by 2030.", "goal", "target", q(6, "mg/L"), true, v("pollutant", "oxygen"), ""},
		{"it is said", "fr", "Planter 12 km de haies d'ici 2030.", bmp, kg, q(12, "km"), true, v("name", "haies"), ""},
		{"it is said", "fr", "Réduire l'azote de 10 à 20 % d'ici 2030.", "goal", "target", q(20, "%"), true, v("pollutant", "azote"), ""},
		{"it is said", "fr", "Le coût des haies est de 3,5 M€.", bmp, "cost", eur(3500000), true, v("name", "haies"), ""},
		{"it is said", "pt", "O custo das sebes é de 12 mil euros.", bmp, "cost", eur(12000), true, v("name", "sebes"), ""},
		{"it is said", "it", "Il costo delle siepi è di 30.000 euro.", bmp, "cost", eur(30000), true, v("name", "siepi"), ""},
		{"it is said", "it", "Fasce tampone per 30 ettari.", bmp, kg, q(30, "ettari"), true, v("name", "Fasce tampone"), ""},
		{"it is said", "en", "E. coli counts reached 235 CFU/100 mL.", mon, "value", 235.0, true, v("parameter", "E. coli", "unit", "CFU/100 mL"), ""},
		{"it is said", "en", "The county planted 30 acres. It cost $9,000.", bmp, kg, q(30, "acres"), true, nil, ""},
		{"it is said", "en", "Practice | Quantity | Unit\nBuffers | 30 | acres", bmp, kg, q(30, "acres"), true, v("name", "Buffers"), "Buffers 30 acres"},
		{"it is said", "en", "Parameter | Result\nE. coli | 235 MPN/100 mL", mon, "value", 235.0, true, v("parameter", "E. coli", "unit", "MPN/100 mL"), "E. coli 235 MPN/100 mL"},
		{"it is said", "en", "Activity | Deadline\nFencing | 2026", act, "end", "2026", true, v("action", "Fencing"), "Fencing 2026"},
		{"it is said", "en", "Goal | Target date\nCut nitrogen | June 2028", "goal", "deadline", "2028-06", true, v("title", "Cut nitrogen"), "Cut nitrogen June 2028"},
		{"it is said", "en", "Fencing was completed in 2024.", act, "status", "completed", true, v("action", "Fencing"), ""},
		{"it is said", "en", "Fencing was completed in 2024.", act, "end", "2024", true, v("action", "Fencing"), ""},
		{"it is said", "en", "The farmers of Alder Creek, Oregon, joined 9 workshops.", "outreach", "count", q(9, "workshops"), true, v("audience", "farmers"), ""},
		{"it is said", "en", "Work is done by the Soil and Water District.", bmp, "responsibleParty", "Soil and Water District", true, v("name", "Work"), ""},
		{"it is said", "fr", "Haies plantées par le Syndicat du bassin.", bmp, "responsibleParty", "Syndicat du bassin", true, v("name", "Haies"), ""},
		{"it is said", "en", "The plan covers the Alder Creek Watershed (HUC 10190004).", area, "huc", "10190004", true, v("name", "Alder Creek Watershed"), ""},
		{"it is said", "en", "In 2024, 30 acres of buffers were planted.", bmp, kg, q(30, "acres"), true, v("name", "buffers"), ""},
		{"it is said", "en", "Plant 30 acres of buffers to protect against erosion.", bmp, kg, q(30, "acres"), true, v("name", "buffers"), ""},
		{"it is said", "en", "Repair 30 failed septic systems.", bmp, kg, q(30, "septic systems"), true, v("name", "septic systems"), ""},
	}
}

// Amounts of a difference, of a part, of something else, and numbers that are printed apart.
func attacksOnAmounts() []attack {
	bmp, kg, mon := "bmp", "quantity", "monitoring"
	return []attack{
		{"as good as said", "en", "Buffers cover 30 acres less than planned.", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cover 30 acres more than in 2020.", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers grew by 30 acres.", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Nitrate fell by 5 mg/L.", mon, "value", 5.0, false, v("parameter", "Nitrate", "unit", "mg/L"), ""},
		{"as good as said", "en", "If funds allow, the town plants 30 acres of buffers.", bmp, kg, q(30, "acres"), true, v("name", "buffers"), ""},
		{"as good as said", "en", "The claim that 30 acres of buffers exist is false.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"as good as said", "en", "Zero of 30 acres of buffers were planted.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"as good as said", "en", "Few if any of the 30 acres of buffers exist.", bmp, kg, q(30, "acres"), false, v("name", "buffers"), ""},
		{"as good as said", "en", "Buffers cover thirty-odd acres.", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cover 30-odd acres.", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cover 3 0 acres.", bmp, kg, q(0, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cover 1 , 200 acres.", bmp, kg, q(200, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cover 1, 200 acres.", bmp, kg, q(200, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cover 1. 5 acres.", bmp, kg, q(5, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cover 1\n200 acres.", bmp, kg, q(200, "acres"), true, v("name", "Buffers"), "200 acres."},
		{"as good as said", "en", "Buffers cover l30 acres.", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cover O30 acres.", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cover 3O acres.", bmp, kg, q(3, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cover 30% of 200 acres.", bmp, kg, q(200, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cost 30% of $9,000.", bmp, "cost", usd(9000), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers save $9,000.", bmp, "cost", usd(9000), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cost $9,000 less than ponds.", bmp, "cost", usd(9000), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cost $9k.", bmp, "cost", usd(9), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cost 9 thousand dollars.", bmp, "cost", usd(9), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cost US$9,000–12,000.", bmp, "cost", usd(12000), true, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cost $9.00.000.", bmp, "cost", usd(9), false, v("name", "Buffers"), ""},
		{"as good as said", "fr", "Les haies coûtent 9 000 F.", bmp, "cost", eur(9000), false, v("name", "haies"), ""},
		{"as good as said", "en", "Progress | Acres\nBuffers | 30", bmp, "progress", q(30, "acres"), false, v("name", "Buffers"), "Buffers 30"},
		{"as good as said", "en", "Name | Planned | Actual\nBuffers | 30 | 12", bmp, "progress", q(30, ""), false, v("name", "Buffers"), "Buffers 30 12"},
		{"as good as said", "en", "Name | Acres\nBuffers | 30?", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), "Buffers 30?"},
		{"as good as said", "en", "Name | Acres\nBuffers | ~30", bmp, kg, q(30, "acres"), true, v("name", "Buffers"), "Buffers ~30"},
		{"as good as said", "en", "Name | Acres\nBuffers | <30", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), "Buffers <30"},
		{"as good as said", "en", "Name | Acres\nBuffers | (30)", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), "Buffers (30)"},
		{"as good as said", "en", "Name | Acres\nBuffers | 30*", bmp, kg, q(30, "acres"), true, v("name", "Buffers"), "Buffers 30*"},
		{"as good as said", "en", "Name | Acres\nBuffers | 301", bmp, kg, q(30, "acres"), false, v("name", "Buffers"), "Buffers 301"},
		{"as good as said", "en", "Name | Nitrate (mg/L) | Limit (mg/L)\nS1 | 4 | 10", mon, "value", 10.0, false, v("parameter", "Nitrate", "unit", "mg/L"), "S1 4 10"},
		{"as good as said", "en", "Total buffers are 30 acres.", bmp, kg, q(30, "acres"), true, v("name", "buffers"), ""},
		{"as good as said", "en", "Buffers cover 30 acres.", bmp, kg, q(30.000000001, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cover 9007199254740993 acres.", bmp, kg, q(9007199254740992, "acres"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Buffers cover 30 acres.", bmp, kg, q(30, "acres\u200b"), false, v("name", "Buffers"), ""},
		{"as good as said", "en", "Nitrate was 4 mg/L.", mon, "value", 4.0, false, v("parameter", "Nitrate", "unit", ""), ""},
	}
}

// Dates, places and people of something else.
func attacksOnNeighbours() []attack {
	bmp, act, mon, area := "bmp", "implementation", "monitoring", "geographicArea"
	return []attack{
		{"as good as said", "en", "As of 2020 the deadline for nitrogen is 2030.", "goal", "deadline", "2020", false, v("pollutant", "nitrogen"), ""},
		{"as good as said", "en", "Fencing was postponed from 2024 to 2026.", act, "start", "2024", false, v("action", "Fencing"), ""},
		{"as good as said", "en", "Fencing starts 2024 at the earliest.", act, "start", "2024", false, v("action", "Fencing"), ""},
		{"as good as said", "en", "Fencing starts in mid-2024.", act, "start", "2024-06", false, v("action", "Fencing"), ""},
		{"as good as said", "en", "Fencing starts in the 2020s.", act, "start", "2020", false, v("action", "Fencing"), ""},
		{"as good as said", "en", "Fencing starts in 2020 BC.", act, "start", "2020", false, v("action", "Fencing"), ""},
		{"as good as said", "en", "Fencing starts in May, not June 2026.", act, "start", "2026-06", false, v("action", "Fencing"), ""},
		{"as good as said", "fr", "La clôture est à faire avant le 06/07/2026.", act, "end", "2026-06-07", false, v("action", "clôture"), ""},
		{"as good as said", "en", "Clear Creek is outside the plan.", area, "type", "project area", false, v("name", "Clear Creek"), ""},
		{"as good as said", "en", "Fencing is done at Mill Run. Work at Alder Creek goes on.", act, "location", "Alder Creek", false, v("action", "Fencing"), ""},
		{"as good as said", "en", "Ponds at Mill Run and buffers at Alder Creek are planned.", bmp, "location", "Mill Run", false, v("name", "buffers"), ""},
		{"as good as said", "en", "Ponds are built by the City, buffers by the County.", bmp, "responsibleParty", "City", false, v("name", "buffers"), ""},
		{"as good as said", "en", "Nitrate is sampled monthly, ammonia weekly.", mon, "frequency", "weekly", false, v("parameter", "Nitrate"), ""},
		{"as good as said", "en", "Pay the farmers 30 acres.", "outreach", "audience", "farmer", false, nil, ""},
	}
}
