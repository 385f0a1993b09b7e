package ask

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

func passageOf(n int, language, text string) model.AskPassage {
	return model.AskPassage{N: n, ChunkRef: "c" + string(rune('0'+n)), Type: model.ChunkFact, Status: model.StatusConfirmed, InfoDate: "2024-03-15",
		Source: "Conseil Municipal de Corte", Language: language, Text: text}
}

// The passages that sentences are held against.
func given() []model.AskPassage {
	alleged := passageOf(4, "en", "The association claims that the mayor sold the bridge to his brother.")
	alleged.Type, alleged.Status = model.ChunkAllegation, model.StatusUnderReview
	return []model.AskPassage{
		passageOf(1, "en", "Goals\n\nReduce total nitrogen loads by 30% and phosphorus loads by 12% by 2030. The town did not approve the road. The council of Mill Creek approved the school for $3 million. The bridge costs $5 million and belongs to Alder Run."),
		passageOf(2, "en", "Site | Nitrate (mg/L) | Limit (mg/L)\nS1 | 4 | 10\nS2 | 7 | 10"),
		passageOf(3, "fr", "Le conseil a voté le budget de 1 200,5 euros le 3 mai 2024. Les travaux du pont sont prévus pour 2026."),
		alleged,
		passageOf(5, "en", "Nitrate was less than 5 mg/L at Mill Creek. If funds allow, the county plants 30 acres of buffers. Should the road be closed? The county hosted 9 workshops for 120 farmers. The works took 10 to 20 days."),
	}
}

// judged is a sentence of an answer with why it is left out, "" where it is told.
type judged struct {
	sentence string
	reason   model.AskReason
}

func sentences() []judged {
	return []judged{
		{"Reduce total nitrogen loads by 30% [1].", ""},
		{"Reduce total nitrogen loads by 30% by 2030 [1].", model.AskApart}, // the year stands with the other number
		{"Nitrogen loads are reduced by 30 percent [1].", model.AskApart},   // in another order
		{"Phosphorus loads by 12% by 2030 [1].", ""},
		{"The council of Mill Creek approved the school [1].", ""},
		{"The school for $3,000,000 [1].", ""},
		{"The bridge costs $5 million [1].", ""},
		{"Le conseil a voté le budget de 1200,50 euros [3].", ""},
		{"Le conseil a voté le budget le 3 mai 2024 [3].", ""},
		{"Le conseil a voté le budget en mai 2024 [3].", ""},
		{"Les travaux du pont sont prévus pour 2026 [3].", ""},
		{"At S1 nitrate is 4 mg/L [2].", ""},
		{"Nitrate was less than 5 mg/L at Mill Creek [5].", ""},
		{"The bridge costs $5 million [1], the school $3 million [1].", ""},
		{"The association claims that the mayor sold the bridge [4].", ""},
		{"The county hosted 9 workshops [5].", ""},
		{"The works took 10 to 20 days [5].", ""},

		{"The bridge costs $3 million [1].", model.AskApart}, // the school's
		{"Reduce nitrogen loads by 12% [1].", model.AskApart},
		{"Phosphorus loads by 30% [1].", model.AskApart},
		{"The bridge costs 5 million euros [1].", model.AskNumber},
		{"Reduce total nitrogen loads by 31% by 2030 [1].", model.AskNumber},
		{"Reduce total nitrogen loads by 30 mg/L [1].", model.AskNumber},
		{"Reduce total nitrogen loads by 30% by 2031 [1].", model.AskDate},
		{"Le conseil a voté le budget le 4 mai 2024 [3].", model.AskDate},
		{"The council of Willow Creek approved the school [1].", model.AskName},
		{"The council of Alder Creek approved the school [1].", model.AskApart}, // of two names
		{"The town approved the road [1].", model.AskQualified},
		{"Nitrate was 5 mg/L at Mill Creek [5].", model.AskQualified},
		{"The county plants 30 acres of buffers [5].", model.AskQualified},
		{"The mayor sold the bridge [4].", model.AskQualified},
		{"Les travaux du pont sont pour 2026 [3].", model.AskQualified},
		{"The road be closed [5].", model.AskApart}, // a question
		{"The county hosted 120 workshops for 9 farmers [5].", model.AskApart},
		{"The works took 20 days [5].", model.AskNumber}, // the end of a range
		{"At S1 the limit is 4 mg/L [2].", model.AskApart},
		{"At S1 nitrate is 7 mg/L [2].", model.AskApart}, // another row's
		{"The council of Mill Creek rejected the school [1].", model.AskWords},
		{"The brother sold the bridge to the mayor [4].", model.AskApart},
		{"The council approved the school.", model.AskUncited},
		{"The council approved the school [9].", model.AskUnknown},
		{"The council approved the school [1][9].", model.AskUnknown},
		{"[1]", model.AskUncited},
		{"The school [1](http://evil.example/).", model.AskUnreadable},
		{"The <b>school</b> [1].", model.AskUnreadable},
		{"The sch\u200bool [1].", model.AskUnreadable},
		{"The \u202eschool [1].", model.AskUnreadable},
		{"The bridge costs $5 million [1] and the mayor is a thief.", model.AskWords},
		{"Mill Creek approved " + strings.Repeat("the school ", 400) + "[1].", model.AskUnreadable},
	}
}

// TestSentences: what stands in the cited passages is told, and what does not is left out by its reason.
func TestSentences(t *testing.T) {
	ps := readPassages(given())
	for _, c := range sentences() {
		told, reason := ps.check(c.sentence)
		if reason != c.reason {
			t.Errorf("%q: %q, want %q", c.sentence, reason, c.reason)
		}
		if (reason == "") != (len(told.Citations) > 0) || reason != "" && told.Text != "" {
			t.Errorf("%q: %+v", c.sentence, told)
		}
	}
}
