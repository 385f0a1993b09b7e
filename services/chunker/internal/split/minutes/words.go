package minutes

// agendas are words of titles and first headings of what says what a meeting will speak of. Its
// items may be a plain list.
func agendas() []string {
	return []string{
		"ordre du jour", "convocation", "ordem do dia", "ordem de trabalhos", "convocatória",
		"ordine del giorno", "convocazione", "agenda", "summons to", "orden del día",
	}
}

// summons are words of the lines before such a list, where they say who is called.
func summons() []string {
	return []string{
		"convoqué", "convoquée", "convoqués", "convoquées", "convocado", "convocada", "convocados", "convocadas",
		"convocato", "convocata", "convocati", "convocate", "summoned", "convened",
	}
}

// records are those of what says what was spoken of: each item has its text. A plain list under
// one of them is a list of minutes, or of sessions.
func records() []string {
	return []string{
		"procès-verbal", "procès verbal", "compte rendu", "compte-rendu", "séance",
		"ata da", "ata de", "ata n", "sessão", "verbale", "seduta", "minutes of", "minutes", "acta de",
		"réunion du", "réunion de", "reunião da", "reunião de", "reunião do", "riunione del", "riunione della",
		"meeting of", "meeting on", "council meeting", "reunión de", "reunión del",
	}
}

// usual are the first words of items that meetings have, and little else: what stands before all
// else, and what comes last.
func usual() []string {
	return []string{
		"approbation du procès-verbal", "approbation du procès verbal", "approbation des procès-verbaux", "approbation du compte rendu",
		"approbation du compte-rendu", "approbation du pv", "désignation du secrétaire de séance", "désignation d'un secrétaire de séance",
		"désignation d’un secrétaire de séance", "nomination du secrétaire de séance", "questions diverses",
		"approval of the minutes", "approval of minutes", "approval of the agenda", "adoption of the agenda", "minutes of the last meeting",
		"minutes of the previous meeting", "apologies for absence", "apologies", "matters arising", "any other business", "date of next meeting",
		"date of the next meeting",
		"aprovação da ata", "aprovação da acta", "leitura da ata", "leitura e aprovação da ata", "leitura e votação da ata", "votação da ata",
		"período antes da ordem do dia", "período de antes da ordem do dia", "outros assuntos",
		"approvazione del verbale", "approvazione verbale", "approvazione verbali", "approvazione dei verbali", "lettura e approvazione del verbale",
		"lettura ed approvazione del verbale", "varie ed eventuali", "comunicazioni del sindaco", "comunicazioni del presidente",
		"aprobación del acta", "lectura y aprobación del acta", "ruegos y preguntas",
	}
}

// attendances are the first words of a line that says who came to a meeting, and who did not.
func attendances() []string {
	return []string{
		"présents :", "présents:", "présentes :", "présentes:", "présent(e)s :", "étaient présents", "sont présents", "membres présents", "absents excusés", "absents :", "absents:", "excusés :", "excusés:", "présents (",
		"present:", "present (", "members present", "in attendance", "apologies:", "apologies were", "apologies for absence",
		"presentes:", "presentes (", "estiveram presentes", "estavam presentes", "membros presentes", "vereadores presentes", "ausentes:", "ausentes (",
		"presenti:", "presenti (", "sono presenti", "erano presenti", "risultano presenti", "consiglieri presenti", "assenti:", "assenti giustificati", "assenti (",
		"asistentes:", "asisten:",
	}
}

// bodies are words for who meets.
func bodies() []string {
	return []string{
		"conseil municipal", "conseil communautaire", "conseil d'administration", "conseil d’administration", "conseil départemental", "conseil régional", "assemblée générale", "comité syndical",
		"city council", "town council", "parish council", "county council", "board of directors", "board of trustees", "general meeting", "planning committee",
		"câmara municipal", "câmara de vereadores", "assembleia municipal", "assembleia geral", "junta de freguesia", "conselho de administração",
		"consiglio comunale", "giunta comunale", "consiglio regionale", "consiglio di amministrazione", "consiglio d'istituto", "consiglio d’istituto", "assemblea dei soci",
	}
}
