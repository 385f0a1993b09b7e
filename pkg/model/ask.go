package model

// What gateway and annotator say to each other of a question (contracts#ask). It is handed over by
// the bus and stored nowhere.

// AskSubject is where questions are put, and AskedSubject where they are answered, each behind the
// prefix of subjects; behind the second comes the number of the question.
const (
	AskSubject   = "ask.requested"
	AskedSubject = "ask.answered"
)

// AskQuestion is a question with the passages that may answer it.
type AskQuestion struct {
	Question string       `json:"question"`
	AsOf     string       `json:"as_of,omitempty"` // YYYY-MM-DD, when it was asked for
	Passages []AskPassage `json:"passages"`        // in the order of their numbers
}

// AskPassage is what a chunk says, as far as it is handed to a model.
type AskPassage struct {
	N        int         `json:"n"` // by which it is cited, from 1
	ChunkRef string      `json:"chunk_ref"`
	Type     ChunkType   `json:"type"`
	Status   ChunkStatus `json:"status"`
	InfoDate string      `json:"info_date"` // YYYY-MM-DD
	Source   string      `json:"source"`    // display name of its source
	Language string      `json:"language"`
	Text     string      `json:"text"`
}

// AskPart is one part of an answer: a sentence, the end, or neither, which says that it is worked on.
type AskPart struct {
	Sentence *AskSentence `json:"sentence,omitempty"`
	End      *AskEnd      `json:"end,omitempty"`
}

// AskSentence is a sentence of an answer, each statement of which stands in what it cites.
type AskSentence struct {
	Text      string        `json:"text"`      // with the numbers of what it cites in brackets, [1]
	SaidAs    ChunkType     `json:"said_as"`   // an allegation or an opinion where one that it cites is
	Status    ChunkStatus   `json:"status"`    // of what it is said as
	Citations []AskCitation `json:"citations"` // one at least
}

// AskCitation is a chunk that says a statement.
type AskCitation struct {
	N        int         `json:"n"` // as in the text
	ChunkRef string      `json:"chunk_ref"`
	Type     ChunkType   `json:"type"`      // of the chunk: fact, allegation or opinion
	Status   ChunkStatus `json:"status"`    // of the chunk
	InfoDate string      `json:"info_date"` // YYYY-MM-DD
	Source   string      `json:"source"`    // display name of the source
	Quote    string      `json:"quote"`     // the sentence, item or row of the chunk that says it
}

// AskEnd says how an answer has ended.
type AskEnd struct {
	Outcome    AskOutcome   `json:"outcome"`
	Model      string       `json:"model"`                 // that was asked; empty where none was
	Told       int          `json:"told"`                  // sentences
	LeftOut    []AskLeftOut `json:"left_out"`              // what the model said besides, by why it is not told
	RetryAfter int          `json:"retry_after,omitempty"` // seconds; where it may be asked again
}

// AskLeftOut counts sentences that are not told.
type AskLeftOut struct {
	Reason AskReason `json:"reason"` // uncited, unknown_passage, number_not_found, date_not_found, name_not_found, words_not_found, not_together, qualified, unreadable or cut
	Count  int       `json:"count"`  // of sentences
}

// AskOutcome is how an answer has ended.
type AskOutcome string

// The outcomes of questions.
const (
	AskAnswered AskOutcome = "answered" // all that the model said is told
	AskPartial  AskOutcome = "partial"  // some sentences were left out, or the model did not come to its end
	AskNothing  AskOutcome = "nothing"  // no sentence is left, or the model says that no passage answers
	AskRefused  AskOutcome = "refused"  // the model does not answer
	AskNoModel  AskOutcome = "no_model" // there is none
	AskBusy     AskOutcome = "busy"     // too many questions at once
	AskSpent    AskOutcome = "spent"    // what questions may cost today is spent
	AskAway     AskOutcome = "away"     // the model, or who asks it, does not answer
)

// AskReason is why a sentence is not told.
type AskReason string

// Why a sentence is not told.
const (
	AskUncited    AskReason = "uncited"          // it cites nothing
	AskUnknown    AskReason = "unknown_passage"  // it cites what there is not
	AskNumber     AskReason = "number_not_found" // what it cites has not a number that it says, in its unit
	AskDate       AskReason = "date_not_found"
	AskName       AskReason = "name_not_found"
	AskWords      AskReason = "words_not_found"
	AskApart      AskReason = "not_together" // all stands there, not in one sentence or not of the same
	AskQualified  AskReason = "qualified"    // it leaves out a word that denies or limits
	AskUnreadable AskReason = "unreadable"   // it has links, markup or characters that do not show, or is too long
	AskCut        AskReason = "cut"          // it has no end
)

// AskReasons returns them all.
func AskReasons() []AskReason {
	return []AskReason{AskUncited, AskUnknown, AskNumber, AskDate, AskName, AskWords, AskApart, AskQualified, AskUnreadable, AskCut}
}
