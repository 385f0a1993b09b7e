package quality

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/statement"
	"github.com/colophon-dev/colophon/test/questions"
)

// SentenceReport is how well the rules tell allegations and opinions from facts, and statuses, of
// marked sentences.
type SentenceReport struct {
	Halves   []SentenceHalf    `json:"halves"`
	Mistakes []SentenceMistake `json:"mistakes,omitempty"` // of the half that may be looked at
}

// SentenceHalf is one half of the sentences: what rules were made with, or what nobody who makes them has
// seen, of which only sums are told.
type SentenceHalf struct {
	Name      string          `json:"name"`
	Sentences int             `json:"sentences"`
	Groups    []SentenceGroup `json:"groups"`
}

// SentenceGroup counts the sentences of one type or status, in one language or in all ("all").
type SentenceGroup struct {
	Language string `json:"language"`
	What     string `json:"what"`  // fact, allegation, opinion, confirmed, refuted or obsolete
	Truth    int    `json:"truth"` // that are marked so
	Said     int    `json:"said"`  // that the rules say are so
	Right    int    `json:"right"` // of both
}

// Precision is the share of what is said that is so, 1 where nothing is said.
func (g SentenceGroup) Precision() float64 { return share(g.Right, g.Said) }

// Recall is the share of what is so that is said, 1 where there is none.
func (g SentenceGroup) Recall() float64 { return share(g.Right, g.Truth) }

// SentenceMistake is a sentence that the rules take for something else than it is marked as.
type SentenceMistake struct {
	Language string `json:"language"`
	Truth    string `json:"truth"`
	Said     string `json:"said"`
	Sentence string `json:"sentence"`
}

// RunSentences compares the marked sentences of test/questions with what the rules of
// pkg/statement say of them. Under review, which every chunk is unless something else is said, is no
// status of its own here.
func RunSentences() (SentenceReport, error) {
	var r SentenceReport
	for _, name := range questions.SentenceSets() {
		sentences, err := questions.ReadSentences(name)
		if err != nil {
			return SentenceReport{}, err
		}
		mistake := func(m SentenceMistake) { r.Mistakes = append(r.Mistakes, m) }
		if questions.Unseen(name) {
			mistake = func(SentenceMistake) {}
		}
		r.Halves = append(r.Halves, halfOf(name, sentences, mistake))
	}
	return r, nil
}

func halfOf(name string, sentences []questions.Sentence, mistake func(SentenceMistake)) SentenceHalf {
	h := SentenceHalf{Name: name, Sentences: len(sentences)}
	for _, language := range append([]string{"all"}, statement.Languages()...) {
		for _, what := range []string{
			string(model.ChunkFact), string(model.ChunkAllegation), string(model.ChunkOpinion),
			string(model.StatusConfirmed), string(model.StatusRefuted), string(model.StatusObsolete),
		} {
			g := SentenceGroup{Language: language, What: what}
			for _, s := range sentences {
				if language != "all" && language != s.Language {
					continue
				}
				typ, status := statement.Sentence(s.Language, s.Text)
				is, says := s.Type == what || s.Status == what, string(typ) == what || string(status) == what
				g.Truth, g.Said, g.Right = g.Truth+one(is), g.Said+one(says), g.Right+one(is && says)
			}
			h.Groups = append(h.Groups, g)
		}
	}
	for _, s := range sentences {
		if typ, _ := statement.Sentence(s.Language, s.Text); string(typ) != s.Type {
			mistake(SentenceMistake{Language: s.Language, Truth: s.Type, Said: string(typ), Sentence: s.Text})
		}
	}
	return h
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Write prints the report as a table.
func (r SentenceReport) Write(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "half\tlanguage\twhat\tmarked\tsaid\tright\tprecision\trecall")
	for _, h := range r.Halves {
		for _, g := range h.Groups {
			fmt.Fprintf(out, "%s\t%s\t%s\t%d\t%d\t%d\t%.3f\t%.3f\n", h.Name, g.Language, g.What, g.Truth, g.Said, g.Right, g.Precision(), g.Recall())
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, m := range r.Mistakes {
		if _, err := fmt.Fprintf(w, "%s: %s, said to be %s: %s\n", m.Language, m.Truth, m.Said, m.Sentence); err != nil {
			return err
		}
	}
	return nil
}
