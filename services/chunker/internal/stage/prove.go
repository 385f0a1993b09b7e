package stage

import (
	"errors"
	"fmt"
	"iter"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/describe"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
)

// errEnough ends the making of chunks when nobody asks for more.
var errEnough = errors.New("no more chunks are asked for")

// Again returns what makes the chunks of a generation a second time, as the
// stage made them with the default options: the half of a proof that is the
// chunker's.
func Again(chunkers split.Table) proof.Chunker {
	count := split.O200k()
	return func(s model.Snapshot, run model.Run, m model.Manifest, proposed []byte, pages proof.Pages) iter.Seq2[model.Chunk, error] {
		return func(yield func(model.Chunk, error) bool) {
			if m.ChunkerVersion != split.Version || m.HeaderVersion != header.Version {
				yield(model.Chunk{}, fmt.Errorf("%w: %s with header %s, recorded %s with %s", proof.ErrOtherChunker,
					split.Version, header.Version, m.ChunkerVersion, m.HeaderVersion))
				return
			}
			proposals, err := readProposals(proposed)
			if err != nil {
				yield(model.Chunk{}, err)
				return
			}
			var facts assemble.Survey
			err = pages(func(f segment.Frame) error {
				facts.Add(f.Page, f.Units)
				return nil
			})
			if err == nil {
				document := documentOf(s, &facts)
				choice := chunkers.Choose(split.SourceOf(s), document)
				if made := metaOf(choice); made.Chunker != m.Meta.Chunker || made.ChunkerWhy != m.Meta.ChunkerWhy {
					yield(model.Chunk{}, fmt.Errorf("%w: %q (%s), recorded %q (%s)", proof.ErrOtherChoice,
						choice.Name, choice.Why, m.Meta.Chunker, m.Meta.ChunkerWhy))
					return
				}
				base := describe.Base(s, run, facts.Title(s), facts.Language(s), split.Version)
				v := model.Version{DocHash: m.DocHash, Generation: m.Generation}
				c := cuttingOf(choice, s, base, &facts, document, count)
				c.document.Proposals = proposals
				err = c.cut(v, pages, func(c model.Chunk) error {
					if !yield(c, nil) {
						return errEnough
					}
					return nil
				})
			}
			if err != nil && !errors.Is(err, errEnough) {
				yield(model.Chunk{}, err)
			}
		}
	}
}

// Make makes chunks of the pages of a run as the stage does, without a catalog, and
// returns the chunker that was chosen: for who measures chunkers.
func Make(chunkers split.Table, count func(string) (int, error), s model.Snapshot, run model.Run, pages proof.Pages, out func(model.Chunk) error) (split.Choice, error) {
	var facts assemble.Survey
	if err := pages(func(f segment.Frame) error {
		facts.Add(f.Page, f.Units)
		return nil
	}); err != nil {
		return split.Choice{}, err
	}
	document := documentOf(s, &facts)
	choice := chunkers.Choose(split.SourceOf(s), document)
	base := describe.Base(s, run, facts.Title(s), facts.Language(s), split.Version)
	v := model.Version{DocHash: s.DocHash(), Generation: 1}
	return choice, cuttingOf(choice, s, base, &facts, document, count).cut(v, pages, out)
}

// SurveyAgain looks at the pages of a run a second time, as the stage does before it
// makes chunks of them.
func SurveyAgain(s model.Snapshot, pages proof.Pages) (proof.Surveyed, error) {
	var facts assemble.Survey
	err := pages(func(f segment.Frame) error {
		facts.Add(f.Page, f.Units)
		return nil
	})
	return proof.Surveyed{
		State: facts.State(), Reason: facts.Reason, Message: facts.Message,
		Title: facts.Title(s), Language: facts.Language(s), Fingerprint: facts.Fingerprint(), Meta: facts.Meta(s),
	}, err
}
