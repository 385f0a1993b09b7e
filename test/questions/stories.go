package questions

// Telling is one document of a story: several that were published one after the other,
// or by several sources. Tellings of one URL are versions of one document.
type Telling struct {
	Document
	Story  string // soupcon, regulation or notice
	Source string // who publishes it, within the story
}

// Asked is a question to a story at a date, and the passage that must be shown then, as
// what it is.
type Asked struct {
	Story    string
	Language string
	AsOf     string // a date, YYYY-MM-DD
	Text     string
	Document string // Document.ID of the telling
	Type     string // fact, allegation or opinion
	Status   string // confirmed, refuted or under_review; empty where nothing is said
	Passage  string
}

// ReadStories returns the tellings of all stories, those of a story by date, and what is
// asked of them.
func ReadStories() ([]Telling, []Asked, error) {
	rows, err := readRows("stories.tsv", "id", "story", "source", "file", "language", "kind", "title", "url", "date")
	if err != nil {
		return nil, nil, err
	}
	var tellings []Telling
	for _, r := range rows {
		d, err := readDocument(r[0], r[3], r[4], r[5], r[6], r[7], r[8])
		if err != nil {
			return nil, nil, err
		}
		tellings = append(tellings, Telling{Document: d, Story: r[1], Source: r[2]})
	}
	rows, err = readRows("stories-asked.tsv", "story", "language", "as_of", "question", "document", "type", "status", "passage")
	var asked []Asked
	for _, r := range rows {
		asked = append(asked, Asked{Story: r[0], Language: r[1], AsOf: r[2], Text: r[3], Document: r[4], Type: r[5], Status: unsaid(r[6]), Passage: r[7]})
	}
	return tellings, asked, err
}
